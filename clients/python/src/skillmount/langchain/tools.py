"""The service's tools as LangChain tools: the model reads what the service writes for models."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from langchain_core.tools import BaseTool, StructuredTool, ToolException

from .._generated import models, operations
from .._generated.tools import TOOLS
from ..approvals import ask, asks
from ..call import Call, bytes_reply, segment
from ..connection import Steps
from ..graph import GraphSessions
from ..problem import MissingIdentity, SkillmountError
from ..prompt import PromptMode

SKILL_TOOLS = ("discover_skills", "load_skill", "Skill", "unload_skill")
_WAITS = "needs a person's approval, which was asked for"
# Running one of these twice is the same as running it once.
_SAFE = frozenset({*SKILL_TOOLS, "ls", "read", "grep", "glob"})


def tools(sessions: GraphSessions, names: Iterable[str], mode: PromptMode | None) -> list[BaseTool]:
    """The tools of these names, which run in the session of the graph that calls them."""
    return [_tool(sessions, name, mode) for name in names]


def _tool(sessions: GraphSessions, name: str, mode: PromptMode | None) -> BaseTool:
    def steps(user: str, session: str, given: dict[str, Any]) -> Steps[str]:
        return _call(user, session, name, given, mode, sessions.control_key)

    def run(**given: Any) -> str:
        try:
            return sessions.run(lambda user, session: steps(user, session, given))
        except SkillmountError as error:
            raise _told(error) from error

    async def arun(**given: Any) -> str:
        try:
            return await sessions.arun(lambda user, session: steps(user, session, given))
        except SkillmountError as error:
            raise _told(error) from error

    definition = TOOLS[name]
    return StructuredTool.from_function(
        func=run,
        coroutine=arun,
        name=name,
        description=definition["description"],
        args_schema=definition["input_schema"],
        infer_schema=False,
        handle_tool_error=True,
    )


def _call(
    user: str, session: str, name: str, given: dict[str, Any], mode: PromptMode | None, control_key: str | None
) -> Steps[str]:
    block = {"type": "tool_use", "id": "call", "name": name, "input": given}
    call = operations.run_tool_calls(user, session, models.ToolCallsRequest(content=[block], mode=mode))
    call = replace(call, safe=name in _SAFE)
    while True:
        reply = yield call
        (result,) = reply.model_dump(mode="json", exclude_unset=True)["content"]
        text = _text(result["content"])
        if not result.get("is_error"):
            return text
        if _WAITS not in text:
            raise ToolException(text)
        # A tool's result has no code and no id. Made by its route, the call that waits is refused with both.
        routed = _by_its_route(user, session, name, given)
        try:
            done: bytes = yield routed
            return done.decode()
        except SkillmountError as error:
            if not asks(error):
                raise ToolException(text) from error
            refused = error
        yield from ask(user, session, routed, refused, control_key)


def _by_its_route(user: str, session: str, name: str, given: dict[str, Any]) -> Call[bytes]:
    name = "load_skill" if name == "Skill" else name
    return Call(
        operation=name,
        method="POST",
        path=f"/v1/users/{segment(user)}/sessions/{segment(session)}/{segment(name)}",
        read=bytes_reply,
        session=(user, session),
        headers={"content-type": "application/json"},
        content=json.dumps(given).encode(),
    )


def _text(content: Any) -> str:
    if isinstance(content, str):
        return content
    return "\n".join(str(part.get("text", "")) for part in content)


def _told(error: SkillmountError) -> Exception:
    # A run without a user is the developer's to mend, and no model's.
    return error if isinstance(error, MissingIdentity) else ToolException(f"Error: {error.detail}")

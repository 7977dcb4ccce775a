"""The service's tools as LangChain tools: the model reads what the service writes for models."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import replace
from typing import Any

from langchain_core.messages import ToolCall
from langchain_core.runnables import RunnableConfig
from langchain_core.tools import BaseTool, ToolException

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
# The id of a call that nobody gave one.
_NO_ID = "call"
_id_of_call: ContextVar[str] = ContextVar("skillmount_id_of_call", default=_NO_ID)
# Running one of these twice is the same as running it once.
_SAFE = frozenset({*SKILL_TOOLS, "ls", "read", "grep", "glob"})


def tools(sessions: GraphSessions, names: Iterable[str], mode: PromptMode | None) -> list[BaseTool]:
    """The tools of these names, which run in the session of the graph that calls them.

    Args:
        sessions: The service, and how the session is found.
        names: Names of tools of the service.
        mode: How the host presents skills; as the policy says if None.
    """
    return [
        ServiceTool(
            name=name,
            description=TOOLS[name]["description"],
            args_schema=TOOLS[name]["input_schema"],
            sessions=sessions,
            mode=mode,
            handle_tool_error=True,
        )
        for name in names
    ]


class ServiceTool(BaseTool):
    """A tool of the service. A call that fails is an error for LangChain, whose text the model reads."""

    sessions: Any
    """The `GraphSessions` that calls are made in. They are no part of a schema, so pydantic does not look at them."""
    mode: PromptMode | None = None

    def invoke(self, input: str | dict[str, Any] | ToolCall, config: RunnableConfig | None = None, **more: Any) -> Any:  # noqa: A002 - LangChain's
        """Run the tool. The id of a tool call is that of the service's records too."""
        with _called(input):
            return super().invoke(input, config, **more)

    async def ainvoke(
        self,
        input: str | dict[str, Any] | ToolCall,  # noqa: A002 - LangChain's
        config: RunnableConfig | None = None,
        **more: Any,
    ) -> Any:
        """Run the tool; arguments are those of `invoke`."""
        with _called(input):
            return await super().ainvoke(input, config, **more)

    def _run(self, **given: Any) -> str:
        try:
            result: str = self.sessions.run(self._steps(given))
        except SkillmountError as error:
            raise _told(error) from error
        return result

    async def _arun(self, **given: Any) -> str:
        try:
            result: str = await self.sessions.arun(self._steps(given))
        except SkillmountError as error:
            raise _told(error) from error
        return result

    def _steps(self, given: dict[str, Any]) -> Callable[[str, str], Steps[str]]:
        id_of_call, key = _id_of_call.get(), self.sessions.control_key
        return lambda user, session: _call((user, session), id_of_call, self.name, given, self.mode, key)


@contextmanager
def _called(given: Any) -> Iterator[None]:
    """Runs with the id of a tool call, if it is one."""
    is_call = isinstance(given, dict) and given.get("type") == "tool_call"
    before = _id_of_call.set(str(given["id"]) if is_call and given.get("id") else _NO_ID)
    try:
        yield
    finally:
        _id_of_call.reset(before)


def _call(
    place: tuple[str, str],
    id_of_call: str,
    name: str,
    given: dict[str, Any],
    mode: PromptMode | None,
    control_key: str | None,
) -> Steps[str]:
    user, session = place
    block = {"type": "tool_use", "id": id_of_call, "name": name, "input": given}
    body = models.ToolCallsRequest(content=[block], mode=mode)
    call = operations.run_tool_calls(user, session, body, result_details=True)
    call = replace(call, safe=name in _SAFE)
    while True:
        reply = yield call
        (result,) = reply.model_dump(mode="json", exclude_unset=True)["content"]
        text = _text(result["content"])
        if not result.get("is_error"):
            return text
        routed = _by_its_route(user, session, name, given)
        if "code" in result:
            refused = _refused(result, text)
            if not asks(refused):
                raise ToolException(text)
        elif _WAITS not in text:
            raise ToolException(text)
        else:
            # This service says no code and no id. Made by its route, the call that waits is refused with both.
            try:
                done: bytes = yield routed
                return done.decode()
            except SkillmountError as error:
                if not asks(error):
                    raise ToolException(text) from error
                refused = error
        yield from ask(user, session, routed, refused, control_key)


def _refused(result: dict[str, Any], text: str) -> SkillmountError:
    """The error of a call by its result."""
    code, members = str(result["code"]), {name: result[name] for name in ("approval_id",) if name in result}
    return SkillmountError(text.removeprefix("Error: "), code=code, members=members)


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

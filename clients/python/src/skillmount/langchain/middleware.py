"""`SkillmountMiddleware`: the user's skills in an agent of deepagents or of LangChain's `create_agent`."""

from __future__ import annotations

import logging
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

import httpx
from langchain.agents.middleware.types import AgentMiddleware, ModelRequest, ModelResponse, ToolCallRequest
from langchain_core.messages import SystemMessage, ToolMessage
from langchain_core.tools import BaseTool
from langgraph.types import Command

from .._generated import models, operations
from .._generated.tools import TOOLS
from ..call import Call, json_reply
from ..connection import Connection, Steps
from ..graph import GraphSessions, IdentifyRun, identified, running_call
from ..problem import SkillmountError
from ..prompt import PromptMode
from ..remembered import Remembered
from ..retry import Retry
from ..settings import DEFAULT_TIMEOUT
from .tools import SKILL_TOOLS, ServiceTool, tools
from .turns import Turns

_log = logging.getLogger("skillmount")

_REMEMBERED_PROMPTS = 1_000
_read_prompt = json_reply(models.PromptReply)
# Tools come and go in this mode as skills are found and loaded. In the others they are those of the policy.
_GROWING = "discover"


class HasSessions(Protocol):
    """Something that works in the sessions of running graphs, such as a `SkillmountBackend`."""

    sessions: GraphSessions


@dataclass(frozen=True, slots=True)
class _Prompt:
    text: str
    etag: str = ""
    mode: str = ""
    tag: str | None = None
    """What answers of the session say as long as this is its prompt."""
    tools: Mapping[str, Mapping[str, Any]] | None = None
    """The service's tools that the session may use, by their names; None if it has not said."""


class SkillmountMiddleware(AgentMiddleware[Any, Any, Any]):
    """Shows the model its user's skills, and gives it the tools to load them.

    Before each model call the listing, or the instructions of the skill that is loaded, is added to the system prompt.
    Inside a tool of the graph, such as a sub-agent's run, this is a session of its own (`skillmount.graph`).

    If the service goes away in the middle of a conversation, the last prompt stays, and the log says so once. A deep
    copy has connections of its own and keeps the keys. A pickle holds no key: the copy takes those of the environment.

    Example:
        agent = create_agent("anthropic:claude-sonnet-4-6", middleware=[SkillmountMiddleware(file_tools=True)])
    """

    def __init__(
        self,
        source: str | HasSessions | None = None,
        *,
        api_key: str | None = None,
        control_key: str | None = None,
        user: str | None = None,
        session: str | None = None,
        user_key: str = "user_id",
        session_key: str = "thread_id",
        identify: IdentifyRun | None = None,
        mode: PromptMode | None = None,
        file_tools: bool = False,
        max_age: float = 5.0,
        timeout: float = DEFAULT_TIMEOUT,
        retry: Retry | None = None,
    ) -> None:
        """Connect to nothing yet.

        Args:
            source: Address of the service, or the `SkillmountBackend` whose sessions these are; `SKILLMOUNT_SERVER` or
                `http://127.0.0.1:8787` if absent.
            api_key: The key to show; `SKILLMOUNT_API_KEY` if absent.
            control_key: A key of scope `control` that posts the decisions that an interrupted graph is resumed with;
                `SKILLMOUNT_CONTROL_KEY` if absent.
            user: One user for all runs, together with `session`; both come from the running graph if absent.
            session: One session for all runs.
            user_key: The member of the run's context, or of its `configurable`, that is the user.
            session_key: The member of the run's `configurable` that is the session.
            identify: Maps a run to the ids of user and session in the service, such as for ids that it does not take.
                Both are those of the run if absent.
            mode: How the prompt presents skills; as the policy says if absent.
            file_tools: Whether to add the other tools of the service: those for files, which an agent of deepagents has
                anyway, and `create_skill`.
            max_age: Seconds for which an answer of the service is believed that the prompt has not changed. Each answer
                to a call of the session says so. 0 asks before each model call.
            timeout: Seconds that a call may wait for an answer, with its repetitions.
            retry: How often a call is repeated that may be; as `Retry()` says if absent.

        If `source` is a backend, everything but `mode`, `file_tools` and `max_age` is that of the backend.

        Raises:
            ValueError: Only one of `user` and `session` is given, or both beside `identify`.
            InvalidSettings: Address, key, timeout or proxy cannot be right. The message does not show the key.
        """
        super().__init__()
        self._made: Connection | None = None
        if source is None or isinstance(source, str):
            place = identified(user, session, user_key, session_key, identify)
            self._made = Connection(source, api_key=api_key, timeout=timeout, retry=retry)
            self.sessions = GraphSessions(self._made, place, control_key)
        else:
            self.sessions = source.sessions
        self._mode = mode
        self._max_age = max_age
        self._prompts: Remembered[tuple[str, str], _Prompt] = Remembered(_REMEMBERED_PROMPTS)
        self._is_away = False
        self._turns = Turns()
        names = [name for name in TOOLS if name in SKILL_TOOLS or file_tools]
        self.tools = tools(self.sessions, names, mode)
        self._own = frozenset(names)

    def close(self) -> None:
        """Close the connections of calls that block. Those of a backend are closed by the backend.

        Example:
            middleware.close()
        """
        if self._made is not None:
            self._made.close()

    async def aclose(self) -> None:
        """Close the connections of this event loop, and those of calls that block.

        Example:
            await middleware.aclose()
        """
        if self._made is not None:
            await self._made.aclose()

    def wrap_model_call(
        self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], ModelResponse[Any]]
    ) -> ModelResponse[Any]:
        """Add the prompt.

        Raises:
            ValueError: Another tool of the agent has the name of a tool of the service.
            MissingIdentity: The run has no user or no thread.
        """
        place = self.sessions.place()
        response = handler(self._with(request, self.sessions.run(self._prompt)))
        self._turns.note(place.user, place.session, response.result)
        return response

    async def awrap_model_call(
        self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], Awaitable[ModelResponse[Any]]]
    ) -> ModelResponse[Any]:
        """Add the prompt; the errors are those of `wrap_model_call`."""
        place = self.sessions.place()
        response = await handler(self._with(request, await self.sessions.arun(self._prompt)))
        self._turns.note(place.user, place.session, response.result)
        return response

    def wrap_tool_call(
        self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], ToolMessage | Command[Any]]
    ) -> ToolMessage | Command[Any]:
        """Run a call after those of its turn that load a skill before it."""
        place = self.sessions.place()
        self._turns.begin(place.user, place.session, request.tool_call)
        try:
            self._turns.wait(place.user, place.session, request.tool_call, request.state)
            with running_call(place, request.tool_call["id"]):
                return handler(request)
        finally:
            self._turns.end(place.user, place.session, request.tool_call)

    async def awrap_tool_call(
        self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], Awaitable[ToolMessage | Command[Any]]]
    ) -> ToolMessage | Command[Any]:
        """Run a call after those of its turn that load a skill before it."""
        place = self.sessions.place()
        self._turns.begin(place.user, place.session, request.tool_call)
        try:
            await self._turns.await_(place.user, place.session, request.tool_call, request.state)
            with running_call(place, request.tool_call["id"]):
                return await handler(request)
        finally:
            self._turns.end(place.user, place.session, request.tool_call)

    def _prompt(self, user: str, session: str) -> Steps[_Prompt]:
        at = (user, session)
        known = self._prompts.get(at)
        if known is not None and self._is_right(user, session, known):
            return known
        try:
            found: tuple[models.PromptReply, str] | None = yield _asked(user, session, self._mode, known)
            told = self.sessions.connection.told(user, session)
            prompt = replace(known or _Prompt(""), tag=told.prompt_tag if told is not None else None)
            if found is not None:
                prompt = replace(prompt, text=found[0].prompt, etag=found[1], mode=found[0].mode)
            if known is None or prompt.mode == _GROWING:
                listed: models.ToolList = yield operations.list_tools(user, session, mode=self._mode)
                prompt = replace(prompt, tools={tool["name"]: tool for tool in listed.model_dump(mode="json")["tools"]})
        except SkillmountError as error:
            # What was right a while ago is better than an agent without its skills; files fail by themselves.
            if known is None or not error.retryable:
                raise
            if not self._is_away:
                self._is_away = True
                _log.warning("agents keep their last prompt, because it cannot be asked for: %s", error)
            return known
        if self._is_away:
            self._is_away = False
            _log.info("prompts can be asked for again")
        self._prompts.set(at, prompt)
        return prompt

    def _with(self, request: ModelRequest[Any], prompt: _Prompt) -> ModelRequest[Any]:
        self._reject_namesakes(request.tools)
        request = request.override(tools=[each for tool in request.tools for each in self._shown(tool, prompt)])
        if not prompt.text:
            return request
        before = list(request.system_message.content_blocks) if request.system_message is not None else []
        text = f"\n\n{prompt.text}" if before else prompt.text
        message = SystemMessage(content_blocks=[*before, {"type": "text", "text": text}])
        return request.override(system_message=message)

    def _reject_namesakes(self, offered: Sequence[BaseTool | dict[str, Any]]) -> None:
        """Rejects a tool of somebody else that LangChain would run in the place of one of these."""
        clashing = sorted({_name_of(tool) for tool in offered if not self._is_mine(tool)} & self._own)
        if clashing:
            raise ValueError(
                f"the agent has tools of its own with the names of tools of skillmount: {', '.join(clashing)}; rename "
                "them, or omit file_tools if they are for files"
            )

    def _is_mine(self, tool: BaseTool | dict[str, Any]) -> bool:
        return isinstance(tool, ServiceTool) and tool.sessions is self.sessions

    def _shown(self, tool: BaseTool | dict[str, Any], prompt: _Prompt) -> Iterator[BaseTool | dict[str, Any]]:
        """A tool as the session has it now, if it may use it; those of others as they are."""
        if not isinstance(tool, ServiceTool) or not self._is_mine(tool) or prompt.tools is None:
            yield tool
        elif (listed := prompt.tools.get(tool.name)) is not None:
            yield tool.model_copy(update={"description": listed["description"], "args_schema": listed["input_schema"]})

    def _is_right(self, user: str, session: str, known: _Prompt) -> bool:
        told = self.sessions.connection.told(user, session)
        return (
            told is not None
            and known.tag is not None
            and told.prompt_tag == known.tag
            and time.monotonic() - told.at < self._max_age
        )


def _name_of(tool: BaseTool | dict[str, Any]) -> str:
    """The name of a tool, also in the shapes of providers."""
    if isinstance(tool, BaseTool):
        return tool.name
    return str(tool.get("name") or tool.get("function", {}).get("name") or "")


def _asked(
    user: str, session: str, mode: PromptMode | None, known: _Prompt | None
) -> Call[tuple[models.PromptReply, str]]:
    etag = known.etag if known is not None else None
    call = operations.render_prompt(user, session, mode=mode, if_none_match=etag)
    return replace(call, read=_text_and_etag)  # type: ignore[arg-type,return-value]  # the answer is read otherwise


def _text_and_etag(response: httpx.Response) -> tuple[models.PromptReply, str]:
    return _read_prompt(response), response.headers.get("etag", "")

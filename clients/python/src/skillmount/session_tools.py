"""A session as an agent works in it: the prompt and the tools before each turn of its model, and the calls of a turn.

The adapters of frameworks that await their tools share this. A framework decides only when it asks, and for whom.
"""

from __future__ import annotations

import asyncio
import copy
import difflib
import logging
import os
import time
import weakref
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Generic, TypeAlias, TypeVar

from ._generated import models, operations
from ._generated.tools import TOOLS
from .call import Call
from .client import AsyncClient
from .limits import DEFAULT_TIMEOUT, check_timeout, within
from .problem import InvalidSettings, MissingIdentity, SkillmountError
from .prompt import PromptMode

C = TypeVar("C")
T = TypeVar("T")

Identify: TypeAlias = tuple[str, str] | Callable[[C], tuple[str, str]]
"""The user and the session: two ids, or a function of the framework's context that returns them."""

Approve: TypeAlias = Callable[[str, str, models.WaitingCall], Awaitable[models.DecideApprovalRequest | bool]]
"""Asks a person about a call that waits. It is given the user, the session and the call, and returns the decision."""

__all__ = ["SKILL_TOOLS", "Answer", "Approve", "Identify", "PromptMode", "SessionTools", "Tools", "tool_names"]

SKILL_TOOLS = ("discover_skills", "load_skill", "Skill", "unload_skill")
"""The tools that find, load and unload skills, for an agent that works with no files of its session."""

_REMEMBERED_SESSIONS = 1_000
_CONTROL_KEY = "SKILLMOUNT_CONTROL_KEY"
# What a model is shown comes of two requests, and the second need not wait for a service that has just been found away.
_SECONDS_AWAY = 1.0
_APPROVAL_REQUIRED = "approval_required"
_WAITS = "needs a person's approval, which was asked for"
# Running one of these twice is the same as running it once.
_SAFE = frozenset({*SKILL_TOOLS, "ls", "read", "grep", "glob"})

log = logging.getLogger("skillmount")


Tools: TypeAlias = Mapping[str, Mapping[str, Any]]
"""The tools that a session may use, by their names: `description` and `input_schema` of each."""


@dataclass(slots=True)
class _Seen:
    """What the model of a session was shown last."""

    prompt: str | None = None
    etag: str | None = None
    tools: Tools | None = None
    away: float | None = None
    """When the service was found away, by the monotonic clock; None since it has answered."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What the model reads of a call."""

    text: str
    failed: bool
    code: str | None = None
    """The code of its error, if it failed and the service said it."""
    approval_id: str | None = None
    """The id under which it waits for a person, if it does."""

    def waits(self) -> bool:
        """Whether it waits for a person. A service that says no code says so in words."""
        if self.code is not None:
            return self.code == _APPROVAL_REQUIRED and self.approval_id is not None
        return self.failed and _WAITS in self.text


def tool_names(given: Iterable[str]) -> tuple[str, ...]:
    """The names of the tools that a developer chose.

    Args:
        given: The names.

    Returns:
        The same, each once.

    Raises:
        InvalidSettings: It is one text, or the service has no tool of such a name. The message has the names that are
            like it.

    Example:
        `tool_names((*SKILL_TOOLS, "ls", "read"))`
    """
    if isinstance(given, str):
        raise InvalidSettings(f"`tools` is the text {given!r}; give names in a tuple, such as ({given!r},)")
    names = tuple(dict.fromkeys(given))
    for name in names:
        if name not in TOOLS:
            near = difflib.get_close_matches(str(name).lower(), [*TOOLS], n=3) or [*TOOLS]
            raise InvalidSettings(f"the service has no tool {name!r}; nearest are {', '.join(near)}")
    return names


class SessionTools(Generic[C]):
    """The prompt, the tools and the calls of the sessions that a framework's runs work in."""

    def __init__(
        self,
        identify: Identify[C],
        client: AsyncClient | None = None,
        *,
        mode: PromptMode | None = None,
        timeout: float = DEFAULT_TIMEOUT,
        approve: Approve | None = None,
        control_key: str | None = None,
    ) -> None:
        """Nothing is sent.

        Args:
            identify: The user and the session, or a function that maps the framework's context to them.
            client: What sends the calls; one of `SKILLMOUNT_SERVER` if absent, which `aclose` closes.
            mode: How the prompt presents skills; as the policy says if absent.
            timeout: Seconds that a call or a prompt may take, repetitions included.
            approve: Asks a person about a call that waits for approval. If absent, the model reads that it waits.
            control_key: A key of scope `control`, which reads what waits and posts decisions. `approve` needs it.
                `SKILLMOUNT_CONTROL_KEY` if absent.

        Raises:
            ValueError: There is `approve` without `control_key`, or the timeout is not positive.
        """
        self._control_key = control_key or os.environ.get(_CONTROL_KEY)
        if approve is not None and self._control_key is None:
            raise ValueError("`approve` needs a `control_key`, which posts the decisions of the person")
        self._timeout = check_timeout(timeout)
        self._identify = identify
        self._owned = client is None
        self._client = client or AsyncClient(timeout=timeout)
        self._mode = mode
        self._approve = approve
        self._forget()

    def _forget(self) -> None:
        self._seen: OrderedDict[tuple[str, str], _Seen] = OrderedDict()
        # A lock is there as long as a call has it or waits for it, so none outlives its event loop.
        self._locks: weakref.WeakValueDictionary[tuple[int, str, str], asyncio.Lock] = weakref.WeakValueDictionary()

    def __getstate__(self) -> dict[str, Any]:
        """Everything but what was seen of sessions, and no key."""
        dropped = ("_seen", "_locks", "_control_key")
        return {name: value for name, value in self.__dict__.items() if name not in dropped}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Begin without anything seen, and with the control key of the environment."""
        self.__dict__.update(state)
        self._control_key = os.environ.get(_CONTROL_KEY)
        self._forget()

    def __deepcopy__(self, memo: dict[int, Any]) -> SessionTools[C]:
        """The same with connections of its own and the same keys."""
        copied = self.__class__.__new__(self.__class__)
        memo[id(self)] = copied
        copied.__dict__.update(self.__dict__)
        copied._client = copy.deepcopy(self._client, memo)
        copied._owned = True
        copied._forget()
        return copied

    def place(self, context: C) -> tuple[str, str]:
        """The user and the session of a run.

        Raises:
            MissingIdentity: `identify` returned no two ids.
        """
        place = self._identify if isinstance(self._identify, tuple) else self._identify(context)
        if not (isinstance(place, tuple) and len(place) == 2 and all(isinstance(one, str) and one for one in place)):
            raise MissingIdentity(f"`identify` returned {place!r}; it must return the user and the session, two texts")
        return place

    async def prompt(self, context: C) -> str:
        """The prompt of now. If the service is away, it is that of the last turn, and the log says so once.

        Raises:
            SkillmountError: The service refuses it, or it is away and there was no turn before.
        """
        user, session = self.place(context)
        seen = self._of(user, session)

        async def ask() -> str:
            reply = await self._client.session(user, session).prompt_unless(seen.etag, mode=self._mode)
            if reply.value is not None:
                seen.prompt, seen.etag = reply.value.prompt, reply.headers.get("etag")
            return seen.prompt or ""

        return await self._or_last(seen, ask, lambda: seen.prompt)

    async def tools(self, context: C) -> Tools:
        """The tools that the session may use now. If the service is away, they are those of the last turn.

        Raises:
            SkillmountError: The service refuses them, or it is away and there was no turn before.
        """
        user, session = self.place(context)
        seen = self._of(user, session)

        async def ask() -> Tools:
            listed = await self._client.send(operations.list_tools(user, session, mode=self._mode))
            seen.tools = {tool["name"]: tool for tool in listed.model_dump(mode="json")["tools"]}
            return seen.tools

        return await self._or_last(seen, ask, lambda: seen.tools)

    async def run(self, context: C, name: str, given: Mapping[str, Any], call_id: str | None) -> Answer:
        """Run a call of the model. Calls of one session run one after another, since one may load what the next reads.

        Args:
            context: That of the framework's run.
            name: The tool.
            given: Its input. A member that is None counts as absent.
            call_id: The framework's id of the call, which becomes that of its event and of its audit record.

        Returns:
            What the model reads. A call that could not be made has failed, in words.
        """
        user, session = self.place(context)
        block = {
            "type": "tool_use",
            "id": call_id or "call",
            "name": name,
            "input": {member: value for member, value in given.items() if value is not None},
        }
        answer = await self._make(user, session, block)
        if self._approve is None or self._control_key is None or not answer.waits():
            return answer
        try:
            waiting = await self._waiting(user, session, block, answer.approval_id)
            if waiting is None:
                return answer
            decided = await self._approve(user, session, waiting)
            if isinstance(decided, bool):
                decided = models.DecideApprovalRequest(decision="allow" if decided else "deny")
            call = operations.decide_approval(user, session, waiting.approval_id, decided)
            await self._within(self._client.send(self._by_person(call)))
        except SkillmountError as error:
            return Answer(f"Error: {error.detail}", failed=True)
        return await self._make(user, session, block)

    async def aclose(self) -> None:
        """Close the connections of this event loop, if the client is not the caller's."""
        if self._owned:
            await self._client.aclose()

    def _of(self, user: str, session: str) -> _Seen:
        seen = self._seen.pop((user, session), None) or _Seen()
        self._seen[user, session] = seen
        while len(self._seen) > _REMEMBERED_SESSIONS:
            self._seen.popitem(last=False)
        return seen

    async def _or_last(self, seen: _Seen, ask: Callable[[], Awaitable[T]], last: Callable[[], T | None]) -> T:
        """What the service says, or what it said last if it is away."""
        known = last()
        if known is not None and seen.away is not None and time.monotonic() - seen.away < _SECONDS_AWAY:
            return known
        try:
            said = await self._within(ask())
        except SkillmountError as error:
            if known is None or not error.retryable:
                raise
            if seen.away is None:
                log.warning("%s. The prompt and the tools of the last turn stay until it answers.", error.detail)
            seen.away = time.monotonic()
            return known
        seen.away = None
        return said

    async def _make(self, user: str, session: str, block: Mapping[str, Any]) -> Answer:
        body = models.ToolCallsRequest(content=[dict(block)], mode=self._mode)
        call = replace(operations.run_tool_calls(user, session, body, result_details=True), safe=block["name"] in _SAFE)
        lock = self._locks.setdefault((id(asyncio.get_running_loop()), user, session), asyncio.Lock())
        try:
            async with lock:
                reply = await self._within(self._client.send(call))
        except SkillmountError as error:
            return Answer(f"Error: {error.detail}", failed=True, code=error.code)
        (result,) = reply.model_dump(mode="json", exclude_unset=True)["content"]
        content = result["content"]
        text = content if isinstance(content, str) else "\n".join(str(part.get("text", "")) for part in content)
        failed, code, approval_id = bool(result.get("is_error")), result.get("code"), result.get("approval_id")
        return Answer(text, failed=failed, code=code, approval_id=approval_id)

    async def _waiting(
        self, user: str, session: str, block: Mapping[str, Any], approval_id: str | None
    ) -> models.WaitingCall | None:
        """The call that waits under this id.

        Of a service that gives no id, it is the one with the same input, and none if that is none or more than one.
        """
        call = self._by_person(operations.list_approvals(user, session))
        listed = await self._within(self._client.send(call))
        if approval_id is not None:
            return next((one for one in listed.approvals if one.approval_id == approval_id), None)
        tool = "load_skill" if block["name"] == "Skill" else block["name"]
        waiting = [one for one in listed.approvals if one.tool == tool]
        given = block["input"].items()
        same = [one for one in waiting if all(one.input.get(member) == value for member, value in given)]
        found = same or waiting
        return found[0] if len(found) == 1 else None

    def _by_person(self, call: Call[T]) -> Call[T]:
        return replace(call, headers={**call.headers, "authorization": f"Bearer {self._control_key}"})

    async def _within(self, work: Awaitable[T]) -> T:
        return await within(self._client, self._timeout, work)

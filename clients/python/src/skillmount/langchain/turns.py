"""Calls of one turn that must wait for another: what follows the loading of a skill may be about its files.

LangGraph runs the tool calls of a turn at the same time. A call waits until the calls before it that load or unload a
skill are over, however they end. Other middleware may answer such a call itself. It never begins then, and nothing
waits for it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from concurrent.futures import Future, wait
from dataclasses import dataclass, field
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, ToolMessage

from ..remembered import Remembered

LOADING = frozenset({"load_skill", "Skill", "unload_skill"})
_REMEMBERED = 10_000
_MOST_SECONDS = 30.0
# Calls of a turn begin together. One that has not begun by then was answered by other middleware.
_SECONDS_TO_BEGIN = 0.5

Key = tuple[str, str, str]


@dataclass(frozen=True, slots=True)
class _Load:
    began: Future[None] = field(default_factory=Future)
    ended: Future[None] = field(default_factory=Future)


class Turns:
    """The calls that load or unload, of the turns that this process began. A copy begins without any."""

    def __init__(self) -> None:
        """No turns."""
        self._open: Remembered[Key, _Load] = Remembered(_REMEMBERED)

    def __deepcopy__(self, _: dict[int, Any]) -> Turns:
        return Turns()

    def __reduce__(self) -> tuple[Any, ...]:
        return Turns, ()

    def note(self, user: str, session: str, messages: Sequence[BaseMessage]) -> None:
        """Note what a model has just said."""
        calls = [call for message in messages if isinstance(message, AIMessage) for call in message.tool_calls]
        for call in calls[:-1]:
            if call["name"] in LOADING and call["id"] is not None:
                self._open.set((user, session, call["id"]), _Load())

    def begin(self, user: str, session: str, call: Mapping[str, Any]) -> None:
        """Note that a call has begun, also if it waits for others itself. Others wait for its end from now on."""
        load = self._open.get((user, session, str(call["id"])))
        if load is not None and not load.began.done():
            load.began.set_result(None)

    def end(self, user: str, session: str, call: Mapping[str, Any]) -> None:
        """Note that a call is over, and let go on what waits for it."""
        load = self._open.pop((user, session, str(call["id"])))
        if load is not None:
            load.ended.set_result(None)

    def wait(self, user: str, session: str, call: Mapping[str, Any], state: Any) -> None:
        """Wait for the calls before this one, blocking."""
        before = self._before(user, session, call, state)
        if before:
            wait([load.began for load in before], timeout=_SECONDS_TO_BEGIN)
            wait([load.ended for load in before if load.began.done()], timeout=_MOST_SECONDS)

    async def await_(self, user: str, session: str, call: Mapping[str, Any], state: Any) -> None:
        """Wait for the calls before this one, awaiting."""
        before = self._before(user, session, call, state)
        if before:
            await asyncio.wait([asyncio.wrap_future(load.began) for load in before], timeout=_SECONDS_TO_BEGIN)
            begun = [asyncio.wrap_future(load.ended) for load in before if load.began.done()]
            if begun:
                await asyncio.wait(begun, timeout=_MOST_SECONDS)

    def _before(self, user: str, session: str, call: Mapping[str, Any], state: Any) -> list[_Load]:
        messages = state.get("messages", []) if isinstance(state, Mapping) else getattr(state, "messages", [])
        answered = {message.tool_call_id for message in messages if isinstance(message, ToolMessage)}
        turn = next((each for each in reversed(messages) if isinstance(each, AIMessage)), None)
        found: list[_Load] = []
        for other in turn.tool_calls if turn else ():
            if other["id"] == call["id"]:
                break
            load = self._open.get((user, session, str(other["id"])))
            if load is not None and other["id"] not in answered:
                found.append(load)
        return found

"""Calls of one turn that must wait for another: what follows the loading of a skill may be about its files.

LangGraph runs the tool calls of a turn at the same time. A call waits until the calls before it that load or unload a
skill are over, however they end.
"""

from __future__ import annotations

import asyncio
import threading
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from concurrent.futures import Future, wait
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, ToolMessage

LOADING = frozenset({"load_skill", "Skill", "unload_skill"})
_REMEMBERED = 10_000
# A call that other middleware refused is never begun, so what waits for it goes on after this.
_SECONDS = 30.0

Key = tuple[str, str, str]


class Turns:
    """The calls that load or unload, of the turns that this process began."""

    def __init__(self) -> None:
        self._open: OrderedDict[Key, Future[None]] = OrderedDict()
        self._lock = threading.Lock()

    def begin(self, user: str, session: str, messages: Sequence[BaseMessage]) -> None:
        """Note what a model has just said."""
        calls = [call for message in messages if isinstance(message, AIMessage) for call in message.tool_calls]
        with self._lock:
            for call in calls[:-1]:
                if call["name"] in LOADING and call["id"] is not None:
                    self._open[user, session, call["id"]] = Future()
            while len(self._open) > _REMEMBERED:
                self._open.popitem(last=False)[1].set_result(None)

    def end(self, user: str, session: str, call: Mapping[str, Any]) -> None:
        """Note that a call is over, and let go on what waits for it."""
        with self._lock:
            future = self._open.pop((user, session, str(call["id"])), None)
        if future is not None:
            future.set_result(None)

    def wait(self, user: str, session: str, call: Mapping[str, Any], state: Any) -> None:
        """Wait for the calls before this one, blocking."""
        before = self._before(user, session, call, state)
        if before:
            wait(before, timeout=_SECONDS)

    async def await_(self, user: str, session: str, call: Mapping[str, Any], state: Any) -> None:
        """Wait for the calls before this one, awaiting."""
        before = [asyncio.wrap_future(future) for future in self._before(user, session, call, state)]
        if before:
            await asyncio.wait(before, timeout=_SECONDS)

    def _before(self, user: str, session: str, call: Mapping[str, Any], state: Any) -> list[Future[None]]:
        messages = state.get("messages", []) if isinstance(state, Mapping) else getattr(state, "messages", [])
        answered = {message.tool_call_id for message in messages if isinstance(message, ToolMessage)}
        turn = next((each for each in reversed(messages) if isinstance(each, AIMessage)), None)
        found: list[Future[None]] = []
        for other in turn.tool_calls if turn else ():
            if other["id"] == call["id"]:
                break
            future = self._open.get((user, session, str(other["id"])))
            if future is not None and other["id"] not in answered:
                found.append(future)
        return found

"""Connections of the clients: those of calls that block, and those of calls that are awaited, for each event loop."""

from __future__ import annotations

import asyncio
import threading
import weakref
from collections.abc import AsyncGenerator
from typing import Any

import httpx

from .call import Call
from .settings import Settings

_LIMITS = httpx.Limits(max_connections=100, max_keepalive_connections=50, keepalive_expiry=30.0)
_MOST_TO_CONNECT = 5.0
_OPENED = (".connect_tcp.complete", ".start_tls.complete")


def _made(settings: Settings) -> dict[str, Any]:
    # Which proxy counts was decided before, so the environment is not asked again.
    proxy = None if settings.proxy is None else settings.proxy.address
    return {"limits": _LIMITS, "verify": settings.verify, "proxy": proxy, "trust_env": False}


def _sent(settings: Settings, call: Call[Any], head: dict[str, str], seconds: float) -> dict[str, Any]:
    timeout = httpx.Timeout(seconds, connect=min(_MOST_TO_CONNECT, seconds))
    url = settings.server + call.path
    return {
        "method": call.method,
        "url": url,
        "params": call.query,
        "headers": head,
        "content": call.content,
        "timeout": timeout,
    }


class _Settled:
    """What both pools have: settings, and an HTTP client that the caller gave, if any."""

    def __init__(self, settings: Settings, given: Any = None) -> None:
        self._settings = settings
        self._given = given
        self._lock = threading.Lock()

    def __deepcopy__(self, _: dict[int, Any]) -> Any:
        # Connections are never shared. An HTTP client of the caller's is, because only the caller can make another one.
        return type(self)(self._settings, self._given)

    def __reduce__(self) -> tuple[Any, ...]:
        if self._given is not None:
            raise TypeError("a client with an `http` of the caller's cannot be pickled; omit `http`")
        return type(self), (self._settings,)


class Pool(_Settled):
    """Connections of calls that block. They are closed with the pool itself, at the latest."""

    def __init__(self, settings: Settings, given: httpx.Client | None = None) -> None:
        """Connect to nothing yet.

        Args:
            settings: Where the service is, and through which proxy.
            given: An HTTP client of the caller's, which the caller closes.
        """
        super().__init__(settings, given)
        self._http: httpx.Client | None = given
        self._close: Any = None

    def request(self, call: Call[Any], head: dict[str, str], seconds: float) -> httpx.Response:
        """Send a call once.

        Args:
            call: What to send.
            head: Its headers.
            seconds: How long to wait for a connection, and for each part of the answer.

        Raises:
            httpx.HTTPError: No answer came.
        """
        return self._connections().request(**_sent(self._settings, call, head, seconds))

    def close(self) -> None:
        """Close the connections. A later call opens others."""
        with self._lock:
            if self._close is not None:
                self._close()
                self._http = self._close = None

    def _connections(self) -> httpx.Client:
        with self._lock:
            if self._http is None:
                self._http = httpx.Client(**_made(self._settings))
                self._close = weakref.finalize(self, self._http.close)
            return self._http


class _Opened:
    """The connections that one event loop opened. It refers to no client, so that requests may refer to it."""

    def __init__(self) -> None:
        self._streams: weakref.WeakSet[Any] = weakref.WeakSet()

    async def note(self, event: str, about: dict[str, Any]) -> None:
        """Note each connection that is opened, as a trace of httpx."""
        if event.endswith(_OPENED):
            self._streams.add(about["return_value"])

    def abandon(self) -> None:
        """Close the sockets of a loop that was closed without its asynchronous generators.

        Nothing can be awaited in it any more, and asyncio itself would keep the sockets.
        """
        for stream in list(self._streams):
            real = getattr(stream.get_extra_info("socket"), "_sock", None)
            if real is not None:
                real.close()


class _OfLoop:
    """The connections of one event loop."""

    def __init__(self, settings: Settings) -> None:
        self.http = httpx.AsyncClient(**_made(settings))
        self.closing = _closing(self.http)
        self.opened = _Opened()


async def _closing(http: httpx.AsyncClient) -> AsyncGenerator[None]:
    """Closes the connections when its event loop ends, because a loop closes the generators that began in it."""
    try:
        yield
    finally:
        await http.aclose()


class AsyncPool(_Settled):
    """Connections of calls that are awaited, for each event loop. They are closed with their loop, at the latest."""

    def __init__(self, settings: Settings, given: httpx.AsyncClient | None = None) -> None:
        """Connect to nothing yet; the arguments are those of `Pool`."""
        super().__init__(settings, given)
        self._of_loop: dict[asyncio.AbstractEventLoop, _OfLoop] = {}

    async def request(self, call: Call[Any], head: dict[str, str], seconds: float) -> httpx.Response:
        """Send a call once; arguments and errors are those of `Pool.request`."""
        sent = _sent(self._settings, call, head, seconds)
        if self._given is not None:
            answer: httpx.Response = await self._given.request(**sent)
            return answer
        here = await self._here()
        return await here.http.request(**sent, extensions={"trace": here.opened.note})

    async def aclose(self) -> None:
        """Close the connections of this event loop. A later call opens others."""
        with self._lock:
            here = self._of_loop.pop(asyncio.get_running_loop(), None)
        if here is not None:
            await here.closing.aclose()

    async def _here(self) -> _OfLoop:
        # A connection belongs to the loop that opened it, and a graph may be run by one loop after another.
        loop = asyncio.get_running_loop()
        found = self._of_loop.get(loop)
        if found is not None and not found.http.is_closed:
            return found
        with self._lock:
            self._drop_closed_loops()
            found = self._of_loop[loop] = _OfLoop(self._settings)
        await anext(found.closing)
        return found

    def _drop_closed_loops(self) -> None:
        for loop in [loop for loop in self._of_loop if loop.is_closed()]:
            gone = self._of_loop.pop(loop)
            if not gone.http.is_closed:
                gone.opened.abandon()

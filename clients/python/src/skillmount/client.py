"""`Client` and `AsyncClient`: connections, retries and the session versions. What can be called is in `session` and
`aio`, and in full in `skillmount.operations`.
"""

from __future__ import annotations

import asyncio
import os
import threading
import time
import weakref
from collections import OrderedDict
from dataclasses import dataclass
from types import TracebackType
from typing import Self, TypeVar

import httpx

from .aio import AsyncSessionClient, AsyncUserClient
from .call import PROMPT_TAG_HEADER, VERSION_HEADER, Call, Reply, failure
from .problem import SkillmountError, Unreachable
from .retry import Retry
from .session import SessionClient, UserClient

T = TypeVar("T")

DEFAULT_SERVER = "http://127.0.0.1:8787"
_REMEMBERED_SESSIONS = 10_000
_LIMITS = httpx.Limits(max_connections=100, max_keepalive_connections=50, keepalive_expiry=30.0)
_NEVER_SENT = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout)


@dataclass(frozen=True, slots=True)
class Told:
    """What an answer said of its session."""

    version: str
    """Its version, which is sent back."""
    prompt_tag: str | None
    """It stays while the prompt does; None if the service did not know at once."""
    at: float
    """When, by the monotonic clock."""


class _Wire:
    """What both clients share: settings, the head of a request, and what an answer means."""

    def __init__(self, server: str | None, api_key: str | None, timeout: float, retry: Retry | None) -> None:
        self.server = (server or os.environ.get("SKILLMOUNT_SERVER") or DEFAULT_SERVER).rstrip("/")
        self.retry = retry or Retry()
        self._timeout = httpx.Timeout(timeout, connect=min(5.0, timeout))
        # Reading the system's certificates takes longer than a call, so they are read once, if at all.
        self._verify = httpx.create_ssl_context() if self.server.startswith("https:") else False
        self._seconds = timeout
        self._key = api_key or os.environ.get("SKILLMOUNT_API_KEY")
        self._headers = {"accept": "application/json"}
        if self._key:
            self._headers["authorization"] = f"Bearer {self._key}"
        self._told: OrderedDict[tuple[str, str], Told] = OrderedDict()
        self._lock = threading.Lock()

    def told(self, user: str, session: str) -> Told | None:
        """What the service last told of a session."""
        return self._told.get((user, session))

    def share_told(self, other: _Wire) -> None:
        """Know what another client of the same service was told of sessions, and the other way round."""
        self._told, self._lock = other._told, other._lock

    def _head(self, call: Call[T]) -> dict[str, str]:
        head = {**self._headers, **call.headers}
        if call.session is not None and (told := self._told.get(call.session)) is not None:
            head[VERSION_HEADER] = told.version
        return head

    def _answer(self, call: Call[T], response: httpx.Response) -> Reply[T]:
        if response.status_code >= 400:
            raise failure(response)
        version = response.headers.get(VERSION_HEADER)
        if call.session is not None and version is not None:
            self._remember(call.session, Told(version, response.headers.get(PROMPT_TAG_HEADER), time.monotonic()))
        value = None if response.status_code == 304 else call.read(response)
        return Reply(response.status_code, response.headers, value)

    def _remember(self, session: tuple[str, str], told: Told) -> None:
        with self._lock:
            known = self._told.pop(session, None)
            # Answers of calls at the same time come in any order, so an older one does not replace a newer one.
            self._told[session] = known if known is not None and _is_older(told.version, known.version) else told
            while len(self._told) > _REMEMBERED_SESSIONS:
                self._told.popitem(last=False)

    def _no_answer(self, cause: httpx.HTTPError) -> SkillmountError:
        sent = not isinstance(cause, _NEVER_SENT)
        what = "gave no answer" if sent else "cannot be reached"
        error = Unreachable(
            f"the skillmount service at {self.server} {what} ({type(cause).__name__}); "
            "check that it runs, then try again",
            retryable=True,
            outcome="unknown" if sent else "not_applied",
        )
        error.__cause__ = cause
        return error


def _is_older(version: str, known: str) -> bool:
    life, _, number = version.rpartition(".")
    known_life, _, known_number = known.rpartition(".")
    return life == known_life and number.isdigit() and known_number.isdigit() and int(number) < int(known_number)


class Client(_Wire):
    """A client whose calls block. One serves any number of threads."""

    def __init__(
        self,
        server: str | None = None,
        *,
        api_key: str | None = None,
        timeout: float = 60.0,
        retry: Retry | None = None,
        http: httpx.Client | None = None,
    ) -> None:
        """Connect to nothing yet.

        Args:
            server: Address of the service; `SKILLMOUNT_SERVER` or `http://127.0.0.1:8787` if absent.
            api_key: The key to show; `SKILLMOUNT_API_KEY` if absent.
            timeout: Seconds to wait for an answer.
            retry: How often a call is repeated that may be.
            http: An HTTP client of the caller's, which the caller closes.
        """
        super().__init__(server, api_key, timeout, retry)
        self._owned = http is None
        self._http = http or httpx.Client(timeout=self._timeout, limits=_LIMITS, verify=self._verify)

    def session(self, user: str, session: str) -> SessionClient:
        """The calls of one session of a user. Nothing is sent; a session need not exist before."""
        return SessionClient(self, user, session)

    def user(self, user: str) -> UserClient:
        """The calls of one user."""
        return UserClient(self, user)

    def send(self, call: Call[T]) -> T:
        """Send a call and return its answer.

        Raises:
            SkillmountError: By its code; `Unreachable` if no answer came.
        """
        return self.fetch(call).value  # type: ignore[return-value]  # None only if a header asked for 304

    def fetch(self, call: Call[T]) -> Reply[T]:
        """Send a call and return its answer with its head; the errors are those of `send`."""
        attempt = 0
        while True:
            attempt += 1
            try:
                return self._once(call)
            except SkillmountError as error:
                delay = self.retry.delay(call, error, attempt)
                if delay is None:
                    raise
            time.sleep(delay)

    def _once(self, call: Call[T]) -> Reply[T]:
        try:
            response = self._http.request(
                call.method, self.server + call.path, params=call.query, headers=self._head(call), content=call.content
            )
        except httpx.HTTPError as cause:
            raise self._no_answer(cause) from cause
        return self._answer(call, response)

    def close(self) -> None:
        """Close the connections."""
        if self._owned:
            self._http.close()

    def __enter__(self) -> Self:
        """The client itself."""
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        """Close the connections."""
        self.close()


class AsyncClient(_Wire):
    """A client whose calls are awaited. One serves any number of tasks and event loops; each has its connections."""

    def __init__(
        self,
        server: str | None = None,
        *,
        api_key: str | None = None,
        timeout: float = 60.0,
        retry: Retry | None = None,
        http: httpx.AsyncClient | None = None,
    ) -> None:
        """Connect to nothing yet; the arguments are those of `Client`."""
        super().__init__(server, api_key, timeout, retry)
        self._given = http
        self._of_loop: weakref.WeakKeyDictionary[asyncio.AbstractEventLoop, httpx.AsyncClient] = (
            weakref.WeakKeyDictionary()
        )

    def __deepcopy__(self, memo: dict[int, object]) -> AsyncClient:
        """A client of the same service with the same key, and with connections of its own."""
        copied = AsyncClient(self.server, api_key=self._key, timeout=self._seconds, retry=self.retry)
        memo[id(self)] = copied
        return copied

    def __reduce__(self) -> tuple[object, ...]:
        """A pickle has no key: the client that comes of it takes that of `SKILLMOUNT_API_KEY`."""
        return _unpickled, (self.server, self._seconds, self.retry)

    def session(self, user: str, session: str) -> AsyncSessionClient:
        """The calls of one session of a user. Nothing is sent; a session need not exist before."""
        return AsyncSessionClient(self, user, session)

    def user(self, user: str) -> AsyncUserClient:
        """The calls of one user."""
        return AsyncUserClient(self, user)

    async def send(self, call: Call[T]) -> T:
        """Send a call and return its answer.

        Raises:
            SkillmountError: By its code; `Unreachable` if no answer came.
        """
        return (await self.fetch(call)).value  # type: ignore[return-value]  # None only if a header asked for 304

    async def fetch(self, call: Call[T]) -> Reply[T]:
        """Send a call and return its answer with its head; the errors are those of `send`."""
        attempt = 0
        while True:
            attempt += 1
            try:
                return await self._once(call)
            except SkillmountError as error:
                delay = self.retry.delay(call, error, attempt)
                if delay is None:
                    raise
            await asyncio.sleep(delay)

    async def _once(self, call: Call[T]) -> Reply[T]:
        try:
            response = await self._connections().request(
                call.method, self.server + call.path, params=call.query, headers=self._head(call), content=call.content
            )
        except httpx.HTTPError as cause:
            raise self._no_answer(cause) from cause
        return self._answer(call, response)

    def _connections(self) -> httpx.AsyncClient:
        # A connection belongs to the loop that opened it, and a graph may be run by one loop after another.
        if self._given is not None:
            return self._given
        loop = asyncio.get_running_loop()
        with self._lock:
            for closed in [other for other in self._of_loop if other.is_closed()]:
                _drop(self._of_loop.pop(closed))
            http = self._of_loop.get(loop)
            if http is None:
                http = self._of_loop[loop] = httpx.AsyncClient(
                    timeout=self._timeout, limits=_LIMITS, verify=self._verify
                )
            return http

    async def aclose(self) -> None:
        """Close the connections of this event loop."""
        http = self._of_loop.pop(asyncio.get_running_loop(), None)
        if http is not None:
            await http.aclose()

    async def __aenter__(self) -> Self:
        """The client itself."""
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None:
        """Close the connections of this event loop."""
        await self.aclose()


def _unpickled(server: str, timeout: float, retry: Retry) -> AsyncClient:
    return AsyncClient(server, timeout=timeout, retry=retry)


def _drop(http: httpx.AsyncClient) -> None:
    """Close the sockets of a client whose event loop is closed, so that nothing can be awaited any more."""
    pool = getattr(http._transport, "_pool", None)
    for connection in getattr(pool, "connections", ()):
        stream = getattr(getattr(connection, "_connection", None), "_network_stream", None)
        socket = stream.get_extra_info("socket") if stream is not None else None
        if socket is not None:
            # What asyncio hands out is a view of the socket; its own transport would close it in the loop.
            getattr(socket, "_sock", socket).close()

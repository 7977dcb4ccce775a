"""`AsyncClient`: sends calls, and repeats those that may be repeated."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from types import TracebackType
from typing import Self, TypeVar

import httpx

from .._generated import models, operations
from ..call import Call, Reply
from ..pools import AsyncPool
from ..problem import SkillmountError
from ..retry import Retry
from ..settings import DEFAULT_TIMEOUT, Settings
from ..wire import Limit, Wire
from .session import AsyncSessionClient
from .user import AsyncUserClient

T = TypeVar("T")


class AsyncClient(Wire):
    """A client whose calls are awaited. One serves any number of tasks, threads and event loops.

    Each event loop has connections of its own, which are closed with the loop, at the latest. A deep copy has
    connections of its own and keeps the key. A pickle holds no key: the copy takes `SKILLMOUNT_API_KEY`.

    Example:
        async with AsyncClient("http://127.0.0.1:8787") as client:
            session = client.session("ana", "monday")
            await session.write("/workspace/a.md", "one")
    """

    def __init__(
        self,
        server: str | None = None,
        *,
        api_key: str | None = None,
        timeout: float = DEFAULT_TIMEOUT,
        retry: Retry | None = None,
        http: httpx.AsyncClient | None = None,
    ) -> None:
        """Connect to nothing yet.

        Args:
            server: Address of the service with its scheme; `SKILLMOUNT_SERVER` or `http://127.0.0.1:8787` if absent.
            api_key: The key to show; `SKILLMOUNT_API_KEY` if absent.
            timeout: Seconds that a call may wait for an answer, with its repetitions. A service that keeps sending may
                take longer.
            retry: How often a call is repeated that may be; as `Retry()` says if absent.
            http: An HTTP client of the caller's, which the caller closes. Its proxies and its certificates count.

        Raises:
            InvalidSettings: Address, key, timeout or proxy cannot be right. The message does not show the key.
        """
        super().__init__(Settings.of(server, api_key, timeout, retry, is_proxied=http is None))
        self._pool = AsyncPool(self._settings, http)

    def session(self, user: str, session: str) -> AsyncSessionClient:
        """The calls of one session of a user. Nothing is sent.

        Args:
            user: Whose session it is.
            session: Its id; the session need not exist before.

        Example:
            session = client.session("ana", "monday")
        """
        return AsyncSessionClient(self, user, session)

    def user(self, user: str) -> AsyncUserClient:
        """The calls of one user. Nothing is sent.

        Args:
            user: Whose skills and sessions they are.

        Example:
            user = client.user("ana")
        """
        return AsyncUserClient(self, user)

    async def users(self) -> AsyncIterator[models.User]:
        """All users who have objects in the store, one after another.

        Raises:
            Denied: The key has not the scope `control` for all users.

        Example:
            async for each in client.users():
                print(each.user_id)
        """
        cursor: str | None = None
        while True:
            page = await self.send(operations.list_users(cursor=cursor))
            for user in page.users:
                yield user
            cursor = page.next_cursor
            if cursor is None:
                return

    async def health(self) -> models.HealthReply:
        """Whether the process is alive.

        Raises:
            Unreachable: No answer came.

        Example:
            await client.health()
        """
        return await self.send(operations.check_health())

    async def readiness(self) -> models.HealthReply:
        """Whether requests are welcome: the store can be reached, and the service is not stopping.

        Raises:
            SkillmountError: They are not.

        Example:
            await client.readiness()
        """
        return await self.send(operations.check_readiness())

    async def send(self, call: Call[T]) -> T:
        """Send a call and return its answer.

        Args:
            call: What a function of `skillmount.operations` returns.

        Raises:
            SkillmountError: By its code; `Unreachable` if no answer came within the timeout.

        Example:
            print(await client.send(operations.show_catalog("ana")))
        """
        return (await self.fetch(call)).value  # type: ignore[return-value]  # None only if a header asked for 304

    async def fetch(self, call: Call[T]) -> Reply[T]:
        """Send a call and return its answer with its head.

        Args:
            call: What a function of `skillmount.operations` returns.

        Raises:
            SkillmountError: By its code; `Unreachable` if no answer came within the timeout.

        Example:
            reply = await client.fetch(operations.show_catalog("ana"))
            print(reply.status, reply.headers["x-request-id"])
        """
        limit = Limit(self._settings.timeout)
        attempt = 0
        while True:
            attempt += 1
            try:
                return await self._once(call, limit.left())
            except SkillmountError as error:
                delay = self.retry.delay(call, error, attempt)
                if delay is None or delay >= limit.left():
                    raise
            await asyncio.sleep(delay)

    async def _once(self, call: Call[T], seconds: float) -> Reply[T]:
        try:
            response = await self._pool.request(call, self._head(call), seconds)
        except httpx.HTTPError as cause:
            raise self._no_answer(cause) from cause
        return self._answer(call, response)

    async def aclose(self) -> None:
        """Close the connections of this event loop. A later call opens others.

        Example:
            await client.aclose()
        """
        await self._pool.aclose()

    async def __aenter__(self) -> Self:
        """The client itself."""
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None:
        """Close the connections of this event loop."""
        await self.aclose()

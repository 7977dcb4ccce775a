# Made by scripts/generate.py from _async/client.py. Do not edit.
"""`Client`: sends calls, and repeats those that may be repeated."""

from __future__ import annotations

import time
from collections.abc import Iterator
from types import TracebackType
from typing import Self, TypeVar

import httpx

from .._generated import models, operations
from ..call import Call, Reply
from ..pools import Pool
from ..problem import SkillmountError
from ..retry import Retry
from ..settings import DEFAULT_TIMEOUT, Settings
from ..wire import Limit, Wire
from .session import SessionClient
from .user import UserClient

T = TypeVar("T")


class Client(Wire):
    """A client whose calls block. One serves any number of threads.

    Its connections are closed with it, at the latest. A deep copy has
    connections of its own and keeps the key. A pickle holds no key: the copy takes `SKILLMOUNT_API_KEY`.

    Example:
        with Client("http://127.0.0.1:8787") as client:
            session = client.session("ana", "monday")
            session.write("/workspace/a.md", "one")
    """

    def __init__(
        self,
        server: str | None = None,
        *,
        api_key: str | None = None,
        timeout: float = DEFAULT_TIMEOUT,
        retry: Retry | None = None,
        http: httpx.Client | None = None,
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
        self._pool = Pool(self._settings, http)

    def session(self, user: str, session: str) -> SessionClient:
        """The calls of one session of a user. Nothing is sent.

        Args:
            user: Whose session it is.
            session: Its id; the session need not exist before.

        Example:
            session = client.session("ana", "monday")
        """
        return SessionClient(self, user, session)

    def user(self, user: str) -> UserClient:
        """The calls of one user. Nothing is sent.

        Args:
            user: Whose skills and sessions they are.

        Example:
            user = client.user("ana")
        """
        return UserClient(self, user)

    def users(self) -> Iterator[models.User]:
        """All users who have objects in the store, one after another.

        Raises:
            Denied: The key has not the scope `control` for all users.

        Example:
            for each in client.users():
                print(each.user_id)
        """
        cursor: str | None = None
        while True:
            page = self.send(operations.list_users(cursor=cursor))
            for user in page.users:
                yield user
            cursor = page.next_cursor
            if cursor is None:
                return

    def health(self) -> models.HealthReply:
        """Whether the process is alive.

        Raises:
            Unreachable: No answer came.

        Example:
            client.health()
        """
        return self.send(operations.check_health())

    def readiness(self) -> models.HealthReply:
        """Whether requests are welcome: the store can be reached, and the service is not stopping.

        Raises:
            SkillmountError: They are not.

        Example:
            client.readiness()
        """
        return self.send(operations.check_readiness())

    def send(self, call: Call[T]) -> T:
        """Send a call and return its answer.

        Args:
            call: What a function of `skillmount.operations` returns.

        Raises:
            SkillmountError: By its code; `Unreachable` if no answer came within the timeout.

        Example:
            print(client.send(operations.show_catalog("ana")))
        """
        return self.fetch(call).value  # type: ignore[return-value]  # None only if a header asked for 304

    def fetch(self, call: Call[T]) -> Reply[T]:
        """Send a call and return its answer with its head.

        Args:
            call: What a function of `skillmount.operations` returns.

        Raises:
            SkillmountError: By its code; `Unreachable` if no answer came within the timeout.

        Example:
            reply = client.fetch(operations.show_catalog("ana"))
            print(reply.status, reply.headers["x-request-id"])
        """
        limit = Limit(self._settings.timeout)
        attempt = 0
        while True:
            attempt += 1
            try:
                return self._once(call, limit.left())
            except SkillmountError as error:
                delay = self.retry.delay(call, error, attempt)
                if delay is None or delay >= limit.left():
                    raise
            time.sleep(delay)

    def _once(self, call: Call[T], seconds: float) -> Reply[T]:
        try:
            response = self._pool.request(call, self._head(call), seconds)
        except httpx.HTTPError as cause:
            raise self._no_answer(cause) from cause
        return self._answer(call, response)

    def close(self) -> None:
        """Close the connections. A later call opens others.

        Example:
            client.close()
        """
        self._pool.close()

    def __enter__(self) -> Self:
        """The client itself."""
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        """Close the connections."""
        self.close()

"""A service for code that is asked to block and to await: both clients, and steps that either of them drives.

An adapter writes each operation once, as a generator that yields calls and is sent their answers. Errors of a call are
raised where it was yielded.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Any, TypeAlias, TypeVar

from .call import Call, with_call_id
from .client import AsyncClient, Client
from .problem import SkillmountError
from .retry import Retry
from .settings import DEFAULT_TIMEOUT
from .wire import Told

R = TypeVar("R")

Steps: TypeAlias = Generator[Call[Any], Any, R]
"""Calls of an operation one after another; its result is what it returns."""


def identified_by(call_id: str | None, steps: Steps[R]) -> Steps[R]:
    """Steps whose calls have the id of a tool call, so that events and audit records have it.

    Args:
        call_id: The id that the model gave; the service makes one for each call if it is None.
        steps: The calls of operations.
    """
    try:
        call = next(steps)
        while True:
            try:
                reply = yield with_call_id(call, call_id)
            except SkillmountError as error:
                call = steps.throw(error)
            else:
                call = steps.send(reply)
    except StopIteration as end:
        result: R = end.value
        return result


class Connection:
    """Both clients of one service. They share what they are told of sessions.

    Example:
        connection = Connection("http://127.0.0.1:8787")
    """

    def __init__(
        self,
        server: str | None = None,
        *,
        api_key: str | None = None,
        timeout: float = DEFAULT_TIMEOUT,
        retry: Retry | None = None,
    ) -> None:
        """Connect to nothing yet.

        Args:
            server: As in `Client`, and so are the arguments after it.
            api_key: As there.
            timeout: As there.
            retry: As there.

        Raises:
            InvalidSettings: As there.
        """
        self.client = Client(server, api_key=api_key, timeout=timeout, retry=retry)
        self.aclient = AsyncClient(server, api_key=api_key, timeout=timeout, retry=retry)
        self.aclient.share_told(self.client)

    def told(self, user: str, session: str) -> Told | None:
        """What the service last told of a session."""
        return self.client.told(user, session)

    def drive(self, steps: Steps[R]) -> R:
        """Run steps, blocking.

        Args:
            steps: A generator that yields calls and is sent their answers, or their errors.

        Returns:
            What the steps return.

        Raises:
            SkillmountError: An error that the steps do not handle.
        """
        try:
            call = next(steps)
            while True:
                try:
                    reply = self.client.send(call)
                except SkillmountError as error:
                    call = steps.throw(error)
                else:
                    call = steps.send(reply)
        except StopIteration as end:
            result: R = end.value
            return result

    async def adrive(self, steps: Steps[R]) -> R:
        """Run steps, awaiting; arguments, result and errors are those of `drive`."""
        try:
            call = next(steps)
            while True:
                try:
                    reply = await self.aclient.send(call)
                except SkillmountError as error:
                    call = steps.throw(error)
                else:
                    call = steps.send(reply)
        except StopIteration as end:
            result: R = end.value
            return result

    def close(self) -> None:
        """Close the connections of calls that block."""
        self.client.close()

    async def aclose(self) -> None:
        """Close the connections of this event loop, and of calls that block."""
        await self.aclient.aclose()
        self.client.close()

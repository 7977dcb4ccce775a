"""What both clients share: the head of a request, what an answer means, and what is remembered of sessions."""

from __future__ import annotations

import copy
import errno
import os
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Self, TypeVar

import httpx

from .call import PROMPT_TAG_HEADER, VERSION_HEADER, Call, Reply, failure
from .problem import SkillmountError, UnknownReply, Unreachable
from .remembered import Remembered
from .retry import Retry
from .settings import Settings

T = TypeVar("T")

_REMEMBERED_SESSIONS = 10_000
_NEVER_SENT = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout, httpx.ProxyError)
# The request itself is wrong, so it is as wrong the next time.
_NEVER_SENDABLE = (httpx.UnsupportedProtocol, httpx.LocalProtocolError)
_NO_DESCRIPTORS = {
    errno.EMFILE: "this process has no file descriptor left (EMFILE)",
    errno.ENFILE: "this machine has no file descriptor left (ENFILE)",
}


@dataclass(frozen=True, slots=True)
class Told:
    """What an answer said of its session."""

    version: str
    """Its version, which is sent back."""
    prompt_tag: str | None
    """It stays while the prompt does; None if the service did not know at once."""
    at: float
    """When, by the monotonic clock."""


class Limit:
    """The time that a call may take, from now on."""

    def __init__(self, seconds: float) -> None:
        self._end = time.monotonic() + seconds

    def left(self) -> float:
        """Seconds that are left; 0 if none are."""
        return max(0.0, self._end - time.monotonic())


class Wire:
    """What both clients share."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._told: Remembered[tuple[str, str], Told] = Remembered(_REMEMBERED_SESSIONS)

    @property
    def server(self) -> str:
        """Address of the service, without a slash at its end."""
        return self._settings.server

    @property
    def retry(self) -> Retry:
        """How often a call is repeated."""
        return self._settings.retry

    def told(self, user: str, session: str) -> Told | None:
        """What the service last told of a session; None if it told nothing yet.

        Args:
            user: Whose session it is.
            session: Its id.

        Example:
            assert client.told("ana", "never-used") is None
        """
        return self._told.get((user, session))

    def share_told(self, other: Wire) -> None:
        """Know what another client of the same service was told of sessions, and the other way round.

        Args:
            other: The client.

        Example:
            client.share_told(AsyncClient(client.server))
        """
        self._told = other._told

    def __copy__(self) -> Self:
        """A copy with connections of its own; shallow or deep makes no difference."""
        return copy.deepcopy(self)

    def _head(self, call: Call[T]) -> dict[str, str]:
        head = {"accept": "application/json"}
        if self._settings.api_key is not None:
            head["authorization"] = f"Bearer {self._settings.api_key}"
        head.update(call.headers)
        if call.session is not None and (told := self._told.get(call.session)) is not None:
            head[VERSION_HEADER] = told.version
        return head

    def _answer(self, call: Call[T], response: httpx.Response) -> Reply[T]:
        if response.status_code >= 300 and response.status_code != 304:
            raise self._failed(response)
        version = response.headers.get(VERSION_HEADER)
        if call.session is not None and version is not None:
            told = Told(version, response.headers.get(PROMPT_TAG_HEADER), time.monotonic())
            # Answers of calls at the same time come in any order, so an older one does not replace a newer one.
            self._told.update(
                call.session, lambda known: known if known and _is_older(version, known.version) else told
            )
        value = None if response.status_code == 304 else call.read(response)
        return Reply(response.status_code, response.headers, value)

    def _failed(self, response: httpx.Response) -> SkillmountError:
        error = failure(response)
        if isinstance(error, UnknownReply) and self._settings.proxy is not None:
            error.detail += f" (the call went through {self._settings.proxy})"
        return error

    def _no_answer(self, cause: httpx.HTTPError) -> SkillmountError:
        sent = not isinstance(cause, _NEVER_SENT + _NEVER_SENDABLE)
        what = "gave no answer" if sent else "cannot be reached"
        way = "" if self._settings.proxy is None else f" through {self._settings.proxy}"
        reason, advice = _reason(cause)
        return Unreachable(
            f"the skillmount service at {self.server} {what}{way} ({reason}); {advice}",
            retryable=not isinstance(cause, _NEVER_SENDABLE),
            outcome="unknown" if sent else "not_applied",
        )


def _reason(cause: httpx.HTTPError) -> tuple[str, str]:
    """Why no answer came, and what to do."""
    for error in _causes(cause):
        if isinstance(error, OSError) and error.errno in _NO_DESCRIPTORS:
            return _NO_DESCRIPTORS[error.errno], "close files and connections, or allow more of them (ulimit -n)"
    for error in _causes(cause):
        if isinstance(error, OSError) and error.errno is not None and error.errno > 0:
            return f"{type(cause).__name__}: {os.strerror(error.errno)}", "check that it runs, then try again"
    return type(cause).__name__, "check that it runs, then try again"


def _causes(error: BaseException) -> Iterator[BaseException]:
    """An error and what it comes from."""
    waiting, seen = [error], set[int]()
    while waiting:
        error = waiting.pop(0)
        if id(error) in seen:
            continue
        seen.add(id(error))
        yield error
        inner = list(error.exceptions) if isinstance(error, BaseExceptionGroup) else []
        waiting += [each for each in (error.__cause__, error.__context__, *inner) if each is not None]


def _is_older(version: str, known: str) -> bool:
    life, _, number = version.rpartition(".")
    known_life, _, known_number = known.rpartition(".")
    return life == known_life and number.isdigit() and known_number.isdigit() and int(number) < int(known_number)

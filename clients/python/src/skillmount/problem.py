"""Errors of calls: one class for each code of the service, all of them a `SkillmountError`.

The classes themselves are made from the contract and lie in `skillmount._generated.errors`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar


class SkillmountError(Exception):
    """A call that failed.

    `detail` is written for the agent that reads it: it names the path in question and says what to do next.

    Example:
        try:
            client.session("ana", "monday").read("/workspace/none")
        except SkillmountError as error:
            print(error.code, error.detail, error.retryable)
    """

    code: str = "unknown"
    by_code: ClassVar[dict[str, type[SkillmountError]]] = {}

    def __init__(
        self,
        detail: str,
        *,
        code: str | None = None,
        status: int | None = None,
        retryable: bool = False,
        outcome: str | None = None,
        request_id: str | None = None,
        retry_after: float | None = None,
        members: Mapping[str, Any] | None = None,
    ) -> None:
        """Keep what a problem document says.

        Args:
            detail: What is wrong and what to do next.
            code: The stable code, if it is not that of the class.
            status: The HTTP status, if there was an answer.
            retryable: Whether the same call may succeed later.
            outcome: Whether a failed change is in the store: `not_applied`, `partial`, `unknown` or `applied`.
            request_id: The id of the request in the service's log.
            retry_after: Seconds that the service asks to wait.
            members: Further members of the problem document, such as `occurrences` or `suggestions`.
        """
        super().__init__(detail)
        self.detail = detail
        if code is not None:
            self.code = code
        self.status = status
        self.retryable = retryable
        self.outcome = outcome
        self.request_id = request_id
        self.retry_after = retry_after
        self.members: dict[str, Any] = dict(members or {})

    def __init_subclass__(cls) -> None:
        """Register the class under its code."""
        super().__init_subclass__()
        SkillmountError.by_code[cls.code] = cls

    def __str__(self) -> str:
        """The code and the detail, as the service logs them."""
        return f"{self.code}: {self.detail}"


class Unreachable(SkillmountError):
    """No answer came: the service is down, restarting, or too slow. `detail` has the address and the cause.

    Example:
        try:
            Client("http://127.0.0.1:1", timeout=1.0).health()
        except Unreachable as error:
            print(error.detail)
    """

    code = "unreachable"


class UnknownReply(SkillmountError):
    """The answer is none that this version of the package knows, such as a proxy's.

    Example:
        try:
            client.health()
        except UnknownReply as error:
            print(error.status)
    """

    code = "unknown_reply"


class InvalidSettings(SkillmountError, ValueError):
    """An address, a key, a timeout or a proxy that cannot be right. Nothing was sent, and no key is shown.

    Example:
        try:
            Client("127.0.0.1:8787")
        except InvalidSettings as error:
            print(error.detail)
    """

    code = "invalid_settings"


class MissingIdentity(SkillmountError):
    """The running graph names no user or no session.

    Example:
        raise MissingIdentity("no user: run the graph with a user_id")
    """

    code = "missing_identity"

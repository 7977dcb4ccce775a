"""When a call is sent again, and after how long."""

from __future__ import annotations

import random
from dataclasses import dataclass

from .call import Call
from .problem import SkillmountError


@dataclass(frozen=True, slots=True)
class Retry:
    """How often and how patiently.

    A call is repeated if the service says that it may succeed later, or if no answer came; and only if repeating it
    changes nothing twice: it is safe by itself, or it is certain that nothing was changed.

    Example:
        client = Client(retry=Retry(attempts=1))
    """

    attempts: int = 4
    """How often a call is sent at most; 1 never repeats."""
    base: float = 0.1
    """Seconds that the first wait is at most; each further one is twice as long at most."""
    cap: float = 5.0
    """Seconds that a wait is at most, unless the service asks for more."""
    patience: float = 30.0
    """Seconds of `retry-after` that are waited for; a service that asks for more is believed, and the call fails."""

    def delay(self, call: Call[object], error: SkillmountError, attempt: int) -> float | None:
        """Seconds to wait before the next attempt; None if there is none.

        Args:
            call: What was sent.
            error: What came of it.
            attempt: How often it was sent.

        Returns:
            A random time below the bound of this attempt, so that many callers do not come back together.
        """
        if attempt >= self.attempts or not error.retryable:
            return None
        # A call that was refused at the door, such as by a limit, changed nothing either.
        if not (call.safe or error.outcome == "not_applied" or error.code == "rate_limited"):
            return None
        if error.retry_after is not None and error.retry_after > self.patience:
            return None
        spread = random.uniform(0, min(self.cap, self.base * 2 ** (attempt - 1)))  # noqa: S311 - not a secret
        return spread + (error.retry_after or 0.0)

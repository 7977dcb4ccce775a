"""The time that an adapter gives the service."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from typing import TypeVar

from .client import AsyncClient
from .problem import Unreachable

T = TypeVar("T")

DEFAULT_TIMEOUT = 30.0
"""Seconds that a call of an adapter may take, repetitions included."""


def check_timeout(seconds: float) -> float:
    """The seconds themselves.

    Raises:
        ValueError: They are not above 0.
    """
    if not seconds > 0:
        raise ValueError("`timeout` is a number of seconds above 0")
    return seconds


async def within(client: AsyncClient, seconds: float, work: Awaitable[T]) -> T:
    """Await calls, their repetitions included, for a limited time.

    Args:
        client: What sends them.
        seconds: The limit.
        work: The calls.

    Raises:
        Unreachable: The limit is over. The requests are given up.
    """
    try:
        async with asyncio.timeout(seconds):
            return await work
    except TimeoutError as cause:
        raise Unreachable(
            f"the skillmount service at {client.server} gave no answer within {seconds:g} s; "
            "check that it runs, then try again",
            retryable=True,
            outcome="unknown",
        ) from cause

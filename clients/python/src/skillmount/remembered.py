"""What an object remembers of many users: a bounded map that threads share."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable
from typing import Any, Generic, TypeVar

K = TypeVar("K")
V = TypeVar("V")


class Remembered(Generic[K, V]):
    """A map that forgets what was set longest ago, once it is full.

    A deep copy has a lock of its own and begins with the same values. A pickle holds none of them.

    Example:
        names: Remembered[int, str] = Remembered(1_000)
        names.set(1, "one")
        assert names.get(1) == "one"
    """

    def __init__(self, most: int) -> None:
        """An empty map.

        Args:
            most: How many values it holds.
        """
        self._most = most
        self._values: OrderedDict[K, V] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: K) -> V | None:
        """The value of a key; None if there is none."""
        return self._values.get(key)

    def set(self, key: K, value: V) -> None:
        """Remember a value as the youngest one."""
        self.update(key, lambda _: value)

    def update(self, key: K, change: Callable[[V | None], V]) -> None:
        """Replace a value by what `change` makes of it. No other thread comes in between."""
        with self._lock:
            self._values[key] = change(self._values.pop(key, None))
            while len(self._values) > self._most:
                self._values.popitem(last=False)

    def pop(self, key: K) -> V | None:
        """Forget a value and return it; None if there is none."""
        with self._lock:
            return self._values.pop(key, None)

    def __len__(self) -> int:
        """How many values there are."""
        return len(self._values)

    def __deepcopy__(self, memo: dict[int, Any]) -> Remembered[K, V]:
        copied: Remembered[K, V] = Remembered(self._most)
        memo[id(self)] = copied
        with self._lock:
            copied._values = OrderedDict(self._values)
        return copied

    def __reduce__(self) -> tuple[Any, ...]:
        return Remembered, (self._most,)

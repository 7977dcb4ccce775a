"""Settings of a client: where the service is, the key, and how long a call may take."""

from __future__ import annotations

import os
import ssl
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

import httpx

from .call import Call
from .problem import InvalidSettings
from .proxy import Proxy, parsed, proxy_of
from .retry import Retry

T = TypeVar("T")

DEFAULT_SERVER = "http://127.0.0.1:8787"
DEFAULT_TIMEOUT = 30.0
SERVER_VARIABLE = "SKILLMOUNT_SERVER"
KEY_VARIABLE = "SKILLMOUNT_API_KEY"
CONTROL_KEY_VARIABLE = "SKILLMOUNT_CONTROL_KEY"


@dataclass(frozen=True)
class Settings:
    """What both clients are given.

    A deep copy keeps the key. A pickle holds no key: the copy takes that of the environment.
    """

    server: str
    """Address without a slash at its end."""
    api_key: str | None = field(repr=False)
    timeout: float
    """Seconds that a call may wait for an answer, with its repetitions."""
    retry: Retry
    proxy: Proxy | None
    verify: ssl.SSLContext | bool = field(repr=False, compare=False)

    @classmethod
    def of(
        cls, server: str | None, api_key: str | None, timeout: float, retry: Retry | None, *, is_proxied: bool = True
    ) -> Settings:
        """Settings of what a caller gives and of the environment.

        Args:
            server: Address of the service; `SKILLMOUNT_SERVER` or `http://127.0.0.1:8787` if absent.
            api_key: The key; `SKILLMOUNT_API_KEY` if absent.
            timeout: Seconds that a call may wait for an answer, with its repetitions.
            retry: How often a call is repeated; as `Retry()` says if absent.
            is_proxied: Whether a proxy of the environment counts. It does not for an HTTP client of the caller's.

        Raises:
            InvalidSettings: Address, key, timeout or proxy cannot be right. The message does not show the key.

        Example:
            settings = Settings.of("https://skills.example", None, 30.0, None)
        """
        named = "server" if server else SERVER_VARIABLE
        address = checked_address(server or os.environ.get(SERVER_VARIABLE) or DEFAULT_SERVER, named)
        key = checked_key(api_key, "api_key") or checked_key(os.environ.get(KEY_VARIABLE), KEY_VARIABLE)
        if not timeout > 0:
            raise InvalidSettings(f"timeout is {timeout}; give the seconds that a call may take")
        # Reading the system's certificates takes longer than a call, so they are read once, if at all.
        verify = httpx.create_ssl_context() if address.startswith("https:") else False
        return cls(address, key, timeout, retry or Retry(), proxy_of(address) if is_proxied else None, verify)

    def __deepcopy__(self, _: dict[int, Any]) -> Settings:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return Settings.of, (self.server, None, self.timeout, self.retry)


@dataclass(frozen=True)
class ControlKey:
    """A key of scope `control`, or none.

    A deep copy keeps it. A pickle holds none: the copy takes that of the environment.
    """

    value: str | None = field(repr=False)

    @classmethod
    def of(cls, key: str | None = None) -> ControlKey:
        """The key that a caller gives; `SKILLMOUNT_CONTROL_KEY` if it gives none.

        Args:
            key: The key.

        Raises:
            InvalidSettings: No header can hold it. The message does not show it.

        Example:
            key = ControlKey.of("the-key-of-a-person")
        """
        named = checked_key(os.environ.get(CONTROL_KEY_VARIABLE), CONTROL_KEY_VARIABLE)
        return cls(checked_key(key, "control_key") or named)

    def __deepcopy__(self, _: dict[int, Any]) -> ControlKey:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return ControlKey.of, ()


def checked_address(address: str, named: str) -> str:
    """An address of a service, without a slash at its end.

    Args:
        address: What was given.
        named: The argument or the variable that it was given as.

    Raises:
        InvalidSettings: It is no address, or has parts that a service's address has not.

    Example:
        assert checked_address("http://127.0.0.1:8787/", "server") == "http://127.0.0.1:8787"
    """
    shown = address.rpartition("@")[2].encode("unicode_escape").decode()[:200]
    if "://" not in address:
        raise InvalidSettings(f"{named} is {shown!r}, without a scheme; write http://{shown} or https://{shown}")
    url = parsed(address)
    if url is None or url.scheme not in ("http", "https"):
        raise InvalidSettings(f"{named} is no address of a service: {shown!r}; write it like {DEFAULT_SERVER}")
    if url.userinfo:
        raise InvalidSettings(f"{named} has a user name before {shown!r}; omit it, and give the key as api_key")
    if url.query or url.fragment:
        raise InvalidSettings(f"{named} ends with a query or a fragment: {shown!r}; omit it")
    scheme, _, rest = address.rstrip("/").partition("://")
    return f"{scheme.lower()}://{rest}"


def checked_key(key: str | None, named: str) -> str | None:
    """A key as a header can hold it; None if it is absent or empty.

    Args:
        key: What was given.
        named: The argument or the variable that it was given as.

    Raises:
        InvalidSettings: It has other characters than visible ASCII, or begins with `Bearer `. The message does not
            show it.

    Example:
        assert checked_key("", "api_key") is None
    """
    if not key:
        return None
    if any(ord(each) < 32 or ord(each) == 127 for each in key):
        raise InvalidSettings(f"the key in {named} has a line end or another control character; give the key alone")
    if not key.isascii():
        raise InvalidSettings(f"the key in {named} has a character that is not ASCII; copy the key again")
    if key != key.strip():
        raise InvalidSettings(f"the key in {named} begins or ends with a space; give the key alone")
    if key[:7].lower() == "bearer ":
        raise InvalidSettings(f"the key in {named} begins with the word Bearer, which calls add; give the key alone")
    return key


def with_key(call: Call[T], key: str | None) -> Call[T]:
    """A call that shows another key than that of its client, if there is one.

    Args:
        call: The call.
        key: A key of scope `control`; None leaves the call as it is.

    Raises:
        InvalidSettings: The key cannot be in a header. The message does not show it.

    Example:
        call = with_key(operations.list_approvals("ana", "monday"), "the-key-of-a-person")
    """
    checked = checked_key(key, "control_key")
    return call if checked is None else replace(call, headers={**call.headers, "authorization": f"Bearer {checked}"})

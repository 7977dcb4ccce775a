"""The proxy of a service's address, as the environment names it."""

from __future__ import annotations

import importlib.util
import ipaddress
import os
import socket
import urllib.request
from dataclasses import dataclass, field

import httpx

from .problem import InvalidSettings

_PORTS = {"http": 80, "https": 443}
_MOST_PORT = 65_535
_SCHEMES = ("http", "https", "socks5", "socks5h")


@dataclass(frozen=True, slots=True)
class Proxy:
    """A proxy and the variable that names it."""

    address: str = field(repr=False)
    """Its address, which may hold a password."""
    variable: str

    def __str__(self) -> str:
        """The proxy as messages show it, without user name and password."""
        return f"the proxy {_without_user(self.address)} of {self.variable}"


def proxy_of(server: str) -> Proxy | None:
    """The proxy that calls to a service go through; None if they go to it directly.

    Calls to this machine never use a proxy. For other services `http_proxy`, `https_proxy`, `all_proxy` and `no_proxy`
    count, in small letters or in capitals, and then the settings of the system.

    Args:
        server: Address of the service, such as `https://skills.example`.

    Raises:
        InvalidSettings: The proxy's address is of no known kind, or it needs a package that is not installed.

    Example:
        assert proxy_of("http://127.0.0.1:8787") is None
    """
    url = httpx.URL(server)
    if is_loopback(url.host):
        return None
    proxies = urllib.request.getproxies()
    at = f"{url.host}:{url.port or _PORTS[url.scheme]}"
    if urllib.request.proxy_bypass(url.host) or urllib.request.proxy_bypass(at):
        return None
    kind = next((kind for kind in (url.scheme, "all") if proxies.get(kind)), None)
    return None if kind is None else _checked(_with_scheme(proxies[kind]), _variable(kind))


def is_loopback(host: str) -> bool:
    """Whether a host is this machine itself, in any notation of its address.

    Example:
        assert is_loopback("localhost")
        assert is_loopback("::1")
        assert not is_loopback("skills.example")
    """
    name = host.strip("[]").rstrip(".").lower()
    if name == "localhost" or name.endswith(".localhost"):
        return True
    try:
        address = ipaddress.ip_address(name.partition("%")[0])
    except ValueError:
        try:
            # Short forms such as 127.1, which the system takes too.
            address = ipaddress.ip_address(socket.inet_aton(name))
        except (OSError, UnicodeError):
            return False
    mapped = getattr(address, "ipv4_mapped", None) or address
    return bool(mapped.is_loopback or mapped.is_unspecified)


def parsed(address: str) -> httpx.URL | None:
    """An address as a URL with a host; None if it is none."""
    if any(each.isspace() for each in address):
        return None
    try:
        url = httpx.URL(address)
    except httpx.InvalidURL:
        return None
    return url if url.host and (url.port or 0) <= _MOST_PORT else None


def _checked(address: str, variable: str) -> Proxy:
    proxy = Proxy(address, variable)
    url = parsed(address)
    if url is None:
        raise InvalidSettings(f"{variable} names a proxy whose address cannot be read; correct it")
    if url.scheme not in _SCHEMES:
        kinds = ", ".join(f"{each}://" for each in _SCHEMES)
        raise InvalidSettings(f"{proxy} is of no known kind; its address begins with one of {kinds}")
    if url.scheme.startswith("socks") and importlib.util.find_spec("socksio") is None:
        raise InvalidSettings(f"{proxy} needs a package that is not installed; run `pip install 'httpx[socks]'`")
    return proxy


def _variable(kind: str) -> str:
    """The name of the variable as it is written. Small letters count before capitals."""
    names = (name for name, value in os.environ.items() if name.lower() == f"{kind}_proxy" and value)
    return max(names, default="the system's settings")


def _with_scheme(address: str) -> str:
    return address if "://" in address else f"http://{address}"


def _without_user(address: str) -> str:
    scheme, _, rest = address.partition("://")
    host = rest.rpartition("@")[2]
    return f"{scheme}://{host.partition('/')[0]}"

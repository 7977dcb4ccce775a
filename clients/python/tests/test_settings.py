"""Addresses, keys and proxies: what cannot be right is an error at once, and no error shows a secret."""

from __future__ import annotations

import re
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import httpx
import pytest

import skillmount
from skillmount import AsyncClient, Client, InvalidSettings, Retry, SkillmountError, operations
from skillmount.connection import Connection
from skillmount.proxy import is_loopback, proxy_of
from skillmount.settings import with_key
from skillmount.testing import Server

CLIENTS: list[Any] = [Client, AsyncClient, Connection]
KEY = "s3cret-key"


@pytest.fixture(autouse=True)
def no_proxies(monkeypatch: pytest.MonkeyPatch) -> None:
    for kind in ("http", "https", "all", "no"):
        for name in (f"{kind}_proxy", f"{kind}_proxy".upper()):
            monkeypatch.delenv(name, raising=False)


@pytest.mark.parametrize("client", CLIENTS)
@pytest.mark.parametrize(
    ("address", "reason"),
    [
        ("127.0.0.1:8787", r"write http://127\.0\.0\.1:8787 or https://"),
        ("localhost:8787", r"write http://localhost:8787"),
        ("skills.example", r"write http://skills\.example"),
        ("ftp://skills.example", "no address of a service"),
        ("http://", "no address of a service"),
        ("http:///path", "no address of a service"),
        ("http://host:99999", "no address of a service"),
        ("http://host:port", "no address of a service"),
        ("http://skills.example\n", "no address of a service"),
        ("http://skills example", "no address of a service"),
        ("http://skills.example/?a=1", "a query or a fragment"),
        ("http://skills.example/#a", "a query or a fragment"),
        (f"http://ana:{KEY}@skills.example", "give the key as api_key"),
    ],
)
def test_an_address_that_cannot_be_right_is_an_error_at_once(client: Any, address: str, reason: str) -> None:
    with pytest.raises(InvalidSettings, match=reason) as wrong:
        client(address)
    assert isinstance(wrong.value, SkillmountError)
    assert not wrong.value.retryable
    assert KEY not in str(wrong.value)
    assert "server" in str(wrong.value)


@pytest.mark.parametrize("client", CLIENTS)
@pytest.mark.parametrize(
    ("key", "reason"),
    [
        (f"{KEY}\n", "line end"),
        (f"{KEY}\r", "line end"),
        (f"{KEY}\0", "control character"),
        (f"{KEY}\nx-other: 1", "line end"),
        (f"{KEY}é", "not ASCII"),
        (f"\u200b{KEY}", "not ASCII"),
        (f" {KEY}", "a space"),
        (f"Bearer {KEY}", "the word Bearer"),
    ],
)
@pytest.mark.parametrize("given", ["argument", "variable"])
def test_a_key_that_no_header_can_hold_is_an_error_at_once_and_is_not_shown(
    monkeypatch: pytest.MonkeyPatch, client: Any, key: str, reason: str, given: str
) -> None:
    if given == "variable" and "\0" in key:
        pytest.skip("no variable can hold it")
    if given == "variable":
        monkeypatch.setenv("SKILLMOUNT_API_KEY", key)
    with pytest.raises(InvalidSettings, match=reason) as wrong:
        client(api_key=key if given == "argument" else None)
    assert not wrong.value.retryable
    assert KEY not in repr(wrong.value) + str(wrong.value.members)
    assert ("api_key" if given == "argument" else "SKILLMOUNT_API_KEY") in str(wrong.value)


def test_the_key_of_a_person_is_judged_like_that_of_an_agent() -> None:
    with pytest.raises(InvalidSettings, match="control_key has a line end") as wrong:
        with_key(operations.check_health(), f"{KEY}\n")
    assert KEY not in str(wrong.value)


@pytest.mark.parametrize("timeout", [0.0, -1.0, float("nan")])
def test_a_timeout_is_more_than_nothing(timeout: float) -> None:
    with pytest.raises(InvalidSettings, match="timeout"):
        Client(timeout=timeout)


@pytest.mark.parametrize(
    "host",
    [
        "localhost", "LOCALHOST", "localhost.", "skills.localhost", "127.0.0.1", "127.8.7.6", "127.1", "2130706433",
        "0x7f.1", "::1", "[::1]", "0:0:0:0:0:0:0:1", "::ffff:127.0.0.1", "0.0.0.0", "::",
    ],
)  # fmt: skip
def test_this_machine_is_known_in_each_notation(host: str) -> None:
    assert is_loopback(host)


@pytest.mark.parametrize(
    "host", ["skills.example", "localhost.example", "notlocalhost", "10.0.0.1", "128.0.0.1", "::2", "127.0.0.1.example"]
)
def test_another_machine_is_not_this_one(host: str) -> None:
    assert not is_loopback(host)


class _Proxy(BaseHTTPRequestHandler):
    asked: list[str]

    def do_GET(self) -> None:
        self.asked.append(self.path)
        body = b"<html>no way</html>"
        self.send_response(502)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    do_POST = do_CONNECT = do_GET  # noqa: N815 - names of the library

    def log_message(self, *_: Any) -> None:
        """Say nothing."""


@pytest.fixture
def proxy() -> Iterator[tuple[str, list[str]]]:
    """A proxy that lets nothing through: its address with user and password, and what it was asked for."""
    asked: list[str] = []
    handler = type("Handler", (_Proxy,), {"asked": asked})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as running:
        thread = threading.Thread(target=running.serve_forever)
        thread.start()
        yield f"http://ana:{KEY}@127.0.0.1:{running.server_port}", asked
        running.shutdown()
        thread.join()


@pytest.mark.parametrize("variable", ["HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"])
async def test_calls_to_this_machine_never_use_a_proxy(
    service: Server, user: str, proxy: tuple[str, list[str]], monkeypatch: pytest.MonkeyPatch, variable: str
) -> None:
    monkeypatch.setenv(variable, proxy[0] if variable.isupper() else "socks5://127.0.0.1:1")
    for url in (service.url, service.url.replace("127.0.0.1", "localhost")):
        with Client(url) as client:
            assert client.session(user, "s").ls("/").entries
        async with AsyncClient(url) as client:
            assert (await client.session(user, "s").ls("/")).entries
    assert proxy[1] == []


@pytest.mark.parametrize("variable", ["HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"])
@pytest.mark.parametrize("scheme", ["http", "https"])
async def test_an_error_names_the_proxy_and_its_variable_without_its_password(
    proxy: tuple[str, list[str]], monkeypatch: pytest.MonkeyPatch, variable: str, scheme: str
) -> None:
    address, asked = proxy
    variable = variable.replace("http", scheme).replace("HTTP", scheme.upper())
    monkeypatch.setenv(variable, address)
    shown = re.escape(f"the proxy {address.replace(f'ana:{KEY}@', '')} of {variable}")
    url = f"{scheme}://skills.example"
    with Client(url, retry=Retry(attempts=1)) as client, pytest.raises(SkillmountError, match=shown) as wrong:
        client.session("u", "s").write("/workspace/a", "")
    assert KEY not in str(wrong.value)
    async with AsyncClient(url, retry=Retry(attempts=1)) as client:
        with pytest.raises(SkillmountError, match=shown):
            await client.session("u", "s").ls("/")
    assert len(asked) == 2
    assert all("skills.example" in each for each in asked)


def test_a_proxy_that_is_not_there_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    monkeypatch.setenv("HTTP_PROXY", f"ana:{KEY}@127.0.0.1:{port}")
    with (
        Client("http://skills.example", retry=Retry(attempts=1)) as client,
        pytest.raises(skillmount.Unreachable, match=f"through the proxy http://127.0.0.1:{port} of HTTP_PROXY") as gone,
    ):
        client.health()
    assert KEY not in str(gone.value)
    assert gone.value.outcome == "not_applied"


@pytest.mark.parametrize(
    ("address", "reason"),
    [
        (
            f"socks5://ana:{KEY}@proxy:1080",
            r"socks5://proxy:1080 of ALL_PROXY needs .*pip install 'httpx\[socks\]'",
        ),
        (f"socks5h://ana:{KEY}@proxy", r"pip install 'httpx\[socks\]'"),
        (f"socks4://ana:{KEY}@proxy", "is of no known kind"),
        (f"ftp://ana:{KEY}@proxy", "is of no known kind"),
        (f"http://ana:{KEY}@proxy:99999999", "cannot be read"),
    ],
)
@pytest.mark.parametrize("client", CLIENTS)
def test_a_proxy_that_cannot_be_used_is_an_error_at_once(
    monkeypatch: pytest.MonkeyPatch, client: Any, address: str, reason: str
) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    monkeypatch.setenv("ALL_PROXY", address)
    with pytest.raises(InvalidSettings, match=reason) as wrong:
        client("http://skills.example")
    assert KEY not in str(wrong.value)
    assert client("http://localhost:1"), "this machine needs no proxy"


def test_the_proxies_of_an_http_client_of_the_callers_are_the_callers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ALL_PROXY", "socks4://proxy:1")

    def refuse(_: httpx.Request) -> httpx.Response:
        raise httpx.ConnectError("refused")

    http = httpx.Client(transport=httpx.MockTransport(refuse))
    with pytest.raises(skillmount.Unreachable, match=r"cannot be reached \(ConnectError"):
        Client("http://skills.example", http=http, retry=Retry(attempts=1)).health()


@pytest.mark.parametrize("listed", ["skills.example", ".example", "*", "other, skills.example:80"])
def test_no_proxy_is_heeded(monkeypatch: pytest.MonkeyPatch, listed: str) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://proxy:1")
    assert proxy_of("http://skills.example:80") is not None
    monkeypatch.setenv("NO_PROXY", listed)
    assert proxy_of("http://skills.example:80") is None


def test_a_key_is_in_no_text_of_a_client() -> None:
    script = f"import skillmount; c = skillmount.Client(api_key={KEY!r}); print(c, vars(c), c._settings)"
    shown = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout
    assert KEY not in shown

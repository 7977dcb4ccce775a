"""Connections: those of event loops that ended, of copies, and of services that do not answer."""

from __future__ import annotations

import asyncio
import copy
import gc
import os
import pickle
import resource
import socket
import subprocess
import sys
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from skillmount import AsyncClient, Client, Retry, Unreachable, errors
from skillmount.connection import Connection
from skillmount.testing import Server

DESCRIPTORS = Path("/proc/self/fd")


def _open() -> int:
    return len(list(DESCRIPTORS.iterdir()))


@pytest.fixture
def silent() -> Iterator[str]:
    """A service that accepts connections and never answers."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        yield f"http://127.0.0.1:{listening.getsockname()[1]}"


def test_one_client_in_many_event_loops_keeps_no_connection(service: Server, user: str) -> None:
    client = service.aclient()
    asyncio.run(client.session(user, "s").ls("/"))
    before = _open()
    for _ in range(300):
        asyncio.run(client.session(user, "s").ls("/"))
    assert _open() <= before
    assert len(client._pool._of_loop) <= 1


def test_a_loop_that_was_closed_by_hand_keeps_no_connection_either(service: Server, user: str) -> None:
    client = service.aclient()
    before = _open()
    with warnings.catch_warnings():
        # asyncio itself warns of what such a loop leaves.
        warnings.simplefilter("ignore", ResourceWarning)
        for _ in range(50):
            loop = asyncio.new_event_loop()
            loop.run_until_complete(client.session(user, "s").ls("/"))
            loop.close()
        gc.collect()
    assert _open() <= before + 2


def test_loops_of_many_threads_have_connections_of_their_own(service: Server, user: str) -> None:
    client = service.aclient()
    failed: list[BaseException] = []

    async def calls() -> None:
        await asyncio.gather(*(client.session(user, "s").ls("/") for _ in range(5)))

    def work() -> None:
        try:
            for _ in range(5):
                asyncio.run(calls())
        except BaseException as error:
            failed.append(error)

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == []


SCRIPT = """
import asyncio, gc, sys
from skillmount import AsyncClient, Client
url, user = sys.argv[1:]

async def once(client):
    await client.session(user, "s").ls("/")

client = AsyncClient(url)
for _ in range(3):
    asyncio.run(once(client))
for _ in range(3):
    Client(url).session(user, "s").ls("/")
kept = Client(url)
kept.session(user, "s").ls("/")

async def dropped():
    await once(AsyncClient(url))
    gc.collect()

asyncio.run(dropped())
gc.collect()
print("done")
"""


def test_clients_that_nobody_closes_leave_nothing_open(service: Server, user: str) -> None:
    command = [sys.executable, "-W", "error", "-c", SCRIPT, service.url, user]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env={**os.environ})
    assert (done.stdout, done.stderr) == ("done\n", "")


def test_a_loop_that_goes_on_after_its_generators_were_closed_has_new_connections(service: Server, user: str) -> None:
    client = service.aclient()

    async def whole() -> None:
        await client.session(user, "s").ls("/")
        await client._pool._of_loop[asyncio.get_running_loop()].closing.aclose()
        assert (await client.session(user, "s").ls("/")).entries

    asyncio.run(whole())


async def test_a_client_that_was_closed_opens_other_connections(service: Server, user: str) -> None:
    client, awaited = service.client(), service.aclient()
    for _ in range(2):
        assert client.session(user, "s").ls("/").entries
        client.close()
        assert (await awaited.session(user, "s").ls("/")).entries
        await awaited.aclose()


def test_no_descriptor_left_is_called_by_its_name(service: Server, user: str) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    loop = asyncio.new_event_loop()
    held: list[int] = []
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (_open() + 20, hard))
        while True:
            try:
                held.append(os.open("/dev/null", os.O_RDONLY))
            except OSError:
                break
        retry = Retry(attempts=1)
        with pytest.raises(Unreachable, match=r"no file descriptor left \(EMFILE\).*ulimit -n") as blocked:
            Client(service.url, retry=retry).session(user, "s").ls("/")
        with pytest.raises(Unreachable, match=r"no file descriptor left \(EMFILE\).*ulimit -n"):
            loop.run_until_complete(AsyncClient(service.url, retry=retry).session(user, "s").ls("/"))
    finally:
        for each in held:
            os.close(each)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
        loop.close()
    assert "check that it runs" not in str(blocked.value)
    assert blocked.value.outcome == "not_applied"


def test_a_refused_connection_says_so(silent: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    with pytest.raises(Unreachable, match=f"http://127.0.0.1:{port} cannot be reached .*refused.*check that it runs"):
        Client(f"http://127.0.0.1:{port}", retry=Retry(attempts=1)).health()


@pytest.mark.parametrize("name", ["ls", "write"])
async def test_a_service_that_does_not_answer_costs_the_timeout_in_all(silent: str, name: str) -> None:
    retry = Retry(attempts=50, base=0.001)
    given = {"ls": ("/",), "write": ("/workspace/a", "")}[name]
    begin = time.monotonic()
    with Client(silent, timeout=0.5, retry=retry) as client, pytest.raises(Unreachable, match="gave no answer"):
        getattr(client.session("u", "s"), name)(*given)
    async with AsyncClient(silent, timeout=0.5, retry=retry) as client:
        with pytest.raises(Unreachable, match="gave no answer"):
            await getattr(client.session("u", "s"), name)(*given)
    assert 1.0 <= time.monotonic() - begin < 2.5


def test_a_service_that_is_away_costs_no_more_than_the_timeout() -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        url = f"http://127.0.0.1:{free.getsockname()[1]}"
    begin = time.monotonic()
    with pytest.raises(Unreachable):
        Client(url, timeout=0.5, retry=Retry(attempts=1_000, base=0.1)).health()
    assert time.monotonic() - begin < 1.5


async def test_a_call_that_is_cancelled_ends_at_once_and_the_next_one_does_not_wait(
    service: Server, user: str, silent: str
) -> None:
    async with AsyncClient(silent) as client:
        begin = time.monotonic()
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(client.session("u", "s").ls("/"), 0.2)
        assert time.monotonic() - begin < 2
    async with service.aclient() as client:
        session = client.session(user, "s")
        task = asyncio.create_task(session.ls("/"))
        await asyncio.sleep(0)
        task.cancel()
        begin = time.monotonic()
        assert (await session.ls("/")).entries
        assert time.monotonic() - begin < 2


def _kept(client: Any) -> str | None:
    key: str | None = client._settings.api_key
    return key


@pytest.mark.parametrize("kind", [Client, AsyncClient])
@pytest.mark.parametrize("how", [copy.copy, copy.deepcopy])
def test_a_copy_keeps_the_key_and_has_connections_and_locks_of_its_own(
    service: Server, user: str, kind: Any, how: Any
) -> None:
    client = kind(service.url, api_key="secret", timeout=7.0, retry=Retry(attempts=2))
    if kind is Client:
        client.session(user, "s").write("/workspace/a", "")
    copied = how(client)
    assert (copied.server, _kept(copied), copied.retry) == (client.server, "secret", Retry(attempts=2))
    assert copied._pool is not client._pool
    assert copied._pool._lock is not client._pool._lock
    assert copied._told is not client._told
    if kind is Client:
        assert copied.told(user, "s") == client.told(user, "s")
        client.close()
        assert copied.session(user, "s").ls("/workspace").entries
        copied.close()
    else:
        assert asyncio.run(copied.session(user, "s").ls("/")).entries


@pytest.mark.parametrize("kind", [Client, AsyncClient])
def test_a_pickle_has_no_key_and_the_copy_takes_that_of_the_environment(
    service: Server, user: str, kind: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = kind(service.url, api_key="s3cret", timeout=7.0)
    pickled = pickle.dumps(client)
    assert b"s3cret" not in pickled
    assert _kept(pickle.loads(pickled)) is None
    monkeypatch.setenv("SKILLMOUNT_API_KEY", "of-the-environment")
    copied = pickle.loads(pickled)
    assert (_kept(copied), copied.server, copied._settings.timeout) == ("of-the-environment", service.url, 7.0)
    monkeypatch.delenv("SKILLMOUNT_API_KEY")
    again = pickle.loads(pickled)
    if kind is Client:
        assert again.session(user, "s").ls("/").entries
    else:
        assert asyncio.run(again.session(user, "s").ls("/")).entries


def test_sessions_users_and_connections_are_copied_with_their_clients(service: Server, user: str) -> None:
    session = service.client().session(user, "s")
    connection = Connection(service.url, api_key="s3cret")
    ways: list[Callable[[Any], Any]] = [copy.deepcopy, lambda each: pickle.loads(pickle.dumps(each))]
    for how in ways:
        assert how(session).ls("/").entries
        assert how(service.client().user(user)).catalog().skills == 2
        copied = how(connection)
        assert copied.client._told is copied.aclient._told
        assert copied.client._told is not connection.client._told
    assert b"s3cret" not in pickle.dumps(connection)


def test_an_http_client_of_the_callers_is_shared_by_copies_and_not_pickled() -> None:
    http = httpx.Client()
    client = Client("http://service", http=http)
    assert copy.deepcopy(client)._pool._given is http
    with pytest.raises(TypeError, match="`http` of the caller's cannot be pickled"):
        pickle.dumps(client)


def test_an_error_is_pickled_whole() -> None:
    error = errors.OldStringNotUnique("twice", status=409, outcome="not_applied", members={"occurrences": 2})
    copied = pickle.loads(pickle.dumps(error))
    assert (type(copied), str(copied), copied.members, copied.outcome) == (
        errors.OldStringNotUnique, str(error), {"occurrences": 2}, "not_applied",
    )  # fmt: skip

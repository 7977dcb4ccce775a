"""What every adapter with the tools of a session does: the real framework, a scripted model and a real service.

A framework's tests give a `Framework`, which makes the adapter and runs an agent with it.
"""

from __future__ import annotations

import asyncio
import copy
import gc
import http.client
import json
import logging
import os
import pickle
import runpy
import signal
import subprocess
import sys
import threading
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Protocol, TypeAlias
from urllib.parse import urlsplit

import pytest

from skillmount import AsyncClient, MissingIdentity, models, operations
from skillmount.testing import Server, server

PROGRAM = os.environ.get("SKILLMOUNT_PROGRAM") or str(Path(__file__).parents[3] / "target" / "debug" / "skillmount")

SNIPPETS = Path(__file__).parent / "snippets"

Turn: TypeAlias = str | list[tuple[str, dict[str, Any]]]
"""What the model says: text, which ends the run, or tools by name with their input."""

LOAD: Turn = [("load_skill", {"skill": "law/leases"})]
SECRET = "SECRET-OF-LEASES"
OWN_TOOL = "weather"
OWN_INSTRUCTIONS = "You are a pirate."


@dataclass
class Ran:
    """What the model of a run was shown, and what came of its calls."""

    prompts: list[str] = field(default_factory=list)
    offered: list[set[str]] = field(default_factory=list)
    results: list[tuple[str, bool]] = field(default_factory=list)
    """The text of each result as the model read it, and whether the framework counts the call as failed."""
    output: str = ""


class Framework(Protocol):
    """A framework's side of these tests. The id of a call is `call-TURN-PLACE`, both from 0."""

    def adapter(self, identify: Any, client: AsyncClient | None = None, **given: Any) -> Any:
        """The adapter with all tools of the service."""

    def identify(self, context: Any) -> tuple[str, str]:
        """The user and the session that `run` was given, from the framework's context."""

    async def run(
        self,
        adapter: Any,
        turns: Sequence[Turn],
        *,
        user: str = "ana",
        session: str = "chat",
        own_tool: str | None = None,
        before: Callable[[int], Any] | None = None,
    ) -> Ran:
        """Run an agent with `OWN_INSTRUCTIONS`; `before` is called with the number of each turn of its model."""


def snippet(name: str) -> dict[str, Any]:
    """A snippet of the README is this file, and it runs without a warning.

    Args:
        name: Its name in `snippets`.

    Returns:
        What it defines.
    """
    file = SNIPPETS / f"{name}.py"
    assert f"```python\n{file.read_text()}```\n" in (SNIPPETS.parents[1] / "README.md").read_text()
    command = [sys.executable, "-W", "error", str(file)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return runpy.run_path(str(file))


@contextmanager
def serving(**given: Any) -> Iterator[Server]:
    """A service on which ana has a lease and bob a recipe."""
    with server(program=PROGRAM, **given) as service:
        publish(service)
        yield service


def publish(service: Server) -> None:
    """Give ana and bob their skills."""
    description = "Drafts leases for rent. Use when someone rents something out."
    service.publish("ana", "law/leases", description, f"# Leases\n\n{SECRET}\n", {"garage.md": "LEASE OF A GARAGE\n"})
    service.publish("bob", "food/soup", "Cooks soup. Use when someone is hungry.", "# Soup\n")


def keys(folder: Path) -> tuple[str, str, Path]:
    """A key of an agent, one of a person, and the file that has both."""
    made = []
    for scope in ("agent", "control"):
        command = [PROGRAM, "keys", "new", "--all-users", "--scope", scope, "--name", scope, "--json"]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        made.append(json.loads(done.stdout))
    (folder / "keys.toml").write_text("\n".join(one["entry"] for one in made))
    return made[0]["key"], made[1]["key"], folder / "keys.toml"


@dataclass
class Paused:
    """A service that does not answer until it is woken."""

    service: Server

    def stop(self) -> None:
        os.kill(self.service.pid, signal.SIGSTOP)

    def wake(self) -> None:
        os.kill(self.service.pid, signal.SIGCONT)


@contextmanager
def _pausing() -> Iterator[Paused]:
    with serving() as service:
        paused = Paused(service)
        try:
            yield paused
        finally:
            paused.wake()


def _at(turn: int, do: Callable[[], object]) -> Callable[[int], object]:
    return lambda now: do() if now == turn else None


def the_session_is_what_the_developer_says(framework: Framework) -> None:
    with serving() as service:

        async def run() -> None:
            async with service.aclient() as client:
                fixed = framework.adapter(("ana", "monday"), client)
                ran = await framework.run(fixed, [LOAD, "done"], user="bob", session="x")
                assert SECRET in ran.prompts[1]

                def mapped(context: Any) -> tuple[str, str]:
                    user, session = framework.identify(context)
                    return user.partition("|")[2], session.replace(":", "-")

                ran = await framework.run(
                    framework.adapter(mapped, client), [LOAD, "done"], user="auth0|ana", session="slack:C1:1.2"
                )
                assert SECRET in ran.prompts[1]
                ids = {session.session_id async for session in client.user("ana").sessions()}
                assert ids == {"monday", "slack-C1-1.2"}
                # Nothing else changes an id: one that the service does not take is an error.
                unmapped = framework.adapter(framework.identify, client)
                with pytest.raises(Exception, match="auth0"):
                    await framework.run(unmapped, ["done"], user="auth0|ana")
                for nobody in (("ana", ""), (None, "chat"), None, "ana"):
                    nameless = framework.adapter(lambda _, nobody=nobody: nobody, client)
                    with pytest.raises(MissingIdentity, match="`identify` returned"):
                        await framework.run(nameless, ["done"])

        asyncio.run(run())


def prompt_and_tools_are_read_before_each_turn(framework: Framework) -> None:
    with serving() as service:

        async def run() -> None:
            async with service.aclient() as client:
                adapter = framework.adapter(framework.identify, client)
                ran = await framework.run(adapter, [LOAD, "done"])
                assert "law/leases" in ran.prompts[0]
                assert SECRET not in ran.prompts[0]
                assert SECRET in ran.prompts[1]

                await client.session("ana", "growing").create(policy=models.Policy(prompt_mode="discover"))
                turns: list[Turn] = [[("discover_skills", {"query": "a lease for rent"})], LOAD, "done"]
                ran = await framework.run(adapter, turns, session="growing")
                assert "discover_skills" in ran.offered[0]
                assert not {"load_skill", "unload_skill"} & ran.offered[0]
                assert "load_skill" in ran.offered[1]
                assert "unload_skill" in ran.offered[2]

        asyncio.run(run())


def own_tools_and_instructions_stay(framework: Framework) -> None:
    with serving() as service:

        async def run() -> None:
            async with service.aclient() as client:
                adapter = framework.adapter(framework.identify, client)
                ran = await framework.run(adapter, [LOAD, [(OWN_TOOL, {})], "done"], own_tool=OWN_TOOL)
                assert all(OWN_INSTRUCTIONS in prompt for prompt in ran.prompts)
                assert all(OWN_TOOL in offered for offered in ran.offered)
                assert "it rains" in ran.results[1][0]
                with pytest.raises(Exception, match="load_skill"):
                    await framework.run(adapter, [LOAD, "done"], own_tool="load_skill")

        asyncio.run(run())


def a_failed_call_is_a_failure_that_the_model_reads(framework: Framework) -> None:
    with serving() as service:

        async def run() -> None:
            async with service.aclient() as client:
                wrong: list[Turn] = [[("load_skill", {"skill": "none"}), ("read", {"file_path": "/workspace/none"})]]
                turns: list[Turn] = [*(wrong * 5), [("read", {"limit": "many"})], LOAD, "done"]
                ran = await framework.run(framework.adapter(framework.identify, client), turns)
                assert ran.output == "done"
                for at in range(0, 10, 2):
                    assert "there is no skill" in ran.results[at][0]
                    assert "File not found" in ran.results[at + 1][0]
                assert "file_path" in ran.results[10][0] or "limit" in ran.results[10][0]
                assert [failed for _, failed in ran.results] == [True] * 11 + [False]

        asyncio.run(run())


def a_person_decides_with_the_facts(framework: Framework, folder: Path) -> None:
    agent_key, control_key, file = keys(folder)
    with server(program=PROGRAM, arguments=["--keys", str(file)]) as bare:
        publish(Server(bare.url, bare.pid, control_key))

        async def run() -> None:
            person = AsyncClient(bare.url, api_key=control_key)
            policy = models.Policy.model_validate(
                {"tools": {"*": "auto", "write": "ask"}, "skills": {"law/*": "enabled"}}
            )
            for session in ("chat", "unattended"):
                await person.session("ana", session).create(policy=policy)
            asked: list[tuple[str, str, models.WaitingCall]] = []

            async def approve(user: str, session: str, call: models.WaitingCall) -> models.DecideApprovalRequest | bool:
                asked.append((user, session, call))
                if call.tool == "load_skill" or call.input["file_path"] == "/workspace/kept.md":
                    return True
                return models.DecideApprovalRequest(decision="deny", message="archive it instead")

            client = AsyncClient(bare.url, api_key=agent_key)
            adapter = framework.adapter(framework.identify, client, approve=approve, control_key=control_key)
            write = ("write", {"file_path": "/workspace/a.md", "content": "x\n"})
            # Another call of the same tool waits already, which nobody is asked about.
            waiting = {"file_path": "/workspace/earlier.md", "content": "z\n"}
            earlier = {"type": "tool_use", "id": "earlier", "name": "write", "input": waiting}
            await client.session("ana", "chat").tool_calls([earlier])
            two = [("write", {"file_path": f"/workspace/{name}.md", "content": "y\n"}) for name in ("kept", "other")]
            ran = await framework.run(adapter, [LOAD, [write], two, "done"])
            assert [call.tool for _, _, call in asked].count("write") == 3
            assert ran.results[2] == ("Updated file /workspace/kept.md", False)
            assert "archive it instead" in ran.results[3][0]
            del asked[2:]
            (_, _, load), (user, session, written) = asked
            assert (user, session) == ("ana", "chat")
            assert (load.tool, load.skill) == ("load_skill", "law/leases")
            assert (load.digest or "").startswith("sha256:")
            assert (written.tool, written.input["content"]) == ("write", "x\n")
            assert 0 < written.seconds_left <= 300
            assert SECRET in ran.prompts[1]
            assert ran.results[0][1] is False
            assert "archive it instead" in ran.results[1][0]
            assert ran.results[1][1] is True

            alone = framework.adapter(framework.identify, client)
            ran = await framework.run(alone, [[write], "done"], session="unattended")
            assert "needs a person's approval" in ran.results[0][0]
            assert ran.results[0][1] is True
            assert ran.output == "done"
            await client.aclose()
            await person.aclose()

        asyncio.run(run())
    with pytest.raises(ValueError, match="control_key"):
        framework.adapter(("ana", "chat"), approve=lambda *_: True)


def a_service_that_does_not_answer_costs_the_limit(framework: Framework) -> None:
    with _pausing() as paused:

        async def run() -> None:
            async with paused.service.aclient() as client:
                adapter = framework.adapter(framework.identify, client, timeout=1.0)
                gaps: list[float] = []
                beat = asyncio.create_task(heartbeat(gaps))
                began = time.monotonic()
                ran = await framework.run(adapter, [LOAD, LOAD, "done"], before=_at(1, paused.stop))
                took = time.monotonic() - began
                beat.cancel()
                assert ran.output == "done"
                assert "gave no answer within 1 s" in ran.results[1][0]
                # A call, and what the next turn is shown, each at most the limit.
                assert took < 5
                assert max(gaps) < 0.5
                paused.wake()

        asyncio.run(run())
    with pytest.raises(ValueError, match="timeout"):
        framework.adapter(("ana", "chat"), timeout=0)


async def heartbeat(gaps: list[float]) -> None:
    last = time.monotonic()
    while True:
        await asyncio.sleep(0.02)
        now = time.monotonic()
        gaps.append(now - last)
        last = now


def cancelling_a_run_ends_its_request(framework: Framework) -> None:
    with _pausing() as paused:

        async def run() -> None:
            async with paused.service.aclient() as client:
                adapter = framework.adapter(framework.identify, client)
                stopped = asyncio.Event()

                def stop() -> None:
                    paused.stop()
                    stopped.set()

                task = asyncio.create_task(framework.run(adapter, [LOAD, LOAD, "done"], before=_at(1, stop)))
                await stopped.wait()
                await asyncio.sleep(0.3)
                began = time.monotonic()
                task.cancel()
                with pytest.raises(asyncio.CancelledError):
                    await task
                assert time.monotonic() - began < 1
                paused.wake()
                began = time.monotonic()
                ran = await framework.run(adapter, [LOAD, "done"])
                assert time.monotonic() - began < 5
                assert ran.results[0][1] is False

        asyncio.run(run())


def the_id_of_a_call_is_that_of_its_record(framework: Framework) -> None:
    with serving(arguments=["--audit", "sync"]) as service:

        async def run() -> None:
            async with service.aclient() as client:
                adapter = framework.adapter(framework.identify, client)
                two: Turn = [("ls", {"path": "/workspace"}), ("load_skill", {"skill": "law/leases"})]
                await framework.run(adapter, [two, [("read", {"file_path": "/skills/leases/garage.md"})], "done"])
                audit = await client.send(operations.list_audit_records("ana"))
                recorded = {record.call for record in audit.records if record.session == "chat"}
                assert {"call-0-0", "call-0-1", "call-1-0"} <= recorded

        asyncio.run(run())


def calls_are_repeated_only_if_that_changes_nothing(framework: Framework) -> None:
    with serving() as service, _flaky(service.url) as flaky:

        async def run() -> None:
            async with AsyncClient(flaky.url) as client:
                adapter = framework.adapter(framework.identify, client)
                read = ("read", {"file_path": "/workspace/a.md"})
                write = ("write", {"file_path": "/workspace/a.md", "content": "x\n"})
                flaky.answers = [503, 502, 0, 429, 0, 503, 403]
                turns: list[Turn] = [[read], [write], [write], [read], "done"]
                ran = await framework.run(adapter, turns)
                # Reading is repeated after 503 and 502; what comes is the service's word.
                assert "File not found" in ran.results[0][0]
                # A write at the limit of calls was not tried, so it is repeated.
                assert ran.results[1] == ("Updated file /workspace/a.md", False)
                # Whether a write behind 503 was done is not known, and a refusal stays one.
                assert ran.results[2][1] is True
                assert ran.results[3][1] is True
                assert flaky.answers == []
                assert ran.output == "done"

        asyncio.run(run())


def an_outage_leaves_the_last_prompt(framework: Framework, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.WARNING, "skillmount")
    with serving() as service:

        async def run() -> None:
            async with service.aclient() as client:
                adapter = framework.adapter(framework.identify, client)

                def end(turn: int) -> None:
                    if turn == 1:
                        os.kill(service.pid, signal.SIGKILL)
                    elif turn > 1:
                        # For a second after it was found away a service is not asked again.
                        time.sleep(1.1)

                read: Turn = [("read", {"file_path": "/workspace/a.md"})]
                ran = await framework.run(adapter, [LOAD, read, read, "done"], before=end)
                assert ran.output == "done"
                assert SECRET in ran.prompts[1]
                assert ran.prompts[1] == ran.prompts[2] == ran.prompts[3]
                assert ran.offered[1] == ran.offered[2] == ran.offered[3]
                for text, failed in ran.results[1:]:
                    assert failed
                    assert "cannot be reached" in text
                # Who was shown nothing yet is not shown what another user was.
                with pytest.raises(Exception, match="cannot be reached"):
                    await framework.run(adapter, ["done"], user="bob")
                said = [record for record in caplog.records if record.name == "skillmount"]
                assert len(said) == 1
                assert service.url in said[0].getMessage()

        asyncio.run(run())


def an_adapter_that_made_its_client_can_be_closed(framework: Framework, monkeypatch: pytest.MonkeyPatch) -> None:
    with serving() as service:
        monkeypatch.setenv("SKILLMOUNT_SERVER", service.url)

        async def run() -> None:
            adapter = framework.adapter(framework.identify)
            before = sockets()
            await framework.run(adapter, [LOAD, "done"])
            assert sockets() > before
            await adapter.aclose()
            assert sockets() == before
            # A client of the caller's stays open.
            async with service.aclient() as client:
                given = framework.adapter(framework.identify, client)
                await framework.run(given, [LOAD, "done"])
                await given.aclose()
                assert sockets() > before

        with strict():
            asyncio.run(run())


def a_copy_has_connections_of_its_own(framework: Framework, monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(api_key="the-key") as service:
        adapter = framework.adapter(_ana, AsyncClient(service.url, api_key="the-key"), control_key="the-control-key")

        async def run(one: Any) -> Ran:
            ran = await framework.run(one, [LOAD, "done"])
            await one._session._client.aclose()
            return ran

        assert SECRET in asyncio.run(run(adapter)).prompts[1]
        copied = copy.deepcopy(adapter)
        assert copied._session._client is not adapter._session._client
        assert SECRET in asyncio.run(run(copied)).prompts[1]
        written = pickle.dumps(adapter)
        assert b"the-key" not in written
        assert b"the-control-key" not in written
        monkeypatch.setenv("SKILLMOUNT_API_KEY", "the-key")
        assert SECRET in asyncio.run(run(pickle.loads(written))).prompts[1]
        assert SECRET in asyncio.run(run(adapter)).prompts[1]


def _ana(_: Any) -> tuple[str, str]:
    return "ana", "chat"


def one_adapter_serves_many_event_loops(framework: Framework) -> None:
    with serving() as service:
        adapter = framework.adapter(framework.identify, service.aclient())

        async def two() -> None:
            for ran in await asyncio.gather(*(framework.run(adapter, [LOAD, "done"]) for _ in range(2))):
                assert ran.results[0][1] is False

        for _ in range(3):
            asyncio.run(two())
        gc.collect()
        before = sockets()
        for _ in range(10):
            asyncio.run(two())
        gc.collect()
        assert sockets() <= before


def two_users_see_only_their_own(framework: Framework) -> None:
    with serving() as service:

        async def run() -> None:
            async with service.aclient() as client:
                adapter = framework.adapter(framework.identify, client)
                soup: Turn = [("load_skill", {"skill": "food/soup"})]
                for _ in range(3):
                    ana, bob = await asyncio.gather(
                        framework.run(adapter, [LOAD, soup, "done"], user="ana"),
                        framework.run(adapter, [soup, LOAD, "done"], user="bob"),
                    )
                    for ran in (ana, bob):
                        assert [failed for _, failed in ran.results] == [False, True]
                    assert SECRET in ana.prompts[1]
                    assert "food/soup" not in "".join(ana.prompts)
                    assert SECRET not in "".join(bob.prompts)
                    assert "law/leases" not in "".join(bob.prompts)

        asyncio.run(run())


def a_load_and_what_reads_its_files_may_be_in_one_turn(framework: Framework) -> None:
    with serving() as service, _flaky(service.url) as flaky:

        async def run() -> None:
            async with AsyncClient(flaky.url) as client:
                adapter = framework.adapter(framework.identify, client)
                # The load is held up, so a read that does not wait for it comes first.
                flaky.answers = [0.5]
                read = ("read", {"file_path": "/skills/leases/garage.md", "offset": None})
                ran = await framework.run(adapter, [[("load_skill", {"skill": "law/leases"}), read], "done"])
                assert [failed for _, failed in ran.results] == [False, False]
                assert "LEASE OF A GARAGE" in ran.results[1][0]

        asyncio.run(run())


def sockets() -> int:
    gc.collect()
    folder = Path("/proc/self/fd")
    return sum(os.path.exists(one) and os.readlink(one).startswith("socket:") for one in folder.iterdir())


@contextmanager
def strict() -> Iterator[None]:
    """Whatever stays open is an error, but what other tests left behind is not."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        gc.collect()
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        yield
        gc.collect()
    assert [str(one.message) for one in said if one.category is ResourceWarning] == []


@dataclass
class Flaky:
    """Hands requests on to a service, but answers calls of tools with these statuses first.

    A number below 100 hands the call on after as many seconds.
    """

    url: str
    answers: list[float] = field(default_factory=list)


@contextmanager
def _flaky(behind: str) -> Iterator[Flaky]:
    flaky = Flaky("")

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_: Any) -> None:
            pass

        def _hand_on(self) -> None:
            body = self.rfile.read(int(self.headers.get("content-length", 0)))
            status = flaky.answers.pop(0) if self.path.endswith("/tool_calls") and flaky.answers else 0
            if status < 100:
                time.sleep(status)
            else:
                code, outcome = {429: ("rate_limited", "not_applied"), 403: ("denied", "not_applied")}.get(
                    int(status), ("store_unavailable", "unknown")
                )
                document = {"code": code, "detail": f"it was {status}", "retryable": status != 403, "outcome": outcome}
                self._send(int(status), [("content-type", "application/problem+json")], json.dumps(document).encode())
                return
            connection = http.client.HTTPConnection(urlsplit(behind).netloc)
            headers = {name: value for name, value in self.headers.items() if name.lower() != "host"}
            connection.request(self.command, self.path, body, headers)
            reply = connection.getresponse()
            kept = [
                (name, value) for name, value in reply.getheaders() if name.lower() not in ("content-length", "date")
            ]
            self._send(reply.status, kept, reply.read())
            connection.close()

        do_GET = do_POST = do_PUT = _hand_on  # noqa: N815

        def _send(self, status: int, headers: list[tuple[str, str]], body: bytes) -> None:
            self.send_response(status)
            for name, value in headers:
                self.send_header(name, value)
            if status != 304:
                self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body if status != 304 else b"")

    proxy = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    proxy.daemon_threads = True
    flaky.url = f"http://127.0.0.1:{proxy.server_port}"
    thread = threading.Thread(target=proxy.serve_forever, daemon=True)
    thread.start()
    try:
        yield flaky
    finally:
        proxy.shutdown()
        proxy.server_close()
        thread.join()

"""What goes wrong around an agent: each is a sentence in the framework's own shape, and nothing is sent twice."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import pytest
from deepagents import create_deep_agent
from langchain.agents import create_agent
from langchain_core.messages import ToolMessage

from conftest import program
from skillmount import AsyncClient, Client, Retry, errors
from skillmount.connection import Connection
from skillmount.deepagents import SkillmountBackend, SkillmountMiddleware
from skillmount.graph import Fixed, GraphSessions
from skillmount.langchain.testing import ScriptedModel, Turn
from skillmount.testing import Server, server


def _told(state: dict[str, Any]) -> list[str]:
    messages = [message for message in state["messages"] if isinstance(message, ToolMessage)]
    told = [str(message.content) for message in messages]
    assert all("Traceback" not in text for text in told)
    return told


def test_a_service_of_another_version_is_said_at_the_first_call() -> None:
    def elsewhere(request: httpx.Request) -> httpx.Response:
        if request.url.path.endswith("/ls"):
            return httpx.Response(200, json={"files": []})
        problem = {"code": "route_not_found", "detail": "there is no such route", "retryable": False}
        return httpx.Response(404, json=problem)

    connection = Connection("http://service")
    transport = httpx.MockTransport(elsewhere)
    connection.client = Client("http://service", http=httpx.Client(transport=transport))
    connection.aclient = AsyncClient("http://service", http=httpx.AsyncClient(transport=transport))
    backend = SkillmountBackend(sessions=GraphSessions(connection, Fixed("u", "s")))
    assert "different versions" in (backend.ls("/").error or "")
    assert "different versions" in (backend.read("/workspace/x").error or "")
    agent: Any = create_deep_agent(
        model=ScriptedModel(turns=["hello"]), backend=backend, middleware=[SkillmountMiddleware(backend)]
    )
    with pytest.raises(errors.RouteNotFound, match="different versions"):
        agent.invoke({"messages": [("user", "go")]})


def _free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
        return port


@pytest.mark.parametrize("end", [signal.SIGTERM, signal.SIGKILL])
def test_a_service_that_restarts_is_waited_for_and_nothing_is_sent_twice(tmp_path: Path, end: signal.Signals) -> None:
    store, port = f"file:{tmp_path}", _free_port()
    retry = Retry(attempts=12, base=0.2, cap=1.0)
    backend = SkillmountBackend.fixed("u", "s", f"http://127.0.0.1:{port}", root="/workspace", retry=retry)
    client = Client(f"http://127.0.0.1:{port}", retry=retry)
    session = client.session("u", "s")
    began = threading.Barrier(9)
    stop = threading.Event()
    done: list[str] = []
    failed: list[Exception] = []

    def write(thread: int) -> None:
        began.wait()
        number = 0
        while not stop.is_set():
            path = f"/workspace/{thread}-{number}"
            number += 1
            try:
                # It makes a file and never replaces one: a write that is sent twice says so.
                session.write(path, "x")
                done.append(path)
            except errors.SkillmountError as error:
                failed.append(error)

    with server(program=program(), store=store, port=port) as first, ThreadPoolExecutor(8) as pool:
        session.write("/workspace/kept", "one\n")
        writers = [pool.submit(write, thread) for thread in range(8)]
        began.wait()
        while len(done) < 20:
            stop.wait(0.01)
        os.kill(first.pid, end)
        before = len(done)
        with server(program=program(), store=store, port=port):
            read = backend.read("/kept")
            while len(done) < before + 20:
                stop.wait(0.01)
            stop.set()
            for writer in writers:
                writer.result()
            there = {entry.path for entry in session.ls("/workspace").entries}
    assert read.error is None, "what only reads is repeated until the service is back"
    assert set(done) <= there
    # A write that was under way fails and says that nobody knows. Sent again, it would say `already_exists`.
    assert {type(error).__name__ for error in failed} <= {"Unreachable", "StoreUnavailable"}, failed


@pytest.fixture(scope="module")
def of_keys(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A service with a key of ana and one of bob."""
    keys, entries = {}, []
    for user in ("ana", "bob"):
        made = subprocess.run(
            [program(), "--json", "--user", user, "keys", "new"], capture_output=True, check=True, text=True
        )
        document = json.loads(made.stdout)
        keys[user] = document["key"]
        entries.append(document["entry"])
    file = tmp_path_factory.mktemp("keys") / "keys.toml"
    file.write_text("\n".join(entries))
    with server(program=program(), arguments=("--keys", str(file))) as running:
        yield running, keys


def test_the_session_of_another_user_is_denied(of_keys: tuple[Server, dict[str, str]]) -> None:
    running, keys = of_keys
    own = SkillmountBackend.fixed("ana", "s", running.url, api_key=keys["ana"])
    assert own.write("/workspace/secret", "of ana\n").error is None
    other = SkillmountBackend.fixed("ana", "s", running.url, api_key=keys["bob"])
    turns: list[Turn] = [
        [("read_file", {"file_path": "/workspace/secret"}), ("ls", {"path": "/workspace"})],
        [("write_file", {"file_path": "/workspace/secret", "content": "mine"})],
        "done",
    ]
    agent: Any = create_deep_agent(model=ScriptedModel(turns=turns), backend=other)
    told = _told(agent.invoke({"messages": [("user", "go")]}))
    assert len(told) == 3
    assert all("belongs to another user" in text and "of ana" not in text for text in told), told
    middleware: Any = SkillmountMiddleware(running.url, api_key=keys["bob"], user="ana", session="s")
    lists: Any = create_agent(ScriptedModel(turns=["hi"]), middleware=[middleware])
    with pytest.raises(errors.Denied, match="another user"):
        lists.invoke({"messages": [("user", "go")]})
    assert "of ana" in str(own.read("/workspace/secret").file_data)


def test_a_wrong_key_and_a_path_outside_of_root_are_what_the_model_reads(
    of_keys: tuple[Server, dict[str, str]],
) -> None:
    running, keys = of_keys
    turns: list[Turn] = [
        [
            ("read_file", {"file_path": "/../secret"}),
            ("ls", {"path": "/a/../../secret"}),
            ("glob", {"pattern": "../*"}),
        ],
        [("write_file", {"file_path": "~/x", "content": ""}), ("grep", {"pattern": "x", "path": "/../.."})],
        "done",
    ]
    within = SkillmountBackend.fixed("ana", "r", running.url, api_key=keys["ana"], root="/workspace/inner")
    agent: Any = create_deep_agent(model=ScriptedModel(turns=turns), backend=within)
    told = _told(agent.invoke({"messages": [("user", "go")]}))
    assert len(told) == 5
    assert all("raversal" in text for text in told), told

    wrong = SkillmountBackend.fixed("ana", "r", running.url, api_key="smk_wrong")
    turns = [[("read_file", {"file_path": "/workspace/x"})], "done"]
    agent = create_deep_agent(model=ScriptedModel(turns=turns), backend=wrong)
    (text,) = _told(agent.invoke({"messages": [("user", "go")]}))
    assert "key" in text

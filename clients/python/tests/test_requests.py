"""How many requests an agent costs the service, counted where they are sent, and the store, by the service's count."""

from __future__ import annotations

import asyncio
import re
from collections import Counter
from collections.abc import Callable
from typing import Any

import httpx
import pytest
from deepagents import create_deep_agent

from skillmount import SessionClient
from skillmount.deepagents import SkillmountBackend, SkillmountMiddleware
from skillmount.langchain.testing import ScriptedModel, Turn, results
from skillmount.testing import Server

FILE_CALLS: list[tuple[str, dict[str, Any]]] = [
    ("ls", {"path": "/workspace"}),
    ("read_file", {"file_path": "/workspace/a.md"}),
    ("grep", {"pattern": "one", "path": "/workspace"}),
    ("glob", {"pattern": "*.md", "path": "/workspace"}),
    ("write_file", {"file_path": "/workspace/b.md", "content": "TODO\n"}),
    ("edit_file", {"file_path": "/workspace/b.md", "old_string": "TODO", "new_string": "done"}),
]


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The requests of all clients, by the last part of their address."""
    paths: list[str] = []
    blocking, awaiting = httpx.Client.send, httpx.AsyncClient.send

    def note(self: httpx.Client, request: httpx.Request, **more: Any) -> httpx.Response:
        paths.append(request.url.path.rsplit("/", 1)[-1])
        return blocking(self, request, **more)

    async def anote(self: httpx.AsyncClient, request: httpx.Request, **more: Any) -> httpx.Response:
        paths.append(request.url.path.rsplit("/", 1)[-1])
        return await awaiting(self, request, **more)

    monkeypatch.setattr(httpx.Client, "send", note)
    monkeypatch.setattr(httpx.AsyncClient, "send", anote)
    return paths


@pytest.mark.parametrize("way", ["sync", "async"])
def test_a_conversation_of_25_model_calls(service: Server, user: str, sent: list[str], way: str) -> None:
    session = service.client().session(user, way)
    session.write("/workspace/a.md", "one\n")
    load: Turn = [("load_skill", {"skill": "writing/minutes"})]
    again: list[Turn] = [[call] for call in FILE_CALLS if call[0] != "write_file" and call[0] != "edit_file"]
    turns: list[Turn] = [*([call] for call in FILE_CALLS), load, *(again * 4), [("ls", {"path": "/"})], "done"]
    assert len(turns) == 25
    model = ScriptedModel(turns=turns)
    backend = SkillmountBackend(service.url)
    middleware = SkillmountMiddleware(backend, max_age=60.0)
    agent: Any = create_deep_agent(model=model, backend=backend, middleware=[middleware])
    config = {"configurable": {"user_id": user, "thread_id": way}}
    begin = {"messages": [("user", "go")]}
    sent.clear()
    state = agent.invoke(begin, config) if way == "sync" else asyncio.run(agent.ainvoke(begin, config))
    assert not any("rror" in told for told in results(state))
    assert len(model.seen) == 25
    counted = Counter(sent)
    # Once to begin with, and once after the load.
    assert counted.pop("prompt") == 2
    # Which tools the session may use is asked once, to begin with.
    assert counted.pop("tools", 0) <= 1
    # Each of the 24 calls of tools is one request, and nothing else is sent.
    assert sum(counted.values()) == 24, counted


def _store_requests(service: Server) -> int:
    metrics = httpx.get(f"{service.url}/metrics").text
    return sum(
        int(count) for count in re.findall(r"^skillmount_store_requests_total\{.*\} (\d+)$", metrics, re.MULTILINE)
    )


DIRECT: dict[str, Callable[[SessionClient], Any]] = {
    "ls": lambda on: on.ls("/workspace"),
    "read": lambda on: on.read("/workspace/a.md"),
    "grep": lambda on: on.grep("one", path="/workspace"),
    "glob": lambda on: on.glob("*.md", path="/workspace"),
    "write": lambda on: on.write("/workspace/b.md", "TODO\n", overwrite=True),
    "edit": lambda on: on.edit("/workspace/b.md", "TODO", "done"),
    "delete": lambda on: on.delete("/workspace/b.md"),
}
ADAPTED: dict[str, Callable[[SkillmountBackend], Any]] = {
    "ls": lambda on: on.ls("/workspace"),
    "read": lambda on: on.read("/workspace/a.md"),
    "grep": lambda on: on.grep("one", "/workspace"),
    "glob": lambda on: on.glob("*.md", "/workspace"),
    "write": lambda on: on.write("/workspace/b.md", "TODO\n"),
    "edit": lambda on: on.edit("/workspace/b.md", "TODO", "done"),
    "delete": lambda on: on.delete("/workspace/b.md"),
}


def _costs(service: Server, user: str, session_id: str, *, adapted: bool) -> dict[str, int]:
    """The requests to the store that each call of a new session leads to."""
    session = service.client().session(user, session_id)
    backend = SkillmountBackend.fixed(user, session_id, service.url)
    session.write("/workspace/a.md", "one\n")
    session.ls("/workspace")
    costs = {}
    for name in DIRECT:
        before = _store_requests(service)
        if adapted:
            assert ADAPTED[name](backend).error is None
        else:
            DIRECT[name](session)
        costs[name] = _store_requests(service) - before
    return costs


def test_a_call_of_the_adapter_costs_the_store_what_the_service_spends_on_it(service: Server, user: str) -> None:
    # The service writes records and uses in the background. They only add to a count, so the least of four is compared.
    def least(*, adapted: bool) -> dict[str, int]:
        rounds = [_costs(service, user, f"{adapted}-{number}", adapted=adapted) for number in range(4)]
        return {name: min(costs[name] for costs in rounds) for name in DIRECT}

    adapted, direct = least(adapted=True), least(adapted=False)
    assert adapted == direct
    assert direct["ls"] == direct["read"] == 1, "requests were counted"

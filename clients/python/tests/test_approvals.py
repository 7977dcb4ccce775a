"""Calls that a person approves first: the graph is interrupted, and goes on with the decision.

The service here is a stand-in that refuses, decides and serves as the service does.
"""

from __future__ import annotations

import asyncio
import json
from typing import Any

import httpx
import pytest
from deepagents import create_deep_agent
from langchain.agents import create_agent
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command

from skillmount import AsyncClient, Client
from skillmount._generated.tools import TOOLS
from skillmount.connection import Connection
from skillmount.deepagents import SkillmountBackend, SkillmountMiddleware
from skillmount.graph import Fixed, GraphSessions
from skillmount.langchain.testing import ScriptedModel, Turn, results

WAITS = "the tool write needs a person's approval, which was asked for; wait, then make the identical call again"


class Asking:
    """A service that asks about writes."""

    def __init__(self, *, codes: bool = False) -> None:
        self.codes = codes
        """Whether results of tools have a code; those of earlier services have none."""
        self.decisions: list[tuple[str, str]] = []
        self.messages: list[str | None] = []
        self.written = 0
        self.standing = "waits"
        self.approval = "a1"

    def __call__(self, request: httpx.Request) -> httpx.Response:
        name = request.url.path.rsplit("/", 1)[-1]
        if name == "prompt":
            return httpx.Response(200, json={"prompt": "", "mode": "two_state", "format": "xml", "tokens": 0,
                                             "tokenizer": "", "shown": 0, "total": 0})  # fmt: skip
        if name == "tools":
            return httpx.Response(200, json={"tools": [{"name": "write", **TOOLS["write"]}]})
        if name == "approvals":
            waiting = {"approval_id": "a1", "tool": "write", "input": {"file_path": "/workspace/x", "content": "x"},
                       "input_cut": False, "expires_at": "2026-11-27T12:00:00Z", "seconds_left": 299}  # fmt: skip
            return httpx.Response(200, json={"approvals": [waiting]})
        if "/approvals/" in request.url.path:
            self.standing = {"allow": "allowed", "deny": "denied"}[json.loads(request.content)["decision"]]
            self.decisions.append((name, request.headers["authorization"]))
            self.messages.append(json.loads(request.content).get("message"))
            return httpx.Response(200, json={})
        standing = self.standing
        if standing == "allowed":
            self.written += 1
            self.standing = "waits"
        if name == "tool_calls":
            text = {"waits": f"Error: {WAITS}", "denied": "Error: a person denied it", "allowed": "written"}[standing]
            block = {"type": "tool_result", "tool_use_id": "call", "content": text, "is_error": standing != "allowed"}
            if self.codes and request.headers.get("x-skillmount-result-details") == "true":
                block |= {"waits": {"code": "approval_required", "approval_id": self.approval},
                          "denied": {"code": "tool_blocked"}, "allowed": {}}[standing]  # fmt: skip
            return httpx.Response(200, json={"role": "user", "content": [block]})
        if standing == "allowed":
            return httpx.Response(200, json={"path": "/workspace/x", "etag": "e", "bytes": 1, "created": True})
        code, detail = ("approval_required", WAITS) if standing == "waits" else ("tool_blocked", "a person denied it")
        problem = {"code": code, "detail": detail, "retryable": False, "outcome": "not_applied",
                   "approval_id": self.approval}  # fmt: skip
        return httpx.Response(403, json=problem)

    def sessions(self, control_key: str | None) -> GraphSessions:
        connection = Connection("http://service", api_key="agent")
        transport = httpx.MockTransport(self)
        connection.client = Client("http://service", api_key="agent", http=httpx.Client(transport=transport))
        connection.aclient = AsyncClient("http://service", api_key="agent", http=httpx.AsyncClient(transport=transport))
        return GraphSessions(connection, Fixed("u", "s"), control_key)


def _agent(service: Asking, kind: str, control_key: str | None) -> Any:
    sessions = service.sessions(control_key)
    backend = SkillmountBackend(sessions=sessions)
    name = "write_file" if kind == "deepagents" else "write"
    turns: list[Turn] = [[(name, {"file_path": "/workspace/x", "content": "x"})], "done"]
    model = ScriptedModel(turns=turns)
    if kind == "deepagents":
        return create_deep_agent(model=model, backend=backend, checkpointer=InMemorySaver())
    middleware: Any = SkillmountMiddleware(backend, file_tools=True)
    return create_agent(model, middleware=[middleware], checkpointer=InMemorySaver())


def _run(agent: Any, given: Any, way: str) -> Any:
    config = {"configurable": {"thread_id": "t"}}
    return agent.invoke(given, config) if way == "sync" else asyncio.run(agent.ainvoke(given, config))


@pytest.mark.parametrize("way", ["sync", "async"])
@pytest.mark.parametrize(("kind", "codes"), [("deepagents", False), ("create_agent", False), ("create_agent", True)])
@pytest.mark.parametrize("decision", ["allow", "deny"])
def test_a_graph_is_interrupted_and_goes_on_with_the_decision(kind: str, codes: bool, decision: str, way: str) -> None:
    service = Asking(codes=codes)
    agent = _agent(service, kind, "control")
    stopped = _run(agent, {"messages": [("user", "go")]}, way)
    (interrupt,) = stopped["__interrupt__"]
    assert interrupt.value["type"] == "skillmount_approval"
    assert interrupt.value["approval_id"] == "a1"
    assert interrupt.value["tool"] == "write"
    assert interrupt.value["input"].items() >= {"file_path": "/workspace/x", "content": "x"}.items()
    assert (interrupt.value["input_cut"], interrupt.value["seconds_left"]) == (False, 299)
    assert interrupt.value["asks"].startswith("The agent asks for approval to use the tool write on /workspace/x.")
    assert "299 more seconds" in interrupt.value["asks"]
    assert service.written == 0
    (told,) = results(_run(agent, Command(resume={"decision": decision}), way))
    assert service.decisions == [("a1", "Bearer control")], "decided with the key of the person, never the agent's"
    assert service.written == (decision == "allow")
    assert ("denied" in told) == (decision == "deny")


@pytest.mark.parametrize("kind", ["deepagents", "create_agent"])
def test_without_a_control_key_resuming_repeats_what_was_decided_elsewhere(kind: str) -> None:
    service = Asking()
    agent = _agent(service, kind, None)
    assert "__interrupt__" in _run(agent, {"messages": [("user", "go")]}, "sync")
    assert "__interrupt__" in _run(agent, Command(resume="allow"), "sync"), "nobody has decided yet"
    service.standing = "allowed"
    assert "rror" not in results(_run(agent, Command(resume=True), "sync"))[0]
    assert service.written == 1
    assert service.decisions == []


@pytest.mark.parametrize("kind", ["deepagents", "create_agent"])
def test_an_answer_that_comes_late_decides_about_the_identical_call_that_waits_now(kind: str) -> None:
    service = Asking()
    agent = _agent(service, kind, "control")
    _run(agent, {"messages": [("user", "go")]}, "sync")
    service.approval = "a2"
    _run(agent, Command(resume="allow"), "sync")
    assert service.decisions == [("a2", "Bearer control")]
    assert service.written == 1


def test_outside_of_a_graph_the_refusal_is_the_answer() -> None:
    backend = SkillmountBackend(sessions=Asking().sessions("control"))
    assert "approval" in (backend.write("/workspace/x", "x").error or "")


def test_a_control_key_that_is_refused_is_the_answer() -> None:
    service = Asking()
    agent = _agent(service, "deepagents", "control")
    _run(agent, {"messages": [("user", "go")]}, "sync")
    refused = {"code": "denied", "detail": "the key has no scope control", "retryable": False}
    decide = service.__class__.__call__

    def without_control(self: Asking, request: httpx.Request) -> httpx.Response:
        return httpx.Response(403, json=refused) if "/approvals/" in request.url.path else decide(self, request)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Asking, "__call__", without_control)
        (told,) = results(_run(agent, Command(resume="allow"), "sync"))
    assert "no scope control" in told


@pytest.mark.parametrize("kind", ["deepagents", "create_agent"])
@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ("reject", None),
        ({"type": "reject", "message": "archive it instead"}, "archive it instead"),
        ({"decisions": [{"type": "reject", "message": "archive it instead"}]}, "archive it instead"),
        ([{"type": "reject", "message": "é" * 1001}], "é" * 1000),
        ({"type": "reject", "message": " "}, None),
        ({"type": "reject", "message": 7}, None),
        ({"type": "approve", "message": "go ahead"}, None),
    ],
)
def test_a_message_is_posted_with_a_denial_alone(kind: str, answer: Any, message: str | None) -> None:
    service = Asking()
    agent = _agent(service, kind, "control")
    _run(agent, {"messages": [("user", "go")]}, "sync")
    _run(agent, Command(resume=answer), "sync")
    assert service.messages == [message]

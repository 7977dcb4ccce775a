"""Approvals with the real service: the graph stops, a person decides, the call runs once."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from deepagents import create_deep_agent
from langchain.agents import create_agent
from langchain_core.runnables import RunnableLambda
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command

from conftest import program
from skillmount import Client, models, operations
from skillmount.approval_request import MOST_INPUT_BYTES, shortened
from skillmount.deepagents import SkillmountBackend, SkillmountMiddleware, general_purpose
from skillmount.langchain.testing import ScriptedModel, Turn, results
from skillmount.testing import Server, server

GO: Any = {"messages": [("user", "go")]}
ALLOWING = [
    "allow",
    "Allow",
    "APPROVE",
    "accept\n",
    True,
    {"decision": "allow"},
    {"type": "approve"},
    {"decisions": [{"type": "approve"}]},
    [{"type": "accept", "args": None}],
]
DENYING = [
    "deny",
    "Reject",
    False,
    {"decision": "Deny"},
    {"type": "reject", "message": "not today"},
    {"decisions": [{"type": "reject", "message": "not today"}]},
    [{"type": "reject"}],
]
UNDECIDED = [
    "yes",
    "",
    1,
    0,
    [],
    ["allow"],
    {"type": "edit", "edited_action": {"name": "write_file", "args": {}}},
    {"type": "respond", "message": "allow"},
    [{"type": "ignore"}],
    {"decision": ["allow"]},
    {"decisions": []},
    {"decisions": [{"type": "approve"}, {"type": "approve"}]},
]


def _asking(client: Client, user: str, thread: str, *tools: str) -> None:
    policy = models.Policy.model_validate({"tools": {"*": "auto", **dict.fromkeys(tools, "ask")}})
    client.session(user, thread).create(policy=policy)


def _agent(backend: SkillmountBackend, turns: list[Turn], **more: Any) -> Any:
    return create_deep_agent(
        model=ScriptedModel(turns=turns),
        backend=backend,
        middleware=[SkillmountMiddleware(backend)],
        checkpointer=InMemorySaver(),
        **more,
    )


def _config(user: str, thread: str) -> Any:
    return {"configurable": {"thread_id": thread, "user_id": user}}


def _waiting(state: Any) -> dict[str, Any]:
    (interrupt,) = state["__interrupt__"]
    value: dict[str, Any] = interrupt.value
    return value


def _write(path: str, content: str = "x\n") -> tuple[str, dict[str, Any]]:
    return "write_file", {"file_path": path, "content": content}


@pytest.mark.parametrize("decision", ["allow", "deny"])
@pytest.mark.parametrize(
    ("call", "tool"),
    [
        (("write_file", {"file_path": "/workspace/x", "content": "x\n"}), "write"),
        (("load_skill", {"skill": "law/leases"}), "load_skill"),
    ],
)
def test_a_call_waits_for_a_person(service: Server, user: str, call: Any, tool: str, decision: str) -> None:
    thread = f"{tool}-{decision}"
    _asking(service.client(), user, thread, tool)
    agent = _agent(SkillmountBackend(service.url, control_key="the-key-of-a-person"), [[call], "done"])
    config = _config(user, thread)
    waiting = _waiting(agent.invoke(GO, config))
    assert waiting["approval_id"]
    assert "approval" in waiting["asks"]
    (told,) = results(agent.invoke(Command(resume=decision), config))
    session = service.client().session(user, thread)
    if decision == "deny":
        assert "a person denied" in told
    elif tool == "write":
        assert session.read("/workspace/x").content == "x\n"
    else:
        assert "Loaded skill leases" in told
        assert session.show().current_skill == "law/leases"


@pytest.mark.parametrize("kind", ["deepagents", "create_agent"])
def test_the_interrupt_holds_what_a_person_decides_about(service: Server, user: str, kind: str) -> None:
    _asking(service.client(), user, kind, "write")
    content = "é" * 3000
    if kind == "deepagents":
        agent = _agent(SkillmountBackend(service.url), [[_write("/workspace/x", content)], "done"])
    else:
        middleware: Any = SkillmountMiddleware(service.url, file_tools=True)
        turns: list[Turn] = [[("write", _write("/workspace/x", content)[1])], "done"]
        agent = create_agent(ScriptedModel(turns=turns), middleware=[middleware], checkpointer=InMemorySaver())
    waiting = _waiting(agent.invoke(GO, _config(user, kind)))
    assert waiting["tool"] == "write"
    assert waiting["input"]["file_path"] == "/workspace/x"
    shown = waiting["input"]["content"]
    assert shown.startswith("ééé")
    assert shown.endswith("é… (6000 bytes in all)")
    assert waiting["input_cut"]
    assert len(json.dumps(waiting["input"], ensure_ascii=False).encode()) <= MOST_INPUT_BYTES
    assert 200 < waiting["seconds_left"] <= 300
    assert "skill" not in waiting
    assert "digest" not in waiting
    assert "the tool write on /workspace/x" in waiting["asks"]
    assert "too long to be shown whole" in waiting["asks"]
    assert f"{waiting['seconds_left']} more seconds" in waiting["asks"]
    assert "identical call" not in waiting["asks"], "that is said to the model"
    assert json.loads(json.dumps(waiting)) == waiting, "a server of LangGraph sends it as JSON"


def test_a_short_input_is_whole(service: Server, user: str) -> None:
    _asking(service.client(), user, "short", "edit")
    edit = {"file_path": "/workspace/x", "old_string": "a", "new_string": "b", "replace_all": True}
    agent = _agent(SkillmountBackend(service.url), [[("edit_file", edit)], "done"])
    waiting = _waiting(agent.invoke(GO, _config(user, "short")))
    assert waiting["tool"] == "edit"
    assert {**edit, "newlines": "file"} == waiting["input"]
    assert waiting["input_cut"] is False
    assert "too long" not in waiting["asks"]


def test_a_load_is_asked_about_with_the_skill_and_its_version(service: Server, user: str) -> None:
    _asking(service.client(), user, "load", "load_skill")
    agent = _agent(SkillmountBackend(service.url, control_key="k"), [[("load_skill", {"skill": "leases"})], "done"])
    config = _config(user, "load")
    waiting = _waiting(agent.invoke(GO, config))
    assert waiting["tool"] == "load_skill"
    assert waiting["skill"] == "law/leases", "the model called it by its name alone"
    assert f"load the skill law/leases in the version {waiting['digest']}" in waiting["asks"]
    assert waiting["digest"] == service.client().session(user, "other").load_skill("law/leases").digest
    (told,) = results(agent.invoke(Command(resume="allow"), config))
    assert "Loaded skill leases (law/leases)" in told


def test_the_bytes_of_a_file_are_asked_about_by_their_path(service: Server, user: str) -> None:
    session = service.client().session(user, "bytes")
    session.write("/workspace/a é.png", "1")
    _asking(service.client(), user, "bytes", "download")
    agent = _agent(SkillmountBackend(service.url), [[("read_file", {"file_path": "/workspace/a é.png"})], "done"])
    waiting = _waiting(agent.invoke(GO, _config(user, "bytes")))
    assert (waiting["tool"], waiting["input"]) == ("download", {"path": "/workspace/a é.png"})


@pytest.mark.parametrize("answer", [*ALLOWING, *DENYING], ids=repr)
def test_an_answer_decides_in_each_form_that_clients_send(service: Server, user: str, answer: Any) -> None:
    _asking(service.client(), user, "t", "write")
    agent = _agent(SkillmountBackend(service.url, control_key="k"), [[_write("/workspace/x")], "done"])
    agent.invoke(GO, _config(user, "t"))
    (told,) = results(agent.invoke(Command(resume=answer), _config(user, "t")))
    assert ("Updated file" in told) == (answer in ALLOWING)
    assert ("a person denied" in told) == (answer not in ALLOWING)
    assert ("not today" in told) == ("not today" in str(answer)), "the model reads what the person says"


@pytest.mark.parametrize("answer", UNDECIDED, ids=repr)
def test_an_answer_that_decides_nothing_is_named_by_the_next_interrupt(service: Server, user: str, answer: Any) -> None:
    _asking(service.client(), user, "t", "write")
    agent = _agent(SkillmountBackend(service.url, control_key="k"), [[_write("/workspace/x")], "done"])
    config = _config(user, "t")
    first = _waiting(agent.invoke(GO, config))
    assert first["answers"] == {"allow": ["allow", "approve", "accept"], "deny": ["deny", "reject"]}
    assert "decides nothing" not in first["asks"]
    second = _waiting(agent.invoke(Command(resume=answer), config))
    assert second["approval_id"] == first["approval_id"]
    assert f"The answer {answer!r} decides nothing: these do: allow, approve, accept, deny, reject." in second["asks"]
    assert service.client().session(user, "t").ls("/workspace").entries == []
    (told,) = results(agent.invoke(Command(resume="Approve"), config))
    assert "Updated file" in told


def test_calls_of_one_turn_are_decided_by_the_ids_of_their_interrupts(service: Server, user: str) -> None:
    _asking(service.client(), user, "two", "write")
    turns: list[Turn] = [[_write("/workspace/a"), _write("/workspace/b")], "done"]
    agent = _agent(SkillmountBackend(service.url, control_key="k"), turns)
    stopped = agent.invoke(GO, _config(user, "two"))["__interrupt__"]
    answers = {"/workspace/a": {"type": "approve"}, "/workspace/b": {"decisions": [{"type": "reject"}]}}
    resume = {each.id: answers[each.value["input"]["file_path"]] for each in stopped}
    allowed, denied = results(agent.invoke(Command(resume=resume), _config(user, "two")))
    assert "Updated file /workspace/a" in allowed
    assert "a person denied" in denied
    assert [entry.path for entry in service.client().session(user, "two").ls("/workspace").entries] == ["/workspace/a"]


def test_a_sub_agent_asks_in_its_own_session(service: Server, user: str) -> None:
    _asking(service.client(), user, "outer", "write")
    backend = SkillmountBackend(service.url, control_key="k")
    subagents = [general_purpose(SkillmountMiddleware(backend))]
    task = ("task", {"description": "go", "subagent_type": "general-purpose"})
    agent = _agent(backend, [[task], [_write("/workspace/s")], "inner done", "done"], subagents=subagents)
    config = _config(user, "outer")
    waiting = _waiting(agent.invoke(GO, config))
    assert waiting["session"].startswith("outer.")
    assert "decides nothing" in _waiting(agent.invoke(Command(resume="yes"), config))["asks"]
    assert results(agent.invoke(Command(resume={"type": "reject"}), config)) == ["inner done"]
    assert service.client().session(user, "outer").ls("/workspace").entries == []


def test_a_path_cannot_drive_the_terminal_of_the_person(service: Server, user: str) -> None:
    _asking(service.client(), user, "bidi", "write")
    agent = _agent(SkillmountBackend(service.url), [[_write("/workspace/a\u202eb")], "done"])
    waiting = _waiting(agent.invoke(GO, _config(user, "bidi")))
    assert waiting["input"]["file_path"] == "/workspace/a\u202eb", "what is decided about is what is called"
    assert "/workspace/a\\u202eb" in waiting["asks"]
    answered = _waiting(agent.invoke(Command(resume="\x1b[2J\u202e"), _config(user, "bidi")))
    assert answered["asks"].isprintable()


def test_in_a_runnable_that_is_no_graph_the_refusal_is_the_answer(service: Server, user: str) -> None:
    _asking(service.client(), user, "runnable", "write")
    backend = SkillmountBackend(service.url, control_key="k")
    run: Any = RunnableLambda(lambda path: backend.write(path, "x"))
    assert "approval" in run.invoke("/workspace/x", _config(user, "runnable")).error


@pytest.fixture(scope="module")
def of_keys(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Server, str, str]]:
    """A service with a key of an agent and one of a person, who approves each load."""
    made = [
        json.loads(
            subprocess.run(
                [program(), "--json", "--user", "ana", "keys", "new", "--scope", scope],
                capture_output=True,
                check=True,
                text=True,
            ).stdout
        )
        for scope in ("agent", "control")
    ]
    file: Path = tmp_path_factory.mktemp("keys") / "keys.toml"
    file.write_text("\n".join(each["entry"] for each in made))
    with server(program=program(), arguments=("--keys", str(file))) as running:
        with Client(running.url, api_key=made[1]["key"]) as person:
            leases = models.PublishRequest(description="Drafts leases. Use when someone rents.", body="# Leases\n")
            person.user("ana").publish("law/leases", leases)
            person.user("ana").set_policy(models.Policy.model_validate({"skills": {"law/*": "enabled"}}))
        yield running, made[0]["key"], made[1]["key"]


def test_with_the_key_of_an_agent_alone_a_person_decides_elsewhere(of_keys: tuple[Server, str, str]) -> None:
    running, agents, persons = of_keys
    backend = SkillmountBackend(running.url, api_key=agents)
    agent = _agent(backend, [[("load_skill", {"skill": "law/leases"})], "done"])
    config = _config("ana", "alone")
    waiting = _waiting(agent.invoke(GO, config))
    assert (waiting["tool"], waiting["skill"]) == ("load_skill", "law/leases")
    assert (waiting["expires_at"], waiting["seconds_left"], waiting["digest"]) == (None, None, None)
    assert "more seconds" not in waiting["asks"]
    unposted = _waiting(agent.invoke(Command(resume="allow"), config))
    assert "no key to post an answer" in unposted["asks"]
    with Client(running.url, api_key=persons) as person:
        decide = models.DecideApprovalRequest(decision="allow")
        person.send(operations.decide_approval("ana", "alone", waiting["approval_id"], decide))
    (told,) = results(agent.invoke(Command(resume="allow"), config))
    assert "Loaded skill leases" in told


@pytest.mark.parametrize("answer", ["allow", "reject"])
def test_the_key_of_a_person_shows_what_the_agents_does_not(of_keys: tuple[Server, str, str], answer: str) -> None:
    running, agents, persons = of_keys
    backend = SkillmountBackend(running.url, api_key=agents, control_key=persons)
    agent = _agent(backend, [[("load_skill", {"skill": "law/leases"})], "done"])
    waiting = _waiting(agent.invoke(GO, _config("ana", answer)))
    assert 200 < waiting["seconds_left"] <= 300
    assert waiting["digest"].startswith("sha256:")
    (told,) = results(agent.invoke(Command(resume=answer), _config("ana", answer)))
    assert ("Loaded skill leases" in told) == (answer == "allow")
    assert ("a person denied" in told) == (answer == "reject")


def test_an_input_is_shown_whole_up_to_its_limit() -> None:
    around = len(json.dumps({"content": ""}))
    whole = {"content": "x" * (MOST_INPUT_BYTES - around)}
    assert shortened(whole) == (whole, False)
    shown, cut = shortened({"content": whole["content"] + "x", "paths": [{"path": "y" * 5000}, 7]})
    assert cut
    assert len(json.dumps(shown, ensure_ascii=False).encode()) <= MOST_INPUT_BYTES
    assert shown["paths"][0]["path"].endswith("y… (5000 bytes in all)")
    assert shown["paths"][1] == 7
    assert shortened({str(name): name for name in range(2000)}) == ({}, True)

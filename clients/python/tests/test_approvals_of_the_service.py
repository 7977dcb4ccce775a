"""Approvals with the real service: the graph stops, a person decides, the call runs once."""

from __future__ import annotations

from typing import Any

import pytest
from deepagents import create_deep_agent
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command

from skillmount import models
from skillmount.deepagents import SkillmountBackend, SkillmountMiddleware
from skillmount.langchain.testing import ScriptedModel, Turn, results
from skillmount.testing import Server


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
    policy = models.Policy.model_validate({"tools": {"*": "auto", tool: "ask"}})
    service.client().session(user, thread).create(policy=policy)
    backend = SkillmountBackend(service.url, control_key="the-key-of-a-person")
    turns: list[Turn] = [[call], "done"]
    agent: Any = create_deep_agent(
        model=ScriptedModel(turns=turns),
        backend=backend,
        middleware=[SkillmountMiddleware(backend)],
        checkpointer=InMemorySaver(),
    )
    config = {"configurable": {"thread_id": thread, "user_id": user}}
    (interrupt,) = agent.invoke({"messages": [("user", "go")]}, config)["__interrupt__"]
    assert interrupt.value["approval_id"]
    assert interrupt.value["tool"] == tool
    assert 0 < interrupt.value["seconds_left"] <= 3600
    assert interrupt.value["asks"].startswith("The agent wants to ")
    if tool == "load_skill":
        assert interrupt.value["skill"] == "law/leases"
        assert interrupt.value["digest"].startswith("sha256:")
    else:
        assert interrupt.value["input"]["content"] == "x\n"
    (told,) = results(agent.invoke(Command(resume=decision), config))
    session = service.client().session(user, thread)
    if decision == "deny":
        assert "a person denied" in told
    elif tool == "write":
        assert session.read("/workspace/x").content == "x\n"
    else:
        assert "Loaded skill leases" in told
        assert session.show().current_skill == "law/leases"

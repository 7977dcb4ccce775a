"""LangChain's `create_agent` with a real graph and a real service, and what an agent costs in requests."""

from __future__ import annotations

import asyncio
from typing import Any

import httpx
import pytest
from langchain.agents import create_agent

from skillmount import models
from skillmount.langchain import SkillmountMiddleware
from skillmount.langchain.testing import ScriptedModel, Turn, results
from skillmount.testing import Server


def _run(agent: Any, user: str, thread: str, way: str = "sync") -> dict[str, Any]:
    config = {"configurable": {"thread_id": thread, "user_id": user}, "recursion_limit": 200}
    asked = {"messages": [("user", "go")]}
    state: dict[str, Any] = agent.invoke(asked, config) if way == "sync" else asyncio.run(agent.ainvoke(asked, config))
    return state


def _agent(service: Server, turns: list[Turn], **more: Any) -> tuple[Any, ScriptedModel]:
    model = ScriptedModel(turns=turns)
    middleware: Any = SkillmountMiddleware(service.url, **{"file_tools": True, **more})
    return create_agent(model, middleware=[middleware]), model


@pytest.mark.parametrize("way", ["sync", "async"])
def test_files_and_skills_without_deepagents(service: Server, user: str, way: str) -> None:
    agent, model = _agent(
        service,
        [
            [("load_skill", {"skill": "writing/minutes"}), ("ls", {"path": "/skills/minutes"})],
            [("write", {"file_path": "/workspace/a.md", "content": "TODO\n"})],
            [("edit", {"file_path": "/workspace/a.md", "old_string": "TODO", "new_string": "done"})],
            [("read", {"file_path": "/workspace/a.md"}), ("grep", {"pattern": "do.e"})],
            [("read", {"file_path": "/skills/leases/SKILL.md"})],
            [("delete", {"path": "/workspace/a.md"}), ("edit", {"file_path": "relative"})],
            "done",
        ],
    )
    told = results(_run(agent, user, "files", way))
    assert "template.md" in told[1]
    assert "done" in told[4]
    assert "/workspace/a.md" in told[5]
    assert told[6].startswith("Error: File not found")
    assert told[8].startswith("Error: ")
    assert "SECRET-OF-MINUTES" in model.system(1)
    assert {"load_skill", "unload_skill", "discover_skills", "read", "write"} <= set(model.offered[0])


@pytest.mark.parametrize("mode", ["two_state", "listing", "combined"])
def test_instructions_stand_in_one_place_only(service: Server, user: str, mode: Any) -> None:
    turns: list[Turn] = [[("load_skill", {"skill": "writing/minutes"})], "done"]
    agent, model = _agent(service, turns, mode=mode)
    (told,) = results(_run(agent, user, mode))
    assert (told + model.system(1)).count("SECRET-OF-MINUTES") == 1
    assert ("SECRET-OF-MINUTES" in told) == (mode == "listing")


def test_file_tools_are_added_only_if_asked_for(service: Server, user: str) -> None:
    agent, model = _agent(service, ["done"], file_tools=False)
    _run(agent, user, "no-files")
    assert set(model.offered[0]) == {"load_skill", "unload_skill", "discover_skills"}


def test_the_tools_are_those_that_the_policy_and_the_mode_give(service: Server, user: str) -> None:
    session = service.client().session(user, "grows")
    session.create(policy=models.Policy(prompt_mode="discover", load_tool="Skill"))
    turns: list[Turn] = [
        [("discover_skills", {"query": "minutes of a meeting"})],
        [("Skill", {"skill": "writing/minutes"}), ("read", {"file_path": "/skills/minutes/template.md"})],
        "done",
    ]
    agent, model = _agent(service, turns)
    told = results(_run(agent, user, "grows"))
    assert [set(offered) & {"discover_skills", "load_skill", "Skill", "read"} for offered in model.offered] == [
        {"discover_skills"},
        {"discover_skills", "Skill"},
        {"discover_skills", "Skill", "read"},
    ]
    assert "Loaded skill minutes" in told[1]
    assert "## Decisions" in told[2]


def test_a_session_that_may_only_look_is_shown_no_tool_that_writes(service: Server, user: str) -> None:
    service.client().session(user, "looks").create(policy=models.Policy(plan_mode=True))
    agent, model = _agent(service, ["done"])
    _run(agent, user, "looks")
    assert not {"write", "edit", "delete", "move"} & set(model.offered[0])
    assert {"read", "load_skill"} <= set(model.offered[0])


def test_a_fixed_user_and_session_need_no_configuration(service: Server, user: str) -> None:
    agent, model = _agent(service, ["done"], user=user, session="mine")
    agent.invoke({"messages": [("user", "go")]})
    assert "writing/minutes" in model.system(0)
    with pytest.raises(ValueError, match="both"):
        SkillmountMiddleware(service.url, user=user)


def test_an_agent_as_a_tool_of_another_has_a_session_of_its_own(service: Server, user: str) -> None:
    from langchain_core.tools import tool

    inner, inner_model = _agent(service, [[("load_skill", {"skill": "law/leases"})], "inner is done"])

    @tool
    def ask_a_lawyer(question: str) -> str:
        """Ask a lawyer."""
        state: dict[str, Any] = inner.invoke({"messages": [("user", question)]})
        return str(state["messages"][-1].content)

    model = ScriptedModel(turns=[[("ask_a_lawyer", {"question": "?"})], "done"])
    middleware: Any = SkillmountMiddleware(service.url)
    outer: Any = create_agent(model, tools=[ask_a_lawyer], middleware=[middleware])
    assert results(_run(outer, user, "outer")) == ["inner is done"]
    assert "SECRET-OF-LEASES" in inner_model.system(1)
    assert "SECRET-OF-LEASES" not in model.system(1)


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The requests of all clients that block, by the last part of their address."""
    paths: list[str] = []
    send = httpx.Client.send

    def noted(self: httpx.Client, request: httpx.Request, **more: Any) -> httpx.Response:
        paths.append(request.url.path.rsplit("/", 1)[-1])
        return send(self, request, **more)

    monkeypatch.setattr(httpx.Client, "send", noted)
    return paths


def test_a_prompt_is_asked_for_only_after_a_change(service: Server, user: str, sent: list[str]) -> None:
    reads: list[Turn] = [[("ls", {"path": "/"})] for _ in range(11)]
    load: Turn = [("load_skill", {"skill": "writing/minutes"})]
    agent, model = _agent(service, [*reads, load, *reads, "done"], max_age=60.0)
    _run(agent, user, "cheap")
    assert len(model.seen) == 24
    assert sent.count("tool_calls") == 23
    # Once to begin with, and once after the skill was loaded.
    assert sent.count("prompt") == 2
    # Which tools there are is asked once, to begin with.
    assert len(sent) == 26


def test_a_prompt_is_asked_for_again_when_nobody_has_said_for_long_that_it_is_right(
    service: Server, user: str, sent: list[str]
) -> None:
    agent, _ = _agent(service, [[("ls", {"path": "/"})], "done"], max_age=0.0)
    _run(agent, user, "asks")
    assert sent.count("prompt") == 2


def test_a_new_skill_is_in_the_next_prompt(service: Server, user: str) -> None:
    turns: list[Turn] = [[("ls", {"path": "/"})], "done"]
    agent, model = _agent(service, turns)

    class Publishing(ScriptedModel):
        def _generate(self, messages: Any, *given: Any, **more: Any) -> Any:
            if len(self.seen) == 0:
                service.publish(user, "new/one", "Is new. Use when asked.", "NEW\n")
            return super()._generate(messages, *given, **more)

    model = Publishing(turns=turns)
    middleware: Any = SkillmountMiddleware(service.url, file_tools=True)
    agent = create_agent(model, middleware=[middleware])
    _run(agent, user, "new-skill")
    assert "new/one" not in model.system(0)
    assert "new/one" in model.system(1)


def test_the_last_prompt_is_used_while_the_service_is_away(user: str) -> None:
    from conftest import program
    from skillmount.testing import server

    with server(program=program()) as short:
        short.publish("u", "a/b", "Is there. Use when asked.", "B\n")
        agent, model = _agent(short, ["one", "two"], user="u", session="s", max_age=0.0)
        agent.invoke({"messages": [("user", "go")]})
    agent.invoke({"messages": [("user", "go")]})
    assert "a/b" in model.system(1)

"""deepagents with a real graph and a real service; the chat model alone is scripted."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from deepagents import create_deep_agent
from deepagents.backends import CompositeBackend
from langchain_core.messages import ToolMessage
from langchain_core.runnables import RunnableLambda
from langchain_core.tools import tool

from skillmount import MissingIdentity
from skillmount.deepagents import SkillmountBackend, SkillmountMiddleware, SkillsSourceUnavailable, general_purpose
from skillmount.langchain.testing import ScriptedModel, Turn, results
from skillmount.testing import Server

Run = Callable[[Any, str, str], dict[str, Any]]


def _config(user: str, thread: str) -> Any:
    return {"configurable": {"thread_id": thread, "user_id": user}}


def _sync(agent: Any, user: str, thread: str) -> dict[str, Any]:
    state: dict[str, Any] = agent.invoke({"messages": [("user", "go")]}, _config(user, thread))
    return state


def _async(agent: Any, user: str, thread: str) -> dict[str, Any]:
    state: dict[str, Any] = asyncio.run(agent.ainvoke({"messages": [("user", "go")]}, _config(user, thread)))
    return state


both_ways = pytest.mark.parametrize("run", [_sync, _async])


def _agent(service: Server, turns: list[Turn], **more: Any) -> tuple[Any, ScriptedModel]:
    model = ScriptedModel(turns=turns)
    backend = SkillmountBackend(service.url)
    more.setdefault("middleware", [SkillmountMiddleware(backend)])
    return create_deep_agent(model=model, backend=backend, **more), model


def test_read_through_a_real_graph(service: Server, user: str) -> None:
    service.client().session(user, "t1").write("/workspace/notes.md", "one\ntwo\nthree\n")
    agent, _ = _agent(service, [[("read_file", {"file_path": "/workspace/notes.md", "offset": 1, "limit": 1})], "ok"])
    (read,) = results(_sync(agent, user, "t1"))
    assert "two" in read
    assert "lines 2-2 of 3" in read
    assert "one" not in read


@both_ways
def test_a_conversation_from_the_listing_to_a_written_file(stores: Server, user_of_stores: str, run: Run) -> None:
    service, user = stores, user_of_stores
    agent, model = _agent(
        service,
        [
            [("read_file", {"file_path": "/skills/minutes/SKILL.md"})],
            [("discover_skills", {"query": "minutes of a meeting"})],
            [("load_skill", {"skill": "nowhere"})],
            [("load_skill", {"skill": "writing/minutes"})],
            [("ls", {"path": "/skills/minutes"}), ("read_file", {"file_path": "/skills/minutes/template.md"})],
            [("grep", {"pattern": "SECRET", "path": "/", "output_mode": "content"})],
            [("glob", {"pattern": "*.md", "path": "/skills"})],
            [("write_file", {"file_path": "/workspace/m.md", "content": "Draft: TODO\n"})],
            [("edit_file", {"file_path": "/workspace/m.md", "old_string": "TODO", "new_string": "done"})],
            [("read_file", {"file_path": "/workspace/m.md"})],
            [("edit_file", {"file_path": "/skills/minutes/SKILL.md", "old_string": "Minutes", "new_string": "X"})],
            [("delete", {"file_path": "/skills/minutes"})],
            [("read_file", {"file_path": "/skills/leases/SKILL.md"})],
            [("unload_skill", {"skill": "minutes"})],
            [("ls", {"path": "/skills"})],
            "done",
        ],
    )
    told = results(run(agent, user, "t"))
    assert 'location="writing/minutes"' in model.system(0)
    assert "SECRET-OF-MINUTES" not in model.system(0)
    assert "not found" in told[0]
    assert "writing/minutes" in told[1]
    assert "none with a name near it" in told[2]
    assert "SECRET-OF-MINUTES" not in told[3]
    assert model.system(4).count("SECRET-OF-MINUTES") == 1
    assert "/skills/minutes/template.md" in told[4]
    assert "## Decisions" in told[5]
    assert "SECRET-OF-MINUTES" in told[6]
    assert "SECRET-OF-LEASES" not in told[6]
    assert "/skills/minutes/SKILL.md" in told[7]
    assert told[8] == "Updated file /workspace/m.md"
    assert "Successfully replaced 1" in told[9]
    assert "Draft: done" in told[10]
    assert "cannot be written; write below /workspace" in told[11]
    assert "cannot be deleted" in told[12] or "Error deleting" in told[12]
    assert "not found" in told[13]
    assert "path_not_found" in told[15]
    assert "SECRET-OF-MINUTES" not in model.system(15)


@both_ways
def test_load_and_use_in_one_turn(service: Server, user: str, run: Run) -> None:
    turn: Turn = [
        ("load_skill", {"skill": "writing/minutes"}),
        ("read_file", {"file_path": "/skills/minutes/template.md"}),
        ("ls", {"path": "/skills/minutes"}),
    ]
    agent, _ = _agent(service, [turn, "done"])
    told = results(run(agent, user, "one-turn"))
    assert "loaded" in told[0]
    assert "## Decisions" in told[1]
    assert "template.md" in told[2]


@both_ways
def test_a_call_after_a_load_that_failed_goes_on(service: Server, user: str, run: Run) -> None:
    turn: Turn = [("load_skill", {"skill": "none"}), ("ls", {"path": "/"})]
    agent, _ = _agent(service, [turn, "done"])
    told = results(run(agent, user, "failed-load"))
    assert "there is no skill" in told[0]
    assert "/workspace" in told[1]


@tool
def long_report() -> str:
    """Return a long report."""
    return "\n".join(f"line {number} of the report" for number in range(9_000))


@both_ways
@pytest.mark.parametrize("composite", [False, True])
def test_a_large_result_leaves_the_context(stores: Server, user_of_stores: str, run: Run, composite: bool) -> None:
    service, user = stores, user_of_stores
    model = ScriptedModel(
        turns=[
            [("long_report", {})],
            [("grep", {"pattern": "line 8999 ", "path": "/large_tool_results", "output_mode": "content"})],
            "done",
        ]
    )
    backend: Any = SkillmountBackend(service.url)
    if composite:
        backend = CompositeBackend(backend, {"/memories/": backend.at("/workspace/memories")})
    agent: Any = create_deep_agent(model=model, backend=backend, tools=[long_report])
    told = results(run(agent, user, f"large-{composite}"))
    assert len(long_report.invoke({})) > 200_000
    assert len(told[0]) < 5_000
    assert "/large_tool_results/" in told[0]
    assert "line 8999 of the report" in told[1]
    files = service.client().session(user, f"large-{composite}").ls("/workspace/.deepagents/large_tool_results")
    assert len(files.entries) == 1


@both_ways
def test_a_sub_agent_has_skills_of_its_own(stores: Server, user_of_stores: str, run: Run) -> None:
    service, user = stores, user_of_stores
    child = ScriptedModel(
        turns=[
            [("load_skill", {"skill": "law/leases"})],
            [("write_file", {"file_path": "/workspace/lease.md", "content": "lease\n"})],
            [("ls", {"path": "/skills"})],
            "the lease is written",
        ]
    )
    parent = ScriptedModel(
        turns=[
            [("load_skill", {"skill": "writing/minutes"})],
            [("task", {"description": "draft a lease", "subagent_type": "lawyer"})],
            [("read_file", {"file_path": "/workspace/lease.md"}), ("ls", {"path": "/skills"})],
            "done",
        ]
    )
    backend = SkillmountBackend(service.url)
    middleware = SkillmountMiddleware(backend)
    lawyer: Any = {
        "name": "lawyer",
        "description": "Knows the law.",
        "system_prompt": "You are a lawyer.",
        "model": child,
        "middleware": [middleware],
    }
    agent: Any = create_deep_agent(model=parent, backend=backend, middleware=[middleware], subagents=[lawyer])
    told = results(run(agent, user, "sub"))
    assert "SECRET-OF-MINUTES" in child.system(0), "it begins with what its parent had"
    assert "SECRET-OF-LEASES" in child.system(1)
    assert "/skills/leases" in str(child.seen[3][-1].content)
    assert "SECRET-OF-MINUTES" in parent.system(2), "the parent's prompt is its own"
    assert "SECRET-OF-LEASES" not in parent.system(2)
    assert told[1] == "the lease is written"
    assert "lease" in told[2], "the workspace is shared"
    assert told[3] == "['/skills/minutes/']"


@pytest.mark.parametrize("given", [False, True])
def test_the_default_sub_agent_changes_nothing_of_its_parent(service: Server, user: str, given: bool) -> None:
    turns: list[Turn] = [
        [("task", {"description": "look around", "subagent_type": "general-purpose"})],
        # The sub-agent has the same model, so these turns are its own.
        [("load_skill", {"skill": "law/leases"})] if given else [("ls", {"path": "/"})],
        "looked around",
        [("ls", {"path": "/"})],
        "done",
    ]
    model = ScriptedModel(turns=turns)
    backend = SkillmountBackend(service.url)
    middleware = SkillmountMiddleware(backend)
    subagents = [general_purpose(middleware)] if given else []
    agent: Any = create_deep_agent(model=model, backend=backend, middleware=[middleware], subagents=subagents)
    told = results(_sync(agent, user, f"gp-{given}"))
    assert ("SECRET-OF-LEASES" in model.system(2)) == given
    assert "SECRET-OF-LEASES" not in model.system(3)
    assert told == ["looked around", "['/workspace/', '/ticket/']"] or told[1] == "['/ticket/', '/workspace/']"


def test_a_runnable_outside_of_a_graph_works_for_the_user_of_its_configuration(service: Server, user: str) -> None:
    backend = SkillmountBackend(service.url)
    run: Any = RunnableLambda(lambda path: backend.write(path, "x"))
    assert run.invoke("/workspace/x", _config(user, "runnable")).error is None
    assert service.client().session(user, "runnable").read("/workspace/x").content == "x"


def test_two_sub_agents_at_once_have_a_session_each(service: Server, user: str) -> None:
    children = {
        name: ScriptedModel(turns=[[("load_skill", {"skill": skill})], [("ls", {"path": "/skills"})], name])
        for name, skill in (("writer", "writing/minutes"), ("lawyer", "law/leases"))
    }
    backend = SkillmountBackend(service.url)
    middleware = SkillmountMiddleware(backend)
    subagents: Any = [
        {"name": name, "description": name, "system_prompt": name, "model": child, "middleware": [middleware]}
        for name, child in children.items()
    ]
    parent = ScriptedModel(
        turns=[[("task", {"description": "go", "subagent_type": name}) for name in children], "done"]
    )
    agent: Any = create_deep_agent(model=parent, backend=backend, middleware=[middleware], subagents=subagents)
    _sync(agent, user, "two")
    seen = {name: str(child.seen[2][-1].content) for name, child in children.items()}
    assert seen == {"writer": "['/skills/minutes/']", "lawyer": "['/skills/leases/']"}


def _turns_of(user: str) -> list[Turn]:
    return [
        [("write_file", {"file_path": "/workspace/me.md", "content": f"I am {user}\n"})],
        [("load_skill", {"skill": f"own/{user}"})],
        [("read_file", {"file_path": "/workspace/me.md"}), ("grep", {"pattern": "I am", "output_mode": "content"})],
        [("ls", {"path": "/skills"})],
        "done",
    ]


class _ManyModels(ScriptedModel):
    """Says what the user of the run says, so that one compiled agent serves them all."""

    def _generate(self, messages: Any, stop: Any = None, run_manager: Any = None, **more: Any) -> Any:
        user = messages[1].content if messages[0].type == "system" else messages[0].content
        said = sum(message.type == "ai" for message in messages)
        turn = _turns_of(str(user))[said]
        return ScriptedModel(turns=[turn])._generate(messages)


@pytest.mark.parametrize("way", ["sync", "async"])
def test_one_agent_serves_sixteen_users_at_once(service: Server, way: str) -> None:
    users = [f"{way}{number}" for number in range(16)]
    for name in users:
        service.publish(name, f"own/{name}", f"Is of {name}. Use when asked.", f"SECRET-OF-{name}\n")
    backend = SkillmountBackend(service.url)
    agent: Any = create_deep_agent(
        model=_ManyModels(turns=[]), backend=backend, middleware=[SkillmountMiddleware(backend)]
    )

    def one(name: str) -> Any:
        # All have one thread id: it is the user that keeps them apart.
        return agent.invoke({"messages": [("user", name)]}, _config(name, "chat"))

    async def all_at_once() -> list[Any]:
        given = [({"messages": [("user", name)]}, _config(name, "chat")) for name in users]
        return await asyncio.gather(*(agent.ainvoke(*each) for each in given))

    if way == "sync":
        with ThreadPoolExecutor(16) as pool:
            states = list(pool.map(one, users))
    else:
        states = asyncio.run(all_at_once())
    for name, state in zip(users, states, strict=True):
        told = results(state)
        assert f"I am {name}" in told[2]
        assert told[3].count("I am") == 1
        assert told[4] == f"['/skills/{name}/']"


def test_a_run_without_a_user_fails_and_says_where_it_is_looked_for(service: Server) -> None:
    agent, _ = _agent(service, ["done"])
    with pytest.raises(MissingIdentity, match="user_id"):
        agent.invoke({"messages": [("user", "go")]}, {"configurable": {"thread_id": "t"}})
    with pytest.raises(MissingIdentity, match="thread_id"):
        agent.invoke({"messages": [("user", "go")]}, {"configurable": {"user_id": "u"}})
    with pytest.raises(MissingIdentity, match="no graph is running"):
        SkillmountBackend(service.url).ls("/")


def test_the_user_may_come_from_the_context(service: Server, user: str) -> None:
    model = ScriptedModel(turns=[[("load_skill", {"skill": "law/leases"})], "done"])
    backend = SkillmountBackend(service.url)
    agent: Any = create_deep_agent(
        model=model, backend=backend, middleware=[SkillmountMiddleware(backend)], context_schema=dict
    )
    config: Any = {"configurable": {"thread_id": "t"}}
    (told,) = results(agent.invoke({"messages": [("user", "go")]}, config, context={"user_id": user}))
    assert "law/leases" in told


def test_who_has_authenticated_is_believed_before_who_was_named(service: Server, user: str) -> None:
    agent, model = _agent(service, ["done"])
    config = _config("somebody-else", "t")
    config["configurable"]["langgraph_auth_user_id"] = user
    agent.invoke({"messages": [("user", "go")]}, config)
    assert "writing/minutes" in model.system(0)


def test_skills_of_deepagents_own_fail_with_what_to_use(service: Server, user: str) -> None:
    agent, _ = _agent(service, ["done"], skills=["/skills/"])
    with pytest.raises(SkillsSourceUnavailable, match="SkillmountMiddleware"):
        _sync(agent, user, "idiom")


def test_skills_of_deepagents_own_work_if_all_are_visible(service: Server, user: str) -> None:
    from skillmount import models

    session = service.client().session(user, "all")
    session.create(policy=models.Policy(visibility="all"))
    agent, model = _agent(service, ["done"], skills=["/skills/"], middleware=[])
    _sync(agent, user, "all")
    assert "**minutes**: Writes the minutes of a meeting." in model.system(0)


def test_a_service_that_is_away_is_an_error_for_the_model_and_not_a_stack_trace() -> None:
    from skillmount import Retry

    backend = SkillmountBackend.fixed("u", "s", "http://127.0.0.1:9", retry=Retry(attempts=2, base=0.01))
    model = ScriptedModel(turns=[[("ls", {"path": "/"}), ("write_file", {"file_path": "/workspace/x", "content": ""})]])
    agent: Any = create_deep_agent(model=model, backend=backend)
    state = agent.invoke({"messages": [("user", "go")]})
    told = [message for message in state["messages"] if isinstance(message, ToolMessage)]
    assert all("cannot be reached" in str(message.content) for message in told)
    assert all("Traceback" not in json.dumps(message.content) for message in told)

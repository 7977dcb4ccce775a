"""What deepagents and `create_agent` have in common here, each with the real framework and the real service.

A test runs in both, with a model that says what is written for it.
"""

from __future__ import annotations

import asyncio
import copy
import logging
import os
import pickle
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from deepagents import create_deep_agent
from faults import door
from langchain.agents import create_agent
from langchain.agents.middleware import AgentMiddleware
from langchain_core.messages import ToolMessage
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command

from conftest import program
from skillmount import MissingIdentity, Retry, SkillmountError, models
from skillmount.deepagents import SkillmountBackend, SkillmountMiddleware
from skillmount.graph import Run
from skillmount.langchain.testing import ScriptedModel, Turn, results
from skillmount.testing import Server, server

KINDS = ("deepagents", "create_agent")
GO: Any = {"messages": [("user", "go")]}
LOAD: Turn = [("load_skill", {"skill": "writing/minutes"})]


@pytest.fixture(params=KINDS)
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


class Adapted:
    """An agent of one of the two frameworks."""

    def __init__(self, kind: str, url: str, turns: list[Turn], *, agent: Any = None, **settings: Any) -> None:
        self.kind = kind
        self.model = ScriptedModel(turns=turns)
        given = {"middleware": [], **(agent or {})}
        if kind == "deepagents":
            self.adapter: Any = SkillmountBackend(url, **settings)
            self.middleware: Any = SkillmountMiddleware(self.adapter, max_age=0.0)
            given["middleware"] = [*given["middleware"], self.middleware]
            self.agent: Any = create_deep_agent(model=self.model, backend=self.adapter, **given)
        else:
            self.adapter = self.middleware = SkillmountMiddleware(url, file_tools=True, max_age=0.0, **settings)
            given["middleware"] = [*given["middleware"], self.middleware]
            self.agent = create_agent(self.model, **given)

    def run(self, user: str, thread: str, asked: Any = GO) -> dict[str, Any]:
        state: dict[str, Any] = self.agent.invoke(asked, config(user, thread))
        return state

    async def arun(self, user: str, thread: str, asked: Any = GO) -> dict[str, Any]:
        state: dict[str, Any] = await self.agent.ainvoke(asked, config(user, thread))
        return state


def config(user: str, thread: str) -> Any:
    return {"configurable": {"thread_id": thread, "user_id": user}, "recursion_limit": 200}


def reading(kind: str, path: str) -> tuple[str, dict[str, Any]]:
    return ("read_file" if kind == "deepagents" else "read"), {"file_path": path}


def writing(kind: str, path: str, content: str = "x\n") -> tuple[str, dict[str, Any]]:
    return ("write_file" if kind == "deepagents" else "write"), {"file_path": path, "content": content}


@contextmanager
def standing_still(service: Server) -> Iterator[None]:
    """A service that accepts calls and does not answer."""
    os.kill(service.pid, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(service.pid, signal.SIGCONT)


@pytest.fixture
def own_service() -> Iterator[tuple[Server, str]]:
    """A service that a test may stop, and a user with a skill."""
    with server(program=program()) as running:
        running.publish("ana", "writing/minutes", "Writes minutes. Use when asked.", "SECRET-OF-MINUTES\n")
        yield running, "ana"


# session


def test_the_developer_says_whose_session_it_is_and_nothing_else_changes_an_id(
    service: Server, user: str, kind: str
) -> None:
    def identify(run: Run) -> tuple[str, str]:
        assert run.configurable["thread_id"] == run.session
        return run.user.replace("|", "."), run.session.replace(":", "-")

    agent = Adapted(kind, service.url, [LOAD, "done"], identify=identify)
    agent.run(f"{user[:2]}|{user[2:]}", "plain")
    with service.client() as client:
        mapped = client.user(f"{user[:2]}.{user[2:]}")
        service.publish(mapped.id, "writing/minutes", "Writes minutes. Use when asked.", "M\n")
        Adapted(kind, service.url, [LOAD, "done"], identify=identify).run(f"{user[:2]}|{user[2:]}", "slack:C1:1.2")
        assert "slack-C1-1.2" in {session.session_id for session in mapped.sessions()}
    Adapted(kind, service.url, [LOAD, "done"]).run(user, "Thread_1.2")
    with service.client() as client:
        assert [session.session_id for session in client.user(user).sessions()] == ["Thread_1.2"]
    with pytest.raises(SkillmountError, match="is not an id"):
        Adapted(kind, service.url, ["done"]).run("auth0|5f7", "s")
    with pytest.raises(MissingIdentity):
        Adapted(kind, service.url, ["done"], identify=lambda run: ("", run.session)).run(user, "s")


def test_a_fixed_session_and_a_mapping_exclude_each_other(service: Server) -> None:
    with pytest.raises(ValueError, match="either user and session or identify"):
        SkillmountMiddleware(service.url, user="ana", session="s", identify=lambda run: (run.user, run.session))


# refresh


def test_a_skill_that_was_loaded_shows_in_the_next_turn(service: Server, user: str, kind: str) -> None:
    agent = Adapted(kind, service.url, [LOAD, "done"])
    agent.run(user, "prompt")
    assert "writing/minutes" in agent.model.system(0)
    assert "SECRET-OF-MINUTES" not in agent.model.system(0)
    assert "SECRET-OF-MINUTES" in agent.model.system(1)
    service.client().session(user, "tools").create(policy=models.Policy(prompt_mode="discover"))
    agent = Adapted(kind, service.url, [[("discover_skills", {"query": "minutes of a meeting"})], LOAD, "done"])
    agent.run(user, "tools")
    ours = {"discover_skills", "load_skill"}
    assert [set(offered) & ours for offered in agent.model.offered] == [{"discover_skills"}, ours, ours]
    assert "Already loaded: writing/minutes" in agent.model.system(2)


# own


@tool
def weather(place: str) -> str:
    """Say how the weather is."""
    return f"sunny in {place}"


def test_the_developers_own_tools_and_instructions_stay(service: Server, user: str, kind: str) -> None:
    turns: list[Turn] = [[("weather", {"place": "Rome"})], "done"]
    agent = Adapted(kind, service.url, turns, agent={"tools": [weather], "system_prompt": "You are a pirate."})
    assert results(agent.run(user, "own")) == ["sunny in Rome"]
    assert "You are a pirate." in agent.model.system(0)
    assert "writing/minutes" in agent.model.system(0)
    assert {"weather", "load_skill"} <= set(agent.model.offered[0])


@pytest.mark.parametrize("name", ["load_skill", "discover_skills", "Skill"])
def test_an_own_tool_with_the_name_of_one_of_the_service_is_rejected(
    service: Server, user: str, kind: str, name: str
) -> None:
    ran: list[str] = []

    @tool(name)
    def own(skill: str = "") -> str:
        """Does something else."""
        ran.append(skill)
        return "own"

    agent = Adapted(kind, service.url, [[(name, {"skill": "x"})], "done"], agent={"tools": [own]})
    with pytest.raises(ValueError, match=f"tools of its own with the names of tools of skillmount: {name}; rename"):
        agent.run(user, "clash")
    with pytest.raises(ValueError, match="rename"):
        asyncio.run(agent.arun(user, "clash"))
    assert (ran, agent.model.seen) == ([], [])


def test_an_own_tool_with_another_schema_keeps_it(service: Server, user: str) -> None:
    @tool
    def read(url: str) -> str:
        """Read a page of the web."""
        return f"page {url}"

    middleware: Any = SkillmountMiddleware(service.url)
    model = ScriptedModel(turns=[[("read", {"url": "x"})], "done"])
    agent: Any = create_agent(model, tools=[read], middleware=[middleware])
    assert results(agent.invoke(GO, config(user, "own"))) == ["page x"], "no tool for files was asked for"
    named: Any = SkillmountMiddleware(service.url, file_tools=True)
    agent = create_agent(ScriptedModel(turns=["done"]), tools=[read], middleware=[named])
    with pytest.raises(ValueError, match="read; rename them, or omit file_tools"):
        agent.invoke(GO, config(user, "own"))


class Guard(AgentMiddleware[Any, Any, Any]):
    """Answers a load itself, or only after a while."""

    def __init__(self, seconds: float | None) -> None:
        self.seconds = seconds

    def _answer(self, request: Any) -> ToolMessage | None:
        if request.tool_call["name"] == "load_skill" and self.seconds is None:
            return ToolMessage("not today", tool_call_id=request.tool_call["id"])
        return None

    def wrap_tool_call(self, request: Any, handler: Any) -> Any:
        if request.tool_call["name"] == "load_skill" and self.seconds:
            time.sleep(self.seconds)
        return self._answer(request) or handler(request)

    async def awrap_tool_call(self, request: Any, handler: Any) -> Any:
        if request.tool_call["name"] == "load_skill" and self.seconds:
            await asyncio.sleep(self.seconds)
        return self._answer(request) or await handler(request)


@pytest.mark.parametrize("way", ["sync", "async"])
def test_nothing_waits_for_a_call_that_other_middleware_answers(
    service: Server, user: str, kind: str, way: str
) -> None:
    calls = [*LOAD, *LOAD, reading(kind, "/workspace/none"), reading(kind, "/workspace/none")]
    agent = Adapted(kind, service.url, [calls, "done"], agent={"middleware": [Guard(None)]})
    begin = time.monotonic()
    state = agent.run(user, way) if way == "sync" else asyncio.run(agent.arun(user, way))
    assert time.monotonic() - begin < 5
    assert results(state)[:2] == ["not today", "not today"]


@pytest.mark.parametrize("way", ["sync", "async"])
def test_a_call_waits_for_each_load_before_it_also_if_one_begins_late(
    service: Server, user: str, kind: str, way: str
) -> None:
    calls = [
        *LOAD, ("load_skill", {"skill": "law/leases"}), reading(kind, "/skills/leases/SKILL.md"),
        reading(kind, "/skills/minutes/template.md"),
    ]  # fmt: skip
    agent = Adapted(kind, service.url, [calls, "done"], agent={"middleware": [Guard(0.2)]})
    told = results(agent.run(user, way) if way == "sync" else asyncio.run(agent.arun(user, way)))
    assert "SECRET-OF-LEASES" in told[2]
    assert "## Decisions" in told[3]


# failures


def test_a_failed_call_is_a_failure_in_langchain_and_the_run_goes_on(service: Server, user: str, kind: str) -> None:
    turns: list[Turn] = [[("load_skill", {"skill": "none"})], [reading(kind, "/workspace/none")], LOAD, "done"]
    state = Adapted(kind, service.url, turns).run(user, "fails")
    told = [message for message in state["messages"] if isinstance(message, ToolMessage)]
    assert told[0].status == "error"
    assert "no skill" in str(told[0].content).lower() or "not found" in str(told[0].content).lower()
    assert "not found" in str(told[1].content)
    assert (told[1].status, told[2].status) == ("error", "success")
    assert state["messages"][-1].content == "done"


# approvals


def test_a_person_decides_with_the_facts_and_a_refusal_reaches_the_model(service: Server, user: str, kind: str) -> None:
    tools: Any = {"*": "auto", "write": "ask", "load_skill": "ask"}
    service.client().session(user, "asks").create(policy=models.Policy(tools=tools))
    turns: list[Turn] = [[writing(kind, "/workspace/a")], LOAD, "done"]
    agent = Adapted(kind, service.url, turns, agent={"checkpointer": InMemorySaver()}, control_key="of-a-person")
    (asked,) = agent.run(user, "asks")["__interrupt__"]
    assert asked.value["tool"] == "write"
    assert asked.value["input"].items() >= {"file_path": "/workspace/a", "content": "x\n"}.items()
    assert 0 < asked.value["seconds_left"] <= 300
    refused = {"decisions": [{"type": "reject", "message": "archive it instead"}]}
    state = agent.run(user, "asks", Command(resume=refused))
    (told,) = results(state)
    assert "archive it instead" in told
    (asked,) = state["__interrupt__"]
    assert (asked.value["tool"], asked.value["skill"]) == ("load_skill", "writing/minutes")
    assert asked.value["digest"].startswith("sha256:")
    assert "Loaded skill minutes" in results(agent.run(user, "asks", Command(resume="approve")))[1]


# timeout


async def test_a_service_that_does_not_answer_costs_the_timeout_and_the_loop_goes_on(
    own_service: tuple[Server, str], kind: str
) -> None:
    service, user = own_service
    agent = Adapted(kind, service.url, [[reading(kind, "/workspace/none")], "done"], timeout=1.0)
    ticks = 0

    async def tick() -> None:
        nonlocal ticks
        while True:
            await asyncio.sleep(0.05)
            ticks += 1

    await agent.arun(user, "before")
    ticking = asyncio.create_task(tick())
    again = Adapted(kind, service.url, [[reading(kind, "/workspace/none")], "done"], timeout=1.0)
    with standing_still(service):
        begin = time.monotonic()
        with pytest.raises(SkillmountError, match="gave no answer"):
            await again.arun(user, "hangs")
        took = time.monotonic() - begin
    ticking.cancel()
    assert 0.9 < took < 4
    assert ticks > 5
    with standing_still(service):
        begin = time.monotonic()
        with pytest.raises(SkillmountError, match="gave no answer"):
            again.run(user, "hangs")
        assert time.monotonic() - begin < 4


# cancellation


async def test_cancelling_a_run_ends_its_request_and_the_next_call_does_not_wait(
    own_service: tuple[Server, str], kind: str
) -> None:
    service, user = own_service
    agent = Adapted(kind, service.url, ["one", "two"])
    await agent.arun(user, "c")
    with standing_still(service):
        begin = time.monotonic()
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(agent.arun(user, "c"), 0.5)
        assert time.monotonic() - begin < 2
    begin = time.monotonic()
    await agent.arun(user, "c")
    assert time.monotonic() - begin < 5
    await agent.adapter.aclose()


# call-ids


def test_the_id_of_a_call_is_that_of_its_event_and_of_its_record(service: Server, user: str, kind: str) -> None:
    calls = [*LOAD, ("discover_skills", {"query": "leases"}), writing(kind, "/workspace/ids.md")]
    session = service.client().session(user, "ids")
    position = session.events().next
    state = Adapted(kind, service.url, [calls, "done"]).run(user, "ids")
    wanted = [call["id"] for message in state["messages"] for call in getattr(message, "tool_calls", [])]
    assert len(set(wanted)) == 3
    events = session.events(position).events
    started = [event.data["id"] for event in events if event.event == "tool_use_start"]
    assert sorted(started) == sorted(wanted)
    records = [record.call for record in service.client().user(user).audit(session="ids")]
    assert set(wanted) <= set(records), "deepagents' own tools for files are calls too"


# retries


def test_a_call_without_an_effect_is_repeated_and_a_write_only_if_nothing_was_done(
    service: Server, user: str, kind: str
) -> None:
    with door(service) as before:
        name, at = ("read", "write") if kind == "deepagents" else ("tool_calls", "tool_calls")
        retry = Retry(base=0.01)
        service.client().session(user, "retry").write("/workspace/a", "A\n")

        def told(call: tuple[str, dict[str, Any]], route: str, *faults: int) -> tuple[str, int]:
            before.faults[route] = list(faults)
            before.asked.clear()
            (result,) = results(Adapted(kind, before.url, [[call], "done"], retry=retry).run(user, "retry"))
            return result, before.asked[route]

        assert told(reading(kind, "/workspace/a"), name, 503, 429, 502)[1] == 4
        assert "A" in told(reading(kind, "/workspace/a"), name, 504)[0]
        assert told(writing(kind, "/workspace/b"), at, 503)[1] == 2, "the service says that nothing was written"
        assert told(writing(kind, "/workspace/c"), at, 429)[1] == 2
        lost, times = told(writing(kind, "/workspace/d"), at, 502)
        assert (times, "proxy" in lost) == (1, True), "nobody knows whether it was written"
        assert told(writing(kind, "/workspace/e"), at, 403)[1] == 1
        assert told(reading(kind, "/workspace/a"), name, 403)[1] == 1
    with pytest.raises(SkillmountError, match="cannot be reached"):
        Adapted(kind, before.url, ["done"], retry=retry).run(user, "retry")


# outage


def test_if_the_service_goes_away_the_last_prompt_stays_and_the_run_goes_on(
    kind: str, caplog: pytest.LogCaptureFixture
) -> None:
    with server(program=program()) as running:
        running.publish("ana", "writing/minutes", "Writes minutes. Use when asked.", "SECRET-OF-MINUTES\n")

        @tool
        def pull_the_plug() -> str:
            """Ends the service."""
            os.kill(running.pid, signal.SIGKILL)
            os.waitpid(running.pid, 0)
            return "dark"

        turns: list[Turn] = [LOAD, [("pull_the_plug", {})], [reading(kind, "/workspace/a")], LOAD, "done"]
        retry = Retry(attempts=2, base=0.01)
        agent = Adapted(kind, running.url, turns, agent={"tools": [pull_the_plug]}, retry=retry)
        with caplog.at_level(logging.INFO, "skillmount"):
            state = agent.run("ana", "outage")
    told = results(state)
    assert told[1] == "dark"
    assert "cannot be reached" in told[2]
    assert "cannot be reached" in told[3]
    assert state["messages"][-1].content == "done"
    for call in (2, 3, 4):
        assert agent.model.system(call) == agent.model.system(1)
    assert "SECRET-OF-MINUTES" in agent.model.system(4)
    warned = [record for record in caplog.records if record.name == "skillmount"]
    assert [record.levelname for record in warned] == ["WARNING"]
    assert "keep their last prompt" in warned[0].getMessage()


@pytest.mark.parametrize("status", [502, 503, 504, 429])
def test_a_door_that_fails_for_the_service_is_an_outage_too(
    service: Server, user: str, kind: str, status: int, caplog: pytest.LogCaptureFixture
) -> None:
    with door(service) as before:

        @tool
        def fail() -> str:
            """Lets calls for prompts fail, all but the last."""
            before.faults["prompt"] = [status, status]
            return "failing"

        turns: list[Turn] = [[("fail", {})], [("weather", {"place": "Rome"})], [("weather", {"place": "Rome"})], "done"]
        agent = Adapted(kind, before.url, turns, agent={"tools": [fail, weather]}, retry=Retry(attempts=1))
        with caplog.at_level(logging.INFO, "skillmount"):
            agent.run(user, "door")
    assert len({agent.model.system(call) for call in range(4)}) == 1
    assert [record.levelname for record in caplog.records if record.name == "skillmount"] == ["WARNING", "INFO"]


# closing

CLOSING = """
import asyncio, gc, sys
sys.path.insert(0, sys.argv[1])
from test_adapter import LOAD, Adapted
kind, url, user = sys.argv[2:]
agent = Adapted(kind, url, [LOAD, "done", LOAD, "done"])
agent.run(user, "closing")

async def whole():
    await agent.arun(user, "closing")
    await agent.adapter.aclose()

asyncio.run(whole())
agent.adapter.close()
del agent
gc.collect()
print("done")
"""


def test_an_adapter_that_is_closed_leaves_nothing_open(service: Server, user: str, kind: str) -> None:
    command = [sys.executable, "-W", "error", "-c", CLOSING, str(Path(__file__).parent), kind]
    done = subprocess.run([*command, service.url, user], capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("done\n", "")


# copying


def test_a_copy_has_connections_of_its_own_and_keeps_the_keys_and_a_pickle_has_none(
    service: Server, user: str, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    agent = Adapted(kind, service.url, [LOAD, "done"], api_key="s3cret-a", control_key="s3cret-b")
    agent.run(user, "copied")
    copied = copy.deepcopy(agent.adapter)
    sessions = copied.sessions
    assert sessions is not agent.adapter.sessions
    assert sessions.connection.client._pool is not agent.adapter.sessions.connection.client._pool
    assert (sessions.connection.client._settings.api_key, sessions.control_key) == ("s3cret-a", "s3cret-b")
    agent.adapter.close()
    pickled = pickle.dumps(agent.adapter)
    assert b"s3cret" not in pickled
    monkeypatch.setenv("SKILLMOUNT_API_KEY", "env-a")
    monkeypatch.setenv("SKILLMOUNT_CONTROL_KEY", "env-b")
    restored = pickle.loads(pickled)
    connection = restored.sessions.connection
    assert (connection.client._settings.api_key, restored.sessions.control_key) == ("env-a", "env-b")
    for name, adapter in (("copied", copied), ("restored", restored)):
        model = ScriptedModel(turns=[LOAD, "done"])
        middleware: Any = SkillmountMiddleware(adapter) if kind == "deepagents" else adapter
        if kind == "deepagents":
            again: Any = create_deep_agent(model=model, backend=adapter, middleware=[middleware])
        else:
            again = create_agent(model, middleware=[middleware])
        assert "Loaded skill minutes" in results(again.invoke(GO, config(user, f"of-{name}")))[0]
        assert "SECRET-OF-MINUTES" in model.system(1)
        assert all(each.sessions is middleware.sessions for each in middleware.tools)


# loops


def test_one_agent_in_many_event_loops_keeps_no_connection(service: Server, user: str, kind: str) -> None:
    agent = Adapted(kind, service.url, ["done"] * 60)
    asyncio.run(agent.arun(user, "loops"))
    before = len(os.listdir("/proc/self/fd"))
    for _ in range(40):
        asyncio.run(agent.arun(user, "loops"))
    assert len(os.listdir("/proc/self/fd")) <= before


# users


@pytest.mark.parametrize("way", ["sync", "async"])
def test_users_at_the_same_time_see_only_their_own_skills(service: Server, user: str, kind: str, way: str) -> None:
    users = [f"{user}-{number}" for number in range(4)]
    for each in users:
        service.publish(each, f"own/of-{each}", f"Is of {each}. Use when asked.", f"SECRET-OF-{each}\n")

    class Loading(ScriptedModel):
        def _generate(self, messages: Any, *given: Any, **more: Any) -> Any:
            owner = next(each for each in users if f"own/of-{each}" in str(messages[0].content))
            others = [each for each in users if each != owner and each in str(messages)]
            assert others == []
            self._seen.append(list(messages))
            model = ScriptedModel(turns=[[("load_skill", {"skill": f"of-{owner}"})], f"done {owner}"])
            model._seen = [[]] * sum(isinstance(message, ToolMessage) for message in messages)
            return model._generate(messages, *given, **more)

    agent = Adapted(kind, service.url, [], agent={})
    model = Loading(turns=[])
    given: Any = {"middleware": [agent.middleware]}
    shared: Any = (
        create_deep_agent(model=model, backend=agent.adapter, **given)
        if kind == "deepagents"
        else create_agent(model, **given)
    )
    if way == "sync":
        with ThreadPoolExecutor(4) as pool:
            states = list(pool.map(lambda each: shared.invoke(GO, config(each, "same-thread")), users))
    else:

        async def all_of_them() -> list[Any]:
            return list(await asyncio.gather(*(shared.ainvoke(GO, config(each, "same-thread")) for each in users)))

        states = asyncio.run(all_of_them())
    for each, state in zip(users, states, strict=True):
        assert f"Loaded skill of-{each}" in results(state)[0]
        assert state["messages"][-1].content == f"done {each}"

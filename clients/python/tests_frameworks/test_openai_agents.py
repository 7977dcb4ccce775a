"""OpenAI's Agents SDK: tools for every user, and skills that come into a sandbox when the model loads them."""

from __future__ import annotations

import asyncio
import copy
import json
import os
import pickle
import signal
import time
import uuid
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from agents import Agent, FunctionTool, Model, ModelResponse, RunConfig, RunContextWrapper, Runner, Usage
from agents.items import ToolCallOutputItem
from agents.sandbox import SandboxAgent, SandboxRunConfig
from agents.sandbox.capabilities import Skills
from agents.sandbox.manifest import Manifest
from agents.sandbox.sandboxes.unix_local import UnixLocalSandboxClient
from agents.tracing import FunctionSpanData, Span, TracingProcessor, set_trace_processors
from openai.types.responses import ResponseFunctionToolCall, ResponseOutputMessage, ResponseOutputText

import contract
from conftest import ALL_BYTES, PROGRAM, check_example
from skillmount import AsyncClient, SkillmountError, models
from skillmount.openai_agents import SkillmountSkills, SkillmountSkillSource, SkillmountTools
from skillmount.testing import Server, server


class Spans(TracingProcessor):
    """Keeps what the calls answered that failed."""

    def __init__(self) -> None:
        self.failed: list[str] = []

    def on_span_end(self, span: Span[Any]) -> None:
        if isinstance(span.span_data, FunctionSpanData) and span.error is not None:
            self.failed.append(str(span.span_data.output))

    def on_span_start(self, span: Span[Any]) -> None:
        pass

    def on_trace_start(self, trace: Any) -> None:
        pass

    def on_trace_end(self, trace: Any) -> None:
        pass

    def shutdown(self) -> None:
        pass

    def force_flush(self) -> None:
        pass


SPANS = Spans()


@pytest.fixture(scope="module", autouse=True)
def _spans() -> None:
    set_trace_processors([SPANS])


@dataclass
class Chat:
    user: str
    session: str


class Scripted(Model):
    """Says one turn after another, and keeps what it was shown."""

    def __init__(self, turns: Sequence[contract.Turn], before: Callable[[int], Any] | None = None) -> None:
        self.turns = turns
        self.before = before
        self.ran = contract.Ran()

    async def get_response(
        self,
        system_instructions: str | None,
        input: Any,  # noqa: A002 - the SDK's name
        model_settings: Any,
        tools: Any,
        *given: Any,
        **named: Any,
    ) -> ModelResponse:
        number = len(self.ran.prompts)
        if self.before is not None:
            self.before(number)
        self.ran.prompts.append(system_instructions or "")
        self.ran.offered.append({tool.name for tool in tools})
        turn = self.turns[number]
        output: list[Any]
        if isinstance(turn, str):
            text = ResponseOutputText(type="output_text", text=turn, annotations=[])
            message = ResponseOutputMessage(
                id="m", type="message", role="assistant", status="completed", content=[text]
            )
            output = [message]
        else:
            output = [
                ResponseFunctionToolCall(
                    type="function_call", call_id=f"call-{number}-{at}", name=name, arguments=json.dumps(given)
                )
                for at, (name, given) in enumerate(turn)
            ]
        return ModelResponse(output=output, usage=Usage(), response_id=None)

    def stream_response(self, *given: Any, **named: Any) -> AsyncIterator[Any]:
        raise NotImplementedError


class OpenaiAgents:
    def adapter(self, identify: Any, client: AsyncClient | None = None, **given: Any) -> SkillmountTools[Chat]:
        return SkillmountTools(identify, client, **given)

    def identify(self, context: RunContextWrapper[Chat]) -> tuple[str, str]:
        return context.context.user, context.context.session

    async def run(
        self,
        adapter: Any,
        turns: Sequence[contract.Turn],
        *,
        user: str = "ana",
        session: str = "chat",
        own_tool: str | None = None,
        before: Callable[[int], Any] | None = None,
    ) -> contract.Ran:
        model = Scripted(turns, before)
        own: list[Any] = [_own(own_tool)] if own_tool is not None else []
        agent = adapter.add_to(Agent[Chat]("lawyer", instructions=contract.OWN_INSTRUCTIONS, model=model, tools=own))
        return await _run(agent, model, Chat(user, session))


async def _run(agent: Agent[Any], model: Scripted, context: Any, config: RunConfig | None = None) -> contract.Ran:
    done = await Runner.run(agent, "go", context=context, run_config=config)
    outputs = [str(item.output) for item in done.new_items if isinstance(item, ToolCallOutputItem)]
    model.ran.results = [(output, output in SPANS.failed) for output in outputs]
    model.ran.output = str(done.final_output)
    return model.ran


def _own(name: str) -> FunctionTool:
    async def rains(*_: Any) -> str:
        return "it rains"

    schema: dict[str, Any] = {"type": "object", "properties": {}, "required": [], "additionalProperties": False}
    return FunctionTool(name=name, description="Tell the weather.", params_json_schema=schema, on_invoke_tool=rains)


FRAMEWORK = OpenaiAgents()


def test_the_session_is_what_the_developer_says() -> None:
    contract.the_session_is_what_the_developer_says(FRAMEWORK)


def test_prompt_and_tools_are_read_before_each_turn() -> None:
    contract.prompt_and_tools_are_read_before_each_turn(FRAMEWORK)


def test_own_tools_and_instructions_stay() -> None:
    contract.own_tools_and_instructions_stay(FRAMEWORK)


def test_a_failed_call_is_a_failure_that_the_model_reads() -> None:
    contract.a_failed_call_is_a_failure_that_the_model_reads(FRAMEWORK)


def test_a_person_decides_with_the_facts(tmp_path: Path) -> None:
    contract.a_person_decides_with_the_facts(FRAMEWORK, tmp_path)


def test_a_service_that_does_not_answer_costs_the_limit() -> None:
    contract.a_service_that_does_not_answer_costs_the_limit(FRAMEWORK)


def test_cancelling_a_run_ends_its_request() -> None:
    contract.cancelling_a_run_ends_its_request(FRAMEWORK)


def test_the_id_of_a_call_is_that_of_its_record() -> None:
    contract.the_id_of_a_call_is_that_of_its_record(FRAMEWORK)


def test_calls_are_repeated_only_if_that_changes_nothing() -> None:
    contract.calls_are_repeated_only_if_that_changes_nothing(FRAMEWORK)


def test_an_outage_leaves_the_last_prompt(caplog: pytest.LogCaptureFixture) -> None:
    contract.an_outage_leaves_the_last_prompt(FRAMEWORK, caplog)


def test_an_adapter_that_made_its_client_can_be_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    contract.an_adapter_that_made_its_client_can_be_closed(FRAMEWORK, monkeypatch)


def test_a_copy_has_connections_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    contract.a_copy_has_connections_of_its_own(FRAMEWORK, monkeypatch)


def test_one_adapter_serves_many_event_loops() -> None:
    contract.one_adapter_serves_many_event_loops(FRAMEWORK)


def test_two_users_see_only_their_own() -> None:
    contract.two_users_see_only_their_own(FRAMEWORK)


def test_a_load_and_what_reads_its_files_may_be_in_one_turn() -> None:
    contract.a_load_and_what_reads_its_files_may_be_in_one_turn(FRAMEWORK)


async def test_all_tools_share_one_list(service: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    sent: list[str] = []
    send = AsyncClient.send

    async def note(self: AsyncClient, call: Any) -> Any:
        sent.append(call.operation)
        return await send(self, call)

    monkeypatch.setattr(AsyncClient, "send", note)
    async with service.aclient() as client:
        await FRAMEWORK.run(FRAMEWORK.adapter(("ana", "once"), client), [[("ls", {"path": "/"})], "done"])
    # The SDK asks each tool twice in a turn whether it is there.
    assert sent.count("list_tools") <= 4


def test_a_copy_of_an_agent_has_connections_of_its_own() -> None:
    with contract.serving() as service:
        adapter = FRAMEWORK.adapter(("ana", "chat"), service.aclient())
        agent = adapter.add_to(Agent[Chat]("lawyer", model=Scripted([])))
        copied = copy.deepcopy(agent)
        behind = {tool.on_invoke_tool.__self__._tools for tool in copied.tools if isinstance(tool, FunctionTool)}  # type: ignore[attr-defined]
        (of_copy,) = behind
        assert of_copy is not adapter
        assert of_copy._session._client is not adapter._session._client
        model = Scripted([contract.LOAD, "done"])
        copied.model = model
        ran = asyncio.run(_run(copied, model, Chat("ana", "chat")))
        assert contract.SECRET in ran.prompts[1]


async def _in_sandbox(
    skills: Skills, *turns: contract.Turn, before: Callable[[int], Any] | None = None
) -> contract.Ran:
    """What an agent in a sandbox is shown."""
    model = Scripted([*turns, "done"], before)
    agent = SandboxAgent(name="lawyer", model=model, capabilities=[skills])
    config = RunConfig(sandbox=SandboxRunConfig(client=UnixLocalSandboxClient()))
    ran = await _run(agent, model, None, config)
    assert ran.output == "done"
    return ran


async def test_an_agent_in_a_sandbox_has_the_tools(service: Server) -> None:
    async with service.aclient() as client:
        model = Scripted([[("load_skill", {"skill": "law/leases"})], "done"])
        own = SandboxAgent[Chat](name="lawyer", instructions=contract.OWN_INSTRUCTIONS, model=model, capabilities=[])
        agent = FRAMEWORK.adapter(("ana", "box"), client).add_to(own)
        assert isinstance(agent, SandboxAgent)
        config = RunConfig(sandbox=SandboxRunConfig(client=UnixLocalSandboxClient()))
        ran = await _run(agent, model, None, config)
        assert contract.OWN_INSTRUCTIONS in ran.prompts[1]
        assert "SECRET-OF-LEASES" in ran.prompts[1]
        skills = SkillmountSkills(SkillmountSkillSource("ana", service.url))
        with pytest.raises(ValueError, match="'load_skill'"):
            FRAMEWORK.adapter(("ana", "box"), client).add_to(SandboxAgent(name="lawyer", capabilities=[skills]))


async def test_skills_in_a_sandbox_are_listed_before_each_turn(service: Server) -> None:
    service.publish("eva", "law/flats", "Lets flats. Use when someone lets a flat.", "Body.\n")

    def publish(_: int) -> None:
        service.publish("eva", "law/houses", "Lets houses. Use when someone lets a house.", "Body.\n")

    skills = SkillmountSkills(SkillmountSkillSource("eva", service.url))
    load: contract.Turn = [("load_skill", {"skill_name": "law/flats"})]
    ran = await _in_sandbox(skills, load, before=publish)
    assert "- flats: " in ran.prompts[0]
    assert "- houses: " not in ran.prompts[0]
    assert "- houses: " in ran.prompts[1]
    assert "'status': 'loaded', 'skill_name': 'flats'" in ran.results[0][0]


async def test_what_cannot_be_loaded_is_said_to_the_model_and_the_run_goes_on(tmp_path: Path) -> None:
    agent_key, control_key, keys = contract.keys(tmp_path)
    with server(program=PROGRAM, arguments=["--keys", str(keys)]) as bare:
        contract.publish(Server(bare.url, bare.pid, control_key))
        async with AsyncClient(bare.url, api_key=control_key) as person:
            await person.user("ana").set_policy(models.Policy.model_validate({"skills": {"law/*": "enabled"}}))
        source = SkillmountSkillSource("ana", bare.url, api_key=agent_key)
        turns: list[contract.Turn] = [[("load_skill", {"skill_name": name})] for name in ("leases", "lease", "../x")]
        ran = await _in_sandbox(Skills(lazy_from=source), *turns)
        assert [failed for _, failed in ran.results] == [True] * 3
        for (text, _), part in zip(
            ran.results, ("approv", "the nearest are: leases", "there is no skill"), strict=True
        ):
            assert "'status': 'failed'" in text
            assert part in text
            assert contract.SECRET not in text


async def test_a_sandbox_keeps_its_list_through_an_outage(caplog: pytest.LogCaptureFixture) -> None:
    with contract.serving() as service:
        skills = SkillmountSkills(SkillmountSkillSource("ana", service.url))
        load: contract.Turn = [("load_skill", {"skill_name": "leases"})]

        def end(turn: int) -> None:
            if turn == 0:
                os.kill(service.pid, signal.SIGKILL)

        ran = await _in_sandbox(skills, load, load, before=end)
        for prompt in ran.prompts:
            assert "- leases: " in prompt
        for text, _ in ran.results:
            assert "cannot be reached" in text
        assert len([record for record in caplog.records if record.name == "skillmount"]) == 1


@pytest.mark.parametrize("capability", [SkillmountSkills, lambda source: Skills(lazy_from=source)])
async def test_a_service_that_does_not_answer_costs_a_sandbox_the_limit(capability: Callable[[Any], Skills]) -> None:
    with contract.serving() as service:
        os.kill(service.pid, signal.SIGSTOP)
        try:
            skills = capability(SkillmountSkillSource("ana", service.url, timeout=1.0))
            began = time.monotonic()
            with pytest.raises(SkillmountError, match="within 1 s"):
                await _in_sandbox(skills)
            assert time.monotonic() - began < 8
        finally:
            os.kill(service.pid, signal.SIGCONT)


async def test_listing_for_a_sandbox_does_not_block_the_event_loop() -> None:
    with contract.serving() as service:
        os.kill(service.pid, signal.SIGSTOP)
        try:
            gaps: list[float] = []
            beat = asyncio.create_task(contract.heartbeat(gaps))
            source = SkillmountSkillSource("ana", service.url, timeout=1.0)
            with pytest.raises(SkillmountError, match="within 1 s"):
                await SkillmountSkills(source).instructions(Manifest())
            beat.cancel()
            assert max(gaps) < 0.5
        finally:
            os.kill(service.pid, signal.SIGCONT)


async def test_skills_are_listed_and_come_into_the_sandbox_whole(service: Server) -> None:
    source = SkillmountSkillSource("ana", service.url)
    listed = {skill.name: skill for skill in source.list_skill_metadata(skills_path=".agents")}
    assert set(listed) == {"law-leases", "new-year", "work-leases"}
    assert listed["law-leases"].path == Path(".agents/law-leases")
    assert SkillmountSkillSource("bob", service.url).list_skill_metadata(skills_path=".agents") == []

    client = UnixLocalSandboxClient()
    session = await client.create(manifest=Manifest())
    async with session:
        loaded = await source.load_skill(skill_name="law-leases", session=session, skills_path=".agents")
        assert loaded == {"status": "loaded", "skill_name": "law-leases", "path": ".agents/law-leases"}
        folder = Path(session.state.manifest.root) / ".agents" / "law-leases"
        for path, content in (("assets/seal.bin", ALL_BYTES), ("notes/a b.md", "año\n".encode())):
            assert (await session.read(folder / path)).read() == content
        assert b"license: MIT" in (await session.read(folder / "SKILL.md")).read()
        again = await source.load_skill(skill_name="law-leases", session=session, skills_path=".agents")
        assert again["status"] == "already_loaded"

        fresh = SkillmountSkillSource("ana", service.url)
        other = await fresh.load_skill(skill_name="work-leases", session=session, skills_path=".agents")
        assert other["status"] == "loaded"
        outside = f"../../{uuid.uuid4().hex}"
        unknown = await fresh.load_skill(skill_name=outside, session=session, skills_path=".agents")
        assert unknown["status"] == "failed"
        assert f"there is no skill {outside!r}" in unknown["error"]
        assert not (Path(session.state.manifest.root) / ".agents" / outside).exists()
    await client.delete(session)


def test_a_source_that_is_stored_has_no_key(service: Server) -> None:
    source = SkillmountSkillSource("ana", service.url, api_key="secret")
    assert "secret" not in source.model_dump_json() + repr(source)
    assert b"secret" not in pickle.dumps(source)
    assert source.model_copy(deep=True).list_skill_metadata(skills_path=".agents")
    copied = copy.deepcopy(source)
    assert copied._catalog.client is not source._catalog.client
    assert copied.list_skill_metadata(skills_path=".agents")


def test_the_key_is_sent() -> None:
    with server(api_key="the-key") as service:
        with pytest.raises(Exception, match="unauthenticated"):
            SkillmountSkillSource("ana", service.url).list_skill_metadata(skills_path=".agents")
        keyed = SkillmountSkillSource("ana", service.url, api_key="the-key")
        assert keyed.list_skill_metadata(skills_path=".agents") == []


def test_the_snippets_of_the_readme_run(monkeypatch: pytest.MonkeyPatch) -> None:
    with contract.serving() as service:
        monkeypatch.setenv("SKILLMOUNT_SERVER", service.url)
        snippet = contract.snippet("openai_agents_tools")
        model = snippet["agent"].model = Scripted([contract.LOAD, "done"])

        async def run() -> None:
            assert await snippet["answer"]("go", snippet["Chat"]("ana", "chat")) == "done"
            await snippet["tools"].aclose()

        with contract.strict():
            asyncio.run(run())
        assert contract.SECRET in model.ran.prompts[1]

        sandbox = contract.snippet("openai_agents_sandbox")["agent"]
        model = sandbox.model = Scripted([[("load_skill", {"skill_name": "leases"})], "done"])
        config = RunConfig(sandbox=SandboxRunConfig(client=UnixLocalSandboxClient()))
        assert "'status': 'loaded'" in asyncio.run(_run(sandbox, model, None, config)).results[0][0]


def test_the_example_prints_what_the_readme_shows() -> None:
    check_example("openai_agents/lease_sandbox.py")

"""Google's Agent Development Kit: a toolset for every user, and a registry of one user's skills."""

from __future__ import annotations

import asyncio
import copy
import pickle
from collections.abc import AsyncGenerator, Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from google.adk.agents import LlmAgent
from google.adk.agents.readonly_context import ReadonlyContext
from google.adk.models.base_llm import BaseLlm
from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse
from google.adk.runners import InMemoryRunner
from google.adk.tools.function_tool import FunctionTool
from google.adk.tools.skill_toolset import SkillToolset
from google.genai import types
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

import contract
from conftest import ALL_BYTES, PROGRAM, check_example
from skillmount import AsyncClient, SkillmountError, models
from skillmount.google_adk import SkillmountSkillRegistry, SkillmountToolset, from_context
from skillmount.testing import Server, server

SPANS = InMemorySpanExporter()


@pytest.fixture(scope="module", autouse=True)
def _spans() -> None:
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(SPANS))
    trace.set_tracer_provider(provider)


class Scripted(BaseLlm):
    """Says one turn after another, and keeps what it was shown."""

    model: str = "scripted"
    turns: list[Any]
    before: Any = None
    ran: Any = None

    async def generate_content_async(
        self, llm_request: LlmRequest, stream: bool = False
    ) -> AsyncGenerator[LlmResponse, None]:
        number = len(self.ran.prompts)
        if self.before is not None:
            self.before(number)
        self.ran.prompts.append(str(llm_request.config.system_instruction))
        tools: list[Any] = llm_request.config.tools or []
        declared = [one for tool in tools for one in tool.function_declarations or []]
        self.ran.offered.append({one.name for one in declared})
        turn = self.turns[number]
        if isinstance(turn, str):
            parts = [types.Part(text=turn)]
        else:
            parts = [
                types.Part(function_call=types.FunctionCall(id=f"call-{number}-{at}", name=name, args=given))
                for at, (name, given) in enumerate(turn)
            ]
        yield LlmResponse(content=types.Content(role="model", parts=parts))


async def _run(agent: LlmAgent, user: str, session: str, ran: contract.Ran) -> list[dict[str, Any]]:
    """Run an agent; the responses of its tools."""
    runner = InMemoryRunner(agent)
    await runner.session_service.create_session(app_name=runner.app_name, user_id=user, session_id=session)
    message = types.Content(role="user", parts=[types.Part(text="go")])
    responses = []
    async for event in runner.run_async(user_id=user, session_id=session, new_message=message):
        for part in (event.content.parts if event.content else None) or []:
            if part.function_response is not None:
                responses.append(part.function_response.response or {})
            elif event.is_final_response() and part.text:
                ran.output = part.text
    return responses


class GoogleAdk:
    def adapter(self, identify: Any, client: AsyncClient | None = None, **given: Any) -> SkillmountToolset:
        return SkillmountToolset(identify, client, **given)

    def identify(self, context: ReadonlyContext) -> tuple[str, str]:
        return from_context(context)

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
        ran = contract.Ran()
        own = [_own(own_tool)] if own_tool is not None else []
        agent = LlmAgent(
            name="lawyer",
            model=Scripted(turns=list(turns), before=before, ran=ran),
            instruction=contract.OWN_INSTRUCTIONS,
            tools=[adapter, *own],
        )
        SPANS.clear()
        responses = await _run(agent, user, session, ran)
        failed = {
            (span.attributes or {}).get("gen_ai.tool.call.id")
            for span in SPANS.get_finished_spans()
            if "error.type" in (span.attributes or {})
        }
        ids = [
            f"call-{number}-{at}"
            for number, turn in enumerate(turns)
            if not isinstance(turn, str)
            for at in range(len(turn))
        ]
        ran.results = [
            (str(response.get("error", response.get("result"))), "error" in response) for response in responses
        ]
        assert {one for one, (_, error) in zip(ids, ran.results, strict=False) if error} <= failed
        return ran


def _own(name: str) -> FunctionTool:
    def rains() -> str:
        """Tell the weather."""
        return "it rains"

    rains.__name__ = name
    return FunctionTool(rains)


FRAMEWORK = GoogleAdk()


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


async def _with_registry(registry: SkillmountSkillRegistry, *turns: contract.Turn) -> list[dict[str, Any]]:
    """What ADK's own toolset answers."""
    ran = contract.Ran()
    agent = LlmAgent(
        name="lawyer", model=Scripted(turns=[*turns, "done"], ran=ran), tools=[SkillToolset(registry=registry)]
    )
    responses = await _run(agent, "someone", "s", ran)
    assert ran.output == "done"
    return responses


@pytest.mark.parametrize("is_first", [True, False])
async def test_a_tool_of_another_toolset_with_the_same_name_is_an_error(service: Server, is_first: bool) -> None:
    async with service.aclient() as client:
        tools: list[Any] = [
            FRAMEWORK.adapter(("ana", "chat"), client),
            SkillToolset(registry=SkillmountSkillRegistry("ana", client)),
        ]
        ran = contract.Ran()
        agent = LlmAgent(
            name="lawyer",
            model=Scripted(turns=["done"], ran=ran),
            tools=tools if is_first else tools[::-1],
        )
        with pytest.raises(ValueError, match="'load_skill'"):
            await _run(agent, "ana", "chat", ran)


async def test_a_model_may_say_the_path_of_a_skill_or_its_own_name(service: Server) -> None:
    async with service.aclient() as client:
        said = ("law/leases", "/law/leases", "law/new-year", "New-Year", "skills/work/leases/", "LAW/Leases")
        loads: list[contract.Turn] = [[("load_skill", {"skill_name": name})] for name in said]
        responses = await _with_registry(SkillmountSkillRegistry("ana", client), *loads)
        names = [response["frontmatter"]["name"] for response in responses]
        assert names == ["law-leases", "law-leases", "new-year", "new-year", "work-leases", "law-leases"]
        assert "SECRET-OF-LEASES" in responses[0]["instructions"]


async def test_an_unknown_skill_is_answered_with_names_that_adk_takes(service: Server) -> None:
    async with service.aclient() as client:
        registry = SkillmountSkillRegistry("ana", client)
        turns: list[contract.Turn] = [
            [("load_skill", {"skill_name": "law/lease"})],
            [("load_skill", {"skill_name": "law-leases"})],
            # Two skills have this name, so it names none of them.
            [("load_skill", {"skill_name": "leases"})],
        ]
        unknown, loaded, twice = await _with_registry(registry, *turns)
        assert "the nearest are: law-leases" in unknown["error"]
        assert "law/leases" not in unknown["error"]
        assert "instructions" in loaded
        assert "error" in twice


async def test_each_file_of_a_skill_is_read_by_the_name_at_the_end_of_its_instructions(service: Server) -> None:
    files = {"garage.md": "GARAGE", "references/garage.md": "OF REFERENCES", "scripts/a.sh": "echo", "x/y.txt": "Y"}
    service.publish("eva", "law/flats", "Lets flats. Use when someone lets a flat.", "See garage.md.\n", files)
    service.publish("eva", "law/bare", "Lets houses. Use when someone lets a house.", "No files.\n")
    async with service.aclient() as client:
        registry = SkillmountSkillRegistry("eva", client)
        (loaded, bare) = await _with_registry(
            registry, [("load_skill", {"skill_name": "flats"})], [("load_skill", {"skill_name": "bare"})]
        )
        body, _, listed = loaded["instructions"].partition("Files of this skill")
        assert body.strip() == "See garage.md."
        assert bare["instructions"].strip() == "No files."
        names = [line.removeprefix("- ") for line in listed.splitlines()[1:]]
        reads: list[contract.Turn] = [
            [("load_skill_resource", {"skill_name": "law/flats", "file_path": name})] for name in names
        ]
        read = await _with_registry(registry, *reads)
        assert sorted(response["content"] for response in read) == sorted(files.values())


async def test_a_skill_that_a_person_approves_is_refused_in_words(tmp_path: Path) -> None:
    agent_key, control_key, keys = contract.keys(tmp_path)
    with server(program=PROGRAM, arguments=["--keys", str(keys)]) as bare:
        contract.publish(Server(bare.url, bare.pid, control_key))
        async with (
            AsyncClient(bare.url, api_key=control_key) as person,
            AsyncClient(bare.url, api_key=agent_key) as client,
        ):
            await person.user("ana").set_policy(models.Policy.model_validate({"skills": {"law/*": "enabled"}}))
            registry = SkillmountSkillRegistry("ana", client)
            (refused,) = await _with_registry(registry, [("load_skill", {"skill_name": "leases"})])
            assert "approv" in refused["error"]
            assert "SECRET" not in str(refused)


async def test_a_registry_without_a_service_answers_in_words(service: Server) -> None:
    async with AsyncClient("http://127.0.0.1:9") as client:
        registry = SkillmountSkillRegistry("ana", client)
        turns: list[contract.Turn] = [
            [("search_skills", {"query": "lease"})],
            [("load_skill", {"skill_name": "leases"})],
        ]
        for response in await _with_registry(registry, *turns):
            assert "cannot be reached" in response["error"]


def test_an_agent_with_a_registry_is_copied(monkeypatch: pytest.MonkeyPatch) -> None:
    with contract.serving(api_key="the-key") as keyed:
        registry = SkillmountSkillRegistry("ana", keyed.aclient())
        agent = LlmAgent(name="lawyer", model="none", tools=[SkillToolset(registry=registry)])
        copied = copy.deepcopy(agent)
        (toolset,) = copied.tools
        assert isinstance(toolset, SkillToolset)
        of_copy = toolset._registry
        assert isinstance(of_copy, SkillmountSkillRegistry)
        assert of_copy is not registry
        for one in (registry, of_copy):
            assert asyncio.run(one.get_skill(name="leases")).name == "leases"
        written = pickle.dumps(registry)
        assert b"the-key" not in written
        monkeypatch.setenv("SKILLMOUNT_API_KEY", "the-key")
        assert asyncio.run(pickle.loads(written).get_skill(name="leases")).name == "leases"


async def test_a_registry_finds_and_fetches_skills_of_its_user(service: Server) -> None:
    registry = SkillmountSkillRegistry("ana", service.aclient())
    found = await registry.search_skills(query="a lease for rent")
    assert found[0].name == "law-leases"
    skill = await registry.get_skill(name=found[0].name)
    assert skill.instructions == (
        "SECRET-OF-LEASES\n\nFiles of this skill, which load_skill_resource reads by these names:\n"
        "- assets/seal.bin\n- references/garage.md\n- references/notes/a b.md\n- scripts/fill.py\n"
    )
    assert skill.frontmatter.license == "MIT"
    assert skill.resources.get_reference("garage.md") == "LEASE OF A GARAGE\n"
    assert skill.resources.get_reference("notes/a b.md") == "año\n"
    assert skill.resources.get_asset("seal.bin") == ALL_BYTES
    script = skill.resources.get_script("fill.py")
    assert script is not None
    assert script.src == "print('filled')\n"

    fresh = SkillmountSkillRegistry("ana", service.aclient())
    assert (await fresh.get_skill(name="new-year")).instructions.strip() == "# Letters"
    with pytest.raises(SkillmountError, match="there is no skill"):
        await fresh.get_skill(name="none")
    of_bob = SkillmountSkillRegistry("bob", service.aclient())
    assert await of_bob.search_skills(query="a lease for rent") == []
    with pytest.raises(SkillmountError):
        await of_bob.get_skill(name="law-leases")


async def test_fields_that_adk_does_not_take_are_left_out(tmp_path: Path) -> None:
    for name, field in (("odd", f"compatibility: {'x' * 600}"), ("fine", "allowed-tools: [a, b]")):
        folder = tmp_path / "eva" / "skills" / name
        folder.mkdir(parents=True)
        (folder / "SKILL.md").write_text(f"---\nname: {name}\ndescription: It is {name}.\n{field}\n---\nbody\n")
    with server(program=PROGRAM, store=f"file:{tmp_path}") as service:
        registry = SkillmountSkillRegistry("eva", service.aclient())
        odd = await registry.get_skill(name="odd")
        assert (odd.frontmatter.compatibility, odd.instructions) == (None, "body\n")
        assert (await registry.get_skill(name="fine")).frontmatter.allowed_tools == "a b"


def test_the_snippets_of_the_readme_run(monkeypatch: pytest.MonkeyPatch) -> None:
    with contract.serving() as service:
        monkeypatch.setenv("SKILLMOUNT_SERVER", service.url)
        ran, own = contract.Ran(), contract.Ran()
        snippet = contract.snippet("google_adk_toolset")
        agent = snippet["agent"]
        agent.model = Scripted(turns=[contract.LOAD, "done"], ran=ran)
        registry = contract.snippet("google_adk_registry")
        with_registry = registry["agent"]
        with_registry.model = Scripted(turns=[[("load_skill", {"skill_name": "leases"})], "done"], ran=own)

        async def run() -> None:
            await _run(agent, "ana", "chat", ran)
            (loaded,) = await _run(with_registry, "someone", "s", own)
            assert contract.SECRET in loaded["instructions"]
            await snippet["skills"].aclose()
            await registry["registry"].aclose()

        with contract.strict():
            asyncio.run(run())
        assert contract.SECRET in ran.prompts[1]


def test_the_example_prints_what_the_readme_shows() -> None:
    check_example("google_adk/lease_adk.py")

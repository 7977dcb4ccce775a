"""The Microsoft Agent Framework: a provider and a source of skills, each for every user."""

from __future__ import annotations

import asyncio
import copy
import pickle
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from agent_framework import (
    Agent,
    AgentSession,
    BaseChatClient,
    ChatMiddlewareLayer,
    ChatResponse,
    Content,
    FunctionInvocationLayer,
    FunctionTool,
    Message,
    SkillsProvider,
    SkillsSourceContext,
)
from agent_framework.observability import OBSERVABILITY_SETTINGS
from opentelemetry import trace

import contract
from conftest import ALL_BYTES, PROGRAM, check_example
from skillmount import AsyncClient, models
from skillmount.agent_framework import SkillmountContextProvider, SkillmountSkillsSource
from skillmount.testing import Server, server


class Span(trace.Span):
    """A span that keeps what is said of it."""

    def __init__(self, attributes: Any) -> None:
        self.attributes = dict(attributes or {})
        self.has_failed = False

    def end(self, end_time: int | None = None) -> None:
        pass

    def get_span_context(self) -> trace.SpanContext:
        return trace.SpanContext(1, id(self), False)

    def set_attributes(self, attributes: Any) -> None:
        self.attributes.update(attributes)

    def set_attribute(self, key: str, value: Any) -> None:
        self.attributes[key] = value

    def add_event(self, name: str, attributes: Any = None, timestamp: int | None = None) -> None:
        pass

    def update_name(self, name: str) -> None:
        pass

    def is_recording(self) -> bool:
        return True

    def set_status(self, status: Any, description: str | None = None) -> None:
        code = status.status_code if isinstance(status, trace.Status) else status
        self.has_failed = code is trace.StatusCode.ERROR

    def record_exception(
        self, exception: BaseException, attributes: Any = None, timestamp: int | None = None, escaped: bool = False
    ) -> None:
        pass


class Tracer:
    """A tracer and its provider, for what the framework says of its calls."""

    def __init__(self) -> None:
        self.spans: list[Span] = []

    def get_tracer(self, *_: Any, **__: Any) -> Tracer:
        return self

    def start_span(self, name: str, context: Any = None, kind: Any = None, attributes: Any = None, **_: Any) -> Span:
        span = Span(attributes)
        self.spans.append(span)
        return span

    @contextmanager
    def start_as_current_span(self, name: str, *given: Any, end_on_exit: bool = True, **named: Any) -> Iterator[Span]:
        with trace.use_span(self.start_span(name, *given, **named), end_on_exit) as span:
            assert isinstance(span, Span)
            yield span

    def failed(self) -> set[Any]:
        """The ids of the calls that failed."""
        spans = [span for span in self.spans if span.has_failed and "error.type" in span.attributes]
        return {span.attributes.get("gen_ai.tool.call.id") for span in spans}


TRACER = Tracer()


@pytest.fixture(scope="module", autouse=True)
def _spans() -> Iterator[None]:
    trace.set_tracer_provider(TRACER)  # type: ignore[arg-type]
    OBSERVABILITY_SETTINGS.enable_instrumentation = True
    yield
    OBSERVABILITY_SETTINGS.enable_instrumentation = False


class Scripted(FunctionInvocationLayer[Any], ChatMiddlewareLayer[Any], BaseChatClient[Any]):
    """Says one turn after another, and keeps what it was shown."""

    def __init__(self, turns: Sequence[contract.Turn], before: Callable[[int], Any] | None = None) -> None:
        super().__init__()
        self.turns = turns
        self.before = before
        self.ran = contract.Ran()

    def _inner_get_response(
        self, *, messages: Sequence[Message], stream: bool, options: Mapping[str, Any], **kwargs: Any
    ) -> Any:
        async def answer() -> ChatResponse:
            number = len(self.ran.prompts)
            if self.before is not None:
                self.before(number)
            self.ran.prompts.append(str(options.get("instructions")))
            self.ran.offered.append({tool.name for tool in options.get("tools") or []})
            results = [item for said in messages for item in said.contents if item.type == "function_result"]
            self.ran.results = [(str(item.result), False) for item in results]
            turn = self.turns[number]
            if isinstance(turn, str):
                return ChatResponse(messages=[Message(role="assistant", contents=[turn])])
            calls = [
                Content.from_function_call(call_id=f"call-{number}-{at}", name=name, arguments=given)
                for at, (name, given) in enumerate(turn)
            ]
            return ChatResponse(messages=[Message(role="assistant", contents=calls)])

        return answer()


class MicrosoftAgentFramework:
    def adapter(self, identify: Any, client: AsyncClient | None = None, **given: Any) -> SkillmountContextProvider:
        return SkillmountContextProvider(identify, client, **given)

    def identify(self, context: SkillsSourceContext) -> tuple[str, str]:
        assert context.session is not None
        return context.session.state["user_id"], context.session.session_id

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
        own = [FunctionTool(name=own_tool, description="Tell the weather.", func=_rains)] if own_tool else []
        agent = Agent(model, contract.OWN_INSTRUCTIONS, tools=own, context_providers=[adapter])
        of_run = AgentSession(session_id=session)
        of_run.state["user_id"] = user
        TRACER.spans.clear()
        done = await agent.run("go", session=of_run)
        failed = TRACER.failed()
        ids = [
            f"call-{number}-{at}"
            for number, turn in enumerate(turns)
            if not isinstance(turn, str)
            for at in range(len(turn))
        ]
        model.ran.results = [(text, one in failed) for one, (text, _) in zip(ids, model.ran.results, strict=False)]
        model.ran.output = done.text
        return model.ran


def _rains() -> str:
    return "it rains"


FRAMEWORK = MicrosoftAgentFramework()


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


def _context(user: str) -> SkillsSourceContext:
    session = AgentSession()
    session.state["user_id"] = user
    return SkillsSourceContext(agent=Agent.__new__(Agent), session=session)


def _user(context: SkillsSourceContext) -> str:
    assert context.session is not None
    return str(context.session.state["user_id"])


async def test_one_source_has_the_skills_of_each_user(service: Server) -> None:
    source = SkillmountSkillsSource(_user, service.aclient())
    skills = {skill.frontmatter.name: skill for skill in await source.get_skills(_context("ana"))}
    assert set(skills) == {"law-leases", "new-year", "work-leases"}
    assert await source.get_skills(_context("bob")) == []

    leases = skills["law-leases"]
    assert leases.frontmatter.description == "Drafts leases for rent."
    content = await leases.get_content()
    assert content.startswith("SECRET-OF-LEASES\n")
    assert "- notes/a b.md\n" in content
    note = await leases.get_resource("notes/a b.md")
    assert note is not None
    assert await note.read() == "año\n"
    seal = await leases.get_resource("assets/seal.bin")
    assert seal is not None
    assert await seal.read() == ALL_BYTES
    for name in ("none.md", "../../work/leases/SKILL.md", "notes"):
        assert await leases.get_resource(name) is None
    assert (await skills["work-leases"].get_content()).strip() == "# Machines"


async def _with_source(source: SkillmountSkillsSource, *turns: contract.Turn, user: str = "ana") -> contract.Ran:
    """What an agent with the framework's own provider is shown."""
    provider = SkillsProvider(source, disable_load_skill_approval=True, disable_read_skill_resource_approval=True)
    model = Scripted([*turns, "done"])
    session = AgentSession()
    session.state["user_id"] = user
    assert (await Agent(model, context_providers=[provider]).run("go", session=session)).text == "done"
    return model.ran


async def test_a_chat_client_without_middleware_is_an_error(service: Server) -> None:
    class Bare(FunctionInvocationLayer[Any], BaseChatClient[Any]):
        def _inner_get_response(self, **_: Any) -> Any:
            raise AssertionError("the model was asked")

    async with service.aclient() as client:
        agent = Agent(Bare(), context_providers=[FRAMEWORK.adapter(("ana", "chat"), client)])
        with pytest.raises(TypeError, match="Bare is no ChatMiddlewareLayer"):
            await agent.run("go")


@pytest.mark.parametrize(
    ("bases", "said"),
    [
        ((ChatMiddlewareLayer, FunctionInvocationLayer, BaseChatClient), "have another order than its calls need"),
        ((BaseChatClient, FunctionInvocationLayer, ChatMiddlewareLayer), "have another order than its calls need"),
        ((FunctionInvocationLayer, BaseChatClient, ChatMiddlewareLayer), "have another order than its calls need"),
        ((ChatMiddlewareLayer, BaseChatClient), "is no FunctionInvocationLayer, so it runs no tools"),
    ],
)
async def test_a_chat_client_whose_bases_hide_a_layer_is_an_error(
    service: Server, bases: tuple[type, ...], said: str
) -> None:
    asked: list[object] = []
    answers = {"_inner_get_response": lambda _, **given: asked.append(given)}
    mine = type("Mine", bases, answers)
    async with service.aclient() as client:
        agent = Agent(mine(), context_providers=[FRAMEWORK.adapter(("ana", "chat"), client)])
        right = "FunctionInvocationLayer, ChatMiddlewareLayer, BaseChatClient"
        with pytest.raises(TypeError, match=f"Mine.* {said}.*{right}"):
            await agent.run("go")
    assert asked == []


async def test_a_skill_that_a_person_approves_is_refused_in_words(tmp_path: Path) -> None:
    agent_key, control_key, keys = contract.keys(tmp_path)
    with server(program=PROGRAM, arguments=["--keys", str(keys)]) as bare:
        contract.publish(Server(bare.url, bare.pid, control_key))
        async with (
            AsyncClient(bare.url, api_key=control_key) as person,
            AsyncClient(bare.url, api_key=agent_key) as client,
        ):
            await person.user("ana").set_policy(models.Policy.model_validate({"skills": {"law/*": "enabled"}}))
            load: contract.Turn = [("load_skill", {"skill_name": "leases"})]
            read: contract.Turn = [("read_skill_resource", {"skill_name": "leases", "resource_name": "garage.md"})]
            # More failures in a row than the framework bears of exceptions.
            ran = await _with_source(SkillmountSkillsSource("ana", client), load, load, load, load, read)
            assert len(ran.results) == 5
            for text, _ in ran.results:
                assert "approv" in text
                assert "SECRET" not in text


async def test_a_source_keeps_its_list_through_an_outage(caplog: pytest.LogCaptureFixture) -> None:
    load: contract.Turn = [("load_skill", {"skill_name": "leases"})]
    with contract.serving() as service:
        source = SkillmountSkillsSource(_user, service.aclient())
        assert contract.SECRET in (await _with_source(source, load)).results[0][0]
    for _ in range(2):
        ran = await _with_source(source, load)
        assert "leases" in ran.prompts[0]
        assert "cannot be reached" in ran.results[0][0]
    assert len([record for record in caplog.records if record.name == "skillmount"]) == 1
    with pytest.raises(Exception, match="cannot be reached"):
        await _with_source(source, load, user="bob")


def test_a_copy_of_a_source_has_a_client_of_its_own(service: Server) -> None:
    source = SkillmountSkillsSource(_user, AsyncClient(service.url, api_key="the-key"))
    assert copy.deepcopy(source)._catalog.client is not source._catalog.client
    assert b"the-key" not in pickle.dumps(source)


def test_the_snippets_of_the_readme_run(monkeypatch: pytest.MonkeyPatch) -> None:
    with contract.serving() as service:
        monkeypatch.setenv("SKILLMOUNT_SERVER", service.url)
        snippet = contract.snippet("agent_framework_provider")
        of_source = contract.snippet("agent_framework_source")
        model = Scripted([contract.LOAD, "done"])
        loading = Scripted([[("load_skill", {"skill_name": "leases"})], "done"])
        session = AgentSession()
        session.state["user_id"] = "ana"

        async def run() -> None:
            assert (await snippet["lawyer"](model).run("go", session=session)).text == "done"
            other = AgentSession()
            other.state["user_id"] = "ana"
            await Agent(loading, context_providers=[of_source["provider"]]).run("go", session=other)
            await snippet["skills"].aclose()
            await of_source["source"].aclose()

        with contract.strict():
            asyncio.run(run())
        assert contract.SECRET in model.ran.prompts[1]
        assert contract.SECRET in loading.ran.results[0][0]


def test_the_example_prints_what_the_readme_shows() -> None:
    check_example("agent_framework/lease_maf.py")

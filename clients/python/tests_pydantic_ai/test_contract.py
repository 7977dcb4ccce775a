"""What every adapter does, with Pydantic AI."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from pydantic_ai import Agent, RunContext
from pydantic_ai.messages import ModelMessage, ModelRequest, ModelResponse, TextPart, ToolCallPart, ToolReturnPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

import contract
from skillmount import AsyncClient
from skillmount.pydantic_ai import SkillmountSkills


@dataclass
class Chat:
    user: str
    session: str


class PydanticAi:
    def adapter(self, identify: Any, client: AsyncClient | None = None, **given: Any) -> SkillmountSkills[Chat]:
        return SkillmountSkills(identify, client, **given)

    def identify(self, context: RunContext[Chat]) -> tuple[str, str]:
        return context.deps.user, context.deps.session

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

        def model(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
            number = len(ran.prompts)
            if before is not None:
                before(number)
            ran.prompts.append(info.instructions or "")
            ran.offered.append({tool.name for tool in info.function_tools})
            turn = turns[number]
            if isinstance(turn, str):
                return ModelResponse([TextPart(turn)])
            calls = [ToolCallPart(name, given, f"call-{number}-{at}") for at, (name, given) in enumerate(turn)]
            return ModelResponse(calls)

        agent = Agent(
            FunctionModel(model), deps_type=Chat, instructions=contract.OWN_INSTRUCTIONS, capabilities=[adapter]
        )
        if own_tool is not None:
            agent.tool_plain(name=own_tool)(_rains)
        done = await agent.run("go", deps=Chat(user, session))
        ran.output = done.output
        parts = [part for message in done.all_messages() if isinstance(message, ModelRequest) for part in message.parts]
        ran.results = [
            (str(part.content), part.outcome == "failed") for part in parts if isinstance(part, ToolReturnPart)
        ]
        return ran


def _rains() -> str:
    """Tell the weather."""
    return "it rains"


FRAMEWORK = PydanticAi()


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

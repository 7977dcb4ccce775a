"""Pydantic AI: its own suite for workspaces, and an agent with the skills of its user."""

from __future__ import annotations

import asyncio
import copy
import os
import pickle
import signal
import subprocess
import sys
import time
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from pydantic_ai import Agent
from pydantic_ai.durable_exec._capability_operation import collect_capability_operations
from pydantic_ai.exceptions import UserError
from pydantic_ai.messages import (
    ModelMessage,
    ModelRequest,
    ModelResponse,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
    WorkspaceRef,
)
from pydantic_ai.models.function import AgentInfo, FunctionModel
from pydantic_ai.toolsets import DynamicToolset
from pydantic_ai.workspaces import SupportsFilesystem
from pydantic_ai.workspaces.conformance import WorkspaceBackendSuite

import contract
from skillmount import AsyncClient, SkillmountError, models
from skillmount.pydantic_ai import SkillmountSkills, SkillmountWorkspace
from skillmount.testing import Server, server

ROOT = Path(__file__).parent.parent
PROGRAM = os.environ.get("SKILLMOUNT_PROGRAM") or str(ROOT.parents[1] / "target" / "debug" / "skillmount")

FILE_TOOLS = {"create_skill", "delete", "edit", "glob", "grep", "ls", "move", "read", "write"}


@pytest.fixture(scope="module")
def service() -> Iterator[Server]:
    with server(program=PROGRAM) as running:
        yield running


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


class TestWorkspace(WorkspaceBackendSuite):
    """The suite that Pydantic AI publishes; what needs a shell skips."""

    @pytest.fixture
    def backend(self, service: Server) -> SkillmountWorkspace:
        return SkillmountWorkspace("suite", uuid.uuid4().hex, client=service.aclient())

    @pytest.fixture
    def has_real_posix_shell(self) -> bool:
        return False

    @pytest.fixture
    def attach_backend(self, service: Server) -> Callable[[WorkspaceRef], Any]:
        return lambda ref: SkillmountWorkspace(ref=ref, client=service.aclient())


def test_a_workspace_has_files_and_needs_to_know_whose(service: Server) -> None:
    assert isinstance(SkillmountWorkspace("u", "s", client=service.aclient()), SupportsFilesystem)
    with pytest.raises(ValueError, match="user and a session"):
        SkillmountWorkspace("u")


@pytest.mark.anyio
async def test_an_agent_sees_its_users_skills_and_loads_one(service: Server) -> None:
    service.publish("ana", "law/leases", "Drafts leases. Use when someone rents.", "SECRET-OF-LEASES\n")
    prompts: list[str] = []
    offered: list[set[str]] = []

    def model(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        prompts.append(info.instructions or "")
        said = sum(isinstance(message, ModelResponse) for message in messages)
        if said == 0:
            offered.append({tool.name for tool in info.function_tools})
            if "load_skill" not in offered[-1]:
                return ModelResponse([TextPart("I have no skills.")])
            return ModelResponse(
                [ToolCallPart("load_skill", {"skill": "none"}), ToolCallPart("load_skill", {"skill": "leases"})]
            )
        returned = [part for message in messages if isinstance(message, ModelRequest) for part in message.parts]
        told = [str(part.content) for part in returned if isinstance(part, ToolReturnPart)]
        return ModelResponse([TextPart(" | ".join(told))])

    def identify(ctx: Any) -> tuple[str, str]:
        return ctx.deps, "chat"

    agent = Agent(FunctionModel(model), deps_type=str, capabilities=[SkillmountSkills(identify, service.aclient())])
    ran = await agent.run("I rent out a garage", deps="ana")
    assert 'location="law/leases"' in prompts[0]
    assert "SECRET-OF-LEASES" not in prompts[0]
    assert "SECRET-OF-LEASES" in prompts[1]
    assert "there is no skill" in ran.output
    assert "Loaded skill leases" in ran.output
    other = await agent.run("hello", deps="bob")
    assert "law/leases" not in prompts[-1]
    assert other.output == "I have no skills."
    assert offered == [FILE_TOOLS | {"load_skill", "unload_skill", "discover_skills"}, FILE_TOOLS]


@pytest.mark.anyio
async def test_the_tools_follow_the_mode_and_the_policy(service: Server) -> None:
    service.publish("eva", "law/leases", "Drafts leases. Use when someone rents.", "Body.\n")
    client = service.aclient()
    await client.session("eva", "chat").create(policy=models.Policy(prompt_mode="discover", load_tool="Skill"))
    offered: list[set[str]] = []
    calls = [ToolCallPart("discover_skills", {"query": "leases"}), ToolCallPart("Skill", {"skill": "leases"})]

    def model(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        offered.append({tool.name for tool in info.function_tools})
        said = sum(isinstance(message, ModelResponse) for message in messages)
        return ModelResponse([calls[said] if said < len(calls) else TextPart("done")])

    skills = SkillmountSkills[str](lambda ctx: (ctx.deps, "chat"), client)
    await Agent(FunctionModel(model), deps_type=str, capabilities=[skills]).run("rent", deps="eva")
    found = {"discover_skills", "Skill"}
    assert offered == [{"discover_skills"}, found, found | {"unload_skill"} | FILE_TOOLS]


def test_the_example_runs() -> None:
    kept = {name: value for name, value in os.environ.items() if not name.endswith("_API_KEY")}
    example = str(ROOT.parents[1] / "examples" / "pydantic_ai" / "lease_ai.py")
    environment = {**kept, "SKILLMOUNT_PROGRAM": PROGRAM, "PYTHONPATH": str(ROOT / "src")}
    done = subprocess.run([sys.executable, example], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "The lease is in /workspace/lease.md." in done.stdout
    assert "LEASE OF A GARAGE" in done.stdout


def test_durable_execution_finds_an_id() -> None:
    skills = SkillmountSkills[None](("ana", "chat"))
    assert skills.id == "skillmount"
    assert skills.get_toolset().id == "skillmount"
    assert SkillmountSkills[None](("bob", "chat"), id="second").get_toolset().id == "second"
    with pytest.raises(UserError, match="skillmount"):
        Agent(FunctionModel(lambda *_: ModelResponse([])), capabilities=[skills, SkillmountSkills(("bob", "chat"))])


def test_a_durable_engine_asks_the_service_outside_of_the_workflow() -> None:
    skills = SkillmountSkills[None](("ana", "chat"))
    assert set(collect_capability_operations(skills)) == {"prompt"}
    # Engines wrap such a toolset whole: they list and call its tools in units of their own.
    assert isinstance(skills.get_toolset(), DynamicToolset)


def test_a_workspace_that_made_its_client_can_be_closed(service: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SKILLMOUNT_SERVER", service.url)

    async def run() -> None:
        before = contract.sockets()
        workspace = SkillmountWorkspace("closing", "s")
        await workspace.write_bytes("/workspace/a", b"a")
        assert contract.sockets() > before
        await workspace.aclose()
        assert contract.sockets() == before

    asyncio.run(run())


def test_a_workspace_whose_service_does_not_answer_costs_the_limit(service: Server) -> None:
    async def run() -> None:
        async with service.aclient() as client:
            workspace = SkillmountWorkspace("limit", "s", client=client, timeout=0.5)
            os.kill(service.pid, signal.SIGSTOP)
            began = time.monotonic()
            try:
                for work in (workspace.read_bytes("/workspace/a"), workspace.list_dir("/workspace")):
                    with pytest.raises(SkillmountError, match=r"gave no answer within 0\.5 s"):
                        await work
            finally:
                os.kill(service.pid, signal.SIGCONT)
            assert time.monotonic() - began < 3

    asyncio.run(run())


def test_a_copy_of_a_workspace_has_connections_of_its_own(service: Server) -> None:
    workspace = SkillmountWorkspace("copied", "s", client=AsyncClient(service.url, api_key="the-key"))
    copied = copy.deepcopy(workspace)
    assert copied._session.client is not workspace._session.client
    assert copied.ref == workspace.ref
    assert b"the-key" not in pickle.dumps(workspace)


def test_the_snippets_of_the_readme_run(monkeypatch: pytest.MonkeyPatch) -> None:
    with contract.serving() as service:
        monkeypatch.setenv("SKILLMOUNT_SERVER", service.url)
        skills = contract.snippet("pydantic_ai_skills")
        workspace = contract.snippet("pydantic_ai_workspace")
        prompts: list[str] = []

        def model(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
            prompts.append(info.instructions or "")
            load = ToolCallPart("load_skill", {"skill": "law/leases"})
            return ModelResponse([load if len(prompts) == 1 else TextPart("done")])

        async def run() -> None:
            with skills["agent"].override(model=FunctionModel(model)):
                assert await skills["answer"]("go", skills["Chat"]("ana", "chat")) == "done"
            await skills["skills"].aclose()
            async with service.aclient() as client:
                await client.session("ana", "chat").write("/workspace/lease.md", "A LEASE\n")
            assert await workspace["lease_of"]("ana", "chat") == "A LEASE\n"

        with contract.strict():
            asyncio.run(run())
        assert contract.SECRET in prompts[1]

"""An agent of Pydantic AI with its user's skills and files.

    cargo build
    SKILLMOUNT_FRAMEWORK=pydantic-ai clients/python/run python examples/pydantic_ai/lease_ai.py

A service is started on a store in memory unless SKILLMOUNT_SERVER names one. The model says what is written below
unless ANTHROPIC_API_KEY is set.
"""

from __future__ import annotations

import asyncio
import os
from contextlib import ExitStack
from dataclasses import dataclass

from pydantic_ai import Agent, RunContext
from pydantic_ai.messages import ModelMessage, ModelResponse, ModelResponsePart, TextPart, ToolCallPart
from pydantic_ai.models import Model
from pydantic_ai.models.function import AgentInfo, FunctionModel

from skillmount import AsyncClient, models
from skillmount.pydantic_ai import SkillmountSkills, SkillmountWorkspace
from skillmount.testing import server

TASK = "Which lease do I need for a garage? Write it to /workspace/lease.md."

SCRIPT: list[ModelResponsePart] = [
    ToolCallPart("load_skill", {"skill": "law/leases"}),
    ToolCallPart("read", {"file_path": "/skills/leases/garage.md"}),
    ToolCallPart("write", {"file_path": "/workspace/lease.md", "content": "LEASE OF A GARAGE\n"}),
    TextPart("The lease is in /workspace/lease.md."),
]


@dataclass
class Chat:
    """Whose conversation it is."""

    user: str
    id: str


def scripted(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
    """Say one line of the script after another, and print what the model was shown."""
    said = sum(isinstance(message, ModelResponse) for message in messages)
    print(f"prompt {said}: {(info.instructions or '')[:40]}…")
    part = SCRIPT[said]
    print(f"model  {said}:", f"{part.tool_name} {part.args}" if isinstance(part, ToolCallPart) else "says it is done")
    return ModelResponse([part])


def identify(ctx: RunContext[Chat]) -> tuple[str, str]:
    """The user and the session of a run."""
    return ctx.deps.user, ctx.deps.id


async def work(client: AsyncClient) -> None:
    """Run the agent, and read what it wrote as a workspace."""
    skill = models.PublishRequest(
        description="Drafts leases. Use when someone rents something out.",
        body="# Leases\nA garage has its own form: /skills/leases/garage.md.\n",
        files={"garage.md": "LEASE OF A GARAGE\n"},
    )
    await client.user("ana").publish("law/leases", skill)
    model: Model | str = (
        "anthropic:claude-sonnet-4-6" if os.environ.get("ANTHROPIC_API_KEY") else FunctionModel(scripted)
    )
    skills = SkillmountSkills(identify, client)
    agent = Agent(model, deps_type=Chat, capabilities=[skills])
    print((await agent.run(TASK, deps=Chat("ana", "garage"))).output)
    workspace = SkillmountWorkspace("ana", "garage", client=client)
    print((await workspace.read_bytes("/workspace/lease.md")).decode())


def main() -> None:
    """Run it on a service."""
    with ExitStack() as stack:
        url = os.environ.get("SKILLMOUNT_SERVER") or stack.enter_context(server()).url
        asyncio.run(work(AsyncClient(url)))


if __name__ == "__main__":
    main()

"""An agent of the Microsoft Agent Framework that serves several users, each with skills of its own.

    cargo build
    SKILLMOUNT_FRAMEWORK=agent-framework clients/python/run python examples/agent_framework/lease_maf.py

A service is started on a store in memory unless SKILLMOUNT_SERVER names one. The model says what is written below.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from typing import Any

from agent_framework import (
    Agent,
    BaseChatClient,
    ChatResponse,
    Content,
    FunctionInvocationLayer,
    Message,
    SkillsProvider,
    SkillsSourceContext,
)

from skillmount import AsyncClient, models
from skillmount.agent_framework import SkillmountSkillsSource
from skillmount.testing import server

TASK = "Which lease do I need for a garage?"

SCRIPT: list[tuple[str, dict[str, Any]] | str] = [
    ("load_skill", {"skill_name": "leases"}),
    ("read_skill_resource", {"skill_name": "leases", "resource_name": "garage.md"}),
    "Take the LEASE OF A GARAGE.",
]


class Scripted(FunctionInvocationLayer[Any], BaseChatClient[Any]):
    """Says one line of the script after another, and prints what the tools answered."""

    def _inner_get_response(
        self, *, messages: Sequence[Message], stream: bool, options: Mapping[str, Any], **kwargs: Any
    ) -> Any:
        async def answer() -> ChatResponse:
            results = [
                content.result for said in messages for content in said.contents if content.type == "function_result"
            ]
            if results:
                print(f"tool  {len(results) - 1}: {str(results[-1]).strip().splitlines()[0]}")
            elif "leases" not in str(options.get("instructions")):
                return ChatResponse(messages=[Message(role="assistant", contents=["You have no skill for it."])])
            line = SCRIPT[len(results)]
            if isinstance(line, str):
                return ChatResponse(messages=[Message(role="assistant", contents=[line])])
            print(f"model {len(results)}: {line[0]} {line[1]}")
            call = Content.from_function_call(call_id=f"c{len(results)}", name=line[0], arguments=line[1])
            return ChatResponse(messages=[Message(role="assistant", contents=[call])])

        return answer()


def identify(context: SkillsSourceContext) -> str:
    """The user of a run: here it is kept in the session."""
    if context.session is None or "user_id" not in context.session.state:
        raise LookupError("run the agent with a session whose state has `user_id`")
    return str(context.session.state["user_id"])


async def work(url: str) -> None:
    """Run one agent for two users."""
    client = AsyncClient(url)
    skill = models.PublishRequest(
        description="Drafts leases. Use when someone rents something out.",
        body="# Leases\nA garage has its own form: garage.md.\n",
        files={"garage.md": "LEASE OF A GARAGE\n"},
    )
    await client.user("ana").publish("law/leases", skill)
    provider = SkillsProvider(
        SkillmountSkillsSource(identify, client),
        disable_load_skill_approval=True,
        disable_read_skill_resource_approval=True,
    )
    agent = Agent(Scripted(), context_providers=[provider])
    for user in ("ana", "bob"):
        session = agent.create_session()
        session.state["user_id"] = user
        print(f"{user}: {(await agent.run(TASK, session=session)).text}")


def main() -> None:
    """Run it on a service."""
    with ExitStack() as stack:
        url = os.environ.get("SKILLMOUNT_SERVER") or stack.enter_context(server()).url
        asyncio.run(work(url))


if __name__ == "__main__":
    main()

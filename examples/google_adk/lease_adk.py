"""An agent of Google's Agent Development Kit with its user's skills.

    cargo build
    SKILLMOUNT_FRAMEWORK=google-adk clients/python/run python examples/google_adk/lease_adk.py

A service is started on a store in memory unless SKILLMOUNT_SERVER names one. The model says what is written below
unless GOOGLE_API_KEY is set.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncGenerator
from contextlib import ExitStack
from typing import Any

from google.adk.agents import LlmAgent
from google.adk.models.base_llm import BaseLlm
from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse
from google.adk.runners import InMemoryRunner
from google.adk.tools.skill_toolset import SkillToolset
from google.genai import types

from skillmount import AsyncClient, models
from skillmount.google_adk import SkillmountSkillRegistry
from skillmount.testing import server

TASK = "Which lease do I need for a garage?"

SCRIPT: list[tuple[str, dict[str, Any]] | str] = [
    ("search_skills", {"query": "lease for a garage"}),
    ("load_skill", {"skill_name": "leases"}),
    ("load_skill_resource", {"skill_name": "leases", "file_path": "references/garage.md"}),
    "Take the LEASE OF A GARAGE.",
]


class Scripted(BaseLlm):
    """Says one line of the script after another, and prints what the tools answered."""

    model: str = "scripted"

    async def generate_content_async(
        self, llm_request: LlmRequest, stream: bool = False
    ) -> AsyncGenerator[LlmResponse, None]:
        """The next line."""
        parts = [part for content in llm_request.contents for part in content.parts or []]
        results = [part.function_response.response for part in parts if part.function_response]
        if results:
            print(f"tool  {len(results) - 1}: {str(results[-1])[:60]}…")
        line = SCRIPT[len(results)]
        if isinstance(line, str):
            part = types.Part(text=line)
        else:
            print(f"model {len(results)}: {line[0]} {line[1]}")
            part = types.Part(function_call=types.FunctionCall(name=line[0], args=line[1]))
        yield LlmResponse(content=types.Content(role="model", parts=[part]))


async def work(url: str) -> None:
    """Run the agent of one user."""
    client = AsyncClient(url)
    skill = models.PublishRequest(
        description="Drafts leases. Use when someone rents something out.",
        body="# Leases\nA garage has its own form: references/garage.md.\n",
        files={"references/garage.md": "LEASE OF A GARAGE\n"},
    )
    await client.user("ana").publish("law/leases", skill)
    agent = LlmAgent(
        name="lawyer",
        model="gemini-flash-latest" if os.environ.get("GOOGLE_API_KEY") else Scripted(),
        tools=[SkillToolset(registry=SkillmountSkillRegistry("ana", client))],
    )
    async with InMemoryRunner(agent) as runner:
        session = await runner.session_service.create_session(app_name=runner.app_name, user_id="ana")
        message = types.Content(role="user", parts=[types.Part(text=TASK)])
        async for event in runner.run_async(user_id="ana", session_id=session.id, new_message=message):
            if event.is_final_response() and event.content and event.content.parts:
                print(event.content.parts[0].text)


def main() -> None:
    """Run it on a service."""
    with ExitStack() as stack:
        url = os.environ.get("SKILLMOUNT_SERVER") or stack.enter_context(server()).url
        asyncio.run(work(url))


if __name__ == "__main__":
    main()

"""An agent of OpenAI's Agents SDK that brings its user's skills into a sandbox on this machine.

    cargo build
    SKILLMOUNT_FRAMEWORK=openai-agents clients/python/run python examples/openai_agents/lease_sandbox.py

A service is started on a store in memory unless SKILLMOUNT_SERVER names one. The model says what is written below
unless OPENAI_API_KEY is set.
"""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import AsyncIterator
from contextlib import ExitStack
from typing import Any

from agents import Model, ModelResponse, RunConfig, Runner, Usage, set_tracing_disabled
from agents.items import TResponseStreamEvent
from agents.sandbox import SandboxAgent, SandboxRunConfig
from agents.sandbox.capabilities import Shell, Skills
from agents.sandbox.sandboxes.unix_local import UnixLocalSandboxClient
from openai.types.responses import ResponseFunctionToolCall, ResponseOutputMessage, ResponseOutputText

from skillmount import Client, models
from skillmount.openai_agents import SkillmountSkillSource
from skillmount.testing import server

TASK = "Which lease do I need for a garage? Write it to lease.md."

SCRIPT: list[tuple[str, dict[str, Any]] | str] = [
    ("load_skill", {"skill_name": "leases"}),
    ("exec_command", {"cmd": "cat .agents/leases/garage.md | tee lease.md"}),
    "The lease is in lease.md.",
]


class Scripted(Model):
    """Says one line of the script after another, and prints what it is shown."""

    async def get_response(
        self, system_instructions: str | None, input: Any, *given: Any, **named: Any
    ) -> ModelResponse:
        """The next line."""
        results = (
            [item["output"] for item in input if item.get("type") == "function_call_output"]
            if isinstance(input, list)
            else []
        )
        if results:
            print(f"tool   {len(results) - 1}: {str(results[-1]).strip().splitlines()[-1]}")
        else:
            listed = [line for line in (system_instructions or "").splitlines() if line.startswith("- leases")]
            print("prompt 0:", *listed)
        line = SCRIPT[len(results)]
        if isinstance(line, str):
            print(f"model  {len(results)}: says it is done")
            text = ResponseOutputText(type="output_text", text=line, annotations=[])
            message = ResponseOutputMessage(
                id="m", type="message", role="assistant", status="completed", content=[text]
            )
            return ModelResponse(output=[message], usage=Usage(), response_id=None)
        name, arguments = line
        print(f"model  {len(results)}: {name} {arguments}")
        call = ResponseFunctionToolCall(
            type="function_call", call_id=f"c{len(results)}", name=name, arguments=json.dumps(arguments)
        )
        return ModelResponse(output=[call], usage=Usage(), response_id=None)

    def stream_response(self, *given: Any, **named: Any) -> AsyncIterator[TResponseStreamEvent]:
        """Nothing here is streamed."""
        raise NotImplementedError


async def work(url: str) -> None:
    """Run the agent in a sandbox of its own."""
    source = SkillmountSkillSource("ana", url)
    agent = SandboxAgent(
        name="lawyer",
        instructions="You draft leases.",
        model=None if os.environ.get("OPENAI_API_KEY") else Scripted(),
        capabilities=[Shell(), Skills(lazy_from=source)],
    )
    config = RunConfig(sandbox=SandboxRunConfig(client=UnixLocalSandboxClient()))
    print((await Runner.run(agent, TASK, run_config=config)).final_output)


def main() -> None:
    """Run it on a service."""
    if not os.environ.get("OPENAI_API_KEY"):
        set_tracing_disabled(True)
    with ExitStack() as stack:
        url = os.environ.get("SKILLMOUNT_SERVER") or stack.enter_context(server()).url
        skill = models.PublishRequest(
            description="Drafts leases. Use when someone rents something out.",
            body="# Leases\nA garage has its own form: garage.md.\n",
            files={"garage.md": "LEASE OF A GARAGE\n"},
        )
        with Client(url) as client:
            client.user("ana").publish("law/leases", skill)
        asyncio.run(work(url))


if __name__ == "__main__":
    main()

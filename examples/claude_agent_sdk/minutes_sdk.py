"""An agent of Claude's Agent SDK with its user's skills and files, by the Model Context Protocol.

    pip install claude-agent-sdk ./clients/python skillmount-bin
    python examples/claude_agent_sdk/minutes_sdk.py

A service is started on a store in memory unless SKILLMOUNT_SERVER names one. The model says what is written below
unless ANTHROPIC_API_KEY is set.
"""

from __future__ import annotations

import asyncio
import os
import tempfile
from contextlib import ExitStack

from claude_agent_sdk import (
    AssistantMessage,
    ClaudeAgentOptions,
    TextBlock,
    ToolResultBlock,
    ToolUseBlock,
    UserMessage,
    query,
)

from skillmount import Client, models
from skillmount.scripted_api import Said, scripted_api
from skillmount.testing import server

TASK = "Turn the notes 'ship on Monday' into minutes, in /workspace/minutes.md."

SCRIPT: list[Said] = [
    [("mcp__skills__load_skill", {"skill": "writing/minutes"})],
    [("mcp__skills__read", {"file_path": "/skills/minutes/template.md"})],
    [("mcp__skills__write", {"file_path": "/workspace/minutes.md", "content": "## Decisions\n- Ship on Monday.\n"})],
    "The minutes are in /workspace/minutes.md.",
]


async def main() -> None:
    """Run the agent, and show what it did."""
    with ExitStack() as stack:
        url = os.environ.get("SKILLMOUNT_SERVER") or stack.enter_context(server()).url
        client = stack.enter_context(Client(url))
        skill = models.PublishRequest(
            description="Writes the minutes of a meeting. Use when notes become minutes.",
            body="# Minutes\nBegin with /skills/minutes/template.md.\n",
            files={"template.md": "## Decisions\n"},
        )
        client.user("ana").publish("writing/minutes", skill)

        environment = {}
        if not os.environ.get("ANTHROPIC_API_KEY"):
            home = stack.enter_context(tempfile.TemporaryDirectory(ignore_cleanup_errors=True))
            model = stack.enter_context(scripted_api(SCRIPT))
            environment = {"HOME": home, "ANTHROPIC_BASE_URL": model.url, "ANTHROPIC_API_KEY": "any"}
        headers = {"x-skillmount-user": "ana", "x-skillmount-session": "monday"}
        options = ClaudeAgentOptions(
            mcp_servers={"skills": {"type": "http", "url": f"{url}/mcp", "headers": headers}},
            allowed_tools=["mcp__skills"],
            tools=[],
            setting_sources=[],
            env={**environment, "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1"},
        )
        async for message in query(prompt=TASK, options=options):
            if isinstance(message, AssistantMessage | UserMessage) and isinstance(message.content, list):
                for block in message.content:
                    if isinstance(block, ToolUseBlock):
                        print(f"model: {block.name} {block.input}"[:100])
                    elif isinstance(block, ToolResultBlock):
                        texts = [str(part["text"]) for part in block.content or [] if isinstance(part, dict)]
                        print(f" tool: {' '.join(texts).strip()[:36]}…")
                    elif isinstance(block, TextBlock) and isinstance(message, AssistantMessage):
                        print(f"model: {block.text}")

        print("\n/workspace/minutes.md of ana:")
        print(client.session("ana", "monday").read("/workspace/minutes.md").content, end="")


if __name__ == "__main__":
    asyncio.run(main())

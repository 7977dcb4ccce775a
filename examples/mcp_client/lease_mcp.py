"""A plain client of the Model Context Protocol: what any host does with a service, without a model.

    pip install mcp ./clients/python skillmount-bin
    python examples/mcp_client/lease_mcp.py

A service is started on a store in memory unless SKILLMOUNT_SERVER names one.
"""

from __future__ import annotations

import asyncio
import os
from contextlib import ExitStack
from typing import Any

import httpx2
from mcp.client.client import Client as Host
from mcp.client.streamable_http import streamable_http_client
from mcp_types import TextContent

from skillmount import Client, models
from skillmount.testing import server


async def call(host: Host, tool: str, given: dict[str, Any]) -> None:
    """Call a tool, and show the first line of what it says."""
    result = await host.call_tool(tool, given)
    texts = [block.text for block in result.content if isinstance(block, TextContent)]
    print(f"{tool} {given}\n  {'error' if result.is_error else 'ok'}: {texts[0].strip().splitlines()[0][:80]}")


async def main() -> None:
    """Show what a host is told, and load and read a skill."""
    with ExitStack() as stack:
        url = os.environ.get("SKILLMOUNT_SERVER") or stack.enter_context(server()).url
        skill = models.PublishRequest(
            description="Drafts leases. Use when someone rents something out.",
            body="# Leases\nA garage has its own form: /skills/leases/garage.md.\n",
            files={"garage.md": "LEASE OF A GARAGE\n"},
        )
        stack.enter_context(Client(url)).user("ana").publish("law/leases", skill)

        headers = {"x-skillmount-user": "ana", "x-skillmount-session": "garage"}
        http = httpx2.AsyncClient(headers=headers, timeout=30)
        async with Host(streamable_http_client(f"{url}/mcp", http_client=http)) as host:
            print("The model is told:")
            listing = [line for line in (host.instructions or "").splitlines() if line.startswith("- ")]
            print("  " + "\n  ".join(listing))
            print("Tools:", ", ".join(sorted(tool.name for tool in (await host.list_tools()).tools)))
            print("Behind `/`:", ", ".join(prompt.name for prompt in (await host.list_prompts()).prompts))
            await call(host, "read", {"file_path": "/skills/leases/garage.md"})
            await call(host, "load_skill", {"skill": "law/leases"})
            await call(host, "read", {"file_path": "/skills/leases/garage.md"})


if __name__ == "__main__":
    asyncio.run(main())

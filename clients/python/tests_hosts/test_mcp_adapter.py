"""What the MCP client of the official Python SDK has of the service, point by point."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from mcp import StdioServerParameters
from mcp.client.session_group import ClientSessionGroup, StreamableHttpParameters
from mcp.shared.exceptions import MCPError
from mcp_types import ElicitResult
from test_mcp_sdk import MODERN, by_http, by_stdio, host, text

from conftest import Service
from skillmount import models

OWN_SERVER = """
from mcp.server.mcpserver import MCPServer
server = MCPServer("own", instructions="You are a pirate.")

@server.tool(name=NAME)
def own(place: str) -> str:
    "Say how the weather is."
    return f"sunny in {place}"

server.run("stdio")
"""


def _parameters(service: Service, session: str) -> StreamableHttpParameters:
    headers = {"x-skillmount-user": "ana", "x-skillmount-session": session}
    return StreamableHttpParameters(url=f"{service.url}/mcp", headers=headers)


def _own(name: str) -> StdioServerParameters:
    return StdioServerParameters(command=sys.executable, args=["-c", f"NAME = {name!r}\n{OWN_SERVER}"])


@contextmanager
def _standing_still(service: Service) -> Iterator[None]:
    """A service that accepts calls and does not answer."""
    os.kill(service.running.pid, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(service.running.pid, signal.SIGCONT)


@pytest.mark.parametrize("transport", [by_http, by_stdio])
async def test_the_host_says_whose_session_it_is(service: Service, transport: Any) -> None:
    async with host(transport, service, session="Thread_1.2") as client:
        await client.call_tool("write", {"file_path": "/workspace/a", "content": "one"})
        await client.call_tool("load_skill", {"skill": "minutes"})
    with service.running.client() as api:
        assert [session.session_id for session in api.user("ana").sessions()] == ["Thread_1.2"]
    async with host(transport, service, session="another") as client:
        assert (await client.call_tool("read", {"file_path": "/workspace/a"})).is_error


async def test_own_tools_stay_and_a_clash_of_names_is_an_error(service: Service) -> None:
    async with ClientSessionGroup() as group:
        await group.connect_to_server(_parameters(service, "s"))
        await group.connect_to_server(_own("weather"))
        assert "sunny in Rome" in text(await group.call_tool("weather", {"place": "Rome"}))
        assert "Loaded skill minutes" in text(await group.call_tool("load_skill", {"skill": "minutes"}))
        with pytest.raises(MCPError, match=r"'read'.* already exist in group tools"):
            await group.connect_to_server(_own("read"))


@pytest.mark.parametrize("decision", ["allow", "deny"])
async def test_a_person_at_the_host_decides_with_the_facts(service: Service, decision: str) -> None:
    policy = models.Policy(tools={"*": "auto", "write": "ask"})
    with service.running.client() as api:
        api.session("ana", "asks").create(policy=policy)
    asked: list[str] = []

    async def answer(_: Any, params: Any) -> ElicitResult:
        asked.append(params.message)
        given: dict[str, Any] = {"decision": decision}
        if decision == "deny":
            given["message"] = "archive it instead"
        return ElicitResult(action="accept", content=given)

    async with host(by_stdio, service, session="asks", mode=MODERN, elicitation_callback=answer) as client:
        told = await client.call_tool("write", {"file_path": "/workspace/a.md", "content": "one"})
    assert "write" in asked[0]
    assert "/workspace/a.md" in asked[0]
    assert "second" in asked[0] or "minute" in asked[0]
    if decision == "allow":
        assert not told.is_error
    else:
        assert "archive it instead" in text(told)


async def test_without_a_person_at_the_host_the_model_reads_the_refusal(service: Service) -> None:
    with service.running.client() as api:
        api.session("ana", "asks").create(policy=models.Policy(tools={"*": "auto", "write": "ask"}))
    async with host(by_http, service, session="asks") as client:
        told = await client.call_tool("write", {"file_path": "/workspace/a.md", "content": "one"})
        assert told.is_error
        assert "needs a person's approval" in text(told)
        assert not (await client.call_tool("ls", {"path": "/"})).is_error, "it goes on"


async def test_a_service_that_does_not_answer_costs_the_hosts_timeout(service: Service) -> None:
    async with host(by_http, service) as client:
        await client.call_tool("ls", {"path": "/"})
        with _standing_still(service):
            begin = time.monotonic()
            with pytest.raises(MCPError, match="imed out"):
                await client.call_tool("ls", {"path": "/"}, read_timeout_seconds=1.0)
            assert time.monotonic() - begin < 4


async def test_a_call_that_is_cancelled_ends_and_the_next_one_does_not_wait(service: Service) -> None:
    async with host(by_http, service) as client:
        await client.call_tool("ls", {"path": "/"})
        with _standing_still(service):
            begin = time.monotonic()
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(client.call_tool("ls", {"path": "/"}), 0.5)
            assert time.monotonic() - begin < 3
        begin = time.monotonic()
        assert not (await client.call_tool("ls", {"path": "/"})).is_error
        assert time.monotonic() - begin < 3


CLOSING = """
import asyncio, sys
from pathlib import Path
sys.path.insert(0, sys.argv[1])
from mcp.client.session_group import ClientSessionGroup
from conftest import Service
from test_mcp_adapter import _parameters
from test_mcp_sdk import by_stdio, host

async def whole(service):
    async with ClientSessionGroup() as group:
        await group.connect_to_server(_parameters(service, "s"))
        await group.call_tool("load_skill", {"skill": "minutes"})
    async with host(by_stdio, service) as client:
        await client.call_tool("load_skill", {"skill": "minutes"})

service = Service(Path(sys.argv[2]))
service.url = sys.argv[3]
asyncio.run(whole(service))
print("done")
"""


def test_a_client_that_is_closed_leaves_nothing_open(service: Service) -> None:
    command = [sys.executable, "-W", "error", "-c", CLOSING, str(Path(__file__).parent), str(service.folder)]
    done = subprocess.run([*command, service.url], capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("done\n", "")


def test_one_configuration_in_many_event_loops_keeps_no_connection(service: Service) -> None:
    async def once() -> None:
        async with ClientSessionGroup() as group:
            await group.connect_to_server(_parameters(service, "s"))
            assert "skills" in text(await group.call_tool("ls", {"path": "/"}))

    asyncio.run(once())
    before = len(os.listdir("/proc/self/fd"))
    for _ in range(15):
        asyncio.run(once())
    assert len(os.listdir("/proc/self/fd")) <= before

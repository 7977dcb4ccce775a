"""The client of the protocol's official Python SDK against the service and against the command, in both eras."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

import anyio
import httpx2
import pytest
from mcp import StdioServerParameters
from mcp.client.client import Client
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError
from mcp_types import CallToolResult, PromptReference, Request, ResourceTemplateReference, Result, TextContent
from pydantic import ConfigDict

from conftest import PROGRAM, Service

MODERN = "2026-07-28"
INVALID_PARAMS, METHOD_NOT_FOUND = -32602, -32601
SKILL = "skill://writing/minutes/SKILL.md"


class Anything(Result):
    """A result of whatever shape."""

    model_config = ConfigDict(extra="allow")


def by_http(service: Service, user: str, session: str) -> Any:
    headers = {"x-skillmount-user": user, "x-skillmount-session": session}
    return streamable_http_client(f"{service.url}/mcp", http_client=httpx2.AsyncClient(headers=headers, timeout=20))


def by_stdio(service: Service, user: str, session: str) -> Any:
    arguments = ["mcp", "--store", service.store, "--user", user, "--session", session]
    return stdio_client(StdioServerParameters(command=PROGRAM, args=arguments))


Transport = Callable[[Service, str, str], Any]
each_transport = pytest.mark.parametrize("transport", [by_http, by_stdio])
each_era = pytest.mark.parametrize("era", ["legacy", MODERN, "auto"])


@asynccontextmanager
async def host(transport: Transport, service: Service, user: str = "ana", session: str = "s", **more: Any) -> Any:
    async with Client(transport(service, user, session), cache=None, **more) as client:
        yield client


def text(result: Any) -> str:
    assert isinstance(result, CallToolResult)
    (block,) = result.content
    assert isinstance(block, TextContent)
    return block.text


async def skills(client: Client, method: str, **params: Any) -> dict[str, Any]:
    """Send a method of the Skills extension, which this SDK has no calls for."""
    request = Request[dict[str, Any], str](method=method, params=params)
    return (await client.session.send_request(request, Anything)).model_dump(by_alias=True, mode="json")


async def refused(call: Any) -> int:
    with pytest.raises(MCPError) as error:
        await call
    return error.value.code


@each_era
@each_transport
async def test_every_method_answers(service: Service, transport: Transport, era: str) -> None:
    async with host(transport, service, mode=era) as client:
        if era != MODERN:  # where the version is pinned, nothing is asked before the first call
            assert client.server_info is not None
            assert client.server_info.name == "skillmount"
            assert "writing/minutes" in (client.instructions or "")
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert set(tools) >= {"ls", "read", "grep", "glob", "write", "edit", "delete", "load_skill", "discover_skills"}
        assert tools["read"].annotations is not None
        assert tools["read"].annotations.read_only_hint is True
        assert tools["read"].output_schema is None

        prompts = (await client.list_prompts()).prompts
        assert [prompt.name for prompt in prompts] == ["writing/minutes"]
        (template,) = (await client.list_resource_templates()).resource_templates
        completed = await client.complete(
            ResourceTemplateReference(type="ref/resource", uri=template.uri_template), {"name": "skill", "value": "w"}
        )
        assert completed.completion.values == ["writing/minutes"]
        resources = (await client.list_resources()).resources
        assert SKILL in {resource.uri for resource in resources}
        (content,) = (await client.read_resource(SKILL)).contents
        assert "SECRET-OF-MINUTES" in getattr(content, "text", "")

        loaded = await client.call_tool("load_skill", {"skill": "minutes"})
        assert "SECRET-OF-MINUTES" in text(loaded)
        assert "/skills/minutes" in text(loaded)
        assert loaded.structured_content is None, "a host shows its model the text"
        assert "## Decisions" in text(
            await client.call_tool("read", {"file_path": "/skills/minutes/forms/template.md"})
        )
        await client.call_tool("write", {"file_path": "/workspace/a.md", "content": "TODO\n"})
        edit = {"file_path": "/workspace/a.md", "old_string": "TODO", "new_string": "done"}
        assert not (await client.call_tool("edit", edit)).is_error
        assert "done" in text(await client.call_tool("grep", {"pattern": "done", "path": "/workspace"}))
        assert "a.md" in text(await client.call_tool("glob", {"pattern": "*.md", "path": "/workspace"}))
        assert not (await client.call_tool("move", {"from": "/workspace/a.md", "to": "/workspace/b.md"})).is_error
        assert "b.md" in text(await client.call_tool("ls", {"path": "/workspace"}))
        assert not (await client.call_tool("delete", {"path": "/workspace/b.md"})).is_error
        assert "minutes" in text(await client.call_tool("discover_skills", {"query": "minutes of a meeting"}))
        assert not (await client.call_tool("unload_skill", {"skill": "minutes"})).is_error
        prompt = await client.get_prompt("writing/minutes", {"arguments": "today"})
        assert "SECRET-OF-MINUTES" in getattr(prompt.messages[0].content, "text", "")


@each_transport
async def test_skills_are_listed_and_fetched_with_true_digests(service: Service, transport: Transport) -> None:
    async with host(transport, service, mode=MODERN) as client:
        (listed,) = (await skills(client, "skills/list"))["skills"]
        assert listed["uri"] == SKILL
        got = (await skills(client, "skills/get", uri=SKILL))["skill"]
        assert {file["uri"] for file in got["resources"]} == {SKILL, "skill://writing/minutes/forms/template.md"}
        for file in got["resources"]:
            (content,) = (await client.read_resource(file["uri"])).contents
            read = content.text.encode()
            assert file["digest"] == f"sha256:{hashlib.sha256(read).hexdigest()}"
            assert file["size"] == len(read)
        folder = await skills(client, "resources/directory/read", uri="skill://writing/minutes")
        assert {entry["name"]: entry["mimeType"] for entry in folder["resources"]} == {
            "forms": "inode/directory",
            "minutes": "text/markdown",
        }


@pytest.mark.parametrize("era", ["legacy", MODERN])
@each_transport
async def test_every_error_is_the_protocols_or_one_that_a_model_reads(
    service: Service, transport: Transport, era: str
) -> None:
    async with host(transport, service, mode=era) as client:
        assert await refused(client.call_tool("fly", {})) == INVALID_PARAMS
        assert await refused(client.get_prompt("none")) == INVALID_PARAMS
        assert await refused(client.read_resource("skill://none/SKILL.md")) == INVALID_PARAMS
        assert await refused(client.read_resource("file:///etc/passwd")) == INVALID_PARAMS
        assert await refused(client.list_resources(cursor="not-a-cursor")) == INVALID_PARAMS
        assert await refused(skills(client, "skills/list", cursor="not-a-cursor")) == INVALID_PARAMS
        assert await refused(skills(client, "skills/get", uri="skill://none/SKILL.md")) == INVALID_PARAMS
        assert await refused(skills(client, "resources/directory/read", uri=SKILL)) == INVALID_PARAMS
        assert await refused(skills(client, "no/such")) == METHOD_NOT_FOUND
        nothing = PromptReference(type="ref/prompt", name="none")
        assert await refused(client.complete(nothing, {"name": "arguments", "value": ""})) == INVALID_PARAMS

        for name, given, said in (
            ("read", {"file_path": "/workspace/none"}, "File not found"),
            ("read", {"path": 3}, "file_path"),
            ("read", {"file_path": "/skills/minutes/SKILL.md"}, "load_skill"),
            ("load_skill", {"skill": "law/leases"}, "there is no skill"),
            ("write", {"file_path": "/skills/x", "content": ""}, "cannot be written"),
            ("ls", {"path": "/workspace/../../bob"}, "Error"),
            ("grep", {"pattern": "("}, "Error"),
        ):
            failed = await client.call_tool(name, given)
            assert failed.is_error, name
            assert said in text(failed), text(failed)
        assert not (await client.call_tool("ls", {"path": "/"})).is_error, "it goes on"


@each_transport
async def test_a_host_is_told_when_tools_and_resources_change(service: Service, transport: Transport) -> None:
    told: set[str] = set()
    both = anyio.Event()

    async def note(message: Any) -> None:
        told.add(getattr(message, "method", ""))
        if len(told) == 2:
            both.set()

    async with host(transport, service, mode="legacy", message_handler=note) as client:
        await client.call_tool("load_skill", {"skill": "minutes"})
        with anyio.fail_after(10):
            await both.wait()
    assert told == {"notifications/tools/list_changed", "notifications/resources/list_changed"}


@each_transport
async def test_two_users_at_once_see_nothing_of_each_other(service: Service, transport: Transport) -> None:
    own = {"ana": "writing/minutes", "bob": "law/leases"}

    async def work(client: Client, user: str) -> None:
        for number in range(10):
            await client.call_tool("write", {"file_path": f"/workspace/{user}{number}", "content": user})
        await client.call_tool("load_skill", {"skill": own[user]})
        listed = text(await client.call_tool("ls", {"path": "/workspace"}))
        loaded = text(await client.call_tool("ls", {"path": "/skills"}))
        other = "bob" if user == "ana" else "ana"
        assert user in listed
        assert other not in listed
        assert own[user].split("/")[1] in loaded
        assert own[other].split("/")[1] not in loaded
        assert [prompt.name for prompt in (await client.list_prompts()).prompts] == [own[user]]

    async with AsyncExitStack() as stack:
        # Both have a session of one name: it is the user that keeps them apart.
        clients = {user: await stack.enter_async_context(host(transport, service, user)) for user in own}
        async with anyio.create_task_group() as both:
            for user, client in clients.items():
                both.start_soon(work, client, user)


async def test_the_cursor_of_one_user_is_none_of_anothers(service: Service) -> None:
    for number in range(101):
        folder = service.folder / "ana" / "skills" / "many" / f"s{number:03}"
        folder.mkdir(parents=True)
        (folder / "SKILL.md").write_text(f"---\nname: s{number:03}\ndescription: Is one of many.\n---\nBody.\n")
    service.refresh("ana")
    async with host(by_http, service) as ana, host(by_http, service, "bob") as bob:
        page = await skills(ana, "skills/list")
        rest = await skills(ana, "skills/list", cursor=page["nextCursor"])
        assert len(page["skills"]) + len(rest["skills"]) == 102
        assert await refused(skills(bob, "skills/list", cursor=page["nextCursor"])) == INVALID_PARAMS


@pytest.mark.parametrize("era", ["legacy", MODERN])
async def test_a_service_restarts_in_the_middle_of_a_conversation(service: Service, era: str) -> None:
    async with host(by_http, service, mode=era) as client:
        await client.call_tool("load_skill", {"skill": "minutes"})
        await client.call_tool("write", {"file_path": "/workspace/a.md", "content": "one\n"})
        service.stop()
        service.start()
        assert "one" in text(await client.call_tool("read", {"file_path": "/workspace/a.md"}))
        assert "minutes" in text(await client.call_tool("ls", {"path": "/skills"}))


async def test_a_call_while_the_service_is_away_is_not_made_later(service: Service) -> None:
    async def conversation() -> None:
        async with host(by_http, service) as client:
            await client.call_tool("load_skill", {"skill": "minutes"})
            service.stop()
            await client.call_tool("write", {"file_path": "/workspace/b.md", "content": "two\n"})

    # This SDK's client ends with a call that could not be sent.
    with pytest.raises(BaseExceptionGroup) as away:
        await conversation()
    assert away.group_contains(httpx2.ConnectError)
    service.start()
    async with host(by_http, service) as client:
        assert "minutes" in text(await client.call_tool("ls", {"path": "/skills"}))
        assert (await client.call_tool("read", {"file_path": "/workspace/b.md"})).is_error


async def test_a_process_that_ended_is_started_again_with_its_session(service: Service) -> None:
    async with host(by_stdio, service) as client:
        await client.call_tool("load_skill", {"skill": "minutes"})
        await client.call_tool("write", {"file_path": "/workspace/a.md", "content": "one\n"})
    async with host(by_stdio, service) as client:
        assert "one" in text(await client.call_tool("read", {"file_path": "/workspace/a.md"}))
        assert "minutes" in text(await client.call_tool("ls", {"path": "/skills"}))
    async with host(by_stdio, service, session="another") as client:
        assert (await client.call_tool("read", {"file_path": "/workspace/a.md"})).is_error

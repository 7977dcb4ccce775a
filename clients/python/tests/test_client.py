"""The clients against a real service, and what they do when it fails."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import pytest

import skillmount
from conftest import program
from skillmount import AsyncClient, Client, Retry, errors, models, operations
from skillmount.testing import Server, server

ROOT = Path(__file__).parent.parent


def test_what_is_generated_is_what_the_contract_says() -> None:
    command = [sys.executable, "scripts/generate.py", program(), "--check"]
    made = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert made.returncode == 0, made.stdout + made.stderr


def test_each_operation_of_the_api_is_a_call_but_streams() -> None:
    document = json.loads(subprocess.run([program(), "openapi"], capture_output=True, check=True).stdout)
    for methods in document["paths"].values():
        for method, operation in methods.items():
            if method == "parameters":
                continue
            kinds = {kind for answer in operation["responses"].values() for kind in answer.get("content", {})}
            stream = "text/event-stream" in kinds
            assert stream or hasattr(operations, operation["operationId"]), operation["operationId"]


def test_importing_the_client_needs_no_framework() -> None:
    wanted = "import sys, skillmount; print(any(m in sys.modules for m in ('langchain', 'langgraph', 'deepagents')))"
    told = subprocess.run([sys.executable, "-c", wanted], capture_output=True, text=True, check=True)
    assert told.stdout.strip() == "False"


def test_a_session_from_the_first_write_to_the_end(service: Server, user: str) -> None:
    with service.client() as client:
        session = client.session(user, "s")
        assert session.write("/workspace/a.md", "one\n").created
        assert session.edit("/workspace/a.md", "one", "two").occurrences == 1
        assert session.read("/workspace/a.md").content == "two\n"
        assert session.move("/workspace/a.md", "/workspace/b.md").moved == 1
        assert [entry.path for entry in session.ls("/workspace").entries] == ["/workspace/b.md"]
        assert session.grep("t.o").matches is not None
        assert session.glob("*.md").matches[0].path == "/workspace/b.md"
        session.put("/workspace/c.bin", b"\0")
        assert session.get("/workspace/c.bin") == b"\0"
        uploaded = session.upload([("/workspace/d", b"d"), ("/none/d", b"")])
        assert [file.error for file in uploaded.files] == [None, "read_only"]
        assert session.download(["/workspace/d", "/workspace/e"]) == [
            ("/workspace/d", b"d", None),
            ("/workspace/e", None, "file_not_found"),
        ]
        assert session.discover_skills("minutes of a meeting").skills[0].skill == "writing/minutes"
        assert "writing/minutes" in session.prompt().prompt
        assert session.load_skill("minutes", body=False).body is None
        assert session.show().current_skill == "writing/minutes"
        cleared = session.change(models.ChangeSessionRequest(current_skill=None))
        assert cleared.current_skill is None
        assert session.message("/leases now").text
        (result,) = session.tool_calls([{"type": "tool_use", "id": "1", "name": "ls", "input": {"path": "/"}}])
        assert result["tool_use_id"] == "1"
        assert {tool["name"] for tool in session.tools("mcp")} >= {"ls", "load_skill"}
        assert session.unload_skill("minutes").status == "unloaded"
        assert session.delete("/workspace/b.md").deleted == 1
        session.forget(workspace=True)


def test_the_skills_of_a_user(service: Server, user: str) -> None:
    with service.client() as client:
        mine = client.user(user)
        assert sorted(skill.skill for skill in mine.skills()) == ["law/leases", "writing/minutes"]
        files = [("SKILL.md", b"---\nname: extra\ndescription: An extra. Use when asked.\n---\nDo.\n"), ("a.txt", b"a")]
        assert mine.publish("extra", files).status == "created"
        assert "Do." in (mine.skill("extra").body or "")
        mine.delete_skill("extra")
        with pytest.raises(errors.SkillNotFound):
            mine.skill("extra")
        assert mine.set_policy(models.Policy(skills_access="write")).skills_access == "write"
        client.session(user, "one").load_skill("leases")
        assert [session.session_id for session in mine.sessions()] == ["one"]


async def test_files_of_a_skill_are_read_without_loading_it(service: Server, user: str) -> None:
    async with service.aclient() as client:
        mine = client.user(user)
        assert (await mine.skill_file("writing/minutes", "template.md")) == b"## Decisions\n"
        assert b"SECRET-OF-MINUTES" in await mine.skill_file("writing/minutes")
        whole = await mine.skill_files("writing/minutes")
        assert sorted(whole) == ["SKILL.md", "template.md"]
        assert await mine.skill_files("writing/minutes", ["template.md"]) == {"template.md": b"## Decisions\n"}
        with pytest.raises(errors.FileNotFound):
            await mine.skill_files("writing/minutes", ["none.md"])
        with pytest.raises(errors.SkillNotFound):
            await mine.skill_files("none")
        assert (await client.session(user, "s").show()).loaded_skills == []


async def test_the_awaited_client_does_the_same(service: Server, user: str) -> None:
    async with service.aclient() as client:
        session = client.session(user, "s")
        await session.write("/workspace/a.md", "one\n")
        reads = await asyncio.gather(*(session.read("/workspace/a.md") for _ in range(20)))
        assert {read.content for read in reads} == {"one\n"}
        assert [skill.skill async for skill in client.user(user).skills()] == ["law/leases", "writing/minutes"]
        with pytest.raises(errors.OldStringNotFound):
            await session.edit("/workspace/a.md", "none", "x")


def test_one_awaited_client_serves_one_event_loop_after_another(service: Server, user: str) -> None:
    client = service.aclient()
    for _ in range(3):
        assert asyncio.run(client.session(user, "s").ls("/")).entries


def test_errors_have_a_class_for_each_code_and_say_what_to_do(service: Server, user: str) -> None:
    session = service.client().session(user, "s")
    session.write("/workspace/x", "a a")
    with pytest.raises(errors.OldStringNotUnique) as several:
        session.edit("/workspace/x", "a", "b")
    assert several.value.members["occurrences"] == 2
    assert several.value.outcome == "not_applied"
    assert several.value.request_id
    with pytest.raises(errors.SkillNotFound) as unknown:
        session.load_skill("minute")
    assert unknown.value.members["suggestions"][0] == "writing/minutes"
    with pytest.raises(errors.AlreadyExists):
        session.write("/workspace/x", "")
    with pytest.raises(errors.InvalidRequest, match="is not an id"):
        service.client().session("a|b", "s").ls("/")
    for name in (".", ".."):
        with pytest.raises(errors.InvalidRequest):
            service.client().session(name, "s").ls("/")


def test_a_wrong_key_is_an_error_and_the_right_one_is_sent() -> None:
    with server(program=program(), api_key="k" * 32) as locked:
        with pytest.raises(errors.Unauthenticated):
            Client(locked.url, api_key="wrong").session("u", "s").ls("/")
        assert locked.client().session("u", "s").ls("/").entries


def _client(answer: Callable[[httpx.Request], httpx.Response], **more: Any) -> Client:
    more.setdefault("retry", Retry(base=0.001))
    return Client("http://service", http=httpx.Client(transport=httpx.MockTransport(answer)), **more)


def _problem(status: int, code: str, retryable: bool = True, **members: Any) -> httpx.Response:
    document = {"code": code, "detail": "later", "retryable": retryable, **members}
    return httpx.Response(status, json=document, headers={"retry-after": "0"})


class Answers:
    """Answers one after another, and what was asked."""

    def __init__(self, *answers: httpx.Response | Exception) -> None:
        self.answers = list(answers)
        self.asked: list[httpx.Request] = []

    def __call__(self, request: httpx.Request) -> httpx.Response:
        self.asked.append(request)
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer


LISTED = httpx.Response(200, json={"entries": []}, headers={"x-skillmount-session-version": "life.7"})
WRITTEN = httpx.Response(200, json={"path": "/workspace/x", "bytes": 0, "created": True, "etag": "e"})


def test_what_is_safe_is_repeated_whatever_happened() -> None:
    answers = Answers(httpx.ReadTimeout("slow"), _problem(503, "store_unavailable", outcome="unknown"), LISTED)
    assert _client(answers).session("u", "s").ls("/").entries == []
    assert len(answers.asked) == 3


@pytest.mark.parametrize(
    ("first", "times"),
    [
        (httpx.ConnectError("refused"), 2),
        (_problem(503, "store_unavailable", outcome="not_applied"), 2),
        (_problem(429, "rate_limited"), 2),
        (httpx.ReadTimeout("slow"), 1),
        (_problem(503, "store_unavailable", outcome="unknown"), 1),
        (_problem(503, "store_unavailable", outcome="partial"), 1),
        (_problem(409, "edit_conflict", retryable=False, outcome="not_applied"), 1),
        (httpx.Response(502, text="bad gateway"), 1),
    ],
)
def test_a_change_is_repeated_only_if_it_certainly_was_not_made(first: Any, times: int) -> None:
    answers = Answers(first, WRITTEN)
    try:
        _client(answers).session("u", "s").write("/workspace/x", "")
        done = True
    except skillmount.SkillmountError:
        done = False
    assert (done, len(answers.asked)) == (times == 2, times)


def test_repeating_ends() -> None:
    answers = Answers(*[httpx.ConnectError("refused")] * 9)
    with pytest.raises(skillmount.Unreachable, match="cannot be reached"):
        _client(answers).session("u", "s").ls("/")
    assert len(answers.asked) == Retry().attempts


def test_waits_grow_and_are_spread_and_a_long_one_is_not_waited_for() -> None:
    retry, call = Retry(attempts=9, base=0.1, cap=0.5), operations.check_health()
    error = skillmount.Unreachable("", retryable=True)
    for attempt, bound in ((1, 0.1), (2, 0.2), (3, 0.4), (4, 0.5), (8, 0.5)):
        waits = [retry.delay(call, error, attempt) for _ in range(200)]
        assert max(wait for wait in waits if wait is not None) <= bound
        assert len({round(wait or 0, 6) for wait in waits}) > 100
    asked = skillmount.Unreachable("", retryable=True, retry_after=31.0)
    assert retry.delay(call, asked, 1) is None
    assert (retry.delay(call, skillmount.Unreachable("", retryable=True, retry_after=2.0), 1) or 0) >= 2.0


def test_the_version_of_a_session_is_sent_back_and_never_an_older_one() -> None:
    def told(version: str) -> httpx.Response:
        return httpx.Response(200, json={"entries": []}, headers={"x-skillmount-session-version": version})

    answers = Answers(told("l.2"), told("l.1"), told("l.10"), told("m.1"), LISTED, LISTED)
    client = _client(answers)
    for _ in range(5):
        client.session("u", "s").ls("/")
    client.session("u", "other").ls("/")
    sent = [request.headers.get("x-skillmount-session-version") for request in answers.asked]
    assert sent == [None, "l.2", "l.2", "l.10", "m.1", None]


def test_an_answer_of_another_version_says_so() -> None:
    with pytest.raises(skillmount.UnknownReply, match="different versions"):
        _client(Answers(httpx.Response(200, json={"other": 1}))).session("u", "s").ls("/")
    with pytest.raises(errors.RouteNotFound, match="different versions"):
        _client(Answers(_problem(404, "route_not_found", retryable=False))).session("u", "s").ls("/")
    moved = httpx.Response(308, headers={"location": "https://service/"})
    with pytest.raises(skillmount.UnknownReply, match="moved to https://service/; give the client that address"):
        _client(Answers(moved)).session("u", "s").write("/workspace/x", "")
    with pytest.raises(skillmount.UnknownReply, match="proxy"):
        _client(Answers(httpx.Response(404, text="<html>"))).session("u", "s").ls("/")


def test_a_code_of_a_later_version_is_an_error_too() -> None:
    with pytest.raises(skillmount.SkillmountError) as later:
        _client(Answers(_problem(409, "from_the_future", retryable=False))).session("u", "s").ls("/")
    assert later.value.code == "from_the_future"


def test_connections_are_used_again(service: Server, user: str) -> None:
    opened: list[str] = []

    def note(request: httpx.Request) -> None:
        request.extensions["trace"] = lambda name, _: (
            opened.append(name) if name.endswith("connect_tcp.complete") else None
        )

    http = httpx.Client(event_hooks={"request": [note]})
    session = Client(service.url, http=http).session(user, "s")
    for _ in range(10):
        session.ls("/")
    assert len(opened) == 1


def test_no_edit_of_many_threads_is_lost(service: Server, user: str) -> None:
    session = service.client().session(user, "s")
    session.write("/workspace/count", "".join(f"<{number}>\n" for number in range(160)))
    with ThreadPoolExecutor(16) as pool:
        edits = [(f"<{number}>", f"[{number}]") for number in range(160)]
        assert list(pool.map(lambda edit: session.edit("/workspace/count", *edit).occurrences, edits)) == [1] * 160
    assert session.read("/workspace/count").content == "".join(f"[{number}]\n" for number in range(160))


def test_a_server_of_tests_says_why_it_did_not_start(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(RuntimeError, match="did not start"), server(program=program(), store="nonsense:"):
        pass
    monkeypatch.delenv("SKILLMOUNT_PROGRAM", raising=False)
    monkeypatch.setenv("PATH", "")
    with pytest.raises(FileNotFoundError, match="SKILLMOUNT_PROGRAM"), server():
        pass


def test_the_environment_names_server_and_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SKILLMOUNT_SERVER", "http://elsewhere:1/")
    monkeypatch.setenv("SKILLMOUNT_API_KEY", "secret")
    assert Client().server == AsyncClient().server == "http://elsewhere:1"
    asked = Answers(LISTED)
    _client(asked).session("u", "s").ls("/")
    assert asked.asked[0].headers["authorization"] == "Bearer secret"

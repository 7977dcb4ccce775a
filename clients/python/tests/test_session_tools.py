"""What the adapters with the tools of a session share, without a framework."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import httpx
import pytest

from skillmount import AsyncClient, errors, models
from skillmount.call import CALL_ID_HEADER, Call, with_call_id
from skillmount.connection import Connection
from skillmount.graph import Fixed, GraphSessions, Place, running_call
from skillmount.session_tools import SKILL_TOOLS, SessionTools, tool_names

WRITE = {"file_path": "/workspace/a.md", "content": "x"}


class Asking:
    """A service that asks about each call, and where two calls with the same input wait."""

    def __init__(self, *, codes: bool) -> None:
        self.codes = codes
        self.decided: list[str] = []

    def __call__(self, request: httpx.Request) -> httpx.Response:
        name = request.url.path.rsplit("/", 1)[-1]
        if name == "approvals":
            waiting = {"tool": "write", "input": WRITE, "input_cut": False, "expires_at": "2026-11-27T12:00:00Z",
                       "seconds_left": 299}  # fmt: skip
            return httpx.Response(200, json={"approvals": [{**waiting, "approval_id": id_} for id_ in ("a1", "a2")]})
        if "/approvals/" in request.url.path:
            self.decided.append(name)
            times = dict.fromkeys(("created_at", "updated_at", "expires_at"), "2026-11-27T12:00:00Z")
            return httpx.Response(200, json={"user_id": "ana", "session_id": "s", "version": 1, "loaded_skills": [],
                                             "vars": {}, "policy": {}, **times})  # fmt: skip
        assert request.headers["x-skillmount-result-details"] == "true"
        block = {"type": "tool_result", "tool_use_id": "call", "content": "Error: it waits", "is_error": True}
        if self.decided:
            block = {"type": "tool_result", "tool_use_id": "call", "content": "written"}
        elif self.codes:
            block |= {"code": "approval_required", "approval_id": "a2"}
        else:
            block["content"] = "Error: the tool write needs a person's approval, which was asked for; wait"
        return httpx.Response(200, json={"role": "user", "content": [block]})


def _run(service: Asking) -> tuple[str, list[str]]:
    asked: list[str] = []

    async def approve(_: str, __: str, call: models.WaitingCall) -> bool:
        asked.append(call.approval_id)
        return True

    async def run() -> str:
        http = httpx.AsyncClient(transport=httpx.MockTransport(service))
        client = AsyncClient("http://service", api_key="agent", http=http)
        session = SessionTools[None](("ana", "s"), client, approve=approve, control_key="control")
        return (await session.run(None, "write", WRITE, "call")).text

    return asyncio.run(run()), asked


def test_a_result_with_an_id_names_the_call_that_the_person_decides_about() -> None:
    assert _run(Asking(codes=True)) == ("written", ["a2"])


def test_an_earlier_service_says_in_words_that_a_call_waits_and_nobody_is_asked_about_one_of_two() -> None:
    text, asked = _run(Asking(codes=False))
    assert "needs a person's approval" in text
    assert asked == []


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (("load_skil",), "no tool 'load_skil'; nearest are load_skill"),
        (("Read",), "no tool 'Read'; nearest are read"),
        (("bash",), "no tool 'bash'"),
        ("read", r"`tools` is the text 'read'; give names in a tuple, such as \('read',\)"),
    ],
)
def test_a_name_that_is_no_tool_is_an_error_with_the_nearest_names(given: Any, said: str) -> None:
    with pytest.raises(ValueError, match=said) as raised:
        tool_names(given)
    assert isinstance(raised.value, errors.SkillmountError)


def test_each_tool_is_there_once() -> None:
    assert tool_names([*SKILL_TOOLS, "read", "load_skill"]) == (*SKILL_TOOLS, "read")


@pytest.mark.parametrize(
    ("given", "sent"),
    [
        ("toolu_01", "toolu_01"),
        (" a b ", "a b"),
        ("x" * 300, "x" * 128),
        ("", None),
        (None, None),
        ("caf\u00e9", None),
        ("a\r\nx-admin: yes", None),
        ("a\tb", None),
    ],
)
def test_an_id_that_no_header_can_hold_is_omitted(given: str | None, sent: str | None) -> None:
    call: Call[None] = Call(operation="o", method="POST", path="/", read=lambda _: None, headers={"a": "b"})
    headers = dict(with_call_id(call, given).headers)
    assert headers == {"a": "b"} | ({} if sent is None else {CALL_ID_HEADER: sent})


def test_the_id_of_a_running_call_is_not_that_of_a_sub_agents_calls() -> None:
    connection = Connection("http://service")
    outer, inner = (GraphSessions(connection, Fixed("ana", session)) for session in ("monday", "monday.fork"))
    assert outer.call_id() is None
    with running_call(Place("ana", "monday"), "toolu_01"):
        assert (outer.call_id(), inner.call_id()) == ("toolu_01", None)
    assert outer.call_id() is None


def test_the_calls_of_a_session_have_the_id_that_the_caller_gives() -> None:
    seen: list[str | None] = []

    def answer(request: httpx.Request) -> httpx.Response:
        seen.append(request.headers.get(CALL_ID_HEADER))
        return httpx.Response(200, content=json.dumps({"entries": [], "truncated": False}).encode())

    async def run() -> None:
        http = httpx.AsyncClient(transport=httpx.MockTransport(answer))
        session = AsyncClient("http://service", http=http).session("ana", "s")
        await session.for_call("toolu_01").ls()
        await session.ls()

    asyncio.run(run())
    assert seen == ["toolu_01", None]

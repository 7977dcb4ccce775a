"""The clients cover the API, each public function says what it takes, and the examples in the documentation run."""

from __future__ import annotations

import ast
import inspect
import io
import re
import tarfile
import textwrap
import uuid
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from deepagents import create_deep_agent
from langchain.agents import create_agent

import skillmount.deepagents
from conftest import program
from skillmount import (
    Client,
    SessionClient,
    UserClient,
    errors,
    graph,
    models,
    operations,
    problem,
    proxy,
    settings,
    testing,
)
from skillmount._async import client as awaited_client
from skillmount._async import session as awaited_session
from skillmount._async import user as awaited_user
from skillmount.connection import Connection
from skillmount.langchain.testing import ScriptedModel, results
from skillmount.remembered import Remembered
from skillmount.scripted_api import scripted_api
from skillmount.testing import Server

BLOCKING = (Client, UserClient, SessionClient)
# The same is done by `SessionClient.hook`, and by `SessionClient.delete`.
OTHERWISE = {"answer_claude_hook", "delete_file"}


def _methods() -> Iterator[tuple[str, Callable[..., Any]]]:
    for kind in BLOCKING:
        for name, method in inspect.getmembers(kind, inspect.isfunction):
            if not name.startswith("_"):
                yield f"{kind.__name__}.{name}", method


METHODS = dict(_methods())


def test_each_operation_of_the_api_has_a_method() -> None:
    sources = "".join(inspect.getsource(each) for each in (awaited_client, awaited_user, awaited_session))
    used = set(re.findall(r"operations\.(\w+)\(", sources))
    every = {name for name, _ in inspect.getmembers(operations, inspect.isfunction)}
    assert every - used == OTHERWISE


@pytest.mark.parametrize("name", METHODS)
def test_a_method_says_what_it_takes_and_has_an_example(name: str) -> None:
    said = inspect.getdoc(METHODS[name]) or ""
    taken = [each for each in inspect.signature(METHODS[name]).parameters if each != "self"]
    described = re.search(r"^Args:\n((?: {4}.*\n?)+)", said, re.MULTILINE)
    assert taken == (re.findall(r"^    (\w+): ", described[1], re.MULTILINE) if described else [])
    assert "\nExample:\n" in said or name == "Client.close"
    for error in re.findall(r"^    (\w+): ", said.partition("Raises:")[2].partition("\n\n")[0], re.MULTILINE):
        assert hasattr(errors, error), error


def _examples(value: Any) -> str:
    """The code below `Example:` in a documentation."""
    said = inspect.getdoc(value) or ""
    return textwrap.dedent(said.partition("\nExample:\n")[2].partition("\n\n")[0])


@pytest.mark.parametrize("name", [name for name in METHODS if name not in ("Client.close",)])
def test_the_example_of_a_method_runs(service: Server, user: str, name: str) -> None:
    with service.client() as client:
        mine = client.user(user)
        session = mine.session("s")
        session.create(policy=models.Policy(tools={"*": "auto", "create_skill": "auto"}))
        session.write("/workspace/notes.md", "- notes of monday\n")
        mine.change_skill("writing/minutes", body="# Minutes\n\nAgain.\n")
        if "approv" in name or "decide" in name:
            session.change(models.ChangeSessionRequest(policy=models.Policy(tools={"*": "auto", "write": "ask"})))
            with pytest.raises(errors.ApprovalRequired):
                session.write("/workspace/asked", "")
        given = {
            **vars(skillmount),
            "client": client,
            "user": mine,
            "session": session,
            "models": models,
            "operations": operations,
        }
        code = _examples(METHODS[name])
        assert code
        exec(compile(code.replace('"ana"', repr(user)), name, "exec"), given)


def test_examples_of_classes_and_helpers_run(service: Server, user: str) -> None:
    for each in (*BLOCKING, Remembered, proxy.proxy_of, proxy.is_loopback, settings.Settings.of,
                 settings.checked_address, settings.checked_key, settings.with_key):  # fmt: skip
        with service.client() as client:
            session = client.session(user, each.__name__)
            given = {name: getattr(module, name) for module in (skillmount, proxy, settings) for name in dir(module)}
            given |= {"client": client, "session": session, "user": client.user(user), "Remembered": Remembered}
            code = _examples(each).replace("http://127.0.0.1:8787", service.url).replace('"ana"', repr(user))
            code = code.replace('"monday"', repr(each.__name__))
            assert code, each
            exec(compile(code, str(each), "exec"), given)


PUBLIC: list[Any] = [
    *(getattr(skillmount, name) for name in skillmount.__all__ if name not in ("errors", "models", "operations")),
    skillmount.deepagents.SkillmountBackend, skillmount.deepagents.SkillmountBackend.fixed,
    skillmount.deepagents.SkillmountBackend.at, skillmount.deepagents.general_purpose,
    skillmount.deepagents.SkillmountMiddleware, testing.Server, testing.Server.client, testing.Server.aclient,
    testing.Server.publish, testing.server, scripted_api, graph.Run, graph.identified, ScriptedModel, results,
    Connection,
]  # fmt: skip


@pytest.mark.parametrize("public", PUBLIC, ids=lambda public: public.__qualname__)
def test_what_is_public_has_an_example_that_runs(service: Server, user: str, public: Any) -> None:
    with service.client() as client:
        session = client.session(user, public.__name__)
        session.write("/workspace/notes.md", "- notes\n")
        given: dict[str, Any] = {
            **vars(skillmount), **vars(graph), **vars(skillmount.deepagents), "client": client, "session": session,
            "user": client.user(user), "service": service, "server": partial(testing.server, program=program()),
            "scripted_api": scripted_api, "ScriptedModel": ScriptedModel, "results": results, "Connection": Connection,
            "create_agent": create_agent, "create_deep_agent": create_deep_agent,
        }  # fmt: skip
        given["backend"] = skillmount.deepagents.SkillmountBackend(service.url)
        given["middleware"] = skillmount.deepagents.SkillmountMiddleware(given["backend"])
        code = _examples(public).replace("http://127.0.0.1:8787", service.url).replace('"ana"', repr(user))
        code = code.replace('"anthropic:claude-sonnet-4-6"', "ScriptedModel(turns=[])")
        assert code, public
        compile(code, public.__qualname__, "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
        if "await " in code or "async " in code:
            return
        if "raise " in code:
            with pytest.raises(skillmount.SkillmountError):
                exec(code, given)
            return
        exec(code, given)


def test_versions_are_listed_compared_and_brought_back(service: Server, user: str) -> None:
    with service.client() as client:
        mine = client.user(user)
        first = mine.skill("writing/minutes").digest
        changed = mine.change_skill("writing/minutes", body="# Minutes\n\nShorter.\n", if_match=first)
        assert next(version.digest for version in mine.versions("writing/minutes")) == changed.digest
        assert "+Shorter." in mine.diff("writing/minutes").diff
        assert "-Shorter." in mine.diff("writing/minutes", changed.digest, first).diff
        with pytest.raises(errors.VersionConflict):
            mine.change_skill("writing/minutes", body="other", if_match=first)
        assert mine.rollback("writing/minutes", str(first)).digest == first
        assert "SECRET-OF-MINUTES" in (mine.skill("writing/minutes").body or "")
        with pytest.raises(errors.VersionNotFound):
            mine.rollback("writing/minutes", "sha256:" + "0" * 64)
        archive = mine.skill_archive("writing/minutes")
        assert mine.publish("copies/minutes", archive, state="draft", source="commit 1").state == "draft"
        assert mine.discover("notes of a meeting").skills[0].skill == "writing/minutes"
        assert [judged.skill for judged in mine.lint("law/leases")] == ["law/leases"]


def test_a_person_sees_what_waits_in_all_sessions_and_decides(service: Server, user: str) -> None:
    with service.client() as client:
        mine = client.user(user)
        mine.set_policy(models.Policy(tools={"*": "auto", "write": "ask"}))
        assert (mine.policy().tools or {})["write"] == "ask"
        for name in ("one", "two"):
            with pytest.raises(errors.ApprovalRequired):
                mine.session(name).write("/workspace/a", "a")
        waiting = dict(mine.approvals())
        assert sorted(waiting) == ["one", "two"]
        mine.session("one").decide(waiting["one"].approval_id, "allow", control_key="a-key")
        assert mine.session("one").write("/workspace/a", "a").created
        mine.session("two").decide(waiting["two"].approval_id, "deny", message="archive it instead")
        with pytest.raises(skillmount.SkillmountError, match="archive it instead"):
            mine.session("two").write("/workspace/a", "a")
        assert list(dict(mine.approvals())) == []


def test_records_events_export_and_deletion_of_a_user(service: Server) -> None:
    name = f"gone{uuid.uuid4().hex[:8]}"
    service.publish(name, "a/b", "Does b. Use when asked.", "# B\n")
    with service.client() as client:
        mine = client.user(name)
        position = mine.session("s").events().next
        mine.session("s").write("/workspace/a", "a")
        told = mine.session("s").events(position)
        assert "file_changed" in {event.event for event in told.events}
        assert "write" in {record.operation for record in mine.audit(session="s")}
        begin = datetime.now(UTC) - timedelta(hours=1)
        assert [record.operation for record in mine.audit(operation="write", since=begin)] == ["write"]
        assert list(mine.audit(since=datetime.now(UTC) + timedelta(hours=1))) == []
        assert mine.usage(begin).conversations >= 0
        assert name in {each.user_id for each in client.users()}
        with tarfile.open(fileobj=io.BytesIO(mine.export())) as archive:
            assert any(each.endswith("SKILL.md") for each in archive.getnames())
        assert mine.delete().state == "deleting"
        assert mine.deletion().user_id == name


async def test_the_awaited_user_has_the_same_calls(service: Server, user: str) -> None:
    async with service.aclient() as client:
        mine = client.user(user)
        assert len([version async for version in mine.versions("writing/minutes")]) == 1
        assert [each async for each in mine.approvals()] == []
        assert (await mine.discover("leases")).skills[0].skill == "law/leases"
        assert (await mine.catalog()).skills == 2


def test_each_error_is_public_documented_and_found_by_its_code() -> None:
    kinds: dict[str, Any] = {name: kind for name, kind in vars(errors).items() if isinstance(kind, type)}
    assert {kind.code for kind in kinds.values()} >= {"file_not_found", "invalid_settings", "unreachable", "unknown"}
    for name, kind in kinds.items():
        assert issubclass(kind, problem.SkillmountError), name
        assert kind.__doc__, name
        assert kind is problem.SkillmountError or problem.SkillmountError.by_code[kind.code] is kind


def test_every_module_of_the_package_is_documented() -> None:
    for path in Path(skillmount.__file__).parent.rglob("*.py"):
        source = path.read_text()
        assert '"""' in source[:400] or source.startswith("# Made by"), path

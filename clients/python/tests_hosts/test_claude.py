"""Claude's command line with our tools, skills and hooks; only its model is written."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from claude import claude

from conftest import PROGRAM, ROOT, Service
from skillmount import models

HOOKS = (ROOT.parents[1] / "docs/book/how-to/hooks.md").read_text()
MCP = (ROOT.parents[1] / "docs/book/how-to/mcp-hosts.md").read_text()
LISTED = "- writing/minutes: Writes the minutes of a meeting."
PROMPT = "Turn my notes of the meeting into minutes"


def by_http(service: Service) -> dict[str, Any]:
    headers = {"x-skillmount-user": "ana", "x-skillmount-session": "monday"}
    return {"skills": {"type": "http", "url": f"{service.url}/mcp", "headers": headers}}


def by_stdio(service: Service) -> dict[str, Any]:
    arguments = ["mcp", "--store", service.store, "--user", "ana", "--session", "monday"]
    return {"skills": {"type": "stdio", "command": PROGRAM, "args": arguments}}


@pytest.mark.parametrize("servers", [by_http, by_stdio])
def test_a_skill_is_loaded_and_used(service: Service, tmp_path: Path, servers: Any) -> None:
    written = {"file_path": "/workspace/minutes.md", "content": "## Decisions\n"}
    turns: Any = [
        [("mcp__skills__load_skill", {"skill": "writing/minutes"})],
        [("mcp__skills__read", {"file_path": "/skills/minutes/forms/template.md"})],
        [("mcp__skills__write", written)],
        "The minutes are written.",
    ]
    with claude(tmp_path / "home", turns) as host:
        assert host.ask(PROMPT, servers=servers(service)) == "The minutes are written.\n"
        assert LISTED in host.model.told(0), "the listing is in the server's instructions"
        assert "SECRET-OF-MINUTES" not in host.model.told(0)
        loaded, read, _ = host.model.results()
        assert "SECRET-OF-MINUTES" in loaded
        assert "## Decisions" in read
    stored = service.running.client().session("ana", "monday").read("/workspace/minutes.md")
    assert stored.content == "## Decisions\n"


def test_a_tool_that_the_policy_blocks_is_refused(service: Service, tmp_path: Path) -> None:
    policy = models.Policy.model_validate({"tools": {"*": "auto", "write": "blocked"}})
    session = service.running.client().session("ana", "monday")
    session.create(policy=policy)
    turns: Any = [
        [("mcp__skills__write", {"file_path": "/workspace/a.md", "content": "x"})],
        [("mcp__skills__edit", {"file_path": "/skills/minutes/SKILL.md", "old_string": "a", "new_string": "b"})],
        "I could not.",
    ]
    with claude(tmp_path / "home", turns) as host:
        host.ask(PROMPT, servers=by_http(service))
        assert "mcp__skills__read" in host.model.told(0)
        assert "mcp__skills__write" not in host.model.told(0), "it is not offered"
        blocked, read_only = host.model.results()
        assert "No such tool" in blocked
        assert "Error" in read_only
    assert session.ls("/workspace").entries == []


def test_a_tool_that_is_blocked_meanwhile_is_refused_by_us(service: Service, tmp_path: Path) -> None:
    turns: Any = [
        [("Bash", {"command": "while [ ! -e blocked ]; do sleep 0.1; done"})],
        [("mcp__skills__write", {"file_path": "/workspace/a.md", "content": "x"})],
        "I could not.",
    ]
    with claude(tmp_path / "home", turns) as host:

        def block() -> None:
            while not host.model.seen:
                time.sleep(0.05)
            policy = models.Policy.model_validate({"tools": {"*": "auto", "write": "blocked"}})
            service.running.client().user("ana").set_policy(policy)
            (host.home / "blocked").touch()

        blocking = threading.Thread(target=block)
        blocking.start()
        host.ask(PROMPT, servers=by_http(service), allowed="Bash,mcp__skills")
        blocking.join()
        assert "mcp__skills__write" in host.model.told(0), "it was offered"
        assert "is blocked by policy" in host.model.results()[1]


def settings_of_the_page(service: Service) -> Any:
    shown = re.search(r"```json\n(\{\n  \"hooks\".*?)```", HOOKS, re.DOTALL)
    assert shown is not None
    return json.loads(shown[1].replace("http://127.0.0.1:8787", service.url))


def test_the_hooks_of_the_page_reach_the_model(service: Service, tmp_path: Path) -> None:
    service.publish_minutes("me")
    session = service.running.client().session("me", "cli")
    session.create(policy=models.Policy.model_validate({"agents": {"*": ["writing/*"]}}))
    turns: Any = [
        [("Bash", {"command": "echo notes of the meeting > minutes.txt"})],
        [("Agent", {"description": "look", "prompt": "Look around.", "subagent_type": "general-purpose"})],
        "Done.",
        "Nothing to see.",
    ]
    with claude(tmp_path / "home", turns) as host:
        host.ask(PROMPT, settings=settings_of_the_page(service), servers={}, allowed="Bash,Agent")
        told = [host.model.told(turn) for turn in range(len(host.model.seen))]
    added = re.compile(r"([\w:]+) hook additional context: (.*?\n\n(?:- [^\n]+\n?)+)", re.DOTALL)
    of_turn = [dict(added.findall(each)) for each in told]
    assert LISTED in of_turn[0]["SessionStart"]
    assert "- writing/minutes" in of_turn[0]["UserPromptSubmit"]
    assert "words: notes meeting minutes" in of_turn[0]["UserPromptSubmit"]
    assert "PreToolUse:Bash" not in of_turn[0]
    assert "words: notes meeting minutes" in of_turn[1]["PreToolUse:Bash"]
    assert "- writing/minutes" in of_turn[2].get("PreToolUse:Agent", "") + of_turn[3].get("PreToolUse:Agent", "")
    # The sub-agent runs beside the agent, so either of them speaks next.
    (child,) = [each for each in of_turn if "SubagentStart" in each]
    assert "writing/minutes" in child["SubagentStart"]
    assert "SessionStart" not in child


def test_hooks_and_tools_of_one_session_know_the_same_skills(service: Service, tmp_path: Path) -> None:
    service.publish_minutes("me")
    (line,) = re.findall(r"^claude (mcp add --transport http .* --header .*)$", HOOKS, re.MULTILINE)
    shell = {"command": "echo notes of the meeting > minutes.txt"}
    turns: Any = [
        [("Bash", shell)],
        [("mcp__skillmount__load_skill", {"skill": "minutes"})],
        [("Bash", shell)],
        [("Agent", {"description": "look", "prompt": "Look around.", "subagent_type": "general-purpose"})],
        "Done.",
        "Nothing to see.",
    ]
    with claude(tmp_path / "home", turns) as host:
        host.run(*shlex.split(line.replace("http://127.0.0.1:8787", service.url)))
        host.ask(PROMPT, settings=settings_of_the_page(service), allowed="Bash,Agent,mcp__skillmount")
        told = [host.model.told(turn) for turn in range(len(host.model.seen))]
    reminded = [each.count("PreToolUse:Bash hook additional context") for each in told]
    assert reminded[1] == 1, "the skill is not loaded yet"
    assert reminded[3] == 1, "it is by now"
    assert any("SubagentStart" in each and "writing/minutes" in each for each in told)


def test_a_hook_that_the_service_does_not_answer_stops_nobody(service: Service, tmp_path: Path) -> None:
    settings = settings_of_the_page(service)
    service.stop()
    turns: Any = [[("Bash", {"command": "echo fine"})], "Done."]
    with claude(tmp_path / "home", turns) as host:
        assert host.ask(PROMPT, settings=settings, servers={}, allowed="Bash") == "Done.\n"
        assert host.model.results() == ["fine"]
        assert "hook additional context" not in host.model.told(1)


def test_connect_is_all_that_a_person_does(service: Service, tmp_path: Path) -> None:
    turns: Any = [[("mcp__skillmount__load_skill", {"skill": "minutes"})], "Loaded."]
    with claude(tmp_path / "home", turns) as host:
        connect = [PROGRAM, "connect", "claude-code", "--store", service.store, "--user", "ana"]
        subprocess.run(connect, env=host.environment(), check=True, capture_output=True)
        assert "Connected" in host.run("mcp", "list")
        assert host.ask(PROMPT, allowed="mcp__skillmount") == "Loaded.\n"
        assert LISTED in host.model.told(0)
        assert "SECRET-OF-MINUTES" in host.model.results()[0]


def test_the_line_of_the_page_for_a_service_connects(service: Service, tmp_path: Path) -> None:
    service.publish_minutes("me")
    (line,) = re.findall(r"`claude (mcp add --transport http .*?)`", MCP)
    turns: Any = [[("mcp__skillmount__load_skill", {"skill": "minutes"})], "Loaded."]
    with claude(tmp_path / "home", turns) as host:
        host.run(*shlex.split(line.replace("http://127.0.0.1:8787", service.url)))
        assert host.ask(PROMPT, allowed="mcp__skillmount") == "Loaded.\n"
        assert "SECRET-OF-MINUTES" in host.model.results()[0]


def test_a_person_calls_a_skill_behind_the_slash(service: Service, tmp_path: Path) -> None:
    with claude(tmp_path / "home", ["Begun."]) as host:
        assert host.ask("/mcp__skills__writing/minutes today", servers=by_http(service)) == "Begun.\n"
        assert "SECRET-OF-MINUTES" in host.model.told(0)


@pytest.mark.parametrize("through", ["store", "server"])
def test_an_exported_plugin_brings_skills_hooks_and_tools(service: Service, tmp_path: Path, through: str) -> None:
    source = ["--store", service.store] if through == "store" else ["--server", service.url]
    turns: Any = [
        [("Skill", {"skill": "skillmount:minutes"})],
        [("mcp__plugin_skillmount_skillmount__load_skill", {"skill": "writing/minutes"})],
        "Done.",
    ]
    with claude(tmp_path / "home", turns) as host:
        plugin = host.home / "plugin"
        export = [PROGRAM, *source, "--user", "ana", "plugin", "export", str(plugin)]
        subprocess.run(export, env=host.environment(), check=True, capture_output=True)
        allowed = "Skill,mcp__plugin_skillmount_skillmount"
        assert host.run("-p", PROMPT, "--plugin-dir", str(plugin), "--allowedTools", allowed) == "Done.\n"
        told = host.model.told(0)
        assert "skillmount:minutes: Writes the minutes of a meeting." in told, "the host lists it"
        assert "words: notes meeting minutes" in told, "its hooks remind of it"
        assert "SECRET-OF-MINUTES" not in told
        assert "SECRET-OF-MINUTES" in host.model.told(1), "the host reads it from the disk"
        assert "SECRET-OF-MINUTES" in host.model.results()[-1], "its tools load it"

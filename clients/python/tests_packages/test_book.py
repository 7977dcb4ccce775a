"""The ways to begin: each shell block in README, the tutorials and the pages on installing and loops runs as it stands.

This differs for a reader. `cargo install` does nothing here, because the program is the one that the tests have built.
The service listens on a free port, because the usual one may be taken. Packages come from the caches of the locks.
"""

from __future__ import annotations

import os
import re
import shlex
import socket
import subprocess
import textwrap
from pathlib import Path

import pytest
from test_packages import REPOSITORY, _clean, _with_pip

SH = re.compile(r"^ *```sh\n(.*?)^ *```", re.MULTILINE | re.DOTALL)
CARGO = '#!/bin/sh\n[ "$*" = "install --path ." ]\n'
SERVING = "skillmount serve &\ncurl -s -o /dev/null --retry 9 --retry-connrefused http://127.0.0.1:8787/healthz\n"
# A service in the background ends with the shell.
ENDING = "trap 'kill $(jobs -p) 2>/dev/null || :' EXIT\n"


def _ways() -> dict[str, str]:
    """The sections of README that show a first success, by their heading."""
    ways = (REPOSITORY / "README.md").read_text().split("\n## First success\n")[1].split("\n## Why")[0]
    return dict(way.split("\n", 1) for way in ways.split("\n### ")[1:])


def _of_the_book(page: str) -> str:
    return (REPOSITORY / "docs" / "book" / page).read_text()


def _shell(text: str) -> str:
    return "".join(textwrap.dedent(block) for block in SH.findall(text))


def _skipping(script: str, *commands: str) -> str:
    """The script without these commands, each of which it has once."""
    kept = [line for line in script.splitlines(keepends=True) if not line.startswith(commands)]
    assert len(kept) == len(script.splitlines()) - len(commands)
    return "".join(kept)


def _as_a_reader(folder: Path, script: str, **variables: str) -> str:
    """What a shell prints at the root of a clone; what it makes there stays in the folder."""
    clone, programs = folder / "clone", folder / "programs"
    for made in (clone, programs, folder / "home"):
        made.mkdir(exist_ok=True)
    for entry in REPOSITORY.iterdir():
        if not (clone / entry.name).is_symlink():
            (clone / entry.name).symlink_to(entry)
    cargo, program = programs / "cargo", programs / "skillmount"
    cargo.write_text(CARGO)
    cargo.chmod(0o755)
    if not program.is_symlink():
        program.symlink_to(os.environ["SKILLMOUNT_PROGRAM"])
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{free.getsockname()[1]}"
    path = f"{programs}:{variables.pop('PATH', os.environ['PATH'])}"
    done = subprocess.run(
        ["bash", "-euc", ENDING + script.replace("127.0.0.1:8787", address)],
        cwd=clone,
        env=_clean(**variables, PATH=path, HOME=str(folder / "home"), SKILLMOUNT_LISTEN=address),
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def _shown(way: str) -> str:
    (shown,) = re.findall(r"```text\n(.*?)```", way, re.DOTALL)
    return str(shown)


@pytest.mark.parametrize("readme", ["README.md", "README.es.md"])
def test_the_picture_is_of_the_demo(readme: str) -> None:
    picture = re.findall(r"```text\n(.*?)```", (REPOSITORY / readme).read_text(), re.DOTALL)[0]
    command = [os.environ["SKILLMOUNT_PROGRAM"], "demo"]
    demo = subprocess.run(command, env=_clean(), capture_output=True, text=True, check=True)
    store = REPOSITORY / "crates" / "cli" / "fixtures" / "store" / "demo" / "skills"
    paths = [word.rstrip("…") for word in picture.split() if "/" in word and not word.startswith("demo/")]
    assert len(paths) > 9
    for path in paths:
        assert path in demo.stdout or (store / path).exists(), path


def test_readme_shows_five_ways_of_less_than_ten_lines() -> None:
    ways = _ways()
    assert len(ways) == 5
    for name, way in ways.items():
        assert 1 < len(_shell(way).splitlines()) < 10, name


def test_at_home_and_over_http(tmp_path: Path) -> None:
    ways = _ways()
    home, http = ways["At home, with an MCP host"], ways["HTTP, with curl"]
    assert _as_a_reader(tmp_path, _shell(home)).endswith(_shown(home))
    assert '"skillmount"' in (tmp_path / "home" / ".claude.json").read_text()
    answers = _as_a_reader(tmp_path, _shell(http))
    assert 'location="writing/minutes"' in answers
    assert '"status":"loaded"' in answers
    assert "Writes the minutes of a meeting" in answers.rsplit('"content"', 1)[1]


def test_deepagents(tmp_path: Path) -> None:
    way = _ways()["Python, with deepagents"]
    variables = _with_pip(tmp_path, "deepagents")
    assert _as_a_reader(tmp_path, _shell(way), **variables).endswith(_shown(way))


def test_a_bucket(tmp_path: Path) -> None:
    if "SKILLMOUNT_TEST_S3_BUCKET" not in os.environ:
        pytest.skip("NO BUCKET was tried: LocalStack does not run")
    ways = _ways()
    script = _shell(ways["At home, with an MCP host"]) + _shell(ways["Your own bucket"])
    script = script.replace("s3://my-bucket/agents", f"s3://{os.environ['SKILLMOUNT_TEST_S3_BUCKET']}/{tmp_path.name}")
    listed = _as_a_reader(tmp_path, script)
    assert "conditional writes  honoured" in listed
    assert listed.splitlines()[-1].startswith("writing/minutes  Writes the minutes")


def test_the_ai_sdk(tmp_path: Path) -> None:
    way = _ways()["TypeScript, with the AI SDK"]
    if subprocess.run([REPOSITORY / "clients/typescript/run", "true"], env=_clean(), check=False).returncode == 3:
        pytest.skip("The TypeScript way was NOT tried: there is no npm")
    assert _as_a_reader(tmp_path, _shell(way)).endswith(_shown(way))


def test_installing(tmp_path: Path) -> None:
    printed = _as_a_reader(tmp_path, _shell(_of_the_book("install.md")), **_with_pip(tmp_path, "deepagents"))
    assert re.match(r"skillmount [0-9.]+\nClient\n", printed)
    assert "answers are right." in printed


def test_the_tutorial_for_home(tmp_path: Path) -> None:
    printed = _as_a_reader(tmp_path, _shell(_of_the_book("tutorials/home.md")))
    assert "loaded writing/minutes as /skills/minutes" in printed
    assert "claude-code starts skillmount" in printed


def _agent_of_the_tutorial() -> tuple[str, str, str]:
    """The command that saves the agent, the commands of the page, and the text that it shows."""
    page = _of_the_book("tutorials/first-agent.md")
    (program,) = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    (shown,) = re.findall(r"It prints:\n\n```\n(.*?)```", page, re.DOTALL)
    return f"cat > agent.py <<'SAVED'\n{program}SAVED\n", _shell(page), str(shown)


def test_the_tutorial_for_an_agent(tmp_path: Path) -> None:
    saved, commands, shown = _agent_of_the_tutorial()
    printed = _as_a_reader(tmp_path, saved + commands, **_with_pip(tmp_path, "deepagents"))
    assert printed.endswith(shown)


def test_the_tutorial_for_a_team(tmp_path: Path) -> None:
    script = _shell(_of_the_book("tutorials/team.md"))
    printed = _as_a_reader(tmp_path, script)
    assert '"status":"created"' in printed
    assert "loaded lease as /skills/lease" in printed
    assert "Ask who rents what." in printed
    assert printed.count('"code":"denied"') == 1
    assert '"status":"unchanged"' in _as_a_reader(tmp_path, script)


def test_the_tutorials_go_on_from_each_other(tmp_path: Path) -> None:
    saved, agent, shown = _agent_of_the_tutorial()
    home = _skipping(_shell(_of_the_book("tutorials/home.md")), "skillmount new ")
    readme, team = _shell(_ways()["At home, with an MCP host"]), _shell(_of_the_book("tutorials/team.md"))
    script = readme + home + saved + _skipping(agent, "skillmount new ", "skillmount push ") + team
    printed = _as_a_reader(tmp_path, script, **_with_pip(tmp_path, "deepagents"))
    assert printed.count("loaded writing/minutes as /skills/minutes") == 2
    assert shown in printed
    assert "loaded lease as /skills/lease" in printed


def test_the_agent_loop(tmp_path: Path) -> None:
    printed = _as_a_reader(tmp_path, SERVING + _shell(_of_the_book("how-to/agent-loop.md")))
    assert '"role":"tool"' in printed
    assert '"status":"loaded"' in printed
    assert '"occurrences":1' in printed
    assert printed.endswith("# Deed\n")


def _commands(page: str) -> list[list[str]]:
    """The arguments of each `skillmount` in the blocks of code of a page."""
    blocks = re.findall(r"^ *```\w*\n(.*?)^ *```", page, re.MULTILINE | re.DOTALL)
    lines = [line.strip() for line in "".join(blocks).replace("\\\n", " ").splitlines()]
    commands = [re.split(r" #| >>? | \| | &$", line)[0] for line in lines if re.match(r"skillmount [^=]", line)]
    return [shlex.split(command)[1:] for command in commands]


def test_the_program_knows_each_command_of_the_book() -> None:
    pages = [*(REPOSITORY / "docs" / "book").glob("how-to/*.md"), REPOSITORY / "docs" / "book" / "questions.md"]
    commands = [(page.name, command) for page in pages for command in _commands(page.read_text())]
    assert len(commands) > 50
    unknown = []
    for name, command in commands:
        # The help is the answer only if everything before its flag is known.
        asked = [os.environ["SKILLMOUNT_PROGRAM"], *command, *([] if "--help" in command else ["--help"])]
        done = subprocess.run(asked, env=_clean(), capture_output=True, text=True, check=False)
        if done.returncode != 0:
            unknown.append((name, command, done.stderr))
    assert unknown == []

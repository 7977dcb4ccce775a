"""Each Python block of the README, and of the page on memory, is a file that runs without a warning. mypy checks it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from conftest import program
from skillmount.scripted_api import scripted_api
from skillmount.testing import server

ROOT = Path(__file__).parents[1]
SNIPPETS = sorted((ROOT / "tests" / "snippets").glob("*.py"))
PAGES = [ROOT / "README.md", ROOT.parents[1] / "docs" / "book" / "how-to" / "long-term-memory.md"]
BLOCKS = [block for page in PAGES for block in re.findall(r"```python\n(.*?)```", page.read_text(), re.DOTALL)]
# The suites of these compare their blocks themselves.
ELSEWHERE = re.compile(r"^from skillmount\.(pydantic_ai|openai_agents|google_adk|agent_framework) import", re.MULTILINE)


def test_each_block_of_the_pages_is_a_file() -> None:
    files = {path.read_text() for path in ROOT.glob("tests*/snippets/*.py")}
    assert [block for block in BLOCKS if block not in files and not ELSEWHERE.search(block)] == []


def test_the_push_before_the_first_block_is_for_the_user_of_the_blocks(tmp_path: Path) -> None:
    (commands,) = re.findall(r"```\n(skillmount serve &\n.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
    assert commands in (ROOT.parent / "typescript" / "README.md").read_text()
    folder = tmp_path / "bin"
    folder.mkdir()
    (folder / "skillmount").symlink_to(Path(program()).resolve())
    with server(program=program()) as service:
        script = commands.removeprefix("skillmount serve &\n").replace("http://127.0.0.1:8787", service.url)
        environment = {**os.environ, "PATH": f"{folder}:{os.environ['PATH']}"}
        subprocess.run(["bash", "-euc", script], cwd=tmp_path, env=environment, check=True, capture_output=True)
        assert [skill.skill for skill in service.client().user("ana").skills()] == ["writing/minutes"]


@pytest.mark.parametrize("file", SNIPPETS, ids=lambda file: file.stem)
def test_a_file_is_a_block_of_a_page_and_runs_without_a_warning(file: Path, tmp_path: Path) -> None:
    assert file.read_text() in BLOCKS
    copied = tmp_path / file.name
    with server(program=program()) as service, scripted_api([[("load_skill", {"skill": "minutes"})], "done"]) as model:
        service.publish("ana", "writing/minutes", "Writes minutes. Use when notes become minutes.", "SECRET\n")
        copied.write_text(file.read_text().replace("http://127.0.0.1:8787", service.url))
        environment = {
            **os.environ, "SKILLMOUNT_SERVER": service.url, "SKILLMOUNT_PROGRAM": program(),
            "ANTHROPIC_BASE_URL": model.url, "ANTHROPIC_API_KEY": "none",
        }  # fmt: skip
        command = [sys.executable, "-W", "error", str(copied)]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        assert (done.returncode, done.stderr) == (0, "")
        if "agent.invoke(" in file.read_text():
            assert "SECRET" in model.told(1)

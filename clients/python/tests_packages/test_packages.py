"""The distributions as somebody has them who knows only the README: wheels, in environments with nothing else."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
REPOSITORY = ROOT.parents[1]
README = (ROOT / "README.md").read_text()
CACHE = REPOSITORY / ".cache"
UV = CACHE / "python" / "uv" / "bin" / "uv"
# Where clients/packages keeps what it downloads.
DOWNLOADS = {f"{tool.upper()}_CACHE_DIR": str(CACHE / "downloads" / tool) for tool in ("uv", "pip")}

# How a reader installs the program with pip.
MADE = "make python-wheels\npip install --find-links target/wheels skillmount-bin\n"
# What a reader installs and runs, and what the README says is printed.
STEPS = re.compile(r"```\n(pip install [^`]*?python examples/(\S+)\n)```\n\n[^`]*?```\n(.*?)```", re.DOTALL)
SHOWN = {example: (commands, printed) for commands, example, printed in STEPS.findall(README)}
LOCKS = {
    "deepagents/minutes.py": "deepagents",
    "create_agent/lease.py": "deepagents",
    "pydantic_ai/lease_ai.py": "pydantic-ai",
    "openai_agents/lease_sandbox.py": "openai-agents",
    "google_adk/lease_adk.py": "google-adk",
    "agent_framework/lease_maf.py": "agent-framework",
    "claude_agent_sdk/minutes_sdk.py": "hosts",
    "mcp_client/lease_mcp.py": "hosts",
    "claude_hooks/remind.py": "hosts",
}


def _clean(**variables: str) -> dict[str, str]:
    ours = ("SKILLMOUNT_", "PYTHON", "PIP_", "UV_", "VIRTUAL_ENV")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(ours)}
    return {**{name: value for name, value in kept.items() if not name.endswith("_API_KEY")}, **variables}


def _run(command: list[str], **variables: str) -> str:
    done = subprocess.run(
        command, cwd=REPOSITORY, env=_clean(**variables), capture_output=True, text=True, check=False, timeout=300
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="session")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Both wheels, the program's from what the tests have compiled."""
    folder = tmp_path_factory.mktemp("wheels")
    profile = os.environ.get("PROFILE", "dev")
    done = subprocess.run([str(ROOT.parent / "python-bin" / "wheels"), str(folder), profile], check=False)
    assert done.returncode == 0
    return folder


@pytest.fixture
def environment(tmp_path: Path) -> Path:
    """An environment with pip and nothing else."""
    subprocess.run([sys.executable, "-m", "venv", str(tmp_path / "venv")], env=_clean(), check=True)
    return tmp_path / "venv"


def test_the_wheels_hold_what_they_should(wheels: Path) -> None:
    pure, program = sorted(wheels.glob("*.whl"), key=lambda wheel: wheel.stat().st_size)
    assert re.fullmatch(r"skillmount-[0-9.]+-py3-none-any\.whl", pure.name)
    assert re.fullmatch(r"skillmount_bin-[0-9.]+-py3-none-\w+\.whl", program.name)
    assert pure.name.split("-")[1] == program.name.split("-")[1], "both are of one version"
    names = zipfile.ZipFile(pure).namelist()
    assert "skillmount/py.typed" in names
    assert all(name.startswith(("skillmount/", "skillmount-")) for name in names)
    (script,) = [name for name in zipfile.ZipFile(program).namelist() if "/scripts/" in name]
    assert script.endswith("/scripts/skillmount")


def test_the_program_installs_without_an_index_and_runs(wheels: Path, environment: Path) -> None:
    where = str(environment / "bin")
    _run([f"{where}/pip", "install", "--quiet", "--no-index", "--find-links", str(wheels), "skillmount-bin"])
    assert re.fullmatch(r"skillmount [0-9.]+\n", _run([f"{where}/skillmount", "--version"]))
    shown = _run([f"{where}/skillmount", "demo"])
    assert "answers are right." in shown


def test_uvx_runs_the_program(wheels: Path, tmp_path: Path) -> None:
    if not UV.exists():
        pytest.skip("uv could not be installed from its lock")
    command = [str(UV), "tool", "run", "--no-index", "--find-links", str(wheels), "--from", "skillmount-bin"]
    told = _run([*command, "skillmount", "--version"], UV_CACHE_DIR=str(tmp_path))
    assert told.startswith("skillmount ")


def test_every_framework_and_host_has_its_five_minutes() -> None:
    assert set(SHOWN) == set(LOCKS)


def _with_pip(folder: Path, lock: str) -> dict[str, str]:
    """An empty environment below a folder, whose pip installs the versions of a lock; the variables that name it."""
    venv = folder / "venv"
    variables = {
        "VIRTUAL_ENV": str(venv),
        "PATH": f"{venv / 'bin'}:{os.environ['PATH']}",
        "PIP_QUIET": "1",
        **DOWNLOADS,
    }
    # The digests of the lock are left out, because the wheels are not in it.
    pins = re.findall(r"^[^\s#].*?(?= \\$)", (ROOT / "locks" / f"{lock}.txt").read_text(), re.MULTILINE)
    (folder / "pins.txt").write_text("\n".join(pins))
    for tool in ("PIP", "UV"):
        variables[f"{tool}_CONSTRAINT"] = str(folder / "pins.txt")
    if UV.exists():
        # It does in a second what takes pip half a minute, and finds in its cache what the locks have brought.
        _run([str(UV), "venv", "--quiet", "--python", sys.executable, str(venv)])
        pip = venv / "bin" / "pip"
        pip.write_text(f'#!/bin/sh\nUV_OFFLINE=1 "{UV}" pip "$@" 2>/dev/null || exec "{UV}" pip "$@"\n')
        pip.chmod(0o755)
    else:
        _run([sys.executable, "-m", "venv", str(venv)])
    return variables


def test_the_first_way_installs_an_adapter_from_a_clone_without_a_compiler(tmp_path: Path) -> None:
    first, second = re.findall(r"^```\n((?:pip install '\./|make ).*?)```", README, re.MULTILINE | re.DOTALL)[:2]
    assert second == MADE, "only the program needs Rust"
    variables = _with_pip(tmp_path, "deepagents")
    _run(["bash", "-euc", first], CC="false", CXX="false", RUSTC="false", CARGO="false", **variables)
    imported = "import skillmount.deepagents; print(skillmount.deepagents.__file__)"
    told = _run([str(tmp_path / "venv" / "bin" / "python"), "-c", imported], **variables)
    assert told.startswith(str(tmp_path))
    shutil.rmtree(tmp_path / "venv")


@pytest.mark.parametrize("example", LOCKS)
def test_the_five_minutes_of_the_readme_go_as_they_say(example: str, wheels: Path, tmp_path: Path) -> None:
    commands, printed = SHOWN[example]
    variables = _with_pip(tmp_path, LOCKS[example])
    installed = MADE.splitlines()[1].replace("target/wheels", str(wheels))
    _run(["bash", "-euc", installed], **variables)
    told = _run(["bash", "-euc", commands], **variables)
    assert told.startswith(printed), told
    shutil.rmtree(tmp_path / "venv")

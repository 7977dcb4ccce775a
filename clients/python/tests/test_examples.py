"""The examples run as they are, the README shows what they print, and the wheel holds the package."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import pytest

from conftest import program

ROOT = Path(__file__).parent.parent
EXAMPLES = ROOT.parents[1] / "examples"
README = (ROOT / "README.md").read_text()


def _run(command: list[str], **variables: str) -> str:
    kept = {name: value for name, value in os.environ.items() if not name.endswith("_API_KEY")}
    environment = {**kept, "SKILLMOUNT_PROGRAM": program(), "PYTHONPATH": str(ROOT / "src"), **variables}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.parametrize("name", ["deepagents/minutes.py", "create_agent/lease.py"])
def test_an_example_prints_what_the_readme_shows(name: str) -> None:
    printed = _run([sys.executable, str(EXAMPLES / name)])
    shown = re.search(rf"python examples/{name}\n```\n\n.*?```\n(.*?)```", README, re.DOTALL)
    assert shown is not None
    assert printed.startswith(shown[1].replace("…\n", "")), printed


def test_each_python_block_of_the_readme_is_valid() -> None:
    blocks = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    assert len(blocks) >= 4
    for block in blocks:
        compile(block, "README.md", "exec")


def test_the_wheel_installs_and_imports_without_any_framework(tmp_path: Path) -> None:
    script = "import sys, hatchling.build, os; os.chdir(sys.argv[1]); hatchling.build.build_wheel(sys.argv[2])"
    _run([sys.executable, "-c", script, str(ROOT), str(tmp_path)])
    (wheel,) = tmp_path.glob("*.whl")
    names = zipfile.ZipFile(wheel).namelist()
    assert "skillmount/py.typed" in names
    assert all(name.startswith(("skillmount/", "skillmount-")) for name in names)
    # The packages that it needs come from this environment; nothing of the source tree does.
    venv.create(tmp_path / "venv", with_pip=False)
    python = tmp_path / "venv" / "bin" / "python"
    library = next((tmp_path / "venv" / "lib").iterdir()) / "site-packages"
    zipfile.ZipFile(wheel).extractall(library)
    import httpx

    (library / "needs.pth").write_text(str(Path(httpx.__file__).parents[1]))
    told = _run([str(python), "-c", "import skillmount; print(skillmount.__file__)"], PYTHONPATH="")
    assert str(library) in told


def test_the_package_is_for_the_versions_of_python_that_the_readme_names() -> None:
    allowed = re.search(r'requires-python = ">=3\.(\d+),<3\.(\d+)"', (ROOT / "pyproject.toml").read_text())
    named = re.search(r"^Python 3\.(\d+) to 3\.(\d+)\.", README, re.MULTILINE)
    assert allowed is not None
    assert named is not None
    assert (named[1], int(named[2])) == (allowed[1], int(allowed[2]) - 1)
    assert int(named[2]) >= 14

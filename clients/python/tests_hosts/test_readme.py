"""The Python block of the README about hosts is a file that runs without a warning."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from conftest import ROOT

SNIPPETS = sorted((ROOT / "tests_hosts" / "snippets").glob("*.py"))


@pytest.mark.parametrize("file", SNIPPETS, ids=lambda file: file.stem)
def test_a_file_is_a_block_of_the_readme_and_runs_without_a_warning(file: Path) -> None:
    code = file.read_text()
    assert f"```python\n{code}```" in (ROOT / "README.md").read_text()
    done = subprocess.run([sys.executable, "-W", "error", str(file)], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")

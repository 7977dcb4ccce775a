"""An adapter without its framework says which extra brings it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.parametrize("extra", ["pydantic-ai", "openai-agents", "google-adk", "agent-framework"])
def test_the_error_names_the_extra(extra: str) -> None:
    name = extra.replace("-", "_")
    frameworks = {"pydantic_ai", "agents", "google.adk", "agent_framework"}
    hidden = f"import sys; sys.modules.update(dict.fromkeys({frameworks!r})); import skillmount.{name}"
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[1] / "src")}
    done = subprocess.run([sys.executable, "-c", hidden], env=environment, capture_output=True, text=True, check=False)
    last = done.stderr.strip().splitlines()[-1]
    assert last.startswith("ModuleNotFoundError: "), done.stderr
    assert f"pip install './clients/python[{extra}]'" in last

"""An adapter whose framework is not installed names the extra that brings it."""

from __future__ import annotations

import subprocess
import sys

import pytest

SCRIPT = """
import sys

class Without:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == sys.argv[1]:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Without())
try:
    __import__(sys.argv[2])
except ImportError as error:
    print(type(error).__name__, error)
"""


@pytest.mark.parametrize(
    ("without", "module", "extra"),
    [
        ("deepagents", "skillmount.deepagents", "deepagents"),
        ("langchain", "skillmount.deepagents", "deepagents"),
        ("langchain", "skillmount.langchain", "langchain"),
        ("langgraph", "skillmount.langchain", "langchain"),
        ("langchain_core", "skillmount.langchain.testing", "langchain"),
    ],
)
def test_a_framework_that_is_not_installed_is_named_with_its_extra(without: str, module: str, extra: str) -> None:
    command = [sys.executable, "-c", SCRIPT, without, module]
    told = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert told.startswith(f"ModuleNotFoundError No module named '{without}")
    assert told.endswith(f". In a clone of the repository: pip install './clients/python[{extra}]'\n")
    assert f"; this adapter needs the extra `{extra}`. " in told

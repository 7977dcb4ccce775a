"""What the tests of the small adapters share: a service with the skills of one user, and the examples."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from skillmount.testing import Server, server

pytest.register_assert_rewrite("contract")

ROOT = Path(__file__).parent.parent
PROGRAM = os.environ.get("SKILLMOUNT_PROGRAM") or str(ROOT.parents[1] / "target" / "debug" / "skillmount")
ALL_BYTES = bytes(range(256))


@pytest.fixture(scope="session")
def service() -> Iterator[Server]:
    """A service on which ana has three skills; two of one name."""
    with server(program=PROGRAM) as running:
        leases = [
            (
                "SKILL.md",
                b"---\nname: leases\ndescription: Drafts leases for rent.\nlicense: MIT\n---\nSECRET-OF-LEASES\n",
            ),
            ("references/garage.md", b"LEASE OF A GARAGE\n"),
            ("scripts/fill.py", b"print('filled')\n"),
            ("assets/seal.bin", ALL_BYTES),
            ("notes/a b.md", "año\n".encode()),
        ]
        with running.client() as client:
            client.user("ana").publish("law/leases", leases)
        running.publish("ana", "law/new-year", "Writes new year's letters. Use in December.", "# Letters\n")
        running.publish("ana", "work/leases", "Leases machines. Use for machines.", "# Machines\n")
        yield running


def check_example(name: str) -> None:
    """An example runs without a key, and prints what the README shows.

    Args:
        name: Its path below `examples`.
    """
    kept = {name: value for name, value in os.environ.items() if not name.endswith("_API_KEY")}
    environment = {**kept, "SKILLMOUNT_PROGRAM": PROGRAM, "PYTHONPATH": str(ROOT / "src")}
    command = [sys.executable, str(ROOT.parents[1] / "examples" / name)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    shown = re.search(rf"python examples/{name}\n```\n\n.*?```\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
    assert shown is not None
    assert done.stdout == shown[1]

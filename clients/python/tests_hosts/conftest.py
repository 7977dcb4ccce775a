"""What the tests of hosts share: a service with skills of two users that can be stopped and started again."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from skillmount import operations
from skillmount.testing import Server, server

ROOT = Path(__file__).parent.parent
PROGRAM = os.environ.get("SKILLMOUNT_PROGRAM") or str(ROOT.parents[1] / "target" / "debug" / "skillmount")


class Service:
    """A service on a folder, which keeps its address if it is stopped and started again."""

    def __init__(self, folder: Path) -> None:
        """Nothing runs yet."""
        self.folder = folder
        self.store = f"file:{folder}"
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self._until_stopped = ExitStack()

    def start(self) -> None:
        """Start it."""
        self.running: Server = self._until_stopped.enter_context(
            server(program=PROGRAM, store=self.store, port=self.port)
        )

    def refresh(self, user: str) -> None:
        """Have the catalog of a user looked at now."""
        with self.running.client() as client:
            client.send(operations.refresh_catalog(user))

    def stop(self) -> None:
        """Stop it."""
        self._until_stopped.close()

    def publish_minutes(self, user: str) -> None:
        """Give a user the skill that writes minutes."""
        self.running.publish(
            user,
            "writing/minutes",
            "Writes the minutes of a meeting. Use when notes become minutes.",
            "# Minutes\nSECRET-OF-MINUTES\n",
            {"forms/template.md": "## Decisions\n"},
        )


@pytest.fixture
def service(tmp_path: Path) -> Iterator[Service]:
    """A service on which ana and bob have a skill each."""
    made = Service(tmp_path / "store")
    made.start()
    made.publish_minutes("ana")
    made.running.publish("bob", "law/leases", "Drafts leases. Use when someone rents.", "# Leases\nSECRET-OF-LEASES\n")
    yield made
    made.stop()

"""A real service for tests: the `skillmount` program on a store in memory, on a free port of this machine."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sysconfig
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from . import models
from .client import AsyncClient, Client

_PROGRAM = "SKILLMOUNT_PROGRAM"
_SECONDS_TO_STOP = 10


@dataclass(frozen=True, slots=True)
class Server:
    """A service that runs until the context that gave it ends.

    Example:
        with server() as service, service.client() as client:
            client.health()
    """

    url: str
    pid: int
    api_key: str | None = field(default=None, repr=False)

    def client(self) -> Client:
        """A client of it, which shows its key. It is closed with itself, at the latest.

        Example:
            service.client().health()
        """
        return Client(self.url, api_key=self.api_key)

    def aclient(self) -> AsyncClient:
        """A client of it whose calls are awaited, which shows its key.

        Example:
            awaited = service.aclient()
        """
        return AsyncClient(self.url, api_key=self.api_key)

    def publish(
        self, user: str, skill: str, description: str, body: str, files: Mapping[str, str] | None = None
    ) -> None:
        """Give a user a skill.

        Args:
            user: Whose it is.
            skill: Where it lies, such as `writing/minutes`.
            description: What it is for and when to use it.
            body: Its instructions.
            files: Its other files, path and text of each.

        Raises:
            InvalidSkill: It is not as a skill must be.

        Example:
            service.publish("ana", "writing/letters", "Writes letters. Use when asked.", "# Letters")
        """
        with self.client() as client:
            content = models.PublishRequest(description=description, body=body, files=dict(files or {}))
            client.user(user).publish(skill, content)


@contextmanager
def server(
    *,
    program: str | None = None,
    store: str = "memory:",
    port: int = 0,
    arguments: Sequence[str] = (),
    environment: Mapping[str, str] | None = None,
    api_key: str | None = None,
) -> Iterator[Server]:
    """Start a service, and stop it at the end of the context.

    Args:
        program: The program; if absent, `SKILLMOUNT_PROGRAM`, the one that `skillmount-bin` brought, or the
            `skillmount` on the path.
        store: Where objects lie, such as `memory:` or `file:DIR`.
        port: Where it listens on this machine; a free port if 0.
        arguments: Further arguments of `skillmount serve`.
        environment: Further variables of its environment. Those that set up a service or an agent are not handed on.
        api_key: The key that clients must show; none is needed if absent.

    Yields:
        The running service.

    Raises:
        FileNotFoundError: There is no such program.
        RuntimeError: The service did not start; the message is what it said.

    Example:
        with server(store="memory:") as running:
            print(running.url)
    """
    path = program or _program()
    kept = {name: value for name, value in os.environ.items() if not name.startswith("SKILLMOUNT_")}
    command = [path, "serve", "--store", store, "--listen", f"127.0.0.1:{port}", "--json", "--drain", "0", *arguments]
    if api_key is not None:
        command += ["--api-key", api_key]
    process = subprocess.Popen(
        command,
        env={**kept, **(environment or {})},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    try:
        assert process.stdout is not None  # a pipe was asked for
        line = process.stdout.readline()
        if not line.startswith("{"):
            raise RuntimeError(f"`{' '.join(command)}` did not start (status {process.wait()}); run it to see why")
        yield Server(json.loads(line)["listening"], process.pid, api_key)
    finally:
        process.terminate()
        try:
            process.wait(_SECONDS_TO_STOP)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        if process.stdout is not None:
            process.stdout.close()


def _program() -> str:
    # Beside the interpreter first: an environment that is not activated is not on the path.
    path = (
        os.environ.get(_PROGRAM)
        or shutil.which("skillmount", path=sysconfig.get_path("scripts"))
        or shutil.which("skillmount")
    )
    if path is None:
        raise FileNotFoundError(
            f"no skillmount program: install skillmount-bin, put it on the path, or name it in {_PROGRAM} (it is built "
            "by `cargo build`, as target/debug/skillmount)"
        )
    return path

"""Claude's real command line, which comes with its SDK, with a home of its own and a model that is written."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import claude_agent_sdk

from conftest import PROGRAM
from skillmount.scripted_api import Said, ScriptedApi, scripted_api

COMMAND = Path(claude_agent_sdk.__file__).parent / "_bundled" / "claude"


@dataclass(frozen=True)
class Claude:
    """A home with the command line in it, and the model that it asks."""

    home: Path
    model: ScriptedApi

    def environment(self) -> dict[str, str]:
        """Nothing of the machine's own: a home without an account, and the program on the path."""
        return {
            "HOME": str(self.home),
            "PATH": f"{Path(PROGRAM).parent}:{os.environ['PATH']}",
            "ANTHROPIC_API_KEY": "made-up",
            "ANTHROPIC_BASE_URL": self.model.url,
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            # It waits for its servers, however busy the machine is, before it asks the model.
            "MCP_CONNECTION_NONBLOCKING": "0",
        }

    def run(self, *arguments: str) -> str:
        """Run a command; what it printed."""
        done = subprocess.run(
            [str(COMMAND), *arguments],
            cwd=self.home,
            env=self.environment(),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def ask(self, prompt: str, *, settings: Any = None, servers: Any = None, allowed: str = "mcp__skills") -> str:
        """Have it answer a prompt, with the settings of a host.

        Args:
            prompt: What a person types.
            settings: What is in its settings file.
            servers: Its servers of the Model Context Protocol by name; those of its own configuration if absent.
            allowed: The tools that it may call.
        """
        arguments = ["-p", prompt, "--allowedTools", allowed]
        if settings is not None:
            arguments += ["--settings", self._file("settings.json", settings)]
        if servers is not None:
            arguments += ["--strict-mcp-config", "--mcp-config", self._file("mcp.json", {"mcpServers": servers})]
        return self.run(*arguments)

    def _file(self, name: str, content: Any) -> str:
        path = self.home / name
        path.write_text(json.dumps(content))
        return str(path)


@contextmanager
def claude(home: Path, turns: list[Said]) -> Iterator[Claude]:
    """The command line with a home in a folder, whose model says what is written."""
    home.mkdir()
    with scripted_api(turns) as model:
        yield Claude(home, model)

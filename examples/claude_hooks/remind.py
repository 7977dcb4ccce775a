"""Claude Code with hooks that a service answers: what its model is told beside a message and beside a command.

    pip install claude-agent-sdk ./clients/python skillmount-bin
    python examples/claude_hooks/remind.py

It runs the command line that claude-agent-sdk carries, in a home of its own, with a model that says what is written
below. `settings.json` is all that a host needs; SERVER in it is the address of the service.
"""

from __future__ import annotations

import os
import re
import subprocess
import tempfile
from pathlib import Path

import claude_agent_sdk

from skillmount.scripted_api import Said, scripted_api
from skillmount.testing import server

CLAUDE = Path(claude_agent_sdk.__file__).parent / "_bundled" / "claude"
SETTINGS = Path(__file__).with_name("settings.json")

SCRIPT: list[Said] = [[("Bash", {"command": "ls notes-of-the-meeting.md minutes.md"})], "There are no notes."]


def main() -> None:
    """Ask something, and show what the hooks added."""
    with server() as service, scripted_api(SCRIPT) as model, tempfile.TemporaryDirectory() as folder:
        purpose = "Writes the minutes of a meeting. Use when notes become minutes."
        service.publish("me", "writing/minutes", purpose, "# Minutes\n")
        settings = Path(folder) / "settings.json"
        settings.write_text(SETTINGS.read_text().replace("SERVER", service.url))
        command = [
            str(CLAUDE),
            "-p",
            "Make minutes of the notes.",
            "--settings",
            str(settings),
            "--allowedTools",
            "Bash",
        ]
        environment = {
            "HOME": folder,
            "PATH": os.environ["PATH"],
            "ANTHROPIC_BASE_URL": model.url,
            "ANTHROPIC_API_KEY": "any",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        }
        said = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=True)  # noqa: S603
        told = model.told(len(model.seen) - 1)
    for event, context in re.findall(r"([\w:]+) hook additional context: (.*?\n\n(?:- [^\n]+\n?)+)", told, re.DOTALL):
        print(f"{event}:")
        for line in re.findall(r"^- .*", context, re.MULTILINE):
            print(f"  {line[:100]}")
    print(f"model: {said.stdout.strip()}")


if __name__ == "__main__":
    main()

"""An agent of deepagents whose files and skills are its user's, and one compiled agent for two users.

    cargo build
    clients/python/run python examples/deepagents/minutes.py

A service is started on a store in memory unless SKILLMOUNT_SERVER names one. The model says what is written below
unless ANTHROPIC_API_KEY is set.
"""

from __future__ import annotations

import os
from contextlib import ExitStack
from typing import Any

from deepagents import create_deep_agent
from langchain.chat_models import init_chat_model
from langchain_core.language_models import BaseChatModel

from skillmount import Client, models
from skillmount.deepagents import SkillmountBackend, SkillmountMiddleware
from skillmount.langchain.testing import ScriptedModel, Turn
from skillmount.testing import server

TASK = "Turn /workspace/notes.md into minutes, in /workspace/minutes.md."
MINUTES = """# Minutes
1. Copy /skills/minutes/template.md to where the minutes go.
2. Fill in the decisions, a line for each.
"""

# What a scripted model says to it: it sees the listing, loads the skill and uses it in the same turn.
SCRIPT: list[Turn] = [
    [
        ("load_skill", {"skill": "writing/minutes"}),
        ("read_file", {"file_path": "/skills/minutes/template.md"}),
        ("read_file", {"file_path": "/workspace/notes.md"}),
    ],
    [("write_file", {"file_path": "/workspace/minutes.md", "content": "# Minutes\n\n## Decisions\n- TODO\n"})],
    [("edit_file", {"file_path": "/workspace/minutes.md", "old_string": "TODO", "new_string": "Ship on Monday."})],
    "The minutes are in /workspace/minutes.md.",
]


def model(script: list[Turn]) -> BaseChatModel:
    """A real model if there is a key, else the script."""
    if os.environ.get("ANTHROPIC_API_KEY"):
        return init_chat_model("anthropic:claude-sonnet-4-6")
    return ScriptedModel(turns=script)


def prepare(client: Client, user: str, thread: str) -> None:
    """Give a user a skill, and the thread some notes."""
    description = "Writes the minutes of a meeting. Use when notes become minutes."
    skill = models.PublishRequest(description=description, body=MINUTES, files={"template.md": "## Decisions\n- \n"})
    client.user(user).publish("writing/minutes", skill)
    client.session(user, thread).write("/workspace/notes.md", "we ship on monday\n", overwrite=True)


def main() -> None:
    """Run the agent for one user, and look at what another one sees."""
    with ExitStack() as stack:
        url = os.environ.get("SKILLMOUNT_SERVER") or stack.enter_context(server()).url
        client = stack.enter_context(Client(url))
        prepare(client, "ana", "monday")

        backend = SkillmountBackend(url)
        chat = model(SCRIPT)
        agent: Any = create_deep_agent(model=chat, backend=backend, middleware=[SkillmountMiddleware(backend)])
        config = {"configurable": {"user_id": "ana", "thread_id": "monday"}}
        for message in agent.invoke({"messages": [("user", TASK)]}, config)["messages"]:
            calls = [f"{call['name']} {call['args']}" for call in getattr(message, "tool_calls", [])]
            for line in calls or [str(message.text).split("\n", 1)[0]]:
                print(f"{message.type:>5}: {line[:110]}")

        print("\n/workspace/minutes.md of ana:")
        print(client.session("ana", "monday").read("/workspace/minutes.md").content)
        print("/workspace of bob:", client.session("bob", "monday").ls("/workspace").entries)


if __name__ == "__main__":
    main()

"""An agent of LangChain's `create_agent` with its user's skills and files, without deepagents.

    cargo build
    clients/python/run python examples/create_agent/lease.py

A service is started on a store in memory unless SKILLMOUNT_SERVER names one. The model says what is written below
unless ANTHROPIC_API_KEY is set.
"""

from __future__ import annotations

import os
from contextlib import ExitStack
from typing import Any

from langchain.agents import create_agent
from langchain.chat_models import init_chat_model
from langchain_core.language_models import BaseChatModel

from skillmount import Client, models
from skillmount.langchain import SkillmountMiddleware
from skillmount.langchain.testing import ScriptedModel, Turn
from skillmount.testing import server

TASK = "Which lease do I need for a garage? Write it to /workspace/lease.md."

SCRIPT: list[Turn] = [
    [("discover_skills", {"query": "lease for a garage"})],
    [("load_skill", {"skill": "law/leases"}), ("read", {"file_path": "/skills/leases/garage.md"})],
    [("write", {"file_path": "/workspace/lease.md", "content": "LEASE OF A GARAGE\n"})],
    "The lease is in /workspace/lease.md.",
]


def model(script: list[Turn]) -> BaseChatModel:
    """A real model if there is a key, else the script."""
    if os.environ.get("ANTHROPIC_API_KEY"):
        return init_chat_model("anthropic:claude-sonnet-4-6")
    return ScriptedModel(turns=script)


def main() -> None:
    """Run the agent, and show what its prompt held."""
    with ExitStack() as stack:
        url = os.environ.get("SKILLMOUNT_SERVER") or stack.enter_context(server()).url
        client = stack.enter_context(Client(url))
        skill = models.PublishRequest(
            description="Drafts leases. Use when someone rents something out.",
            body="# Leases\nA garage has its own form: /skills/leases/garage.md.\n",
            files={"garage.md": "LEASE OF A GARAGE\n"},
        )
        client.user("ana").publish("law/leases", skill)

        chat = model(SCRIPT)
        middleware: Any = SkillmountMiddleware(url, file_tools=True)
        agent: Any = create_agent(chat, middleware=[middleware])
        config = {"configurable": {"user_id": "ana", "thread_id": "garage"}}
        for message in agent.invoke({"messages": [("user", TASK)]}, config)["messages"]:
            calls = [f"{call['name']} {call['args']}" for call in getattr(message, "tool_calls", [])]
            for line in calls or [str(message.text).split("\n", 1)[0]]:
                print(f"{message.type:>5}: {line[:110]}")

        if isinstance(chat, ScriptedModel):
            print("\nthe first prompt, and the one after the skill was loaded:")
            for call in (0, 2):
                print(f"{chat.system(call)}\n---")


if __name__ == "__main__":
    main()

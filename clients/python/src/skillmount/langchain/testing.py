"""A chat model that says what was written for it, and remembers what it was shown: for tests and examples."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any, TypeAlias

from langchain_core.callbacks import CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, SystemMessage, ToolMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from pydantic import PrivateAttr

Turn: TypeAlias = str | list[tuple[str, dict[str, Any]]]
"""What a model says in one turn: text, or calls of tools with their arguments."""

_ids = itertools.count()


class ScriptedModel(BaseChatModel):
    """Says one turn after another, and `done` when there are no more.

    Example:
        model = ScriptedModel(turns=[[("load_skill", {"skill": "minutes"})], "done"])
    """

    turns: list[Turn]
    _seen: list[list[BaseMessage]] = PrivateAttr(default_factory=list)
    _tools: list[list[str]] = PrivateAttr(default_factory=list)

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def bind_tools(self, tools: Sequence[Any], **_: Any) -> Any:
        """Note which tools there are."""
        self._tools.append([getattr(tool, "name", None) or _name_of(tool) for tool in tools])
        return self

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **_: Any,
    ) -> ChatResult:
        self._seen.append(list(messages))
        turn = self.turns[len(self._seen) - 1] if len(self._seen) <= len(self.turns) else "done"
        if isinstance(turn, str):
            message = AIMessage(turn)
        else:
            calls = [{"name": name, "args": args, "id": f"call-{next(_ids)}"} for name, args in turn]
            message = AIMessage("", tool_calls=calls)
        return ChatResult(generations=[ChatGeneration(message=message)])

    @property
    def seen(self) -> list[list[BaseMessage]]:
        """The messages of each call."""
        return self._seen

    @property
    def offered(self) -> list[list[str]]:
        """The names of the tools of each call."""
        return self._tools

    def system(self, call: int) -> str:
        """The system prompt of a call, from 0."""
        return "\n".join(_text(each) for each in self._seen[call] if isinstance(each, SystemMessage))


def _name_of(tool: Any) -> str:
    return str(tool.get("name") or tool["function"]["name"])


def _text(message: BaseMessage) -> str:
    if isinstance(message.content, str):
        return message.content
    return "\n".join(part if isinstance(part, str) else str(part.get("text", "")) for part in message.content)


def results(state: dict[str, Any]) -> list[str]:
    """The results of tools in the end state of a graph, in order.

    Args:
        state: What the graph returned.

    Example:
        assert results({"messages": []}) == []
    """
    return [_text(message) for message in state["messages"] if isinstance(message, ToolMessage)]

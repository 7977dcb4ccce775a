"""A Messages API on this machine that says what you write, for hosts whose model has an address, such as Claude Code.

Such a host is given the address as `ANTHROPIC_BASE_URL` and any text as its key. It needs no account and no network.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, TypeAlias

Said: TypeAlias = str | list[tuple[str, dict[str, Any]]]
"""What the model says in a turn: text, or tools by name with their input."""

_ASIDE = "aside"


@dataclass(slots=True)
class ScriptedApi:
    """A model that says one turn after another."""

    url: str
    turns: list[Said]
    seen: list[dict[str, Any]] = field(default_factory=list)
    """The requests of the turns, in their order, without what a host asks its model aside, such as for a title."""
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    def told(self, turn: int) -> str:
        """All text that the model was shown before a turn: its system prompt and its messages."""
        asked = self.seen[turn]
        return "\n".join(_texts([asked.get("system", []), asked["messages"]]))

    def tools(self, turn: int) -> set[str]:
        """The names of the tools that the model was offered before a turn."""
        return {str(tool.get("name")) for tool in self.seen[turn].get("tools", [])}

    def results(self) -> list[str]:
        """What the tools answered, in the order of their calls."""
        blocks = [
            block
            for message in (self.seen[-1]["messages"] if self.seen else [])
            if isinstance(message["content"], list)
            for block in message["content"]
        ]
        return ["\n".join(_texts(block.get("content", ""))) for block in blocks if block.get("type") == "tool_result"]

    def _next(self, asked: dict[str, Any]) -> Said:
        with self._lock:
            if not asked.get("tools"):
                return _ASIDE
            turn = self.turns[len(self.seen)] if len(self.seen) < len(self.turns) else "The script has ended."
            self.seen.append(asked)
            return turn


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        yield from _texts([value[name] for name in ("text", "content") if name in value])
    elif isinstance(value, list):
        for each in value:
            yield from _texts(each)


@contextmanager
def scripted_api(turns: Sequence[Said]) -> Iterator[ScriptedApi]:
    """Serve a model that says what is written, until the context ends.

    Args:
        turns: What it says, one after another.

    Yields:
        The model, with its address and what it was asked.

    Example:
        with scripted_api([[("load_skill", {"skill": "minutes"})], "done"]) as model:
            print(model.url)
    """
    api = ScriptedApi("", list(turns))

    class Handler(_Handler):
        model = api

    service = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    service.daemon_threads = True
    api.url = f"http://127.0.0.1:{service.server_port}"
    thread = threading.Thread(target=service.serve_forever, daemon=True)
    thread.start()
    try:
        yield api
    finally:
        service.shutdown()
        service.server_close()
        thread.join()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    model: ScriptedApi

    def log_message(self, *_: Any) -> None:
        """Say nothing."""

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers.get("content-length", 0))) or b"{}")
        path = self.path.split("?")[0]
        if path.endswith("/count_tokens"):
            self._send("application/json", json.dumps({"input_tokens": 1}).encode())
        elif path.endswith("/v1/messages"):
            message = _message(self.model._next(asked), str(asked.get("model", "")), len(self.model.seen))
            if asked.get("stream"):
                self._send("text/event-stream", b"".join(_events(message)))
            else:
                self._send("application/json", json.dumps(message).encode())
        else:
            self._send("application/json", b"{}", 404)

    def do_GET(self) -> None:
        self._send("application/json", b"{}", 404)

    def _send(self, kind: str, body: bytes, status: int = 200) -> None:
        self.send_response(status)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def _message(said: Said, model: str, turn: int) -> dict[str, Any]:
    content: list[dict[str, Any]]
    if isinstance(said, str):
        content = [{"type": "text", "text": said}]
    else:
        content = [
            {"type": "tool_use", "id": f"toolu_{turn}_{at}", "name": name, "input": given}
            for at, (name, given) in enumerate(said)
        ]
    return {
        "id": f"msg_{turn}",
        "type": "message",
        "role": "assistant",
        "model": model,
        "content": content,
        "stop_reason": "end_turn" if isinstance(said, str) else "tool_use",
        "stop_sequence": None,
        "usage": {"input_tokens": 1, "output_tokens": 1},
    }


def _events(message: dict[str, Any]) -> Iterator[bytes]:
    yield _event("message_start", {"message": {**message, "content": [], "stop_reason": None}})
    for index, block in enumerate(message["content"]):
        if block["type"] == "text":
            begin, delta = {**block, "text": ""}, {"type": "text_delta", "text": block["text"]}
        else:
            begin = {**block, "input": {}}
            delta = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
        yield _event("content_block_start", {"index": index, "content_block": begin})
        yield _event("content_block_delta", {"index": index, "delta": delta})
        yield _event("content_block_stop", {"index": index})
    ended = {"stop_reason": message["stop_reason"], "stop_sequence": None}
    yield _event("message_delta", {"delta": ended, "usage": {"output_tokens": 1}})
    yield _event("message_stop", {})


def _event(name: str, members: dict[str, Any]) -> bytes:
    return f"event: {name}\ndata: {json.dumps({'type': name, **members})}\n\n".encode()

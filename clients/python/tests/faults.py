"""A service behind a door that fails: it answers for the service, or hangs up, as often as a test says."""

from __future__ import annotations

import json
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import httpx

from skillmount.testing import Server

HTML = "<html>no such luck</html>"


@dataclass
class Door:
    """What stands before a service."""

    url: str = ""
    faults: dict[str, list[int]] = field(default_factory=dict)
    """For the last part of an address, the statuses that the next calls are answered with."""
    asked: Counter[str] = field(default_factory=Counter)
    """How often each was asked for."""


@contextmanager
def door(service: Server) -> Iterator[Door]:
    """Stand before a service.

    A fault of status 503 or 429 is the service's own and says that nothing was changed. 502 and 504 are a proxy's HTML.
    """
    standing = Door()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            body = self.rfile.read(int(self.headers.get("content-length", 0)))
            name = self.path.partition("?")[0].rsplit("/", 1)[-1]
            standing.asked[name] += 1
            faults = standing.faults.get(name)
            if faults:
                self._fail(faults.pop(0))
                return
            head = {key: value for key, value in self.headers.items() if key.lower() != "host"}
            answer = httpx.request(self.command, service.url + self.path, content=body, headers=head, trust_env=False)
            kept = {k: v for k, v in answer.headers.items() if k.startswith(("x-", "etag", "content-type"))}
            self._send(answer.status_code, kept, answer.content)

        do_POST = do_PUT = do_GET  # noqa: N815 - names of the library

        def _fail(self, status: int) -> None:
            if status in (502, 504):
                self._send(status, {"content-type": "text/html"}, HTML.encode())
                return
            code = {429: "rate_limited", 503: "store_unavailable", 403: "tool_blocked"}[status]
            problem = {
                "code": code, "detail": "no", "retryable": status != 403, "outcome": "not_applied", "status": status,
            }  # fmt: skip
            self._send(status, {"content-type": "application/problem+json"}, json.dumps(problem).encode())

        def _send(self, status: int, head: dict[str, str], body: bytes) -> None:
            self.send_response(status)
            for name, value in head.items():
                self.send_header(name, value)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: Any) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as running:
        running.daemon_threads = True
        standing.url = f"http://127.0.0.1:{running.server_port}"
        thread = threading.Thread(target=running.serve_forever, daemon=True)
        thread.start()
        try:
            yield standing
        finally:
            running.shutdown()
            thread.join()

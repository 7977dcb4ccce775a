"""What the generator makes of a contract that has more than the present one."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path
from typing import Any

SCRIPT = Path(__file__).parent.parent / "scripts" / "generate.py"


def _generator() -> Any:
    spec = importlib.util.spec_from_file_location("generate", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _made(operation: dict[str, Any], method: str = "get") -> str:
    document = {"paths": {"/v1/users/{user}/x": {method: operation}}, "components": {"parameters": {}}}
    made: str = _generator().operations(document)
    compile(made, "operations.py", "exec")
    return made


def _reply(kind: str, schema: dict[str, Any] | None = None) -> dict[str, Any]:
    return {"200": {"content": {kind: {"schema": schema or {}}}}}


USER = {"name": "user", "in": "path", "required": True, "schema": {"type": "string"}}


def test_a_parameter_may_have_the_name_of_a_keyword() -> None:
    parameter = {"name": "from", "in": "query", "schema": {"type": "string"}}
    made = _made({"operationId": "diff", "parameters": [USER, parameter], "responses": _reply("text/plain")})
    assert "from_: str | None = None" in made
    assert '"from": from_' in made


def test_the_contract_in_the_repository_is_enough_to_generate_from() -> None:
    command = [sys.executable, str(SCRIPT), "--check"]
    made = subprocess.run(command, capture_output=True, text=True, check=False)
    assert made.returncode == 0, made.stdout + made.stderr


def test_what_blocks_is_made_of_what_is_awaited() -> None:
    awaited = """class AsyncX(AsyncY):
    async def all(self) -> AsyncIterator[int]:
        async with self.lock, AsyncClient() as other:
            async for each in other.numbers((await self.first()).value, f(await g(1))):
                yield (await h((1, 2)))[0]
        await asyncio.sleep(1)
        await other.aclose()
"""
    assert (
        _generator().blocking(awaited, "x.py").partition("\n")[2]
        == """class X(Y):
    def all(self) -> Iterator[int]:
        with self.lock, Client() as other:
            for each in other.numbers(self.first().value, f(g(1))):
                yield h((1, 2))[0]
        time.sleep(1)
        other.close()
"""
    )


def test_what_is_a_stream_is_no_call() -> None:
    made = _made({"operationId": "listen", "parameters": [USER], "responses": _reply("text/event-stream")})
    assert "def listen" not in made


def test_json_without_a_model_is_bytes() -> None:
    body = {"content": {"application/json": {"schema": {"type": "array"}}}}
    operation = {"operationId": "x", "parameters": [USER], "requestBody": body}
    made = _made({**operation, "responses": _reply("application/json", {"type": "object"})}, "post")
    assert "body: bytes" in made
    assert "Call[bytes]" in made
    assert 'binary="application/json"' in made

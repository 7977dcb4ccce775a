"""The table of clauses, on our backend in three places, with deepagents' own file-system backend as the judge."""

from __future__ import annotations

import asyncio
import dataclasses
import uuid
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from clauses import CLAUSES, SAME, Clause
from deepagents.backends import CompositeBackend, FilesystemBackend
from deepagents.backends.protocol import BackendProtocol
from deepagents.backends.utils import _EXTENSION_TO_FILE_TYPE, _VIDEO_EXTRA_EXTENSIONS

from conftest import program
from skillmount.deepagents import SkillmountBackend
from skillmount.deepagents.texts import BINARY
from skillmount.testing import Server, server

# Where the files are: the path of their folder, ours there, and the judge there.
Place = tuple[str, Callable[[Server], BackendProtocol], Callable[[Path], BackendProtocol]]


def _ours(server: Server, root: str) -> SkillmountBackend:
    return SkillmountBackend.fixed("clauses", uuid.uuid4().hex, server.url, root=root)


def _judge(folder: Path) -> BackendProtocol:
    folder.mkdir(parents=True, exist_ok=True)
    return FilesystemBackend(root_dir=folder, virtual_mode=True)


def _judge_of_tree(folder: Path) -> BackendProtocol:
    (folder / "workspace").mkdir()
    return _judge(folder)


PLACES: dict[str, Place] = {
    "at /workspace": ("", lambda server: _ours(server, "/workspace"), _judge),
    "in the whole tree": ("/workspace", lambda server: _ours(server, "/"), _judge_of_tree),
    "behind a CompositeBackend": (
        "/files",
        lambda server: CompositeBackend(_ours(server, "/"), {"/files/": _ours(server, "/workspace")}),
        lambda folder: CompositeBackend(_judge(folder / "default"), {"/files/": _judge(folder / "files")}),
    ),
}


class Awaited:
    """A backend whose awaited operations are called, each in an event loop of its own."""

    def __init__(self, backend: BackendProtocol) -> None:
        self._backend = backend

    def __getattr__(self, name: str) -> Any:
        operation = getattr(self._backend, f"a{name}")
        return lambda *given, **named: asyncio.run(operation(*given, **named))


def plain(value: Any) -> Any:
    """A result without times."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: plain(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if isinstance(value, dict):
        return {name: plain(each) for name, each in value.items() if name != "modified_at"}
    if isinstance(value, list | tuple):
        return [plain(each) for each in value]
    return value


def placed(value: Any, prefix: str) -> Any:
    """A result with the paths of a place."""
    if isinstance(value, dict):
        return {name: placed(each, prefix) for name, each in value.items()}
    if isinstance(value, list):
        return [placed(each, prefix) for each in value]
    return value.replace("{p}", prefix) if isinstance(value, str) else value


def by_path(value: Any) -> Any:
    """Hits by path and line: the order of files is the search's own."""
    if isinstance(value, dict) and isinstance(value.get("matches"), list):
        ordered = sorted(value["matches"], key=lambda match: (match["path"], match.get("line", 0)))
        return {**value, "matches": ordered}
    return value


def answer(clause: Clause, backend: Any, prefix: str) -> Any:
    contents = {name: text.encode() if isinstance(text, str) else text for name, text in clause.files.items()}
    stored = backend.upload_files([(f"{prefix}/{name}", content) for name, content in contents.items()])
    assert [each.error for each in stored] == [None] * len(contents)
    try:
        return by_path(plain(clause.act(backend, prefix)))
    except ValueError as error:
        return f"ValueError {error}"


@pytest.fixture(autouse=True)
def _judge_without_ripgrep(monkeypatch: pytest.MonkeyPatch) -> None:
    # The judge searches otherwise on a machine that has ripgrep: hidden files are left out, and carriage returns stay.
    monkeypatch.setattr(FilesystemBackend, "_ripgrep_search", lambda *_, **__: (None, False))


@pytest.mark.parametrize("way", ["sync", "async"])
@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("clause", CLAUSES, ids=lambda clause: clause.name)
def test_a_clause_holds_as_in_the_judge(clause: Clause, place: str, way: str, service: Server, tmp_path: Path) -> None:
    prefix, make_ours, make_judge = PLACES[place]
    ours: Any = make_ours(service)
    said = answer(clause, Awaited(ours) if way == "async" else ours, prefix)
    judged = answer(clause, make_judge(tmp_path), prefix)
    if clause.differs is None:
        assert said == judged
        return
    assert clause.ours is not SAME
    assert said == placed(plain(clause.ours), prefix), clause.differs
    assert said != judged, "this difference is no more: list it no longer"


def test_binary_files_are_those_of_deepagents() -> None:
    assert (
        _VIDEO_EXTRA_EXTENSIONS | {name for name, kind in _EXTENSION_TO_FILE_TYPE.items() if kind != "text"} == BINARY
    )


def test_a_backend_can_be_a_key(service: Server) -> None:
    backend = _ours(service, "/")
    assert {backend: 1}[backend] == 1


def test_no_edit_of_many_threads_is_lost(service: Server) -> None:
    backend = _ours(service, "/workspace")
    backend.write("/count", "".join(f"<{number}>\n" for number in range(160)))
    with ThreadPoolExecutor(16) as pool:
        edits = [(f"<{number}>", f"[{number}]") for number in range(160)]
        results = list(pool.map(lambda edit: backend.edit("/count", *edit), edits))
    assert [result.error for result in results] == [None] * 160
    assert backend.download_files(["/count"])[0].content == b"".join(b"[%d]\n" % number for number in range(160))


def test_refusals_are_errors_in_results_and_nothing_is_raised() -> None:
    with server(program=program(), api_key="k" * 32) as locked:
        backend = SkillmountBackend.fixed("u", "s", locked.url, api_key="wrong")
        assert "key" in (backend.ls("/").error or "")
        assert "key" in (backend.read("/workspace/x").error or "")
        assert "key" in (backend.grep("x").error or "")
        assert "key" in (backend.glob("*").error or "")
        assert "key" in (backend.write("/workspace/x", "").error or "")
        assert "key" in (backend.edit("/workspace/x", "a", "b").error or "")
        assert "key" in (backend.delete("/workspace/x").error or "")
        assert backend.upload_files([("/workspace/x", b"")])[0].error == "permission_denied"
        assert backend.download_files(["/workspace/x"])[0].error == "permission_denied"

"""The operations of deepagents' `BackendProtocol` as steps in one session: what is asked, and the result it becomes."""

from __future__ import annotations

import base64
from collections.abc import Iterator, Sequence
from typing import Any

from deepagents.backends.protocol import (
    DeleteResult,
    EditResult,
    FileData,
    FileDownloadResponse,
    FileInfo,
    FileUploadResponse,
    GlobResult,
    GrepMatch,
    GrepResult,
    LsResult,
    ReadResult,
    WriteResult,
)
from deepagents.backends.utils import EMPTY_OLD_STRING_ERROR, check_empty_content

from .._generated import models, operations
from ..connection import Steps
from ..problem import SkillmountError
from . import texts
from .paths import Tree

MOST_MATCHES = 10_000
MOST_FILES = 1_000
MOST_BYTES = 32 << 20
MOST_VIDEO_BYTES = 1 << 30


class SessionSteps:
    """The operations on a part of what one session sees."""

    def __init__(self, tree: Tree, user: str, session: str) -> None:
        """Nothing is sent.

        Args:
            tree: The part that is `/`.
            user: Whose session it is.
            session: Its id.
        """
        self._tree = tree
        self._at = (user, session)

    def ls(self, path: str) -> Steps[LsResult]:
        """One level of a folder; folders end in `/`."""
        outer = self._tree.outer(path)
        try:
            reply: models.LsReply = yield operations.list_folder(*self._at, models.LsRequest(path=outer))
        except SkillmountError as error:
            if error.code == "file_not_found" and self._tree.inner(outer) == "/":
                return LsResult(entries=[])
            return LsResult(error=texts.not_listed(path, error))
        entries = [self._info(each.path, each.size, each.modified_at, is_dir=each.is_dir) for each in reply.entries]
        told = f"Listing of '{path}' is cut short: there are more entries than fit" if reply.truncated else None
        return LsResult(error=told, entries=sorted(entries, key=lambda entry: entry["path"]))

    def read(self, file_path: str, offset: int, limit: int) -> Steps[ReadResult]:
        """A window of a text file, or a whole binary one."""
        outer = self._tree.outer(file_path)
        offset, limit = max(int(offset), 0), max(int(limit), 0)
        try:
            if texts.extension(file_path) in texts.BINARY:
                return (yield from self._read_binary(outer))
            body = models.ReadRequest(file_path=outer, offset=offset, limit=limit)
            reply: models.ReadReply = yield operations.read_file(*self._at, body)
        except SkillmountError as error:
            return ReadResult(error=texts.not_read(file_path, offset, error))
        if reply.lossy:
            return ReadResult(error=f"Error reading file '{file_path}': it has bytes that are not UTF-8; download it")
        if reply.start_line is None or reply.end_line is None:
            if reply.size and not reply.content:
                return ReadResult(file_data=_text(""), no_lines_requested=True)
            return ReadResult(file_data=_text(check_empty_content(reply.content) or reply.content))
        return ReadResult(
            file_data=_text(reply.content.replace("\r\n", "\n")),
            total_lines=reply.total_lines,
            start_line=reply.start_line,
            end_line=reply.end_line,
            next_offset=reply.next_offset,
        )

    def _read_binary(self, outer: str) -> Steps[ReadResult]:
        if texts.extension(outer) in texts.VIDEOS:
            size: int = yield operations.head_file(*self._at, outer)
            if size > MOST_VIDEO_BYTES:
                return ReadResult(error=f"Video file exceeds maximum input size of {MOST_VIDEO_BYTES} bytes")
        content: bytes = yield operations.get_file(*self._at, outer)
        encoded = base64.standard_b64encode(content).decode("ascii")
        return ReadResult(file_data=FileData(content=encoded, encoding="base64"))

    def grep(self, pattern: str, path: str | None, glob: str | None, max_count: int | None) -> Steps[GrepResult]:
        """Lines that hold a text."""
        try:
            outer = self._tree.outer(path or "/")
        except ValueError:
            return GrepResult(matches=[])
        body = models.GrepRequest(
            pattern=pattern,
            path=outer,
            glob=glob,
            literal=True,
            max_count=MOST_MATCHES if max_count is None else min(max_count, MOST_MATCHES),
        )
        try:
            reply: models.GrepReply = yield operations.search_files(*self._at, body)
        except SkillmountError as error:
            return GrepResult(error=_refused_glob(glob, error), matches=[])
        found = [
            GrepMatch(path=self._tree.inner(match.path), line=match.line, text=match.text.removesuffix("\r"))
            for match in reply.matches or []
        ]
        return GrepResult(matches=found, truncated=reply.truncated)

    def glob(self, pattern: str, path: str | None) -> Steps[GlobResult]:
        """Files by name, by their paths."""
        try:
            outer = self._tree.outer(path or "/")
        except ValueError as error:
            return GlobResult(error=str(error), matches=[])
        try:
            body = models.GlobRequest(pattern=pattern, path=outer)
            reply: models.GlobReply = yield operations.find_files(*self._at, body)
        except SkillmountError as error:
            return GlobResult(error=_refused_glob(pattern, error), matches=None)
        # A file is no folder to look in.
        found = [] if any(match.path == outer for match in reply.matches) else reply.matches
        infos = [self._info(match.path, match.size, match.modified_at, is_dir=False) for match in found]
        return GlobResult(
            matches=sorted(infos, key=lambda entry: entry["path"]),
            truncated=reply.truncated,
            truncation_reason="budget" if reply.truncated else None,
        )

    def write(self, file_path: str, content: str) -> Steps[WriteResult]:
        """A text file, whatever was there."""
        body = models.WriteRequest(file_path=self._tree.outer(file_path), content=content, overwrite=True)
        try:
            yield operations.write_file(*self._at, body)
        except SkillmountError as error:
            return WriteResult(error=f"Error writing file '{file_path}': {error.detail}")
        return WriteResult(path=file_path)

    def edit(self, file_path: str, old: str, new: str, replace_all: bool) -> Steps[EditResult]:
        """Text in the place of other text.

        Line ends of the call match those of the file, whichever both have, and the file keeps its own.
        """
        outer = self._tree.outer(file_path)
        if not old:
            return EditResult(error=EMPTY_OLD_STRING_ERROR)
        if texts.extension(file_path) in texts.BINARY:
            return EditResult(error=texts.NO_EDIT_OF_BINARY)
        body = models.EditRequest(
            file_path=outer, old_string=old, new_string=new, replace_all=replace_all, newlines="file"
        )
        try:
            reply: models.EditReply = yield operations.edit_file(*self._at, body)
        except SkillmountError as error:
            failed = error
        else:
            return EditResult(path=file_path, occurrences=reply.occurrences)
        hint = (yield from self._end_of_file(outer, old)) if failed.code == "old_string_not_found" else None
        return EditResult(error=hint or texts.not_edited(file_path, old, failed))

    def _end_of_file(self, outer: str, old: str) -> Steps[str | None]:
        bare = old.removesuffix("\n")
        if bare == old or not bare:
            return None
        try:
            content: bytes = yield operations.get_file(*self._at, outer)
            text = content.decode().replace("\r\n", "\n")
        except (SkillmountError, UnicodeDecodeError):
            return None
        return texts.end_of_file_hint(text.count(bare)) if text.endswith(bare) else None

    def delete(self, file_path: str) -> Steps[DeleteResult]:
        """A file, or a folder and everything below it."""
        try:
            body = models.DeleteRequest(path=self._tree.outer(file_path))
            reply: models.DeleteReply = yield operations.delete_path(*self._at, body)
        except SkillmountError as error:
            if error.code == "file_not_found":
                return DeleteResult(error=f"Error: '{file_path}' not found")
            return DeleteResult(error=f"Error deleting '{file_path}': {error.detail}")
        if reply.failed:
            left = ", ".join(f"{self._tree.inner(each.path)} ({each.code})" for each in reply.failed[:10])
            return DeleteResult(
                error=f"Error deleting '{file_path}': not deleted: {left}; delete it again for the rest"
            )
        return DeleteResult(path=file_path)

    def upload(self, files: Sequence[tuple[str, bytes]]) -> Steps[list[FileUploadResponse]]:
        """Files with their bytes, each by itself."""
        results = [FileUploadResponse(path=path, error="invalid_path") for path, _ in files]
        known = [(at, outer, files[at][1]) for at, outer in self._known(path for path, _ in files)]
        for batch in _batches(known):
            try:
                named = [(outer, content) for _, outer, content in batch]
                reply: models.UploadReply = yield operations.upload_files(*self._at, named)
                codes = [file.error for file in reply.files]
            except SkillmountError as error:
                codes = [error.code] * len(batch)
            for (at, _, _), code in zip(batch, codes, strict=True):
                results[at].error = None if code is None else _code(code)
        return results

    def download(self, paths: Sequence[str]) -> Steps[list[FileDownloadResponse]]:
        """The bytes of files, each by itself."""
        results = [FileDownloadResponse(path=path, content=None, error="invalid_path") for path in paths]
        known = list(self._known(paths))
        for begin in range(0, len(known), MOST_FILES):
            batch = known[begin : begin + MOST_FILES]
            try:
                body = models.DownloadRequest(paths=[outer for _, outer in batch])
                reply: models.DownloadReply = yield operations.download_files(*self._at, body)
            except SkillmountError as error:
                for at, _ in batch:
                    results[at].error = _code(error.code)
                continue
            for (at, _), file in zip(batch, reply.files, strict=True):
                content = None if file.content is None else base64.b64decode(file.content)
                error_code = None if file.error is None else _code(file.error)
                results[at] = FileDownloadResponse(path=paths[at], content=content, error=error_code)
        return results

    def _known(self, paths: Sequence[str] | Iterator[str]) -> Iterator[tuple[int, str]]:
        for at, path in enumerate(paths):
            try:
                yield at, self._tree.outer(path)
            except ValueError:
                continue

    def _info(self, path: str, size: int, modified_at: Any, *, is_dir: bool) -> FileInfo:
        inner = self._tree.inner(path)
        info = FileInfo(path=inner.rstrip("/") + "/" if is_dir else inner, is_dir=is_dir, size=size)
        if modified_at is not None:
            info["modified_at"] = modified_at.isoformat()
        return info


def _text(content: str) -> FileData:
    return FileData(content=content, encoding="utf-8")


def _code(code: str) -> Any:
    # The protocol's type names four codes, and its documentation allows any other text.
    return texts.transfer_code(code)


def _refused_glob(glob: str | None, error: SkillmountError) -> str:
    if glob is not None and ".." in glob.replace("\\", "/").split("/"):
        return f"Path traversal not allowed in glob pattern {glob!r}"
    return error.detail


def _batches(files: list[tuple[int, str, bytes]]) -> Iterator[list[tuple[int, str, bytes]]]:
    batch: list[tuple[int, str, bytes]] = []
    size = 0
    for file in files:
        if batch and (len(batch) == MOST_FILES or size + len(file[2]) > MOST_BYTES):
            yield batch
            batch, size = [], 0
        batch.append(file)
        size += len(file[2])
    if batch:
        yield batch

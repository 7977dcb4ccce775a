"""`SkillmountBackend`: deepagents' files, per user and thread, in a skillmount service."""

from __future__ import annotations

from collections.abc import Callable
from typing import Self, TypeVar

from deepagents.backends.protocol import (
    BackendProtocol,
    DeleteResult,
    EditResult,
    FileDownloadResponse,
    FileUploadResponse,
    GlobResult,
    GrepResult,
    LsResult,
    ReadResult,
    WriteResult,
)

from ..approvals import approving
from ..connection import Connection, Steps, identified_by
from ..graph import Fixed, FromGraph, GraphSessions, IdentifyRun, node
from ..problem import MissingIdentity, SkillmountError
from ..retry import Retry
from ..settings import DEFAULT_TIMEOUT
from .paths import Tree
from .steps import SessionSteps

R = TypeVar("R")

_SKILLS_NODE = "SkillsMiddleware.before_agent"


class SkillmountBackend(BackendProtocol):
    """Files of the user and the thread of the running graph, so that one compiled agent serves every user.

    Errors are in the results, in deepagents' words. If the run names no user, every operation raises `MissingIdentity`.
    A deep copy has connections of its own and keeps the keys. A pickle holds no key: the copy takes those of the
    environment.

    Example:
        backend = SkillmountBackend("http://127.0.0.1:8787")
        middleware = [SkillmountMiddleware(backend)]
        agent = create_deep_agent(model="anthropic:claude-sonnet-4-6", backend=backend, middleware=middleware)
    """

    def __init__(
        self,
        server: str | None = None,
        *,
        api_key: str | None = None,
        control_key: str | None = None,
        root: str = "/",
        user_key: str = "user_id",
        session_key: str = "thread_id",
        identify: IdentifyRun | None = None,
        timeout: float = DEFAULT_TIMEOUT,
        retry: Retry | None = None,
        sessions: GraphSessions | None = None,
    ) -> None:
        """Connect to nothing yet.

        Args:
            server: Address of the service; `SKILLMOUNT_SERVER` or `http://127.0.0.1:8787` if absent.
            api_key: The key to show; `SKILLMOUNT_API_KEY` if absent.
            control_key: A key of scope `control` that posts the decisions that an interrupted graph is resumed with;
                `SKILLMOUNT_CONTROL_KEY` if absent.
            root: The folder that is `/`, such as `/workspace`; everything that a session sees if absent.
            user_key: The member of the run's context, or of its `configurable`, that is the user.
            session_key: The member of the run's `configurable` that is the session.
            identify: Maps a run to the ids of user and session in the service, such as for ids that it does not take.
                Both are those of the run if absent.
            timeout: Seconds that a call may wait for an answer, with its repetitions.
            retry: How often a call is repeated that may be; as `Retry()` says if absent.
            sessions: The sessions of another backend, which this one then shares with all of its settings but `root`.

        Raises:
            InvalidSettings: Address, key, timeout or proxy cannot be right. The message does not show the key.
        """
        self.sessions = sessions or GraphSessions(
            Connection(server, api_key=api_key, timeout=timeout, retry=retry),
            FromGraph(user_key, session_key, identify),
            control_key,
        )
        self._tree = Tree.below(root)

    @classmethod
    def fixed(
        cls,
        user: str,
        session: str,
        server: str | None = None,
        *,
        api_key: str | None = None,
        control_key: str | None = None,
        root: str = "/",
        timeout: float = DEFAULT_TIMEOUT,
        retry: Retry | None = None,
    ) -> Self:
        """A backend of one user and one session, whatever runs.

        Args:
            user: The user.
            session: The session.
            server: As in the constructor, and so are the arguments after it.
            api_key: As there.
            control_key: As there.
            root: As there.
            timeout: As there.
            retry: As there.

        Example:
            backend = SkillmountBackend.fixed("ana", "monday", "http://127.0.0.1:8787")
        """
        connection = Connection(server, api_key=api_key, timeout=timeout, retry=retry)
        return cls(root=root, sessions=GraphSessions(connection, Fixed(user, session), control_key))

    def at(self, root: str) -> Self:
        """This backend with another `root`, such as for a route of a `CompositeBackend`.

        Args:
            root: The folder that is `/`.

        Example:
            routes = {"/files/": backend.at("/workspace")}
        """
        return type(self)(root=root, sessions=self.sessions)

    def close(self) -> None:
        """Close the connections of calls that block, also of backends that share them. Later calls open others.

        Example:
            backend.close()
        """
        self.sessions.connection.close()

    async def aclose(self) -> None:
        """Close the connections of this event loop, and those of calls that block. Later calls open others.

        Example:
            await backend.aclose()
        """
        await self.sessions.connection.aclose()

    def _in_session(self, steps: Callable[[SessionSteps], Steps[R]]) -> Callable[[str, str], Steps[R]]:
        key, call_id = self.sessions.control_key, self.sessions.call_id()

        def in_session(user: str, session: str) -> Steps[R]:
            named = identified_by(call_id, steps(SessionSteps(self._tree, user, session)))
            return approving(user, session, key, named)

        return in_session

    def _run(self, steps: Callable[[SessionSteps], Steps[R]]) -> R:
        return self.sessions.run(self._in_session(steps))

    async def _arun(self, steps: Callable[[SessionSteps], Steps[R]]) -> R:
        return await self.sessions.arun(self._in_session(steps))

    def ls(self, path: str) -> LsResult:
        """List one level of a folder."""
        return _checked(path, self._run(lambda on: on.ls(path)))

    async def als(self, path: str) -> LsResult:
        """List one level of a folder."""
        return _checked(path, await self._arun(lambda on: on.ls(path)))

    def read(self, file_path: str, offset: int = 0, limit: int = 2000) -> ReadResult:
        """Read a window of lines, or a binary file whole."""
        return self._run(lambda on: on.read(file_path, offset, limit))

    async def aread(self, file_path: str, offset: int = 0, limit: int = 2000) -> ReadResult:
        """Read a window of lines, or a binary file whole."""
        return await self._arun(lambda on: on.read(file_path, offset, limit))

    def grep(
        self, pattern: str, path: str | None = None, glob: str | None = None, *, max_count: int | None = None
    ) -> GrepResult:
        """Search for plain text."""
        return self._run(lambda on: on.grep(pattern, path, glob, max_count))

    async def agrep(
        self, pattern: str, path: str | None = None, glob: str | None = None, *, max_count: int | None = None
    ) -> GrepResult:
        """Search for plain text."""
        return await self._arun(lambda on: on.grep(pattern, path, glob, max_count))

    def glob(self, pattern: str, path: str | None = None) -> GlobResult:
        """Find files by name."""
        return self._run(lambda on: on.glob(pattern, path))

    async def aglob(self, pattern: str, path: str | None = None) -> GlobResult:
        """Find files by name."""
        return await self._arun(lambda on: on.glob(pattern, path))

    def write(self, file_path: str, content: str) -> WriteResult:
        """Make or replace a text file."""
        return self._run(lambda on: on.write(file_path, content))

    async def awrite(self, file_path: str, content: str) -> WriteResult:
        """Make or replace a text file."""
        return await self._arun(lambda on: on.write(file_path, content))

    def edit(
        self,
        file_path: str,
        old_string: str,
        new_string: str,
        replace_all: bool = False,
    ) -> EditResult:
        """Replace exact text; of concurrent edits none is lost."""
        return self._run(lambda on: on.edit(file_path, old_string, new_string, replace_all))

    async def aedit(
        self,
        file_path: str,
        old_string: str,
        new_string: str,
        replace_all: bool = False,
    ) -> EditResult:
        """Replace exact text; of concurrent edits none is lost."""
        return await self._arun(lambda on: on.edit(file_path, old_string, new_string, replace_all))

    def delete(self, file_path: str) -> DeleteResult:
        """Delete a file, or a folder and everything below it."""
        return self._run(lambda on: on.delete(file_path))

    async def adelete(self, file_path: str) -> DeleteResult:
        """Delete a file, or a folder and everything below it."""
        return await self._arun(lambda on: on.delete(file_path))

    def upload_files(self, files: list[tuple[str, bytes]]) -> list[FileUploadResponse]:
        """Store files, each by itself."""
        return self._run(lambda on: on.upload(files))

    async def aupload_files(self, files: list[tuple[str, bytes]]) -> list[FileUploadResponse]:
        """Store files, each by itself."""
        return await self._arun(lambda on: on.upload(files))

    def download_files(self, paths: list[str]) -> list[FileDownloadResponse]:
        """The bytes of files, each by itself."""
        return self._run(lambda on: on.download(paths))

    async def adownload_files(self, paths: list[str]) -> list[FileDownloadResponse]:
        """The bytes of files, each by itself."""
        return await self._arun(lambda on: on.download(paths))


class SkillsSourceUnavailable(SkillmountError):
    """deepagents' own `skills=[...]` was pointed at skills that a session sees only once they are loaded."""

    code = "skills_source_unavailable"


def _checked(path: str, listed: LsResult) -> LsResult:
    # deepagents' own skills middleware would go on without skills and say so to the model alone.
    if listed.entries is None and node().startswith(_SKILLS_NODE):
        raise SkillsSourceUnavailable(
            f"skills=[{path!r}] finds no skills: a session sees a skill below /skills only once it is loaded. Give "
            "create_deep_agent middleware=[SkillmountMiddleware(backend)] in place of skills=…, or set the policy "
            "`visibility: all`, with which skills=['/skills/'] works"
        )
    return listed


__all__ = ["MissingIdentity", "SkillmountBackend", "SkillsSourceUnavailable"]

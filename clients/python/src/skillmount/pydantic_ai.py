"""skillmount for Pydantic AI: `SkillmountSkills`, a user's skills as a capability, and `SkillmountWorkspace`, files.

Needs `pip install skillmount[pydantic-ai]`.
"""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from pydantic_ai import RunContext, Tool
from pydantic_ai.capabilities import AbstractCapability
from pydantic_ai.exceptions import ModelRetry
from pydantic_ai.messages import WorkspaceRef
from pydantic_ai.tools import ToolDefinition
from pydantic_ai.toolsets import AbstractToolset, FunctionToolset
from pydantic_ai.workspaces import FileEntry, WorkspaceUnavailableError

from ._generated import models, operations
from ._generated.tools import TOOLS
from .client import AsyncClient
from .problem import SkillmountError
from .prompt import PromptMode

D = TypeVar("D")

PROVIDER = "skillmount"
SKILL_TOOLS = ("discover_skills", "load_skill", "Skill", "unload_skill")

_PATH_ERRORS: dict[str, type[OSError]] = {
    "file_not_found": FileNotFoundError,
    "is_a_directory": IsADirectoryError,
    "not_a_directory": NotADirectoryError,
    "already_exists": FileExistsError,
    "read_only": PermissionError,
    "plan_mode": PermissionError,
    "tool_blocked": PermissionError,
    "denied": PermissionError,
    "approval_required": PermissionError,
}


class SkillmountSkills(AbstractCapability[D]):
    """The skills of the user of a run: the prompt before each request to the model, and the tools to load them."""

    def __init__(
        self,
        identify: Callable[[RunContext[D]], tuple[str, str]],
        client: AsyncClient | None = None,
        *,
        mode: PromptMode | None = None,
        tools: Iterable[str] = SKILL_TOOLS,
    ) -> None:
        """Nothing is sent.

        Args:
            identify: The user and the session of a run, such as `lambda ctx: (ctx.deps.user, ctx.deps.chat)`.
            client: What sends the calls; one of `SKILLMOUNT_SERVER` if absent.
            mode: How the prompt presents skills; as the policy says if absent.
            tools: Which tools of the service the model has; `skillmount.pydantic_ai.TOOLS` has all of them.
        """
        self._identify = identify
        self._client = client or AsyncClient()
        self._mode = mode
        self._names = tuple(tools)

    def get_instructions(self) -> Any:
        """The prompt, asked for before each request to the model."""

        async def prompt(ctx: RunContext[D]) -> str:
            user, session = self._identify(ctx)
            return (await self._client.session(user, session).prompt(mode=self._mode)).prompt

        return prompt

    def get_toolset(self) -> AbstractToolset[D]:
        """The tools, which answer as the service writes for models. They run one after another, since one may load.

        Before each request to the model the service is asked which of them the session may use now.
        """

        async def prepare(ctx: RunContext[D], defined: list[ToolDefinition]) -> list[ToolDefinition]:
            user, session = self._identify(ctx)
            reply = await self._client.send(operations.list_tools(user, session, mode=self._mode))
            listed = {tool["name"]: tool for tool in reply.model_dump(mode="json")["tools"]}
            return [
                replace(
                    tool,
                    description=listed[tool.name]["description"],
                    parameters_json_schema=listed[tool.name]["input_schema"],
                )
                for tool in defined
                if tool.name in listed
            ]

        return FunctionToolset([self._tool(name) for name in self._names]).prepared(prepare)

    def _tool(self, name: str) -> Tool[D]:
        async def run(ctx: RunContext[D], **given: Any) -> str:
            user, session = self._identify(ctx)
            block = {"type": "tool_use", "id": "call", "name": name, "input": given}
            try:
                (result,) = await self._client.session(user, session).tool_calls([block], mode=self._mode)
            except SkillmountError as error:
                raise ModelRetry(f"Error: {error.detail}") from error
            text = result["content"]
            return text if isinstance(text, str) else "\n".join(part.get("text", "") for part in text)

        definition = TOOLS[name]
        return Tool.from_schema(
            run,
            name=name,
            description=definition["description"],
            json_schema=definition["input_schema"],
            takes_ctx=True,
            sequential=True,
        )


class SkillmountWorkspace:
    """The files of one user and session, as Pydantic AI's `WorkspaceBackend` with files and without commands.

    An object store has no empty folders, so those that `make_dir` makes are known to this object alone.
    """

    def __init__(
        self,
        user: str | None = None,
        session: str | None = None,
        *,
        ref: WorkspaceRef | None = None,
        client: AsyncClient | None = None,
        working_dir: str = "/workspace",
    ) -> None:
        """Nothing is sent.

        Args:
            user: Whose files they are.
            session: In which session.
            ref: Both, from another workspace of this class.
            client: What sends the calls; one of `SKILLMOUNT_SERVER` if absent.
            working_dir: Where relative paths begin.

        Raises:
            ValueError: There is neither a user with a session nor a `ref` of this class.
        """
        if ref is not None and ref.provider == PROVIDER:
            user, _, session = ref.id.partition("/")
        if not user or not session:
            raise ValueError("give a user and a session, or the ref of another SkillmountWorkspace")
        self._ref = WorkspaceRef(provider=PROVIDER, id=f"{user}/{session}")
        self._session = (client or AsyncClient()).session(user, session)
        self._working_dir = posixpath.normpath(working_dir)
        self._made = {self._working_dir}

    @property
    def ref(self) -> WorkspaceRef:
        """The user and the session."""
        return self._ref

    async def working_dir(self) -> str:
        """Where relative paths begin."""
        return self._working_dir

    async def read_bytes(self, path: str) -> bytes:
        """The bytes of a file."""
        try:
            return await self._session.get(path)
        except SkillmountError as error:
            if error.code == "file_not_found" and await self._is_dir(path):
                raise IsADirectoryError(path) from error
            raise _as_builtin(error, path) from error

    async def write_bytes(self, path: str, data: bytes) -> None:
        """Store bytes, replacing what is there."""
        if path in self._made:
            raise IsADirectoryError(path)
        try:
            await self._session.put(path, data)
        except SkillmountError as error:
            raise _as_builtin(error, path) from error

    async def stat(self, path: str) -> FileEntry:
        """What is at a path."""
        name = posixpath.basename(path)
        if path not in self._made:
            # One listing answers for a file and for a folder, which a request for the file would not.
            for entry in await self._list(posixpath.dirname(path)):
                if entry.path == path:
                    return _entry(entry)
            if path != "/":
                raise FileNotFoundError(path)
        return FileEntry(name=name, path=path, is_dir=True, size=None)

    async def list_dir(self, path: str) -> Sequence[FileEntry]:
        """One level of a folder."""
        known = path in self._made
        try:
            listed = (await self._session.ls(path)).entries
        except SkillmountError as error:
            if not (known and error.code == "file_not_found"):
                raise _as_builtin(error, path) from error
            listed = []
        entries = {each.path: _entry(each) for each in listed}
        for made in self._made:
            if posixpath.dirname(made) == path and made != path and made not in entries:
                entries[made] = FileEntry(name=posixpath.basename(made), path=made, is_dir=True, size=None)
        return [entries[each] for each in sorted(entries)]

    async def make_dir(self, path: str) -> None:
        """Make a folder and those above it."""
        above = path
        while above not in self._made and above != "/":
            try:
                if not (await self.stat(above)).is_dir:
                    raise FileExistsError(path) if above == path else NotADirectoryError(path)
                break
            except FileNotFoundError:
                above = posixpath.dirname(above)
        while path not in (above, "/"):
            self._made.add(path)
            path = posixpath.dirname(path)

    async def remove(self, path: str) -> None:
        """Delete a file, or a folder and everything in it."""
        if posixpath.commonpath([path, self._working_dir]) == path:
            raise ValueError(f"{path} holds the working directory and stays")
        made = {each for each in self._made if each == path or each.startswith(f"{path}/")}
        self._made -= made
        try:
            reply = await self._session.delete(path)
        except SkillmountError as error:
            if not (made and error.code == "file_not_found"):
                raise _as_builtin(error, path) from error
            return
        if reply.failed:
            raise OSError(f"{len(reply.failed)} files below {path} were not deleted; delete it again for the rest")

    async def exists(self, path: str) -> bool:
        """Whether a file or a folder is at a path."""
        try:
            await self.stat(path)
        except (FileNotFoundError, NotADirectoryError):
            return False
        return True

    async def _is_dir(self, path: str) -> bool:
        return path in self._made or bool(await self._list(path))

    async def _list(self, path: str) -> list[models.FileEntry]:
        try:
            return (await self._session.ls(path)).entries
        except SkillmountError as error:
            if error.code == "file_not_found":
                return []
            raise _as_builtin(error, path) from error


def _entry(entry: models.FileEntry) -> FileEntry:
    size = None if entry.is_dir else entry.size
    return FileEntry(name=posixpath.basename(entry.path), path=entry.path, is_dir=entry.is_dir, size=size)


def _as_builtin(error: SkillmountError, path: str) -> Exception:
    kind = _PATH_ERRORS.get(error.code)
    if kind is not None:
        return kind(error.detail)
    if error.code == "invalid_path":
        return ValueError(error.detail)
    if error.code in ("unauthenticated", "session_not_found"):
        return WorkspaceUnavailableError(f"{path}: {error.detail}")
    return error

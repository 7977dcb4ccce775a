"""skillmount for Pydantic AI: `SkillmountSkills`, a user's skills as a capability, and `SkillmountWorkspace`, files.

Needs the extra `pydantic-ai`.
"""

from __future__ import annotations

import posixpath
from collections.abc import Awaitable, Callable, Iterable, Sequence
from typing import Any, TypeVar

from ._generated import models
from ._generated.tools import TOOLS
from .client import AsyncClient
from .extras import missing
from .limits import DEFAULT_TIMEOUT, check_timeout, within
from .problem import SkillmountError
from .session_tools import SKILL_TOOLS, Approve, PromptMode, SessionTools, tool_names

try:
    from pydantic_ai import RunContext
    from pydantic_ai.capabilities import AbstractCapability, durable_operation
    from pydantic_ai.exceptions import ToolFailed
    from pydantic_ai.messages import WorkspaceRef
    from pydantic_ai.tools import ToolDefinition
    from pydantic_ai.toolsets import AbstractToolset, DynamicToolset, ToolsetTool
    from pydantic_ai.workspaces import FileEntry, WorkspaceUnavailableError
    from pydantic_core import SchemaValidator, core_schema
except ImportError as cause:
    raise missing("pydantic-ai", cause) from cause

D = TypeVar("D")
T = TypeVar("T")

PROVIDER = "skillmount"

__all__ = ["PROVIDER", "SKILL_TOOLS", "TOOLS", "SkillmountSkills", "SkillmountToolset", "SkillmountWorkspace"]

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
# The service checks the input, and says in words what is wrong with it.
_ANY_INPUT = SchemaValidator(core_schema.dict_schema(core_schema.str_schema(), core_schema.any_schema()))


class SkillmountSkills(AbstractCapability[D]):
    """The skills of the user of a run: the prompt before each request to the model, and the tools to load them.

    Example:
        `Agent(model, deps_type=Chat, capabilities=[SkillmountSkills(lambda ctx: (ctx.deps.user, ctx.deps.id))])`
    """

    def __init__(
        self,
        identify: tuple[str, str] | Callable[[RunContext[D]], tuple[str, str]],
        client: AsyncClient | None = None,
        *,
        mode: PromptMode | None = None,
        tools: Iterable[str] = tuple(TOOLS),
        timeout: float = DEFAULT_TIMEOUT,
        approve: Approve | None = None,
        control_key: str | None = None,
        id: str = PROVIDER,  # noqa: A002 - the name in Pydantic AI
    ) -> None:
        """Nothing is sent.

        Args:
            identify: The user and the session, or a function of the run that returns them, such as
                `lambda ctx: (ctx.deps.user, ctx.deps.chat)`.
            client: What sends the calls; one of `SKILLMOUNT_SERVER` if absent, which `aclose` closes.
            mode: How the prompt presents skills; as the policy says if absent.
            tools: Which tools of the service the model has, if the session may use them; all if absent. `SKILL_TOOLS`
                are those for skills alone.
            timeout: Seconds that a prompt or a call may take, repetitions included; 30 by default.
            approve: Asks a person about a call that waits for approval. If absent, the model reads that it waits.
            control_key: A key of scope `control`, which reads what waits and posts decisions. `approve` needs it.
                `SKILLMOUNT_CONTROL_KEY` if absent.
            id: The id of the capability and of its toolset, which durable execution needs. Two in one agent need two.

        Raises:
            ValueError: There is `approve` without `control_key`, or the timeout is not positive.
            InvalidSettings: The service has no tool of a name in `tools`.
        """
        self.id = id
        self._session = SessionTools[RunContext[D]](
            identify, client, mode=mode, timeout=timeout, approve=approve, control_key=control_key
        )
        self._offered = SkillmountToolset(self._session, tools)
        # In a durable run the tools of a toolset that is asked for anew in each step are listed and called outside of
        # the workflow.
        self._toolset = DynamicToolset[D](self._offer, id=id)

    def get_instructions(self) -> Any:
        """The prompt, asked for before each request to the model."""
        return self.prompt

    @durable_operation(name="prompt")
    async def prompt(self, ctx: RunContext[D]) -> str:
        """The prompt of now. If the service is away, it is that of the last turn.

        Raises:
            SkillmountError: The service refuses it, or it is away and there was no turn before.
        """
        return await self._session.prompt(ctx)

    def get_toolset(self) -> AbstractToolset[D]:
        """The tools, which answer as the service writes for models."""
        return self._toolset

    async def aclose(self) -> None:
        """Close the connections of this event loop, unless the client is the caller's."""
        await self._session.aclose()

    def _offer(self, _: RunContext[D]) -> AbstractToolset[D]:
        return self._offered


class SkillmountToolset(AbstractToolset[D]):
    """Tools of the service. Before each request to the model the service says which the session may use now."""

    def __init__(self, session: SessionTools[RunContext[D]], names: Iterable[str]) -> None:
        """Nothing is sent.

        Args:
            session: What makes the calls.
            names: The tools to offer, if the session may use them.

        Raises:
            InvalidSettings: The service has no tool of such a name.
        """
        self._session = session
        self._names = tool_names(names)

    @property
    def id(self) -> None:
        """None: the capability's toolset around it has one."""
        return None

    async def get_tools(self, ctx: RunContext[D]) -> dict[str, ToolsetTool[D]]:
        """The tools that the session may use now. They run one after another: one may load what the next reads."""
        listed = await self._session.tools(ctx)
        return {name: self._tool(name, listed[name], ctx.max_retries) for name in self._names if name in listed}

    def _tool(self, name: str, listed: Any, max_retries: int) -> ToolsetTool[D]:
        definition = ToolDefinition(
            name=name,
            description=listed["description"],
            parameters_json_schema=listed["input_schema"],
            sequential=True,
        )
        return ToolsetTool(toolset=self, tool_def=definition, max_retries=max_retries, args_validator=_ANY_INPUT)

    async def call_tool(self, name: str, tool_args: dict[str, Any], ctx: RunContext[D], tool: ToolsetTool[D]) -> str:
        """Run a call.

        Raises:
            ToolFailed: The call failed. The model reads why, and the run goes on.
        """
        answer = await self._session.run(ctx, name, tool_args, ctx.tool_call_id)
        if answer.failed:
            raise ToolFailed(answer.text)
        return answer.text


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
        timeout: float = DEFAULT_TIMEOUT,
    ) -> None:
        """Nothing is sent.

        Args:
            user: Whose files they are.
            session: In which session.
            ref: Both, from another workspace of this class.
            client: What sends the calls; one of `SKILLMOUNT_SERVER` if absent, which `aclose` closes.
            working_dir: Where relative paths begin.
            timeout: Seconds that a call may take, repetitions included; 30 by default.

        Raises:
            ValueError: There is no user with a session and no `ref` of this class, or the timeout is not positive.
        """
        if ref is not None and ref.provider == PROVIDER:
            user, _, session = ref.id.partition("/")
        if not user or not session:
            raise ValueError("give a user and a session, or the ref of another SkillmountWorkspace")
        self._ref = WorkspaceRef(provider=PROVIDER, id=f"{user}/{session}")
        self._timeout = check_timeout(timeout)
        self._owned = client is None
        self._session = (client or AsyncClient(timeout=timeout)).session(user, session)
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
            return await self._within(self._session.get(path))
        except SkillmountError as error:
            if error.code == "file_not_found" and await self._is_dir(path):
                raise IsADirectoryError(path) from error
            raise _as_builtin(error, path) from error

    async def write_bytes(self, path: str, data: bytes) -> None:
        """Store bytes, replacing what is there."""
        if path in self._made:
            raise IsADirectoryError(path)
        try:
            await self._within(self._session.put(path, data))
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
            listed = (await self._within(self._session.ls(path))).entries
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
            reply = await self._within(self._session.delete(path))
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

    async def aclose(self) -> None:
        """Close the connections of this event loop, unless the client is the caller's."""
        if self._owned:
            await self._session.client.aclose()

    async def _within(self, work: Awaitable[T]) -> T:
        return await within(self._session.client, self._timeout, work)

    async def _is_dir(self, path: str) -> bool:
        return path in self._made or bool(await self._list(path))

    async def _list(self, path: str) -> list[models.FileEntry]:
        try:
            return (await self._within(self._session.ls(path))).entries
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

"""skillmount for OpenAI's Agents SDK.

`SkillmountTools` gives an agent the skills and files of the user of its run. `SkillmountSkills` brings the skills of
one user into the sandbox of an agent. Needs the extra `openai-agents`.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import inspect
import io
import json
import posixpath
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, Generic, TypeVar

from pydantic import PrivateAttr

from ._generated import models
from ._generated.tools import TOOLS
from .catalog import Catalog
from .client import AsyncClient
from .extras import missing
from .limits import DEFAULT_TIMEOUT
from .names import short
from .problem import SkillmountError, Unreachable
from .session_tools import SKILL_TOOLS, Approve, PromptMode, SessionTools, Tools, tool_names

try:
    from agents import Agent, FunctionTool, RunContextWrapper
    from agents.sandbox.capabilities.skills import LazySkillSource, SkillMetadata, Skills
    from agents.sandbox.errors import WorkspaceReadNotFoundError
    from agents.sandbox.manifest import Manifest
    from agents.sandbox.session.base_sandbox_session import BaseSandboxSession
    from agents.sandbox.types import User
    from agents.tool_context import ToolContext
    from agents.tracing import SpanError, get_current_span
except ImportError as cause:
    raise missing("openai-agents", cause) from cause

__all__ = ["SKILL_TOOLS", "TOOLS", "SkillmountSkillSource", "SkillmountSkills", "SkillmountTools"]

T = TypeVar("T")

# A call that blocks may keep an event loop waiting for no longer.
_LOOP_SECONDS = 5.0
# What was listed so shortly ago is not listed again.
_FRESH_SECONDS = 1.0


class SkillmountTools(Generic[T]):
    """The skills and files of the user of a run: the prompt before each request to the model, and the tools.

    One object, and so one agent, serves every user.

    Example:
        `agent = SkillmountTools(identify).add_to(Agent(name="lawyer", instructions="You draft leases."))`
    """

    def __init__(
        self,
        identify: tuple[str, str] | Callable[[RunContextWrapper[T]], tuple[str, str]],
        client: AsyncClient | None = None,
        *,
        mode: PromptMode | None = None,
        tools: Iterable[str] = tuple(TOOLS),
        timeout: float = DEFAULT_TIMEOUT,
        approve: Approve | None = None,
        control_key: str | None = None,
    ) -> None:
        """Nothing is sent.

        Args:
            identify: The user and the session, or a function of the run's context that returns them, such as
                `lambda run: (run.context.user, run.context.chat)`.
            client: What sends the calls; one of `SKILLMOUNT_SERVER` if absent, which `aclose` closes.
            mode: How the prompt presents skills; as the policy says if absent.
            tools: Which tools of the service the model has, if the session may use them; all if absent. `SKILL_TOOLS`
                are those for skills alone.
            timeout: Seconds that a prompt or a call may take, repetitions included; 30 by default.
            approve: Asks a person about a call that waits for approval. If absent, the model reads that it waits.
            control_key: A key of scope `control`, which reads what waits and posts decisions. `approve` needs it.
                `SKILLMOUNT_CONTROL_KEY` if absent.

        Raises:
            ValueError: There is `approve` without `control_key`, or the timeout is not positive.
            InvalidSettings: The service has no tool of a name in `tools`.
        """
        self._session = SessionTools[RunContextWrapper[T]](
            identify, client, mode=mode, timeout=timeout, approve=approve, control_key=control_key
        )
        self._names = tool_names(tools)
        self._asking: dict[tuple[int, str, str], _Shared] = {}

    def __getstate__(self) -> dict[str, Any]:
        """Everything but what is being asked."""
        return {**self.__dict__, "_asking": {}}

    def add_to(self, agent: Agent[T]) -> Agent[T]:
        """A copy of an agent that has these tools, and the prompt after its own instructions.

        Args:
            agent: The agent, which stays as it is.

        Raises:
            ValueError: The agent has a tool of the name of one of these.
        """
        names = {tool.name for tool in agent.tools}
        if any(isinstance(one, Skills) and one.lazy_from is not None for one in getattr(agent, "capabilities", ())):
            names.add("load_skill")
        taken = names & set(self._names)
        if taken:
            raise ValueError(
                f"the agent has a tool {min(taken)!r}, and SkillmountTools has one of that name; rename the agent's, "
                "or leave the name out of the `tools` of SkillmountTools"
            )
        instructions = _Instructions(self._session, agent.instructions)
        return agent.clone(instructions=instructions.say, tools=[*agent.tools, *self.tools()])

    def tools(self) -> list[FunctionTool]:
        """The tools. Before each request to the model the service says which of them the session may use."""
        return [_Tool(self, name).of_sdk() for name in self._names]

    async def run(self, context: ToolContext[T], name: str, given: Mapping[str, Any]) -> str:
        """Run a call of the model; what the model reads. That of a call that failed is an error in the SDK's trace.

        Args:
            context: The SDK's context of the call.
            name: The tool.
            given: Its input.
        """
        answer = await self._session.run(context, name, given, context.tool_call_id)
        return _failed(answer.text) if answer.failed else answer.text

    async def listed(self, run: RunContextWrapper[T]) -> Tools:
        """The tools that the session may use now. The SDK asks for each tool, all at once, so they share an answer.

        Raises:
            SkillmountError: The service refuses them, or it is away and there was no turn before.
        """
        key = (id(asyncio.get_running_loop()), *self._session.place(run))
        shared = self._asking.get(key)
        if shared is None:
            shared = self._asking[key] = _Shared(asyncio.create_task(self._session.tools(run)))
            shared.task.add_done_callback(lambda _: self._asking.pop(key, None))
        return await shared.wait()

    async def aclose(self) -> None:
        """Close the connections of this event loop, unless the client is the caller's."""
        await self._session.aclose()


class _Tool(Generic[T]):
    """A tool of the service. The SDK is given its methods, so a copy of an agent has copies of all that is behind."""

    def __init__(self, tools: SkillmountTools[T], name: str) -> None:
        self._tools = tools
        self._name = name

    def of_sdk(self) -> FunctionTool:
        return FunctionTool(
            name=self._name,
            description=TOOLS[self._name]["description"],
            params_json_schema=TOOLS[self._name]["input_schema"],
            on_invoke_tool=self.run,
            # Optional members stay optional.
            strict_json_schema=False,
            is_enabled=self.is_enabled,
        )

    async def run(self, context: ToolContext[T], written: str) -> str:
        try:
            given = json.loads(written or "{}")
        except ValueError:
            given = None
        if not isinstance(given, dict):
            return _failed("Error: the arguments are no JSON object")
        return await self._tools.run(context, self._name, given)

    async def is_enabled(self, run: RunContextWrapper[T], _: Any) -> bool:
        return self._name in await self._tools.listed(run)


class _Instructions(Generic[T]):
    """An agent's own instructions, and after them the prompt of now."""

    def __init__(self, session: SessionTools[RunContextWrapper[T]], own: Any) -> None:
        self._session = session
        self._own = own

    async def say(self, run: RunContextWrapper[T], agent: Agent[T]) -> str:
        said = self._own(run, agent) if callable(self._own) else self._own
        if inspect.isawaitable(said):
            said = await said
        prompt = await self._session.prompt(run)
        return "\n\n".join(text for text in (said, prompt) if text)


class _Shared:
    """An answer that several wait for. It is given up with the last of them."""

    def __init__(self, task: asyncio.Task[Tools]) -> None:
        self.task = task
        self._waiting = 0

    async def wait(self) -> Tools:
        self._waiting += 1
        try:
            return await asyncio.shield(self.task)
        finally:
            self._waiting -= 1
            if not self._waiting and not self.task.done():
                self.task.cancel()


class SkillmountSkills(Skills):
    """The skills of one user in the sandbox of an agent: listed before each turn, and brought there when loaded.

    Example:
        `SandboxAgent(name="lawyer", capabilities=[Shell(), SkillmountSkills(SkillmountSkillSource("ana"))])`
    """

    def __init__(self, source: SkillmountSkillSource, **given: Any) -> None:
        """Nothing is sent.

        Args:
            source: The skills of a user.
            given: Further fields of the SDK's own class, such as `skills_path`.
        """
        super().__init__(lazy_from=source, **given)

    async def instructions(self, manifest: Manifest) -> str | None:
        """The list as it is now, without keeping the event loop waiting."""
        if isinstance(self.lazy_from, SkillmountSkillSource):
            await self.lazy_from.refresh()
        if self.session is not None:
            # The list that the SDK keeps begins anew.
            self.bind(self.session)
        return await super().instructions(manifest)


class SkillmountSkillSource(LazySkillSource):
    """The skills of one user: listed by name, and brought into the sandbox when the model loads them.

    The SDK tells a source nothing of who runs, so each user has one. In `SkillmountSkills` it is asked for the list
    without blocking. The SDK's own `Skills` asks in a call that blocks: an event loop waits for it, 5 seconds at most.
    """

    user: str
    """Whose skills they are."""
    server: str | None = None
    """The address of the service; that of `SKILLMOUNT_SERVER` if absent."""
    timeout: float = DEFAULT_TIMEOUT
    """Seconds that a list or a load may take, repetitions included."""
    _catalog: Catalog = PrivateAttr()
    _refreshed: float | None = PrivateAttr(default=None)

    def __init__(
        self,
        user: str,
        server: str | None = None,
        *,
        api_key: str | None = None,
        timeout: float = DEFAULT_TIMEOUT,
        **given: Any,
    ) -> None:
        """Nothing is sent.

        Args:
            user: Whose skills they are.
            server: The address of the service; that of `SKILLMOUNT_SERVER` if absent.
            api_key: The key; that of `SKILLMOUNT_API_KEY` if absent. It is not part of what the SDK stores of a source.
            timeout: Seconds that a list or a load may take, repetitions included; 30 by default.
            given: Further fields of the SDK's own class.

        Raises:
            ValueError: The timeout is not positive.
        """
        super().__init__(user=user, server=server, timeout=timeout, **given)
        self._catalog = Catalog(AsyncClient(server, api_key=api_key, timeout=timeout), timeout)

    async def refresh(self) -> None:
        """List the skills as they are now: one request. If the service is away, the last list stays.

        Raises:
            SkillmountError: The service refuses them, or it is away and they were never listed.
        """
        await self._catalog.skills(self.user)
        self._refreshed = time.monotonic()

    def list_skill_metadata(self, *, skills_path: str, source_grants: tuple[Any, ...] = ()) -> list[SkillMetadata]:
        """The skills of the user, with names and descriptions alone: one request.

        Raises:
            SkillmountError: The service refuses them, or it is away and they were never listed.
        """
        if self._refreshed is None or time.monotonic() - self._refreshed > _FRESH_SECONDS:
            self._refresh_blocking()
        return [
            SkillMetadata(name=name, description=short(skill.description), path=Path(skills_path) / name)
            for name, skill in (self._catalog.last(self.user) or {}).items()
        ]

    async def load_skill(
        self, *, skill_name: str, session: BaseSandboxSession, skills_path: str, user: str | User | None = None
    ) -> dict[str, str]:
        """Write the files of a skill into the sandbox: one request, and one more for a name that was never listed.

        Args:
            skill_name: As the list has it, or the path of the skill.
            session: The sandbox.
            skills_path: The folder of skills in it.
            user: Who owns the files there.

        Returns:
            The name and the place of the skill. If there is no such skill, or the service refuses it, the status is
            `failed` and `error` says why to the model.
        """
        try:
            name, path = await self._catalog.find(self.user, skill_name)
            reply = {"skill_name": name, "path": posixpath.join(skills_path, name)}
            folder = Path(session.state.manifest.root) / skills_path / name
            if await _is_there(session, folder / "SKILL.md", user):
                return {"status": "already_loaded", **reply}
            files = await self._catalog.within(self._catalog.client.user(self.user).skill_files(path))
        except SkillmountError as error:
            return {"status": "failed", "skill_name": skill_name, "path": skills_path, "error": _failed(error.detail)}
        # SKILL.md last: a skill that has it is whole.
        for file in sorted(files, key=lambda file: file == "SKILL.md"):
            target = folder / file
            await session.mkdir(target.parent, parents=True, user=user)
            await session.write(target, io.BytesIO(files[file]), user=user)
        return {"status": "loaded", **reply}

    async def aclose(self) -> None:
        """Close the connections of this event loop."""
        await self._catalog.client.aclose()

    def _refresh_blocking(self) -> None:
        """List in a thread, whose event loop is its own."""
        done: concurrent.futures.Future[Mapping[str, models.SkillReply]] = concurrent.futures.Future()

        async def ask() -> Mapping[str, models.SkillReply]:
            try:
                return await self._catalog.skills(self.user)
            finally:
                await self.aclose()

        def run() -> None:
            try:
                done.set_result(asyncio.run(ask()))
            except BaseException as error:
                done.set_exception(error)

        threading.Thread(target=run, name="skillmount-list", daemon=True).start()
        limit = min(self.timeout, _LOOP_SECONDS) if _is_in_loop() else self.timeout + 1
        try:
            done.result(limit)
            self._refreshed = time.monotonic()
        except concurrent.futures.TimeoutError:
            if self._catalog.last(self.user) is None:
                raise Unreachable(
                    f"the skillmount service at {self._catalog.client.server} did not list the skills within "
                    f"{limit:g} s; check that it runs, then try again",
                    retryable=True,
                    outcome="not_applied",
                ) from None


def _is_in_loop() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


def _failed(text: str) -> str:
    """The text, after the SDK's trace is told that the call failed. What is raised would end the run."""
    span = get_current_span()
    if span is not None:
        span.set_error(SpanError(message=text, data=None))
    return text


async def _is_there(session: BaseSandboxSession, path: Path, user: str | User | None) -> bool:
    try:
        (await session.read(path, user=user)).close()
    except (FileNotFoundError, WorkspaceReadNotFoundError):
        return False
    return True

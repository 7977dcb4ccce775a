"""skillmount for the Microsoft Agent Framework.

`SkillmountContextProvider` gives an agent the skills and files of the user of its run. `SkillmountSkillsSource` has the
skills of the user of a run for the framework's own `SkillsProvider`. Needs the extra `agent-framework`.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
from typing import Any

from ._generated import models
from ._generated.tools import TOOLS
from .catalog import Catalog, files_of
from .client import AsyncClient
from .extras import missing
from .limits import DEFAULT_TIMEOUT
from .names import short
from .problem import SkillmountError
from .session_tools import SKILL_TOOLS, Approve, PromptMode, SessionTools, tool_names

try:
    from agent_framework import (
        AgentSession,
        BaseChatClient,
        ChatContext,
        ChatMiddleware,
        ChatMiddlewareLayer,
        ContextProvider,
        FunctionInvocationContext,
        FunctionInvocationLayer,
        FunctionMiddleware,
        FunctionTool,
        SessionContext,
        Skill,
        SkillFrontmatter,
        SkillResource,
        SkillsSource,
        SkillsSourceContext,
        SupportsAgentRun,
    )
    from opentelemetry import trace
except ImportError as cause:
    raise missing("agent-framework", cause) from cause

__all__ = [
    "SKILL_TOOLS", "TOOLS", "SkillmountContextProvider", "SkillmountResource", "SkillmountSkill",
    "SkillmountSkillsSource",
]  # fmt: skip

# From the outermost. The middleware runs before each request to the model, so it is inside the loop of the tools.
_LAYERS = (FunctionInvocationLayer, ChatMiddlewareLayer)
_WITHOUT = {
    FunctionInvocationLayer: "it runs no tools",
    ChatMiddlewareLayer: "SkillmountContextProvider cannot add the prompt",
}
_ORDER = "write `class …(FunctionInvocationLayer, ChatMiddlewareLayer, BaseChatClient)`, in this order"
_NOT_THERE = ("file_not_found", "invalid_path")
_READER = "read_skill_resource"
# The service checks the input, and says in words what is wrong with it. The model is shown the schema of the tool.
_ANY_INPUT = {"type": "object", "properties": {}}


class SkillmountContextProvider(ContextProvider):
    """The skills and files of the user of a run: the prompt before each request to the model, and the tools.

    One provider, and so one agent, serves every user.

    Example:
        `Agent(client, context_providers=[SkillmountContextProvider(identify)])`
    """

    def __init__(
        self,
        identify: tuple[str, str] | Callable[[SkillsSourceContext], tuple[str, str]],
        client: AsyncClient | None = None,
        *,
        mode: PromptMode | None = None,
        tools: Iterable[str] = tuple(TOOLS),
        timeout: float = DEFAULT_TIMEOUT,
        approve: Approve | None = None,
        control_key: str | None = None,
        source_id: str = "skillmount",
    ) -> None:
        """Nothing is sent.

        Args:
            identify: The user and the session, or a function of the agent and its session that returns them.
            client: What sends the calls; one of `SKILLMOUNT_SERVER` if absent, which `aclose` closes.
            mode: How the prompt presents skills; as the policy says if absent.
            tools: Which tools of the service the model has, if the session may use them; all if absent. `SKILL_TOOLS`
                are those for skills alone.
            timeout: Seconds that a prompt or a call may take, repetitions included; 30 by default.
            approve: Asks a person about a call that waits for approval. If absent, the model reads that it waits.
            control_key: A key of scope `control`, which reads what waits and posts decisions. `approve` needs it.
                `SKILLMOUNT_CONTROL_KEY` if absent.
            source_id: The framework's id of the provider.

        Raises:
            ValueError: There is `approve` without `control_key`, or the timeout is not positive.
            InvalidSettings: The service has no tool of a name in `tools`.
        """
        super().__init__(source_id)
        self._session = SessionTools[SkillsSourceContext](
            identify, client, mode=mode, timeout=timeout, approve=approve, control_key=control_key
        )
        self._names = tool_names(tools)

    async def before_run(
        self, *, agent: SupportsAgentRun, session: AgentSession, context: SessionContext, state: dict[str, Any]
    ) -> None:
        """Add the tools, and what asks for the prompt before each request to the model. Nothing is sent yet.

        Raises:
            TypeError: The bases of the agent's chat client lack a layer, or have another order. Its model would see no
                prompt, or its calls would not run.
        """
        _check_layers(getattr(agent, "client", None))
        of_run = SkillsSourceContext(agent=agent, session=session)
        context.extend_tools(self.source_id, [self._tool(name, TOOLS[name], of_run) for name in self._names])
        # The framework gives a tool the id of its call only if a middleware is there.
        context.extend_middleware(self.source_id, [_BeforeTurn(self, of_run), _CallIds()])

    async def aclose(self) -> None:
        """Close the connections of this event loop, unless the client is the caller's."""
        await self._session.aclose()

    def _tool(self, name: str, listed: Any, of_run: SkillsSourceContext, schema: Any = _ANY_INPUT) -> FunctionTool:
        async def run(ctx: FunctionInvocationContext, **given: Any) -> str:
            answer = await self._session.run(of_run, name, given, ctx.metadata.get("call_id"))
            if answer.failed:
                _note_failure(answer.text)
            return answer.text

        return FunctionTool(
            name=name,
            description=listed["description"],
            func=run,
            input_model=schema,
            approval_mode="never_require",
        )

    async def show(self, of_run: SkillsSourceContext, options: dict[str, Any]) -> dict[str, Any]:
        """The options of a request to the model, with the prompt and the tools of now.

        Args:
            of_run: The agent and its session.
            options: As the framework has them.

        Raises:
            SkillmountError: The service refuses them, or it is away and there was no turn before.
        """
        prompt = await self._session.prompt(of_run)
        listed = await self._session.tools(of_run)
        shown: list[Any] = []
        for tool in options.get("tools") or []:
            name = getattr(tool, "name", None)
            if name not in self._names:
                shown.append(tool)
            elif name in listed:
                shown.append(self._tool(name, listed[name], of_run, listed[name]["input_schema"]))
        instructions = "\n\n".join(text for text in (options.get("instructions"), prompt) if text)
        return {**options, "tools": shown, "instructions": instructions or None}


def _check_layers(client: Any) -> None:
    """Check that a chat client runs tools and middleware.

    Each layer calls the next base of the class. A base that comes before a layer answers without it, and the framework
    says nothing.
    """
    if client is None:
        return
    bases = type(client).__mro__
    for layer in _LAYERS:
        if layer not in bases:
            raise TypeError(f"{type(client).__name__} is no {layer.__name__}, so {_WITHOUT[layer]}; {_ORDER}")
    placed = [bases.index(layer) for layer in (*_LAYERS, BaseChatClient) if layer in bases]
    if placed != sorted(placed):
        raise TypeError(f"the bases of {type(client).__name__} have another order than its calls need; {_ORDER}")


class _BeforeTurn(ChatMiddleware):
    """Adds the prompt and the tools of now to each request to the model."""

    def __init__(self, provider: SkillmountContextProvider, of_run: SkillsSourceContext) -> None:
        self._provider = provider
        self._of_run = of_run

    async def process(self, context: ChatContext, call_next: Callable[[], Awaitable[None]]) -> None:
        """Hand the request on with them."""
        context.options = await self._provider.show(self._of_run, dict(context.options or {}))
        await call_next()


class _CallIds(FunctionMiddleware):
    async def process(self, context: FunctionInvocationContext, call_next: Callable[[], Awaitable[None]]) -> None:
        """Hand the call on."""
        await call_next()


def _note_failure(text: str) -> None:
    """Say to the framework's traces that a call failed; what it raised would not reach the model in words."""
    span = trace.get_current_span()
    span.set_attribute("error.type", "skillmount_error")
    span.set_status(trace.Status(trace.StatusCode.ERROR, text))


class SkillmountSkillsSource(SkillsSource):
    """The skills of a user as the catalog has them. One source, and one agent, serve every user.

    Do not wrap it in a `CachingSkillsSource` without a `cache_isolation_key_selector` that names the user.

    Example:
        `SkillsProvider(SkillmountSkillsSource(user_of_run))`
    """

    def __init__(
        self,
        identify: str | Callable[[SkillsSourceContext], str],
        client: AsyncClient | None = None,
        *,
        timeout: float = DEFAULT_TIMEOUT,
    ) -> None:
        """Nothing is sent.

        Args:
            identify: The user, or a function of the agent and its session that returns the user.
            client: What sends the calls; one of `SKILLMOUNT_SERVER` if absent, which `aclose` closes.
            timeout: Seconds that a list or a load may take, repetitions included; 30 by default.

        Raises:
            ValueError: The timeout is not positive.
        """
        self._identify = identify
        self._catalog = Catalog(client, timeout)

    async def get_skills(self, context: SkillsSourceContext) -> list[Skill]:
        """The skills of the user, with names and descriptions alone: one request.

        If the service is away, they are those that were listed last, and the log says so once.

        Raises:
            SkillmountError: The service refuses them, or it is away and they were never listed.
        """
        user = self._identify if isinstance(self._identify, str) else self._identify(context)
        named = await self._catalog.skills(user)
        return [SkillmountSkill(self._catalog, user, name, skill) for name, skill in named.items()]

    async def aclose(self) -> None:
        """Close the connections of this event loop, unless the client is the caller's."""
        await self._catalog.aclose()


class SkillmountSkill(Skill):
    """One skill, whose content is asked for when the model loads it."""

    def __init__(self, catalog: Catalog, user: str, name: str, skill: models.SkillReply) -> None:
        """Nothing is sent.

        Args:
            catalog: What asks for it.
            user: Whose skill it is.
            name: What the model calls it.
            skill: It, as the catalog lists it.
        """
        self._catalog = catalog
        self._user = catalog.client.user(user)
        self._path = skill.skill
        self._frontmatter = SkillFrontmatter(name=name, description=short(skill.description))

    @property
    def frontmatter(self) -> SkillFrontmatter:
        """Its name and description."""
        return self._frontmatter

    async def get_content(self) -> str:
        """Its instructions, and the names of its files: one request. What the service refuses is answered in words."""
        try:
            page = await self._catalog.within(self._user.skill(self._path))
        except SkillmountError as error:
            return _in_words(error)
        return files_of(page.body, (file.path for file in page.file_list if file.path != "SKILL.md"), _READER)

    async def get_resource(self, name: str) -> SkillResource | None:
        """One of its files by its path: one request. None if there is no such file."""
        try:
            content = await self._catalog.within(self._user.skill_file(self._path, name))
        except SkillmountError as error:
            if error.code in _NOT_THERE:
                return None
            content = _in_words(error).encode()
        return SkillmountResource(name, content)


def _in_words(error: SkillmountError) -> str:
    """The answer of a call that failed. The framework would keep the words of an exception from the model."""
    text = f"Error: {error.detail}"
    _note_failure(text)
    return text


class SkillmountResource(SkillResource):
    """A file of a skill."""

    def __init__(self, name: str, content: bytes) -> None:
        """Keep the bytes.

        Args:
            name: Its path below the skill's folder.
            content: Its bytes.
        """
        super().__init__(name=name)
        self._content = content

    async def read(self, **kwargs: Any) -> str | bytes:
        """Its text, or its bytes if it is none."""
        try:
            return self._content.decode()
        except UnicodeDecodeError:
            return self._content

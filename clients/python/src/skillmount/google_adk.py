"""skillmount for Google's Agent Development Kit.

`SkillmountToolset` gives an agent the skills and files of the user of its run. `SkillmountSkillRegistry` has the skills
of one user for ADK's own `SkillToolset`. Needs the extra `google-adk`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from ._generated import models
from ._generated.tools import TOOLS
from .catalog import Catalog, files_of
from .client import AsyncClient
from .extras import missing
from .limits import DEFAULT_TIMEOUT
from .names import short
from .session_tools import SKILL_TOOLS, Approve, PromptMode, SessionTools, tool_names

try:
    from google.adk.agents.readonly_context import ReadonlyContext
    from google.adk.models.llm_request import LlmRequest
    from google.adk.skills.models import Frontmatter, Resources, Script, Skill
    from google.adk.skills.skill_registry import SkillRegistry
    from google.adk.tools.base_tool import BaseTool
    from google.adk.tools.base_toolset import BaseToolset
    from google.adk.tools.tool_context import ToolContext
    from google.genai import types
except ImportError as cause:
    raise missing("google-adk", cause) from cause

__all__ = ["SKILL_TOOLS", "TOOLS", "SkillmountSkillRegistry", "SkillmountToolset", "from_context"]

_REFERENCES, _ASSETS, _SCRIPTS = "references/", "assets/", "scripts/"
_READER = "load_skill_resource"
_FAILED = "SKILLMOUNT_ERROR"


def from_context(context: ReadonlyContext) -> tuple[str, str]:
    """The user and the session of a run, by ADK's own ids."""
    return context.user_id, context.session.id


class SkillmountToolset(BaseToolset):
    """The skills and files of the user of a run: the prompt before each request to the model, and the tools.

    One toolset, and so one agent, serves every user.

    Example:
        `LlmAgent(name="lawyer", model="gemini-flash-latest", tools=[SkillmountToolset()])`
    """

    def __init__(
        self,
        identify: tuple[str, str] | Callable[[ReadonlyContext], tuple[str, str]] = from_context,
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
            identify: The user and the session, or a function of the run's context that returns them; ADK's own ids if
                absent.
            client: What sends the calls; one of `SKILLMOUNT_SERVER` if absent, which `close` closes.
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
        super().__init__()
        # Which tools there are may change with each call of a run.
        self._use_invocation_cache = False
        self._session = SessionTools[ReadonlyContext](
            identify, client, mode=mode, timeout=timeout, approve=approve, control_key=control_key
        )
        self._names = tool_names(tools)

    async def get_tools(self, readonly_context: ReadonlyContext | None = None) -> list[BaseTool]:
        """The tools that the session may use now; all of them if nothing runs."""
        listed = TOOLS if readonly_context is None else await self._session.tools(readonly_context)
        return [_ServiceTool(self._session, name, listed[name]) for name in self._names if name in listed]

    async def process_llm_request(self, *, tool_context: ToolContext, llm_request: LlmRequest) -> None:
        """Add the prompt of now.

        Raises:
            ValueError: A tool of the agent has the name of one of these.
            SkillmountError: The service refuses the prompt, or it is away and there was no turn before.
        """
        taken = await _names_of_others(tool_context, self) & set(self._names)
        if taken:
            raise ValueError(
                f"the agent has a tool {min(taken)!r}, and SkillmountToolset has one of that name; rename the agent's, "
                "or leave the name out of the `tools` of SkillmountToolset"
            )
        prompt = await self._session.prompt(tool_context)
        if prompt:
            llm_request.append_instructions([prompt])

    async def aclose(self) -> None:
        """Close the connections of this event loop, unless the client is the caller's."""
        await self._session.aclose()

    async def close(self) -> None:
        """The same; ADK calls it when a runner is closed."""
        await self.aclose()


class _ServiceTool(BaseTool):
    """A tool of the service, as the session has it now."""

    def __init__(self, session: SessionTools[ReadonlyContext], name: str, listed: Any) -> None:
        super().__init__(name=name, description=listed["description"])
        self._session = session
        self._schema = listed["input_schema"]

    def _get_declaration(self) -> types.FunctionDeclaration:
        return types.FunctionDeclaration(
            name=self.name, description=self.description, parameters_json_schema=self._schema
        )

    async def run_async(self, *, args: dict[str, Any], tool_context: ToolContext) -> dict[str, str]:
        """Run a call. That of one that failed has `error`, as the results of ADK's own tools have."""
        answer = await self._session.run(tool_context, self.name, args, tool_context.function_call_id)
        if answer.failed:
            return {"error": answer.text, "error_code": _FAILED}
        return {"result": answer.text}

    def _detect_error_in_response(self, response: Any) -> str | None:
        """Say to ADK's traces whether a call failed."""
        return _FAILED if isinstance(response, dict) and "error" in response else None


async def _names_of_others(context: ToolContext, toolset: SkillmountToolset) -> set[str]:
    """The names of the agent's other tools. ADK has asked its other toolsets for them already, and most keep them."""
    agent: Any = context._invocation_context.agent
    names: set[str] = set()
    for tool in getattr(agent, "tools", ()):
        if isinstance(tool, BaseToolset):
            if tool is not toolset:
                names |= {one.name for one in await tool.get_tools_with_prefix(context)}
        else:
            names.add(str(getattr(tool, "name", None) or getattr(tool, "__name__", "")))
    return names


class SkillmountSkillRegistry(SkillRegistry):
    """The skills of one user, for a `SkillToolset`. A registry is not told who asks, so each user has one.

    Example:
        `SkillToolset(registry=SkillmountSkillRegistry("ana"))`
    """

    def __init__(
        self,
        user: str,
        client: AsyncClient | None = None,
        *,
        session: str = "adk",
        timeout: float = DEFAULT_TIMEOUT,
    ) -> None:
        """Nothing is sent.

        Args:
            user: Whose skills they are.
            client: What sends the calls; one of `SKILLMOUNT_SERVER` if absent, which `aclose` closes.
            session: The session that searches are made in, whose policy holds for them.
            timeout: Seconds that a search or a load may take, repetitions included; 30 by default.

        Raises:
            ValueError: The timeout is not positive.
        """
        self._catalog = Catalog(client, timeout)
        self._user = user
        self._session_id = session

    async def search_skills(self, *, query: str) -> list[Frontmatter]:
        """The skills for a task, the best first: one request, and one more for those that no earlier call named.

        Raises:
            SkillmountError: The service refuses the search or gives no answer.
        """
        session = self._catalog.client.session(self._user, self._session_id)
        found = (await self._catalog.within(session.discover_skills(query))).skills
        known = self._catalog.last(self._user) or {}
        if not {skill.skill for skill in found} <= {skill.skill for skill in known.values()}:
            known = await self._catalog.skills(self._user)
        names = {skill.skill: name for name, skill in known.items()}
        return [
            Frontmatter(name=names[skill.skill], description=short(skill.description))
            for skill in found
            if skill.skill in names
        ]

    async def get_skill(self, *, name: str) -> Skill:
        """A skill with its instructions and files: one request, one more if it has files, one more for a new name.

        Args:
            name: As a search gave it, or the path of the skill.

        Returns:
            The skill. Its instructions end with its files, by the names that `load_skill_resource` takes.

        Raises:
            SkillmountError: There is no such skill, or it cannot be read.
        """
        name, path = await self._catalog.find(self._user, name)
        of_user = self._catalog.client.user(self._user)
        page = await self._catalog.within(of_user.skill(path))
        others = [file.path for file in page.file_list if file.path != "SKILL.md"]
        files = await self._catalog.within(of_user.skill_files(path, others)) if others else {}
        resources = _resources(files)
        return Skill(
            frontmatter=_frontmatter(name, page),
            instructions=files_of(page.body, _names_of(resources), _READER),
            resources=resources,
        )

    def search_tool_description(self) -> str:
        """What the model is told of the search."""
        return "Searches the user's skills by what they are for. Say the task in a few words, in any language."

    async def aclose(self) -> None:
        """Close the connections of this event loop, unless the client is the caller's."""
        await self._catalog.aclose()


def _frontmatter(name: str, page: models.SkillPage) -> Frontmatter:
    given: dict[str, Any] = dict(page.frontmatter)
    allowed = given.get("allowed-tools")
    metadata = given.get("metadata")
    own = {
        "license": given.get("license"),
        "compatibility": given.get("compatibility"),
        "allowed-tools": " ".join(map(str, allowed)) if isinstance(allowed, list) else allowed,
        "metadata": metadata if isinstance(metadata, dict) else {},
    }
    plain = {key: value for key, value in own.items() if isinstance(value, (str, dict))}
    try:
        return Frontmatter.model_validate({"name": name, "description": short(page.description), **plain})
    except ValueError:
        # What ADK does not take of a skill's own fields is left out.
        return Frontmatter(name=name, description=short(page.description))


def _resources(files: dict[str, bytes]) -> Resources:
    """The files in the three folders that ADK knows. Those elsewhere are references, under their whole path."""
    resources = Resources()
    elsewhere: dict[str, str | bytes] = {}
    for path, content in files.items():
        try:
            text: str | bytes = content.decode()
        except UnicodeDecodeError:
            text = content
        if path.startswith(_SCRIPTS) and isinstance(text, str):
            resources.scripts[path.removeprefix(_SCRIPTS)] = Script(src=text)
        elif path.startswith(_ASSETS):
            resources.assets[path.removeprefix(_ASSETS)] = text
        elif path.startswith(_REFERENCES):
            resources.references[path.removeprefix(_REFERENCES)] = text
        else:
            elsewhere[path] = text
    for path, text in elsewhere.items():
        name = path
        while name in resources.references:
            name = f"elsewhere/{name}"
        resources.references[name] = text
    return resources


def _names_of(resources: Resources) -> list[str]:
    return sorted(
        [
            *(_REFERENCES + name for name in resources.references),
            *(_ASSETS + name for name in resources.assets),
            *(_SCRIPTS + name for name in resources.scripts),
        ]
    )

"""skillmount for Google's Agent Development Kit: `SkillmountSkillRegistry`, the skills of one user.

Needs `pip install skillmount[google-adk]`.
"""

from __future__ import annotations

from typing import Any

from google.adk.skills.models import Frontmatter, Resources, Script, Skill
from google.adk.skills.skill_registry import SkillRegistry

from ._generated import models
from .client import AsyncClient
from .names import by_name, short
from .problem import SkillmountError

_REFERENCES, _ASSETS, _SCRIPTS = "references/", "assets/", "scripts/"


class SkillmountSkillRegistry(SkillRegistry):
    """The skills of one user, for a `SkillToolset`. A registry is not told who asks, so each user has one."""

    def __init__(self, user: str, client: AsyncClient | None = None, *, session: str = "adk") -> None:
        """Nothing is sent.

        Args:
            user: Whose skills they are.
            client: What sends the calls; one of `SKILLMOUNT_SERVER` if absent.
            session: The session that searches are made in, whose policy holds for them.
        """
        client = client or AsyncClient()
        self._user = client.user(user)
        self._session = client.session(user, session)
        self._paths: dict[str, str] = {}

    async def search_skills(self, *, query: str) -> list[Frontmatter]:
        """The skills for a task, the best first: one request, and one more for those that no earlier call named."""
        found = (await self._session.discover_skills(query)).skills
        if not {skill.skill for skill in found} <= set(self._paths.values()):
            await self._list()
        names = {path: name for name, path in self._paths.items()}
        return [
            Frontmatter(name=names[skill.skill], description=short(skill.description))
            for skill in found
            if skill.skill in names
        ]

    async def get_skill(self, *, name: str) -> Skill:
        """A skill with its instructions and files: one request, one more if it has files, one more for a new name.

        Args:
            name: As a search gave it, or the path of the skill.

        Raises:
            SkillmountError: There is no such skill, or it cannot be read.
        """
        if name not in self._paths:
            await self._list()
        path = self._paths.get(name, name)
        page = await self._user.skill(path)
        others = [file.path for file in page.file_list if file.path != "SKILL.md"]
        files = await self._user.skill_files(path, others) if others else {}
        return Skill(frontmatter=_frontmatter(name, page), instructions=page.body, resources=_resources(files))

    async def _list(self) -> None:
        named = by_name([skill async for skill in self._user.skills()])
        self._paths = {name: skill.skill for name, skill in named.items()}

    def search_tool_description(self) -> str:
        """What the model is told of the search."""
        return "Searches the user's skills by what they are for. Say the task in a few words, in any language."


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
    except ValueError as error:
        # What ADK does not take of a skill's own fields is left out; a name that it does not take is an error.
        if not plain:
            raise SkillmountError(f"{name} is no name that ADK takes; use one that search_skills returns") from error
        return Frontmatter(name=name, description=short(page.description))


def _resources(files: dict[str, bytes]) -> Resources:
    """The files in the three folders that ADK knows. Those elsewhere are references, under their whole path."""
    resources = Resources()
    for path, content in files.items():
        try:
            text: str | bytes = content.decode()
        except UnicodeDecodeError:
            text = content
        if path.startswith(_SCRIPTS) and isinstance(text, str):
            resources.scripts[path.removeprefix(_SCRIPTS)] = Script(src=text)
        elif path.startswith(_ASSETS):
            resources.assets[path.removeprefix(_ASSETS)] = text
        else:
            resources.references[path.removeprefix(_REFERENCES)] = text
    return resources

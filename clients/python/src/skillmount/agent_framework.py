"""skillmount for the Microsoft Agent Framework: `SkillmountSkillsSource`, the skills of the user of a run.

Needs `pip install skillmount[agent-framework]`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from agent_framework import Skill, SkillFrontmatter, SkillResource, SkillsSource, SkillsSourceContext

from ._generated import models
from .client import AsyncClient, AsyncUserClient
from .names import by_name, short
from .problem import SkillmountError

_NOT_THERE = ("file_not_found", "invalid_path")


class SkillmountSkillsSource(SkillsSource):
    """The skills of a user as the catalog has them. One source, and one agent, serve every user.

    Do not wrap it in a `CachingSkillsSource` without a `cache_isolation_key_selector` that names the user.
    """

    def __init__(self, identify: Callable[[SkillsSourceContext], str], client: AsyncClient | None = None) -> None:
        """Nothing is sent.

        Args:
            identify: The user of a run, such as `lambda context: context.session.state["user_id"]`.
            client: What sends the calls; one of `SKILLMOUNT_SERVER` if absent.
        """
        self._identify = identify
        self._client = client or AsyncClient()

    async def get_skills(self, context: SkillsSourceContext) -> list[Skill]:
        """The skills of the user, with names and descriptions alone: one request."""
        user = self._client.user(self._identify(context))
        named = by_name([skill async for skill in user.skills()])
        return [SkillmountSkill(user, name, skill) for name, skill in named.items()]


class SkillmountSkill(Skill):
    """One skill, whose content is asked for when the model loads it."""

    def __init__(self, user: AsyncUserClient, name: str, skill: models.SkillReply) -> None:
        """Nothing is sent.

        Args:
            user: Whose skill it is.
            name: What the model calls it.
            skill: It, as the catalog lists it.
        """
        self._user = user
        self._path = skill.skill
        self._frontmatter = SkillFrontmatter(name=name, description=short(skill.description))

    @property
    def frontmatter(self) -> SkillFrontmatter:
        """Its name and description."""
        return self._frontmatter

    async def get_content(self) -> str:
        """Its instructions, and the names of its files: one request."""
        page = await self._user.skill(self._path)
        others = [file.path for file in page.file_list if file.path != "SKILL.md"]
        if not others:
            return page.body
        listed = "\n".join(f"- {path}" for path in others)
        return (
            f"{page.body.rstrip()}\n\nFiles of this skill, which read_skill_resource reads by these names:\n{listed}\n"
        )

    async def get_resource(self, name: str) -> SkillResource | None:
        """One of its files by its path: one request. None if there is no such file."""
        try:
            return SkillmountResource(name, await self._user.skill_file(self._path, name))
        except SkillmountError as error:
            if error.code in _NOT_THERE:
                return None
            raise


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

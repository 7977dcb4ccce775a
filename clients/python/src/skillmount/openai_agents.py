"""skillmount for OpenAI's Agents SDK: `SkillmountSkillSource`, the skills of one user for agents in a sandbox.

Needs `pip install skillmount[openai-agents]`.
"""

from __future__ import annotations

import io
import posixpath
from pathlib import Path
from typing import Any

from agents.sandbox.capabilities.skills import LazySkillSource, SkillMetadata
from agents.sandbox.errors import SkillsConfigError, WorkspaceReadNotFoundError
from agents.sandbox.session.base_sandbox_session import BaseSandboxSession
from agents.sandbox.types import User
from pydantic import PrivateAttr

from .client import AsyncClient, Client
from .names import by_name, short
from .problem import SkillmountError


class SkillmountSkillSource(LazySkillSource):
    """The skills of one user: listed by name, and brought into the sandbox when the model loads them.

    The SDK tells a source nothing of who runs, so each user has one. It asks for the list in a call that blocks.
    """

    user: str
    """Whose skills they are."""
    server: str | None = None
    """The address of the service; that of `SKILLMOUNT_SERVER` if absent."""
    _api_key: str | None = PrivateAttr(default=None)
    _paths: dict[str, str] = PrivateAttr(default_factory=dict)

    def __init__(self, user: str, server: str | None = None, *, api_key: str | None = None, **given: Any) -> None:
        """Nothing is sent.

        Args:
            user: Whose skills they are.
            server: The address of the service; that of `SKILLMOUNT_SERVER` if absent.
            api_key: The key; that of `SKILLMOUNT_API_KEY` if absent. It is not part of what the SDK stores of a source.
            given: Further fields of the SDK's own class.
        """
        super().__init__(user=user, server=server, **given)
        self._api_key = api_key

    def list_skill_metadata(self, *, skills_path: str, source_grants: tuple[Any, ...] = ()) -> list[SkillMetadata]:
        """The skills of the user, with names and descriptions alone: one request."""
        with Client(self.server, api_key=self._api_key) as client:
            named = by_name(client.user(self.user).skills())
        self._paths = {name: skill.skill for name, skill in named.items()}
        return [
            SkillMetadata(name=name, description=short(skill.description), path=Path(skills_path) / name)
            for name, skill in named.items()
        ]

    async def load_skill(
        self, *, skill_name: str, session: BaseSandboxSession, skills_path: str, user: str | User | None = None
    ) -> dict[str, str]:
        """Write the files of a skill into the sandbox: one request, and one more for a name that was never listed.

        Args:
            skill_name: As the list has it.
            session: The sandbox.
            skills_path: The folder of skills in it.
            user: Who owns the files there.

        Raises:
            SkillsConfigError: There is no such skill, or the service refuses it.
        """
        folder = Path(session.state.manifest.root) / skills_path / skill_name
        reply = {"skill_name": skill_name, "path": posixpath.join(skills_path, skill_name)}
        if skill_name in self._paths and await _is_there(session, folder / "SKILL.md", user):
            return {"status": "already_loaded", **reply}
        try:
            async with AsyncClient(self.server, api_key=self._api_key) as client:
                of_user = client.user(self.user)
                if skill_name not in self._paths:
                    named = by_name([skill async for skill in of_user.skills()])
                    self._paths = {name: skill.skill for name, skill in named.items()}
                if skill_name not in self._paths:
                    raise SkillsConfigError(message="lazy skill not found", context={"skill_name": skill_name})
                files = await of_user.skill_files(self._paths[skill_name])
        except SkillmountError as error:
            raise SkillsConfigError(message=error.detail, context={"skill_name": skill_name}) from error
        # SKILL.md last: a skill that has it is whole.
        for path in sorted(files, key=lambda path: path == "SKILL.md"):
            target = folder / path
            await session.mkdir(target.parent, parents=True, user=user)
            await session.write(target, io.BytesIO(files[path]), user=user)
        return {"status": "loaded", **reply}


async def _is_there(session: BaseSandboxSession, path: Path, user: str | User | None) -> bool:
    try:
        (await session.read(path, user=user)).close()
    except (FileNotFoundError, WorkspaceReadNotFoundError):
        return False
    return True

"""The skills of users by the names that frameworks take, for adapters that hand whole skills to a framework."""

from __future__ import annotations

import logging
from collections import OrderedDict
from collections.abc import Awaitable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

from ._generated import models
from .client import AsyncClient
from .limits import check_timeout, within
from .names import by_name
from .problem import MissingIdentity, SkillmountError

T = TypeVar("T")

_REMEMBERED_USERS = 1_000

log = logging.getLogger("skillmount")


@dataclass(slots=True)
class _Listed:
    skills: Mapping[str, models.SkillReply] = field(default_factory=dict)
    """By the names that frameworks take."""
    is_known: bool = False
    is_away: bool = False


class Catalog:
    """What was listed last of the skills of users, and how a model's word for a skill is understood."""

    def __init__(self, client: AsyncClient | None, timeout: float) -> None:
        """Nothing is sent.

        Args:
            client: What sends the calls; one of `SKILLMOUNT_SERVER` if absent, which `aclose` closes.
            timeout: Seconds that a call may take, repetitions included.

        Raises:
            ValueError: The timeout is not positive.
        """
        self._timeout = check_timeout(timeout)
        self._owned = client is None
        self.client = client or AsyncClient(timeout=timeout)
        self._listed: OrderedDict[str, _Listed] = OrderedDict()

    def __getstate__(self) -> dict[str, Any]:
        """Everything but what was listed. A copy has a client of its own, which `aclose` closes."""
        return {**self.__dict__, "_listed": OrderedDict(), "_owned": True}

    async def aclose(self) -> None:
        """Close the connections of this event loop, unless the client is the caller's."""
        if self._owned:
            await self.client.aclose()

    def last(self, user: str) -> Mapping[str, models.SkillReply] | None:
        """The skills of a user as they were listed last; None if they never were."""
        listed = self._listed.get(user)
        return listed.skills if listed is not None and listed.is_known else None

    async def skills(self, user: str) -> Mapping[str, models.SkillReply]:
        """The skills of a user as they are now, by the names that frameworks take.

        If the service is away, they are those that were listed last, and the log says so once.

        Raises:
            SkillmountError: The service refuses them, or it is away and they were never listed.
            MissingIdentity: There is no user.
        """
        if not (isinstance(user, str) and user):
            raise MissingIdentity(f"the user is {user!r}; it must be a text")
        listed = self._listed.pop(user, None) or _Listed()
        self._listed[user] = listed
        while len(self._listed) > _REMEMBERED_USERS:
            self._listed.popitem(last=False)

        async def ask() -> Mapping[str, models.SkillReply]:
            return by_name([skill async for skill in self.client.user(user).skills()])

        try:
            listed.skills = await self.within(ask())
        except SkillmountError as error:
            if not (listed.is_known and error.retryable):
                raise
            if not listed.is_away:
                log.warning("%s. The skills that were listed last stay until it answers.", error.detail)
            listed.is_away = True
        else:
            listed.is_known, listed.is_away = True, False
        return listed.skills

    async def find(self, user: str, said: str) -> tuple[str, str]:
        """The name and the path of the skill that a model means.

        Args:
            user: Whose skill it is.
            said: Its name in the framework, its path, or its name in the frontmatter if no other skill has it.

        Returns:
            Its name in the framework, and its path.

        Raises:
            SkillmountError: There is no such skill. The nearest are named as the framework takes them.
        """
        known = self.last(user)
        found = _meant(known, said) if known is not None else None
        if found is None:
            known = await self.skills(user)
            found = _meant(known, said)
        if found is not None and known is not None:
            return found, known[found].skill
        nearest = await self._nearest(user, said, known or {})
        detail = f"there is no skill {said!r}" + (f"; the nearest are: {', '.join(nearest)}" if nearest else "")
        raise SkillmountError.by_code["skill_not_found"](detail, status=404, outcome="not_applied")

    async def within(self, work: Awaitable[T]) -> T:
        """Work within the limit of time, its repetitions included."""
        return await within(self.client, self._timeout, work)

    async def _nearest(self, user: str, said: str, known: Mapping[str, models.SkillReply]) -> list[str]:
        """Names near to one that no skill has, as the service finds them."""
        try:
            await self.within(self.client.user(user).skill(said))
        except SkillmountError as error:
            paths = error.members.get("suggestions", [])
            return [name for path in paths for name, skill in known.items() if skill.skill == path]
        return []


def files_of(body: str, names: Iterable[str], reader: str) -> str:
    """Instructions that end with the files of their skill.

    Args:
        body: The instructions.
        names: The files, by the names that the framework takes.
        reader: The framework's tool that reads them.

    Returns:
        The instructions alone if there are no files.
    """
    listed = "\n".join(f"- {name}" for name in names)
    if not listed:
        return body
    return f"{body.rstrip()}\n\nFiles of this skill, which {reader} reads by these names:\n{listed}\n"


def _meant(known: Mapping[str, models.SkillReply], said: str) -> str | None:
    """The name of the skill that is meant; None if it is none, or more than one."""
    word = said.strip().removeprefix("/").removeprefix("skills/").rstrip("/")
    if word in known:
        return word
    for is_it in (
        lambda skill: skill.skill == word,
        lambda skill: skill.name == word,
        lambda skill: word.casefold() in (skill.skill.casefold(), skill.name.casefold()),
    ):
        found = [name for name, skill in known.items() if is_it(skill)]
        if found:
            return found[0] if len(found) == 1 else None
    return None

"""Names for skills that every framework takes: lowercase letters, digits and single hyphens, each name once."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

from ._generated import models

_TAKEN = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_LONGEST = 64
_LONGEST_DESCRIPTION = 1024


def by_name(skills: Iterable[models.SkillReply]) -> dict[str, models.SkillReply]:
    """The skills by a name that frameworks take.

    It is the name in the skill's frontmatter, or its path with hyphens if that name is not of the form that the Agent
    Skills specification asks for, or if several skills have it.

    Args:
        skills: Skills of one user.

    Returns:
        Each of them by its name, in the same order.
    """
    listed = list(skills)
    times = Counter(skill.name for skill in listed)
    named: dict[str, models.SkillReply] = {}
    for skill in listed:
        is_plain = _TAKEN.fullmatch(skill.name) and len(skill.name) <= _LONGEST and times[skill.name] == 1
        hyphened = _hyphened(skill.skill)
        name = skill.name if is_plain and skill.name not in named else hyphened
        number = 2
        while name in named:
            name = f"{hyphened[: _LONGEST - 4]}-{number}"
            number += 1
        named[name] = skill
    return named


def short(description: str) -> str:
    """A description that is no longer than the specification allows."""
    return description if len(description) <= _LONGEST_DESCRIPTION else f"{description[: _LONGEST_DESCRIPTION - 1]}…"


def _hyphened(path: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", path.lower()).strip("-")[:_LONGEST].strip("-") or "skill"

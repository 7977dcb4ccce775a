"""Names of skills for frameworks that take few."""

from __future__ import annotations

import datetime

from skillmount import models
from skillmount.names import by_name, short


def _skill(path: str, name: str) -> models.SkillReply:
    return models.SkillReply(
        skill=path,
        name=name,
        description="",
        category="",
        layer="user",
        frontmatter={},
        files=1,
        size=1,
        updated_at=datetime.datetime(2026, 1, 1, tzinfo=datetime.UTC),
        state="published",
        digest=None,
        shadows=[],
    )


def test_each_skill_has_one_name_that_every_framework_takes() -> None:
    skills = [
        _skill("a/minutes", "minutes"),
        _skill("a/leases", "leases"),
        _skill("b/leases", "leases"),
        _skill("Ñ", "Ñ"),
        _skill("x", "a-leases"),
        _skill("y/" + "z" * 80, "y"),
        _skill("w", "w" * 65),
    ]
    named = {name: skill.skill for name, skill in by_name(skills).items()}
    assert named == {
        "minutes": "a/minutes",
        "a-leases": "a/leases",
        "b-leases": "b/leases",
        "skill": "Ñ",
        "x": "x",
        "y": "y/" + "z" * 80,
        "w": "w",
    }
    assert len(short("d" * 2000)) == 1024
    assert short("d" * 1024) == "d" * 1024

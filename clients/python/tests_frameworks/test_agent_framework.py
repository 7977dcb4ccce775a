"""The Microsoft Agent Framework: a source of skills for every user."""

from __future__ import annotations

from agent_framework import Agent, AgentSession, SkillsSourceContext

from conftest import ALL_BYTES, check_example
from skillmount.agent_framework import SkillmountSkillsSource
from skillmount.testing import Server


def _context(user: str) -> SkillsSourceContext:
    session = AgentSession()
    session.state["user_id"] = user
    return SkillsSourceContext(agent=Agent.__new__(Agent), session=session)


def _user(context: SkillsSourceContext) -> str:
    assert context.session is not None
    return str(context.session.state["user_id"])


async def test_one_source_has_the_skills_of_each_user(service: Server) -> None:
    source = SkillmountSkillsSource(_user, service.aclient())
    skills = {skill.frontmatter.name: skill for skill in await source.get_skills(_context("ana"))}
    assert set(skills) == {"law-leases", "new-year", "work-leases"}
    assert await source.get_skills(_context("bob")) == []

    leases = skills["law-leases"]
    assert leases.frontmatter.description == "Drafts leases for rent."
    content = await leases.get_content()
    assert content.startswith("SECRET-OF-LEASES\n")
    assert "- notes/a b.md\n" in content
    note = await leases.get_resource("notes/a b.md")
    assert note is not None
    assert await note.read() == "año\n"
    seal = await leases.get_resource("assets/seal.bin")
    assert seal is not None
    assert await seal.read() == ALL_BYTES
    for name in ("none.md", "../../work/leases/SKILL.md", "notes"):
        assert await leases.get_resource(name) is None
    assert (await skills["work-leases"].get_content()).strip() == "# Machines"


def test_the_example_prints_what_the_readme_shows() -> None:
    check_example("agent_framework/lease_maf.py")

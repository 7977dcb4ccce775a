"""Google's Agent Development Kit: a registry of one user's skills."""

from __future__ import annotations

from pathlib import Path

import pytest

from conftest import ALL_BYTES, PROGRAM, check_example
from skillmount import SkillmountError
from skillmount.google_adk import SkillmountSkillRegistry
from skillmount.testing import Server, server


async def test_a_registry_finds_and_fetches_skills_of_its_user(service: Server) -> None:
    registry = SkillmountSkillRegistry("ana", service.aclient())
    found = await registry.search_skills(query="a lease for rent")
    assert found[0].name == "law-leases"
    skill = await registry.get_skill(name=found[0].name)
    assert skill.instructions == "SECRET-OF-LEASES\n"
    assert skill.frontmatter.license == "MIT"
    assert skill.resources.get_reference("garage.md") == "LEASE OF A GARAGE\n"
    assert skill.resources.get_reference("notes/a b.md") == "año\n"
    assert skill.resources.get_asset("seal.bin") == ALL_BYTES
    script = skill.resources.get_script("fill.py")
    assert script is not None
    assert script.src == "print('filled')\n"

    fresh = SkillmountSkillRegistry("ana", service.aclient())
    assert (await fresh.get_skill(name="new-year")).instructions.strip() == "# Letters"
    with pytest.raises(SkillmountError, match="there is no skill"):
        await fresh.get_skill(name="none")
    of_bob = SkillmountSkillRegistry("bob", service.aclient())
    assert await of_bob.search_skills(query="a lease for rent") == []
    with pytest.raises(SkillmountError):
        await of_bob.get_skill(name="law-leases")


async def test_fields_that_adk_does_not_take_are_left_out(tmp_path: Path) -> None:
    for name, field in (("odd", f"compatibility: {'x' * 600}"), ("fine", "allowed-tools: [a, b]")):
        folder = tmp_path / "eva" / "skills" / name
        folder.mkdir(parents=True)
        (folder / "SKILL.md").write_text(f"---\nname: {name}\ndescription: It is {name}.\n{field}\n---\nbody\n")
    with server(program=PROGRAM, store=f"file:{tmp_path}") as service:
        registry = SkillmountSkillRegistry("eva", service.aclient())
        odd = await registry.get_skill(name="odd")
        assert (odd.frontmatter.compatibility, odd.instructions) == (None, "body\n")
        assert (await registry.get_skill(name="fine")).frontmatter.allowed_tools == "a b"


def test_the_example_prints_what_the_readme_shows() -> None:
    check_example("google_adk/lease_adk.py")

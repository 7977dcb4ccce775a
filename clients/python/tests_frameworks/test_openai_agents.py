"""OpenAI's Agents SDK: skills that come into a sandbox when the model loads them."""

from __future__ import annotations

from pathlib import Path

import pytest
from agents.sandbox.errors import SkillsConfigError
from agents.sandbox.manifest import Manifest
from agents.sandbox.sandboxes.unix_local import UnixLocalSandboxClient

from conftest import ALL_BYTES, check_example
from skillmount.openai_agents import SkillmountSkillSource
from skillmount.testing import Server, server


async def test_skills_are_listed_and_come_into_the_sandbox_whole(service: Server) -> None:
    source = SkillmountSkillSource("ana", service.url)
    listed = {skill.name: skill for skill in source.list_skill_metadata(skills_path=".agents")}
    assert set(listed) == {"law-leases", "new-year", "work-leases"}
    assert listed["law-leases"].path == Path(".agents/law-leases")
    assert SkillmountSkillSource("bob", service.url).list_skill_metadata(skills_path=".agents") == []

    client = UnixLocalSandboxClient()
    session = await client.create(manifest=Manifest())
    async with session:
        loaded = await source.load_skill(skill_name="law-leases", session=session, skills_path=".agents")
        assert loaded == {"status": "loaded", "skill_name": "law-leases", "path": ".agents/law-leases"}
        folder = Path(session.state.manifest.root) / ".agents" / "law-leases"
        for path, content in (("assets/seal.bin", ALL_BYTES), ("notes/a b.md", "año\n".encode())):
            assert (await session.read(folder / path)).read() == content
        assert b"license: MIT" in (await session.read(folder / "SKILL.md")).read()
        again = await source.load_skill(skill_name="law-leases", session=session, skills_path=".agents")
        assert again["status"] == "already_loaded"

        fresh = SkillmountSkillSource("ana", service.url)
        other = await fresh.load_skill(skill_name="work-leases", session=session, skills_path=".agents")
        assert other["status"] == "loaded"
        with pytest.raises(SkillsConfigError, match="not found"):
            await fresh.load_skill(skill_name="../../x", session=session, skills_path=".agents")
    await client.delete(session)


def test_a_source_that_is_stored_has_no_key(service: Server) -> None:
    source = SkillmountSkillSource("ana", service.url, api_key="secret")
    assert "secret" not in source.model_dump_json() + repr(source)
    assert source.model_copy(deep=True).list_skill_metadata(skills_path=".agents")


def test_the_key_is_sent() -> None:
    with server(api_key="the-key") as service:
        with pytest.raises(Exception, match="unauthenticated"):
            SkillmountSkillSource("ana", service.url).list_skill_metadata(skills_path=".agents")
        keyed = SkillmountSkillSource("ana", service.url, api_key="the-key")
        assert keyed.list_skill_metadata(skills_path=".agents") == []


def test_the_example_prints_what_the_readme_shows() -> None:
    check_example("openai_agents/lease_sandbox.py")

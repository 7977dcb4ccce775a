"""The SDKs of Anthropic and of OpenAI, pointed at the service: a whole life of a skill with each."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator

import anthropic
import openai
import pytest

from conftest import PROGRAM
from skillmount.testing import Server, server

BODY = "# Minutes\n\nSay who was there, what was decided, and who does what until when.\n"


def main(description: str, name: str = "minutes") -> bytes:
    return f"---\nname: {name}\ndescription: {description}\n---\n{BODY}".encode()


def files(description: str, name: str = "minutes") -> list[tuple[str, bytes]]:
    return [
        (f"{name}/SKILL.md", main(description, name)),
        (f'{name}/notes/a b "ñ".md', "año\n".encode()),
        (f"{name}/assets/seal.bin", bytes(range(256))),
    ]


def zipped(description: str, name: str = "minutes") -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for path, content in files(description, name):
            archive.writestr(path, content)
    return packed.getvalue()


def unzipped(content: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


@pytest.fixture
def service() -> Iterator[Server]:
    with server(program=PROGRAM) as running:
        yield running


# S-SDK-1: The SDKs of Anthropic and of OpenAI publish, list, read and delete skills at `/v1/skills`.
def test_a_whole_life_with_the_sdk_of_anthropic(service: Server) -> None:
    client = anthropic.Anthropic(api_key="none", base_url=service.url, max_retries=0)
    made = client.skills.create(files=files("Writes minutes of meetings."), display_name="Minutes of meetings")
    assert (made.id, made.type, made.display_name) == ("skill_minutes", "skill", "Minutes of meetings")
    assert (made.source.type, made.created_at) == ("custom", made.updated_at)
    assert client.skills.retrieve(made.id) == made
    assert list(client.skills.list()) == [made]
    assert list(client.skills.list(source="anthropic")) == []

    second = client.skills.versions.create(made.id, files=files("Writes minutes of calls."))
    assert (second.type, second.skill_id, second.name) == ("skill_version", made.id, "minutes")
    assert second.description == "Writes minutes of calls."
    assert client.skills.retrieve(made.id).latest_version_id == second.id
    assert client.skills.versions.retrieve(second.id, skill_id=made.id) == second
    listed = [version.id for version in client.skills.versions.list(made.id, limit=1)]
    assert listed == [second.id, made.latest_version_id], "the pages follow one another, the newest version first"

    content = client.beta.skills.versions.download(made.latest_version_id, skill_id=made.id).read()
    assert unzipped(content) == {
        path.removeprefix("minutes/"): each for path, each in files("Writes minutes of meetings.")
    }

    gone = client.skills.versions.delete(second.id, skill_id=made.id)
    assert (gone.id, gone.type) == (second.id, "skill_version_deleted")
    assert client.skills.retrieve(made.id).latest_version_id == made.latest_version_id, (
        "the former one is published again"
    )
    with pytest.raises(anthropic.NotFoundError) as missing:
        client.skills.versions.retrieve(second.id, skill_id=made.id)
    assert missing.value.error_code == "version_not_found"
    with pytest.raises(anthropic.ConflictError) as taken:
        client.skills.create(files=files("Writes minutes."))
    assert (taken.value.type, taken.value.error_code) == ("invalid_request_error", "version_conflict")
    assert taken.value.request_id

    with service.client() as own:
        # It is a skill like any other, for agents as well.
        loaded = own.session("me", "s").load_skill("minutes")
        assert loaded.description == "Writes minutes of meetings."
    # As their examples clean up: the versions one by one, and then the skill.
    for version in list(client.skills.versions.list(made.id)):
        client.skills.versions.delete(version.id, skill_id=made.id)
    deleted = client.skills.delete(made.id)
    assert (deleted.id, deleted.type) == (made.id, "skill_deleted")
    assert list(client.skills.list()) == []
    with pytest.raises(anthropic.NotFoundError):
        client.skills.retrieve(made.id)


# S-SDK-1: The SDKs of Anthropic and of OpenAI publish, list, read and delete skills at `/v1/skills`.
def test_a_whole_life_with_the_sdk_of_openai(service: Server) -> None:
    client = openai.OpenAI(api_key="none", base_url=f"{service.url}/v1", max_retries=0)
    made = client.skills.create(files=("minutes.zip", zipped("Writes minutes of meetings.")))
    assert (made.id, made.object, made.name) == ("skill_minutes", "skill", "minutes")
    assert (made.default_version, made.latest_version) == ("1", "1")
    assert made.description == "Writes minutes of meetings."
    assert client.skills.retrieve(made.id) == made

    kept = client.skills.versions.create(made.id, files=files("Writes minutes of calls."))
    assert (kept.object, kept.version, kept.description) == ("skill.version", "2", "Writes minutes of calls.")
    after = client.skills.retrieve(made.id)
    assert (after.default_version, after.latest_version) == ("1", "2"), "only the default one is published"
    third = client.skills.versions.create(made.id, files=files("Writes minutes of talks."), default=True)
    assert (third.version, client.skills.retrieve(made.id).default_version) == ("3", "3")
    updated = client.skills.update(made.id, default_version="2")
    assert (updated.default_version, updated.latest_version) == ("2", "3")
    assert updated.description == "Writes minutes of calls."

    assert [version.version for version in client.skills.versions.list(made.id, limit=1)] == ["3", "2", "1"]
    rising = client.skills.versions.list(made.id, order="asc", limit=2)
    assert [version.version for version in rising] == ["1", "2", "3"]
    assert client.skills.versions.retrieve("2", skill_id=made.id) == kept
    of_first = client.skills.versions.content.retrieve("1", skill_id=made.id).read()
    assert unzipped(of_first)["SKILL.md"] == main("Writes minutes of meetings.")
    whole = client.skills.content.retrieve(made.id).read()
    assert unzipped(whole) == {path.removeprefix("minutes/"): each for path, each in files("Writes minutes of calls.")}

    gone = client.skills.versions.delete("2", skill_id=made.id)
    assert (gone.id, gone.object, gone.deleted, gone.version) == (kept.id, "skill.version.deleted", True, "2")
    assert client.skills.retrieve(made.id).default_version == "3"
    again = client.skills.versions.create(made.id, files=files("Writes minutes of walks."))
    assert again.version == "4", "no number is given twice"
    with pytest.raises(openai.NotFoundError) as missing:
        client.skills.versions.retrieve("2", skill_id=made.id)
    assert missing.value.code == "version_not_found"
    with pytest.raises(openai.BadRequestError) as wrong:
        client.skills.create(files=[("bad/SKILL.md", b"---\nname: bad\n---\n")])
    assert (wrong.value.code, wrong.value.type) == ("invalid_skill", "invalid_request_error")

    others = [client.skills.create(files=files("Writes letters.", name)) for name in ("letters", "notes", "talks")]
    assert [skill.name for skill in client.skills.list(limit=2)] == ["letters", "minutes", "notes", "talks"]
    assert [skill.name for skill in client.skills.list(limit=1, order="desc")] == [
        "talks",
        "notes",
        "minutes",
        "letters",
    ]
    for each in (made, *others):
        deleted = client.skills.delete(each.id)
        assert (deleted.id, deleted.object, deleted.deleted) == (each.id, "skill.deleted", True)
    assert list(client.skills.list()) == []


# S-SDK-4: The user is that of the key, which clients send in `authorization` or in `x-api-key`.
def test_a_key_is_sent_by_both() -> None:
    with server(api_key="the-key") as service:
        header = {"x-skillmount-user": "ana"}
        claude = anthropic.Anthropic(api_key="the-key", base_url=service.url, default_headers=header)
        other = openai.OpenAI(api_key="the-key", base_url=f"{service.url}/v1", default_headers=header)
        assert list(claude.skills.list()) == []
        assert list(other.skills.list()) == []
        with pytest.raises(anthropic.AuthenticationError):
            anthropic.Anthropic(api_key="no-key", base_url=service.url, max_retries=0).skills.list()
        with pytest.raises(openai.AuthenticationError):
            openai.OpenAI(api_key="no-key", base_url=f"{service.url}/v1", max_retries=0).skills.list()

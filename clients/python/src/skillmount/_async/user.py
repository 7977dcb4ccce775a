"""`AsyncUserClient`: the calls of one user."""

from __future__ import annotations

import base64
from collections.abc import AsyncIterator, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, Literal

from .._generated import models, operations
from ..call import zipped
from ..problem import SkillmountError
from .session import AsyncSessionClient

if TYPE_CHECKING:
    from .client import AsyncClient


class AsyncUserClient:
    """The skills, sessions and records of one user.

    A call that fails raises `SkillmountError`: a class of `skillmount.errors` for each code of the service, or
    `Unreachable` without an answer. `Denied` says that the key has not the scope that a call needs. The methods name
    only errors that they add to these.

    Example:
        user = client.user("ana")
        print([skill.skill async for skill in user.skills()])
    """

    def __init__(self, client: AsyncClient, user: str) -> None:
        """Nothing is sent.

        Args:
            client: What sends the calls.
            user: Whose skills they are.
        """
        self.client = client
        self.id = user

    def session(self, session: str) -> AsyncSessionClient:
        """The calls of one session. Nothing is sent.

        Args:
            session: Its id; the session need not exist before.

        Example:
            session = user.session("monday")
        """
        return AsyncSessionClient(self.client, self.id, session)

    async def skills(self, category: str | None = None, *, fresh: bool = False) -> AsyncIterator[models.SkillReply]:
        """All skills, one after another.

        Args:
            category: Only skills below this folder.
            fresh: Whether the service looks into the store first, so that a skill that was just put there is listed.

        Example:
            async for skill in user.skills("writing"):
                print(skill.skill, skill.description)
        """
        cursor: str | None = None
        while True:
            call = operations.list_skills(self.id, category=category, fresh=fresh or None, cursor=cursor)
            page = await self.client.send(call)
            for skill in page.skills:
                yield skill
            cursor = page.next_cursor
            if cursor is None:
                return

    async def skill(self, skill: str, *, digest: str | None = None) -> models.SkillPage:
        """One skill with its instructions and its list of files.

        Args:
            skill: Its path.
            digest: The version; the present one if absent.

        Raises:
            SkillNotFound: The user has no such skill.
            VersionNotFound: It has no such version.

        Example:
            print((await user.skill("writing/minutes")).body)
        """
        return await self.client.send(operations.show_skill(self.id, skill, digest=digest))

    async def skill_file(self, skill: str, path: str = "SKILL.md") -> bytes:
        """The bytes of one file of a skill, without loading it.

        Args:
            skill: Its path.
            path: The file below its folder.

        Raises:
            SkillNotFound: The user has no such skill.
            FileNotFound: It has no such file.

        Example:
            content = await user.skill_file("writing/minutes", "template.md")
        """
        return await self.client.send(operations.get_skill_file(self.id, skill, path=path))

    async def skill_files(self, skill: str, paths: Sequence[str] | None = None) -> dict[str, bytes]:
        """Files of a skill by their paths below its folder, without loading it.

        Args:
            skill: Its path.
            paths: The files; all of them if absent.

        Raises:
            SkillNotFound: The user has no such skill.
            FileNotFound: It has not one of the files.

        Example:
            print(sorted(await user.skill_files("writing/minutes")))
        """
        wanted: dict[str, Any] = {"skill": skill} if paths is None else {"skill": skill, "paths": list(paths)}
        body = models.DownloadSkillsRequest(skills=[models.SkillFilesRequest(**wanted)])
        reply = await self.client.send(operations.download_skills(self.id, body))
        files: dict[str, bytes] = {}
        for file in reply.files:
            if file.content is None:
                kind = SkillmountError.by_code.get(file.error or "", SkillmountError)
                raise kind(file.detail or f"{file.path} was not sent", code=file.error)
            files[file.path.removeprefix(f"{skill}/")] = base64.b64decode(file.content)
        return files

    async def skill_archive(self, skill: str) -> bytes:
        """The folder of a skill as a zip archive, which `publish` takes.

        Args:
            skill: Its path.

        Raises:
            SkillNotFound: The user has no such skill.

        Example:
            archive = await user.skill_archive("writing/minutes")
            await user.publish("archive/minutes", archive)
        """
        return await self.client.send(zipped(operations.show_skill(self.id, skill)))

    async def publish(
        self,
        skill: str,
        content: models.PublishRequest | bytes | Sequence[tuple[str, bytes]],
        *,
        state: Literal["published", "draft"] | None = None,
        source: str | None = None,
        layer: Literal["user", "team", "org"] | None = None,
        if_match: str | None = None,
    ) -> models.PublishReply:
        """Publish a new version of a skill, all of it or nothing. Needs a key of scope `control`.

        Args:
            skill: Its path.
            content: A description with instructions, a zip archive of its folder, or files with their paths in it.
            state: Whether it is a draft; published if absent.
            source: Where it comes from, such as a commit.
            layer: Whose it is; the user's if absent.
            if_match: The digest that it must have now; any if absent.

        Raises:
            InvalidSkill: It is not as a skill must be; `members` has the findings.
            VersionConflict: It has another digest.

        Example:
            letters = models.PublishRequest(description="Writes letters. Use when asked.", body="# Letters")
            print((await user.publish("writing/letters", letters)).digest)
        """
        call = operations.publish_skill(
            self.id, skill, content, state=state, source=source, layer=layer, if_match=if_match
        )
        return await self.client.send(call)

    async def change_skill(
        self,
        skill: str,
        *,
        state: Literal["published", "draft"] | None = None,
        description: str | None = None,
        body: str | None = None,
        layer: Literal["user", "team", "org"] | None = None,
        if_match: str | None = None,
    ) -> models.PublishReply:
        """Change a part of a skill. Needs a key of scope `control`.

        Args:
            skill: Its path.
            state: Publishes a draft, or makes a draft of a published skill; as it was if absent.
            description: Its new description; the old one if absent.
            body: Its new instructions; the old ones if absent.
            layer: Whose it is; the user's if absent.
            if_match: The digest that it must have now; any if absent.

        Raises:
            SkillNotFound: The user has no such skill.
            VersionConflict: It has another digest.

        Example:
            await user.change_skill("writing/minutes", body="# Minutes, shorter")
        """
        given = {"state": state, "description": description, "body": body}
        changes = models.ChangeSkillRequest.model_validate({k: v for k, v in given.items() if v is not None})
        return await self.client.send(operations.change_skill(self.id, skill, changes, layer=layer, if_match=if_match))

    async def delete_skill(
        self, skill: str, *, layer: Literal["user", "team", "org"] | None = None, if_match: str | None = None
    ) -> None:
        """Delete a skill. Its versions are kept, and `rollback` brings one back. Needs a key of scope `control`.

        Args:
            skill: Its path.
            layer: Whose it is; the user's if absent.
            if_match: The digest that it must have now; any if absent.

        Raises:
            SkillNotFound: The user has no such skill.

        Example:
            await user.delete_skill("law/leases")
        """
        await self.client.send(operations.delete_skill(self.id, skill, layer=layer, if_match=if_match))

    async def versions(
        self, skill: str, *, layer: Literal["user", "team", "org"] | None = None
    ) -> AsyncIterator[models.SkillVersion]:
        """The versions of a skill, the newest first.

        Args:
            skill: Its path.
            layer: Whose it is; the user's if absent.

        Raises:
            SkillNotFound: The user never had such a skill.

        Example:
            async for version in user.versions("writing/minutes"):
                print(version.digest, version.published_at)
        """
        cursor: str | None = None
        while True:
            page = await self.client.send(operations.list_versions(self.id, skill, layer=layer, cursor=cursor))
            for version in page.versions:
                yield version
            cursor = page.next_cursor
            if cursor is None:
                return

    async def diff(
        self,
        skill: str,
        before: str | None = None,
        after: str | None = None,
        *,
        layer: Literal["user", "team", "org"] | None = None,
    ) -> models.VersionDiff:
        """What differs between two versions of a skill.

        Args:
            skill: Its path.
            before: The digest of the older one; the version before `after` if absent.
            after: The digest of the newer one; the published one if absent.
            layer: Whose it is; the user's if absent.

        Raises:
            SkillNotFound: The user never had such a skill.
            VersionNotFound: It has no such version.

        Example:
            print((await user.diff("writing/minutes")).diff)
        """
        return await self.client.send(operations.diff_versions(self.id, skill, from_=before, to=after, layer=layer))

    async def rollback(
        self,
        skill: str,
        digest: str,
        *,
        layer: Literal["user", "team", "org"] | None = None,
        if_match: str | None = None,
    ) -> models.PublishReply:
        """Go back to an earlier version of a skill, also of a deleted one. Needs a key of scope `control`.

        Args:
            skill: Its path.
            digest: The version.
            layer: Whose it is; the user's if absent.
            if_match: The digest that the skill must have now; any if absent.

        Raises:
            VersionNotFound: It has no such version.

        Example:
            oldest = [version.digest async for version in user.versions("writing/minutes")][-1]
            await user.rollback("writing/minutes", oldest)
        """
        body = models.RollbackRequest(digest=digest)
        return await self.client.send(operations.roll_back_skill(self.id, skill, body, layer=layer, if_match=if_match))

    async def lint(self, skill: str | None = None) -> AsyncIterator[models.LintedSkill]:
        """What is wrong with the skills as they lie in the store, one skill after another.

        Args:
            skill: Only this one, by its path.

        Example:
            async for judged in user.lint():
                print(judged)
        """
        cursor: str | None = None
        while True:
            page = await self.client.send(operations.lint_skills(self.id, skill=skill, cursor=cursor))
            for judged in page.skills:
                yield judged
            cursor = page.next_cursor
            if cursor is None:
                return

    async def discover(
        self, query: str, category: str | None = None, limit: int = 10, *, session: str = "discover"
    ) -> models.DiscoverReply:
        """Find skills for a task, the best first.

        Args:
            query: The task in a few words, in any language.
            category: Only skills below this folder.
            limit: How many skills to return at most.
            session: The session in which the search is made, because a search follows a session's policy.

        Example:
            print([found.skill for found in (await user.discover("minutes of a meeting")).skills])
        """
        return await self.session(session).discover_skills(query, category, limit)

    async def catalog(self) -> models.CatalogStatus:
        """How many skills there are, and as of when.

        Example:
            print((await user.catalog()).skills)
        """
        return await self.client.send(operations.show_catalog(self.id))

    async def refresh(self) -> models.RefreshReply:
        """Read the skills in the store again, such as after a change by hand.

        Example:
            print((await user.refresh()).changed)
        """
        return await self.client.send(operations.refresh_catalog(self.id))

    async def rebuild(self) -> models.CatalogStatus:
        """Throw away what the store keeps of the catalog, and read each skill again. Needs a key of scope `control`.

        Example:
            await user.rebuild()
        """
        return await self.client.send(operations.rebuild_catalog(self.id))

    async def sessions(self) -> AsyncIterator[models.Session]:
        """All sessions that the key reaches, one after another.

        Example:
            async for session in user.sessions():
                print(session.session_id)
        """
        cursor: str | None = None
        while True:
            page = await self.client.send(operations.list_sessions(self.id, cursor=cursor))
            for session in page.sessions:
                yield session
            cursor = page.next_cursor
            if cursor is None:
                return

    async def collect_sessions(self) -> models.SessionGcReply:
        """Forget sessions that were idle for 30 days. Their files stay. Needs a key of scope `control`.

        Example:
            print((await user.collect_sessions()).removed)
        """
        return await self.client.send(operations.collect_sessions(self.id))

    async def approvals(self) -> AsyncIterator[tuple[str, models.WaitingCall]]:
        """The calls that wait for a person, each with its session. Needs a key of scope `control`.

        One request is made for each session.

        Example:
            async for session_id, waiting in user.approvals():
                await user.session(session_id).decide(waiting.approval_id, "allow")
        """
        async for session in self.sessions():
            for waiting in await self.session(session.session_id).approvals():
                yield session.session_id, waiting

    async def policy(self) -> models.UserPolicy:
        """What all sessions of the user may do.

        Example:
            print((await user.policy()).tools)
        """
        return await self.client.send(operations.show_user_policy(self.id))

    async def set_policy(self, policy: models.Policy) -> models.UserPolicy:
        """Set what all sessions of the user may do. Needs a key of scope `control`.

        Args:
            policy: What is not set in it is as the service's defaults say.

        Returns:
            The policy, with the rules that meet nothing.

        Example:
            await user.set_policy(models.Policy(tools={"write": "ask"}))
        """
        return await self.client.send(operations.set_user_policy(self.id, policy))

    async def usage(self, since: datetime | None = None) -> models.Usage:
        """How conversations find and use skills. Needs a key of scope `control`.

        Args:
            since: The time at which to begin, with its time zone; as far back as there are records if absent.

        Example:
            print((await user.usage()).conversations)
        """
        return await self.client.send(operations.get_usage(self.id, since=_time(since)))

    async def audit(
        self, *, session: str | None = None, operation: str | None = None, since: datetime | None = None
    ) -> AsyncIterator[models.AuditRecord]:
        """What was done on the user's data, one record after another. Needs a key of scope `control`.

        Args:
            session: Only records of this session.
            operation: Only records of this operation, such as `write`.
            since: The time at which to begin, with its time zone; as far back as there are records if absent.

        Example:
            async for record in user.audit(operation="write"):
                print(record.subject, record.outcome)
        """
        cursor: str | None = None
        while True:
            call = operations.list_audit_records(
                self.id, session=session, operation=operation, since=_time(since), cursor=cursor
            )
            page = await self.client.send(call)
            for record in page.records:
                yield record
            cursor = page.next_cursor
            if cursor is None:
                return

    async def events(self, after: str | None = None) -> models.EventList:
        """What happened in all sessions of the user since an event. Needs a key of scope `control`.

        Args:
            after: The `next` of an earlier answer; None asks only for the present position.

        Returns:
            Up to 1,000 events, and in `next` what to ask with for those after them.

        Example:
            position = (await user.events()).next
        """
        return await self.client.send(operations.watch_user(self.id, last_event_id=after))

    async def export(self) -> bytes:
        """Everything of the user as one tar archive. Needs a key of scope `control`.

        Returns:
            The archive. One that is not whole lacks its end, and `tarfile` says so.

        Example:
            archive = await user.export()
        """
        return await self.client.send(operations.export_user(self.id))

    async def delete(self) -> models.Deletion:
        """Delete the user with everything, earlier versions included. Needs a key of scope `control` for all users.

        Returns:
            The receipt. `deletion` says how far the deletion is.

        Example:
            print((await user.delete()).state)
        """
        return await self.client.send(operations.delete_user(self.id))

    async def deletion(self) -> models.Deletion:
        """How far the deletion of the user is. Needs a key of scope `control` for all users.

        Example:
            await user.delete()
            print((await user.deletion()).state)
        """
        return await self.client.send(operations.show_deletion(self.id))


def _time(at: datetime | None) -> str | None:
    return None if at is None else at.isoformat()

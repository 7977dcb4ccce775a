# Made by scripts/generate.py from _async/user.py. Do not edit.
"""`UserClient`: the calls of one user."""

from __future__ import annotations

import base64
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, Literal

from .._generated import models, operations
from ..call import zipped
from ..problem import SkillmountError
from .session import SessionClient

if TYPE_CHECKING:
    from .client import Client


class UserClient:
    """The skills, sessions and records of one user.

    A call that fails raises `SkillmountError`: a class of `skillmount.errors` for each code of the service, or
    `Unreachable` without an answer. `Denied` says that the key has not the scope that a call needs. The methods name
    only errors that they add to these.

    Example:
        user = client.user("ana")
        print([skill.skill for skill in user.skills()])
    """

    def __init__(self, client: Client, user: str) -> None:
        """Nothing is sent.

        Args:
            client: What sends the calls.
            user: Whose skills they are.
        """
        self.client = client
        self.id = user

    def session(self, session: str) -> SessionClient:
        """The calls of one session. Nothing is sent.

        Args:
            session: Its id; the session need not exist before.

        Example:
            session = user.session("monday")
        """
        return SessionClient(self.client, self.id, session)

    def skills(self, category: str | None = None, *, fresh: bool = False) -> Iterator[models.SkillReply]:
        """All skills, one after another.

        Args:
            category: Only skills below this folder.
            fresh: Whether the service looks into the store first, so that a skill that was just put there is listed.

        Example:
            for skill in user.skills("writing"):
                print(skill.skill, skill.description)
        """
        cursor: str | None = None
        while True:
            call = operations.list_skills(self.id, category=category, fresh=fresh or None, cursor=cursor)
            page = self.client.send(call)
            for skill in page.skills:
                yield skill
            cursor = page.next_cursor
            if cursor is None:
                return

    def skill(self, skill: str, *, digest: str | None = None) -> models.SkillPage:
        """One skill with its instructions and its list of files.

        Args:
            skill: Its path.
            digest: The version; the present one if absent.

        Raises:
            SkillNotFound: The user has no such skill.
            VersionNotFound: It has no such version.

        Example:
            print(user.skill("writing/minutes").body)
        """
        return self.client.send(operations.show_skill(self.id, skill, digest=digest))

    def skill_file(self, skill: str, path: str = "SKILL.md") -> bytes:
        """The bytes of one file of a skill, without loading it.

        Args:
            skill: Its path.
            path: The file below its folder.

        Raises:
            SkillNotFound: The user has no such skill.
            FileNotFound: It has no such file.

        Example:
            content = user.skill_file("writing/minutes", "template.md")
        """
        return self.client.send(operations.get_skill_file(self.id, skill, path=path))

    def skill_files(self, skill: str, paths: Sequence[str] | None = None) -> dict[str, bytes]:
        """Files of a skill by their paths below its folder, without loading it.

        Args:
            skill: Its path.
            paths: The files; all of them if absent.

        Raises:
            SkillNotFound: The user has no such skill.
            FileNotFound: It has not one of the files.

        Example:
            print(sorted(user.skill_files("writing/minutes")))
        """
        wanted: dict[str, Any] = {"skill": skill} if paths is None else {"skill": skill, "paths": list(paths)}
        body = models.DownloadSkillsRequest(skills=[models.SkillFilesRequest(**wanted)])
        reply = self.client.send(operations.download_skills(self.id, body))
        files: dict[str, bytes] = {}
        for file in reply.files:
            if file.content is None:
                kind = SkillmountError.by_code.get(file.error or "", SkillmountError)
                raise kind(file.detail or f"{file.path} was not sent", code=file.error)
            files[file.path.removeprefix(f"{skill}/")] = base64.b64decode(file.content)
        return files

    def skill_archive(self, skill: str) -> bytes:
        """The folder of a skill as a zip archive, which `publish` takes.

        Args:
            skill: Its path.

        Raises:
            SkillNotFound: The user has no such skill.

        Example:
            archive = user.skill_archive("writing/minutes")
            user.publish("archive/minutes", archive)
        """
        return self.client.send(zipped(operations.show_skill(self.id, skill)))

    def publish(
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
            print(user.publish("writing/letters", letters).digest)
        """
        call = operations.publish_skill(
            self.id, skill, content, state=state, source=source, layer=layer, if_match=if_match
        )
        return self.client.send(call)

    def change_skill(
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
            user.change_skill("writing/minutes", body="# Minutes, shorter")
        """
        given = {"state": state, "description": description, "body": body}
        changes = models.ChangeSkillRequest.model_validate({k: v for k, v in given.items() if v is not None})
        return self.client.send(operations.change_skill(self.id, skill, changes, layer=layer, if_match=if_match))

    def delete_skill(
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
            user.delete_skill("law/leases")
        """
        self.client.send(operations.delete_skill(self.id, skill, layer=layer, if_match=if_match))

    def versions(
        self, skill: str, *, layer: Literal["user", "team", "org"] | None = None
    ) -> Iterator[models.SkillVersion]:
        """The versions of a skill, the newest first.

        Args:
            skill: Its path.
            layer: Whose it is; the user's if absent.

        Raises:
            SkillNotFound: The user never had such a skill.

        Example:
            for version in user.versions("writing/minutes"):
                print(version.digest, version.published_at)
        """
        cursor: str | None = None
        while True:
            page = self.client.send(operations.list_versions(self.id, skill, layer=layer, cursor=cursor))
            for version in page.versions:
                yield version
            cursor = page.next_cursor
            if cursor is None:
                return

    def diff(
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
            print(user.diff("writing/minutes").diff)
        """
        return self.client.send(operations.diff_versions(self.id, skill, from_=before, to=after, layer=layer))

    def rollback(
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
            oldest = [version.digest for version in user.versions("writing/minutes")][-1]
            user.rollback("writing/minutes", oldest)
        """
        body = models.RollbackRequest(digest=digest)
        return self.client.send(operations.roll_back_skill(self.id, skill, body, layer=layer, if_match=if_match))

    def lint(self, skill: str | None = None) -> Iterator[models.LintedSkill]:
        """What is wrong with the skills as they lie in the store, one skill after another.

        Args:
            skill: Only this one, by its path.

        Example:
            for judged in user.lint():
                print(judged)
        """
        cursor: str | None = None
        while True:
            page = self.client.send(operations.lint_skills(self.id, skill=skill, cursor=cursor))
            for judged in page.skills:
                yield judged
            cursor = page.next_cursor
            if cursor is None:
                return

    def discover(
        self, query: str, category: str | None = None, limit: int = 10, *, session: str = "discover"
    ) -> models.DiscoverReply:
        """Find skills for a task, the best first.

        Args:
            query: The task in a few words, in any language.
            category: Only skills below this folder.
            limit: How many skills to return at most.
            session: The session in which the search is made, because a search follows a session's policy.

        Example:
            print([found.skill for found in user.discover("minutes of a meeting").skills])
        """
        return self.session(session).discover_skills(query, category, limit)

    def catalog(self) -> models.CatalogStatus:
        """How many skills there are, and as of when.

        Example:
            print(user.catalog().skills)
        """
        return self.client.send(operations.show_catalog(self.id))

    def refresh(self) -> models.RefreshReply:
        """Read the skills in the store again, such as after a change by hand.

        Example:
            print(user.refresh().changed)
        """
        return self.client.send(operations.refresh_catalog(self.id))

    def rebuild(self) -> models.CatalogStatus:
        """Throw away what the store keeps of the catalog, and read each skill again. Needs a key of scope `control`.

        Example:
            user.rebuild()
        """
        return self.client.send(operations.rebuild_catalog(self.id))

    def sessions(self) -> Iterator[models.Session]:
        """All sessions that the key reaches, one after another.

        Example:
            for session in user.sessions():
                print(session.session_id)
        """
        cursor: str | None = None
        while True:
            page = self.client.send(operations.list_sessions(self.id, cursor=cursor))
            for session in page.sessions:
                yield session
            cursor = page.next_cursor
            if cursor is None:
                return

    def collect_sessions(self) -> models.SessionGcReply:
        """Forget sessions that were idle for 30 days. Their files stay. Needs a key of scope `control`.

        Example:
            print(user.collect_sessions().removed)
        """
        return self.client.send(operations.collect_sessions(self.id))

    def approvals(self) -> Iterator[tuple[str, models.WaitingCall]]:
        """The calls that wait for a person, each with its session. Needs a key of scope `control`.

        One request is made for each session.

        Example:
            for session_id, waiting in user.approvals():
                user.session(session_id).decide(waiting.approval_id, "allow")
        """
        for session in self.sessions():
            for waiting in self.session(session.session_id).approvals():
                yield session.session_id, waiting

    def policy(self) -> models.UserPolicy:
        """What all sessions of the user may do.

        Example:
            print(user.policy().tools)
        """
        return self.client.send(operations.show_user_policy(self.id))

    def set_policy(self, policy: models.Policy) -> models.UserPolicy:
        """Set what all sessions of the user may do. Needs a key of scope `control`.

        Args:
            policy: What is not set in it is as the service's defaults say.

        Returns:
            The policy, with the rules that meet nothing.

        Example:
            user.set_policy(models.Policy(tools={"write": "ask"}))
        """
        return self.client.send(operations.set_user_policy(self.id, policy))

    def usage(self, since: datetime | None = None) -> models.Usage:
        """How conversations find and use skills. Needs a key of scope `control`.

        Args:
            since: The time at which to begin, with its time zone; as far back as there are records if absent.

        Example:
            print(user.usage().conversations)
        """
        return self.client.send(operations.get_usage(self.id, since=_time(since)))

    def audit(
        self, *, session: str | None = None, operation: str | None = None, since: datetime | None = None
    ) -> Iterator[models.AuditRecord]:
        """What was done on the user's data, one record after another. Needs a key of scope `control`.

        Args:
            session: Only records of this session.
            operation: Only records of this operation, such as `write`.
            since: The time at which to begin, with its time zone; as far back as there are records if absent.

        Example:
            for record in user.audit(operation="write"):
                print(record.subject, record.outcome)
        """
        cursor: str | None = None
        while True:
            call = operations.list_audit_records(
                self.id, session=session, operation=operation, since=_time(since), cursor=cursor
            )
            page = self.client.send(call)
            for record in page.records:
                yield record
            cursor = page.next_cursor
            if cursor is None:
                return

    def events(self, after: str | None = None) -> models.EventList:
        """What happened in all sessions of the user since an event. Needs a key of scope `control`.

        Args:
            after: The `next` of an earlier answer; None asks only for the present position.

        Returns:
            Up to 1,000 events, and in `next` what to ask with for those after them.

        Example:
            position = user.events().next
        """
        return self.client.send(operations.watch_user(self.id, last_event_id=after))

    def export(self) -> bytes:
        """Everything of the user as one tar archive. Needs a key of scope `control`.

        Returns:
            The archive. One that is not whole lacks its end, and `tarfile` says so.

        Example:
            archive = user.export()
        """
        return self.client.send(operations.export_user(self.id))

    def delete(self) -> models.Deletion:
        """Delete the user with everything, earlier versions included. Needs a key of scope `control` for all users.

        Returns:
            The receipt. `deletion` says how far the deletion is.

        Example:
            print(user.delete().state)
        """
        return self.client.send(operations.delete_user(self.id))

    def deletion(self) -> models.Deletion:
        """How far the deletion of the user is. Needs a key of scope `control` for all users.

        Example:
            user.delete()
            print(user.deletion().state)
        """
        return self.client.send(operations.show_deletion(self.id))


def _time(at: datetime | None) -> str | None:
    return None if at is None else at.isoformat()

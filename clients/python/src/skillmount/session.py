# Made by scripts/generate.py from aio.py. Do not edit.
"""The calls of a session and of a user, by the names that agents know. They block."""

from __future__ import annotations

import base64
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

from ._generated import models, operations
from .call import Reply
from .problem import SkillmountError

if TYPE_CHECKING:
    from .client import Client

PromptMode = Literal["two_state", "listing", "combined", "discover"]
PromptFormat = Literal["xml", "yaml", "markdown", "json"]


class SessionClient:
    """What an agent does in one session. Calls raise `SkillmountError`, by its code."""

    def __init__(self, client: Client, user: str, session: str) -> None:
        """Nothing is sent.

        Args:
            client: What sends the calls.
            user: Whose session it is.
            session: Its id; it need not exist before.
        """
        self.client = client
        self.user = user
        self.id = session

    def ls(self, path: str = "/") -> models.LsReply:
        """The entries of a folder."""
        return self.client.send(operations.list_folder(self.user, self.id, models.LsRequest(path=path)))

    def read(self, file_path: str, offset: int = 0, limit: int = 2000) -> models.ReadReply:
        """Lines of a text file: `limit` of them after the first `offset`."""
        body = models.ReadRequest(file_path=file_path, offset=offset, limit=limit)
        return self.client.send(operations.read_file(self.user, self.id, body))

    def grep(
        self,
        pattern: str,
        path: str | None = None,
        glob: str | None = None,
        *,
        literal: bool = False,
        ignore_case: bool = False,
        context: int = 0,
        output_mode: Literal["content", "files", "count"] = "content",
        max_count: int | None = None,
    ) -> models.GrepReply:
        """Search file contents, by a Rust regular expression or for plain text (`literal`)."""
        body = models.GrepRequest(
            pattern=pattern,
            path=path,
            glob=glob,
            literal=literal,
            ignore_case=ignore_case,
            context=context,
            output_mode=output_mode,
            max_count=max_count,
        )
        return self.client.send(operations.search_files(self.user, self.id, body))

    def glob(self, pattern: str, path: str | None = None) -> models.GlobReply:
        """Files by name."""
        body = models.GlobRequest(pattern=pattern, path=path)
        return self.client.send(operations.find_files(self.user, self.id, body))

    def write(self, file_path: str, content: str, *, overwrite: bool = False) -> models.WriteReply:
        """Make a text file; with `overwrite`, or replace it."""
        body = models.WriteRequest(file_path=file_path, content=content, overwrite=overwrite)
        return self.client.send(operations.write_file(self.user, self.id, body))

    def edit(
        self,
        file_path: str,
        old_string: str,
        new_string: str,
        *,
        replace_all: bool = False,
        newlines: Literal["exact", "file"] = "exact",
    ) -> models.EditReply:
        """Replace exact text in a file; with `newlines="file"`, whichever line ends the file has."""
        body = models.EditRequest(
            file_path=file_path,
            old_string=old_string,
            new_string=new_string,
            replace_all=replace_all,
            newlines=newlines,
        )
        return self.client.send(operations.edit_file(self.user, self.id, body))

    def move(self, source: str, target: str) -> models.MoveReply:
        """Move a file or a folder."""
        body = models.MoveRequest.model_validate({"from": source, "to": target})
        return self.client.send(operations.move_path(self.user, self.id, body))

    def delete(self, path: str) -> models.DeleteReply:
        """Delete a file, or a folder and everything below it."""
        return self.client.send(operations.delete_path(self.user, self.id, models.DeleteRequest(path=path)))

    def get(self, file_path: str) -> bytes:
        """The bytes of a file."""
        return self.client.send(operations.get_file(self.user, self.id, file_path))

    def put(self, file_path: str, content: bytes) -> None:
        """Store bytes, replacing what is there."""
        self.client.send(operations.put_file(self.user, self.id, file_path, content))

    def upload(self, files: Sequence[tuple[str, bytes]]) -> models.UploadReply:
        """Store files, each by itself: the answer has an outcome for each, in order."""
        return self.client.send(operations.upload_files(self.user, self.id, files))

    def download(self, paths: Sequence[str]) -> list[tuple[str, bytes | None, str | None]]:
        """Files by their paths: path, bytes and code of the error of each, in order."""
        body = models.DownloadRequest(paths=list(paths))
        reply = self.client.send(operations.download_files(self.user, self.id, body))
        return [
            (file.path, None if file.content is None else base64.b64decode(file.content), file.error)
            for file in reply.files
        ]

    def load_skill(self, skill: str, arguments: str | None = None, *, body: bool = True) -> models.LoadSkillReply:
        """Load a skill; its files are below `/skills` from then on. Without `body` its instructions are not sent."""
        request = models.LoadSkillRequest(skill=skill, arguments=arguments, body=body)
        return self.client.send(operations.load_skill(self.user, self.id, request))

    def unload_skill(self, skill: str) -> models.UnloadSkillReply:
        """Unload a skill; its files are gone from `/skills`."""
        return self.client.send(operations.unload_skill(self.user, self.id, models.UnloadSkillRequest(skill=skill)))

    def discover_skills(self, query: str, category: str | None = None, limit: int = 10) -> models.DiscoverReply:
        """Skills for a task, the best first."""
        body = models.DiscoverRequest(query=query, category=category, limit=limit)
        return self.client.send(operations.discover_skills(self.user, self.id, body))

    def prompt(
        self,
        *,
        mode: PromptMode | None = None,
        format: PromptFormat | None = None,  # noqa: A002 - the name in the API
        category: str | None = None,
        max_tokens: int | None = None,
    ) -> models.PromptReply:
        """What to put before the model."""
        call = operations.render_prompt(
            self.user, self.id, mode=mode, format=format, category=category, max_tokens=max_tokens
        )
        return self.client.send(call)

    def prompt_unless(self, etag: str | None, *, mode: PromptMode | None = None) -> Reply[models.PromptReply]:
        """The prompt with its `etag`; its value is None if it is still the one of the `etag` given."""
        return self.client.fetch(operations.render_prompt(self.user, self.id, mode=mode, if_none_match=etag))

    def tools(self, format: Literal["anthropic", "openai", "mcp"] | None = None) -> list[dict[str, Any]]:  # noqa: A002
        """The tools that the session may use now, as the host has them."""
        reply = self.client.send(operations.list_tools(self.user, self.id, format=format))
        return reply.tools

    def tool_calls(self, blocks: Sequence[Mapping[str, Any]], *, mode: PromptMode | None = None) -> list[Any]:
        """Run the `tool_use` blocks of one turn; the `tool_result` blocks, in order."""
        body = models.ToolCallsRequest(content=[dict(block) for block in blocks], mode=mode)
        reply = self.client.send(operations.run_tool_calls(self.user, self.id, body))
        return list(reply.model_dump(mode="json", exclude_unset=True)["content"])

    def message(self, text: str) -> models.MessageReply:
        """What a slash command in a person's message does."""
        return self.client.send(operations.send_message(self.user, self.id, models.MessageRequest(text=text)))

    def show(self) -> models.Session:
        """The session as it is."""
        return self.client.send(operations.show_session(self.user, self.id))

    def create(
        self,
        *,
        variables: Mapping[str, str] | None = None,
        policy: models.Policy | None = None,
        parent: str | None = None,
    ) -> models.Session:
        """Make the session, if it is not there; `parent` is the one whose workspace it shares."""
        given = {"vars": dict(variables) if variables else None, "policy": policy, "parent": parent}
        body = models.CreateSessionRequest.model_validate({k: v for k, v in given.items() if v is not None})
        return self.client.send(operations.create_session(self.user, self.id, body))

    def change(self, changes: models.ChangeSessionRequest) -> models.Session:
        """Change what is set in `changes`."""
        return self.client.send(operations.change_session(self.user, self.id, changes))

    def forget(self, *, workspace: bool = False) -> None:
        """Forget the session; with `workspace`, its files too."""
        self.client.send(operations.forget_session(self.user, self.id, workspace="delete" if workspace else None))


class UserClient:
    """The skills and sessions of one user. Calls raise `SkillmountError`, by its code."""

    def __init__(self, client: Client, user: str) -> None:
        """Nothing is sent.

        Args:
            client: What sends the calls.
            user: Whose skills they are.
        """
        self.client = client
        self.id = user

    def skills(self, category: str | None = None, *, fresh: bool = False) -> Iterator[models.SkillReply]:
        """All skills, one after another."""
        cursor: str | None = None
        while True:
            call = operations.list_skills(self.id, category=category, fresh=fresh or None, cursor=cursor)
            page = self.client.send(call)
            for skill in page.skills:
                yield skill
            cursor = page.next_cursor
            if cursor is None:
                return

    def skill(self, skill: str) -> models.SkillPage:
        """One skill with its instructions and its list of files."""
        return self.client.send(operations.show_skill(self.id, skill))

    def skill_file(self, skill: str, path: str = "SKILL.md") -> bytes:
        """The bytes of one file of a skill, without loading it."""
        return self.client.send(operations.get_skill_file(self.id, skill, path=path))

    def skill_files(self, skill: str, paths: Sequence[str] | None = None) -> dict[str, bytes]:
        """Files of a skill by their paths below its folder, without loading it; all of them if `paths` is absent."""
        wanted: dict[str, Any] = {"skill": skill} if paths is None else {"skill": skill, "paths": list(paths)}
        body = models.DownloadSkillsRequest(skills=[models.SkillFilesRequest(**wanted)])
        files: dict[str, bytes] = {}
        for file in (self.client.send(operations.download_skills(self.id, body))).files:
            if file.content is None:
                kind = SkillmountError.by_code.get(file.error or "", SkillmountError)
                raise kind(file.detail or f"{file.path} was not sent", code=file.error)
            files[file.path.removeprefix(f"{skill}/")] = base64.b64decode(file.content)
        return files

    def publish(
        self,
        skill: str,
        content: models.PublishRequest | bytes | Sequence[tuple[str, bytes]],
        *,
        if_match: str | None = None,
    ) -> models.PublishReply:
        """Publish a skill whole: as text, as a zip, or as files with their paths in it."""
        return self.client.send(operations.publish_skill(self.id, skill, content, if_match=if_match))

    def delete_skill(self, skill: str) -> None:
        """Delete a skill; its versions are kept."""
        self.client.send(operations.delete_skill(self.id, skill))

    def sessions(self) -> Iterator[models.Session]:
        """All sessions, one after another."""
        cursor: str | None = None
        while True:
            page = self.client.send(operations.list_sessions(self.id, cursor=cursor))
            for session in page.sessions:
                yield session
            cursor = page.next_cursor
            if cursor is None:
                return

    def policy(self) -> models.UserPolicy:
        """What all sessions of the user may do."""
        return self.client.send(operations.show_user_policy(self.id))

    def set_policy(self, policy: models.Policy) -> models.UserPolicy:
        """Set it; needs a key of scope `control`."""
        return self.client.send(operations.set_user_policy(self.id, policy))

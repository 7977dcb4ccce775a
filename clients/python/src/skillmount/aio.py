"""The calls of a session and of a user, by the names that agents know. They are awaited."""

from __future__ import annotations

import base64
from collections.abc import AsyncIterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

from ._generated import models, operations
from .call import Reply
from .problem import SkillmountError

if TYPE_CHECKING:
    from .client import AsyncClient

PromptMode = Literal["two_state", "listing", "combined", "discover"]
PromptFormat = Literal["xml", "yaml", "markdown", "json"]


class AsyncSessionClient:
    """What an agent does in one session. Calls raise `SkillmountError`, by its code."""

    def __init__(self, client: AsyncClient, user: str, session: str) -> None:
        """Nothing is sent.

        Args:
            client: What sends the calls.
            user: Whose session it is.
            session: Its id; it need not exist before.
        """
        self.client = client
        self.user = user
        self.id = session

    async def ls(self, path: str = "/") -> models.LsReply:
        """The entries of a folder."""
        return await self.client.send(operations.list_folder(self.user, self.id, models.LsRequest(path=path)))

    async def read(self, file_path: str, offset: int = 0, limit: int = 2000) -> models.ReadReply:
        """Lines of a text file: `limit` of them after the first `offset`."""
        body = models.ReadRequest(file_path=file_path, offset=offset, limit=limit)
        return await self.client.send(operations.read_file(self.user, self.id, body))

    async def grep(
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
        return await self.client.send(operations.search_files(self.user, self.id, body))

    async def glob(self, pattern: str, path: str | None = None) -> models.GlobReply:
        """Files by name."""
        body = models.GlobRequest(pattern=pattern, path=path)
        return await self.client.send(operations.find_files(self.user, self.id, body))

    async def write(self, file_path: str, content: str, *, overwrite: bool = False) -> models.WriteReply:
        """Make a text file; with `overwrite`, or replace it."""
        body = models.WriteRequest(file_path=file_path, content=content, overwrite=overwrite)
        return await self.client.send(operations.write_file(self.user, self.id, body))

    async def edit(
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
        return await self.client.send(operations.edit_file(self.user, self.id, body))

    async def move(self, source: str, target: str) -> models.MoveReply:
        """Move a file or a folder."""
        body = models.MoveRequest.model_validate({"from": source, "to": target})
        return await self.client.send(operations.move_path(self.user, self.id, body))

    async def delete(self, path: str) -> models.DeleteReply:
        """Delete a file, or a folder and everything below it."""
        return await self.client.send(operations.delete_path(self.user, self.id, models.DeleteRequest(path=path)))

    async def get(self, file_path: str) -> bytes:
        """The bytes of a file."""
        return await self.client.send(operations.get_file(self.user, self.id, file_path))

    async def put(self, file_path: str, content: bytes) -> None:
        """Store bytes, replacing what is there."""
        await self.client.send(operations.put_file(self.user, self.id, file_path, content))

    async def upload(self, files: Sequence[tuple[str, bytes]]) -> models.UploadReply:
        """Store files, each by itself: the answer has an outcome for each, in order."""
        return await self.client.send(operations.upload_files(self.user, self.id, files))

    async def download(self, paths: Sequence[str]) -> list[tuple[str, bytes | None, str | None]]:
        """Files by their paths: path, bytes and code of the error of each, in order."""
        body = models.DownloadRequest(paths=list(paths))
        reply = await self.client.send(operations.download_files(self.user, self.id, body))
        return [
            (file.path, None if file.content is None else base64.b64decode(file.content), file.error)
            for file in reply.files
        ]

    async def load_skill(self, skill: str, arguments: str | None = None, *, body: bool = True) -> models.LoadSkillReply:
        """Load a skill; its files are below `/skills` from then on. Without `body` its instructions are not sent."""
        request = models.LoadSkillRequest(skill=skill, arguments=arguments, body=body)
        return await self.client.send(operations.load_skill(self.user, self.id, request))

    async def unload_skill(self, skill: str) -> models.UnloadSkillReply:
        """Unload a skill; its files are gone from `/skills`."""
        return await self.client.send(
            operations.unload_skill(self.user, self.id, models.UnloadSkillRequest(skill=skill))
        )

    async def discover_skills(self, query: str, category: str | None = None, limit: int = 10) -> models.DiscoverReply:
        """Skills for a task, the best first."""
        body = models.DiscoverRequest(query=query, category=category, limit=limit)
        return await self.client.send(operations.discover_skills(self.user, self.id, body))

    async def prompt(
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
        return await self.client.send(call)

    async def prompt_unless(self, etag: str | None, *, mode: PromptMode | None = None) -> Reply[models.PromptReply]:
        """The prompt with its `etag`; its value is None if it is still the one of the `etag` given."""
        return await self.client.fetch(operations.render_prompt(self.user, self.id, mode=mode, if_none_match=etag))

    async def tools(self, format: Literal["anthropic", "openai", "mcp"] | None = None) -> list[dict[str, Any]]:  # noqa: A002
        """The tools that the session may use now, as the host has them."""
        reply = await self.client.send(operations.list_tools(self.user, self.id, format=format))
        return reply.tools

    async def tool_calls(self, blocks: Sequence[Mapping[str, Any]], *, mode: PromptMode | None = None) -> list[Any]:
        """Run the `tool_use` blocks of one turn; the `tool_result` blocks, in order."""
        body = models.ToolCallsRequest(content=[dict(block) for block in blocks], mode=mode)
        reply = await self.client.send(operations.run_tool_calls(self.user, self.id, body))
        return list(reply.model_dump(mode="json", exclude_unset=True)["content"])

    async def message(self, text: str) -> models.MessageReply:
        """What a slash command in a person's message does."""
        return await self.client.send(operations.send_message(self.user, self.id, models.MessageRequest(text=text)))

    async def show(self) -> models.Session:
        """The session as it is."""
        return await self.client.send(operations.show_session(self.user, self.id))

    async def create(
        self,
        *,
        variables: Mapping[str, str] | None = None,
        policy: models.Policy | None = None,
        parent: str | None = None,
    ) -> models.Session:
        """Make the session, if it is not there; `parent` is the one whose workspace it shares."""
        given = {"vars": dict(variables) if variables else None, "policy": policy, "parent": parent}
        body = models.CreateSessionRequest.model_validate({k: v for k, v in given.items() if v is not None})
        return await self.client.send(operations.create_session(self.user, self.id, body))

    async def change(self, changes: models.ChangeSessionRequest) -> models.Session:
        """Change what is set in `changes`."""
        return await self.client.send(operations.change_session(self.user, self.id, changes))

    async def forget(self, *, workspace: bool = False) -> None:
        """Forget the session; with `workspace`, its files too."""
        await self.client.send(operations.forget_session(self.user, self.id, workspace="delete" if workspace else None))


class AsyncUserClient:
    """The skills and sessions of one user. Calls raise `SkillmountError`, by its code."""

    def __init__(self, client: AsyncClient, user: str) -> None:
        """Nothing is sent.

        Args:
            client: What sends the calls.
            user: Whose skills they are.
        """
        self.client = client
        self.id = user

    async def skills(self, category: str | None = None, *, fresh: bool = False) -> AsyncIterator[models.SkillReply]:
        """All skills, one after another."""
        cursor: str | None = None
        while True:
            call = operations.list_skills(self.id, category=category, fresh=fresh or None, cursor=cursor)
            page = await self.client.send(call)
            for skill in page.skills:
                yield skill
            cursor = page.next_cursor
            if cursor is None:
                return

    async def skill(self, skill: str) -> models.SkillPage:
        """One skill with its instructions and its list of files."""
        return await self.client.send(operations.show_skill(self.id, skill))

    async def skill_file(self, skill: str, path: str = "SKILL.md") -> bytes:
        """The bytes of one file of a skill, without loading it."""
        return await self.client.send(operations.get_skill_file(self.id, skill, path=path))

    async def skill_files(self, skill: str, paths: Sequence[str] | None = None) -> dict[str, bytes]:
        """Files of a skill by their paths below its folder, without loading it; all of them if `paths` is absent."""
        wanted: dict[str, Any] = {"skill": skill} if paths is None else {"skill": skill, "paths": list(paths)}
        body = models.DownloadSkillsRequest(skills=[models.SkillFilesRequest(**wanted)])
        files: dict[str, bytes] = {}
        for file in (await self.client.send(operations.download_skills(self.id, body))).files:
            if file.content is None:
                kind = SkillmountError.by_code.get(file.error or "", SkillmountError)
                raise kind(file.detail or f"{file.path} was not sent", code=file.error)
            files[file.path.removeprefix(f"{skill}/")] = base64.b64decode(file.content)
        return files

    async def publish(
        self,
        skill: str,
        content: models.PublishRequest | bytes | Sequence[tuple[str, bytes]],
        *,
        if_match: str | None = None,
    ) -> models.PublishReply:
        """Publish a skill whole: as text, as a zip, or as files with their paths in it."""
        return await self.client.send(operations.publish_skill(self.id, skill, content, if_match=if_match))

    async def delete_skill(self, skill: str) -> None:
        """Delete a skill; its versions are kept."""
        await self.client.send(operations.delete_skill(self.id, skill))

    async def sessions(self) -> AsyncIterator[models.Session]:
        """All sessions, one after another."""
        cursor: str | None = None
        while True:
            page = await self.client.send(operations.list_sessions(self.id, cursor=cursor))
            for session in page.sessions:
                yield session
            cursor = page.next_cursor
            if cursor is None:
                return

    async def policy(self) -> models.UserPolicy:
        """What all sessions of the user may do."""
        return await self.client.send(operations.show_user_policy(self.id))

    async def set_policy(self, policy: models.Policy) -> models.UserPolicy:
        """Set it; needs a key of scope `control`."""
        return await self.client.send(operations.set_user_policy(self.id, policy))

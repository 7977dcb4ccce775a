# Made by scripts/generate.py from _async/session.py. Do not edit.
"""`SessionClient`: the calls of one session."""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, Self, TypeVar

from .._generated import models, operations
from ..call import Call, Reply, with_call_id
from ..prompt import PromptFormat, PromptMode
from ..settings import with_key

if TYPE_CHECKING:
    from .client import Client

T = TypeVar("T")


class SessionClient:
    """What an agent does in one session, by the names that agents know.

    A call that fails raises `SkillmountError`: a class of `skillmount.errors` for each code of the service, such as
    `ToolBlocked` and `ApprovalRequired` if the policy does not allow the call, or `Unreachable` without an answer. The
    methods name only errors that they add to these.

    Example:
        session = client.session("ana", "monday")
        session.write("/workspace/a.md", "one")
    """

    def __init__(self, client: Client, user: str, session: str, call_id: str | None = None) -> None:
        """Nothing is sent.

        Args:
            client: What sends the calls.
            user: Whose session it is.
            session: Its id; it need not exist before.
            call_id: The id of the events and the audit records of its calls; each has a new one if absent.
        """
        self.client = client
        self.user = user
        self.id = session
        self._call_id = call_id

    def for_call(self, call_id: str) -> Self:
        """The same session for the call that a model wrote with this id. Its event and its audit record have the id.

        Args:
            call_id: The id, of which 128 characters are sent. An id with other characters than printable ASCII is
                omitted.

        Example:
            session.for_call("toolu_01").read("/workspace/notes.md")
        """
        return type(self)(self.client, self.user, self.id, call_id)

    def _send(self, call: Call[T]) -> T:
        return self.client.send(with_call_id(call, self._call_id))

    def ls(self, path: str = "/") -> models.LsReply:
        """List a folder, one level deep.

        Args:
            path: The folder.

        Raises:
            FileNotFound: There is no such folder.
            NotADirectory: It is a file.

        Example:
            print([entry.path for entry in session.ls("/workspace").entries])
        """
        return self._send(operations.list_folder(self.user, self.id, models.LsRequest(path=path)))

    def read(self, file_path: str, offset: int = 0, limit: int = 2000) -> models.ReadReply:
        """Read lines of a text file.

        Args:
            file_path: The file.
            offset: How many lines to pass over.
            limit: How many lines to read at most.

        Raises:
            FileNotFound: There is no such file.
            IsADirectory: It is a folder.
            BinaryFile: It is no text; `get` reads its bytes.
            OffsetOutOfRange: It has no more than `offset` lines.

        Example:
            print(session.read("/workspace/notes.md", limit=100).content)
        """
        body = models.ReadRequest(file_path=file_path, offset=offset, limit=limit)
        return self._send(operations.read_file(self.user, self.id, body))

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
        """Search file contents.

        Args:
            pattern: A Rust regular expression, which meets single lines.
            path: The folder or the file to search; everything that the session sees if absent.
            glob: Only files whose names match, such as `*.md`.
            literal: Whether the pattern is plain text.
            ignore_case: Whether capitals and small letters are equal.
            context: How many lines to show before and after each line that matches.
            output_mode: Whether lines, paths or numbers of matches are the answer.
            max_count: How many matches to return at most; as the service says if absent.

        Raises:
            InvalidPattern: The pattern cannot be read.
            TooExpensive: The pattern takes more work than a call may.

        Example:
            found = session.grep("- .*", "/workspace", output_mode="files")
            print(found.files)
        """
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
        return self._send(operations.search_files(self.user, self.id, body))

    def glob(self, pattern: str, path: str | None = None) -> models.GlobReply:
        """Find files by name.

        Args:
            pattern: A pattern such as `**/*.md`.
            path: The folder to look in; everything that the session sees if absent.

        Raises:
            InvalidPattern: The pattern cannot be read.

        Example:
            print([match.path for match in session.glob("**/*.md").matches])
        """
        body = models.GlobRequest(pattern=pattern, path=path)
        return self._send(operations.find_files(self.user, self.id, body))

    def write(self, file_path: str, content: str, *, overwrite: bool = False) -> models.WriteReply:
        """Make a text file.

        Args:
            file_path: The file.
            content: Its text.
            overwrite: Whether a file that is there is replaced.

        Raises:
            AlreadyExists: The file is there, and `overwrite` is false.
            ReadOnly: The session may not write there.

        Example:
            session.write("/workspace/a.md", "one", overwrite=True)
        """
        body = models.WriteRequest(file_path=file_path, content=content, overwrite=overwrite)
        return self._send(operations.write_file(self.user, self.id, body))

    def edit(
        self,
        file_path: str,
        old_string: str,
        new_string: str,
        *,
        replace_all: bool = False,
        newlines: Literal["exact", "file"] = "exact",
    ) -> models.EditReply:
        """Replace exact text in a file.

        Args:
            file_path: The file.
            old_string: The text to replace.
            new_string: The text in its place.
            replace_all: Whether each occurrence is replaced; the text occurs once if false.
            newlines: `file` takes the line ends of the call for those of the file.

        Raises:
            FileNotFound: There is no such file.
            OldStringNotFound: The file has not this text.
            OldStringNotUnique: The text occurs several times; `members["occurrences"]` says how often.

        Example:
            session.edit("/workspace/notes.md", "notes", "minutes", replace_all=True)
        """
        body = models.EditRequest(
            file_path=file_path,
            old_string=old_string,
            new_string=new_string,
            replace_all=replace_all,
            newlines=newlines,
        )
        return self._send(operations.edit_file(self.user, self.id, body))

    def move(self, source: str, target: str) -> models.MoveReply:
        """Move a file or a folder.

        Args:
            source: Where it is.
            target: Where it is to be.

        Raises:
            FileNotFound: There is nothing at `source`.
            AlreadyExists: There is something at `target`.

        Example:
            session.move("/workspace/notes.md", "/workspace/old.md")
        """
        body = models.MoveRequest.model_validate({"from": source, "to": target})
        return self._send(operations.move_path(self.user, self.id, body))

    def delete(self, path: str) -> models.DeleteReply:
        """Delete a file, or a folder and everything below it.

        Args:
            path: What to delete.

        Raises:
            FileNotFound: There is nothing.

        Example:
            session.delete("/workspace/notes.md")
        """
        return self._send(operations.delete_path(self.user, self.id, models.DeleteRequest(path=path)))

    def get(self, file_path: str) -> bytes:
        """Read the bytes of a file.

        Args:
            file_path: The file.

        Raises:
            FileNotFound: There is no such file.

        Example:
            content = session.get("/workspace/notes.md")
        """
        return self._send(operations.get_file(self.user, self.id, file_path))

    def size(self, file_path: str) -> int:
        """How many bytes a file has, without reading it.

        Args:
            file_path: The file.

        Raises:
            SkillmountError: There is no such file; such an answer has no code.

        Example:
            print(session.size("/workspace/notes.md"))
        """
        return self._send(operations.head_file(self.user, self.id, file_path))

    def put(self, file_path: str, content: bytes, *, if_match: str | None = None) -> models.WriteReply:
        """Store bytes as a file, whatever was there.

        Args:
            file_path: The file.
            content: Its bytes.
            if_match: The ETag that the file must have now; any if absent.

        Raises:
            VersionConflict: The file has another ETag.

        Example:
            session.put("/workspace/a.bin", bytes(16))
        """
        return self._send(operations.put_file(self.user, self.id, file_path, content, if_match=if_match))

    def upload(self, files: Sequence[tuple[str, bytes]]) -> models.UploadReply:
        """Store files, each by itself.

        Args:
            files: Path and bytes of each.

        Returns:
            An outcome for each, in order. A file that failed has an `error`, and no error is raised.

        Example:
            reply = session.upload([("/workspace/a", b"a"), ("/workspace/b", b"b")])
            print([file.error for file in reply.files])
        """
        return self._send(operations.upload_files(self.user, self.id, files))

    def download(self, paths: Sequence[str]) -> list[tuple[str, bytes | None, str | None]]:
        """Read the bytes of files, each by itself.

        Args:
            paths: The files.

        Returns:
            Path, bytes and code of the error of each, in order. Either bytes or code is None, and no error is raised.

        Example:
            for path, content, error in session.download(["/workspace/notes.md", "/workspace/none"]):
                print(path, content, error)
        """
        body = models.DownloadRequest(paths=list(paths))
        reply = self._send(operations.download_files(self.user, self.id, body))
        return [
            (file.path, None if file.content is None else base64.b64decode(file.content), file.error)
            for file in reply.files
        ]

    def load_skill(
        self,
        skill: str,
        arguments: str | None = None,
        *,
        body: bool = True,
        mount_as: str | None = None,
        digest: str | None = None,
    ) -> models.LoadSkillReply:
        """Load a skill. Its files are below `/skills` from then on.

        Args:
            skill: Its path or its name.
            arguments: Words for the parameters of the skill.
            body: Whether its instructions are in the answer.
            mount_as: The name of its folder below `/skills`; that of the skill if absent.
            digest: The version to load; the published one if absent.

        Raises:
            SkillNotFound: The user has no such skill; `members["suggestions"]` has near ones.
            AmbiguousSkill: Several skills have this name; `members["candidates"]` has their paths.
            MountConflict: Another skill has this folder.

        Example:
            print(session.load_skill("writing/minutes").mount)
        """
        given = {"skill": skill, "arguments": arguments, "body": body, "mount_as": mount_as, "digest": digest}
        request = models.LoadSkillRequest.model_validate({k: v for k, v in given.items() if v is not None})
        return self._send(operations.load_skill(self.user, self.id, request))

    def unload_skill(self, skill: str) -> models.UnloadSkillReply:
        """Unload a skill. Its files are gone from `/skills`.

        Args:
            skill: Its path or its name.

        Example:
            session.unload_skill("writing/minutes")
        """
        return self._send(operations.unload_skill(self.user, self.id, models.UnloadSkillRequest(skill=skill)))

    def discover_skills(self, query: str, category: str | None = None, limit: int = 10) -> models.DiscoverReply:
        """Find skills for a task, the best first.

        Args:
            query: The task in a few words, in any language.
            category: Only skills below this folder.
            limit: How many skills to return at most.

        Example:
            print([found.skill for found in session.discover_skills("minutes of a meeting").skills])
        """
        body = models.DiscoverRequest(query=query, category=category, limit=limit)
        return self._send(operations.discover_skills(self.user, self.id, body))

    def create_skill(
        self, name: str, description: str, body: str, *, template: Literal["analysis", "writing", "code"] | None = None
    ) -> models.CreateSkillReply:
        """Make a draft of a skill.

        Args:
            name: Its name in small letters, digits and hyphens, perhaps after a category and a slash.
            description: What it is for and when to use it.
            body: Its instructions.
            template: Headings to begin with; none if absent.

        Raises:
            InvalidSkill: Name, description or body are not as a skill's must be.
            ApprovalRequired: A person approves it first, as default policies ask.

        Example:
            body = "# Letters begin with the date, and end with the name of who writes."
            session.create_skill("letters", "Writes letters. Use when asked for one.", body)
        """
        given = {"name": name, "description": description, "body": body, "template": template}
        request = models.CreateSkillRequest.model_validate({k: v for k, v in given.items() if v is not None})
        return self._send(operations.create_skill(self.user, self.id, request))

    def prompt(
        self,
        *,
        mode: PromptMode | None = None,
        format: PromptFormat | None = None,  # noqa: A002 - the name in the API
        category: str | None = None,
        max_tokens: int | None = None,
    ) -> models.PromptReply:
        """What to put before the model.

        Args:
            mode: How skills are presented; as the policy says if absent.
            format: How the listing is written; `xml` if absent.
            category: Only skills below this folder.
            max_tokens: How many tokens the listing has at most; 2,000 if absent.

        Example:
            print(session.prompt(max_tokens=500).prompt)
        """
        call = operations.render_prompt(
            self.user, self.id, mode=mode, format=format, category=category, max_tokens=max_tokens
        )
        return self._send(call)

    def prompt_unless(self, etag: str | None, *, mode: PromptMode | None = None) -> Reply[models.PromptReply]:
        """The prompt with its head, if it has changed.

        Args:
            etag: The `etag` of an earlier answer; None asks for the prompt in any case.
            mode: How skills are presented; as the policy says if absent.

        Returns:
            The answer. Its value is None if the prompt is still the one of `etag`.

        Example:
            first = session.prompt_unless(None)
            second = session.prompt_unless(first.headers["etag"])
            assert second.value is None
        """
        return self.client.fetch(operations.render_prompt(self.user, self.id, mode=mode, if_none_match=etag))

    def tools(
        self,
        format: Literal["anthropic", "openai", "mcp"] | None = None,  # noqa: A002 - the name in the API
    ) -> list[dict[str, Any]]:
        """The tools that the session may use now.

        Args:
            format: Whose shape they have; Anthropic's if absent.

        Example:
            print([tool["name"] for tool in session.tools()])
        """
        reply = self._send(operations.list_tools(self.user, self.id, format=format))
        return reply.tools

    def tool_calls(
        self, blocks: Sequence[Mapping[str, Any]], *, mode: PromptMode | None = None, details: bool = False
    ) -> list[Any]:
        """Run the tool calls of one turn.

        Args:
            blocks: The `tool_use` blocks as the model wrote them. The `id` of each is that of its record.
            mode: How the host presents skills; as the policy says if absent.
            details: Whether the result of a failed call has its `code`, and `approval_id` if it waits for a person.
                APIs of models reject both.

        Returns:
            A `tool_result` block for each, in order. A call that failed has `is_error`, and no error is raised.

        Example:
            call = {"type": "tool_use", "id": "1", "name": "ls", "input": {"path": "/"}}
            print(session.tool_calls([call])[0]["content"])
        """
        body = models.ToolCallsRequest(content=[dict(block) for block in blocks], mode=mode)
        reply = self._send(operations.run_tool_calls(self.user, self.id, body, result_details=details))
        return list(reply.model_dump(mode="json", exclude_unset=True)["content"])

    def message(self, text: str) -> models.MessageReply:
        """Do what a slash command in a person's message says.

        Args:
            text: The message.

        Example:
            print(session.message("/minutes of monday").text)
        """
        return self._send(operations.send_message(self.user, self.id, models.MessageRequest(text=text)))

    def hook(self, event: Mapping[str, Any]) -> models.HookOutput:
        """Answer a hook of a host, in the shape of Claude's.

        Args:
            event: The input of the hook.

        Example:
            session.hook({"hook_event_name": "SessionStart", "source": "startup"})
        """
        body = models.HookInput.model_validate(dict(event))
        return self._send(operations.answer_hook(self.user, self.id, body))

    def events(self, after: str | None = None) -> models.EventList:
        """What happened in the session since an event.

        Args:
            after: The `next` of an earlier answer; None asks only for the present position.

        Returns:
            Up to 1,000 events, and in `next` what to ask with for those after them.

        Example:
            position = session.events().next
            print(session.events(position).events)
        """
        return self._send(operations.watch_session(self.user, self.id, last_event_id=after))

    def approvals(self) -> list[models.WaitingCall]:
        """The calls that wait for a person, the oldest first.

        Raises:
            Denied: The key has not the scope `control`.

        Example:
            for waiting in session.approvals():
                print(waiting.tool, waiting.input, waiting.seconds_left)
        """
        return self._send(operations.list_approvals(self.user, self.id)).approvals

    def decide(
        self,
        approval_id: str,
        decision: Literal["allow", "deny"],
        *,
        remember: bool = False,
        message: str | None = None,
        control_key: str | None = None,
    ) -> models.Session:
        """Decide about a call that waits.

        Args:
            approval_id: Its id.
            decision: Whether it may run.
            remember: Whether this holds for each call of its tool, or each load of its skill, in this session.
            message: With `deny`, a text for the model of at most 1,000 characters.
            control_key: A key of scope `control`; that of the client if absent.

        Raises:
            ApprovalNotFound: No such call waits, or no longer.
            Denied: The key has not the scope `control`.

        Example:
            for waiting in session.approvals():
                session.decide(waiting.approval_id, "deny", message="archive it instead")
        """
        given = {"decision": decision, "remember": remember or None, "message": message}
        body = models.DecideApprovalRequest.model_validate({k: v for k, v in given.items() if v is not None})
        call = operations.decide_approval(self.user, self.id, approval_id, body)
        return self._send(with_key(call, control_key))

    def show(self) -> models.Session:
        """The session as it is. One that does not exist is shown as a new one.

        Example:
            print(session.show().current_skill)
        """
        return self._send(operations.show_session(self.user, self.id))

    def create(
        self,
        *,
        variables: Mapping[str, str] | None = None,
        policy: models.Policy | None = None,
        parent: str | None = None,
    ) -> models.Session:
        """Make the session, if it is not there.

        A session that exists stays as it is, and `unchanged` of the result names the arguments that differ from it.

        Args:
            variables: Values that the operator's templates ask for.
            policy: What it may do; as the user's policy says if absent.
            parent: The session whose workspace it shares; none if absent.

        Raises:
            SessionNotFound: There is no such parent.

        Example:
            session.create(policy=models.Policy(plan_mode=True))
        """
        given = {"vars": dict(variables) if variables else None, "policy": policy, "parent": parent}
        body = models.CreateSessionRequest.model_validate({k: v for k, v in given.items() if v is not None})
        return self._send(operations.create_session(self.user, self.id, body))

    def change(self, changes: models.ChangeSessionRequest) -> models.Session:
        """Change the session.

        Args:
            changes: What is set in them is changed, also to None.

        Raises:
            Denied: The change needs a key of scope `control`.

        Example:
            session.change(models.ChangeSessionRequest(current_skill=None))
        """
        return self._send(operations.change_session(self.user, self.id, changes))

    def forget(self, *, workspace: bool = False) -> None:
        """Forget the session.

        Args:
            workspace: Whether its files are deleted too.

        Example:
            session.forget(workspace=True)
        """
        self._send(operations.forget_session(self.user, self.id, workspace="delete" if workspace else None))

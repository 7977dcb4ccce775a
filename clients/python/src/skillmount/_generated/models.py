# Made by scripts/generate.py from the OpenAPI document of the service. Do not edit.

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, RootModel


class Amount(BaseModel):
    """
    A number of objects and their bytes.
    """

    objects: int
    """
    How many objects.
    """
    bytes: int
    """
    Their bytes.
    """


class AuditCatalog(BaseModel):
    """
    A change of the catalog.
    """

    changed: int
    """
    Skills that are new, or not as they were.
    """
    removed: int
    """
    Skills that are gone.
    """


class AuditFile(BaseModel):
    """
    A file, or a skill as a whole, that was changed.
    """

    path: str
    """
    Its virtual path, or the path of the skill.
    """
    before: str | None = None
    """
    The version that was there before, if it was seen: the ETag of a file, the digest of a skill.
    """
    after: str | None = None
    """
    SHA-256 of the content after, or the digest of a skill; null if it is gone.
    """
    etag: str | None = None
    """
    The version after.
    """


class AuditSkill(BaseModel):
    """
    What became of a skill in a session.
    """

    skill: str
    """
    Its path.
    """
    name: str | None = None
    """
    Its name.
    """
    description: str | None = None
    """
    Its description.
    """
    layer: Literal["user", "team", "org"] | None = None
    team: str | None = None
    """
    The team, if it is a team's.
    """
    status: str | None = None
    """
    `loaded`, `reloaded`, `already_loaded` or `unloaded`; `preloaded` for one that a session began with though nobody named it,
    because the records or its parent had it.
    """


class BTreeMap1(BaseModel):
    """
    A number of objects and their bytes.
    """

    objects: int
    """
    How many objects.
    """
    bytes: int
    """
    Their bytes.
    """


class BTreeMap(RootModel[dict[str, BTreeMap1]]):
    root: dict[str, BTreeMap1]


class ChangeParts(BaseModel):
    """
    What became of each part of a failed change that has several.
    """

    file: Literal["applied", "not_applied", "partial", "unknown"] | None = None
    session: Literal["applied", "not_applied", "partial", "unknown"] | None = None
    audit: Literal["applied", "not_applied", "partial", "unknown"] | None = None


class ChangeSkillRequest(BaseModel):
    """
    What to change of a skill. What is not named stays.
    """

    model_config = ConfigDict(
        extra="forbid",
    )
    state: Literal["published", "draft"] | None = None
    description: str | None = None
    """
    What it is for and when to use it. The rest of the frontmatter stays as it was written.
    """
    body: str | None = None
    """
    Its instructions: SKILL.md without the frontmatter.
    """


class ChangedFile(BaseModel):
    """
    A file that differs between two versions.
    """

    path: str
    """
    Its path below the skill's folder.
    """
    change: Literal["added", "removed", "modified"]
    """
    What became of it.
    """
    binary: bool
    """
    Whether it is no text, in either version.
    """
    shown: bool
    """
    Whether `diff` has its lines. It has none of binary files, of those over 1 MiB, and of what is over its own limit.
    """
    size_before: int | None = None
    """
    Its bytes in the older version; null if that does not have it.
    """
    size_after: int | None = None
    """
    Its bytes in the newer version; null if that does not have it.
    """


class ChildRights(BaseModel):
    """
    What sessions made from another one may do.
    """

    model_config = ConfigDict(
        extra="allow",
    )
    load: bool | None = None
    """
    Whether they may load more skills than they begin with.
    """
    create: bool | None = None
    """
    Whether they may write skills, which are drafts.
    """
    publish: bool | None = None
    """
    Whether they may change what other sessions load. No agent publishes a version; without this they do not change files
    of loaded skills either.
    """


class CreateSkillRequest(BaseModel):
    """
    Write a skill as a draft.
    """

    model_config = ConfigDict(
        extra="forbid",
    )
    name: str
    """
    Its name: lower-case letters, digits and single hyphens, after the folders that it lies in, if any:
    `writing/minutes`.
    """
    description: str
    """
    What it is for and when to use it, in at least 20 characters.
    """
    body: str
    """
    Its instructions in Markdown, in at least 40 characters.
    """
    template: Literal["analysis", "writing", "code"] | None = None


class DamagedSession(BaseModel):
    """
    A session whose object cannot be read.
    """

    session_id: str
    """
    Its id.
    """
    message: str
    """
    What the caller can do about it.
    """


class DecideApprovalRequest(BaseModel):
    """
    A decision about a call that waits.
    """

    model_config = ConfigDict(
        extra="forbid",
    )
    decision: Literal["allow", "deny"]
    """
    What is decided.
    """
    remember: bool | None = None
    """
    Whether it holds for every call of this tool, or every load of this skill, in this session.
    """
    message: str | None = None
    """
    With `deny`: a text for the model, at most 1,000 characters. The model receives it if it makes this call again within five
    minutes, also with `remember`. An empty text counts as none.
    """


class DeleteRequest(BaseModel):
    """
    Delete a file, or a folder and everything below it.
    """

    model_config = ConfigDict(
        extra="forbid",
    )
    path: str
    """
    Absolute path of the file or folder.
    """


class DiscoverRequest(BaseModel):
    """
    Find skills for a task.
    """

    model_config = ConfigDict(
        extra="forbid",
    )
    query: str
    """
    What the task is about: a few words, a sentence or a message of up to 16 KiB and 2,500 words.
    """
    category: str | None = None
    """
    Only this category and those below it.
    """
    level: str | None = None
    """
    Only this level, in whatever case.
    """
    limit: int | None = None
    """
    10 by default.
    """
    explain: bool | None = None
    """
    Say of each skill which words made its score. The session does not remember a search that asks for this.
    """
    why: str | None = None
    """
    A skill of which to say where it stands, or why it was not found: a skill path, a folder or a name. The session does
    not remember a search that asks for this.
    """


class DownloadRequest(BaseModel):
    """
    Which files.
    """

    model_config = ConfigDict(
        extra="forbid",
    )
    paths: list[str]
    """
    Virtual paths.
    """


class DownloadedFile(BaseModel):
    """
    One file of a download.
    """

    path: str
    """
    The path as it was given. Of a file of a skill, where it lies below `skills/`.
    """
    etag: str | None = None
    """
    Its version.
    """
    content: Annotated[str | None, Field(json_schema_extra={"contentEncoding": "base64"})] = None
    """
    Its bytes in base64; absent if there is an error.
    """
    error: str | None = None
    detail: str | None = None
    """
    What went wrong, in words.
    """


class EditReply(BaseModel):
    """
    A file that was edited.
    """

    path: str
    """
    The file.
    """
    occurrences: int
    """
    How many occurrences were replaced.
    """
    etag: str | None = None
    """
    The version that holds the edit; null where another writer had replaced it before its tag could be learnt.
    """


class EditRequest(BaseModel):
    """
    Replace text in a file.
    """

    model_config = ConfigDict(
        extra="forbid",
    )
    file_path: str
    """
    Absolute path of the file.
    """
    old_string: str
    """
    The exact text to replace, without line numbers.
    """
    new_string: str
    """
    What to put in its place.
    """
    replace_all: bool | None = None
    """
    Replace every occurrence, instead of failing with `old_string_not_unique`.
    """
    newlines: Literal["exact", "file"] | None = None


class Event(BaseModel):
    """
    Something that happened.
    """

    id: str | None = None
    """
    Its position: a client sends it back as `Last-Event-ID`. Null for an event that is sent before its record, and for marks of
    the stream itself.
    """
    event: str
    """
    `tool_use_start`, `tool_result`, `skill_activated`, `skill_unloaded`, `permission_request`, `file_changed` or
    `catalog_changed`; `gap` and `dropped` say of the stream itself that events are missing.
    """
    session: str | None = None
    """
    The session; null for what lies beside sessions.
    """
    data: Any
    """
    What the event says.
    """


class EventList(BaseModel):
    """
    The events after a known event.
    """

    events: list[Event]
    """
    In the order in which the service has their records, 1,000 and 128 KiB at most.
    """
    next: str | None = None
    """
    Send this back as `Last-Event-ID` to get the rest; null if there is no more. The answer to a request without the header has
    no event and the present position; null if events have no ids.
    """


class FailedFile(BaseModel):
    """
    A file of a folder that could not be changed.
    """

    path: str
    """
    The file.
    """
    code: str
    """
    The code of what went wrong.
    """
    outcome: Literal["applied", "not_applied", "partial", "unknown"]
    """
    Whether it may have been changed.
    """


class FileEntry(BaseModel):
    """
    One entry of a folder, or one file of a glob.
    """

    path: str
    """
    Absolute, without a trailing slash.
    """
    is_dir: bool
    """
    Whether it is a folder.
    """
    size: int
    """
    Bytes; 0 for a folder.
    """
    modified_at: AwareDatetime | None = None
    """
    When it was written; none for a folder.
    """


class GlobMatch(BaseModel):
    """
    A file a glob found.
    """

    path: str
    """
    Absolute.
    """
    size: int
    """
    Bytes.
    """
    modified_at: AwareDatetime
    """
    When it was written.
    """


class GlobReply(BaseModel):
    """
    Files in byte order of their paths.
    """

    matches: list[GlobMatch]
    """
    The files.
    """
    truncated: bool
    """
    Whether there are more.
    """
    truncation_reason: str | None = None
    """
    What was left out and how to get it.
    """


class GlobRequest(BaseModel):
    """
    Find files by name.
    """

    model_config = ConfigDict(
        extra="forbid",
    )
    pattern: str
    """
    The glob: without `/` it matches the base name at any depth, a leading `/` anchors it.
    """
    path: str | None = None
    """
    Folder to look in; everything the session sees if absent.
    """


class GrepCount(BaseModel):
    """
    A file and how many of its lines matched.
    """

    path: str
    """
    The file.
    """
    count: int
    """
    Lines that matched.
    """


class GrepMatch(BaseModel):
    """
    A line that matched.
    """

    path: str
    """
    The file.
    """
    line: int
    """
    1-based.
    """
    text: str
    """
    The line without its line ending.
    """
    before: list[str] | None = None
    """
    Lines before it.
    """
    after: list[str] | None = None
    """
    Lines after it.
    """


class GrepReply(BaseModel):
    """
    What a grep found, in one of three forms.
    """

    matches: list[GrepMatch] | None = None
    """
    With `content`: the first hits in (path, line) order.
    """
    files: list[str] | None = None
    """
    With `files`: the files that hold a hit.
    """
    counts: list[GrepCount] | None = None
    """
    With `count`: how many lines matched in each.
    """
    truncated: bool
    """
    Whether something was left out.
    """
    truncation_reason: str | None = None
    """
    What was left out and how to get it.
    """


class GrepRequest(BaseModel):
    """
    Search file contents.
    """

    model_config = ConfigDict(
        extra="forbid",
    )
    pattern: str
    """
    A Rust regular expression, or plain text with `literal`.
    """
    path: str | None = None
    """
    Folder or file to search; everything the session sees if absent.
    """
    glob: str | None = None
    """
    Only files that this glob matches, such as `*.md`.
    """
    literal: bool | None = None
    """
    Take the pattern as plain text.
    """
    ignore_case: bool | None = None
    """
    Ignore case.
    """
    context: int | None = None
    """
    Lines to show before and after each hit.
    """
    output_mode: Literal["content", "files", "count"] | None = None
    max_count: int | None = None
    """
    Hits (or files, in the other modes) to return at most.
    """


class HealthReply(BaseModel):
    """
    That the service is there.
    """

    status: str


class HookInput(BaseModel):
    """
    The input of a hook, in the shape of Claude's. The service ignores other members, because each event has its own and hosts add
    more. It reads a member only with the events that have the member. Other events may have anything under the same name.
    """

    hook_event_name: str
    """
    The event: `SessionStart`, `UserPromptSubmit`, `PreToolUse` or `SubagentStart`. Any other is answered by `{}`.
    """
    source: Any | None = None
    """
    Of `SessionStart`: why it begins, a text. After `resume` and `fork` the listing is not given again. After `compact` and `clear`
    a model has the instructions of loaded skills no more.
    """
    prompt: Any | None = None
    """
    Of `UserPromptSubmit`: what the person said, a text.
    """
    tool_name: Any | None = None
    """
    Of `PreToolUse`: the name of the tool that is about to run, a text. `Bash`, `Task` and `Agent` are looked at.
    """
    tool_input: Any | None = None
    """
    Of `PreToolUse`: what the tool is called with, an object.
    """
    agent_type: Any | None = None
    """
    Of `SubagentStart`: the type of the sub-agent, a text.
    """


class HookSpecificOutput(BaseModel):
    """
    The text of a hook for the model.
    """

    hookEventName: Literal["SessionStart", "UserPromptSubmit", "PreToolUse", "SubagentStart"]
    """
    The event that was answered.
    """
    additionalContext: str
    """
    The text that the host adds to the context.
    """


class IndexStatus(BaseModel):
    """
    A `catalog.json` in the store.
    """

    key: str
    """
    Its key.
    """
    size: int
    """
    Its size in bytes.
    """
    modified_at: AwareDatetime
    """
    When it was written, by the store's clock.
    """
    age_seconds: int
    """
    The time since then.
    """
    as_of: AwareDatetime | None = None
    """
    When the skills in it were read; null if it is not used.
    """
    problem: str | None = None
    """
    Why it is not used.
    """


class InputNames(BaseModel):
    """
    Which members of an input are names, and of what.
    """

    paths: list[str] | None = None
    """
    The arguments that are virtual paths.
    """
    skills: list[str] | None = None
    """
    The arguments that name skills.
    """
    globs: list[str] | None = None
    """
    The arguments that are globs of virtual paths.
    """


class LintFinding(BaseModel):
    """
    One finding of lint, with the file that it is about.
    """

    severity: Literal["warning", "error"]
    """
    How bad it is.
    """
    code: str
    """
    The name of a [`FindingCode`]: `description_missing`, `yaml_repaired`. A catalog that another version wrote can
    contain names that this version does not know.
    """
    message: str
    """
    What is wrong and how to fix it.
    """
    line: int | None = None
    """
    1-based line of SKILL.md, if it has one.
    """
    column: int | None = None
    """
    1-based column in characters, if it has one.
    """
    path: str
    """
    The file, below the skill's folder. Lines and columns are those of this file.
    """
    fixable: bool | None = None
    """
    Whether `skillmount lint --fix` fixes it. It fixes nothing in a store.
    """


class LoadSkillRequest(BaseModel):
    """
    Load a skill.
    """

    model_config = ConfigDict(
        extra="forbid",
    )
    skill: str
    """
    A skill path, a mount name or a frontmatter name, tried in that order.
    """
    mount_as: str | None = None
    """
    Another name for its folder below `/skills`, if its own is taken.
    """
    arguments: str | None = None
    """
    Arguments for the parameters of its body: words, or `name=value`. 16 KiB at most.
    """
    offset: int | None = None
    """
    Lines of its instructions to skip, 0 by default. A result that is cut names the offset to go on with.
    """
    digest: str | None = None
    """
    The digest of a published version to load in place of what the skill is now.
    """
    body: bool | None = None
    """
    Whether the reply holds the instructions. A framework that puts them into its prompt needs them once.
    """
    invoker: Literal["model", "person"] | None = None


class LoadedSkill(BaseModel):
    """
    One skill a session has loaded, without its files.
    """

    skill: str
    """
    Where it lies: `escrituras/compraventa`.
    """
    layer: Literal["user", "team", "org"]
    """
    Its layer.
    """
    mount: str
    """
    Its folder: `/skills/compraventa`.
    """
    name: str
    """
    The name in its frontmatter, or its folder's.
    """
    description: str
    """
    The description in its frontmatter.
    """
    digest: str
    """
    The digest of the snapshot that is mounted: of its files at the time of the load.
    """
    loaded_at: AwareDatetime
    """
    When it was loaded.
    """


class LsReply(BaseModel):
    """
    A folder's entries in byte order; the root's in mount order.
    """

    entries: list[FileEntry]
    """
    The entries.
    """
    hidden: list[FileEntry] | None = None
    """
    Files that have the name of a folder among the entries, as a bucket can hold; reading and downloading reach them.
    """
    truncated: bool | None = None
    """
    Whether there are more than fit.
    """


class LsRequest(BaseModel):
    """
    List a folder.
    """

    model_config = ConfigDict(
        extra="forbid",
    )
    path: str
    """
    Absolute path of the folder.
    """


class MessageRequest(BaseModel):
    """
    What a person says to the agent.
    """

    model_config = ConfigDict(
        extra="forbid",
    )
    text: str
    """
    The text as it was typed.
    """
    mode: Literal["two_state", "listing", "combined", "discover"] | None = None
    result_tokens: int | None = None
    """
    How long one result may be, in tokens of four bytes; 25,000 if absent.
    """


class MoveReply(BaseModel):
    """
    What was moved.
    """

    from_: Annotated[str, Field(alias="from")]
    """
    The file or folder, as it was.
    """
    to: str
    """
    Its new path.
    """
    moved: int
    """
    Files that are at their new paths, and there only.
    """
    outcome: Literal["applied", "not_applied", "partial", "unknown"] | None = None
    failed: list[FailedFile] | None = None
    """
    Files that could not be moved, by their old paths and in byte order, the first 1,000.
    """
    more_failed: int | None = None
    """
    How many more could not be moved.
    """


class MoveRequest(BaseModel):
    """
    Move or rename a file, or a folder and everything below it.
    """

    model_config = ConfigDict(
        extra="forbid",
    )
    from_: Annotated[str, Field(alias="from")]
    """
    Absolute path of the file or folder.
    """
    to: str
    """
    Its new absolute path. Nothing may be there.
    """


class OutlineHeading(BaseModel):
    """
    A heading of a body.
    """

    level: int
    """
    1 to 6.
    """
    text: str
    """
    Its text.
    """
    start: int
    """
    The byte of the body its section begins at.
    """
    end: int
    """
    The byte of the body its section ends at.
    """


class Preload(RootModel[list[str] | Literal["auto"]]):
    root: list[str] | Literal["auto"]


class Problem(BaseModel):
    """
    What went wrong and what to do next, by RFC 9457.
    """

    model_config = ConfigDict(
        extra="allow",
    )
    type: str
    """
    A name for the sort of problem: `urn:skillmount:problem:` and the code.
    """
    title: str
    """
    The sort of problem in words.
    """
    status: int
    """
    The HTTP status.
    """
    detail: str
    """
    The fault and the next step, in words for an agent.
    """
    code: str
    """
    The stable code.
    """
    request_id: str
    """
    The id of this request in the service's log.
    """
    retryable: bool
    """
    Whether the same request may succeed later without being changed.
    """
    outcome: Literal["applied", "not_applied", "partial", "unknown"] | None = None
    parts: ChangeParts | None = None


class PromptSkill(BaseModel):
    """
    One skill and its part in a prompt.
    """

    skill: str
    """
    Its path.
    """
    status: Literal["instructions", "whole", "shortened", "name", "out"]
    """
    How much of it is in the prompt.
    """
    tokens: int
    """
    The tokens it takes.
    """
    uses: int
    """
    In how many sessions it was used, by the counts of when the session began.
    """
    reason: str
    """
    Why, in a sentence.
    """


class PublishFilesRequest(RootModel[dict[str, bytes]]):
    """
    A part for each file, its name the path below the skill's folder.
    """

    root: dict[str, bytes]


class PublishRequest(BaseModel):
    """
    A skill as text: what its SKILL.md says, and its other files.
    """

    model_config = ConfigDict(
        extra="forbid",
    )
    description: str
    """
    What it is for and when to use it.
    """
    body: str
    """
    Its instructions: SKILL.md without the frontmatter.
    """
    files: dict[str, Any] | None = None
    """
    Its other files, path and text of each.
    """
    frontmatter: dict[str, Any] | None = None
    """
    Further fields of its frontmatter. Without a `name` it has that of its folder.
    """


class QualityReason(BaseModel):
    """
    Something that costs a skill points.
    """

    code: str
    """
    What it is, as a name.
    """
    points: int
    """
    How many points it costs.
    """
    security: bool
    """
    Whether it may harm who uses the skill.
    """
    message: str
    """
    What it is and how to fix it.
    """


class QuestionWord(BaseModel):
    """
    A word of a question. Articles, prepositions and the like are none.
    """

    word: str
    """
    In lower case.
    """
    share: float
    """
    The share of the question's information that it has, from 0 to 1: the fewer skills contain it, the more.
    """
    known: bool
    """
    Whether any skill contains it, or what it can mean.
    """


class ReadReply(BaseModel):
    """
    A window of a text file. The window fields are null where the file is blank or no lines were asked for.
    """

    content: str
    """
    The lines, verbatim, each with its `\\n` where it has one.
    """
    start_line: int | None = None
    """
    1-based number of the first line.
    """
    end_line: int | None = None
    """
    1-based number of the last line.
    """
    next_offset: int | None = None
    """
    The offset that goes on after this window; null at the end of the file.
    """
    total_lines: int | None = None
    """
    Lines of the file; null where its end was not reached.
    """
    size: int
    """
    Bytes of the file.
    """
    etag: str
    """
    The version that was read.
    """
    modified_at: AwareDatetime
    """
    When that version was written.
    """
    lossy: bool | None = None
    """
    Whether bytes that are not UTF-8 were replaced.
    """
    truncated: bool | None = None
    """
    Whether the window was cut before `limit` because it grew too large.
    """


class ReadRequest(BaseModel):
    """
    Read lines of a text file.
    """

    model_config = ConfigDict(
        extra="forbid",
    )
    file_path: str
    """
    Absolute path of the file.
    """
    offset: int | None = None
    """
    Lines to skip, 0 by default.
    """
    limit: int | None = None
    """
    Lines to return, 2,000 by default.
    """


class RefreshReply(BaseModel):
    """
    What a reading of the catalog found.
    """

    skills: int
    """
    How many skills there are now.
    """
    changed: int
    """
    How many of them are new to this server, or not as it last read them.
    """
    removed: int
    """
    How many it knew that are gone.
    """
    as_of: AwareDatetime
    """
    When the store was asked.
    """


class RollbackRequest(BaseModel):
    """
    Which version to go back to.
    """

    model_config = ConfigDict(
        extra="forbid",
    )
    digest: str
    """
    Its digest.
    """


class SearchMatch(BaseModel):
    """
    A word of a skill that answers a word of the question.
    """

    field: Literal["name", "description", "when_to_use", "keywords", "category", "headings", "body"]
    """
    The part of the skill that contains it.
    """
    word: str
    """
    The word of the question, in lower case.
    """
    matched: str
    """
    The word of the skill, in lower case.
    """
    by: Literal["exact", "accent", "stem", "part", "typo", "translation", "typo_and_translation"]
    """
    How the two go together.
    """
    weight: float
    """
    What it adds to the score.
    """


class SearchNearness(BaseModel):
    """
    How near a skill is to a question in meaning.
    """

    cosine: float
    """
    The cosine of the angle between the vectors of question and skill. What is nothing to an encoder depends on the encoder; in a
    `lexical` ranking it lies between 0 and 1.
    """
    weight: float
    """
    What it adds to the score.
    """


class SearchRaise(BaseModel):
    """
    By how much a skill is raised by the user's own loads.
    """

    loads: int
    """
    How often the user's sessions loaded it after like questions.
    """
    weight: float
    """
    What that adds to the score.
    """


class SessionGcReply(BaseModel):
    """
    The result of removing a user's idle sessions.
    """

    removed: int
    """
    Sessions that were removed.
    """
    damaged: list[DamagedSession]
    """
    Sessions that cannot be read and were not removed.
    """
    tagged: int | None = None
    """
    Sessions that have the tag now, if they were to get it.
    """
    untagged: str | None = None
    """
    Why others have none, if so: the store keeps no tags, or does not let them be set.
    """


class SkillDiagnostic(BaseModel):
    """
    Something wrong with a SKILL.md.
    """

    severity: Literal["warning", "error"]
    """
    How bad it is.
    """
    code: str
    """
    The name of a [`FindingCode`]: `description_missing`, `yaml_repaired`. A catalog that another version wrote can
    contain names that this version does not know.
    """
    message: str
    """
    What is wrong and how to fix it.
    """
    line: int | None = None
    """
    1-based line of SKILL.md, if it has one.
    """
    column: int | None = None
    """
    1-based column in characters, if it has one.
    """
    skill: str
    """
    Its folder below `skills/`; not always a valid skill path.
    """


class SkillFile(BaseModel):
    """
    One file of a skill.
    """

    path: str
    """
    Its virtual path.
    """
    size: int
    """
    Bytes.
    """


class SkillFileDiagnostic(BaseModel):
    """
    One finding, with its place.
    """

    severity: Literal["warning", "error"]
    """
    How bad it is.
    """
    code: str
    """
    The name of a [`FindingCode`]: `description_missing`, `yaml_repaired`. A catalog that another version wrote can
    contain names that this version does not know.
    """
    message: str
    """
    What is wrong and how to fix it.
    """
    line: int | None = None
    """
    1-based line of SKILL.md, if it has one.
    """
    column: int | None = None
    """
    1-based column in characters, if it has one.
    """


class SkillFilesRequest(BaseModel):
    """
    Which files of one skill.
    """

    model_config = ConfigDict(
        extra="forbid",
    )
    skill: str
    """
    Where the skill lies, such as `escrituras/compraventa`.
    """
    paths: list[str] | None = None
    """
    Paths below its folder; all of its files unless given.
    """


class SkillPage(BaseModel):
    """
    One skill with its instructions.
    """

    skill: str
    """
    Where it lies: what `load_skill` takes.
    """
    name: str
    """
    Its name.
    """
    description: str
    """
    What it is for and when to use it.
    """
    category: str
    """
    The part of `skill` before the last slash; empty at the top.
    """
    layer: Literal["user", "team", "org"]
    """
    Whose folder it lies in.
    """
    frontmatter: dict[str, Any]
    """
    Its frontmatter as it was written, unknown fields included.
    """
    files: int
    """
    How many files it has.
    """
    size: int
    """
    All their bytes.
    """
    updated_at: AwareDatetime
    """
    The newest of them.
    """
    state: Literal["published", "draft", "unmanaged"]
    """
    Whether it was published through the service.
    """
    digest: str | None = None
    """
    The digest of the published version that its files are, or of the draft: `sha256:` and 64 hex digits. Null if it was
    never published, and if other tools changed its folder since.
    """
    shadows: list[Literal["user", "team", "org"]]
    """
    Layers further away that have a skill of the same path.
    """
    body: str
    """
    SKILL.md without its frontmatter.
    """
    outline: list[OutlineHeading]
    """
    The headings of the body, 10,000 at most.
    """
    outline_truncated: bool
    """
    Whether the outline is cut: the body has more headings, or more text in them, than is kept.
    """
    file_list: list[SkillFile]
    """
    Its files, by their path below the skill's folder.
    """
    diagnostics: list[SkillFileDiagnostic]
    """
    What is wrong with its SKILL.md.
    """


class SkillParameter(BaseModel):
    """
    A parameter of a skill's body.
    """

    name: str
    """
    Its name.
    """
    description: str | None = None
    """
    What to ask the user for, where its author says.
    """
    required: bool
    """
    Whether the skill cannot be followed without it.
    """
    value: str | None = None
    """
    The value it was given, or its default.
    """


class SkillQuality(BaseModel):
    """
    How well a skill serves agents.
    """

    score: int
    """
    0 to 100.
    """
    mcp: bool
    """
    Whether hosts that take skills over MCP take this one: it has at most 512 files and 16 MiB.
    """
    reasons: list[QualityReason]
    """
    What costs points, most first.
    """


class SkillReply(BaseModel):
    """
    One skill of the catalog.
    """

    skill: str
    """
    Where it lies: what `load_skill` takes.
    """
    name: str
    """
    Its name.
    """
    description: str
    """
    What it is for and when to use it.
    """
    category: str
    """
    The part of `skill` before the last slash; empty at the top.
    """
    layer: Literal["user", "team", "org"]
    """
    Whose folder it lies in.
    """
    frontmatter: dict[str, Any]
    """
    Its frontmatter as it was written, unknown fields included.
    """
    files: int
    """
    How many files it has.
    """
    size: int
    """
    All their bytes.
    """
    updated_at: AwareDatetime
    """
    The newest of them.
    """
    state: Literal["published", "draft", "unmanaged"]
    """
    Whether it was published through the service.
    """
    digest: str | None = None
    """
    The digest of the published version that its files are, or of the draft: `sha256:` and 64 hex digits. Null if it was
    never published, and if other tools changed its folder since.
    """
    shadows: list[Literal["user", "team", "org"]]
    """
    Layers further away that have a skill of the same path.
    """


class SkillUsage(BaseModel):
    """
    How often a skill is used.
    """

    skill: str
    """
    Its path.
    """
    loads: int
    """
    How often it was loaded: by calls, loads of a loaded skill included, and by conversations that began with it.
    """
    conversations: int
    """
    In how many conversations.
    """
    rate: float
    """
    The share of conversations that used it.
    """
    last_used: AwareDatetime
    """
    When it was loaded last.
    """


class SkillVersion(BaseModel):
    """
    A version of a skill.
    """

    digest: str
    """
    Its digest: what `load_skill` and a rollback take.
    """
    published_at: AwareDatetime
    """
    When it was first published.
    """
    by: str | None = None
    """
    The key that published it: its name and the first digits of its hash, as `desk (9f86d081884c7d65)`. Null if there are no keys,
    or if other tools wrote it.
    """
    source: str | None = None
    """
    Where it comes from, in the words of who published it.
    """
    files: int | None = None
    """
    How many files it has; null if its archive does not say.
    """
    size: int | None = None
    """
    All their bytes; null if its archive does not say.
    """


class SkillVersionChange(BaseModel):
    """
    A change of which version of a skill is published: a publish, a rollback or a deletion.
    """

    digest: str | None = None
    """
    The version that was published; null if the skill was deleted.
    """
    previous: str | None = None
    """
    The version that was there before; null if there was none.
    """
    at: AwareDatetime
    """
    When it was made.
    """
    by: str | None = None
    """
    The key that made it, as in versions.
    """
    source: str | None = None
    """
    Where it comes from, in the words of who made it; `a rollback` for one.
    """


class SlashCommand(BaseModel):
    """
    A slash command.
    """

    skill: str
    """
    The skill it names: as it was typed, or, once loaded, its path.
    """
    arguments: str | None = None
    """
    What was typed after it.
    """


class Sweep(BaseModel):
    """
    One sweep over everything of a user.
    """

    began_at: AwareDatetime
    """
    When it began.
    """
    ended_at: AwareDatetime | None = None
    """
    When it ended; null while it goes on.
    """
    total: Amount
    """
    All objects that it removed.
    """
    areas: BTreeMap
    """
    The same by area.
    """
    versions: Amount
    """
    Earlier versions that it removed from a versioned bucket, and marks of deletes.
    """
    versions_left: str | None = None
    """
    Why earlier versions were left, if there may be some: the store cannot remove them, or does not let the service.
    """
    left: int
    """
    Objects that stay, because no call of the store can name their keys.
    """
    interrupted: int
    """
    How often another process went on with it. What a process removed just before it ended is not counted.
    """


class ToolCallsRequest(BaseModel):
    """
    What a model said in one turn.
    """

    model_config = ConfigDict(
        extra="forbid",
    )
    format: Literal["anthropic", "openai"] | None = None
    content: list[dict[str, Any]] | None = None
    """
    With `anthropic`: the blocks of its message. Those of type `tool_use` are run, others are passed over.
    """
    tool_calls: list[dict[str, Any]] | None = None
    """
    With `openai`: the `tool_calls` of its message. Those of type `function` are run, others are passed over.
    """
    mode: Literal["two_state", "listing", "combined", "discover"] | None = None
    result_tokens: int | None = None
    """
    How long one result may be, in tokens of four bytes; 25,000 if absent.
    """


class ToolList(BaseModel):
    """
    The tools a session may use now.
    """

    tools: list[dict[str, Any]]
    """
    In an order that never changes, each as the format has it.
    """


class ToolMessage(BaseModel):
    """
    The message that answers one call. If the call failed, its text begins with `Error: `.
    """

    role: Literal["tool"]
    """
    Whose message it is.
    """
    tool_call_id: str
    """
    The id of the call.
    """
    content: str
    """
    The result as the model reads it.
    """
    code: str | None = None
    """
    The code of its error, if it failed and the request asks for details. APIs of models reject a message that has it.
    """
    approval_id: str | None = None
    """
    The id under which the call waits for a person, if it waits and the request asks for details.
    """


class ToolMessages(BaseModel):
    """
    The messages that answer a turn of `tool_calls`.
    """

    messages: list[ToolMessage]
    """
    One for each call, in the order of the calls. They go behind the message with the calls as they are.
    """


class ToolResult(BaseModel):
    """
    What came of one call.
    """

    type: Literal["tool_result"]
    """
    What sort of block it is.
    """
    tool_use_id: str
    """
    The id of the call.
    """
    content: str
    """
    The result as the model reads it.
    """
    is_error: bool | None = None
    """
    Whether it failed; absent where it did not.
    """
    code: str | None = None
    """
    The code of its error, if the request asks for details. APIs of models reject a block that has it.
    """
    approval_id: str | None = None
    """
    The id under which the call waits for a person, if it waits and the request asks for details.
    """


class ToolResults(BaseModel):
    """
    The message that answers a turn of `tool_use` blocks.
    """

    role: Literal["user"]
    """
    Whose message it is.
    """
    content: list[ToolResult]
    """
    One result for each call, in the order of the calls.
    """


class TurnReply(RootModel[ToolResults | ToolMessages]):
    root: ToolResults | ToolMessages
    """
    The answer to a turn, in the shape of the turn.
    """


class UnloadSkillReply(BaseModel):
    """
    What became of it.
    """

    status: Literal["unloaded", "not_loaded"]
    """
    What happened.
    """
    skill: str
    """
    The skill path, or the name as it was given where no such skill is loaded.
    """


class UnloadSkillRequest(BaseModel):
    """
    Hide a skill again.
    """

    model_config = ConfigDict(
        extra="forbid",
    )
    skill: str
    """
    A skill path, a mount name or a frontmatter name.
    """


class UploadRequest(RootModel[dict[str, bytes]]):
    """
    A part for each file, its name the virtual path.
    """

    root: dict[str, bytes]


class UploadedFile(BaseModel):
    """
    What became of one file.
    """

    path: str
    """
    The path as it was given.
    """
    etag: str | None = None
    """
    Its version.
    """
    error: str | None = None
    detail: str | None = None
    """
    What went wrong, in words.
    """
    outcome: Literal["applied", "not_applied", "partial", "unknown"] | None = None
    parts: ChangeParts | None = None


class Usage(BaseModel):
    """
    How a user's conversations find and use skills. A figure is null if there is nothing to make it from.
    """

    conversations: int
    """
    Sessions in which an agent called an operation.
    """
    discovery_rate: float | None = None
    """
    The share of conversations that searched for skills.
    """
    discovery_success: float | None = None
    """
    The share of searches after which the conversation loaded a skill before it searched again.
    """
    discovery_to_use_turns: float | None = None
    """
    The mean number of calls from such a search to the load. The load counts too.
    """
    approval_rate: float | None = None
    """
    The share of approvals among the decisions of persons about waiting calls. A call without a decision does not count.
    """
    completion_rate: float | None = None
    """
    The share of calls that succeeded. A call that was told to ask for an approval is none yet.
    """
    context_saved_tokens: int | None = None
    """
    The mean number of tokens that loading on demand saved a conversation: the present instructions of all skills of the user,
    less the skills that the conversation used. A token is four bytes.
    """
    searches: int
    """
    Searches.
    """
    unanswered: int
    """
    Searches that found nothing.
    """
    skills: list[SkillUsage]
    """
    The skills that conversations used, the most used first.
    """
    default_candidates: list[str]
    """
    The skills that at least 30 % of conversations chose: an agent loaded them or read a file of them, or a policy named them.
    """
    truncated: bool | None = None
    """
    Whether there are more records than are looked at: the earliest batches are left out, and conversations and skills over the limits.
    """


class User(BaseModel):
    """
    A user with objects in the store.
    """

    user_id: str
    """
    Its id.
    """


class UserList(BaseModel):
    """
    One page of users.
    """

    users: list[User]
    """
    In byte order of their folders, `{user_id}/`. A page may have none and still name a next one.
    """
    next_cursor: str | None = None
    """
    Give this back to get the next page; null on the last one.
    """


class UserPolicy(BaseModel):
    """
    The policy of a user.
    """

    skills_access: Literal["read", "write"] | None = None
    """
    Whether agents may change files of loaded skills.
    """
    visibility: Literal["loaded", "all"] | None = None
    """
    Which skills `/skills` shows.
    """
    catalog_reads: bool | None = None
    """
    Whether surfaces that show the catalog by name may be used.
    """
    plan_mode: bool | None = None
    """
    Whether nothing may be changed.
    """
    prompt_mode: Literal["two_state", "listing", "combined", "discover"] | None = None
    """
    What the prompt contains. A session's own: a user's policy that sets it is refused.
    """
    load_tool: Literal["load_skill", "Skill"] | None = None
    """
    The name of the tool that loads a skill. A session's own: a user's policy that sets it is refused.
    """
    tools: dict[str, Literal["auto", "ask", "blocked"]] | None = None
    """
    Rules by tool name; `*` for the rest. A rule for `Skill` is one for `load_skill`. A rule for `write` also holds
    for everything else that changes files, and one for `read` for downloads. If several rules hold, the strictest
    counts. If absent, `*` is `auto`. No `*` stands for `create_skill`: without a rule of its own it is `ask`.
    """
    skills: dict[str, Literal["auto_approve", "enabled", "disabled", "blocked"]] | None = None
    """
    Rules by skill path; `escrituras/*` for a folder and all below it, `*` for the rest. The longest match decides.
    If absent, `*` is `auto_approve`.
    """
    preload: Preload | None = None
    """
    Skills to load when the session begins; `auto` for skills that at least 30 % of the user's conversations used. A session's
    own: a user's policy that sets it is refused.
    """
    children: ChildRights | None = None
    """
    Rights of the sessions that begin from this one. Absent if it is the default, so that earlier versions read the policy.
    """
    agents: dict[str, list[str]] | None = None
    """
    Skills that hooks hand down to sub-agents, by the type of the sub-agent; `*` for every type that is not named.
    Each is a skill path, `escrituras/*` or `*`. The user's and the session's add up.
    """
    approve_by: Literal["control", "host"] | None = None
    unknown_tools: list[str] | None = None
    """
    Tools that it has rules for and that this version does not know; they change nothing.
    """
    unmatched_rules: list[str] | None = None
    """
    In the answer to a change: rules for skills, and skills for sub-agents, that match no skill of the catalog; they change
    nothing now.
    """


class VersionDiff(BaseModel):
    """
    What differs between two versions of a skill.
    """

    from_: Annotated[str | None, Field(alias="from")] = None
    """
    The older version; null if there was none.
    """
    to: str | None = None
    """
    The newer version; null if the skill is deleted.
    """
    diff: str
    """
    The lines that differ, as a unified diff of all text files, in byte order of their paths.
    """
    files: list[ChangedFile]
    """
    The files that differ, binary ones included, in the same order; 1,000 at most.
    """
    total: int
    """
    How many files differ.
    """
    truncated: bool
    """
    Whether lines are missing from `diff`, or files from `files`.
    """
    truncation_reason: str | None = None
    """
    Why, and how to get the rest; null if nothing is missing.
    """


class VersionList(BaseModel):
    """
    One page of the versions of a skill.
    """

    versions: list[SkillVersion]
    """
    The newest first.
    """
    current: str | None = None
    """
    The version that is published; null for a deleted skill. If other tools changed the folder since, the document of the
    skill has `digest` null.
    """
    last_change: SkillVersionChange | None = None
    next_cursor: str | None = None
    """
    Give this back to get the next page; null on the last one.
    """


class WaitingCall(BaseModel):
    """
    A call that waits for a decision.
    """

    approval_id: str
    """
    Its id.
    """
    tool: str
    """
    The tool that was called.
    """
    input: dict[str, Any]
    """
    The input of the call. Of a long one, long texts are cut.
    """
    input_cut: bool
    """
    Whether `input` is only a part.
    """
    skill: str | None = None
    """
    The skill that is to be loaded, if the call loads one.
    """
    digest: str | None = None
    """
    The digest of the files of that skill. A load of other files is another call.
    """
    allowed_digest: str | None = None
    """
    The digest of the files that a person allowed before, if the skill has changed since.
    """
    expires_at: AwareDatetime
    """
    When the call stops waiting. Made again after that, it is another one.
    """
    seconds_left: int
    """
    The whole seconds until then.
    """


class WriteReply(BaseModel):
    """
    A file that was written.
    """

    path: str
    """
    The file.
    """
    etag: str | None = None
    """
    Its version; null where another writer had replaced it before its tag could be learnt.
    """
    bytes: int
    """
    Its size in bytes.
    """
    created: bool
    """
    Whether it is certain that no file was there before: always with `overwrite: false`, never otherwise.
    """


class WriteRequest(BaseModel):
    """
    Make a file.
    """

    model_config = ConfigDict(
        extra="forbid",
    )
    file_path: str
    """
    Absolute path of the file.
    """
    content: str
    """
    Its whole content.
    """
    overwrite: bool | None = None
    """
    Replace what is there, instead of failing with `already_exists`.
    """


class ApprovalList(BaseModel):
    """
    The calls of a session that wait for a decision.
    """

    approvals: list[WaitingCall]
    """
    The oldest first.
    """


class AuditRecord(BaseModel):
    """
    A record of one operation: the caller, the session, the subject and the outcome. It has no contents and no questions.
    """

    id: str | None = None
    """
    Its position, which is the same for every replica.
    """
    time: AwareDatetime
    """
    When the operation ended.
    """
    operation: str
    """
    The operation, as policies and generated clients name it.
    """
    call: str | None = None
    """
    The id of the call as the model wrote it; of any other call a name that no other has.
    """
    by: str | None = None
    """
    The caller's key: its name and the first digits of its hash, as `desk (9f86d081884c7d65)`; the digits alone if it has no name.
    Null if the service has no keys.
    """
    session: str | None = None
    """
    The session; null for what lies beside sessions.
    """
    subject: str | None = None
    """
    What it was about: paths, or a skill. Empty if it was about neither.
    """
    layer: Literal["user", "team", "org"] | None = None
    user: str | None = None
    """
    The user of the call; only in the records of a team or the organisation.
    """
    input: dict[str, Any] | None = None
    """
    What an agent gave it, 4 KiB at most: of texts that are contents or questions their length alone. `input_cut` says that
    members are left out.
    """
    input_names: InputNames | None = None
    outcome: str | None = None
    """
    `ok`, the code of its error, or `abandoned` if its caller did not wait for the end.
    """
    changed: Literal["applied", "not_applied", "partial", "unknown"] | None = None
    ms: float | None = None
    """
    How long it took, in milliseconds.
    """
    files: list[AuditFile] | None = None
    """
    The files that it changed, 100 at most.
    """
    more_files: int | None = None
    """
    How many files more it changed.
    """
    skill: AuditSkill | None = None
    began_with: list[AuditSkill] | None = None
    """
    The skills at the beginning of the session: the preloads of its policy, and the skills of its parent.
    """
    catalog: AuditCatalog | None = None
    found: int | None = None
    """
    How many skills a search found.
    """
    approval: str | None = None
    """
    The approval that it has begun to wait for.
    """
    refused: int | None = None
    """
    How many calls a record of `refuse_call` reports: those of the key at the route since its record before.
    """


class CatalogStatus(BaseModel):
    """
    What the catalog of a user contains, and what the store keeps of it.
    """

    skills: int
    """
    How many skills there are.
    """
    errors: int
    """
    Findings that leave a skill out.
    """
    warnings: int
    """
    Findings that a skill survives.
    """
    as_of: AwareDatetime
    """
    When the skills were read.
    """
    index: IndexStatus | None = None


class CreateSkillReply(BaseModel):
    """
    A skill that was written.
    """

    skill: str
    """
    Where it will lie: what `load_skill` takes.
    """
    digest: str
    """
    The digest of its files.
    """
    state: Literal["published", "draft"]
    """
    What becomes of it: a draft.
    """
    lint: list[SkillFileDiagnostic]
    """
    What its author should know.
    """


class DeleteReply(BaseModel):
    """
    What was deleted.
    """

    path: str
    """
    The file or folder.
    """
    deleted: int
    """
    Files removed.
    """
    outcome: Literal["applied", "not_applied", "partial", "unknown"] | None = None
    failed: list[FailedFile] | None = None
    """
    Paths that could not be deleted, in byte order, the first 1,000.
    """
    more_failed: int | None = None
    """
    How many more could not be.
    """


class Deletion(BaseModel):
    """
    The deletion of a user: how far it is, and what went.
    """

    user_id: str
    """
    Who is deleted.
    """
    state: Literal["deleting", "deleted"]
    """
    How far it is.
    """
    requested_at: AwareDatetime
    """
    When it was asked for.
    """
    requested_by: str | None = None
    """
    The name of the key that asked for it, if one did.
    """
    second_sweep_at: AwareDatetime
    """
    When the second sweep is due. The first begins at once.
    """
    sweeps: list[Sweep]
    """
    The sweeps so far: the first removes what is there, the second what was written while it ran.
    """
    finished_at: AwareDatetime | None = None
    """
    When all was done. From then on the id may be used again.
    """
    found_now: bool | None = None
    """
    Whether anything of the user is in the store at the time of this answer: the id is in use again, or a store carried out late
    what was sent to it before. To delete the user again removes it. Null while the deletion goes on.
    """


class DownloadReply(BaseModel):
    """
    The files of a download.
    """

    files: list[DownloadedFile]
    """
    One for each file, in the order of the request.
    """


class DownloadSkillsRequest(BaseModel):
    """
    Files of which skills.
    """

    model_config = ConfigDict(
        extra="forbid",
    )
    skills: list[SkillFilesRequest]
    """
    Up to 100 skills.
    """


class ExplainedSkill(BaseModel):
    """
    What a score is made of.
    """

    matches: list[SearchMatch]
    """
    The words that made it, heaviest first: 32 at most. Their weights and those of `nearness` and `raised` add up to the score.
    """
    nearness: SearchNearness | None = None
    raised: SearchRaise | None = None
    more: int | None = None
    """
    How many more there are.
    """


class HookOutput(BaseModel):
    """
    The output of a hook, in the shape of Claude's. It is `{}` if there is nothing to say.
    """

    hookSpecificOutput: HookSpecificOutput | None = None
    systemMessage: str | None = None
    """
    The text for the person. Only the command line has one: why there is no context.
    """


class LintedSkill(BaseModel):
    """
    What lint finds in one skill.
    """

    skill: str
    """
    Where the skill lies below `skills/`.
    """
    file: str
    """
    Its SKILL.md, as its author knows it.
    """
    mended: list[SkillFileDiagnostic] | None = None
    """
    Findings that are fixed now, with their places in the file before the fix.
    """
    findings: list[LintFinding]
    """
    What is wrong, in the order of the files: SKILL.md first.
    """
    fixable: int | None = None
    """
    How many of the findings `skillmount lint --fix` fixes. It fixes nothing in a store.
    """
    quality: SkillQuality | None = None


class LoadSkillReply(BaseModel):
    """
    A skill that is loaded now.
    """

    status: Literal["loaded", "already_loaded", "reloaded"]
    """
    What happened.
    """
    skill: str
    """
    Where it lies.
    """
    mount: str
    """
    Its folder: `/skills/compraventa`.
    """
    name: str
    """
    Its name.
    """
    description: str
    """
    What it is for.
    """
    digest: str
    """
    The digest of the snapshot that is mounted.
    """
    version: str | None = None
    """
    The digest of the published version that it is, if it is one.
    """
    files: list[SkillFile]
    """
    Its files.
    """
    body: str | None = None
    """
    Its instructions: SKILL.md without the frontmatter. Absent if the call wants none.
    """
    body_offset: int | None = None
    """
    Lines of the instructions before those of `body`, if the call skips any.
    """
    next_offset: int | None = None
    """
    The offset to go on with, if the instructions have lines behind those of `body`.
    """
    parameters: list[SkillParameter]
    """
    The parameters of its body.
    """


class MessageReply(BaseModel):
    """
    What became of a message.
    """

    command: SlashCommand | None = None
    text: str
    """
    The text for the model; of a message that is no command, the very text.
    """
    loaded: LoadedSkill | None = None


class Policy(BaseModel):
    """
    What a session, or every session of a user, may do.
    """

    model_config = ConfigDict(
        extra="allow",
    )
    skills_access: Literal["read", "write"] | None = None
    visibility: Literal["loaded", "all"] | None = None
    catalog_reads: bool | None = None
    """
    Whether surfaces that show the catalog by name may be used.
    """
    plan_mode: bool | None = None
    """
    Whether nothing may be changed.
    """
    prompt_mode: Literal["two_state", "listing", "combined", "discover"] | None = None
    load_tool: Literal["load_skill", "Skill"] | None = None
    tools: dict[str, Any] | None = None
    """
    Rules by tool name; `*` for the rest. A rule for `Skill` is one for `load_skill`. A rule for `write` also holds
    for everything else that changes files, and one for `read` for downloads. If several rules hold, the strictest
    counts. If absent, `*` is `auto`. No `*` stands for `create_skill`: without a rule of its own it is `ask`.
    """
    skills: dict[str, Any] | None = None
    """
    Rules by skill path; `escrituras/*` for a folder and all below it, `*` for the rest. The longest match decides.
    If absent, `*` is `auto_approve`.
    """
    preload: Preload | None = None
    children: ChildRights | None = None
    agents: dict[str, Any] | None = None
    """
    Skills that hooks hand down to sub-agents, by the type of the sub-agent; `*` for every type that is not named.
    Each is a skill path, `escrituras/*` or `*`. The user's and the session's add up.
    """
    approve_by: Literal["control", "host"] | None = None


class PromptExplanation(BaseModel):
    """
    What of each skill is in a prompt, and why.
    """

    skills: list[PromptSkill]
    """
    The skills that the session may see, at most 1,000. Skills with more text in the prompt come first.
    """
    more: int | None = None
    """
    How many more there are.
    """
    frame_tokens: int
    """
    The tokens of everything that belongs to no single skill: the sentences, categories and notes.
    """


class PromptReply(BaseModel):
    """
    A prompt and what is known of it.
    """

    prompt: str
    """
    The text for the system prompt.
    """
    mode: Literal["two_state", "listing", "combined", "discover"]
    """
    The mode it was made in.
    """
    format: Literal["xml", "yaml", "markdown", "json"]
    """
    How the listing is written.
    """
    tokens: int
    """
    The tokens of `prompt`.
    """
    tokenizer: str
    """
    What counted them; `estimate` for a quarter of the bytes.
    """
    shown: int
    """
    Skills it names.
    """
    total: int
    """
    Skills it could have named: those of the category that the policy lets be seen.
    """
    truncated: bool | None = None
    """
    Whether the budget left no room for all of them, or for their descriptions.
    """
    explain: PromptExplanation | None = None


class PublishReply(BaseModel):
    """
    A skill that is published now, or a draft.
    """

    status: Literal["created", "updated", "unchanged"]
    """
    What happened.
    """
    skill: str
    """
    Where it lies: what `load_skill` takes.
    """
    digest: str
    """
    The digest of the version: `sha256:` and 64 hex digits.
    """
    state: Literal["published", "draft"]
    """
    What becomes of the skill.
    """
    complete: bool
    """
    Whether the plain files in the bucket are those of this version. Until they are, sessions are served from the
    version itself, and any server brings them up to it. A draft has none.
    """
    kept: list[str]
    """
    Files that another tool wrote meanwhile. They stay as they are, and the next publish keeps them as a version.
    """
    lint: list[SkillFileDiagnostic]
    """
    What lint finds: warnings, and for an earlier version also errors.
    """
    quality: SkillQuality
    """
    How well it serves agents, with what would make it better.
    """


class Session(BaseModel):
    """
    One agent conversation, without its snapshots, discoveries and ranks.
    """

    session_id: str
    """
    Its id, unique within the user.
    """
    user_id: str
    """
    The user it belongs to.
    """
    vars: dict[str, str]
    """
    Values for the mount templates.
    """
    policy: Policy
    """
    What it may do. Only a key of scope `control` is shown rules that name skills.
    """
    unknown_tools: list[str] | None = None
    """
    Tools that the policy has rules for and that this version does not know; they change nothing.
    """
    unmatched_rules: list[str] | None = None
    """
    In the answer to a change of the policy: rules for skills, and skills for sub-agents, that match no skill of the catalog;
    they change nothing now.
    """
    unchanged: list[str] | None = None
    """
    In the answer to a creation of a session that exists: the members of the request that differ from the session and
    change nothing, of `policy`, `vars` and `parent`. `PATCH` changes policy and variables.
    """
    parent: str | None = None
    """
    The session it was forked from.
    """
    workspace_of: str | None = None
    """
    The session whose `/workspace` and `/ticket` it shares; null if they are its own.
    """
    current_skill: str | None = None
    """
    The skill whose instructions the prompt holds.
    """
    version: int
    """
    Counts changes; 0 for a session that was never changed.
    """
    created_at: AwareDatetime
    """
    When it began.
    """
    updated_at: AwareDatetime
    """
    When it was last changed.
    """
    expires_at: AwareDatetime
    """
    When it is forgotten if nothing happens in it.
    """
    loaded_skills: list[LoadedSkill]
    """
    Skills in the order they were loaded.
    """


class SessionList(BaseModel):
    """
    One page of sessions.
    """

    sessions: list[Session]
    """
    In byte order of their ids, as keys of the store have them.
    """
    damaged: list[DamagedSession]
    """
    Sessions of the page with a damaged object. `DELETE` removes one.
    """
    next_cursor: str | None = None
    """
    Give this back to get the next page; null on the last one.
    """


class SkillList(BaseModel):
    """
    One page of skills.
    """

    skills: list[SkillReply]
    """
    In byte order of their paths.
    """
    diagnostics: list[SkillDiagnostic]
    """
    Faults of the skills of this page, and of skills that the catalog omits between this page and the next.
    """
    total: int
    """
    How many skills there are on all pages.
    """
    total_diagnostics: int
    """
    How many diagnostics there are on all pages.
    """
    as_of: AwareDatetime
    """
    When the store was asked.
    """
    next_cursor: str | None = None
    """
    Give this back to get the next page; null on the last one.
    """


class SkillStanding(BaseModel):
    """
    Where a skill stands in a search.
    """

    skill: str
    """
    Its path.
    """
    standing: Literal[
        "found",
        "beyond_limit",
        "too_little",
        "no_match",
        "other_category",
        "other_level",
        "people_only",
        "unreadable",
        "not_indexed",
    ]
    """
    Whether it was found, and if not, why.
    """
    rank: int | None = None
    """
    Its place among all skills that were found, from 1.
    """
    score: float
    """
    Its score, whether it was found or not.
    """
    message: str
    """
    The same in a sentence, with what to do about it.
    """
    explain: ExplainedSkill | None = None


class UploadReply(BaseModel):
    """
    What became of the files of an upload.
    """

    files: list[UploadedFile]
    """
    In the order of the parts.
    """


class AuditList(BaseModel):
    """
    One page of records.
    """

    records: list[AuditRecord]
    """
    In the order of time. Records of several replicas may lie a minute apart in it from page to page.
    """
    next_cursor: str | None = None
    """
    Give this back to get the next page; null on the last one.
    """


class ChangeSessionRequest(BaseModel):
    """
    What to change of a session.
    """

    model_config = ConfigDict(
        extra="forbid",
    )
    policy: Policy | None = None
    vars: dict[str, Any] | None = None
    """
    Variables to set. A key of scope `control` sets any, and an agent's key sets the variables that the templates leave to
    agents.
    """
    current_skill: str | None = None
    """
    `null`: no skill is current any more. A skill becomes current by loading it.
    """


class CreateSessionRequest(BaseModel):
    """
    What a new session begins with.
    """

    model_config = ConfigDict(
        extra="forbid",
    )
    vars: dict[str, Any] | None = None
    """
    Values for the mount templates. A key of scope `control` sets any, and an agent's key sets the values that the templates
    leave to agents.
    """
    policy: Policy | None = None
    parent: str | None = None
    """
    A session of the same user whose loaded skills, variables and policy it starts from, and whose `/workspace` and
    `/ticket` it shares. What that session's policy withholds in `children`, it may not do.
    """


class DiscoveredSkill(BaseModel):
    """
    A skill that answers a question.
    """

    skill: str
    """
    What `load_skill` takes.
    """
    name: str
    """
    Its name.
    """
    description: str
    """
    What it is for.
    """
    category: str
    """
    The part of `skill` before the last slash; empty at the top.
    """
    layer: Literal["user", "team", "org"]
    """
    Whose folder it lies in.
    """
    score: float
    """
    How much of the question it answers, from 0 to 1; in a `fused` ranking, how good it is beside the best.
    """
    confidence: Literal["high", "low"]
    """
    Whether it is likely to answer the question.
    """
    explain: ExplainedSkill | None = None


class LintList(BaseModel):
    """
    One page of what lint finds in a user's own skills.
    """

    skills: list[LintedSkill]
    """
    In byte order of their paths, those without findings too.
    """
    next_cursor: str | None = None
    """
    Give this back to get the next page; null on the last one.
    """
    is_cut: bool
    """
    Whether there are more files than are listed (100,000), so that skills beyond them are left out.
    """


class DiscoverReply(BaseModel):
    """
    The skills that answer a question, best first.
    """

    skills: list[DiscoveredSkill]
    """
    The best of them.
    """
    total: int
    """
    How many there are, those beyond the limit included.
    """
    ranking: Literal["lexical", "fused"]
    """
    What they are ranked by.
    """
    message: str
    """
    What was found and what to do next, in a sentence or two.
    """
    doubt: str | None = None
    """
    Why the best of them may not fit, as a sentence, which the message has too. Absent if its confidence is high or nothing
    was found.
    """
    words: list[QuestionWord] | None = None
    """
    The words of the question that count, if the request asks for an explanation.
    """
    why: SkillStanding | None = None

# Made by scripts/generate.py from the OpenAPI document of the service. Do not edit.

from collections.abc import Sequence

from .. import call
from . import models


def check_health() -> call.Call[models.HealthReply]:
    """Whether the process is alive."""
    return call.Call(
        operation="check_health", method="GET", path="/healthz", read=call.json_reply(models.HealthReply), safe=True
    )


def answer_claude_hook(body: models.HookInput, *, user: str, session: str) -> call.Call[models.HookOutput]:
    """Answer a hook of the user and session in the headers. It is for hosts with one address for every user in their settings."""
    kind, content = call.encoded(body)
    return call.Call(
        operation="answer_claude_hook",
        method="POST",
        path="/hooks/claude",
        read=call.json_reply(models.HookOutput),
        headers=call.given({"x-skillmount-user": user, "x-skillmount-session": session, "content-type": kind}),
        content=content,
    )


def check_readiness() -> call.Call[models.HealthReply]:
    """Whether requests are welcome: the store can be reached and honours conditional writes, and the service is not stopping."""
    return call.Call(
        operation="check_readiness", method="GET", path="/readyz", read=call.json_reply(models.HealthReply), safe=True
    )


def show_deletion(user: str) -> call.Call[models.Deletion]:
    """Show how far the deletion of a user is, or what the last one removed. Needs a key of scope `control` for all users."""
    return call.Call(
        operation="show_deletion",
        method="GET",
        path=f"/v1/deletions/{call.segment(user)}",
        read=call.json_reply(models.Deletion),
        safe=True,
    )


def list_users(*, limit: int | None = None, cursor: str | None = None) -> call.Call[models.UserList]:
    """List the users who have objects in the store. Needs a key of scope `control` for all users."""
    return call.Call(
        operation="list_users",
        method="GET",
        path="/v1/users",
        read=call.json_reply(models.UserList),
        safe=True,
        query=call.query({"limit": limit, "cursor": cursor}),
    )


def delete_user(user: str) -> call.Call[models.Deletion]:
    """Delete a user with everything that it has, earlier versions included. Needs a key of scope `control` for all users. The
    reply comes before the sweeps, the second of which begins a minute later; `show_deletion` says how far they are. Calls for
    the user are `denied` until then."""
    return call.Call(
        operation="delete_user",
        method="DELETE",
        path=f"/v1/users/{call.segment(user)}",
        read=call.json_reply(models.Deletion),
    )


def list_audit_records(
    user: str,
    *,
    session: str | None = None,
    operation: str | None = None,
    since: str | None = None,
    limit: int | None = None,
    cursor: str | None = None,
    layer: str | None = None,
) -> call.Call[models.AuditList]:
    """List the operations on a user's data, each with caller, session, paths and outcome. With `layer` they are the changes of the
    skills of the key's team or of the organisation. Needs a key of scope `control`."""
    return call.Call(
        operation="list_audit_records",
        method="GET",
        path=f"/v1/users/{call.segment(user)}/audit",
        read=call.json_reply(models.AuditList),
        safe=True,
        query=call.query(
            {
                "session": session,
                "operation": operation,
                "since": since,
                "limit": limit,
                "cursor": cursor,
                "layer": layer,
            }
        ),
    )


def show_catalog(user: str) -> call.Call[models.CatalogStatus]:
    """Return how many skills a user has. Skills that the user's policy hides from the caller do not count. A key of scope `control`
    gets the state of the objects in the store too."""
    return call.Call(
        operation="show_catalog",
        method="GET",
        path=f"/v1/users/{call.segment(user)}/catalog",
        read=call.json_reply(models.CatalogStatus),
        safe=True,
    )


def rebuild_catalog(user: str) -> call.Call[models.CatalogStatus]:
    """Throw away what the store keeps of a user's catalog, and read every skill again. Needs a key of scope `control`."""
    return call.Call(
        operation="rebuild_catalog",
        method="POST",
        path=f"/v1/users/{call.segment(user)}/catalog/rebuild",
        read=call.json_reply(models.CatalogStatus),
    )


def refresh_catalog(user: str) -> call.Call[models.RefreshReply]:
    """Read a user's skills again, however fresh they are; skills that the user's policy hides from the caller are
    not counted."""
    return call.Call(
        operation="refresh_catalog",
        method="POST",
        path=f"/v1/users/{call.segment(user)}/catalog/refresh",
        read=call.json_reply(models.RefreshReply),
        safe=True,
    )


def diff_versions(
    user: str, skill: str, *, from_: str | None = None, to: str | None = None, layer: str | None = None
) -> call.Call[models.VersionDiff]:
    """Compare two versions of a skill: the lines that differ, and which files do. Without `from` and `to` they are the published
    version and the one before it."""
    return call.Call(
        operation="diff_versions",
        method="GET",
        path=f"/v1/users/{call.segment(user)}/diff/{call.tail(skill)}",
        read=call.json_reply(models.VersionDiff),
        safe=True,
        query=call.query({"from": from_, "to": to, "layer": layer}),
    )


def watch_user(user: str, *, last_event_id: str | None = None) -> call.Call[models.EventList]:
    """Watch what happens in all sessions of a user, as in one of them. Needs a key of scope `control`."""
    return call.Call(
        operation="watch_user",
        method="GET",
        path=f"/v1/users/{call.segment(user)}/events",
        read=call.json_reply(models.EventList),
        safe=True,
        headers=call.given({"Last-Event-ID": last_event_id}),
    )


def export_user(user: str) -> call.Call[bytes]:
    """Everything of a user as one tar archive: skills, files, sessions, versions, policy, records. Needs a key of scope `control`.
    Entries are named as the keys of the store. The last one, `_manifest.json`, counts them and names what is left out; an
    archive without it is not whole."""
    return call.Call(
        operation="export_user",
        method="GET",
        path=f"/v1/users/{call.segment(user)}/export",
        read=call.bytes_reply,
        safe=True,
    )


def lint_skills(
    user: str, *, skill: str | None = None, limit: int | None = None, cursor: str | None = None
) -> call.Call[models.LintList]:
    """Judge a user's own skills as they lie in the store: their SKILL.md and the names of their files. Skills that the user's
    policy hides are omitted."""
    return call.Call(
        operation="lint_skills",
        method="GET",
        path=f"/v1/users/{call.segment(user)}/lint",
        read=call.json_reply(models.LintList),
        safe=True,
        query=call.query({"skill": skill, "limit": limit, "cursor": cursor}),
    )


def show_user_policy(user: str) -> call.Call[models.UserPolicy]:
    """Show the user's policy; the stricter of it and a session's own holds. Only a key of scope `control` is shown rules that
    name skills."""
    return call.Call(
        operation="show_user_policy",
        method="GET",
        path=f"/v1/users/{call.segment(user)}/policy",
        read=call.json_reply(models.UserPolicy),
        safe=True,
    )


def set_user_policy(user: str, body: models.Policy) -> call.Call[models.UserPolicy]:
    """Replace the user's policy. Needs a key of scope `control`."""
    kind, content = call.encoded(body)
    return call.Call(
        operation="set_user_policy",
        method="PUT",
        path=f"/v1/users/{call.segment(user)}/policy",
        read=call.json_reply(models.UserPolicy),
        safe=True,
        headers=call.given({"content-type": kind}),
        content=content,
    )


def roll_back_skill(
    user: str, skill: str, body: models.RollbackRequest, *, layer: str | None = None, if_match: str | None = None
) -> call.Call[models.PublishReply]:
    """Go back to an earlier version of a skill, also of a deleted one. Needs a key of scope `control`."""
    kind, content = call.encoded(body)
    return call.Call(
        operation="roll_back_skill",
        method="POST",
        path=f"/v1/users/{call.segment(user)}/rollback/{call.tail(skill)}",
        read=call.json_reply(models.PublishReply),
        query=call.query({"layer": layer}),
        headers=call.given({"If-Match": if_match, "content-type": kind}),
        content=content,
    )


def collect_sessions(user: str, *, tag: bool | None = None) -> call.Call[models.SessionGcReply]:
    """Forget a user's sessions that were idle for 30 days; their files stay. Records that are older than the service keeps them go
    too. Needs a key of scope `control`."""
    return call.Call(
        operation="collect_sessions",
        method="POST",
        path=f"/v1/users/{call.segment(user)}/session_gc",
        read=call.json_reply(models.SessionGcReply),
        query=call.query({"tag": tag}),
    )


def list_sessions(user: str, *, limit: int | None = None, cursor: str | None = None) -> call.Call[models.SessionList]:
    """List the sessions of a user that the key reaches, in byte order of their ids. A page may hold none and still name a
    next one."""
    return call.Call(
        operation="list_sessions",
        method="GET",
        path=f"/v1/users/{call.segment(user)}/sessions",
        read=call.json_reply(models.SessionList),
        safe=True,
        query=call.query({"limit": limit, "cursor": cursor}),
    )


def show_session(user: str, session: str) -> call.Call[models.Session]:
    """Show a session; one that does not exist is shown as it would begin."""
    return call.Call(
        operation="show_session",
        method="GET",
        path=f"/v1/users/{call.segment(user)}/sessions/{call.segment(session)}",
        read=call.json_reply(models.Session),
        safe=True,
        session=(user, session),
    )


def create_session(user: str, session: str, body: models.CreateSessionRequest) -> call.Call[models.Session]:
    """Make a session; one that exists is returned as it is, with the names of the members of the request that differ from it."""
    kind, content = call.encoded(body)
    return call.Call(
        operation="create_session",
        method="PUT",
        path=f"/v1/users/{call.segment(user)}/sessions/{call.segment(session)}",
        read=call.json_reply(models.Session),
        safe=True,
        session=(user, session),
        headers=call.given({"content-type": kind}),
        content=content,
    )


def forget_session(user: str, session: str, *, workspace: str | None = None) -> call.Call[None]:
    """Forget a session; its workspace stays, unless the request says otherwise and no other session shares it. Needs a key of
    scope `control`."""
    return call.Call(
        operation="forget_session",
        method="DELETE",
        path=f"/v1/users/{call.segment(user)}/sessions/{call.segment(session)}",
        read=call.no_reply,
        session=(user, session),
        query=call.query({"workspace": workspace}),
    )


def change_session(user: str, session: str, body: models.ChangeSessionRequest) -> call.Call[models.Session]:
    """Change policy, variables or the current skill of a session."""
    kind, content = call.encoded(body)
    return call.Call(
        operation="change_session",
        method="PATCH",
        path=f"/v1/users/{call.segment(user)}/sessions/{call.segment(session)}",
        read=call.json_reply(models.Session),
        session=(user, session),
        headers=call.given({"content-type": kind}),
        content=content,
    )


def list_approvals(user: str, session: str) -> call.Call[models.ApprovalList]:
    """List the calls of a session that wait for approval, the oldest first. Needs a key of scope `control`."""
    return call.Call(
        operation="list_approvals",
        method="GET",
        path=f"/v1/users/{call.segment(user)}/sessions/{call.segment(session)}/approvals",
        read=call.json_reply(models.ApprovalList),
        safe=True,
        session=(user, session),
    )


def decide_approval(
    user: str, session: str, approval_id: str, body: models.DecideApprovalRequest
) -> call.Call[models.Session]:
    """Decide about a call that waits for approval. Allowed, it runs once, when it is made again within five minutes; with
    `remember`, so does every call of its tool, or every load of its skill, in this session. Needs a key of scope `control`."""
    kind, content = call.encoded(body)
    return call.Call(
        operation="decide_approval",
        method="POST",
        path=f"/v1/users/{call.segment(user)}/sessions/{call.segment(session)}/approvals/{call.segment(approval_id)}",
        read=call.json_reply(models.Session),
        session=(user, session),
        headers=call.given({"content-type": kind}),
        content=content,
    )


def create_skill(
    user: str, session: str, body: models.CreateSkillRequest, *, call_id: str | None = None
) -> call.Call[models.CreateSkillReply]:
    """Write a skill as a draft: this session sees it, and others once a person has published it."""
    kind, content = call.encoded(body)
    return call.Call(
        operation="create_skill",
        method="POST",
        path=f"/v1/users/{call.segment(user)}/sessions/{call.segment(session)}/create_skill",
        read=call.json_reply(models.CreateSkillReply),
        session=(user, session),
        headers=call.given({"x-skillmount-call-id": call_id, "content-type": kind}),
        content=content,
    )


def delete_path(
    user: str, session: str, body: models.DeleteRequest, *, call_id: str | None = None
) -> call.Call[models.DeleteReply]:
    """Delete a file, or a folder and everything below it."""
    kind, content = call.encoded(body)
    return call.Call(
        operation="delete_path",
        method="POST",
        path=f"/v1/users/{call.segment(user)}/sessions/{call.segment(session)}/delete",
        read=call.json_reply(models.DeleteReply),
        session=(user, session),
        headers=call.given({"x-skillmount-call-id": call_id, "content-type": kind}),
        content=content,
    )


def discover_skills(
    user: str, session: str, body: models.DiscoverRequest, *, call_id: str | None = None
) -> call.Call[models.DiscoverReply]:
    """Find skills for a task; finding one does not load it."""
    kind, content = call.encoded(body)
    return call.Call(
        operation="discover_skills",
        method="POST",
        path=f"/v1/users/{call.segment(user)}/sessions/{call.segment(session)}/discover_skills",
        read=call.json_reply(models.DiscoverReply),
        safe=True,
        session=(user, session),
        headers=call.given({"x-skillmount-call-id": call_id, "content-type": kind}),
        content=content,
    )


def download_files(
    user: str, session: str, body: models.DownloadRequest, *, call_id: str | None = None
) -> call.Call[models.DownloadReply]:
    """Download files, in the order of the request. `multipart/mixed` has a part for each path, with `content-location`; those
    that failed have `x-error`, the code, and the reason as their text. With `accept: application/json` the files are in
    one JSON document, as base64."""
    kind, content = call.encoded(body)
    return call.Call(
        operation="download_files",
        method="POST",
        path=f"/v1/users/{call.segment(user)}/sessions/{call.segment(session)}/download",
        read=call.json_reply(models.DownloadReply),
        safe=True,
        session=(user, session),
        headers=call.given({"x-skillmount-call-id": call_id, "content-type": kind}),
        content=content,
    )


def edit_file(
    user: str, session: str, body: models.EditRequest, *, call_id: str | None = None
) -> call.Call[models.EditReply]:
    """Replace text in a file."""
    kind, content = call.encoded(body)
    return call.Call(
        operation="edit_file",
        method="POST",
        path=f"/v1/users/{call.segment(user)}/sessions/{call.segment(session)}/edit",
        read=call.json_reply(models.EditReply),
        session=(user, session),
        headers=call.given({"x-skillmount-call-id": call_id, "content-type": kind}),
        content=content,
    )


def watch_session(user: str, session: str, *, last_event_id: str | None = None) -> call.Call[models.EventList]:
    """Watch what happens in a session: tool calls, skills, files, permission requests, and changes of the catalog. The answer is a
    stream of each event as it happens. A client that accepts `application/json` and no stream gets those since `Last-Event-ID`.
    An event may come twice with the same id. The service omits none without a word: `gap` says that it no longer keeps the events
    since an id, and `dropped` that the client was too slow and must connect again."""
    return call.Call(
        operation="watch_session",
        method="GET",
        path=f"/v1/users/{call.segment(user)}/sessions/{call.segment(session)}/events",
        read=call.json_reply(models.EventList),
        safe=True,
        session=(user, session),
        headers=call.given({"Last-Event-ID": last_event_id}),
    )


def get_file(
    user: str,
    session: str,
    path: str,
    *,
    call_id: str | None = None,
    if_match: str | None = None,
    if_none_match: str | None = None,
    range: str | None = None,
    if_range: str | None = None,
) -> call.Call[bytes]:
    """Read a file's bytes. Takes `range`, `if-range`, `if-match` and `if-none-match`."""
    return call.Call(
        operation="get_file",
        method="GET",
        path=f"/v1/users/{call.segment(user)}/sessions/{call.segment(session)}/files/{call.tail(path)}",
        read=call.bytes_reply,
        safe=True,
        session=(user, session),
        headers=call.given(
            {
                "x-skillmount-call-id": call_id,
                "If-Match": if_match,
                "If-None-Match": if_none_match,
                "Range": range,
                "If-Range": if_range,
            }
        ),
    )


def put_file(
    user: str,
    session: str,
    path: str,
    body: bytes,
    *,
    call_id: str | None = None,
    if_match: str | None = None,
    if_none_match: str | None = None,
) -> call.Call[models.WriteReply]:
    """Write a file's bytes. `if-none-match: *` only makes a new one, `if-match` only replaces that version; without either
    the last writer wins."""
    kind, content = call.encoded(body, binary="application/octet-stream")
    return call.Call(
        operation="put_file",
        method="PUT",
        path=f"/v1/users/{call.segment(user)}/sessions/{call.segment(session)}/files/{call.tail(path)}",
        read=call.json_reply(models.WriteReply),
        session=(user, session),
        headers=call.given(
            {
                "x-skillmount-call-id": call_id,
                "If-Match": if_match,
                "If-None-Match": if_none_match,
                "content-type": kind,
            }
        ),
        content=content,
    )


def delete_file(
    user: str, session: str, path: str, *, call_id: str | None = None, if_match: str | None = None
) -> call.Call[None]:
    """Delete a file, or a folder and everything below it. Where some files of a folder could not be deleted, this is the problem
    of the first of them, with `outcome` for the whole, `deleted` and `failed`; the same call, made again, deletes the rest."""
    return call.Call(
        operation="delete_file",
        method="DELETE",
        path=f"/v1/users/{call.segment(user)}/sessions/{call.segment(session)}/files/{call.tail(path)}",
        read=call.no_reply,
        session=(user, session),
        headers=call.given({"x-skillmount-call-id": call_id, "If-Match": if_match}),
    )


def head_file(
    user: str,
    session: str,
    path: str,
    *,
    call_id: str | None = None,
    if_match: str | None = None,
    if_none_match: str | None = None,
) -> call.Call[int]:
    """What `GET` would say of a file, without its bytes."""
    return call.Call(
        operation="head_file",
        method="HEAD",
        path=f"/v1/users/{call.segment(user)}/sessions/{call.segment(session)}/files/{call.tail(path)}",
        read=call.length_reply,
        safe=True,
        session=(user, session),
        headers=call.given({"x-skillmount-call-id": call_id, "If-Match": if_match, "If-None-Match": if_none_match}),
    )


def find_files(
    user: str, session: str, body: models.GlobRequest, *, call_id: str | None = None
) -> call.Call[models.GlobReply]:
    """Find files by name."""
    kind, content = call.encoded(body)
    return call.Call(
        operation="find_files",
        method="POST",
        path=f"/v1/users/{call.segment(user)}/sessions/{call.segment(session)}/glob",
        read=call.json_reply(models.GlobReply),
        safe=True,
        session=(user, session),
        headers=call.given({"x-skillmount-call-id": call_id, "content-type": kind}),
        content=content,
    )


def search_files(
    user: str, session: str, body: models.GrepRequest, *, call_id: str | None = None
) -> call.Call[models.GrepReply]:
    """Search the contents of everything the session sees."""
    kind, content = call.encoded(body)
    return call.Call(
        operation="search_files",
        method="POST",
        path=f"/v1/users/{call.segment(user)}/sessions/{call.segment(session)}/grep",
        read=call.json_reply(models.GrepReply),
        safe=True,
        session=(user, session),
        headers=call.given({"x-skillmount-call-id": call_id, "content-type": kind}),
        content=content,
    )


def answer_hook(user: str, session: str, body: models.HookInput) -> call.Call[models.HookOutput]:
    """Answer a hook: the listing of skills when a conversation begins, the skills that a message or a command calls for, and those
    for a sub-agent. The reply is `{}` if there is nothing to say. It never decides about a call."""
    kind, content = call.encoded(body)
    return call.Call(
        operation="answer_hook",
        method="POST",
        path=f"/v1/users/{call.segment(user)}/sessions/{call.segment(session)}/hooks",
        read=call.json_reply(models.HookOutput),
        session=(user, session),
        headers=call.given({"content-type": kind}),
        content=content,
    )


def load_skill(
    user: str, session: str, body: models.LoadSkillRequest, *, call_id: str | None = None
) -> call.Call[models.LoadSkillReply]:
    """Load a skill: mount its files below `/skills` and make it the current one."""
    kind, content = call.encoded(body)
    return call.Call(
        operation="load_skill",
        method="POST",
        path=f"/v1/users/{call.segment(user)}/sessions/{call.segment(session)}/load_skill",
        read=call.json_reply(models.LoadSkillReply),
        safe=True,
        session=(user, session),
        headers=call.given({"x-skillmount-call-id": call_id, "content-type": kind}),
        content=content,
    )


def list_folder(
    user: str, session: str, body: models.LsRequest, *, call_id: str | None = None
) -> call.Call[models.LsReply]:
    """List a folder."""
    kind, content = call.encoded(body)
    return call.Call(
        operation="list_folder",
        method="POST",
        path=f"/v1/users/{call.segment(user)}/sessions/{call.segment(session)}/ls",
        read=call.json_reply(models.LsReply),
        safe=True,
        session=(user, session),
        headers=call.given({"x-skillmount-call-id": call_id, "content-type": kind}),
        content=content,
    )


def send_message(user: str, session: str, body: models.MessageRequest) -> call.Call[models.MessageReply]:
    """Run the slash command that a message may be: `/skill arguments` loads that skill. Any other text comes back unchanged."""
    kind, content = call.encoded(body)
    return call.Call(
        operation="send_message",
        method="POST",
        path=f"/v1/users/{call.segment(user)}/sessions/{call.segment(session)}/messages",
        read=call.json_reply(models.MessageReply),
        session=(user, session),
        headers=call.given({"content-type": kind}),
        content=content,
    )


def move_path(
    user: str, session: str, body: models.MoveRequest, *, call_id: str | None = None
) -> call.Call[models.MoveReply]:
    """Move or rename a file, or a folder and everything below it; nothing at the new path is replaced."""
    kind, content = call.encoded(body)
    return call.Call(
        operation="move_path",
        method="POST",
        path=f"/v1/users/{call.segment(user)}/sessions/{call.segment(session)}/move",
        read=call.json_reply(models.MoveReply),
        session=(user, session),
        headers=call.given({"x-skillmount-call-id": call_id, "content-type": kind}),
        content=content,
    )


def render_prompt(
    user: str,
    session: str,
    *,
    mode: str | None = None,
    format: str | None = None,
    category: str | None = None,
    max_tokens: int | None = None,
    explain: bool | None = None,
    if_none_match: str | None = None,
) -> call.Call[models.PromptReply]:
    """Render the prompt. With `accept: text/plain` the reply is the bare prompt. The ETag stays while the prompt does."""
    return call.Call(
        operation="render_prompt",
        method="GET",
        path=f"/v1/users/{call.segment(user)}/sessions/{call.segment(session)}/prompt",
        read=call.json_reply(models.PromptReply),
        safe=True,
        session=(user, session),
        query=call.query(
            {"mode": mode, "format": format, "category": category, "max_tokens": max_tokens, "explain": explain}
        ),
        headers=call.given({"If-None-Match": if_none_match}),
    )


def read_file(
    user: str, session: str, body: models.ReadRequest, *, call_id: str | None = None
) -> call.Call[models.ReadReply]:
    """Read lines of a text file."""
    kind, content = call.encoded(body)
    return call.Call(
        operation="read_file",
        method="POST",
        path=f"/v1/users/{call.segment(user)}/sessions/{call.segment(session)}/read",
        read=call.json_reply(models.ReadReply),
        safe=True,
        session=(user, session),
        headers=call.given({"x-skillmount-call-id": call_id, "content-type": kind}),
        content=content,
    )


def run_tool_calls(
    user: str,
    session: str,
    body: models.ToolCallsRequest,
    *,
    format: str | None = None,
    result_details: bool | None = None,
) -> call.Call[models.TurnReply]:
    """Run the tool calls of one turn. The reply holds a result for each in their order, in the shape of the calls: the user
    message that answers `tool_use` blocks, or the `tool` messages that answer `tool_calls`. A call that fails is a result
    that begins with `Error: `, not a problem."""
    kind, content = call.encoded(body)
    return call.Call(
        operation="run_tool_calls",
        method="POST",
        path=f"/v1/users/{call.segment(user)}/sessions/{call.segment(session)}/tool_calls",
        read=call.json_reply(models.TurnReply),
        session=(user, session),
        query=call.query({"format": format}),
        headers=call.given({"x-skillmount-result-details": result_details, "content-type": kind}),
        content=content,
    )


def list_tools(
    user: str, session: str, *, format: str | None = None, mode: str | None = None
) -> call.Call[models.ToolList]:
    """List the tools the session may use now. They may be others after each turn; the ETag stays while they do."""
    return call.Call(
        operation="list_tools",
        method="GET",
        path=f"/v1/users/{call.segment(user)}/sessions/{call.segment(session)}/tools",
        read=call.json_reply(models.ToolList),
        safe=True,
        session=(user, session),
        query=call.query({"format": format, "mode": mode}),
    )


def unload_skill(
    user: str, session: str, body: models.UnloadSkillRequest, *, call_id: str | None = None
) -> call.Call[models.UnloadSkillReply]:
    """Hide a loaded skill again."""
    kind, content = call.encoded(body)
    return call.Call(
        operation="unload_skill",
        method="POST",
        path=f"/v1/users/{call.segment(user)}/sessions/{call.segment(session)}/unload_skill",
        read=call.json_reply(models.UnloadSkillReply),
        safe=True,
        session=(user, session),
        headers=call.given({"x-skillmount-call-id": call_id, "content-type": kind}),
        content=content,
    )


def upload_files(
    user: str, session: str, body: Sequence[tuple[str, bytes]], *, call_id: str | None = None
) -> call.Call[models.UploadReply]:
    """Upload files: a part for each, its name the virtual path. Files that exist are replaced."""
    kind, content = call.encoded(body)
    return call.Call(
        operation="upload_files",
        method="POST",
        path=f"/v1/users/{call.segment(user)}/sessions/{call.segment(session)}/upload",
        read=call.json_reply(models.UploadReply),
        session=(user, session),
        headers=call.given({"x-skillmount-call-id": call_id, "content-type": kind}),
        content=content,
    )


def write_file(
    user: str, session: str, body: models.WriteRequest, *, call_id: str | None = None
) -> call.Call[models.WriteReply]:
    """Make a file, or replace it with `overwrite`."""
    kind, content = call.encoded(body)
    return call.Call(
        operation="write_file",
        method="POST",
        path=f"/v1/users/{call.segment(user)}/sessions/{call.segment(session)}/write",
        read=call.json_reply(models.WriteReply),
        session=(user, session),
        headers=call.given({"x-skillmount-call-id": call_id, "content-type": kind}),
        content=content,
    )


def get_skill_file(
    user: str,
    skill: str,
    *,
    path: str | None = None,
    if_match: str | None = None,
    if_none_match: str | None = None,
    range: str | None = None,
    if_range: str | None = None,
) -> call.Call[bytes]:
    """Read the bytes of one file of a skill, without loading it; of a draft too, for who sees it in the list. Takes `range`, `if-range`, `if-match` and `if-none-match`. What the
    user's policy hides is not there, and a skill whose each use is approved is read in a session."""
    return call.Call(
        operation="get_skill_file",
        method="GET",
        path=f"/v1/users/{call.segment(user)}/skill_files/{call.tail(skill)}",
        read=call.bytes_reply,
        safe=True,
        query=call.query({"path": path}),
        headers=call.given(
            {"If-Match": if_match, "If-None-Match": if_none_match, "Range": range, "If-Range": if_range}
        ),
    )


def list_skills(
    user: str,
    *,
    category: str | None = None,
    fresh: bool | None = None,
    limit: int | None = None,
    cursor: str | None = None,
) -> call.Call[models.SkillList]:
    """List a user's skills, except skills that the user's policy hides; a key of scope `control` sees them all. Drafts are shown to keys
    of scope `control`, and to keys that are bound to the session that made them."""
    return call.Call(
        operation="list_skills",
        method="GET",
        path=f"/v1/users/{call.segment(user)}/skills",
        read=call.json_reply(models.SkillList),
        safe=True,
        query=call.query({"category": category, "fresh": fresh, "limit": limit, "cursor": cursor}),
    )


def download_skills(user: str, body: models.DownloadSkillsRequest) -> call.Call[models.DownloadReply]:
    """Download files of several skills without loading them, in the order of the request and up to 1,000 in all.
    `multipart/mixed` has a part for each file, with its place below `skills/` as `content-location`. The part of a failed file has
    the code as `x-error` and the reason as text. A skill that failed as a whole has one such part, with its path. With
    `accept: application/json` the files are in one JSON document, as base64. With `accept: application/zip` they are an archive, and
    the first of them that fails is the answer."""
    kind, content = call.encoded(body)
    return call.Call(
        operation="download_skills",
        method="POST",
        path=f"/v1/users/{call.segment(user)}/skills/download",
        read=call.json_reply(models.DownloadReply),
        safe=True,
        headers=call.given({"content-type": kind}),
        content=content,
    )


def show_skill(user: str, skill: str, *, digest: str | None = None) -> call.Call[models.SkillPage]:
    """Show one skill: its instructions, their outline, and its files. With `accept: application/zip` the answer is its folder as
    an archive. A draft is shown to who sees it in the list. By its digest a version is shown though the skill is deleted or a draft
    by now."""
    return call.Call(
        operation="show_skill",
        method="GET",
        path=f"/v1/users/{call.segment(user)}/skills/{call.tail(skill)}",
        read=call.json_reply(models.SkillPage),
        safe=True,
        query=call.query({"digest": digest}),
    )


def publish_skill(
    user: str,
    skill: str,
    body: models.PublishRequest | bytes | Sequence[tuple[str, bytes]],
    *,
    state: str | None = None,
    source: str | None = None,
    layer: str | None = None,
    if_match: str | None = None,
    if_none_match: str | None = None,
) -> call.Call[models.PublishReply]:
    """Publish a new version of a skill: as JSON, as a zip archive of its folder, or as a part for each file. It is checked whole
    before anything is stored, and readers see the old version or the new one. The same content again changes nothing. In each form
    it has up to 10,000 files, 256 MiB unpacked and 64 MiB zipped, and a file 64 MiB. A JSON body has up to 16 MiB; a larger skill is
    sent as an archive or in parts. Needs a key of scope `control`."""
    kind, content = call.encoded(body, binary="application/zip")
    return call.Call(
        operation="publish_skill",
        method="PUT",
        path=f"/v1/users/{call.segment(user)}/skills/{call.tail(skill)}",
        read=call.json_reply(models.PublishReply),
        query=call.query({"state": state, "source": source, "layer": layer}),
        headers=call.given({"If-Match": if_match, "If-None-Match": if_none_match, "content-type": kind}),
        content=content,
    )


def delete_skill(user: str, skill: str, *, layer: str | None = None, if_match: str | None = None) -> call.Call[None]:
    """Delete a skill. Its versions stay, and a rollback to one of them brings it back; a draft has none. Needs a key of scope `control`."""
    return call.Call(
        operation="delete_skill",
        method="DELETE",
        path=f"/v1/users/{call.segment(user)}/skills/{call.tail(skill)}",
        read=call.no_reply,
        query=call.query({"layer": layer}),
        headers=call.given({"If-Match": if_match}),
    )


def change_skill(
    user: str, skill: str, body: models.ChangeSkillRequest, *, layer: str | None = None, if_match: str | None = None
) -> call.Call[models.PublishReply]:
    """Change what a skill is, its description or its body: `state` publishes a draft, or makes a draft of a published skill. The
    rest of its SKILL.md stays as it was written. Needs a key of scope `control`."""
    kind, content = call.encoded(body)
    return call.Call(
        operation="change_skill",
        method="PATCH",
        path=f"/v1/users/{call.segment(user)}/skills/{call.tail(skill)}",
        read=call.json_reply(models.PublishReply),
        query=call.query({"layer": layer}),
        headers=call.given({"If-Match": if_match, "content-type": kind}),
        content=content,
    )


def get_usage(user: str, *, since: str | None = None) -> call.Call[models.Usage]:
    """Return figures about how a user's conversations find and use skills, from the audit records. Needs a key of scope `control`."""
    return call.Call(
        operation="get_usage",
        method="GET",
        path=f"/v1/users/{call.segment(user)}/usage",
        read=call.json_reply(models.Usage),
        safe=True,
        query=call.query({"since": since}),
    )


def list_versions(
    user: str, skill: str, *, limit: int | None = None, cursor: str | None = None, layer: str | None = None
) -> call.Call[models.VersionList]:
    """List the versions of a skill, newest first."""
    return call.Call(
        operation="list_versions",
        method="GET",
        path=f"/v1/users/{call.segment(user)}/versions/{call.tail(skill)}",
        read=call.json_reply(models.VersionList),
        safe=True,
        query=call.query({"limit": limit, "cursor": cursor, "layer": layer}),
    )

//! Every call, and what it does as far as that matters to whether it may.

use serde_json::{Value, json};
use skillmount::{tools::Tool, wire::Operation};

/// What a call does, as far as it matters to whether it may.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Does {
    /// Something of the service itself.
    Service,
    /// Fetches the skill `a` as an installer does, without a key.
    Installs,
    /// Looks at something of the user that a bound key may look at too.
    LooksAtUser,
    /// Looks at the catalog.
    ReadsCatalog,
    /// Looks at the skill `a` in the catalog.
    ShowsSkill,
    /// Looks at what is published of the skill `a`, without its content.
    NamesSkill,
    /// Downloads a file of it, and says in the body of the reply what came of that.
    DownloadsSkill,
    /// Looks at the versions of the skill `a`.
    ReadsVersions,
    ComparesVersions,
    /// Looks at what authors know of the catalog.
    JudgesCatalog,
    /// Looks at a skill of which the settings say nothing.
    ShowsOther,
    /// Looks at a draft: the one that the session `in-maker` made, or the one of a person.
    ShowsDraft(Draft),
    /// Downloads a file of it, and says in the body of the reply what came of that.
    DownloadsDraft(Draft),
    /// Replaces or changes the draft of a person.
    RulesDraft,
    /// Changes what holds for the whole user, or looks at what everybody did there.
    RulesUser,
    /// Sets the policy of the user.
    SetsUserPolicy,
    /// Looks at all users, or ends one.
    RulesAll,
    /// Changes skills of the team, or looks at their versions.
    RulesTeam,
    /// As `RulesTeam`, for those of the organisation.
    RulesOrganisation,
    /// Looks at the session.
    LooksAtSession,
    /// Changes what the session may do, or ends it.
    RulesSession,
    /// Gives a fork of the session another policy.
    RulesFork,
    /// Ends the session of a new id that was made, with its files.
    EndsMade,
    /// Decides about the call that waits in the session.
    Decides,
    /// Gives the session the ticket it has.
    SetsTicket,
    /// Makes a session of a new id.
    Makes,
    /// Makes a fork of the session.
    Forks,
    /// Works on files of the session, or on what is loaded in it.
    Acts(Operation),
    /// Writes a file of the skill `b`, which is loaded.
    WritesSkill,
    /// Looks into the skill `a`, which is not loaded.
    LooksIntoSkill,
    /// Loads the skill `a`.
    Loads,
    /// Loads a draft: in the session that made it, or in the session of the caller.
    LoadsDraft(Draft),
    /// Loads it in the fork of the session.
    LoadsInFork,
    /// Says `/a`.
    Says,
    /// Works on a file and tells of it in the body of its reply.
    Carries(Operation),
    /// Calls a tool.
    Calls(Tool),
    /// Calls a tool as a host of MCP does.
    CallsByMcp(Tool),
}

/// A draft, by who made it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Draft {
    OfPerson,
    OfSession,
}

impl Draft {
    /// Its path.
    pub(super) const fn skill(self) -> &'static str {
        match self {
            Self::OfPerson => "draft",
            Self::OfSession => "own",
        }
    }
}

/// The session that made a draft.
pub(super) const MAKER: &str = "in-maker";

pub(super) struct Call {
    pub(super) method: &'static str,
    /// As the OpenAPI document has it.
    pub(super) path: &'static str,
    pub(super) does: Does,
    pub(super) body: Value,
    pub(super) ok: u16,
}

impl Call {
    /// The parameters of its query, each behind its route.
    pub(super) fn parameters(&self) -> impl Iterator<Item = String> {
        let (route, query) = self.path.split_once('?').unwrap_or((self.path, ""));
        let names = query.split('&').filter_map(|one| one.split_once('=')).map(|(name, _)| name);
        names.map(move |name| format!("{} {route}?{name}", self.method))
    }
}

fn call(method: &'static str, path: &'static str, does: Does, body: Value) -> Call {
    Call { method, path, does, body, ok: 200 }
}

macro_rules! in_session {
    ($rest:literal) => {
        concat!("/v1/users/{user}/sessions/{session}", $rest)
    };
}

/// Every call. `{file}` in a body is a file of this call alone.
pub(super) fn calls() -> Vec<Call> {
    let service = ["/healthz", "/readyz"];
    let mut all: Vec<Call> = service.map(|path| call("get", path, Does::Service, Value::Null)).into();
    all.extend(of_installers());
    all.extend(about_sessions());
    all.extend(of_layers());
    all.extend(in_sessions());
    all.extend(Tool::all().map(tool_call));
    all.extend(of_skills_api());
    all.extend(of_drafts());
    all.extend(beside_the_documents());
    // End sessions, and so come after them.
    all.push(Call { ok: 204, ..call("delete", in_session!("?workspace=delete"), Does::EndsMade, Value::Null) });
    all.push(Call { ok: 204, ..call("delete", in_session!(""), Does::RulesSession, Value::Null) });
    // Ends the user, and so comes last.
    all.push(call("get", "/v1/users", Does::RulesAll, Value::Null));
    all.push(Call { ok: 202, ..call("delete", "/v1/users/{user}", Does::RulesAll, Value::Null) });
    all.push(call("get", "/v1/deletions/{user}", Does::RulesAll, Value::Null));
    all
}

/// What installers fetch, for whom the operator or a link names.
fn of_installers() -> Vec<Call> {
    let of = |path, does| call("get", path, does, Value::Null);
    vec![
        of("/.well-known/agent-skills/index.json", Does::Service),
        of("/links/{link}/.well-known/agent-skills/index.json", Does::Service),
        of("/.well-known/agent-skills/{artifact}", Does::Installs),
        of("/links/{link}/.well-known/agent-skills/{artifact}", Does::Installs),
    ]
}

/// Calls about a user, and about a session as a whole.
fn about_sessions() -> Vec<Call> {
    use Does::{
        ComparesVersions, Decides, DownloadsSkill, Forks, JudgesCatalog, LooksAtSession, LooksAtUser, Makes,
        ReadsCatalog, ReadsVersions, RulesFork, RulesSession, RulesUser, SetsTicket, SetsUserPolicy, ShowsSkill,
    };
    let none = Value::Null;
    vec![
        call("get", "/v1/users/{user}/sessions", LooksAtUser, none.clone()),
        call("get", "/v1/users/{user}/policy", LooksAtUser, none.clone()),
        call("put", "/v1/users/{user}/policy", SetsUserPolicy, json!("policy")),
        call("get", "/v1/users/{user}/export", RulesUser, none.clone()),
        call("get", "/v1/users/{user}/skills", ReadsCatalog, none.clone()),
        call("get", "/v1/users/{user}/skills/{skill}", ShowsSkill, none.clone()),
        call("get", "/v1/users/{user}/skills/{skill}?digest={digest}", ShowsSkill, none.clone()),
        call("get", "/v1/users/{user}/skill_files/{skill}", ShowsSkill, none.clone()),
        call(
            "post",
            "/v1/users/{user}/skills/download",
            DownloadsSkill,
            json!({"skills": [{"skill": "a", "paths": ["SKILL.md"]}]}),
        ),
        call("post", "/v1/users/{user}/catalog/refresh", ReadsCatalog, none.clone()),
        call("get", "/v1/users/{user}/catalog", JudgesCatalog, none.clone()),
        call("post", "/v1/users/{user}/catalog/rebuild", RulesUser, none.clone()),
        call("get", "/v1/users/{user}/lint", JudgesCatalog, none.clone()),
        call("post", "/v1/users/{user}/session_gc", RulesUser, none.clone()),
        call("post", "/v1/users/{user}/session_gc?tag=true", RulesUser, none.clone()),
        call("get", "/v1/users/{user}/versions/{skill}", ReadsVersions, none.clone()),
        call("get", "/v1/users/{user}/diff/{skill}", ComparesVersions, none.clone()),
        call("put", "/v1/users/{user}/skills/{skill}", RulesUser, json!({"description": "About a", "body": "# a\n"})),
        call("patch", "/v1/users/{user}/skills/{skill}", RulesUser, json!({"description": "About a"})),
        call("post", "/v1/users/{user}/rollback/{skill}", RulesUser, json!({"digest": "{digest}"})),
        // Of the keys here three may delete a skill, and `c`, `d` and `e` are for them alone.
        Call { ok: 204, ..call("delete", "/v1/users/{user}/skills/{skill}", RulesUser, none.clone()) },
        call("get", "/v1/users/{user}/audit", RulesUser, none.clone()),
        call("get", "/v1/users/{user}/usage", RulesUser, none.clone()),
        call("get", "/v1/users/{user}/events", RulesUser, none.clone()),
        call("get", in_session!("/events"), LooksAtSession, none.clone()),
        call("get", in_session!(""), LooksAtSession, none.clone()),
        call("put", in_session!(""), LooksAtSession, json!({})),
        Call { ok: 201, ..call("put", in_session!(""), Makes, json!({})) },
        Call { ok: 201, ..call("put", in_session!(""), Forks, json!("parent")) },
        call("patch", in_session!(""), RulesFork, json!({"policy": "policy"})),
        call("put", in_session!(""), SetsTicket, json!({"vars": {"ticket_id": "t1"}})),
        call("put", in_session!(""), RulesSession, json!({"policy": {}})),
        call("patch", in_session!(""), LooksAtSession, json!({"current_skill": null})),
        call("patch", in_session!(""), SetsTicket, json!({"vars": {"ticket_id": "t1"}})),
        call("patch", in_session!(""), RulesSession, json!({"policy": "policy"})),
        call("get", in_session!("/approvals"), RulesSession, none.clone()),
        call("post", in_session!("/approvals/{approval_id}"), Decides, json!({"decision": "deny"})),
        call("get", in_session!("/prompt"), LooksAtSession, none.clone()),
        call("get", in_session!("/tools"), LooksAtSession, none.clone()),
        call("post", in_session!("/hooks"), LooksAtSession, json!({"hook_event_name": "SessionStart"})),
        call("post", "/hooks/claude", LooksAtSession, json!({"hook_event_name": "UserPromptSubmit", "prompt": "a"})),
    ]
}

/// Calls that take the layer whose skill is meant.
fn of_layers() -> Vec<Call> {
    let text = || json!({"description": "About a", "body": "# a\n"});
    let mut all = Vec::new();
    macro_rules! with {
        ($method:literal, $path:literal, $body:expr, $ok:literal) => {
            all.push(Call { ok: $ok, ..call($method, concat!($path, "?layer=team"), Does::RulesTeam, $body) });
            all.push(Call { ok: $ok, ..call($method, concat!($path, "?layer=org"), Does::RulesOrganisation, $body) });
        };
    }
    with!("put", "/v1/users/{user}/skills/{skill}", text(), 200);
    with!("patch", "/v1/users/{user}/skills/{skill}", json!({"description": "About a"}), 200);
    with!("get", "/v1/users/{user}/versions/{skill}", Value::Null, 200);
    with!("get", "/v1/users/{user}/diff/{skill}", Value::Null, 200);
    with!("get", "/v1/users/{user}/audit", Value::Null, 200);
    with!("post", "/v1/users/{user}/rollback/{skill}", json!({"digest": "{digest}"}), 200);
    with!("delete", "/v1/users/{user}/skills/{skill}", Value::Null, 204);
    all
}

/// Operations of an agent.
fn in_sessions() -> Vec<Call> {
    use Does::{Acts, Carries, Loads, LoadsInFork, LooksIntoSkill, Says, WritesSkill};
    let none = Value::Null;
    vec![
        call("post", in_session!("/ls"), Acts(Operation::Ls), json!({"path": "/"})),
        call("post", in_session!("/ls"), LooksIntoSkill, json!({"path": "/skills/a"})),
        call("post", in_session!("/read"), Acts(Operation::Read), json!({"file_path": "{file}"})),
        call("post", in_session!("/grep"), Acts(Operation::Grep), json!({"pattern": "x", "path": "{file}"})),
        call("post", in_session!("/glob"), Acts(Operation::Glob), json!({"pattern": "x", "path": "/ticket"})),
        call(
            "post",
            in_session!("/write"),
            Acts(Operation::Write),
            json!({"file_path": "{file}", "content": "", "overwrite": true}),
        ),
        call(
            "post",
            in_session!("/write"),
            WritesSkill,
            json!({"file_path": "/skills/b/new", "content": "", "overwrite": true}),
        ),
        call(
            "post",
            in_session!("/edit"),
            Acts(Operation::Edit),
            json!({"file_path": "{file}", "old_string": "text", "new_string": "text"}),
        ),
        call("post", in_session!("/move"), Acts(Operation::Move), json!({"from": "{file}", "to": "{file}-moved"})),
        call("post", in_session!("/delete"), Acts(Operation::Delete), json!({"path": "{file}"})),
        call("get", in_session!("/files/{path}"), Acts(Operation::Download), none.clone()),
        call("head", in_session!("/files/{path}"), Acts(Operation::Download), none.clone()),
        call("put", in_session!("/files/{path}"), Acts(Operation::Write), none.clone()),
        Call { ok: 204, ..call("delete", in_session!("/files/{path}"), Acts(Operation::Delete), none.clone()) },
        call("post", in_session!("/upload"), Carries(Operation::Upload), none.clone()),
        call("post", in_session!("/download"), Carries(Operation::Download), json!({"paths": ["{file}"]})),
        call("post", in_session!("/discover_skills"), Acts(Operation::DiscoverSkills), json!({"query": "a"})),
        Call {
            ok: 201,
            ..call("post", in_session!("/create_skill"), Acts(Operation::CreateSkill), new_skill("{name}"))
        },
        call("post", in_session!("/load_skill"), Loads, json!({"skill": "a", "digest": "{digest}"})),
        call("post", in_session!("/unload_skill"), Acts(Operation::UnloadSkill), json!({"skill": "a"})),
        call("post", in_session!("/load_skill"), Loads, json!({"skill": "a"})),
        call("post", in_session!("/load_skill"), LoadsInFork, json!({"skill": "a"})),
        call("post", in_session!("/messages"), Says, json!({"text": "/a"})),
    ]
}

/// The routes in the shapes of other services' Skills APIs.
fn of_skills_api() -> Vec<Call> {
    use Does::{ComparesVersions, NamesSkill, ReadsCatalog, ReadsVersions, RulesUser, ShowsSkill};
    let none = Value::Null;
    vec![
        call("get", "/v1/skills", ReadsCatalog, none.clone()),
        call("get", "/v1/skills/{skill_id}", NamesSkill, none.clone()),
        call("get", "/v1/skills/{skill_id}/content", ShowsSkill, none.clone()),
        call("get", "/v1/skills/{skill_id}/versions", ReadsVersions, none.clone()),
        call("get", "/v1/skills/{skill_id}/versions/{version}", ReadsVersions, none.clone()),
        call("get", "/v1/skills/{skill_id}/versions/{version}/content", ComparesVersions, none.clone()),
        call("post", "/v1/skills", RulesUser, none.clone()),
        call("post", "/v1/skills/{skill_id}/versions", RulesUser, none.clone()),
        call("post", "/v1/skills/{skill_id}", RulesUser, json!({"default_version": "2"})),
        call("delete", "/v1/skills/{skill_id}/versions/{version}", RulesUser, none.clone()),
        call("delete", "/v1/skills/{skill_id}", RulesUser, none),
    ]
}

/// Calls about drafts.
fn of_drafts() -> Vec<Call> {
    use Does::{DownloadsDraft, LoadsDraft, RulesDraft, ShowsDraft};
    let none = Value::Null;
    let mut all = Vec::new();
    for draft in [Draft::OfPerson, Draft::OfSession] {
        let files = json!({"skills": [{"skill": draft.skill(), "paths": ["SKILL.md"]}]});
        all.push(call("get", "/v1/users/{user}/skills/{skill}", ShowsDraft(draft), none.clone()));
        all.push(call("get", "/v1/users/{user}/skill_files/{skill}", ShowsDraft(draft), none.clone()));
        all.push(call("post", "/v1/users/{user}/skills/download", DownloadsDraft(draft), files));
        all.push(call("post", in_session!("/load_skill"), LoadsDraft(draft), json!({"skill": draft.skill()})));
    }
    let text = json!({"description": "About drafts", "body": "# Draft\n"});
    all.push(call("put", "/v1/users/{user}/skills/{skill}?state=draft", RulesDraft, text));
    all.push(call("patch", "/v1/users/{user}/skills/{skill}", RulesDraft, json!({"description": "About a draft"})));
    // It is published, and a draft again.
    for state in ["published", "draft"] {
        all.push(call("patch", "/v1/users/{user}/skills/{skill}", RulesDraft, json!({"state": state})));
    }
    all
}

/// Calls on routes that no document has.
pub(super) fn beside_the_documents() -> Vec<Call> {
    use Does::{RulesUser, Service, ShowsOther};
    let none = Value::Null;
    let text = json!({"description": "About downloads", "body": "# Download\n"});
    let pages = [
        "/docs",
        "/docs/style.css",
        "/guide",
        "/guide/",
        "/guide/search",
        "/guide/reference/limits",
        "/style.css",
        "/openapi.json",
        "/openapi-skills-api.json",
        "/metrics",
    ];
    let mut all: Vec<Call> = pages.map(|path| call("get", path, Service, none.clone())).into();
    // It is for browsers.
    all.push(Call { ok: 404, ..call("get", "/", Service, none.clone()) });
    // A skill may be called as the download is.
    all.push(Call { ok: 204, ..call("delete", "/v1/users/{user}/skills/download", RulesUser, none.clone()) });
    all.push(Call { ok: 201, ..call("put", "/v1/users/{user}/skills/download", RulesUser, text) });
    let change = json!({"description": "About a download"});
    all.push(call("patch", "/v1/users/{user}/skills/download", RulesUser, change));
    all.push(call("get", "/v1/users/{user}/skills/download", ShowsOther, none));
    all.extend(of_mcp());
    all
}

/// Calls of hosts of MCP, at the address of every user and at that of a session.
fn of_mcp() -> Vec<Call> {
    let by_host = |path: &'static str, tool: Tool| {
        let params = json!({"name": tool.name(), "arguments": input_of(tool)});
        let message = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params});
        call("post", path, Does::CallsByMcp(tool), message)
    };
    // That each tool is as it is elsewhere, the tests of MCP show: here are one that reads, one that writes and those that load.
    let some = [Operation::Read, Operation::Write, Operation::LoadSkill, Operation::CreateSkill];
    let some = Tool::all().filter(|tool| some.contains(&tool.operation()));
    let of_all = Tool::all().filter(|tool| tool.operation() == Operation::Ls);
    some.map(|tool| by_host(in_session!("/mcp"), tool)).chain(of_all.map(|tool| by_host("/mcp", tool))).collect()
}

fn tool_call(tool: Tool) -> Call {
    let block = json!({"type": "tool_use", "id": "1", "name": tool.name(), "input": input_of(tool)});
    call("post", in_session!("/tool_calls"), Does::Calls(tool), json!({"content": [block]}))
}

/// What a tool is called with.
fn input_of(tool: Tool) -> Value {
    match tool.operation() {
        Operation::Ls => json!({"path": "/"}),
        Operation::Read => json!({"file_path": "{file}"}),
        Operation::Grep | Operation::Glob => json!({"pattern": "x", "path": "/ticket"}),
        Operation::Write => json!({"file_path": "{file}", "content": "", "overwrite": true}),
        Operation::Edit => json!({"file_path": "{file}", "old_string": "text", "new_string": "text"}),
        Operation::Delete => json!({"path": "{file}"}),
        Operation::Move => json!({"from": "{file}", "to": "{file}-moved"}),
        Operation::LoadSkill | Operation::UnloadSkill => json!({"skill": "a"}),
        Operation::DiscoverSkills => json!({"query": "a"}),
        Operation::CreateSkill => new_skill("{name}"),
        other => panic!("the matrix has no call for {other}"),
    }
}

/// A skill that an agent writes.
pub(super) fn new_skill(name: &str) -> Value {
    let body = "Say who was there, what was decided, and who does what until when.";
    json!({"name": name, "description": "Writes minutes. Use it after a meeting.", "body": body})
}

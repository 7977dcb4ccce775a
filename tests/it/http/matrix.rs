//! Who may do what: each operation, under each single setting of a policy, with each kind of key.
//!
//! All three are enumerated from the code's own lists: the operations from the OpenAPI document and the table of tools, the
//! settings from the schema of a policy and the table of operations, the kinds of key from the fields of a key's entry. A
//! new one has no expectation, and the test fails until it has.

use std::collections::{BTreeMap, BTreeSet};

use super::Server;
use futures_util::{StreamExt as _, stream};
use reqwest::Method;
use serde_json::{Value, json};
use skillmount::{
    access::{Callers, KeyEntry, Keys, LinkSecret, PublicSkills, Scope},
    backend::ServiceOptions,
    clock::SystemClock,
    error::Code,
    http::HttpConfig,
    path::Id,
    session::{Policy, SkillRule, SkillsAccess, ToolRule, Visibility},
    tools::Tool,
    wire::Operation,
};

/// Policies looked at at the same time.
const AT_ONCE: usize = 8;

/// The id of a call that waits in every session.
const WAITING: &str = "0123456789abcdef0123456789abcdef";

/// Who calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Nobody,
    Unknown,
    Expired,
    OfOther,
    Agent,
    Control,
    OfTeam,
    BoundHere,
    BoundElsewhere,
    ControlBoundHere,
    OfTicketHere,
    OfTicketElsewhere,
    ControlOfTeam,
    OfAll,
}

impl Kind {
    const ALL: [Self; 14] = [
        Self::Nobody,
        Self::Unknown,
        Self::Expired,
        Self::OfOther,
        Self::Agent,
        Self::Control,
        Self::OfTeam,
        Self::BoundHere,
        Self::BoundElsewhere,
        Self::ControlBoundHere,
        Self::OfTicketHere,
        Self::OfTicketElsewhere,
        Self::ControlOfTeam,
        // Its last calls delete the user, so it comes last.
        Self::OfAll,
    ];

    /// Its entry in the keys file; none for those that bring no key of the file.
    fn entry(self) -> Option<(String, KeyEntry)> {
        let user = Id::parse(if self == Self::OfOther { "u2" } else { "u1" }).unwrap();
        let scope = if self.has_control() { Scope::Control } else { Scope::Agent };
        let user = Some(&user).filter(|_| self != Self::OfAll);
        let (key, mut entry) = KeyEntry::generate(&SystemClock::new(), user, vec![scope]);
        let ticket = |id: &str| Some(BTreeMap::from([("ticket_id".to_owned(), Id::parse(id).unwrap())]));
        match self {
            Self::Nobody | Self::Unknown => return None,
            Self::OfOther | Self::Agent | Self::Control | Self::OfAll => {}
            Self::Expired => entry.expires = Some("2020-01-01T00:00:00Z".parse().unwrap()),
            Self::OfTeam | Self::ControlOfTeam => entry.team = Some(Id::parse("team").unwrap()),
            Self::BoundHere | Self::ControlBoundHere => entry.sessions = Some(vec!["in-*".to_owned()]),
            Self::BoundElsewhere => entry.sessions = Some(vec!["out-*".to_owned()]),
            Self::OfTicketHere => entry.vars = ticket("t1"),
            Self::OfTicketElsewhere => entry.vars = ticket("t2"),
        }
        Some((key, entry))
    }

    fn has_control(self) -> bool {
        matches!(self, Self::Control | Self::ControlBoundHere | Self::ControlOfTeam | Self::OfAll)
    }

    fn is_bound(self) -> bool {
        self.is_bound_to_sessions() || matches!(self, Self::OfTicketHere | Self::OfTicketElsewhere)
    }

    fn is_bound_to_sessions(self) -> bool {
        matches!(self, Self::BoundHere | Self::BoundElsewhere | Self::ControlBoundHere)
    }

    /// Whether it reaches the sessions `in-…`, which have the ticket `t1`.
    fn reaches(self) -> bool {
        !matches!(self, Self::BoundElsewhere | Self::OfTicketElsewhere)
    }
}

/// What a call does, as far as it matters to whether it may.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Does {
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
    /// Changes what holds for the whole user, or looks at what everybody did there.
    RulesUser,
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
    /// Loads it in the fork of the session.
    LoadsInFork,
    /// Says `/a`.
    Says,
    /// Works on a file and tells of it in the body of its reply.
    Carries(Operation),
    /// Calls a tool.
    Calls(Tool),
}

struct Call {
    method: &'static str,
    /// As the OpenAPI document has it.
    path: &'static str,
    does: Does,
    body: Value,
    ok: u16,
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
fn calls() -> Vec<Call> {
    let service = ["/healthz", "/readyz"];
    let mut all: Vec<Call> = service.map(|path| call("get", path, Does::Service, Value::Null)).into();
    all.extend(of_installers());
    all.extend(about_sessions());
    all.extend(of_layers());
    all.extend(in_sessions());
    all.extend(Tool::all().map(tool_call));
    all.extend(of_skills_api());
    // Ends the session, and so comes after them.
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
        ReadsCatalog, ReadsVersions, RulesSession, RulesUser, SetsTicket, ShowsSkill,
    };
    let none = Value::Null;
    vec![
        call("get", "/v1/users/{user}/sessions", LooksAtUser, none.clone()),
        call("get", "/v1/users/{user}/policy", LooksAtUser, none.clone()),
        call("put", "/v1/users/{user}/policy", RulesUser, json!("policy")),
        call("get", "/v1/users/{user}/export", RulesUser, none.clone()),
        call("get", "/v1/users/{user}/skills", ReadsCatalog, none.clone()),
        call("get", "/v1/users/{user}/skills/{skill}", ShowsSkill, none.clone()),
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

fn tool_call(tool: Tool) -> Call {
    let input = match tool.operation() {
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
    };
    let block = json!({"type": "tool_use", "id": "1", "name": tool.name(), "input": input});
    call("post", in_session!("/tool_calls"), Does::Calls(tool), json!({"content": [block]}))
}

/// A skill that an agent writes.
fn new_skill(name: &str) -> Value {
    let body = "Say who was there, what was decided, and who does what until when.";
    json!({"name": name, "description": "Writes minutes. Use it after a meeting.", "body": body})
}

/// What comes of a call: a status, a code, or `tool error`.
fn expected(kind: Kind, call: &Call, policy: &Policy) -> String {
    let denied = || "denied".to_owned();
    if call.does == Does::Service {
        return call.ok.to_string();
    }
    if call.does == Does::Installs {
        let skill = policy.skills.get("a").copied().unwrap_or_default();
        let is_open = policy.catalog_reads && skill == SkillRule::AutoApprove;
        return if is_open { call.ok.to_string() } else { "skill_not_found".to_owned() };
    }
    match kind {
        Kind::Nobody | Kind::Unknown | Kind::Expired => return "unauthenticated".to_owned(),
        Kind::OfOther => return denied(),
        _ => {}
    }
    match call.does {
        Does::RulesUser if !kind.has_control() || kind.is_bound() => return denied(),
        Does::ReadsVersions | Does::ComparesVersions | Does::JudgesCatalog if kind.is_bound() => return denied(),
        Does::RulesSession | Does::Decides if !kind.has_control() => return denied(),
        Does::RulesAll | Does::RulesOrganisation if kind != Kind::OfAll => return denied(),
        Does::RulesTeam if kind != Kind::ControlOfTeam => return denied(),
        Does::SetsTicket if ![Kind::Control, Kind::ControlOfTeam, Kind::OfAll, Kind::OfTicketHere].contains(&kind) => {
            return denied();
        }
        // A key bound to a ticket makes sessions of that ticket.
        Does::Makes if kind.is_bound_to_sessions() => return denied(),
        Does::LooksAtUser
        | Does::ReadsCatalog
        | Does::ReadsVersions
        | Does::ComparesVersions
        | Does::JudgesCatalog
        | Does::ShowsSkill
        | Does::NamesSkill
        | Does::DownloadsSkill
        | Does::Makes => {}
        // It made no fork, and the first call of such a key makes a session of its own.
        Does::LoadsInFork if kind == Kind::OfTicketElsewhere => {
            return loads(policy, policy.skills.get("a").copied().unwrap_or_default())
                .map_or_else(str::to_owned, |()| call.ok.to_string());
        }
        _ if !kind.reaches() => return denied(),
        _ => {}
    }
    by_policy(kind, call, policy).map_or_else(str::to_owned, |()| call.ok.to_string())
}

/// What the policy makes of a call that the key allows.
fn by_policy(kind: Kind, call: &Call, policy: &Policy) -> Result<(), &'static str> {
    let skill = policy.skills.get("a").copied().unwrap_or_default();
    match call.does {
        Does::ReadsCatalog
        | Does::ReadsVersions
        | Does::ComparesVersions
        | Does::JudgesCatalog
        | Does::ShowsSkill
        | Does::NamesSkill
        | Does::DownloadsSkill
            if !policy.catalog_reads && !kind.has_control() =>
        {
            Err("denied")
        }
        Does::ShowsSkill | Does::NamesSkill | Does::DownloadsSkill | Does::ReadsVersions | Does::ComparesVersions
            if kind.has_control() =>
        {
            Ok(())
        }
        Does::ShowsSkill | Does::NamesSkill | Does::DownloadsSkill | Does::ReadsVersions | Does::ComparesVersions
            if skill >= SkillRule::Disabled =>
        {
            Err("skill_not_found")
        }
        Does::ShowsSkill | Does::DownloadsSkill | Does::ComparesVersions if skill == SkillRule::AskFirst => {
            Err("approval_required")
        }
        Does::Acts(operation) | Does::Carries(operation) => rule(operation, policy),
        Does::WritesSkill => {
            rule(Operation::Write, policy)?;
            if policy.skills_access == SkillsAccess::Write { Ok(()) } else { Err("read_only") }
        }
        Does::LooksIntoSkill => {
            rule(Operation::Ls, policy)?;
            if policy.visibility == Visibility::All && skill == SkillRule::AutoApprove {
                Ok(())
            } else {
                Err("file_not_found")
            }
        }
        // What names no skill that can be seen is a message like any other.
        Does::Says if skill >= SkillRule::Disabled => rule(Operation::LoadSkill, policy),
        Does::LoadsInFork if !policy.children.load => Err("tool_blocked"),
        Does::Loads | Does::LoadsInFork | Does::Says => loads(policy, skill),
        Does::Calls(tool) => {
            let is_there = match tool.operation() {
                Operation::LoadSkill => policy.load_tool.name() == tool.name() && loads(policy, skill).is_ok(),
                operation => rule(operation, policy).is_ok(),
            };
            if is_there { Ok(()) } else { Err("tool error") }
        }
        _ => Ok(()),
    }
}

fn loads(policy: &Policy, skill: SkillRule) -> Result<(), &'static str> {
    rule(Operation::LoadSkill, policy)?;
    match skill {
        SkillRule::AutoApprove => Ok(()),
        SkillRule::AskFirst => Err("approval_required"),
        SkillRule::Disabled | SkillRule::Blocked => Err("skill_not_found"),
    }
}

/// The rule for an operation in a policy that has at most one beside `*`, in words of its own.
fn rule(operation: Operation, policy: &Policy) -> Result<(), &'static str> {
    let named: Vec<&str> = match operation {
        Operation::LoadSkill => vec!["load_skill", "Skill"],
        Operation::Edit | Operation::Move | Operation::Delete | Operation::Upload => vec![operation.name(), "write"],
        Operation::Download => vec!["download", "read"],
        other => vec![other.name()],
    };
    let named = named.iter().find_map(|name| policy.tools.get(*name)).copied();
    let rest = policy.tools.get("*").copied().unwrap_or_default();
    let rule = match operation {
        // `*` alone does not open it, and no rule of its own opens what one for `write` closes.
        Operation::CreateSkill => {
            let of_write = policy.tools.get("write").copied().unwrap_or_default();
            named.unwrap_or(rest.max(ToolRule::Ask)).max(of_write)
        }
        _ => named.unwrap_or(rest),
    };
    let changes = matches!(
        operation,
        Operation::Write
            | Operation::Edit
            | Operation::Move
            | Operation::Delete
            | Operation::Upload
            | Operation::CreateSkill
    );
    match rule {
        ToolRule::Blocked => Err("tool_blocked"),
        _ if changes && policy.plan_mode => Err("plan_mode"),
        ToolRule::Ask => Err("approval_required"),
        ToolRule::Auto => Ok(()),
    }
}

/// Every policy with one setting that may be other than the default.
fn settings() -> Vec<(String, Policy)> {
    let document = serde_json::to_value(skillmount::http::openapi()).unwrap();
    let schemas = &document["components"]["schemas"];
    let values = |schema: &Value| -> Vec<Value> {
        // A member that may be absent is a choice of its type or `null`.
        let schema = schema["oneOf"].get(0).unwrap_or(schema);
        if schema["type"] == "boolean" || schema["type"] == json!(["boolean", "null"]) {
            return vec![json!(true), json!(false)];
        }
        let name = schema["$ref"].as_str().unwrap().rsplit('/').next().unwrap();
        schemas[name]["enum"].as_array().unwrap_or_else(|| panic!("{name} is no list of values")).clone()
    };
    let mut found = vec![json!({})];
    for (field, schema) in schemas["Policy"]["properties"].as_object().unwrap() {
        match field.as_str() {
            "tools" => {
                for (name, rule) in pairs(Operation::names().chain(["*"]), &values(&schema["additionalProperties"])) {
                    found.push(json!({"tools": {name: rule}}));
                }
            }
            "skills" => {
                for rule in values(&schema["additionalProperties"]) {
                    found.push(json!({"skills": {"a": rule}}));
                }
            }
            "preload" => found.push(json!({"preload": ["a"]})),
            "children" => {
                for right in schemas["ChildRights"]["properties"].as_object().unwrap().keys() {
                    found.extend([true, false].map(|value| json!({"children": {right: value}})));
                }
            }
            "approve_by" => {
                found.extend(["control", "host"].map(|who| json!({"approve_by": who})));
            }
            "agents" => found.push(json!({"agents": {"*": ["a"]}})),
            "skills_access" | "visibility" | "catalog_reads" | "plan_mode" | "prompt_mode" | "load_tool" => {
                found.extend(values(schema).into_iter().map(|value| json!({field: value})));
            }
            new => panic!("what a policy with {new:?} makes of each call is not said here"),
        }
    }
    let mut settings: Vec<(String, Policy)> = Vec::new();
    for setting in found {
        let policy = serde_json::from_value(setting.clone()).unwrap();
        // A default that is said is the default.
        if settings.iter().all(|(_, known)| *known != policy) {
            settings.push((setting.to_string(), policy));
        }
    }
    settings
}

fn pairs<'a>(names: impl Iterator<Item = &'a str>, values: &[Value]) -> Vec<(&'a str, Value)> {
    names.flat_map(|name| values.iter().map(move |value| (name, value.clone()))).collect()
}

#[test]
fn no_route_tool_or_sort_of_key_is_without_expectation() {
    let documents = [skillmount::http::openapi(), skillmount::http::skills_api_openapi()];
    let methods = ["get", "put", "post", "patch", "delete", "head", "options", "trace"];
    let mut routes = BTreeSet::new();
    let paths = documents.map(|document| serde_json::to_value(document).unwrap()["paths"].clone());
    for (path, item) in paths.iter().flat_map(|paths| paths.as_object().unwrap()) {
        let there = methods.iter().filter(|method| item.get(**method).is_some());
        routes.extend(there.map(|method| format!("{method} {path}")));
    }
    let path = |call: &Call| call.path.split('?').next().unwrap_or_default();
    let known: BTreeSet<_> = calls().iter().map(|call| format!("{} {}", call.method, path(call))).collect();
    assert_eq!(known, routes);
    let with_layer: BTreeSet<_> = of_layers().iter().map(|call| format!("{} {}", call.method, path(call))).collect();
    assert_eq!(with_layer, that_take_a_layer(&paths), "a call that takes `layer` has no rows with it");

    let (_, mut entry) = Kind::OfTicketHere.entry().unwrap();
    entry.sessions = Some(vec!["a".to_owned()]);
    entry.name = Some("a".to_owned());
    entry.expires = Some("2020-01-01T00:00:00Z".parse().unwrap());
    entry.team = Some(Id::parse("a").unwrap());
    let fields: BTreeSet<_> = serde_json::to_value(&entry).unwrap().as_object().unwrap().keys().cloned().collect();
    let known = ["created", "hash", "user", "scopes", "expires", "team", "name", "sessions", "vars"].map(str::to_owned);
    assert_eq!(fields, known.into(), "a key can say more than there are kinds of keys here");
}

/// The routes that have a parameter `layer`.
fn that_take_a_layer(paths: &[Value]) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for (path, item) in paths.iter().flat_map(|paths| paths.as_object().unwrap()) {
        for (method, operation) in item.as_object().unwrap() {
            let parameters = operation["parameters"].as_array().into_iter().flatten();
            if parameters.clone().any(|one| one["name"] == "layer" && one["in"] == "query") {
                found.insert(format!("{method} {path}"));
            }
        }
    }
    found
}

fn secret() -> LinkSecret {
    LinkSecret::parse(&"s".repeat(32)).unwrap()
}

/// The skills of `u1`, for whoever asks this Host or has a link.
fn public() -> PublicSkills {
    PublicSkills { hosts: BTreeMap::from([("127.0.0.1".to_owned(), Id::parse("u1").unwrap())]), links: Some(secret()) }
}

fn link() -> String {
    secret().sign(&Id::parse("u1").unwrap(), "2999-01-01T00:00:00Z".parse().unwrap())
}

struct World {
    server: Server,
    keys: BTreeMap<Kind, String>,
    /// The version of the skill `a`.
    digest: String,
    calls: Vec<Call>,
}

impl World {
    /// A server of its own for each policy, so that no listing is of more sessions than one policy's.
    async fn start() -> Self {
        let (mut file, mut keys) = (String::new(), BTreeMap::new());
        for kind in Kind::ALL {
            match kind.entry() {
                None if kind == Kind::Unknown => drop(keys.insert(kind, "smk_unknown".to_owned())),
                None => {}
                Some((key, entry)) => {
                    file += &entry.to_toml().unwrap();
                    keys.insert(kind, key);
                }
            }
        }
        let config = HttpConfig {
            callers: Callers { keys: Keys::from_toml(&file).unwrap(), public: public(), ..Callers::default() },
            ..HttpConfig::default()
        };
        let server = Server::serving(config, ServiceOptions { layers: true, ..ServiceOptions::default() }).await;
        for skill in ["a", "b", "c", "d", "e"] {
            let text = format!("---\nname: {skill}\ndescription: About {skill}\n---\n# {skill}\n");
            server.memory.put_raw(&format!("u1/skills/{skill}/SKILL.md"), text);
        }
        let mut digests = Vec::new();
        for (kind, skill) in [
            (Kind::Control, "/skills/a"),
            (Kind::ControlOfTeam, "/skills/a?layer=team"),
            (Kind::ControlOfTeam, "/skills/e?layer=team"),
            (Kind::OfAll, "/skills/a?layer=org"),
            (Kind::OfAll, "/skills/d?layer=org"),
        ] {
            let publish = json!({"description": "About a", "body": "# a\n"});
            let publish = server.client.put(server.user(skill)).bearer_auth(&keys[&kind]).json(&publish);
            let published: Value = publish.send().await.unwrap().json().await.unwrap();
            digests.push(published["digest"].as_str().unwrap_or_else(|| panic!("{published}")).to_owned());
        }
        // The skill `a` is the same in each layer, and so has one digest.
        let digest = digests.swap_remove(0);
        Self { server, keys, digest, calls: calls() }
    }

    /// Stores a session of this policy that has loaded the skill `b`, and a file for each call.
    fn prepare(&self, id: &str, policy: &Policy) {
        let time = "2999-01-01T00:00:00Z";
        let file = json!({"path": "SKILL.md", "size": 1, "etag": "e", "modified_at": time});
        let loaded = json!({
            "skill": "b", "mount": "b", "name": "b", "description": "About b", "digest": "sha256:0",
            "loaded_at": time, "snapshot": {"digest": "sha256:0", "files": [file]},
        });
        let waiting = json!({
            "id": WAITING, "digest": "0", "subject": {"tool": "ls", "tool_asks": true, "skill_asks": false},
            "input": "{}", "expires_at": time,
        });
        let session = json!({
            "session_id": id, "user_id": "u1", "vars": {"ticket_id": "t1"}, "policy": policy, "version": 1,
            "created_at": time, "updated_at": time, "loaded_skills": [loaded], "approvals": {"calls": [waiting]},
        });
        self.server.memory.put_raw(&format!("u1/.skillmount/sessions/{id}.json"), session.to_string());
        for at in 0..self.calls.len() {
            self.server.memory.put_raw(&format!("u1/threads/{id}/f{at}"), "text\n");
        }
    }

    /// What came of the call at `at`, in the words of [`expected`].
    async fn observed(&self, kind: Kind, at: usize, session: &str, policy: &Policy) -> String {
        let Call { method, path, does, body, .. } = &self.calls[at];
        let id = match does {
            Does::Makes => session.replacen("in-", "made-", 1),
            Does::Forks | Does::LoadsInFork => session.replacen("in-", "fork-", 1),
            _ => session.to_owned(),
        };
        let path = path.replace("{user}", "u1").replace("{session}", &id);
        let path = path.replace("{link}", &link()).replace("{artifact}", "a/SKILL.md");
        let path = path.replace("{approval_id}", WAITING);
        let deleted = match kind {
            Kind::OfAll => "d",
            Kind::ControlOfTeam => "e",
            _ => "c",
        };
        let path = path.replace("{skill}", if *method == "delete" { deleted } else { "a" });
        // Each of the three deletes a version of its own, and the skill that it may delete.
        let version = match kind {
            Kind::Control if *method == "delete" => "1",
            Kind::ControlOfTeam if *method == "delete" => "3",
            _ => "2",
        };
        let is_whole = *method == "delete" && path.ends_with("{skill_id}");
        let path = path.replace("{version}", version);
        let path = path.replace("{skill_id}", &format!("skill_{}", if is_whole { deleted } else { "a" }));
        let url = format!("{}{}", self.server.base, path.replace("{path}", &format!("workspace/f{at}")));
        let method = Method::from_bytes(method.to_uppercase().as_bytes()).unwrap();
        let mut request = self.server.client.request(method.clone(), &url);
        if url.ends_with("/events") {
            // A stream would not end.
            request = request.header("accept", "application/json");
        }
        if let Some(key) = self.keys.get(&kind) {
            request = request.bearer_auth(key);
        }
        if path == "/hooks/claude" {
            request = request.header("x-skillmount-user", "u1").header("x-skillmount-session", &id);
        }
        if path.starts_with("/v1/skills") {
            request = request.header("x-skillmount-user", "u1");
        }
        request = match body {
            Value::Null if path.starts_with("/v1/skills") && method == Method::POST => {
                let name = if path == "/v1/skills" { format!("n{at}-{}", session.to_lowercase()) } else { "a".into() };
                let main = format!("---\nname: {name}\ndescription: About {name}\n---\n# {name} again\n");
                let part = reqwest::multipart::Part::text(main).file_name(format!("{name}/SKILL.md"));
                request.multipart(reqwest::multipart::Form::new().part("files[]", part))
            }
            Value::Null if *does == Does::Carries(Operation::Upload) => {
                let form = reqwest::multipart::Form::new().percent_encode_noop();
                request.multipart(form.text(format!("/workspace/f{at}"), "x"))
            }
            Value::Null => request,
            Value::String(what) if what == "policy" => request.json(policy),
            Value::String(_) => request.json(&json!({"parent": session})),
            body if body["policy"] == "policy" => request.json(&json!({"policy": policy})),
            body => {
                let text = body.to_string().replace("{file}", &format!("/workspace/f{at}"));
                let text = text.replace("{digest}", &self.digest);
                let text = text.replace("{name}", &format!("n{at}-{}", session.to_lowercase()));
                request.header("content-type", "application/json").body(text)
            }
        };
        let response = request.send().await.unwrap();
        let status = response.status().as_u16();
        if *does == Does::Service {
            return status.to_string();
        }
        let text = response.text().await.unwrap();
        let json: Value = serde_json::from_str(&text).unwrap_or_default();
        let code = match does {
            Does::Carries(Operation::Upload) if status == 200 => json["files"][0]["error"].as_str().map(str::to_owned),
            Does::Carries(_) | Does::DownloadsSkill if status == 200 => {
                text.lines().find_map(|line| line.strip_prefix("x-error: ")).map(str::to_owned)
            }
            Does::Calls(_) if status == 200 => {
                (json["content"][0]["is_error"] == true).then(|| "tool error".to_owned())
            }
            _ => json["code"].as_str().or(json["error"]["code"].as_str()).map(str::to_owned),
        };
        code.unwrap_or_else(|| status.to_string())
    }

    /// Every call of one kind of key under one policy; those that went otherwise than expected.
    async fn row(&self, kind: Kind, setting: &str, policy: &Policy) -> Vec<String> {
        let session = format!("in-{kind:?}");
        self.prepare(&session, policy);
        let mut wrong = Vec::new();
        for (at, call) in self.calls.iter().enumerate() {
            let expected = expected(kind, call, policy);
            let observed = self.observed(kind, at, &session, policy).await;
            // A reply to HEAD has no body to hold a code.
            let of_head = || Code::parse(&expected).map(|code| code.http_status().to_string());
            if observed != expected && (call.method != "head" || of_head().as_ref() != Some(&observed)) {
                let Call { method, path, does, .. } = call;
                wrong.push(format!("{method} {path} ({does:?}), {kind:?}, {setting}: {observed}, expected {expected}"));
            }
        }
        wrong
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_call_under_every_policy_with_every_kind_of_key_does_what_is_expected() {
    let settings = settings();
    let table = stream::iter(&settings).map(async |(setting, policy)| {
        let world = World::start().await;
        let put = world.server.client.put(world.server.user("/policy")).bearer_auth(&world.keys[&Kind::Control]);
        assert_eq!(put.json(policy).send().await.unwrap().status(), 200, "{setting}");
        let mut wrong = Vec::new();
        for kind in Kind::ALL {
            wrong.extend(world.row(kind, setting, policy).await);
        }
        wrong
    });
    let wrong = table.buffer_unordered(AT_ONCE).concat().await;
    let some: Vec<_> = wrong.iter().take(40).map(String::as_str).collect();
    assert!(wrong.is_empty(), "{} cells are otherwise:\n{}", wrong.len(), some.join("\n"));
}

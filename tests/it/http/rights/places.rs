//! Every place at which the service names skills to a caller.

use std::collections::BTreeSet;

use reqwest::Method;
use serde_json::{Value, json};

/// A call whose answer may name skills. `{skill}` in it is the path of a skill, and `{mount}` its folder below `/skills`.
pub(super) struct Place {
    /// The operation of the OpenAPI document, or the method of MCP.
    pub(super) name: &'static str,
    pub(super) method: Method,
    pub(super) path: String,
    pub(super) body: Value,
    /// Whether the policy of the session counts there.
    pub(super) is_of_session: bool,
}

impl Place {
    /// Whether the caller names a skill there.
    pub(super) fn names_skill(&self) -> bool {
        [self.path.as_str(), &self.body.to_string()]
            .iter()
            .any(|text| text.contains("{skill}") || text.contains("{mount}"))
    }
}

/// Every place, in the order in which they are asked.
pub(super) fn places() -> Vec<Place> {
    let mut all = in_session();
    all.extend(by_mcp());
    all.extend(of_catalog());
    all
}

fn get(name: &'static str, path: &str) -> Place {
    Place {
        name,
        method: Method::GET,
        path: path.to_owned(),
        body: Value::Null,
        is_of_session: path.starts_with("{s}"),
    }
}

fn post(name: &'static str, path: &str, body: Value) -> Place {
    Place { method: Method::POST, body, ..get(name, path) }
}

fn in_session() -> Vec<Place> {
    let hook = |body: Value| post("answer_hook", "{s}/hooks", body);
    let tool =
        |name: &str, input: Value| json!({"content": [{"type": "tool_use", "id": "1", "name": name, "input": input}]});
    let mut all = vec![
        get("show_session", "{s}"),
        Place { method: Method::PATCH, ..post("change_session", "{s}", json!({"current_skill": null})) },
        get("list_tools", "{s}/tools"),
        post("run_tool_calls", "{s}/tool_calls", tool("ls", json!({"path": "/skills"}))),
        post("run_tool_calls", "{s}/tool_calls", tool("load_skill", json!({"skill": "ops/turtl"}))),
        hook(json!({"hook_event_name": "SessionStart", "source": "compact"})),
        hook(json!({"hook_event_name": "UserPromptSubmit", "prompt": "Who goes over the hills?"})),
        hook(json!({"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": "go hills"}})),
        hook(json!({"hook_event_name": "PreToolUse", "tool_name": "Task",
            "tool_input": {"subagent_type": "x", "description": "go", "prompt": "go over the hills"}})),
        hook(json!({"hook_event_name": "SubagentStart", "agent_type": "x"})),
        post("discover_skills", "{s}/discover_skills", json!({"query": "who goes over the hills"})),
        post("discover_skills", "{s}/discover_skills", json!({"query": "hills", "explain": true})),
        post("discover_skills", "{s}/discover_skills", json!({"query": "hills", "why": "{skill}"})),
        post("discover_skills", "{s}/discover_skills", json!({"query": "zzz", "category": "ops"})),
        post("load_skill", "{s}/load_skill", json!({"skill": "{skill}"})),
        post("load_skill", "{s}/load_skill", json!({"skill": "{mount}"})),
        post("load_skill", "{s}/load_skill", json!({"skill": "turtl"})),
        post("unload_skill", "{s}/unload_skill", json!({"skill": "gazelle"})),
        post("unload_skill", "{s}/unload_skill", json!({"skill": "{skill}"})),
        post("unload_skill", "{s}/unload_skill", json!({"skill": "{mount}"})),
        post("send_message", "{s}/messages", json!({"text": "/{skill} now"})),
        post("send_message", "{s}/messages", json!({"text": "/turtl now"})),
        post("list_folder", "{s}/ls", json!({"path": "/skills"})),
        post("list_folder", "{s}/ls", json!({"path": "/skills/{mount}"})),
        post("read_file", "{s}/read", json!({"file_path": "/skills/{mount}/SKILL.md"})),
        post("read_file", "{s}/read", json!({"file_path": "/skills/turtl/SKILL.md"})),
        post("search_files", "{s}/grep", json!({"pattern": "over"})),
        post("find_files", "{s}/glob", json!({"pattern": "**/*.md"})),
        post("write_file", "{s}/write", json!({"file_path": "/skills/{mount}/new.md", "content": "x"})),
        post(
            "edit_file",
            "{s}/edit",
            json!({"file_path": "/skills/{mount}/SKILL.md", "old_string": "a", "new_string": "b"}),
        ),
        post("move_path", "{s}/move", json!({"from": "/skills/{mount}/SKILL.md", "to": "/workspace/m"})),
        post("delete_path", "{s}/delete", json!({"path": "/skills/{mount}/SKILL.md"})),
        post("download_files", "{s}/download", json!({"paths": ["/skills/{mount}/SKILL.md"]})),
        get("get_file", "{s}/files/skills/{mount}/SKILL.md"),
        get("watch_session", "{s}/events"),
    ];
    for mode in ["two_state", "listing", "combined", "discover"] {
        for format in ["xml", "yaml", "markdown", "json"] {
            all.push(get("render_prompt", &format!("{{s}}/prompt?mode={mode}&format={format}&explain=true")));
        }
    }
    all
}

fn by_mcp() -> Vec<Place> {
    let call = |name: &'static str, params: Value| {
        post(name, "{s}/mcp", json!({"jsonrpc": "2.0", "id": 1, "method": name, "params": params}))
    };
    vec![
        call("tools/call", json!({"name": "ls", "arguments": {"path": "/skills"}})),
        call("tools/call", json!({"name": "load_skill", "arguments": {"skill": "{skill}"}})),
        call("tools/list", json!({})),
        call("prompts/list", json!({})),
        call("prompts/get", json!({"name": "{skill}"})),
        call("resources/list", json!({})),
        call("resources/templates/list", json!({})),
        call("resources/read", json!({"uri": "skill://index.json"})),
        call("resources/read", json!({"uri": "skill://{skill}/SKILL.md"})),
        call("resources/directory/read", json!({"uri": "skill://{skill}"})),
        call("skills/list", json!({})),
        call("skills/get", json!({"uri": "skill://{skill}/SKILL.md"})),
        call(
            "completion/complete",
            json!({
                "ref": {"type": "ref/resource", "uri": "skill://{+skill}/SKILL.md"}, "argument": {"name": "skill", "value": "ops"}
            }),
        ),
        call(
            "completion/complete",
            json!({
                "ref": {"type": "ref/prompt", "name": "{skill}"}, "argument": {"name": "arguments", "value": ""}
            }),
        ),
        call(
            "initialize",
            json!({
                "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}
            }),
        ),
    ]
}

fn of_catalog() -> Vec<Place> {
    vec![
        get("list_sessions", "/sessions"),
        get("show_user_policy", "/policy"),
        get("list_skills", "/skills"),
        get("list_skills", "/skills?fresh=true"),
        get("show_skill", "/skills/{skill}"),
        get("show_skill", "/skills/{skill}?zip"),
        get("get_skill_file", "/skill_files/{skill}/SKILL.md"),
        post("download_skills", "/skills/download", json!({"skills": [{"skill": "{skill}", "paths": ["SKILL.md"]}]})),
        post("refresh_catalog", "/catalog/refresh", json!({})),
        get("show_catalog", "/catalog"),
        get("lint_skills", "/lint"),
        get("list_versions", "/versions/{skill}"),
        get("diff_versions", "/diff/{skill}"),
        get("/v1/skills", "/v1/skills"),
    ]
}

/// The operations that name no skill to a key of an agent, and why.
const BESIDE: [(&str, &str); 29] = [
    ("answer_claude_hook", "the answer is that of answer_hook"),
    ("check_health", "it is about the service"),
    ("check_readiness", "it is about the service"),
    ("change_skill", "for keys of scope control"),
    ("collect_sessions", "for keys of scope control"),
    ("create_session", "the answer is that of show_session"),
    ("create_skill", "a new skill needs a free name, and the answer says whether the name is free"),
    ("decide_approval", "for keys of scope control"),
    ("delete_file", "the answer has no text, or the error of delete_path"),
    ("delete_skill", "for keys of scope control"),
    ("delete_user", "for keys of scope control"),
    ("export_user", "for keys of scope control"),
    ("forget_session", "the answer has no text"),
    ("get_usage", "for keys of scope control"),
    ("head_file", "the answer has no text"),
    ("list_approvals", "for keys of scope control"),
    ("list_audit_records", "for keys of scope control"),
    ("list_users", "for keys of scope control"),
    ("publish_skill", "for keys of scope control"),
    ("put_file", "the answer is that of write_file"),
    ("rebuild_catalog", "for keys of scope control"),
    ("roll_back_skill", "for keys of scope control"),
    ("set_user_policy", "for keys of scope control"),
    ("show_deletion", "for keys of scope control"),
    ("upload_files", "the answers are those of write_file"),
    ("watch_user", "for keys of scope control"),
    ("logging/setLevel", "the service has no such method"),
    ("ping", "the answer is empty"),
    ("subscriptions/listen", "over HTTP the service has no such method"),
];

#[test]
fn each_operation_is_a_place_or_names_no_skill() {
    let document = serde_json::to_value(skillmount::http::openapi()).unwrap();
    let paths = document["paths"].as_object().unwrap().values().flat_map(|path| path.as_object().unwrap().values());
    let operations: BTreeSet<String> =
        paths.filter_map(|operation| operation["operationId"].as_str()).map(str::to_owned).collect();
    let listed: BTreeSet<String> = places().iter().map(|place| place.name.to_owned()).collect();
    let beside: BTreeSet<String> = BESIDE.iter().map(|(name, _)| (*name).to_owned()).collect();
    assert_eq!(listed.intersection(&beside).collect::<Vec<_>>(), [""; 0], "each is one of the two");
    let missing: Vec<_> = operations.iter().filter(|name| !listed.contains(*name) && !beside.contains(*name)).collect();
    assert!(missing.is_empty(), "they may name skills: put them into `places` or `BESIDE`: {missing:?}");
}

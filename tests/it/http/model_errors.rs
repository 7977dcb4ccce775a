//! Every error code that a tool can end with, as a model reads it.

use std::collections::BTreeSet;

use reqwest::Method;
use serde_json::{Value, json};
use skillmount::{
    error::Code,
    limits::TEXT_FILE_BYTES,
    store::{Verb, testing::Fault},
};

use super::Server;
use crate::tools::words::is_for_models;

/// Codes that no tool ends with: of the door, of other calls, or met only where a machine would read them. Each has a reason.
const NOT_OF_TOOLS: &[(Code, &str)] = &[
    (Code::Unauthenticated, "the door refuses the whole turn"),
    (Code::Denied, "the door refuses the whole turn"),
    (Code::SessionNotFound, "a session that is named and missing is met by its maker"),
    (Code::DeletionNotFound, "deleting a user is no tool"),
    (Code::ApprovalNotFound, "deciding is no tool"),
    (Code::WorkspaceShared, "ending a session is no tool"),
    (Code::PreconditionFailed, "a tool sends no conditions"),
    (Code::VersionConflict, "a tool sends no conditions"),
    (Code::VersionNotFound, "a tool loads the newest version"),
    (Code::TooExpensive, "its message names limits alone; see `bounds`"),
    (Code::RateLimited, "calls beyond the most of a turn; see `calls`"),
    (Code::SkillChanged, "a race with an author; see `tree`"),
    (Code::EditConflict, "a race with other writers; see `words`"),
    (Code::RouteNotFound, "a tool has no address"),
    (Code::MethodNotAllowed, "a tool has no address"),
    (Code::ObjectDamaged, "for an operator; its message is one for models, see `an_error_of_ours`"),
    (Code::Internal, "a bug; its message is one for models, see `an_error_of_ours`"),
];

/// An operation that fails, and its code.
fn failing() -> Vec<(Code, &'static str, Value)> {
    let a = "/workspace/a";
    let edit = |old: &str| json!({"file_path": a, "old_string": old, "new_string": "z"});
    let read = |path: &str| json!({"file_path": path});
    vec![
        (Code::InvalidPath, "ls", json!({"path": "relative"})),
        (Code::InvalidRequest, "discover_skills", json!({"query": "x", "limit": 0})),
        (Code::InvalidPattern, "grep", json!({"pattern": "("})),
        (Code::OffsetOutOfRange, "read", json!({"file_path": a, "offset": 99})),
        (Code::OldStringEmpty, "edit", edit("")),
        (Code::OldStringNotFound, "edit", edit("nothing")),
        (Code::OldStringNotUnique, "edit", edit("x")),
        (Code::BinaryFile, "read", read("/workspace/binary")),
        (Code::ReadOnly, "write", json!({"file_path": "/skills/compraventa/new", "content": ""})),
        (Code::FileNotFound, "read", read("/workspace/none")),
        (Code::SkillNotFound, "load_skill", json!({"skill": "nothing"})),
        (Code::InvalidSkill, "create_skill", new_skill("Minutes_of")),
        (Code::NotADirectory, "ls", json!({"path": a})),
        (Code::IsADirectory, "read", read("/workspace")),
        (Code::AlreadyExists, "write", json!({"file_path": a, "content": ""})),
        (Code::AmbiguousSkill, "load_skill", json!({"skill": "venta"})),
        (Code::MountConflict, "load_skill", json!({"skill": "contratos/compraventa"})),
        (
            Code::FileTooLarge,
            "write",
            json!({"file_path": "/workspace/big", "content": "x".repeat(TEXT_FILE_BYTES + 1)}),
        ),
        (Code::ToolBlocked, "glob", json!({"pattern": "*"})),
        (Code::ApprovalRequired, "move", json!({"from": a, "to": "/workspace/b"})),
        (Code::StoreUnavailable, "write", json!({"file_path": "/workspace/denied", "content": ""})),
    ]
}

fn new_skill(name: &str) -> Value {
    let body = "Say who was there, what was decided, and who does what until when.";
    json!({"name": name, "description": "Writes minutes. Use it after a meeting.", "body": body})
}

// S-TOOL-10: A model reads only text that it can use.
#[tokio::test]
async fn every_code_is_read_by_a_model_in_words_for_models() {
    let server = Server::with_skills().await;
    server.memory.put_raw("u1/skills/contratos/compraventa/SKILL.md", "---\nname: venta\ndescription: x\n---\n");
    server.memory.put_raw("u1/skills/otros/otra/SKILL.md", "---\nname: venta\ndescription: x\n---\n");
    server.put("/workspace/a", "x x\n").await;
    server.put("/workspace/binary", &b"\x89PNG\r\n\x1a\n\0\0"[..]).await;
    server.op("load_skill", json!({"skill": "escrituras/compraventa"})).await.is(200);
    let rules = json!({"policy": {"tools": {"*": "auto", "glob": "blocked", "move": "ask", "create_skill": "auto"}}});
    server.send(Method::PATCH, &server.session(""), &rules).await.is(200);
    server.faulty.for_keys(Verb::Put, "/denied", Fault::Deny);

    let mut seen: BTreeSet<&str> = NOT_OF_TOOLS.iter().map(|(code, _)| code.as_str()).collect();
    for (code, name, input) in failing() {
        seen.insert(code.as_str());
        both_ways(&server, code, name, &input).await;
    }
    server.send(Method::PATCH, &server.session(""), &json!({"policy": {"plan_mode": true}})).await.is(200);
    both_ways(&server, Code::PlanMode, "write", &json!({"file_path": "/workspace/b", "content": ""})).await;
    seen.insert(Code::PlanMode.as_str());
    let left: Vec<_> = Code::ALL.iter().filter(|code| !seen.contains(code.as_str())).collect();
    assert!(left.is_empty(), "what does a model read of {left:?}?");
}

/// The call fails with this code, and its text is the message of the problem, in words for models.
async fn both_ways(server: &Server, code: Code, name: &str, input: &Value) {
    let problem = server.op(name, input.clone()).await;
    let detail = problem.is_problem(code.http_status(), code.as_str()).json["detail"].as_str().unwrap().to_owned();
    let block = json!({"type": "tool_use", "id": "a", "name": name, "input": input});
    let result = server.op("tool_calls", json!({"content": [block]})).await;
    assert_eq!(result.is(200)["content"][0]["content"], format!("Error: {detail}"));
    is_for_models(&detail);
}

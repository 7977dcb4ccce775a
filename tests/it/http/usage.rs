//! The figures of use, whole documents as a platform team gets them.

use std::sync::Arc;

use reqwest::Method;
use serde_json::json;
use skillmount::store::MemoryStore;

use super::{Server, events::audited};

async fn with_skills() -> Server {
    let memory = Arc::new(MemoryStore::like_s3());
    for (skill, tokens) in [("minutes", 100), ("letters", 300)] {
        let head = format!("---\nname: {skill}\ndescription: Writes {skill} of meetings.\n---\n");
        memory.put_raw(&format!("u1/skills/{skill}/SKILL.md"), format!("{head:<0$}", tokens * 4));
    }
    audited(&memory).await
}

/// Two conversations: the first searches twice, looks around and loads `minutes`; the second searches for what there is not, and
/// has a call that waits for a person, who denies it.
async fn converse(server: &Server) {
    server.op("discover_skills", json!({"query": "minutes"})).await.is(200);
    server.op("discover_skills", json!({"query": "minutes"})).await.is(200);
    server.op("ls", json!({"path": "/workspace"})).await.is(200);
    server.op("load_skill", json!({"skill": "minutes"})).await.is(200);
    let second = |rest: &str| server.user(&format!("/sessions/s2{rest}"));
    let policy = json!({"policy": {"tools": {"write": "ask"}}});
    server.send(Method::PUT, &second(""), &policy).await.is(201);
    server.send(Method::POST, &second("/discover_skills"), &json!({"query": "xyzzy"})).await.is(200);
    let write = json!({"file_path": "/workspace/a", "content": "text"});
    let asked = server.send(Method::POST, &second("/write"), &write).await;
    let id = asked.is_problem(403, "approval_required").json["approval_id"].as_str().unwrap();
    let approval = second(&format!("/approvals/{id}"));
    server.send(Method::POST, &approval, &json!({"decision": "deny"})).await.is(200);
}

// S-USAGE-1: The figures of use come from audit records alone, and equal a count by hand.
#[tokio::test]
async fn usage_is_one_document_which_counts_what_waits_to_be_written() {
    let server = with_skills().await;
    converse(&server).await;
    let records = server.get(&server.user("/usage")).await;
    let mut figures = records.is(200).clone();
    let last_used = figures["skills"][0]["last_used"].take();
    assert!(last_used.as_str().unwrap().parse::<jiff::Timestamp>().is_ok(), "{last_used}");
    let expected = json!({
        "conversations": 2,
        "discovery_rate": 1.0,
        // Of three searches, the one right before the load.
        "discovery_success": 0.3333,
        // It looked around in between.
        "discovery_to_use_turns": 2.0,
        "approval_rate": 0.0,
        // The call that was told to ask, and was denied, is none yet.
        "completion_rate": 1.0,
        // 400 tokens of both skills, without the 100 of the one that one of two conversations used.
        "context_saved_tokens": 350,
        "searches": 3,
        "unanswered": 1,
        "skills": [{"skill": "minutes", "loads": 1, "conversations": 1, "rate": 0.5, "last_used": null}],
        "default_candidates": ["minutes"],
    });
    assert_eq!(figures, expected);
}

#[tokio::test]
async fn usage_begins_when_it_is_told_to_and_refuses_what_is_no_time() {
    let server = with_skills().await;
    converse(&server).await;
    let since = |time: &str| server.user(&format!("/usage?since={time}"));
    assert_eq!(server.get(&since("2000-01-01T00:00:00Z")).await.is(200)["conversations"], 2);
    let none = json!({
        "conversations": 0, "discovery_rate": null, "discovery_success": null, "discovery_to_use_turns": null,
        "approval_rate": null, "completion_rate": null, "context_saved_tokens": null, "searches": 0, "unanswered": 0,
        "skills": [], "default_candidates": [],
    });
    assert_eq!(*server.get(&since("2999-01-01T00:00:00Z")).await.is(200), none);
    for wrong in ["yesterday", "", "7d"] {
        server.get(&since(wrong)).await.is_problem(400, "invalid_request");
    }
    server.get(&server.user("/usage?from=2000-01-01T00:00:00Z")).await.is_problem(400, "invalid_request");
}

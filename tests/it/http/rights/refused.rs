//! Calls that a key does not allow: each leaves a record, and floods leave few.

use std::collections::BTreeMap;

use reqwest::Method;
use serde_json::{Value, json};
use skillmount::{path::KeyPrefix, store::StoreExt as _};

use super::{Answer, World};

/// Calls of an agent's key of `u1`, which it may not make.
fn refused() -> Vec<(Method, &'static str, Value)> {
    vec![
        (Method::GET, "/v1/users/bob/skills", Value::Null),
        (Method::POST, "/v1/users/bob/sessions/s1/read", json!({"file_path": "/workspace/a"})),
        (Method::DELETE, "/v1/users/u1", Value::Null),
        (Method::GET, "/v1/users/u1/audit", Value::Null),
        (Method::PUT, "/v1/users/u1/policy", json!({})),
        (Method::PUT, "/v1/users/u1/skills/gazelle", json!({"description": "d", "body": "b"})),
        (Method::DELETE, "/v1/users/u1/skills/gazelle", Value::Null),
        (Method::PATCH, "/v1/users/u1/sessions/s1", json!({"policy": {}})),
        (Method::GET, "/v1/users/u1/sessions/s1/approvals", Value::Null),
        (Method::GET, "/v1/users", Value::Null),
    ]
}

// S-AUDIT-18: A refused call leaves a record with the user of its key.
#[tokio::test]
async fn a_key_that_asks_for_what_it_may_not_leaves_one_record_for_each_kind_of_call() {
    let world = World::start("ops/turtle").await;
    for (method, path, body) in refused() {
        for _ in 0..3 {
            let request = world.server.client.request(method.clone(), format!("{}{path}", world.server.base));
            let answer = Answer::of(request.bearer_auth(&world.agent).json(&body).send().await.unwrap()).await;
            answer.is_problem(403, "denied");
        }
    }
    let audit = world.manage(Method::GET, "/audit?operation=refuse_call", &Value::Null).await;
    let mut found = BTreeMap::new();
    for record in audit["records"].as_array().unwrap() {
        assert_eq!((&record["outcome"], &record["refused"]), (&json!("denied"), &json!(1)), "{record}");
        let by = record["by"].as_str().unwrap();
        assert!(world.entry.hash.contains(by.trim_end_matches(')').rsplit('(').next().unwrap()), "{record}");
        *found.entry(record["subject"].as_str().unwrap().to_owned()).or_insert(0) += 1;
    }
    let expected: BTreeMap<_, _> =
        refused().into_iter().map(|(method, path, _)| (format!("{method} {path}"), 1)).collect();
    assert_eq!(found, expected);
    let (all, _) = world.server.memory.list_all(&KeyPrefix::all(), 1000).await.unwrap();
    assert!(!all.iter().any(|one| one.key.starts_with("bob/")), "nothing is written for another user: {all:?}");
}

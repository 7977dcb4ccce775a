//! What records say of changes of skills: which version there was before, whose skill it is, and whose key changed it.

use std::sync::Arc;

use reqwest::Method;
use serde_json::{Value, json};
use skillmount::{
    access::{Callers, KeyEntry, Keys, Scope},
    audit::{AuditMode, Recorder},
    clock::SystemClock,
    handle::ServiceOptions,
    http::HttpConfig,
    path::{Id, Namespace},
    store::MemoryStore,
};

use super::{Answer, Server};

/// A server with records and layers, and a control key of all users in a team, which is called `desk`.
struct Recorded {
    server: Server,
    key: String,
    hash: String,
}

impl Recorded {
    async fn start() -> Self {
        let (memory, clock) = (Arc::new(MemoryStore::like_s3()), Arc::new(SystemClock::new()));
        let (key, entry) = KeyEntry::generate(&*clock, None, vec![Scope::Control]);
        let team = Some(Id::parse("notaries").unwrap());
        let entry = KeyEntry { name: Some("desk".to_owned()), team, ..entry };
        let callers = Callers { keys: Keys::new(std::slice::from_ref(&entry)).unwrap(), ..Callers::default() };
        let recorder = Recorder::new(memory.clone(), Namespace::default(), AuditMode::Sync, clock);
        let observer = Some(Arc::new(recorder.clone()) as Arc<_>);
        let options = ServiceOptions { observer, layers: true, ..ServiceOptions::default() };
        let config = HttpConfig { audit: Some(recorder), callers, ..HttpConfig::default() };
        let server = Server::over(config, options, memory.clone(), memory).await;
        Self { server, key, hash: entry.short_hash().unwrap().to_string() }
    }

    async fn send(&self, method: Method, path: &str, body: Value) -> Answer {
        let request = self.server.client.request(method, self.server.user(path)).bearer_auth(&self.key);
        Answer::of(request.json(&body).send().await.unwrap()).await
    }

    /// The digest that a change of a skill answers with.
    async fn change(&self, method: Method, path: &str, body: Value) -> String {
        let answer = self.send(method, path, body).await;
        assert!((200..300).contains(&answer.status), "{path}: {}", answer.json);
        answer.json["digest"].as_str().unwrap_or_default().to_owned()
    }

    async fn records(&self) -> Vec<Value> {
        self.send(Method::GET, "/audit", Value::Null).await.is(200)["records"].as_array().unwrap().clone()
    }
}

fn text(which: &str) -> Value {
    json!({"description": format!("Writes {which}. Use it after a meeting."), "body": "Say who was there.\n"})
}

// S-AUDIT-9: A record of a skill's change has the digests of its versions before and after, a draft's if nothing is
// published.
#[tokio::test]
async fn a_record_of_a_change_of_a_skill_has_the_versions_before_and_after_without_if_match() {
    let world = Recorded::start().await;
    let (put, post, patch, delete) = (Method::PUT, Method::POST, Method::PATCH, Method::DELETE);
    let one = world.change(put.clone(), "/skills/a", text("one")).await;
    let two = world.change(put.clone(), "/skills/a", text("two")).await;
    assert_eq!(world.change(put.clone(), "/skills/a", text("two")).await, two);
    assert_eq!(world.change(post, "/rollback/a", json!({"digest": one})).await, one);
    let three = world.change(patch.clone(), "/skills/a", json!({"description": "Writes. Use it after one."})).await;
    let draft = world.change(patch.clone(), "/skills/a", json!({"state": "draft"})).await;
    let other = world.change(patch.clone(), "/skills/a", json!({"body": "Another.\n"})).await;
    let published = world.change(patch, "/skills/a", json!({"state": "published"})).await;
    world.change(delete.clone(), "/skills/a", Value::Null).await;
    let first = world.change(put.clone(), "/skills/d?state=draft", text("d")).await;
    let second = world.change(put, "/skills/d?state=draft", text("e")).await;
    world.change(delete, "/skills/d", Value::Null).await;

    let expected = [
        ("publish_skill", None, Some(&one)),
        ("publish_skill", Some(&one), Some(&two)),
        ("roll_back_skill", Some(&two), Some(&one)),
        ("change_skill", Some(&one), Some(&three)),
        ("change_skill", Some(&three), Some(&draft)),
        ("change_skill", Some(&draft), Some(&other)),
        ("change_skill", Some(&other), Some(&published)),
        ("delete_skill", Some(&published), None),
        ("publish_skill", None, Some(&first)),
        ("publish_skill", Some(&first), Some(&second)),
        ("delete_skill", Some(&second), None),
    ];
    let records = world.records().await;
    let unchanged = records.iter().filter(|record| record["files"].is_null()).count();
    assert_eq!(unchanged, 1, "to publish the same again changes nothing: {records:?}");
    let changed: Vec<_> = records.iter().filter(|record| !record["files"].is_null()).collect();
    assert_eq!(changed.len(), expected.len(), "{changed:?}");
    for (record, (operation, before, after)) in changed.iter().zip(expected) {
        let file = &record["files"][0];
        assert_eq!(
            (&record["operation"], &file["before"], &file["after"]),
            (&json!(operation), &json!(before), &json!(after))
        );
        assert!(record["layer"].is_null() && record["outcome"] == "ok", "{record}");
    }
}

// S-AUDIT-9: A record of a skill's change has the digests of its versions before and after, a draft's if nothing is
// published.
#[tokio::test]
async fn a_record_says_whose_skill_was_changed_also_where_that_was_refused() {
    let world = Recorded::start().await;
    for layer in ["team", "org"] {
        let skill = format!("/skills/{layer}?layer={layer}");
        let one = world.change(Method::PUT, &skill, text("one")).await;
        world.change(Method::PATCH, &skill, json!({"body": "Another.\n"})).await;
        let back = format!("/rollback/{layer}?layer={layer}");
        world.change(Method::POST, &back, json!({"digest": one})).await;
        world.send(Method::PUT, &skill, json!({"description": "", "body": ""})).await.is_problem(400, "invalid_skill");
        world.send(Method::GET, &format!("/diff/{layer}?layer={layer}"), Value::Null).await.is(200);
        world.send(Method::GET, &format!("/diff/none?layer={layer}"), Value::Null).await.is(404);
        world.change(Method::DELETE, &skill, Value::Null).await;
    }
    let records = world.records().await;
    let said: Vec<_> = records.iter().map(|one| (one["layer"].as_str(), one["outcome"].as_str().unwrap())).collect();
    let of = |layer| {
        ["ok", "ok", "ok", "invalid_skill", "ok", "skill_not_found", "ok"].map(|outcome| (Some(layer), outcome))
    };
    assert_eq!(said, [of("team"), of("org")].concat());
}

// S-AUDIT-19: The record of a change of a team's or the organisation's skill also lies with the team or the organisation,
// and names the user of the call.
#[tokio::test]
async fn changes_of_shared_skills_leave_records_that_survive_their_user() {
    let world = Recorded::start().await;
    for layer in ["team", "org"] {
        let skill = format!("/skills/{layer}?layer={layer}");
        world.change(Method::PUT, &skill, text("one")).await;
        world.send(Method::GET, &format!("/diff/{layer}?layer={layer}"), Value::Null).await;
        world.change(Method::DELETE, &skill, Value::Null).await;
    }
    world.change(Method::PUT, "/skills/own", text("own")).await;
    let shared = async |user: &str, layer: &str| {
        let at = format!("{}/v1/users/{user}/audit?layer={layer}", world.server.base);
        let answer = Answer::of(world.server.client.get(at).bearer_auth(&world.key).send().await.unwrap()).await;
        answer.is(200)["records"].as_array().unwrap().clone()
    };
    let by = json!(format!("desk ({})", world.hash));
    let before = [shared("u1", "team").await, shared("u1", "org").await];
    for (layer, records) in ["team", "org"].iter().zip(&before) {
        let operations: Vec<_> = records.iter().map(|one| one["operation"].as_str().unwrap()).collect();
        assert_eq!(operations, ["publish_skill", "delete_skill"], "{layer}");
        for one in records {
            assert_eq!(
                (&one["user"], &one["layer"], &one["by"], &one["subject"]),
                (&json!("u1"), &json!(layer), &by, &json!(layer))
            );
        }
        assert_eq!(records[0]["files"][0]["after"], records[1]["files"][0]["before"]);
    }
    assert!(world.records().await.iter().all(|one| one["user"].is_null()));
    world.send(Method::DELETE, "", Value::Null).await.is(202);
    assert_eq!([shared("u2", "team").await, shared("u2", "org").await], before);
}

// S-KEY-9: Records and versions call a key by its name and the first 16 digits of its hash.
#[tokio::test]
async fn records_and_versions_name_the_key_of_their_caller() {
    let world = Recorded::start().await;
    world.change(Method::PUT, "/skills/a", text("one")).await;
    world.send(Method::POST, "/sessions/s1/ls", json!({"path": "/"})).await.is(200);
    let called = json!(format!("desk ({})", world.hash));
    let records = world.records().await;
    assert_eq!(records.len(), 2, "{records:?}");
    for record in &records {
        assert_eq!(record["by"], called, "{record}");
    }
    let listed = world.send(Method::GET, "/versions/a", Value::Null).await;
    assert_eq!(listed.is(200)["versions"][0]["by"], called);
    assert!(!json!([records, listed.json]).to_string().contains(&world.key));
}

// S-PUBLISH-29: `last_change` names the caller, the time and the source of the last change.
#[tokio::test]
async fn the_last_change_says_who_published_older_content_again_when_and_from_where() {
    let world = Recorded::start().await;
    let called = json!(format!("desk ({})", world.hash));
    let versions = async || world.send(Method::GET, "/versions/a", Value::Null).await.json;
    let one = world.change(Method::PUT, "/skills/a?source=first", text("one")).await;
    let two = world.change(Method::PUT, "/skills/a?source=second", text("two")).await;
    let listed = versions().await;
    let (change, newest) = (&listed["last_change"], &listed["versions"][0]);
    assert_eq!((&change["digest"], &change["previous"]), (&json!(two), &json!(one)), "{listed}");
    assert_eq!((&change["at"], &change["source"]), (&newest["published_at"], &newest["source"]));

    let changes = [
        (Method::POST, "/rollback/a", json!({"digest": one}), json!([one, two, "a rollback"])),
        (Method::PUT, "/skills/a?source=again", text("two"), json!([two, one, "again"])),
        (Method::DELETE, "/skills/a", Value::Null, json!([null, two, null])),
    ];
    let mut last = change["at"].clone();
    for (method, path, body, expected) in changes {
        world.change(method, path, body).await;
        let listed = versions().await;
        let change = &listed["last_change"];
        assert_eq!(json!([change["digest"], change["previous"], change["source"]]), expected, "{listed}");
        assert_eq!((&change["by"], &listed["current"]), (&called, &change["digest"]));
        let at = |time: &Value| time.as_str().unwrap().parse::<jiff::Timestamp>().unwrap();
        assert!(at(&change["at"]) > at(&last), "{listed}");
        last = change["at"].clone();
        let sources: Vec<_> = listed["versions"].as_array().unwrap().iter().map(|one| &one["source"]).collect();
        assert_eq!(sources, ["second", "first"], "versions say who published them first");
    }
}

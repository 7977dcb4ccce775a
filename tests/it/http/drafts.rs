//! Drafts over HTTP: the calls that make and change them, and who is answered.

use std::{
    io::{Cursor, Read as _},
    sync::Arc,
};

use bytes::Bytes;
use reqwest::Method;
use serde_json::{Value, json};
use skillmount::{
    access::{Callers, KeyEntry, Keys, Scope},
    clock::SystemClock,
    handle::ServiceOptions,
    http::HttpConfig,
    path::Id,
    store::MemoryStore,
};

use super::{
    Answer, Server,
    events::{audited, told, until, watch},
};

fn text(body: &str) -> Value {
    json!({"description": "Shows how.", "body": body, "files": {"r/a.md": "text"}})
}

// S-DRAFT-3: `PATCH` publishes a draft, makes a draft of a published skill, and changes a description or a body.
#[tokio::test]
async fn a_draft_is_put_changed_published_and_taken_back() {
    let server = Server::start().await;
    let url = server.user("/skills/a/demo");
    let made = server.send(Method::PUT, &format!("{url}?state=draft&source=by+hand"), &text("# One")).await;
    assert_eq!((&made.is(201)["state"], &made.json["status"]), (&json!("draft"), &json!("created")));
    assert_eq!(made.header("etag"), format!("\"{}\"", made.json["digest"].as_str().unwrap()));
    let shown = server.get(&url).await;
    assert_eq!((&shown.is(200)["state"], &shown.json["body"]), (&json!("draft"), &json!("\n# One\n")));
    assert_eq!(shown.json["file_list"].as_array().unwrap().len(), 2);
    server.op("load_skill", json!({"skill": "a/demo"})).await.is_problem(404, "skill_not_found");

    let patch = |only: &str, wanted: Value| {
        let patch = server.client.patch(server.user("/skills/a/demo")).header("if-match", format!("\"{only}\""));
        patch.json(&wanted).send()
    };
    let first = made.json["digest"].as_str().unwrap();
    let changed = Answer::of(patch(first, json!({"body": "# Two"})).await.unwrap()).await;
    assert_eq!(changed.is(200)["state"], "draft");
    let late = Answer::of(patch(first, json!({"state": "published"})).await.unwrap()).await;
    late.is_problem(409, "version_conflict");
    assert_eq!(late.json["current"], changed.json["digest"]);
    let second = changed.json["digest"].as_str().unwrap();
    let published = Answer::of(patch(second, json!({"state": "published"})).await.unwrap()).await;
    assert_eq!((&published.is(200)["state"], &published.json["digest"]), (&json!("published"), &json!(second)));
    server.op("load_skill", json!({"skill": "a/demo"})).await.is(200);
    let versions = server.get(&server.user("/versions/a/demo")).await;
    assert_eq!(versions.is(200)["versions"][0]["source"], "by hand", "where it comes from goes with it");

    server.send(Method::PUT, &format!("{url}?state=draft"), &text("# Three")).await.is_problem(409, "already_exists");
    assert_eq!(server.send(Method::PATCH, &url, &json!({"state": "draft"})).await.is(200)["state"], "draft");
    assert_eq!(server.get(&server.user("/skills")).await.is(200)["skills"][0]["state"], "draft");
    server.send(Method::PATCH, &url, &json!({})).await.is_problem(400, "invalid_request");
    server.send(Method::PATCH, &url, &json!({"state": "deleted"})).await.is_problem(400, "invalid_request");
    server.send(Method::PUT, &format!("{url}?state=gone"), &text("x")).await.is_problem(400, "invalid_request");
    server.send(Method::DELETE, &url, &Value::Null).await.is(204);
    server.get(&url).await.is_problem(404, "skill_not_found");
}

// S-PUBLISH-32: A version is the files of a skill, and not its state. Two changes with `If-Match` of one version both
// succeed if the first one changes only the state.
#[tokio::test]
async fn a_change_of_the_state_keeps_the_version() {
    let server = Server::start().await;
    let url = server.user("/skills/a/demo");
    let published = server.send(Method::PUT, &url, &text("# One")).await.is(201)["digest"].as_str().unwrap().to_owned();
    let patch = async |only: &str, wanted: Value| {
        let patch = server.client.patch(&url).header("if-match", format!("\"{only}\"")).json(&wanted);
        Answer::of(patch.send().await.unwrap()).await
    };
    for status in ["updated", "unchanged"] {
        let drafted = patch(&published, json!({"state": "draft"})).await;
        assert_eq!((&drafted.is(200)["digest"], &drafted.json["status"]), (&json!(published), &json!(status)));
    }
    let changed = patch(&published, json!({"body": "# Two"})).await;
    assert_eq!(changed.is(200)["state"], "draft");
    patch(&published, json!({"state": "published"})).await.is_problem(409, "version_conflict");
    let second = changed.json["digest"].as_str().unwrap();
    for status in ["created", "unchanged"] {
        let published = patch(second, json!({"state": "published"})).await;
        assert_eq!((&published.is(200)["digest"], &published.json["status"]), (&json!(second), &json!(status)));
    }
}

/// A server with keys of scope `control`, of `agent`, and of `agent` bound to the sessions `chat-1` and `chat-2`.
async fn with_keys() -> (Server, [String; 4]) {
    let user = Id::parse("u1").unwrap();
    let key = |scope, session: Option<&str>| {
        let (key, mut entry) = KeyEntry::generate(&SystemClock::new(), Some(&user), vec![scope]);
        entry.sessions = session.map(|session| vec![session.to_owned()]);
        (key, entry.to_toml().unwrap())
    };
    let keys = [
        key(Scope::Control, None),
        key(Scope::Agent, None),
        key(Scope::Agent, Some("chat-1")),
        key(Scope::Agent, Some("chat-2")),
    ];
    let file: String = keys.iter().map(|(_, entry)| entry.as_str()).collect();
    let callers = Callers { keys: Keys::from_toml(&file).unwrap(), ..Callers::default() };
    let server = Server::with(HttpConfig { callers, ..HttpConfig::default() }).await;
    (server, keys.map(|(key, _)| key))
}

async fn send(server: &Server, key: &str, method: Method, path: &str, json: Value) -> Answer {
    let request = server.client.request(method, server.user(path)).bearer_auth(key);
    let request = if json.is_null() { request } else { request.json(&json) };
    Answer::of(request.send().await.unwrap()).await
}

/// The bytes at `path`, in the form `accept`.
async fn bytes(server: &Server, key: &str, path: &str, accept: &str) -> (u16, Bytes) {
    let request = server.client.get(server.user(path)).bearer_auth(key).header("accept", accept);
    let answer = request.send().await.unwrap();
    (answer.status().as_u16(), answer.bytes().await.unwrap())
}

fn in_zip(bytes: &Bytes, path: &str) -> String {
    let mut text = String::new();
    let mut zip = zip::ZipArchive::new(Cursor::new(bytes)).unwrap();
    zip.by_name(path).unwrap().read_to_string(&mut text).unwrap();
    text
}

// S-DRAFT-8: On the routes of the catalog, a key bound to a session by its id sees the drafts that the session records.
#[tokio::test]
async fn who_sees_a_draft_reads_its_files_in_each_form() {
    let (server, [control, agent, here, elsewhere]) = with_keys().await;
    let policy = json!({"policy": {"tools": {"create_skill": "auto"}}});
    send(&server, &control, Method::PUT, "/sessions/chat-1", policy).await.is(201);
    let body = "Say who was there, what was decided, and who does what until when.";
    let skill = json!({"name": "minutes", "description": "Writes minutes. Use it after one.", "body": body});
    send(&server, &here, Method::POST, "/sessions/chat-1/create_skill", skill).await.is(201);
    let plans = json!({"description": "Makes plans.", "body": "# Plans", "files": {"r/a.md": "first of all"}});
    send(&server, &control, Method::PUT, "/skills/plans?state=draft", plans).await.is(201);

    for (draft, file, has, readers) in [
        ("minutes", "SKILL.md", "who does what", vec![&control, &here]),
        ("plans", "r/a.md", "first of all", vec![&control]),
    ] {
        let shown = send(&server, &control, Method::GET, &format!("/skills/{draft}"), Value::Null).await;
        let digest = shown.is(200)["digest"].as_str().unwrap().to_owned();
        let by_digest = format!("/skills/{draft}?digest={digest}");
        for key in [&control, &agent, &here, &elsewhere] {
            let sees = readers.contains(&key);
            for path in [format!("/skills/{draft}"), by_digest.clone()] {
                let (status, zip) = bytes(&server, key, &path, "application/zip").await;
                assert_eq!(status, if sees { 200 } else { 404 }, "{path}");
                assert!(!sees || in_zip(&zip, file).contains(has), "{path}");
            }
            let version = send(&server, key, Method::GET, &by_digest, Value::Null).await;
            let one = format!("/skill_files/{draft}?path={file}");
            let (status, one) = bytes(&server, key, &one, "*/*").await;
            let wanted = json!({"skills": [{"skill": draft}]});
            let all = server.client.post(server.user("/skills/download")).bearer_auth(key).json(&wanted);
            let all = all.send().await.unwrap().text().await.unwrap();
            if sees {
                assert_eq!((&version.is(200)["state"], &version.json["digest"]), (&json!("draft"), &json!(digest)));
                assert_eq!((status, String::from_utf8_lossy(&one).contains(has)), (200, true), "{draft}");
                assert!(all.contains(has) && all.contains(&format!("{draft}/{file}")), "{all}");
            } else {
                version.is_problem(404, "skill_not_found");
                assert_eq!(status, 404, "{draft}");
                assert!(all.contains("skill_not_found") && !all.contains(has), "{all}");
            }
        }
    }
}

// S-VERSION-7: A caller that knows the digest of a version reads it, even if the skill is now deleted or a draft.
#[tokio::test]
async fn a_version_is_read_by_its_digest_in_both_forms_by_both_scopes_whatever_became_of_the_skill() {
    let (server, [control, agent, ..]) = with_keys().await;
    let made = send(&server, &control, Method::PUT, "/skills/a/demo", text("# One")).await;
    let digest = made.is(201)["digest"].as_str().unwrap().to_owned();
    let never = format!("sha256:{}", "0".repeat(64));
    for becomes in ["published", "draft", "deleted"] {
        match becomes {
            "published" => send(&server, &control, Method::PUT, "/skills/a/demo", text("# Two")).await.is(200).clone(),
            "draft" => {
                let wanted = json!({"state": "draft", "body": "# Three"});
                send(&server, &control, Method::PATCH, "/skills/a/demo", wanted).await.is(200).clone()
            }
            _ => send(&server, &control, Method::DELETE, "/skills/a/demo", Value::Null).await.is(204).clone(),
        };
        for key in [&control, &agent] {
            let path = format!("/skills/a/demo?digest={digest}");
            let page = send(&server, key, Method::GET, &path, Value::Null).await;
            assert_eq!(
                (&page.is(200)["body"], &page.json["digest"]),
                (&json!("\n# One\n"), &json!(digest)),
                "{becomes}"
            );
            assert_eq!((&page.json["state"], &page.json["files"]), (&json!("published"), &json!(2)), "{becomes}");
            assert_eq!((&page.json["name"], &page.json["description"]), (&json!("demo"), &json!("Shows how.")));
            let (status, zip) = bytes(&server, key, &path, "application/zip").await;
            assert_eq!(status, 200, "{becomes}");
            assert!(in_zip(&zip, "SKILL.md").contains("# One"), "{becomes}");
            for (skill, code) in [("a/demo", "version_not_found"), ("a/nothing", "skill_not_found")] {
                let path = format!("/skills/{skill}?digest={never}");
                send(&server, key, Method::GET, &path, Value::Null).await.is_problem(404, code);
                assert_eq!(bytes(&server, key, &path, "application/zip").await.0, 404, "{path}");
            }
        }
        let named = send(&server, &agent, Method::GET, "/versions/a/demo", Value::Null).await;
        assert_eq!(named.status, if becomes == "published" { 200 } else { 404 }, "{becomes}");
    }
}

// S-DRAFT-8: On the routes of the catalog, a key bound to a session by its id sees the drafts that the session records.
// S-DRAFT-1: A draft has no file below `skills/`.
#[tokio::test]
async fn an_agent_finds_no_draft_but_that_of_its_session() {
    let (server, [control, agent, here, elsewhere]) = with_keys().await;
    let send = async |key: &str, method: Method, path: &str, json: Value| send(&server, key, method, path, json).await;
    let policy = json!({"policy": {"tools": {"create_skill": "auto"}}});
    for session in ["chat-1", "chat-2"] {
        send(&control, Method::PUT, &format!("/sessions/{session}"), policy.clone()).await.is(201);
    }
    let body = "Say who was there, what was decided, and who does what until when.";
    let skill = json!({"name": "minutes", "description": "Writes minutes. Use it after one.", "body": body});
    let made = send(&here, Method::POST, "/sessions/chat-1/create_skill", skill).await;
    assert_eq!(made.is(201)["state"], "draft");

    for (key, sees) in [(&control, true), (&here, true), (&agent, false), (&elsewhere, false)] {
        let shown = send(key, Method::GET, "/skills/minutes", Value::Null).await;
        let listed = send(key, Method::GET, "/skills", Value::Null).await;
        assert_eq!(listed.is(200)["skills"].as_array().unwrap().len(), usize::from(sees));
        if sees {
            assert_eq!(shown.is(200)["state"], "draft");
        } else {
            let absent = send(key, Method::GET, "/skills/seconds", Value::Null).await;
            absent.is_problem(404, "skill_not_found");
            let said = shown.is_problem(404, "skill_not_found").json["detail"].as_str().unwrap();
            assert_eq!(said.replace("minutes", "seconds"), absent.json["detail"].as_str().unwrap());
        }
    }
    // What was published before is not shown either.
    let other = json!({"description": "Writes letters. Use it to write one.", "body": "Dear …"});
    send(&control, Method::PUT, "/skills/letters", other).await.is(201);
    for (key, status) in [(&control, 200), (&agent, 200)] {
        send(key, Method::GET, "/versions/letters", Value::Null).await.is(status);
    }
    let digest = send(&control, Method::GET, "/versions/letters", Value::Null).await.json["current"].clone();
    let diff = format!("/diff/letters?from={0}&to={0}", digest.as_str().unwrap());
    send(&agent, Method::GET, &diff, Value::Null).await.is(200);
    send(&control, Method::PATCH, "/skills/letters", json!({"state": "draft"})).await.is(200);
    for path in ["/versions/letters", &diff] {
        send(&control, Method::GET, path, Value::Null).await.is(200);
        send(&agent, Method::GET, path, Value::Null).await.is_problem(404, "skill_not_found");
    }
    let load = json!({"skill": "minutes"});
    send(&here, Method::POST, "/sessions/chat-1/load_skill", load.clone()).await.is(200);
    send(&elsewhere, Method::POST, "/sessions/chat-2/load_skill", load).await.is_problem(404, "skill_not_found");
    for (method, json) in [(Method::PATCH, json!({"state": "published"})), (Method::DELETE, Value::Null)] {
        send(&agent, method, "/skills/minutes", json).await.is_problem(403, "denied");
    }
}

#[tokio::test]
async fn a_change_of_a_shared_skill_leaves_the_users_own_alone() {
    let options = ServiceOptions { layers: true, ..ServiceOptions::default() };
    let server = Server::serving(HttpConfig::default(), options).await;
    let own = server.user("/skills/a/demo");
    let shared = format!("{own}?layer=org");
    for url in [&own, &shared] {
        server.send(Method::PUT, url, &text("# One")).await.is(201);
    }
    server.send(Method::PATCH, &shared, &json!({"body": "# Two"})).await.is(200);
    assert_eq!(server.get(&own).await.is(200)["body"], "\n# One\n");
    let refused = server.send(Method::PATCH, &shared, &json!({"state": "draft"})).await;
    assert!(refused.is_problem(400, "invalid_request").json["detail"].as_str().unwrap().contains("a user's own"));
}

// S-EVENT-9: `catalog_changed` counts what agents see: published skills, and no drafts.
#[tokio::test]
async fn the_catalog_changes_by_what_is_published_and_not_by_drafts() {
    let memory = Arc::new(MemoryStore::like_s3());
    let server = audited(&memory).await;
    let publish = |state: &str, body: &str| (Method::PUT, format!("/skills/notes?state={state}"), text(body));
    let change = |body: Value| (Method::PATCH, "/skills/notes".to_owned(), body);
    let delete = || (Method::DELETE, "/skills/notes".to_owned(), Value::Null);
    let (changed, removed) = (Some((1, 0)), Some((0, 1)));
    let table = [
        ("a new draft", publish("draft", "one"), None),
        ("the same draft", publish("draft", "one"), None),
        ("an edit of the draft by PUT", publish("draft", "two"), None),
        ("and by PATCH", change(json!({"body": "three"})), None),
        ("and one that says it is a draft", change(json!({"body": "four", "state": "draft"})), None),
        ("it is deleted", delete(), None),
        ("a draft once more", publish("draft", "one"), None),
        ("it is published", change(json!({"state": "published"})), changed),
        ("it is published already", change(json!({"state": "published"})), None),
        ("a new version", publish("published", "five"), changed),
        ("the same version", publish("published", "five"), None),
        ("a change in place", change(json!({"description": "Takes other notes of what was said."})), changed),
        ("it is made a draft", change(json!({"state": "draft"})), removed),
        ("published with a change", change(json!({"state": "published", "body": "six"})), changed),
        ("made a draft with a change", change(json!({"state": "draft", "body": "seven"})), removed),
        ("published over the draft", publish("published", "eight"), changed),
        ("it is deleted", delete(), removed),
    ];
    let stream = watch(&server, &server.user("/events"), None).await;
    let mut expected = Vec::new();
    for (what, (method, url, body), event) in table {
        let answer = server.send(method, &server.user(&url), &body).await;
        assert!(answer.status < 300, "{what}: {} {}", answer.status, answer.json);
        expected.extend(event);
    }
    let versions = server.get(&server.user("/versions/notes")).await.json;
    let digest = versions["versions"][0]["digest"].clone();
    let back = json!({ "digest": digest });
    server.send(Method::POST, &server.user("/rollback/notes"), &back).await.is(201);
    expected.push((1, 0));
    server.send(Method::POST, &server.user("/rollback/notes"), &back).await.is(200);
    // The end of what is looked at.
    server.op("write", json!({"file_path": "/workspace/end", "content": "x"})).await.is(200);
    let told = told(&(until(stream, "file_changed").await + "\n\n"));
    let of_catalog = told.iter().filter(|(_, name, _)| name == "catalog_changed");
    let of_catalog: Vec<_> =
        of_catalog.map(|(_, _, data)| (data["changed"].as_u64().unwrap(), data["removed"].as_u64().unwrap())).collect();
    assert_eq!(of_catalog, expected);
}

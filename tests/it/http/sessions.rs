//! Sessions and policies.

use reqwest::Method;
use serde_json::json;

use super::Server;

const VERSION: &str = "x-skillmount-session-version";

#[tokio::test]
async fn a_session_is_made_once_shown_changed_listed_and_forgotten() {
    let server = Server::start().await;
    let url = server.session("");
    let fresh = server.get(&url).await;
    assert_eq!((fresh.is(200)["version"].clone(), fresh.header("x-skillmount-session-version")), (json!(0), "0"));

    let made = server.send(Method::PUT, &url, &json!({"vars": {"ticket_id": "T-1"}})).await;
    assert_eq!(made.is(201)["vars"], json!({"ticket_id": "T-1"}));
    assert!(made.header("x-skillmount-session-version").ends_with(".1"));
    let again = server.send(Method::PUT, &url, &json!({"vars": {"ticket_id": "T-2"}})).await;
    assert_eq!(again.is(200)["vars"], json!({"ticket_id": "T-1"}), "a session that exists is returned as it is");

    let changed =
        server.send(Method::PATCH, &url, &json!({"policy": {"plan_mode": true}, "current_skill": null})).await;
    assert_eq!(changed.is(200)["policy"]["plan_mode"], true);
    server.op("write", json!({"file_path": "/workspace/a", "content": ""})).await.is_problem(403, "plan_mode");

    let listed = server.get(&server.user("/sessions?limit=10")).await;
    assert_eq!(listed.is(200)["sessions"][0]["session_id"], "s1");
    assert_eq!(listed.json["next_cursor"], json!(null));

    let forgotten = server.client.delete(&url).send().await.unwrap();
    assert_eq!(forgotten.status(), 204);
    assert_eq!(server.get(&url).await.json["version"], 0);
    server.send(Method::DELETE, &url, &json!(null)).await.is_problem(404, "session_not_found");
}

#[tokio::test]
async fn a_session_is_forgotten_with_its_workspace_once_its_forks_are_gone() {
    let server = Server::start().await;
    let (url, fork) = (server.session(""), server.user("/sessions/fork"));
    server.op("write", json!({"file_path": "/workspace/a", "content": "x"})).await.is(200);
    server.send(Method::PUT, &url, &json!({})).await.is(201);
    let made = server.send(Method::PUT, &fork, &json!({"parent": "s1"})).await;
    assert_eq!((&made.is(201)["parent"], &made.json["workspace_of"]), (&json!("s1"), &json!("s1")));
    assert_eq!(server.get(&url).await.json["workspace_of"], json!(null));

    let with_files = format!("{url}?workspace=delete");
    let refused = server.send(Method::DELETE, &with_files, &json!(null)).await;
    assert_eq!(refused.is_problem(409, "workspace_shared").json["sessions"], json!(["fork"]));
    server
        .send(Method::DELETE, &format!("{url}?workspace=keep"), &json!(null))
        .await
        .is_problem(400, "invalid_request");
    assert_eq!(server.client.delete(&fork).send().await.unwrap().status(), 204);
    server.op("read", json!({"file_path": "/workspace/a"})).await.is(200);
    assert_eq!(server.client.delete(&with_files).send().await.unwrap().status(), 204);
    server.op("read", json!({"file_path": "/workspace/a"})).await.is_problem(404, "file_not_found");
    assert_eq!(server.get(&url).await.json["version"], 0);
}

#[tokio::test]
async fn a_session_may_be_made_without_a_body() {
    let server = Server::start().await;
    assert_eq!(server.client.put(server.session("")).send().await.unwrap().status(), 201);
}

#[tokio::test]
async fn sessions_are_listed_page_by_page() {
    let server = Server::start().await;
    for id in ["a", "b", "c"] {
        server.send(Method::PUT, &server.user(&format!("/sessions/{id}")), &json!({})).await.is(201);
    }
    let mut cursor = String::new();
    let mut seen = Vec::new();
    for _ in 0..3 {
        let page = server.get(&server.user(&format!("/sessions?limit=1{cursor}"))).await;
        seen.push(page.is(200)["sessions"][0]["session_id"].as_str().unwrap().to_owned());
        match page.json["next_cursor"].as_str() {
            Some(next) => cursor = format!("&cursor={next}"),
            None => break,
        }
    }
    assert_eq!(seen, ["a", "b", "c"]);
}

#[tokio::test]
async fn the_users_policy_holds_beside_the_sessions() {
    let server = Server::start().await;
    let url = server.user("/policy");
    assert_eq!(server.get(&url).await.is(200)["catalog_reads"], true);
    let set = server.send(Method::PUT, &url, &json!({"tools": {"*": "auto", "grep": "blocked"}})).await;
    assert_eq!(set.is(200)["tools"]["grep"], "blocked");
    server.op("grep", json!({"pattern": "x"})).await.is_problem(403, "tool_blocked");
    server.send(Method::PUT, &url, &json!({"tols": {}})).await.is_problem(400, "invalid_request");
    server.send(Method::PUT, &url, &json!({"skills": {"a**": "blocked"}})).await.is_problem(400, "invalid_request");
}

#[tokio::test]
async fn a_replica_that_is_behind_catches_up_before_it_answers() {
    let server = Server::start().await;
    server.send(Method::PUT, &server.session(""), &json!({})).await.is(201);
    // Another replica changes the session behind this one's back.
    let key = "u1/.skillmount/sessions/s1.json";
    let mut stored = server.get(&server.session("")).await.json;
    stored["version"] = json!(7);
    stored["policy"]["plan_mode"] = json!(true);
    server.memory.put_raw(key, stored.to_string());
    assert_eq!(server.get(&server.session("")).await.json["version"], 1, "within 30 s memory is trusted");
    let request = server.client.get(server.session("")).header("x-skillmount-session-version", "7");
    assert_eq!(super::Answer::of(request.send().await.unwrap()).await.is(200)["version"], 7);
    let odd = server.client.get(server.session("")).header("x-skillmount-session-version", "seven");
    super::Answer::of(odd.send().await.unwrap()).await.is_problem(400, "invalid_request");
}

// S-SESSION-19: A session version has the form `{life}.{number}` and counts within one life of a session.
#[tokio::test]
async fn a_version_names_the_life_it_counts_in_and_one_of_a_former_life_is_taken() {
    let server = Server::start().await;
    let url = server.session("");
    let version = async |method: Method, known: Option<&str>| {
        let request = server.client.request(method, &url);
        let request = known.into_iter().fold(request, |request, known| request.header(VERSION, known));
        let reply = request.send().await.unwrap();
        assert!(reply.status().is_success());
        reply.headers().get(VERSION).map(|version| version.to_str().unwrap().to_owned())
    };
    let first = version(Method::PUT, None).await.unwrap();
    assert_eq!(version(Method::DELETE, Some(&first)).await, None);
    assert_eq!(version(Method::GET, Some(&first)).await.unwrap(), "0");
    let second = version(Method::PUT, Some(&first)).await.unwrap();
    assert!(first.ends_with(".1") && second.ends_with(".1") && first != second);
    for known in [&first, &second, "1", "0"] {
        assert_eq!(version(Method::GET, Some(known)).await.as_ref(), Some(&second), "{known}");
    }
}

#[tokio::test]
async fn a_damaged_session_says_so_is_listed_as_such_and_can_be_deleted() {
    let server = Server::start().await;
    server.send(Method::PUT, &server.user("/sessions/good"), &json!({})).await.is(201);
    server.memory.put_raw("u1/.skillmount/sessions/s1.json", "[]");
    let shown = server.get(&server.session("")).await;
    shown.is_problem(500, "object_damaged");
    assert!(shown.json["detail"].as_str().unwrap().contains("the session s1 is damaged"), "{}", shown.json);
    let listed = server.get(&server.user("/sessions")).await;
    assert_eq!(listed.is(200)["sessions"][0]["session_id"], "good");
    assert_eq!(listed.json["damaged"][0]["session_id"], "s1");
    assert_eq!(server.client.delete(server.session("")).send().await.unwrap().status(), 204);
    assert_eq!(server.get(&server.session("")).await.is(200)["version"], 0);
    assert_eq!(server.get(&server.user("/sessions")).await.json["damaged"], json!([]));
}

//! Users as a whole over HTTP: lists, archives, deletions, and who may ask for them.

use reqwest::Method;
use serde_json::{Value, json};
use skillmount::{
    access::{Callers, KeyEntry, Keys, Scope},
    clock::SystemClock,
    http::HttpConfig,
    path::Id,
};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
};

use super::{Answer, Server};

async fn send(server: &Server, method: Method, path: &str) -> Answer {
    server.send(method, &format!("{}{path}", server.base), &Value::Null).await
}

#[tokio::test]
async fn users_are_listed_in_pages() {
    let server = Server::with_skills().await;
    for user in ["anna", "u10"] {
        server.memory.put_raw(&format!("{user}/threads/s/a"), "x");
    }
    server.memory.put_raw("_org/skills/a/SKILL.md", "x");
    let users = |answer: &Answer| -> Vec<String> {
        answer.is(200)["users"]
            .as_array()
            .unwrap()
            .iter()
            .map(|user| user["user_id"].as_str().unwrap().into())
            .collect()
    };
    let all = send(&server, Method::GET, "/v1/users").await;
    assert_eq!(users(&all), ["anna", "u1", "u10"]);
    assert_eq!(all.json["next_cursor"], Value::Null);
    let first = send(&server, Method::GET, "/v1/users?limit=2").await;
    let cursor = first.is(200)["next_cursor"].as_str().unwrap().to_owned();
    let second = send(&server, Method::GET, &format!("/v1/users?limit=1000&cursor={cursor}")).await;
    assert_eq!([users(&first), users(&second)].concat(), ["anna", "u1", "u10"]);
    send(&server, Method::GET, "/v1/users?limit=0").await.is_problem(400, "invalid_request");
    send(&server, Method::GET, "/v1/users?nonsense=1").await.is_problem(400, "invalid_request");
}

#[tokio::test]
async fn an_archive_comes_as_a_tar_file() {
    let server = Server::with_skills().await;
    let response = server.client.get(server.user("/export")).send().await.unwrap();
    assert_eq!(response.status(), 200);
    assert_eq!(response.headers()["content-type"], "application/x-tar");
    assert_eq!(response.headers()["content-disposition"], "attachment; filename*=UTF-8''u1.tar");
    let bytes = response.bytes().await.unwrap();
    let names: Vec<String> = tar::Archive::new(&*bytes)
        .entries()
        .unwrap()
        .map(|entry| entry.unwrap().path().unwrap().to_str().unwrap().to_owned())
        .collect();
    assert!(names.contains(&"u1/skills/roto/SKILL.md".to_owned()), "{names:?}");
    assert_eq!(names.last().unwrap(), "_manifest.json");
}

#[tokio::test]
async fn a_user_who_is_deleted_is_denied_at_once_and_has_a_receipt() {
    let server = Server::with_skills().await;
    server.op("write", json!({"file_path": "/workspace/a", "content": "x"})).await.is(200);
    send(&server, Method::GET, "/v1/deletions/u1").await.is_problem(404, "deletion_not_found");
    let begun = send(&server, Method::DELETE, "/v1/users/u1").await;
    assert_eq!(begun.is(202)["state"], "deleting");
    for path in ["/v1/users/u1/skills", "/v1/users/u1/sessions/s1", "/v1/users/u1/export"] {
        let refused = send(&server, Method::GET, path).await;
        let detail = refused.is_problem(403, "denied").json["detail"].as_str().unwrap().to_owned();
        assert!(detail.contains("is being deleted") && detail.contains("/v1/deletions/u1"), "{detail}");
    }
    server.op("write", json!({"file_path": "/workspace/b", "content": "x"})).await.is_problem(403, "denied");
    send(&server, Method::GET, "/v1/users/u10/skills").await.is(200);
    assert_eq!(send(&server, Method::DELETE, "/v1/users/u1").await.is(202)["requested_at"], begun.json["requested_at"]);
    let receipt = loop {
        let receipt = send(&server, Method::GET, "/v1/deletions/u1").await;
        if !receipt.is(200)["sweeps"][0]["ended_at"].is_null() {
            break receipt.json;
        }
    };
    assert_eq!(receipt["sweeps"][0]["areas"]["skills"]["objects"], 4, "{receipt}");
    assert_eq!(receipt["sweeps"][0]["areas"]["workspace"]["objects"], 1, "{receipt}");
    send(&server, Method::DELETE, "/v1/users/_org").await.is_problem(400, "invalid_request");
    send(&server, Method::GET, "/v1/deletions/_org").await.is_problem(400, "invalid_request");
}

// S-LEAVE-10: If an upload began before the deletion of its user, the service refuses it once the body has come.
#[tokio::test]
async fn a_body_that_comes_after_the_deletion_has_begun_is_refused() {
    const LATE: &str = r#"{"description": "Late.", "body": "Too late."}"#;
    let server = Server::with_skills().await;
    let mut waiting = Vec::new();
    for path in ["/v1/users/u1/sessions/s1/files/workspace/late", "/v1/users/u1/skills/late"] {
        let mut late = TcpStream::connect(server.base.strip_prefix("http://").unwrap()).await.unwrap();
        let head = format!(
            "PUT {path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\nexpect: 100-continue\r\n\
             content-type: application/json\r\ncontent-length: {}\r\n\r\n",
            LATE.len()
        );
        late.write_all(head.as_bytes()).await.unwrap();
        // The server asks for the body once the call is let in.
        let mut invited = [0; 25];
        late.read_exact(&mut invited).await.unwrap();
        assert_eq!(&invited, b"HTTP/1.1 100 Continue\r\n\r\n");
        waiting.push((path, late));
    }
    send(&server, Method::DELETE, "/v1/users/u1").await.is(202);
    for (path, mut late) in waiting {
        late.write_all(LATE.as_bytes()).await.unwrap();
        let mut answer = String::new();
        late.read_to_string(&mut answer).await.unwrap();
        assert!(answer.starts_with("HTTP/1.1 403") && answer.contains("is being deleted"), "{path}: {answer}");
    }
}

#[tokio::test]
async fn calls_about_all_users_need_control_of_all() {
    let user = Id::parse("u1").unwrap();
    let clock = SystemClock::new();
    let made = [
        KeyEntry::generate(&clock, Some(&user), vec![Scope::Control]),
        KeyEntry::generate(&clock, None, vec![Scope::Agent]),
        KeyEntry::generate(&clock, None, vec![Scope::Control]),
    ];
    let file: String = made.iter().map(|(_, entry)| entry.to_toml().unwrap()).collect();
    let callers = Callers { keys: Keys::from_toml(&file).unwrap(), ..Callers::default() };
    let server = Server::with(HttpConfig { callers, ..HttpConfig::default() }).await;
    let calls = [
        (Method::GET, "/v1/users", 200),
        (Method::DELETE, "/v1/users/u1", 202),
        (Method::GET, "/v1/deletions/u1", 200),
    ];
    for (method, path, status) in calls {
        let call = |key: Option<&str>| {
            let request = server.client.request(method.clone(), format!("{}{path}", server.base));
            let request = key.into_iter().fold(request, reqwest::RequestBuilder::bearer_auth);
            async { Answer::of(request.send().await.unwrap()).await }
        };
        call(None).await.is_problem(401, "unauthenticated");
        for (key, _) in &made[..2] {
            call(Some(key)).await.is_problem(403, "denied");
        }
        let done = call(Some(&made[2].0)).await;
        done.is(status);
        if status == 202 {
            assert!(done.json["requested_by"].is_string(), "{}", done.json);
        }
    }
}

#[tokio::test]
async fn no_page_of_users_is_empty_before_the_last_one() {
    let server = Server::with_skills().await;
    for folder in ["_deleted", "_org/skills", "_teams/red", "zed/threads"] {
        server.memory.put_raw(&format!("{folder}/a"), "x");
    }
    let (mut cursor, mut listed) = (String::new(), Vec::new());
    loop {
        let page = send(&server, Method::GET, &format!("/v1/users?limit=1{cursor}")).await;
        let users = page.is(200)["users"].as_array().unwrap();
        assert_eq!(users.len(), 1, "{}", page.json);
        listed.push(users[0]["user_id"].as_str().unwrap().to_owned());
        match page.json["next_cursor"].as_str() {
            Some(next) => cursor = format!("&cursor={next}"),
            None => break,
        }
    }
    assert_eq!(listed, ["u1", "zed"]);
}

//! Hooks over HTTP: the service itself is the hook of a host.

use reqwest::Method;
use serde_json::{Value, json};
use skillmount::{
    access::{Callers, KeyEntry, Keys, Scope},
    clock::SystemClock,
    http::HttpConfig,
    path::Id,
};

use super::{Answer, Server};

/// A hook at the address that is the same for every user.
async fn claude(server: &Server, headers: &[(&str, &str)], input: &Value) -> Answer {
    let mut request = server.client.post(format!("{}/hooks/claude", server.base)).json(input);
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    Answer::of(request.send().await.unwrap()).await
}

const HERE: [(&str, &str); 2] = [("x-skillmount-user", "u1"), ("x-skillmount-session", "s1")];

#[tokio::test]
async fn a_body_that_is_no_hook_is_refused_and_an_unknown_event_is_answered_by_nothing() {
    let server = Server::with_skills().await;
    for wrong in [json!({}), json!([]), json!("Stop"), json!({"hook_event_name": 1}), json!({"event": "Stop"})] {
        server.op("hooks", wrong.clone()).await.is_problem(400, "invalid_request");
        claude(&server, &HERE, &wrong).await.is_problem(400, "invalid_request");
    }
    for event in ["UserPromptSubmit", "PreToolUse", "SubagentStart"] {
        let answer = server.op("hooks", json!({"hook_event_name": event})).await;
        let detail = answer.is_problem(400, "invalid_request").json["detail"].as_str().unwrap();
        assert!(detail.contains(event), "{detail}");
    }
    for event in ["Stop", "PostToolUse", "userpromptsubmit", ""] {
        let body = json!({"hook_event_name": event, "anything": {"a": [null]}});
        assert_eq!(*server.op("hooks", body.clone()).await.is(200), json!({}), "{event}");
        assert_eq!(*claude(&server, &HERE, &body).await.is(200), json!({}), "{event}");
    }
}

// S-HOOK-10: `POST /hooks/claude` answers as `POST {s}/hooks` does in the session that the headers `x-skillmount-user` and
// `x-skillmount-session` name.
#[tokio::test]
async fn headers_name_the_session_of_a_hook_as_its_path_does() {
    let server = Server::with_skills().await;
    let start = json!({"hook_event_name": "SessionStart", "source": "startup"});
    let by_path = server.op("hooks", start.clone()).await;
    let by_headers = claude(&server, &HERE, &start).await;
    assert_eq!(by_headers.is(200), by_path.is(200));
    let context = by_path.json["hookSpecificOutput"]["additionalContext"].as_str().unwrap();
    assert!(context.contains("escrituras/compraventa"), "{context}");
    // The listing was given to this session, and not to another.
    let prompt = json!({"hook_event_name": "UserPromptSubmit", "prompt": "hola"});
    assert_eq!(*claude(&server, &HERE, &prompt).await.is(200), json!({}));
    let elsewhere = [HERE[0], ("x-skillmount-session", "s2")];
    assert_ne!(*claude(&server, &elsewhere, &prompt).await.is(200), json!({}));

    for wrong in [
        &[][..],
        &HERE[..1],
        &HERE[1..],
        &[("x-skillmount-user", "a/b"), HERE[1]],
        &[HERE[0], ("x-skillmount-session", "..")],
    ] {
        claude(&server, wrong, &prompt).await.is_problem(400, "invalid_request");
    }
}

#[tokio::test]
async fn a_hook_of_headers_needs_the_key_of_its_user_and_keeps_to_its_bounds() {
    let (clock, user) = (SystemClock::new(), Id::parse("u1").unwrap());
    let (agent, of_agent) = KeyEntry::generate(&clock, Some(&user), vec![Scope::Agent]);
    let (bound, mut of_bound) = KeyEntry::generate(&clock, Some(&user), vec![Scope::Agent]);
    of_bound.sessions = Some(vec!["other-*".to_owned()]);
    let file = of_agent.to_toml().unwrap() + &of_bound.to_toml().unwrap();
    let callers = Callers { keys: Keys::from_toml(&file).unwrap(), ..Callers::default() };
    let server = Server::with(HttpConfig { callers, ..HttpConfig::default() }).await;
    let stop = json!({"hook_event_name": "SessionStart"});
    let with = async |key: &str, headers: &[(&str, &str)]| {
        let bearer = format!("Bearer {key}");
        claude(&server, &[headers, &[("authorization", bearer.as_str())]].concat(), &stop).await
    };
    claude(&server, &HERE, &stop).await.is_problem(401, "unauthenticated");
    with(&agent, &HERE).await.is(200);
    with(&agent, &[("x-skillmount-user", "u2"), HERE[1]]).await.is_problem(403, "denied");
    with(&bound, &HERE).await.is_problem(403, "denied");
    with(&bound, &[HERE[0], ("x-skillmount-session", "other-1")]).await.is(200);
    let get = server.send(Method::GET, &format!("{}/hooks/claude", server.base), &json!({})).await;
    get.is_problem(405, "method_not_allowed");
}

#[tokio::test]
async fn rights_of_children_hold_over_the_wire_and_unknown_ones_are_refused() {
    let server = Server::with_skills().await;
    let put = async |policy: Value| server.send(Method::PUT, &server.user("/policy"), &policy).await;
    for wrong in [json!({"laod": false}), json!([false]), json!({"load": "no"}), json!(false)] {
        put(json!({"children": wrong})).await.is_problem(400, "invalid_request");
    }
    for wrong in [json!({"x": ["*/a"]}), json!({"x": "a"}), json!(["a"])] {
        put(json!({"agents": wrong})).await.is_problem(400, "invalid_request");
    }
    put(json!({"children": null, "agents": null})).await.is(200);
    let stored = put(json!({"children": {"load": false}, "agents": {"x": ["escrituras/*"]}})).await;
    assert_eq!(stored.is(200)["children"], json!({"load": false, "create": false, "publish": false}));
    assert_eq!(stored.json["agents"], json!({"x": ["escrituras/*"]}));
    server.op("load_skill", json!({"skill": "compraventa"})).await.is(200);
    let child = server.user("/sessions/child");
    let made = server.send(Method::PUT, &child, &json!({"parent": "s1"})).await;
    assert_eq!(made.is(201)["loaded_skills"][0]["skill"], "escrituras/compraventa");
    let load =
        async || server.send(Method::POST, &format!("{child}/load_skill"), &json!({"skill": "arrendamiento"})).await;
    load().await.is_problem(403, "tool_blocked");
    let open = json!({"policy": {"tools": {"*": "auto", "load_skill": "auto"}, "skills_access": "write"}});
    let changed = server.send(Method::PATCH, &child, &open).await;
    assert_eq!(changed.is(200)["policy"]["tools"]["load_skill"], "blocked", "{}", changed.json);
    assert_eq!(changed.json["policy"]["skills_access"], "read");
    load().await.is_problem(403, "tool_blocked");
}

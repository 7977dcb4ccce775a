//! Keys that are bound to sessions or to values of variables: a wall inside one user.

use std::collections::BTreeMap;

use reqwest::Method;
use serde_json::{Value, json};
use skillmount::{
    access::{Callers, KeyEntry, Keys, Scope},
    clock::SystemClock,
    handle::ServiceOptions,
    http::HttpConfig,
    limits::FORK_DEPTH,
    path::{Id, MountTemplate, MountTemplates},
};

use super::{Answer, Server};

/// A key by name: its scope, the sessions and the values it is bound to.
type Entry<'a> = (&'static str, Scope, &'a [&'a str], &'a [(&'a str, &'a str)]);

/// A server of user `u1` and the caller of each key.
struct World {
    server: Server,
    keys: BTreeMap<&'static str, String>,
}

impl World {
    async fn with(entries: &[Entry<'_>], options: ServiceOptions) -> Self {
        let user = Id::parse("u1").unwrap();
        let (mut file, mut keys) = (String::new(), BTreeMap::new());
        for (name, scope, sessions, vars) in entries {
            let (key, entry) = KeyEntry::generate(&SystemClock::new(), Some(&user), vec![*scope]);
            let sessions = sessions.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
            let vars: BTreeMap<_, _> =
                vars.iter().map(|(name, value)| ((*name).to_owned(), Id::parse(value).unwrap())).collect();
            let entry = KeyEntry {
                sessions: Some(sessions).filter(|list| !list.is_empty()),
                vars: Some(vars).filter(|map| !map.is_empty()),
                ..entry
            };
            file += &entry.to_toml().unwrap();
            keys.insert(*name, key);
        }
        let config = HttpConfig {
            callers: Callers { keys: Keys::from_toml(&file).unwrap(), ..Callers::default() },
            ..HttpConfig::default()
        };
        Self { server: Server::serving(config, options).await, keys }
    }

    async fn start() -> Self {
        let entries: &[Entry<'_>] = &[
            ("control", Scope::Control, &[], &[]),
            ("agent", Scope::Agent, &[], &[]),
            ("chat", Scope::Agent, &["chat-*", "desk"], &[]),
            ("chat control", Scope::Control, &["chat-*"], &[]),
            ("other", Scope::Agent, &["other-*"], &[]),
            ("t1", Scope::Agent, &[], &[("ticket_id", "t1")]),
            ("t2", Scope::Agent, &[], &[("ticket_id", "t2")]),
            ("chat of t1", Scope::Agent, &["chat-*"], &[("ticket_id", "t1")]),
        ];
        Self::with(entries, ServiceOptions::default()).await
    }

    async fn call(&self, key: &str, method: Method, rest: &str, body: &Value) -> Answer {
        let url = format!("{}/v1/users/u1{rest}", self.server.base);
        let request = self.server.client.request(method, url).bearer_auth(&self.keys[key]).json(body);
        Answer::of(request.send().await.unwrap()).await
    }

    async fn make(&self, key: &str, session: &str, body: Value) -> Answer {
        self.call(key, Method::PUT, &format!("/sessions/{session}"), &body).await
    }

    async fn get(&self, key: &str, rest: &str) -> Answer {
        self.call(key, Method::GET, rest, &Value::Null).await
    }

    async fn ls(&self, key: &str, session: &str) -> Answer {
        self.call(key, Method::POST, &format!("/sessions/{session}/ls"), &json!({"path": "/ticket"})).await
    }

    async fn write(&self, key: &str, session: &str, path: &str) -> Answer {
        let body = json!({"file_path": path, "content": ""});
        self.call(key, Method::POST, &format!("/sessions/{session}/write"), &body).await
    }
}

// S-KEY-1: Only a key of scope `control` sets a variable that chooses the folder behind a mount, unless the template
// leaves it to agents.
#[tokio::test]
async fn an_agent_chooses_no_ticket_unless_the_template_lets_it() {
    let world = World::start().await;
    let t2 = json!({"vars": {"ticket_id": "t2"}});
    world.make("agent", "a", t2.clone()).await.is_problem(403, "denied");
    world.make("agent", "a", json!({"vars": {}})).await.is(201);
    world.call("agent", Method::PATCH, "/sessions/a", &t2).await.is_problem(403, "denied");
    assert_eq!(world.call("control", Method::PATCH, "/sessions/a", &t2).await.is(200)["vars"], t2["vars"]);
    // A fork has what its parent has.
    assert_eq!(world.make("agent", "b", json!({"parent": "a"})).await.is(201)["vars"], t2["vars"]);
    world.make("agent", "c", json!({"parent": "a", "vars": {"ticket_id": "t3"}})).await.is_problem(403, "denied");

    let parse = |text: &str| MountTemplate::parse(text).unwrap();
    let templates = MountTemplates::new(parse("{user}/threads/{session}"), parse("{user}/tickets/{ticket_id:agent}"));
    let options = ServiceOptions { templates: templates.unwrap(), ..ServiceOptions::default() };
    let open = World::with(&[("agent", Scope::Agent, &[], &[]), ("chat", Scope::Agent, &["chat"], &[])], options).await;
    for (key, session) in [("agent", "a"), ("chat", "chat")] {
        assert_eq!(open.make(key, session, t2.clone()).await.is(201)["vars"], t2["vars"]);
        let t3 = json!({"vars": {"ticket_id": "t3"}});
        let url = format!("/sessions/{session}");
        assert_eq!(open.call(key, Method::PATCH, &url, &t3).await.is(200)["vars"], t3["vars"]);
    }
}

// S-KEY-2: A bound key reaches the sessions within its bounds and no others of its user, on every route.
// S-KEY-10: A bound key makes forks under any id outside the bounds of other keys, if the id has no files yet.
#[tokio::test]
async fn a_key_bound_to_sessions_reaches_those_and_their_forks() {
    let world = World::start().await;
    for session in ["chat-1", "desk"] {
        world.ls("chat", session).await.is(200);
        world.make("chat", session, json!({})).await.is(201);
        world.write("chat", session, "/workspace/a").await.is(200);
    }
    world.make("agent", "foreign", json!({})).await.is(201);
    world.write("agent", "foreign", "/workspace/a").await.is(200);
    for session in ["foreign", "unknown", "chat", "desk2"] {
        world.ls("chat", session).await.is_problem(403, "denied");
        world.make("chat", session, json!({})).await.is_problem(403, "denied");
        world.make("chat", session, json!({"parent": "foreign"})).await.is_problem(403, "denied");
    }
    // Forks may have any id, and forks of forks.
    world.make("chat", "fork", json!({"parent": "chat-1"})).await.is(201);
    world.make("chat", "fork2", json!({"parent": "fork"})).await.is(201);
    world.write("chat", "fork2", "/workspace/b").await.is(200);
    world.write("chat", "chat-1", "/workspace/b").await.is_problem(409, "already_exists");
    world.ls("other", "fork2").await.is_problem(403, "denied");
    // A session that is there does not become a fork, nor do files that are, nor a session that others are bound to.
    world.make("chat", "foreign", json!({"parent": "chat-1"})).await.is_problem(403, "denied");
    world.write("agent", "only-files", "/workspace/a").await.is(200);
    world.make("chat", "only-files", json!({"parent": "chat-1"})).await.is_problem(403, "denied");
    world.make("chat", "other-1", json!({"parent": "chat-1"})).await.is_problem(403, "denied");
    // The fork has the ticket of its parent, not the one of its own id.
    assert_eq!(world.make("chat", "t9", json!({"parent": "chat-1"})).await.is(201)["vars"]["ticket_id"], "chat-1");

    let listed = world.get("chat", "/sessions").await;
    let ids = |answer: &Answer| -> Vec<String> {
        let sessions = answer.is(200)["sessions"].as_array().unwrap();
        sessions.iter().map(|session| session["session_id"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(ids(&listed), ["chat-1", "desk", "fork", "fork2", "t9"]);
    let (mut paged, mut cursor) = (Vec::new(), String::new());
    loop {
        let page = world.get("chat", &format!("/sessions?limit=2{cursor}")).await;
        paged.extend(ids(&page));
        let Some(next) = page.json["next_cursor"].as_str() else { break };
        assert!(paged.iter().any(|id| format!("{id}.json") == next), "a cursor names a session of this caller: {next}");
        cursor = format!("&cursor={next}");
    }
    assert_eq!(paged, ids(&listed));
}

// S-KEY-10: A bound key makes forks under any id outside the bounds of other keys, if the id has no files yet.
#[tokio::test]
async fn a_fork_that_its_own_key_would_not_reach_is_refused_before_it_is_written() {
    let world = World::start().await;
    world.make("chat", "chat-1", json!({})).await.is(201);
    let mut parent = "chat-1".to_owned();
    for generation in 1..=FORK_DEPTH {
        let fork = format!("fork-{generation}");
        world.make("chat", &fork, json!({"parent": parent})).await.is(201);
        parent = fork;
    }
    world.ls("chat", &parent).await.is(200);
    let refused = world.make("chat", "one-more", json!({"parent": parent})).await;
    let problem = &refused.is_problem(403, "denied").json;
    assert_eq!(problem["outcome"], "not_applied");
    assert!(problem["detail"].as_str().unwrap().contains("make the fork from one of its ancestors"), "{problem}");
    let listed = world.get("control", "/sessions?limit=1000").await;
    assert!(!listed.json.to_string().contains("one-more"), "nothing was written");
    // A key that is bound to no session counts no ancestors.
    world.make("agent", "one-more", json!({"parent": parent})).await.is(201);
}

#[tokio::test]
async fn a_bound_key_is_told_of_sharers_within_its_bounds_and_counts_the_others() {
    let t1 = [("ticket_id", "t1")];
    let entries: &[Entry<'_>] = &[
        ("control", Scope::Control, &[], &[]),
        ("t1 control", Scope::Control, &[], &t1),
        ("t1", Scope::Agent, &[], &t1),
    ];
    let world = World::with(entries, ServiceOptions::default()).await;
    world.make("t1", "a", json!({})).await.is(201);
    world.write("t1", "a", "/workspace/a").await.is(200);
    world.make("t1", "b", json!({"parent": "a"})).await.is(201);
    world.make("control", "beyond", json!({"parent": "a", "vars": {"ticket_id": "t2"}})).await.is(201);
    assert_eq!(world.get("t1", "/sessions/b").await.is(200)["workspace_of"], "a");
    let url = "/sessions/a?workspace=delete";
    world.call("t1", Method::DELETE, url, &Value::Null).await.is_problem(403, "denied");
    let refused = world.call("t1 control", Method::DELETE, url, &Value::Null).await;
    let problem = &refused.is_problem(409, "workspace_shared").json;
    assert_eq!((&problem["sessions"], &problem["more_sessions"]), (&json!(["b"]), &json!(1)));
    assert!(!problem.to_string().contains("beyond"), "{problem}");
}

#[tokio::test]
async fn a_bound_key_of_scope_control_controls_no_more_than_its_sessions() {
    let world = World::start().await;
    let key = "chat control";
    world.make(key, "chat-1", json!({"policy": {"plan_mode": true}})).await.is(201);
    world.make("agent", "foreign", json!({})).await.is(201);
    world.call(key, Method::PATCH, "/sessions/chat-1", &json!({"policy": {}})).await.is(200);
    world.call(key, Method::PUT, "/policy", &json!({})).await.is_problem(403, "denied");
    let t2 = json!({"vars": {"ticket_id": "t2"}});
    world.call(key, Method::PATCH, "/sessions/chat-1", &t2).await.is_problem(403, "denied");
    for (method, body) in [(Method::PATCH, json!({"policy": {}})), (Method::DELETE, Value::Null)] {
        for session in ["foreign", "unknown"] {
            let answer = world.call(key, method.clone(), &format!("/sessions/{session}"), &body).await;
            answer.is_problem(403, "denied");
        }
    }
    for rest in ["/skills", "/policy", "/sessions"] {
        world.get(key, rest).await.is(200);
    }
    world.call(key, Method::DELETE, "/sessions/chat-1", &Value::Null).await.is(204);
}

// S-KEY-3: A session that a key bound to values of variables creates has those values.
#[tokio::test]
async fn a_key_bound_to_a_ticket_reaches_sessions_of_that_ticket() {
    let world = World::start().await;
    // Whichever call is the first makes the session.
    world.write("t1", "a", "/ticket/from-a").await.is(200);
    assert_eq!(world.get("control", "/sessions/a").await.is(200)["vars"]["ticket_id"], "t1");
    assert_eq!(world.make("t1", "b", json!({})).await.is(201)["vars"]["ticket_id"], "t1");
    let listed = world.ls("t1", "b").await;
    assert_eq!(listed.is(200)["entries"][0]["path"], "/ticket/from-a");
    for wrong in [json!({"vars": {"ticket_id": "t2"}}), json!({"vars": {"other": "t1"}})] {
        world.make("t1", "c", wrong).await.is_problem(403, "denied");
    }
    world.make("t1", "c", json!({"vars": {"ticket_id": "t1"}})).await.is(201);
    world.ls("t2", "a").await.is_problem(403, "denied");
    world.make("t2", "d", json!({"parent": "a"})).await.is_problem(403, "denied");
    world.make("t1", "d", json!({"parent": "a"})).await.is(201);
    // What files others left, or sessions others are bound to, it does not come by.
    world.write("agent", "only-files", "/workspace/a").await.is(200);
    for session in ["only-files", "chat-1"] {
        world.ls("t1", session).await.is_problem(403, "denied");
        world.make("t1", session, json!({})).await.is_problem(403, "denied");
    }
    // A session whose value was changed has left its reach.
    let moved = json!({"vars": {"ticket_id": "t2"}});
    world.call("control", Method::PATCH, "/sessions/a", &moved).await.is(200);
    world.ls("t1", "a").await.is_problem(403, "denied");
    world.ls("t2", "a").await.is(200);
    assert_eq!(world.get("t1", "/sessions").await.is(200)["sessions"].as_array().unwrap().len(), 3);
    // Both bounds hold at once.
    world.ls("chat of t1", "chat-7").await.is(200);
    assert_eq!(world.get("control", "/sessions/chat-7").await.is(200)["vars"]["ticket_id"], "t1");
    world.ls("chat of t1", "b").await.is_problem(403, "denied");
}

// S-KEY-4: For a session beyond its bounds a key gets the same answer, whether the session exists or not.
#[tokio::test]
async fn a_bound_key_does_not_learn_which_other_sessions_there_are() {
    let world = World::start().await;
    world.make("agent", "foreign", json!({})).await.is(201);
    let calls = [
        (Method::GET, "", Value::Null),
        (Method::PUT, "", json!({})),
        (Method::PUT, "", json!({"parent": "foreign"})),
        (Method::PUT, "", json!({"parent": "unknown"})),
        (Method::GET, "/prompt", Value::Null),
        (Method::POST, "/ls", json!({"path": "/"})),
        (Method::GET, "/files/workspace/a", Value::Null),
    ];
    for (method, rest, body) in calls {
        let told = async |session: &str| {
            let answer = world.call("chat", method.clone(), &format!("/sessions/{session}{rest}"), &body).await;
            answer.is_problem(403, "denied").json["detail"].clone()
        };
        assert_eq!(told("foreign").await, told("unknown").await, "{method} {rest}");
    }
}

#[tokio::test]
async fn a_bound_key_is_not_let_out_by_the_end_of_its_session() {
    let world = World::start().await;
    world.write("agent", "t2", "/ticket/secret").await.is(200);
    // Without the value, `/ticket` of a session called t2 would be the ticket t2.
    world.ls("t1", "t2").await.is_problem(403, "denied");
    world.make("t1", "a", json!({})).await.is(201);
    world.write("t1", "a", "/ticket/mine").await.is(200);
    world.call("control", Method::DELETE, "/sessions/a", &Value::Null).await.is(204);
    let listed = world.ls("t1", "a").await;
    assert_eq!(listed.is(200)["entries"][0]["path"], "/ticket/mine", "{}", listed.json);
}

//! Skills of a team and of the organisation over HTTP: who changes them and asks for their versions, and that nobody does by mistake.

use reqwest::Method;
use serde_json::{Value, json};
use skillmount::{
    access::{Callers, KeyEntry, Keys, Scope},
    clock::SystemClock,
    handle::ServiceOptions,
    http::HttpConfig,
    path::{Id, KeyPrefix},
    store::StoreExt as _,
};

use super::{Answer, Server};

/// A server with layers, and the control keys of user `u1` in two teams and of all users in none; and of `u1` in the first team, an
/// agent's key and a control key for some sessions alone.
struct Layered {
    server: Server,
    notary: String,
    stranger: String,
    all: String,
    agent: String,
    bound: String,
}

impl Layered {
    async fn start() -> Self {
        let clock = SystemClock::new();
        let user = Id::parse("u1").unwrap();
        let key = |user: Option<&Id>, team: Option<&str>, scope: Scope| {
            let (key, entry) = KeyEntry::generate(&clock, user, vec![scope]);
            (key, KeyEntry { team: team.map(|team| Id::parse(team).unwrap()), ..entry })
        };
        let of_notaries = |scope| key(Some(&user), Some("notaries"), scope);
        let (bound, entry) = of_notaries(Scope::Control);
        let made = [
            of_notaries(Scope::Control),
            key(Some(&user), Some("others"), Scope::Control),
            key(None, None, Scope::Control),
            of_notaries(Scope::Agent),
            (bound, KeyEntry { sessions: Some(vec!["in-*".to_owned()]), ..entry }),
        ];
        let entries = made.clone().map(|(_, entry)| entry);
        let callers = Callers { keys: Keys::new(&entries).unwrap(), ..Callers::default() };
        let config = HttpConfig { callers, ..HttpConfig::default() };
        let server = Server::serving(config, ServiceOptions { layers: true, ..ServiceOptions::default() }).await;
        let [notary, stranger, all, agent, bound] = made.map(|(key, _)| key);
        Self { server, notary, stranger, all, agent, bound }
    }

    async fn send(&self, key: &str, method: Method, path: &str, body: &Value) -> Answer {
        let request = self.server.client.request(method, self.server.user(path)).bearer_auth(key);
        Answer::of(request.json(body).send().await.unwrap()).await
    }

    /// Every object below a key, with its version, but for what is made from others.
    async fn objects(&self, below: &str) -> Vec<(String, String)> {
        let (entries, _) = self.server.memory.list_all(&KeyPrefix::all(), 1000).await.unwrap();
        let kept = entries.into_iter().filter(|one| one.key.starts_with(below) && !one.key.ends_with("/catalog.json"));
        kept.map(|entry| (entry.key, entry.etag.as_str().to_owned())).collect()
    }
}

fn text(which: &str) -> Value {
    json!({"description": format!("Writes the lease {which}. Use it to rent."), "body": "Say who rents.\n"})
}

/// Each call that takes `layer`, on the skill of one path in each layer, with the statuses of success and of a skill that is not there.
fn calls(layer: &str, digest: &str) -> [(Method, String, Value, u16, u16); 6] {
    let at = |route: &str| format!("/{route}/rent?layer={layer}");
    [
        (Method::PUT, at("skills"), text("anew"), 200, 201),
        (Method::PATCH, at("skills"), json!({"body": "Another.\n"}), 200, 404),
        (Method::GET, at("versions"), Value::Null, 200, 404),
        (Method::GET, at("diff"), Value::Null, 200, 404),
        (Method::POST, at("rollback"), json!({"digest": digest}), 200, 404),
        (Method::DELETE, at("skills"), Value::Null, 204, 404),
    ]
}

// S-VERSION-5: A control key of a team publishes the skills of that team, and a control key of all users the skills of
// the organisation.
#[tokio::test]
async fn each_call_with_a_layer_is_for_its_own_keys_and_leaves_the_other_layers_alone() {
    let world = Layered::start().await;
    world.send(&world.notary, Method::PUT, "/skills/rent", &text("of the user")).await.is(201);
    let own = world.objects("u1/").await;
    assert_eq!(own.len(), 3, "a file, a head and a version: {own:?}");
    let layers = [("team", &world.notary, "_teams/notaries/"), ("org", &world.all, "_org/")];
    let mut first = Vec::new();
    for (layer, key, _) in layers {
        let put = world.send(key, Method::PUT, &format!("/skills/rent?layer={layer}"), &text(layer)).await;
        first.push(put.is(201)["digest"].as_str().unwrap().to_owned());
    }

    let before = world.objects("").await;
    let both = ["team", "org"];
    let none = both.into_iter().flat_map(|layer| [(layer, &world.agent), (layer, &world.bound)]);
    for (layer, key) in [("team", &world.all), ("org", &world.notary), ("org", &world.stranger)].into_iter().chain(none)
    {
        for (method, path, body, ..) in calls(layer, &first[0]) {
            world.send(key, method, &path, &body).await.is_problem(403, "denied");
        }
    }
    // To a key of another team the layer is that team, which has no such skill.
    for (method, path, body, _, absent) in calls("team", &first[0]).into_iter().filter(|call| call.0 != Method::PUT) {
        let answer = world.send(&world.stranger, method, &path, &body).await;
        assert_eq!(answer.status, absent, "{path}: {}", answer.json);
    }
    assert_eq!(world.objects("").await, before);
    let (method, path, body, _, created) = calls("team", &first[0])[0].clone();
    world.send(&world.stranger, method, &path, &body).await.is(created);
    let others = |objects: Vec<(String, String)>| objects.into_iter().filter(|(key, _)| !key.contains("/others/"));
    assert_eq!(others(world.objects("").await).collect::<Vec<_>>(), before);

    for ((layer, key, owner), digest) in layers.into_iter().zip(&first) {
        let elsewhere = |objects: Vec<(String, String)>| {
            objects.into_iter().filter(|(key, _)| !key.starts_with(owner)).collect::<Vec<_>>()
        };
        let before = elsewhere(world.objects("").await);
        for (method, path, body, status, _) in calls(layer, digest) {
            let answer = world.send(key, method, &path, &body).await;
            assert_eq!(answer.status, status, "{path}: {}", answer.json);
        }
        assert_eq!(elsewhere(world.objects("").await), before, "{layer}");
        assert!(world.objects(&format!("{owner}skills/")).await.is_empty(), "{layer} is deleted");
    }
    assert_eq!(world.objects("u1/").await, own);
}

// S-AUDIT-19: The record of a change of a team's or the organisation's skill also lies with the team or the organisation,
// and names the user of the call.
#[tokio::test]
async fn the_records_of_a_layer_are_read_by_a_key_that_may_publish_there() {
    let world = Layered::start().await;
    let cases = [
        ("team", &world.notary, 200),
        ("team", &world.stranger, 200),
        ("org", &world.all, 200),
        ("user", &world.notary, 200),
        ("team", &world.all, 403),
        ("org", &world.notary, 403),
        ("team", &world.agent, 403),
        ("org", &world.agent, 403),
        ("team", &world.bound, 403),
        ("org", &world.bound, 403),
    ];
    for (layer, key, status) in cases {
        let read = world.send(key, Method::GET, &format!("/audit?layer={layer}"), &Value::Null).await;
        assert_eq!(read.status, status, "{layer}: {}", read.json);
    }
    let server = Server::start().await;
    let read = server.get(&server.user("/audit?layer=team")).await;
    read.is_problem(400, "invalid_request");
}

// S-VERSION-5: A control key of a team publishes the skills of that team, and a control key of all users the skills of
// the organisation.
#[tokio::test]
async fn where_layers_are_off_it_is_that_which_is_said_and_nothing_of_keys() {
    let server = Server::start().await;
    for layer in ["team", "org"] {
        for (method, path, body, ..) in calls(layer, &format!("sha256:{}", "0".repeat(64))) {
            let answer =
                Answer::of(server.client.request(method, server.user(&path)).json(&body).send().await.unwrap());
            let answer = answer.await;
            let said = answer.is_problem(400, "invalid_request").json["detail"].as_str().unwrap();
            assert!(said.starts_with("layers are off, "), "{path}: {said}");
        }
    }
}

//! Rights that end: a caller loses a skill, and no text names the skill to this caller afterwards.
//!
//! `places` lists every place at which the service names skills. `ways` lists every way in which a caller loses a skill. Each way is
//! tried on each place.

mod forks;
mod places;
mod refused;
mod ways;

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
    store::{MemoryStore, SharedStore},
};
use tokio::sync::watch;

use super::{Answer, Server, mcp};

/// The skill of the team red that the caller loses.
const LOST: &str = "ops/turtle";
/// A path of the same length, at which there never was a skill.
const NEVER: &str = "ops/tuxxle";
/// The words of the skill that no other text of the tests has.
const WORDS: [&str; 3] = ["turtle", "slowly", "shell"];

/// A server with layers, records and MCP. User `u1` has the skill `gazelle`. The team red or the user has `ops/turtle`.
struct World {
    server: Server,
    /// The key of the agent, of which the rights end.
    agent: String,
    entry: KeyEntry,
    /// A control key of the user in the team red.
    control: String,
    control_entry: KeyEntry,
    callers: watch::Sender<Callers>,
    /// The position in the events before any call.
    from: String,
}

/// A new key of user `u1` in this team.
fn key(scope: Scope, team: Option<&str>) -> (String, KeyEntry) {
    let user = Id::parse("u1").unwrap();
    let (key, entry) = KeyEntry::generate(&SystemClock::new(), Some(&user), vec![scope]);
    (key, KeyEntry { team: team.map(|team| Id::parse(team).unwrap()), ..entry })
}

impl World {
    /// `ops/turtle` is published at the address `lost` below `/skills`.
    async fn start(lost: &str) -> Self {
        let (memory, clock) = (Arc::new(MemoryStore::like_s3()), Arc::new(SystemClock::new()));
        let ((agent, entry), (control, control_entry)) =
            (key(Scope::Agent, Some("red")), key(Scope::Control, Some("red")));
        let (callers, updates) = watch::channel(Self::callers(&[&entry, &control_entry]));
        let recorder = Recorder::new(memory.clone(), Namespace::default(), AuditMode::Async, clock);
        let options =
            ServiceOptions { observer: Some(Arc::new(recorder.clone())), layers: true, ..ServiceOptions::default() };
        let config = HttpConfig {
            callers: Self::callers(&[&entry, &control_entry]),
            caller_updates: Some(updates),
            audit: Some(recorder),
            ..mcp::config()
        };
        let below = memory.clone() as SharedStore;
        let server = Server::over(config, options, memory, below).await;
        let mut world = Self { server, agent, entry, control, control_entry, callers, from: String::new() };
        let fast = json!({"description": "Runs fast over the hills. Use it to run.", "body": "Run.\n"});
        let slow = json!({"description": "Goes slowly over the hills. Use it to go.", "body": "In its shell.\n"});
        world.manage(Method::PUT, "/skills/gazelle", &fast).await;
        world.manage(Method::PUT, &format!("/skills/{lost}"), &slow).await;
        let (_, page) = world.ask("s1", Method::GET, "{s}/events", &Value::Null).await;
        serde_json::from_str::<Value>(&page).unwrap()["next"].as_str().unwrap().clone_into(&mut world.from);
        world
    }

    fn callers(entries: &[&KeyEntry]) -> Callers {
        let entries: Vec<KeyEntry> = entries.iter().copied().cloned().collect();
        Callers { keys: Keys::new(&entries).unwrap(), ..Callers::default() }
    }

    /// From now on these are the keys. Waits until the service has taken them over.
    async fn set_keys(&self, entries: &[&KeyEntry]) {
        let (canary, entry) = key(Scope::Agent, None);
        self.callers.send(Self::callers(&[entries, &[&entry]].concat())).unwrap();
        let is_known = || self.server.client.get(self.server.user("/policy")).bearer_auth(&canary).send();
        while is_known().await.unwrap().status() != 200 {
            tokio::task::yield_now().await;
        }
    }

    /// A call with the control key, which succeeds.
    async fn manage(&self, method: Method, path: &str, body: &Value) -> Value {
        let request = self.server.client.request(method, self.server.user(path)).bearer_auth(&self.control);
        let answer = Answer::of(request.json(body).send().await.unwrap()).await;
        assert!((200..300).contains(&answer.status), "{path}: {}", answer.json);
        answer.json
    }

    /// A call with the agent's key. Returns the status and the whole text of the answer.
    async fn ask(&self, session: &str, method: Method, path: &str, body: &Value) -> (u16, String) {
        let url = if path.starts_with("/v1/skills") {
            format!("{}{path}", self.server.base)
        } else {
            self.server.user(&path.replace("{s}", &format!("/sessions/{session}")))
        };
        let is_archive = url.ends_with("?zip");
        let mut request = self.server.client.request(method, url.trim_end_matches("?zip")).bearer_auth(&self.agent);
        if path.ends_with("/events") {
            request = request.header("accept", "application/json");
            request = Some(&self.from)
                .filter(|from| !from.is_empty())
                .into_iter()
                .fold(request, |request, from| request.header("last-event-id", from));
        }
        if is_archive {
            request = request.header("accept", "application/zip");
        }
        if path.ends_with("/mcp") {
            request = request.header("accept", "application/json, text/event-stream");
        }
        let request = if body.is_null() { request } else { request.json(body) };
        let response = request.send().await.unwrap();
        (response.status().as_u16(), response.text().await.unwrap())
    }
}

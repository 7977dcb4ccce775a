//! A server with keys, whose store can be held, and the callers at its door.

use std::{sync::Arc, time::Duration};

use reqwest::{Client, Method, RequestBuilder};
use serde_json::json;
use skillmount::{
    access::{Callers, KeyEntry, Keys, Scope},
    audit::{AuditMode, Recorder},
    clock::SystemClock,
    context::Budgets,
    handle::ServiceOptions,
    http::HttpConfig,
    limits::{CONNECTIONS, CONNECTIONS_LEAST, MEMORY_LEAST_BYTES},
    path::{Id, Namespace},
    store::{
        MemoryStore, Verb,
        testing::{Fault, Faulty},
    },
};

use crate::http::Server;

/// The fault of a request that the store does not answer during a test.
const NEVER: Fault = Fault::SlowRequest(Duration::from_hours(1));
/// Users of the key of all users.
const CROWD: usize = 8;

/// Who takes all that it can get.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Attacker {
    /// One key of a user with other keys.
    OneKey,
    /// Two keys of one user.
    OneUser,
    /// One key of all users, in the name of many.
    WideKey,
    /// One key of all users, in the name of one user with other keys.
    WideKeyOnOneUser,
}

/// The sizes of the server.
#[derive(Clone, Copy, Debug)]
pub(super) struct Size {
    pub(super) connections: usize,
    pub(super) memory: u64,
}

/// A user with a key.
#[derive(Clone, Debug)]
pub(super) struct Caller {
    pub(super) user: String,
    pub(super) key: String,
}

pub(super) struct Stage {
    pub(super) server: Server,
    /// The store of the audit records.
    records: Arc<Faulty>,
    /// Three keys of `ana`, one of `bob`, and one of all users. The second is an agent's, the others have both scopes.
    keys: [Caller; 5],
}

impl Size {
    /// The smallest server that can be configured.
    pub(super) const SMALL: Self = Self { connections: CONNECTIONS_LEAST, memory: MEMORY_LEAST_BYTES };
    /// As many connections as by default, and memory for all their calls.
    pub(super) const LARGE: Self = Self { connections: CONNECTIONS, memory: 2 << 30 };
}

impl Attacker {
    /// The attacker's callers.
    pub(super) fn callers(self, stage: &Stage) -> Vec<Caller> {
        let [first, _, control, _, wide] = &stage.keys;
        match self {
            Self::OneKey => vec![first.clone()],
            Self::OneUser => vec![first.clone(), control.clone()],
            Self::WideKey => (0..CROWD).map(|n| Caller { user: format!("u{n}"), key: wide.key.clone() }).collect(),
            Self::WideKeyOnOneUser => vec![Caller { user: first.user.clone(), key: wide.key.clone() }],
        }
    }

    /// The callers that must not notice: other users, and other keys of the user if the attacker has one key.
    pub(super) fn others(self, stage: &Stage) -> Vec<&Caller> {
        let [_, second, control, bob, _] = &stage.keys;
        match self {
            Self::OneKey | Self::WideKey | Self::WideKeyOnOneUser => vec![second, control, bob],
            Self::OneUser => vec![bob],
        }
    }
}

impl Stage {
    pub(super) async fn new(size: Size) -> Self {
        let (clock, memory) = (SystemClock::new(), Arc::new(MemoryStore::like_s3()));
        let mut file = String::new();
        let mut new = |user: &str, scopes: Vec<Scope>| {
            let id = (!user.is_empty()).then(|| Id::parse(user).unwrap());
            let (key, entry) = KeyEntry::generate(&clock, id.as_ref(), scopes);
            file += &entry.to_toml().unwrap();
            Caller { user: user.to_owned(), key }
        };
        let both = || vec![Scope::Agent, Scope::Control];
        let agent = vec![Scope::Agent];
        let keys = [new("ana", both()), new("ana", agent), new("ana", both()), new("bob", both()), new("", both())];
        let callers = Callers { keys: Keys::from_toml(&file).unwrap(), ..Callers::default() };
        let records = Arc::new(Faulty::new(memory.clone()));
        let recorder =
            Recorder::new(records.clone(), Namespace::default(), AuditMode::Async, Arc::new(SystemClock::new()));
        let options = ServiceOptions {
            observer: Some(Arc::new(recorder.clone())),
            budgets: Budgets { memory: size.memory, ..Budgets::default() },
            ..ServiceOptions::default()
        };
        let connections = Some(size.connections);
        let config = HttpConfig { callers, connections, audit: Some(recorder), ..HttpConfig::default() };
        Self { server: Server::over(config, options, memory.clone(), memory).await, records, keys }
    }

    /// From now on the store answers no request about a session with the name `attack`, and no listing of audit records.
    pub(super) fn hold_store(&self) {
        for verb in [Verb::Get, Verb::Head, Verb::List] {
            self.server.faulty.for_keys(verb, "/attack", NEVER);
        }
        self.records.for_keys(Verb::List, "/audit", NEVER);
    }

    /// A request of a caller, below its user.
    pub(super) fn request(&self, caller: &Caller, method: Method, rest: &str) -> RequestBuilder {
        // A client of its own has a connection of its own.
        let url = format!("{}/v1/users/{}{rest}", self.server.base, caller.user);
        Client::new().request(method, url).bearer_auth(&caller.key)
    }

    /// A value of `/metrics`, which is behind no queue.
    pub(super) async fn metric(&self, name: &str) -> u64 {
        let text = self.server.client.get(format!("{}/metrics", self.server.base)).send().await.unwrap();
        let text = text.text().await.unwrap();
        let line = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
        line.unwrap_or_else(|| panic!("no {name} in {text}")).parse().unwrap()
    }

    /// Returns once the value lies in the range, which it must within a minute. `when` is for the message.
    pub(super) async fn wait_until(&self, name: &str, (least, most): (u64, u64), when: &str) {
        let (mut value, mut seen) = (0, Vec::new());
        for _ in 0..600 {
            value = self.metric(name).await;
            if seen.last() != Some(&value) {
                seen.push(value);
            }
            if (least..=most).contains(&value) {
                return;
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        panic!("{when}: {name} is {value}, not in {least}..={most}; it was {seen:?}");
    }

    /// The value once it has stayed the same for a second: by then each request of the attacker has its place or waits for it.
    pub(super) async fn settled(&self, name: &str) -> u64 {
        let (mut value, mut same) = (self.metric(name).await, 0);
        while same < 10 {
            tokio::time::sleep(Duration::from_millis(100)).await;
            let now = self.metric(name).await;
            same = if now == value { same + 1 } else { 0 };
            value = now;
        }
        value
    }

    /// One call of each kind, and the status of its answer. If the attacker `is_still`, each call begins once the memory of the call
    /// before is free: only users who hold nothing have the memory that is kept.
    pub(super) async fn honest_calls(&self, caller: &Caller, is_still: bool) -> Vec<(&'static str, u16)> {
        const MEMORY: &str = "skillmount_memory_reserved_bytes";
        let attackers = self.metric(MEMORY).await;
        let post = |operation: &str, body| {
            self.request(caller, Method::POST, &format!("/sessions/honest/{operation}")).json(&body)
        };
        // Keys of one user share the session.
        let name = &caller.key[4..12];
        let (path, file) = (format!("/workspace/{name}"), &format!("/sessions/honest/files/workspace/{name}-upload"));
        let calls = [
            ("write", post("write", json!({"file_path": path, "content": "a line"}))),
            ("read", post("read", json!({"file_path": path}))),
            ("ls", post("ls", json!({"path": "/workspace"}))),
            ("tool_calls", post("tool_calls", json!({"content": [{"type": "tool_use", "id": "1", "name": "ls"}]}))),
            ("discover_skills", post("discover_skills", json!({"query": "minutes"}))),
            ("upload", self.request(caller, Method::PUT, file).body("bytes")),
            ("download", self.request(caller, Method::GET, file)),
            ("list of skills", self.request(caller, Method::GET, "/skills")),
        ];
        let mut statuses = Vec::new();
        for (name, call) in calls {
            let answer = call.send().await.unwrap();
            let status = answer.status().as_u16();
            answer.bytes().await.unwrap();
            statuses.push((name, status));
            if is_still {
                self.wait_until(MEMORY, (0, attackers), name).await;
            }
        }
        statuses
    }
}

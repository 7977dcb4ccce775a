//! The buckets that 0.1 wrote on two days: each stored document means today what it meant then.
//!
//! Clients meet the bucket over HTTP, with the keys of its keys file. So a type that is renamed changes no test here.

#[cfg(feature = "cli")]
mod folders;
mod newer;
mod on_s3;
mod records;
mod sessions;
mod skills;
mod users;

use std::{
    collections::BTreeMap,
    fs,
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use async_trait::async_trait;
use reqwest::{Client, Method};
use serde_json::Value;
use skillmount::{
    access::{Callers, Keys},
    audit::{AuditMode, Recorder},
    encoder::{Encoder, EncoderError, TextRole},
    handle::ServiceOptions,
    http::{HttpConfig, serve},
    path::Namespace,
    store::{DirectoryStore, SharedStore},
};
use tempfile::TempDir;
use tokio::{net::TcpListener, task::JoinHandle};

use crate::support::{
    SetClock,
    earlier::{buckets, restore},
    world::World,
};

/// The buckets, by the days of the programs that wrote them.
const BUCKETS: [&str; 2] = ["2026-11-26", "2026-11-28"];

/// A service over a copy of a bucket, and a client of it.
struct Served {
    bucket: &'static str,
    folder: TempDir,
    /// A second after the last write to the bucket, so that no session and no call that waits has expired.
    clock: Arc<SetClock>,
    world: World,
    encoder: Arc<LetterEncoder>,
    base: String,
    client: Client,
    /// The keys, by the names that the keys file has for them.
    keys: BTreeMap<String, String>,
    task: JoinHandle<skillmount::Result<()>>,
}

/// The answer to a call.
#[derive(Debug)]
struct Answer {
    status: u16,
    json: Value,
}

impl Served {
    async fn start(bucket: &'static str) -> Self {
        let folder = TempDir::new().unwrap();
        let last = restore(bucket, folder.path());
        Self::over(bucket, folder, SetClock::at(i64::try_from(last.as_secs()).unwrap() + 1)).await
    }

    /// Another process over the same folder, which knows nothing yet.
    async fn restarted(self) -> Self {
        self.task.abort();
        Self::over(self.bucket, self.folder, self.clock).await
    }

    async fn over(bucket: &'static str, folder: TempDir, clock: Arc<SetClock>) -> Self {
        let store: SharedStore = Arc::new(DirectoryStore::open(folder.path(), clock.clone()).unwrap());
        let recorder = Recorder::new(store.clone(), Namespace::default(), AuditMode::Sync, clock.clone());
        let encoder = Arc::new(LetterEncoder::of_bucket(folder.path()));
        let options = ServiceOptions {
            index: true,
            layers: true,
            feedback: true,
            observer: Some(Arc::new(recorder.clone())),
            encoder: Some(encoder.clone()),
            ..ServiceOptions::default()
        };
        let world = World::undisturbed(store, options, clock.clone());
        let keys_file = fs::read_to_string(buckets().join(format!("{bucket}.keys.toml"))).unwrap();
        let callers = Callers { keys: Keys::from_toml(&keys_file).unwrap(), ..Callers::default() };
        let config = HttpConfig { callers, audit: Some(recorder), ..HttpConfig::default() };
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let base = format!("http://{}/v1", listener.local_addr().unwrap());
        let shutdown = std::future::pending::<Duration>();
        let task = tokio::spawn(serve(config, world.service.clone(), clock.clone(), listener, shutdown));
        Self { bucket, folder, clock, world, encoder, base, client: Client::new(), keys: keys(bucket), task }
    }

    /// The answer to a call with the key of this name.
    async fn call(&self, key: &str, method: Method, path: &str, body: &Value) -> Answer {
        let request = self.client.request(method, format!("{}/{path}", self.base)).bearer_auth(&self.keys[key]);
        let response = request.json(body).send().await.unwrap();
        let status = response.status().as_u16();
        Answer { status, json: serde_json::from_slice(&response.bytes().await.unwrap()).unwrap_or_default() }
    }

    async fn get(&self, key: &str, path: &str) -> Answer {
        self.call(key, Method::GET, path, &Value::Null).await
    }

    /// The answer to an operation of the agent in a session of `eva`.
    async fn operation(&self, session: &str, name: &str, body: &Value) -> Answer {
        self.call("agent", Method::POST, &format!("users/eva/sessions/{session}/{name}"), body).await
    }

    /// The text of a file as the agent reads it in a session of `eva`.
    async fn text(&self, session: &str, path: &str) -> String {
        let reply = self.operation(session, "read", &serde_json::json!({ "file_path": path })).await;
        reply.is(200)["content"].as_str().unwrap().to_owned()
    }
}

impl Answer {
    #[track_caller]
    fn is(&self, status: u16) -> &Value {
        assert_eq!(self.status, status, "{}", self.json);
        &self.json
    }

    /// That it is a problem with this code.
    #[track_caller]
    fn is_problem(&self, code: &str) {
        assert_eq!(self.json["code"], code, "{}: {}", self.status, self.json);
    }
}

/// The keys themselves, of which the keys file of a bucket has the hashes.
fn keys(bucket: &str) -> BTreeMap<String, String> {
    let text = fs::read_to_string(buckets().join(format!("{bucket}.keys"))).unwrap();
    let lines = text.lines().map(|line| line.split_once(' ').unwrap());
    lines.map(|(name, key)| (name.to_owned(), key.to_owned())).collect()
}

/// The member `name` of each object of a list.
#[track_caller]
fn members<'a>(list: &'a Value, name: &str) -> Vec<&'a str> {
    list.as_array().unwrap().iter().map(|one| one[name].as_str().unwrap_or_default()).collect()
}

/// The encoder whose vectors the bucket has: it counts the letters of a text.
#[derive(Debug)]
struct LetterEncoder {
    identity: String,
    /// How many texts of skills it encoded.
    skills: AtomicUsize,
}

impl LetterEncoder {
    fn of_bucket(folder: &Path) -> Self {
        let vectors = fs::read(folder.join("eva/.skillmount/vectors")).unwrap();
        let header = vectors.split(|byte| *byte == b'\n').next().unwrap();
        let header: Value = serde_json::from_slice(header).unwrap();
        Self { identity: header["encoder"].as_str().unwrap().to_owned(), skills: AtomicUsize::new(0) }
    }
}

#[async_trait]
impl Encoder for LetterEncoder {
    fn identity(&self) -> &str {
        &self.identity
    }

    async fn encode(&self, texts: Vec<String>, role: TextRole) -> Result<Vec<Vec<f32>>, EncoderError> {
        if role == TextRole::Skill {
            self.skills.fetch_add(texts.len(), Ordering::Relaxed);
        }
        let vector = |text: String| {
            let mut counts = vec![1.0; 8];
            text.to_lowercase().chars().for_each(|letter| counts[u32::from(letter) as usize % 8] += 1.0);
            counts
        };
        Ok(texts.into_iter().map(vector).collect())
    }
}

//! The HTTP interface as a client meets it: a real server on a free port, a real client, a memory store.

mod agent_loop;
mod approvals;
mod audit_trail;
mod authors;
mod bounds;
mod browsers;
mod compression;
#[cfg(all(unix, feature = "cli"))]
mod contract;
#[cfg(unix)]
mod docs_page;
mod drafts;
mod events;
mod examples;
mod fairness;
mod files;
#[cfg(unix)]
mod generators;
mod guide;
mod hooks;
mod hostile_archives;
mod hostile_questions;
#[cfg(all(unix, feature = "cli"))]
mod installers;
mod keys;
mod layers;
mod lifecycle;
mod matrix;
mod mcp;
mod mcp_addresses;
mod mcp_asking;
mod mcp_bad_input;
mod mcp_cancelled;
#[cfg(unix)]
mod mcp_conformance;
mod mcp_skills;
mod memory;
mod mistakes;
mod model_errors;
mod nulls;
mod openai;
mod openapi;
mod policies;
mod publishing;
mod read_records;
mod refusals;
mod remote;
mod requests;
mod rights;
mod server_sent_events;
#[cfg(feature = "mcp")]
mod session_reads;
mod sessions;
mod sight;
mod skill_files;
mod skill_records;
mod skills;
mod skills_api;
mod tools;
mod transfer;
#[cfg(feature = "s3")]
mod unreadable;
mod usage;
mod users;
mod well_known;
mod writes;

use std::{sync::Arc, time::Duration};

use reqwest::{Client, Method, Response};
use serde_json::Value;
use skillmount::{
    clock::SystemClock,
    handle::{Service, ServiceOptions},
    http::{HttpConfig, serve},
    store::{MemoryStore, SharedStore, testing::Faulty},
};
use tokio::{net::TcpListener, sync::oneshot, task::JoinHandle};

use crate::support::saboteur::under_test;

/// A running server and a client for it.
pub(crate) struct Server {
    base: String,
    pub(crate) client: Client,
    memory: Arc<MemoryStore>,
    faulty: Arc<Faulty>,
    service: Service,
    stop: Option<oneshot::Sender<()>>,
    task: JoinHandle<skillmount::Result<()>>,
}

/// What came back: status, headers and the JSON of the body, null where it is none.
struct Answer {
    status: u16,
    headers: reqwest::header::HeaderMap,
    json: Value,
}

impl Server {
    /// Without keys, over an empty store.
    async fn start() -> Self {
        Self::with(HttpConfig::default()).await
    }

    /// Over a store that holds two skills of user `u1`, one of them broken.
    pub(crate) async fn with_skills() -> Self {
        let server = Self::start().await;
        server.put_skills();
        server
    }

    /// Puts the two skills into the store, as another tool would.
    fn put_skills(&self) {
        let skill = "---\nname: compraventa\ndescription: Redacta una compraventa\nautor: Ana\n---\n# Compraventa\n\nPasos.\n\n## Cláusulas\n";
        self.memory.put_raw("u1/skills/escrituras/compraventa/SKILL.md", skill);
        self.memory.put_raw("u1/skills/escrituras/compraventa/resources/ejemplo.md", "un ejemplo\n");
        self.memory.put_raw("u1/skills/contratos/arrendamiento/SKILL.md", "---\ndescription: Alquileres\n---\n# A\n");
        self.memory.put_raw("u1/skills/roto/SKILL.md", "sin frontmatter\n");
    }

    async fn with(config: HttpConfig) -> Self {
        Self::serving(config, ServiceOptions::default()).await
    }

    async fn serving(config: HttpConfig, options: ServiceOptions) -> Self {
        Self::draining(config, options, Duration::ZERO).await
    }

    /// One that goes on accepting for `drain` once it is told to stop.
    async fn draining(config: HttpConfig, options: ServiceOptions, drain: Duration) -> Self {
        let memory = Arc::new(MemoryStore::like_s3());
        let (below, options) = under_test(memory.clone(), options, Arc::new(SystemClock::new()));
        Self::over_draining(config, options, (memory, below), drain).await
    }

    /// Over the store `below`, whose objects lie in `memory`.
    async fn over(config: HttpConfig, options: ServiceOptions, memory: Arc<MemoryStore>, below: SharedStore) -> Self {
        Self::over_draining(config, options, (memory, below), Duration::ZERO).await
    }

    /// As `over`, one that goes on accepting for `drain` once it is told to stop.
    async fn over_draining(
        config: HttpConfig,
        options: ServiceOptions,
        (memory, below): (Arc<MemoryStore>, SharedStore),
        drain: Duration,
    ) -> Self {
        let clock = Arc::new(SystemClock::new());
        let faulty = Arc::new(Faulty::new(below));
        let service = Service::new(faulty.clone(), options, clock.clone());
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        // Connections have the buffer of their listener. With a small one the server soon notices a client that does not read.
        rustix::net::sockopt::set_socket_send_buffer_size(&listener, 64 << 10).unwrap();
        let base = format!("http://{}", listener.local_addr().unwrap());
        let (stop, stopped) = oneshot::channel();
        let shutdown = async move {
            let _ = stopped.await;
            drain
        };
        let task = tokio::spawn(serve(config, service.clone(), clock, listener, shutdown));
        Self { service, base, client: Client::new(), memory, faulty, stop: Some(stop), task }
    }

    /// The address of session `s1` of user `u1`, and below.
    pub(crate) fn session(&self, rest: &str) -> String {
        format!("{}/v1/users/u1/sessions/s1{rest}", self.base)
    }

    /// The address of user `u1`, and below.
    fn user(&self, rest: &str) -> String {
        format!("{}/v1/users/u1{rest}", self.base)
    }

    async fn get(&self, url: &str) -> Answer {
        Answer::of(self.client.get(url).send().await.unwrap()).await
    }

    async fn send(&self, method: Method, url: &str, json: &Value) -> Answer {
        Answer::of(self.client.request(method, url).json(json).send().await.unwrap()).await
    }

    /// One operation in session `s1` of user `u1`.
    async fn op(&self, name: &str, json: Value) -> Answer {
        self.send(Method::POST, &self.session(&format!("/{name}")), &json).await
    }

    /// Stores a file as raw bytes and gives its tag, quotes included.
    async fn put(&self, path: &str, bytes: impl Into<reqwest::Body>) -> String {
        let put = self.client.put(self.session(&format!("/files{path}"))).body(bytes).send().await.unwrap();
        assert_eq!(put.status(), 200);
        put.headers()["etag"].to_str().unwrap().to_owned()
    }

    /// Tells the server to stop; the task ends when it has.
    fn stop(&mut self) {
        self.stop.take().unwrap().send(()).unwrap();
    }
}

impl Answer {
    async fn of(response: Response) -> Self {
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        openapi::is_declared(response.url().path(), status, &headers);
        let json: Value = serde_json::from_slice(&response.bytes().await.unwrap()).unwrap_or_default();
        refusals::count(json["code"].as_str());
        Self { status, headers, json }
    }

    fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().unwrap())
    }

    /// That it is a whole problem document with this status and code.
    #[track_caller]
    fn is_problem(&self, status: u16, code: &str) -> &Self {
        assert_eq!((self.status, self.json["code"].as_str()), (status, Some(code)), "{}", self.json);
        refusals::expect(code);
        assert_eq!(self.header("content-type"), "application/problem+json");
        assert_eq!(self.json["status"], status);
        assert_eq!(self.json["request_id"], self.header("x-request-id"));
        assert_eq!(self.json["type"], format!("urn:skillmount:problem:{code}"));
        for text in ["title", "detail"] {
            assert!(self.json[text].as_str().is_some_and(|text| !text.is_empty()), "{}", self.json);
        }
        assert!(self.json["retryable"].is_boolean());
        self
    }

    #[track_caller]
    fn is(&self, status: u16) -> &Value {
        assert_eq!(self.status, status, "{}", self.json);
        &self.json
    }
}

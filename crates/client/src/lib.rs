//! The agent's operations over HTTP: the same calls as [`SessionBackend`](crate::backend::SessionBackend), answered by a server,
//! and the documents beside them.
//!
//! Errors come back as they left the other side: same code, message, outcome and details. Every reply has the session's
//! version, and the next request sends it back. So a client that moves between replicas never sees its own changes
//! undone.

// Each module has one name in all crates, so a path says what is imported and not where that is built.
use skillmount_base::{error, limits, path};
use skillmount_engine::{audit, backend, hooks, prompt, session, tools};
use skillmount_skill as skill;
use skillmount_wire as wire;

mod authors;
mod discovery;
mod events;
mod problem;
mod users;

pub use discovery::{DiscoveryHost, OfferedEntry, OfferedIndex};
pub use users::RemoteExport;

use std::{
    fmt,
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use async_trait::async_trait;
use bytes::Bytes;
use futures_util::{StreamExt as _, stream};
use reqwest::{Client, Method, RequestBuilder, Response, Url};
use secrecy::{ExposeSecret as _, SecretString};
use serde::{Serialize, de::DeserializeOwned};
use tokio::time::Instant;

pub use events::RemoteEvents;

use crate::{
    audit::{AuditPage, AuditRequest, Usage, UsageRequest},
    backend::{BackendProtocol, OperationNote, paths_of},
    error::{Code, Error, Result},
    hooks::{HookInput, HookOutput},
    limits::REQUEST_TIMEOUT,
    path::{Id, SkillPath, VirtualPath},
    prompt::{PromptRequest, Rendering},
    session::{ApprovalList, DecideApproval, SessionListRequest, SessionPage, SessionSummary, SessionVersion},
    tools::{ToolCallsRequest, ToolList, ToolListRequest, TurnReply},
    wire::{
        DownloadOutcome, Effect, Operation, Request, SkillList, SkillListRequest, SkillPage, UploadFile, UploadOutcome,
        WriteReply, headers::SESSION_VERSION, with_operations,
    },
};

const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// Longer than the timeout of the server, so that the caller gets an answer of the server and not silence.
const REPLY_TIMEOUT: Duration = REQUEST_TIMEOUT.saturating_add(Duration::from_secs(5));
/// A stream of events goes on for as long as anybody reads it.
const STREAM_TIMEOUT: Duration = Duration::from_hours(365 * 24);
/// Files that are sent or fetched at once.
const PARALLEL_FILES: usize = 8;

/// One session of one user, on a server.
pub struct RemoteBackend {
    client: Client,
    base: Url,
    user: Id,
    session: Id,
    key: Option<SecretString>,
    /// The newest version of the session that a reply gave.
    seen: Mutex<SessionVersion>,
}

impl RemoteBackend {
    /// The session `session` of `user` on the server at `base` (`http://127.0.0.1:8787`), with an API key where it
    /// needs one. Nothing is sent yet.
    ///
    /// # Errors
    /// `invalid_request` where `base` is not an http or https URL.
    pub fn new(base: &str, user: Id, session: Id, key: Option<String>) -> Result<Self> {
        let url = Url::parse(base).ok().filter(|url| matches!(url.scheme(), "http" | "https"));
        let url = url.ok_or_else(|| {
            Error::new(
                Code::InvalidRequest,
                format!("{base:?} is not a server: give a URL such as http://127.0.0.1:8787"),
            )
        })?;
        let client = Client::builder()
            .connect_timeout(CONNECT_TIMEOUT)
            .timeout(REPLY_TIMEOUT)
            .build()
            .map_err(Error::internal)?;
        Ok(Self { client, base: url, user, session, key: key.map(SecretString::from), seen: Mutex::default() })
    }

    /// The session as the server shows it.
    ///
    /// # Errors
    /// The server's; `store_unavailable` if it cannot be reached, here and below.
    pub async fn session(&self) -> Result<SessionSummary> {
        self.get(&self.session_url([])?, &()).await
    }

    /// The prompt of the session.
    ///
    /// # Errors
    /// As [`session`](Self::session).
    pub async fn prompt(&self, wanted: &PromptRequest) -> Result<Rendering> {
        self.get(&self.session_url(["prompt"])?, wanted).await
    }

    /// A page of the user's skills.
    ///
    /// # Errors
    /// As [`session`](Self::session).
    pub async fn list_skills(&self, wanted: &SkillListRequest) -> Result<SkillList> {
        self.get(&self.user_url(["skills"])?, wanted).await
    }

    /// One skill of the catalog with its instructions.
    ///
    /// # Errors
    /// As [`session`](Self::session); also `skill_not_found`.
    pub async fn show_skill(&self, skill: &SkillPath) -> Result<SkillPage> {
        self.get(&self.user_url(std::iter::once("skills").chain(skill.as_str().split('/')))?, &()).await
    }

    /// A page of the user's sessions.
    ///
    /// # Errors
    /// As [`session`](Self::session).
    pub async fn list_sessions(&self, wanted: &SessionListRequest) -> Result<SessionPage> {
        self.get(&self.user_url(["sessions"])?, wanted).await
    }

    /// A page of the user's audit records.
    ///
    /// # Errors
    /// As [`session`](Self::session); also `denied` without a key of scope `control`.
    pub async fn audit(&self, wanted: &AuditRequest) -> Result<AuditPage> {
        self.get(&self.user_url(["audit"])?, wanted).await
    }

    /// Streams the events of the session from now on, or from the event `after` if that is given.
    ///
    /// # Errors
    /// As [`session`](Self::session).
    pub async fn events(&self, after: Option<&str>) -> Result<RemoteEvents> {
        let request = self.client.get(self.session_url(["events"])?).header("accept", "text/event-stream");
        let request = after.into_iter().fold(request, |request, after| request.header("last-event-id", after));
        Ok(RemoteEvents::new(self.send(request.timeout(STREAM_TIMEOUT), Effect::Reads).await?))
    }

    /// Forgets the session. Files stay, but with `with_workspace` the files of the workspace are deleted.
    ///
    /// # Errors
    /// As [`session`](Self::session); also `session_not_found`, and `workspace_shared` where other sessions share it.
    pub async fn forget_session(&self, with_workspace: bool) -> Result<()> {
        let parameters: &[(&str, &str)] = if with_workspace { &[("workspace", "delete")] } else { &[] };
        let request = self.client.delete(self.session_url([])?).query(parameters);
        self.send(request, Effect::Writes).await?;
        *self.seen() = SessionVersion::default();
        Ok(())
    }

    /// The tools the session may use now, each as the format has it.
    ///
    /// # Errors
    /// As [`session`](Self::session).
    pub async fn tools(&self, wanted: &ToolListRequest) -> Result<ToolList> {
        self.get(&self.session_url(["tools"])?, wanted).await
    }

    /// Runs one turn of tool calls. The reply is the message, or the messages, that answer them.
    ///
    /// # Errors
    /// As [`session`](Self::session); a call that fails is a result in the message and no error.
    pub async fn tool_calls(&self, turn: &ToolCallsRequest) -> Result<TurnReply> {
        self.call("tool_calls", turn, Effect::Writes).await
    }

    /// The calls of the session that wait for approval.
    ///
    /// # Errors
    /// As [`session`](Self::session); also `denied` without scope `control`.
    pub async fn waiting_calls(&self) -> Result<ApprovalList> {
        self.get(&self.session_url(["approvals"])?, &()).await
    }

    /// Decides about a call that waits.
    ///
    /// # Errors
    /// As [`waiting_calls`](Self::waiting_calls); also `approval_not_found`.
    pub async fn decide_approval(&self, id: &str, decision: &DecideApproval) -> Result<SessionSummary> {
        let request = self.client.post(self.session_url(["approvals", id])?).json(decision);
        json(self.send(request, Effect::Writes).await?, Effect::Writes).await
    }

    /// Answers a hook.
    ///
    /// # Errors
    /// As [`session`](Self::session); also `invalid_request` if the input lacks a member of its event.
    pub async fn hook(&self, input: &HookInput) -> Result<HookOutput> {
        self.call("hooks", input, Effect::Writes).await
    }

    /// How the user's conversations find and use skills.
    ///
    /// # Errors
    /// As [`session`](Self::session).
    pub async fn usage(&self, wanted: &UsageRequest) -> Result<Usage> {
        self.get(&self.user_url(["usage"])?, wanted).await
    }

    async fn get<T: DeserializeOwned>(&self, url: &Url, parameters: &(impl Serialize + ?Sized)) -> Result<T> {
        let request = self.client.get(url.clone()).query(parameters);
        json(self.send(request, Effect::Reads).await?, Effect::Reads).await
    }

    async fn operate<R: Request>(&self, request: &R) -> Result<R::Reply> {
        self.call(R::OPERATION.name(), request, R::OPERATION.effect()).await
    }

    async fn call<T: DeserializeOwned>(&self, name: &str, request: &impl Serialize, effect: Effect) -> Result<T> {
        let request = self.client.post(self.session_url([name])?).json(request);
        json(self.send(request, effect).await?, effect).await
    }

    async fn put_file(&self, path: &str, bytes: Bytes) -> Result<WriteReply> {
        let request = self.client.request(Method::PUT, self.file_url(path)?).body(bytes);
        json(self.send(request, Effect::Writes).await?, Effect::Writes).await
    }

    async fn get_file(&self, path: &str) -> Result<Bytes> {
        let response = self.send(self.client.get(self.file_url(path)?), Effect::Reads).await?;
        response.bytes().await.map_err(|cause| problem::unreachable(cause, Effect::Reads))
    }

    /// Sends a request with key and version, and keeps the version of the reply.
    async fn send(&self, request: RequestBuilder, effect: Effect) -> Result<Response> {
        let seen = self.seen().clone();
        let request = if seen.is_known() { request.header(SESSION_VERSION, seen.to_string()) } else { request };
        let request = match &self.key {
            None => request,
            Some(key) => request.bearer_auth(key.expose_secret()),
        };
        let response = self.answered(request).await.map_err(|cause| problem::unreachable(cause, effect))?;
        let told = response.headers().get(SESSION_VERSION).and_then(|value| value.to_str().ok()?.parse().ok());
        if let Some(told) = told {
            self.seen().follow(told);
        }
        if response.status().is_success() { Ok(response) } else { Err(problem::read(response, effect).await) }
    }

    /// Sends a request. Logs the method, path, status and duration at the level `trace`, and no contents.
    async fn answered(&self, request: RequestBuilder) -> reqwest::Result<Response> {
        let request = request.build()?;
        let (method, path, began) = (request.method().clone(), request.url().path().to_owned(), Instant::now());
        let answer = self.client.execute(request).await;
        let (status, ms) = (
            answer.as_ref().ok().map(|answer| answer.status().as_u16()),
            (began.elapsed().as_secs_f64() * 1e6).round() / 1e3,
        );
        tracing::trace!(%method, path, status, ms, "request");
        answer
    }

    fn begin(&self, operation: Operation, subject: impl FnOnce() -> String) -> OperationNote {
        OperationNote::begin((&self.user, Some(&self.session)), operation.name(), subject)
    }

    fn seen(&self) -> MutexGuard<'_, SessionVersion> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn file_url(&self, path: &str) -> Result<Url> {
        // Parsed here, because a URL would take `.` and `..` out of the path before the server could refuse them.
        let path = VirtualPath::parse(path)?;
        self.session_url(std::iter::once("files").chain(path.segments()))
    }

    fn session_url<'a>(&'a self, rest: impl IntoIterator<Item = &'a str>) -> Result<Url> {
        self.user_url(["sessions", self.session.as_str()].into_iter().chain(rest))
    }

    fn user_url<'a>(&'a self, rest: impl IntoIterator<Item = &'a str>) -> Result<Url> {
        let mut url = self.base.clone();
        url.path_segments_mut()
            .map_err(|()| Error::new(Code::InvalidRequest, "the server's URL cannot have a path"))?
            .pop_if_empty()
            .extend(["v1", "users", self.user.as_str()])
            .extend(rest);
        Ok(url)
    }
}

impl fmt::Debug for RemoteBackend {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { base, user, session, .. } = self;
        f.debug_struct("RemoteBackend")
            .field("base", &base.as_str())
            .field("user", user)
            .field("session", session)
            .finish_non_exhaustive()
    }
}

async fn json<T: DeserializeOwned>(response: Response, effect: Effect) -> Result<T> {
    let bytes = response.bytes().await.map_err(|cause| problem::unreachable(cause, effect))?;
    serde_json::from_slice(&bytes).map_err(|cause| {
        let message =
            "the server's reply is not one of skillmount, or of another version; check its address and its version";
        Error::new(Code::InvalidRequest, message).with_source(cause)
    })
}

macro_rules! protocol {
    ($(
        $(#[doc = $doc:literal])*
        $variant:ident $method:ident($request:ident) -> $reply:ident $facts:tt
    )* ; $($also:tt)*) => {
        #[async_trait]
        impl BackendProtocol for RemoteBackend {
            $(async fn $method(&self, request: wire::$request) -> Result<wire::$reply> {
                self.begin(Operation::$variant, || request.subject()).ended(self.operate(&request).await)
            })*

            async fn upload(&self, files: Vec<UploadFile>) -> Result<Vec<UploadOutcome>> {
                let note = self.begin(Operation::Upload, || paths_of(files.iter().map(|file| file.path.as_str())));
                let sent = stream::iter(files).map(|UploadFile { path, bytes }| async move {
                    let result = self.put_file(&path, bytes).await.map(|written| written.etag).map_err(Error::of_change);
                    UploadOutcome { path, result }
                });
                note.ended(Ok(sent.buffered(PARALLEL_FILES).collect().await))
            }

            async fn download(&self, paths: Vec<String>) -> Result<Vec<DownloadOutcome>> {
                let note = self.begin(Operation::Download, || paths_of(paths.iter().map(String::as_str)));
                let fetched = stream::iter(paths).map(|path| async move {
                    let result = self.get_file(&path).await;
                    DownloadOutcome { path, result }
                });
                note.ended(Ok(fetched.buffered(PARALLEL_FILES).collect().await))
            }
        }
    };
}

with_operations!(protocol);

#[cfg(test)]
mod tests {
    use super::*;

    fn backend(base: &str) -> RemoteBackend {
        RemoteBackend::new(base, Id::parse("u1").unwrap(), Id::parse("s1").unwrap(), Some("s3cret".to_owned())).unwrap()
    }

    #[test]
    fn paths_reach_the_server_segment_by_segment() {
        let url = backend("http://localhost:1/").file_url("/workspace/a b/%2e/[é]?#.md").unwrap();
        assert_eq!(
            url.as_str(),
            "http://localhost:1/v1/users/u1/sessions/s1/files/workspace/a%20b/%252e/[%C3%A9]%3F%23.md"
        );
        assert_eq!(backend("http://localhost:1/at").session_url([]).unwrap().path(), "/at/v1/users/u1/sessions/s1");
        assert_eq!(backend("http://x").file_url("/a/../b").unwrap_err().code(), Code::InvalidPath);
    }

    #[test]
    fn only_web_addresses_are_servers_and_the_key_is_never_printed() {
        for bad in ["", "localhost:8787", "file:///x", "ftp://x"] {
            let id = Id::parse("u").unwrap();
            assert!(RemoteBackend::new(bad, id.clone(), id, None).is_err(), "{bad}");
        }
        assert!(!format!("{:?}", backend("http://x")).contains("s3cret"));
    }
}

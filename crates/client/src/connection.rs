//! The connection to a server: sends requests with the key and the version of the session, and reads the replies.

use std::{
    fmt,
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use reqwest::{Client, Method, RequestBuilder, Response, Url};
use secrecy::{ExposeSecret as _, SecretString};
use serde::de::DeserializeOwned;
use tokio::time::Instant;

use crate::{
    error::{Code, Error, Result},
    limits::REQUEST_TIMEOUT,
    problem,
    proxy::{ProxyInUse, client_for},
    wire::{Effect, SessionVersion, headers::SESSION_VERSION},
};

const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// Longer than the timeout of the server, so that the caller gets an answer of the server and not silence.
const REPLY_TIMEOUT: Duration = REQUEST_TIMEOUT.saturating_add(Duration::from_secs(5));

/// The scheme that each request puts before the key.
const BEARER: &str = "Bearer ";

/// A server, the key for it, and the newest version of the session in a reply.
pub(super) struct ServerConnection {
    client: Client,
    base: Url,
    key: Option<SecretString>,
    seen: Mutex<SessionVersion>,
    proxy: Option<ProxyInUse>,
}

impl ServerConnection {
    /// The server at `base`. Nothing is sent yet.
    pub(super) fn new(base: &str, key: Option<String>) -> Result<Self> {
        let url = Url::parse(base).ok().filter(|url| matches!(url.scheme(), "http" | "https"));
        let base = url.ok_or_else(|| {
            // Before an @ there may be a password.
            let shown = if base.contains('@') { "the address".to_owned() } else { format!("{base:?}") };
            let message = format!("{shown} is not a server: give a URL such as http://127.0.0.1:8787");
            Error::new(Code::InvalidRequest, message)
        })?;
        if let Some(key) = &key {
            check_key(key)?;
        }
        let client = client_for(&base).connect_timeout(CONNECT_TIMEOUT).timeout(REPLY_TIMEOUT).build();
        let client = client.map_err(Error::internal)?;
        let proxy = ProxyInUse::of(&base);
        Ok(Self { client, base, key: key.map(SecretString::from), seen: Mutex::default(), proxy })
    }

    /// A request for the path of these segments.
    pub(super) fn request<'path>(
        &self,
        method: Method,
        path: impl IntoIterator<Item = &'path str>,
    ) -> Result<RequestBuilder> {
        let mut url = self.base.clone();
        url.path_segments_mut()
            .map_err(|()| Error::new(Code::InvalidRequest, "the server's URL cannot have a path"))?
            .pop_if_empty()
            .extend(path);
        Ok(self.client.request(method, url))
    }

    /// Sends a request with key and version, and keeps the version of the reply.
    pub(super) async fn send(&self, request: RequestBuilder, effect: Effect) -> Result<Response> {
        let seen = self.seen().clone();
        let request = if seen.is_known() { request.header(SESSION_VERSION, seen.to_string()) } else { request };
        let request = match &self.key {
            None => request,
            Some(key) => request.bearer_auth(key.expose_secret()),
        };
        let response = self.execute(request).await.map_err(|cause| self.unreachable(cause, effect))?;
        let told = response.headers().get(SESSION_VERSION).and_then(|value| value.to_str().ok()?.parse().ok());
        if let Some(told) = told {
            self.seen().follow(told);
        }
        if response.status().is_success() {
            Ok(response)
        } else {
            Err(problem::read(response, effect, self.proxy.as_ref()).await)
        }
    }

    /// Sends a request, and reads the document of the reply.
    pub(super) async fn exchange<T: DeserializeOwned>(&self, request: RequestBuilder, effect: Effect) -> Result<T> {
        let response = self.send(request, effect).await?;
        let bytes = response.bytes().await.map_err(|cause| self.unreachable(cause, effect))?;
        serde_json::from_slice(&bytes).map_err(|cause| {
            let message =
                "the server's reply is not one of skillmount, or of another version; check its address and its version";
            Error::new(Code::InvalidRequest, message).with_source(cause)
        })
    }

    /// The document that answers a request for it.
    pub(super) async fn read<T: DeserializeOwned>(&self, request: RequestBuilder) -> Result<T> {
        self.exchange(request, Effect::Reads).await
    }

    /// The document that answers a change.
    pub(super) async fn change<T: DeserializeOwned>(&self, request: RequestBuilder) -> Result<T> {
        self.exchange(request, Effect::Writes).await
    }

    /// The error of a request that got no answer, or half of one.
    pub(super) fn unreachable(&self, cause: reqwest::Error, effect: Effect) -> Error {
        problem::unreachable(cause, effect, self.proxy.as_ref())
    }

    /// Forgets the version of a session that is gone.
    pub(super) fn forget_version(&self) {
        *self.seen() = SessionVersion::default();
    }

    /// Sends a request. Logs the method, path, status and duration at the level `trace`, and no contents.
    async fn execute(&self, request: RequestBuilder) -> reqwest::Result<Response> {
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

    fn seen(&self) -> MutexGuard<'_, SessionVersion> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Checks that a header can carry `key`. The message does not repeat it.
///
/// # Errors
/// `invalid_request` for a key with white space around it, with [`BEARER`] before it, or with an invisible or foreign character.
fn check_key(key: &str) -> Result<()> {
    let refused = |why: &str| Err(Error::new(Code::InvalidRequest, format!("the API key {why}")));
    if key.trim() != key {
        return refused("begins or ends with a line end or a space: give the key alone");
    }
    if key.get(..BEARER.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(BEARER)) {
        return refused("begins with the word Bearer, which each request adds: give the key alone");
    }
    match key.chars().find(|character| *character != ' ' && !character.is_ascii_graphic()) {
        Some(character) if character.is_ascii() => refused("has a line end or a control character in it: give one key"),
        Some(_) => refused("has a character that is no ASCII, and no key has one: copy the key again"),
        None => Ok(()),
    }
}

impl fmt::Debug for ServerConnection {
    /// Without the key.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ServerConnection").field("base", &self.base.as_str()).finish_non_exhaustive()
    }
}

//! The agent's operations over HTTP: the same calls as `SessionBackend` of the engine, answered by a server,
//! and the documents beside them.
//!
//! Errors come back as they left the other side: same code, message, outcome and details. Every reply has the session's
//! version, and the next request sends it back. So a client that moves between replicas never sees its own changes
//! undone.
//!
//! Begin with [`RemoteBackend`]: one session of one user, with the operations of `BackendProtocol`. [`sync`] pushes and pulls folders of
//! skills.
//!
//! An application depends on the crate `skillmount`, which re-exports these modules.

// Each module has one name in all crates, so a path says what is imported and not where that is built.
use skillmount_base::{error, limits, operation_note, path, text};
use skillmount_skill as skill;
use skillmount_wire as wire;

mod authors;
mod connection;
mod discovery;
mod events;
mod problem;
mod protocol;
mod proxy;
pub mod sync;
mod users;

pub use discovery::{DiscoveryHost, OfferedEntry, OfferedIndex};
pub use users::RemoteExport;

use std::{iter::once, time::Duration};

use reqwest::{Method, RequestBuilder};

pub use events::RemoteEvents;

use self::connection::ServerConnection;
use crate::{
    error::Result,
    path::{Id, SkillPath},
    wire::{
        ApprovalList, AuditPage, AuditRequest, DecideApproval, Effect, ExpiryReport, HookInput, HookOutput,
        PromptRequest, Rendering, SessionListRequest, SessionPage, SessionSummary, SkillList, SkillListRequest,
        SkillPage, ToolCallsRequest, ToolList, ToolListRequest, TurnReply, Usage, UsageRequest,
        headers::RESULT_DETAILS,
    },
};

/// A stream of events goes on for as long as anybody reads it.
const STREAM_TIMEOUT: Duration = Duration::from_hours(365 * 24);

/// One session of one user, on a server.
///
/// ```
/// use skillmount_base::{Code, path::Id};
/// use skillmount_client::RemoteBackend;
///
/// # fn main() -> skillmount_base::Result<()> {
/// let (user, session) = (Id::parse("anna")?, Id::parse("chat-7")?);
/// // Nothing is sent before the first call.
/// assert!(RemoteBackend::new("http://127.0.0.1:8080", user.clone(), session.clone(), None).is_ok());
/// let refused = RemoteBackend::new("ftp://127.0.0.1", user, session, None).unwrap_err();
/// assert_eq!(refused.code(), Code::InvalidRequest);
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct RemoteBackend {
    connection: ServerConnection,
    user: Id,
    session: Id,
}

impl RemoteBackend {
    /// The session `session` of `user` on the server at `base` (`http://127.0.0.1:8787`), with an API key where it
    /// needs one. Nothing is sent yet.
    ///
    /// # Errors
    /// `invalid_request` if `base` is not an http or https URL, or if no header can carry `key`, for which a line end is
    /// enough. The message repeats no key.
    ///
    /// A server on a loopback address is never asked through a proxy. For others the variables `http_proxy`, `https_proxy`,
    /// `all_proxy` and `no_proxy` count, and an error names the proxy.
    pub fn new(base: &str, user: Id, session: Id, key: Option<String>) -> Result<Self> {
        Ok(Self { connection: ServerConnection::new(base, key)?, user, session })
    }

    /// The session as the server shows it.
    ///
    /// # Errors
    /// The server's; `store_unavailable` if it cannot be reached, here and below.
    pub async fn session(&self) -> Result<SessionSummary> {
        self.connection.read(self.of_session(Method::GET, [])?).await
    }

    /// The prompt of the session.
    ///
    /// # Errors
    /// As [`session`](Self::session).
    pub async fn prompt(&self, wanted: &PromptRequest) -> Result<Rendering> {
        self.connection.read(self.of_session(Method::GET, ["prompt"])?.query(wanted)).await
    }

    /// A page of the user's skills.
    ///
    /// # Errors
    /// As [`session`](Self::session).
    pub async fn list_skills(&self, wanted: &SkillListRequest) -> Result<SkillList> {
        self.connection.read(self.of_user(Method::GET, ["skills"])?.query(wanted)).await
    }

    /// One skill of the catalog with its instructions.
    ///
    /// # Errors
    /// As [`session`](Self::session); also `skill_not_found`.
    pub async fn show_skill(&self, skill: &SkillPath) -> Result<SkillPage> {
        self.connection.read(self.of_skill(Method::GET, "skills", skill)?).await
    }

    /// A page of the user's sessions.
    ///
    /// # Errors
    /// As [`session`](Self::session).
    pub async fn list_sessions(&self, wanted: &SessionListRequest) -> Result<SessionPage> {
        self.connection.read(self.of_user(Method::GET, ["sessions"])?.query(wanted)).await
    }

    /// Forgets the user's sessions that have expired.
    ///
    /// # Errors
    /// As [`session`](Self::session); also `denied` without a key of scope `control`.
    pub async fn collect_garbage(&self) -> Result<ExpiryReport> {
        self.connection.change(self.of_user(Method::POST, ["session_gc"])?).await
    }

    /// A page of the user's audit records.
    ///
    /// # Errors
    /// As [`session`](Self::session); also `denied` without a key of scope `control`.
    pub async fn audit(&self, wanted: &AuditRequest) -> Result<AuditPage> {
        self.connection.read(self.of_user(Method::GET, ["audit"])?.query(wanted)).await
    }

    /// Streams the events of the session from now on, or from the event `after` if that is given.
    ///
    /// # Errors
    /// As [`session`](Self::session).
    pub async fn events(&self, after: Option<&str>) -> Result<RemoteEvents> {
        let request = self.of_session(Method::GET, ["events"])?.header("accept", "text/event-stream");
        let request = after.into_iter().fold(request, |request, after| request.header("last-event-id", after));
        Ok(RemoteEvents::new(self.connection.send(request.timeout(STREAM_TIMEOUT), Effect::Reads).await?))
    }

    /// Forgets the session. Files stay, but with `with_workspace` the files of the workspace are deleted.
    ///
    /// # Errors
    /// As [`session`](Self::session); also `session_not_found`, and `workspace_shared` where other sessions share it.
    pub async fn forget_session(&self, with_workspace: bool) -> Result<()> {
        let parameters: &[(&str, &str)] = if with_workspace { &[("workspace", "delete")] } else { &[] };
        let request = self.of_session(Method::DELETE, [])?.query(parameters);
        self.connection.send(request, Effect::Writes).await?;
        self.connection.forget_version();
        Ok(())
    }

    /// The tools the session may use now, each as the format has it.
    ///
    /// # Errors
    /// As [`session`](Self::session).
    pub async fn tools(&self, wanted: &ToolListRequest) -> Result<ToolList> {
        self.connection.read(self.of_session(Method::GET, ["tools"])?.query(wanted)).await
    }

    /// Runs one turn of tool calls. The reply is the message, or the messages, that answer them. With `details` the result
    /// of a failed call has the code of its error. A call that waits for a person has the id of the approval too. APIs of
    /// models reject both. An earlier service omits them.
    ///
    /// # Errors
    /// As [`session`](Self::session); a call that fails is a result in the message and no error.
    pub async fn tool_calls(&self, turn: &ToolCallsRequest, details: bool) -> Result<TurnReply> {
        let request = self.of_session(Method::POST, ["tool_calls"])?.json(turn);
        let request = if details { request.header(RESULT_DETAILS, "true") } else { request };
        self.connection.change(request).await
    }

    /// The calls of the session that wait for approval.
    ///
    /// # Errors
    /// As [`session`](Self::session); also `denied` without scope `control`.
    pub async fn waiting_calls(&self) -> Result<ApprovalList> {
        self.connection.read(self.of_session(Method::GET, ["approvals"])?).await
    }

    /// Decides about a call that waits.
    ///
    /// # Errors
    /// As [`waiting_calls`](Self::waiting_calls); also `approval_not_found`.
    pub async fn decide_approval(&self, id: &str, decision: &DecideApproval) -> Result<SessionSummary> {
        self.connection.change(self.of_session(Method::POST, ["approvals", id])?.json(decision)).await
    }

    /// Answers a hook.
    ///
    /// # Errors
    /// As [`session`](Self::session); also `invalid_request` if the input lacks a member of its event.
    pub async fn hook(&self, input: &HookInput) -> Result<HookOutput> {
        self.connection.change(self.of_session(Method::POST, ["hooks"])?.json(input)).await
    }

    /// How the user's conversations find and use skills.
    ///
    /// # Errors
    /// As [`session`](Self::session).
    pub async fn usage(&self, wanted: &UsageRequest) -> Result<Usage> {
        self.connection.read(self.of_user(Method::GET, ["usage"])?.query(wanted)).await
    }

    /// A request about the session.
    fn of_session<'a>(&'a self, method: Method, path: impl IntoIterator<Item = &'a str>) -> Result<RequestBuilder> {
        self.of_user(method, ["sessions", self.session.as_str()].into_iter().chain(path))
    }

    /// A request about a skill in one of the collections that have a member for each skill.
    fn of_skill(&self, method: Method, collection: &str, skill: &SkillPath) -> Result<RequestBuilder> {
        self.of_user(method, once(collection).chain(skill.as_str().split('/')))
    }

    /// A request about the user.
    fn of_user<'a>(&'a self, method: Method, path: impl IntoIterator<Item = &'a str>) -> Result<RequestBuilder> {
        self.connection.request(method, ["v1", "users", self.user.as_str()].into_iter().chain(path))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Code;

    #[test]
    fn only_web_addresses_are_servers_and_the_key_is_never_printed() {
        let remote = |base| {
            let id = Id::parse("u").unwrap();
            RemoteBackend::new(base, id.clone(), id, Some("s3cret".to_owned()))
        };
        for bad in ["", "localhost:8787", "file:///x", "ftp://x"] {
            assert!(remote(bad).is_err(), "{bad}");
        }
        assert!(!format!("{:?}", remote("http://x").unwrap()).contains("s3cret"));
    }

    #[test]
    fn a_key_that_no_header_can_carry_is_refused_at_once_and_not_repeated() {
        let remote = |key: &str| {
            let id = Id::parse("u").unwrap();
            RemoteBackend::new("http://127.0.0.1:9", id.clone(), id, Some(key.to_owned()))
        };
        for bad in [
            "s3cret\n",
            "s3cret\r\n",
            " s3cret",
            "s3\ncret",
            "s3\0cret",
            "s3crét",
            "s3cret\u{a0}",
            "Bearer s3cret",
            "bearer s3cret",
        ] {
            let error = remote(bad).unwrap_err();
            assert_eq!((error.code(), error.retryable()), (Code::InvalidRequest, false), "{bad:?}");
            assert!(!error.message().contains("s3c"), "{error}");
        }
        for good in ["s3cret", "smk_0a~!", "two words", "bearers3cret", ""] {
            assert!(remote(good).is_ok(), "{good}");
        }
    }
}

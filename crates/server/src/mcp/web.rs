//! A host that calls over HTTP. Each request stands alone: the session has the state of the conversation, for every
//! replica.

use std::sync::Arc;

use axum::{body::Body, extract::Request, response::Response};
use moka::sync::Cache;
use rmcp::{
    model::{ClientJsonRpcMessage, ClientNotification, RequestId},
    transport::streamable_http_server::{
        StreamableHttpServerConfig, StreamableHttpService, session::never::NeverSessionManager,
    },
};
use serde::Deserialize as _;
use serde_json::{Map, Value};

use super::{conversation::HostConversation, options::McpOptions, running_calls::RunningCalls, server::SessionServer};
use crate::{
    error::Result,
    handle::SessionBackend,
    limits::{MCP_KNOWN_HOST_TIME, MCP_KNOWN_HOSTS, TEXT_BODY_BYTES},
    path::Id,
    tools::{CallQueue, QueuePlace},
};

/// Names the version of the protocol that a host speaks.
const VERSION: &str = "mcp-protocol-version";
/// The first version without a handshake.
const STATELESS: &str = "2026-07-28";
/// The method of a cancellation.
const CANCELLED: &str = "notifications/cancelled";

/// Hosts that call over HTTP, with their running calls. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub(crate) struct HttpTransport {
    running: RunningCalls,
    options: McpOptions,
    conversations: HostConversations,
    queue: CallQueue,
}

/// Conversations over HTTP, by user and session. Another replica begins with an unknown host. Cheap to clone.
#[derive(Clone, Debug)]
pub(super) struct HostConversations(Cache<(Id, Id), HostConversation>);

impl Default for HostConversations {
    fn default() -> Self {
        Self(Cache::builder().max_capacity(MCP_KNOWN_HOSTS).time_to_idle(MCP_KNOWN_HOST_TIME).build())
    }
}

impl HostConversations {
    /// The conversation of the session behind `backend`.
    pub(super) fn of_session(&self, backend: &SessionBackend) -> HostConversation {
        self.0.get_with((backend.user().clone(), backend.session_id().clone()), HostConversation::default)
    }

    /// A conversation of `user` that begins in `session`. It begins without notes.
    pub(super) fn begin(&self, user: &Id, session: &Id) -> HostConversation {
        let begun = HostConversation::default();
        self.0.insert((user.clone(), session.clone()), begun.clone());
        begun
    }
}

/// The kind of a message, read before the library reads the message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum MessageKind {
    /// A conversation begins with it. The client may give itself a name.
    Beginning(Option<String>),
    /// It cancels this call.
    Cancellation(RequestId),
    /// Anything else.
    Other,
}

impl MessageKind {
    /// The kind of `message`, which may be no message of the protocol.
    pub(crate) fn read(message: &Value) -> Self {
        match message.get("method").and_then(Value::as_str) {
            Some("initialize" | "server/discover") => {
                let client = message.pointer("/params/clientInfo/name").and_then(Value::as_str);
                Self::Beginning(client.map(str::to_owned))
            }
            Some(CANCELLED) => cancelled(message).map_or(Self::Other, Self::Cancellation),
            _ => Self::Other,
        }
    }
}

impl HttpTransport {
    /// Hosts that get what the operator chose.
    pub(crate) fn new(options: McpOptions) -> Self {
        Self { options, ..Self::default() }
    }

    /// The place in the queue of its session for a message that has arrived; `None` if the message does not wait.
    pub(crate) fn arrive(&self, backend: &SessionBackend, message: &Value) -> Option<QueuePlace> {
        match message.get("method").and_then(Value::as_str)? {
            "tools/call" => {
                let params = message.get("params")?;
                let none = Map::new();
                let input = params.get("arguments").and_then(Value::as_object).unwrap_or(&none);
                Some(self.queue.arrive(backend, params.get("name")?.as_str()?, input))
            }
            "prompts/get" => Some(self.queue.arrive_load(backend)),
            _ => None,
        }
    }

    /// Answers one request of the protocol, whose body has a message of this kind, in the session behind `backend`. If a
    /// conversation begins, the answer has the listing of skills, and later requests name `session`. Host, Origin and key were
    /// checked before.
    ///
    /// A host that leaves ends its call, because the answer then has no receiver.
    ///
    /// # Errors
    /// Those of the prompt, if a conversation begins.
    pub(crate) async fn answer(
        &self,
        backend: SessionBackend,
        request: Request,
        kind: MessageKind,
        session: &Id,
    ) -> Result<Response> {
        if let MessageKind::Cancellation(call) = &kind {
            self.running.cancel(&backend, call);
        }
        let server = match kind {
            MessageKind::Beginning(client) => {
                let begun = self.conversations.begin(backend.user(), session);
                if let Some(client) = &client {
                    begun.record_host(client);
                }
                SessionServer::new(backend, self.options, begun).await?
            }
            MessageKind::Cancellation(_) | MessageKind::Other => {
                let conversation = self.conversations.of_session(&backend);
                SessionServer::under_way(backend, self.options, conversation)
            }
        };
        let server = server.noting_calls(self.running.clone()).in_queue(self.queue.clone());
        let version = request.headers().get(VERSION).and_then(|version| version.to_str().ok());
        // Versions are dates, which are in the order of their text.
        let server =
            if version.is_some_and(|version| version >= STATELESS) { server.without_changes() } else { server };
        let config = StreamableHttpServerConfig::default()
            .with_legacy_session_mode(false)
            .with_json_response(true)
            .disable_allowed_hosts()
            .disable_allowed_origins()
            .with_max_request_body_bytes(TEXT_BODY_BYTES);
        let sessions = Arc::new(NeverSessionManager::default());
        let service = StreamableHttpService::new(move || Ok(server.clone()), sessions, config);
        Ok(service.handle(request).await.map(Body::new))
    }
}

/// The call that a message cancels, if it is a cancellation of the protocol.
fn cancelled(message: &Value) -> Option<RequestId> {
    match ClientJsonRpcMessage::deserialize(message).ok()? {
        ClientJsonRpcMessage::Notification(notice) => match notice.notification {
            ClientNotification::CancelledNotification(cancelled) => cancelled.params.request_id,
            _ => None,
        },
        _ => None,
    }
}

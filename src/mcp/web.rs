//! A host that calls over HTTP. Each request stands alone: what a conversation has is in its session, on any replica.

use std::sync::Arc;

use axum::{
    body::{Body, to_bytes},
    extract::Request,
    response::Response,
};
use rmcp::{
    model::{ClientJsonRpcMessage, ClientNotification, RequestId},
    transport::streamable_http_server::{
        StreamableHttpServerConfig, StreamableHttpService, session::never::NeverSessionManager,
    },
};

use super::{running::Running, server::SessionServer};
use crate::{
    backend::SessionBackend,
    error::{Code, Error, Result},
    limits::TEXT_BODY_BYTES,
};

/// Names the version of the protocol that a host speaks.
const VERSION: &str = "mcp-protocol-version";
/// The first version without a handshake.
const STATELESS: &str = "2026-07-28";

/// The size of a cancellation at most.
const NOTICE_BYTES: usize = 4096;

/// Hosts that call over HTTP, with those of their calls that run. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub struct HttpTransport {
    running: Running,
}

impl HttpTransport {
    /// Answers one request of the protocol in the session behind `backend`. `begins` says that a conversation begins with it, so
    /// that the answer has the listing of skills. Host, Origin and key were checked before.
    ///
    /// A host that leaves ends its call: the library hears of it because nobody waits for the answer any more.
    ///
    /// # Errors
    /// Those of the prompt, if the conversation begins; `invalid_request` if the body breaks off.
    pub async fn answer(&self, backend: SessionBackend, request: Request, begins: bool) -> Result<Response> {
        let (parts, body) = request.into_parts();
        let broken = |cause| Error::new(Code::InvalidRequest, "the request breaks off").with_source(cause);
        let body = to_bytes(body, TEXT_BODY_BYTES).await.map_err(broken)?;
        if let Some(call) = cancelled(&body) {
            self.running.cancel(&backend, &call);
        }
        let server = if begins { SessionServer::new(backend).await? } else { SessionServer::under_way(backend) };
        let server = server.noting_calls(self.running.clone());
        let version = parts.headers.get(VERSION).and_then(|version| version.to_str().ok());
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
        Ok(service.handle(Request::from_parts(parts, Body::from(body))).await.map(Body::new))
    }
}

/// The call that a message cancels, if it cancels one.
fn cancelled(message: &[u8]) -> Option<RequestId> {
    if message.len() > NOTICE_BYTES {
        return None;
    }
    match serde_json::from_slice(message).ok()? {
        ClientJsonRpcMessage::Notification(notice) => match notice.notification {
            ClientNotification::CancelledNotification(cancelled) => cancelled.params.request_id,
            _ => None,
        },
        _ => None,
    }
}

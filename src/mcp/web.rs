//! A host that calls over HTTP. Each request stands alone: what a conversation has is in its session, on any replica.

use std::sync::Arc;

use axum::{body::Body, extract::Request, response::Response};
use rmcp::transport::streamable_http_server::{
    StreamableHttpServerConfig, StreamableHttpService, session::never::NeverSessionManager,
};

use super::server::SessionServer;
use crate::{backend::SkillBackend, error::Result, limits::TEXT_BODY_BYTES};

/// Names the version of the protocol that a host speaks.
const VERSION: &str = "mcp-protocol-version";
/// The first version without a handshake.
const STATELESS: &str = "2026-07-28";

/// Answers one request of the protocol in the session behind `backend`. `begins` says that a conversation begins with it, so that
/// the answer has the listing of skills. Host, Origin and key were checked before.
///
/// # Errors
/// Those of the prompt, if the conversation begins.
pub async fn answer(backend: SkillBackend, request: Request, begins: bool) -> Result<Response> {
    let server = if begins { SessionServer::new(backend).await? } else { SessionServer::under_way(backend) };
    let version = request.headers().get(VERSION).and_then(|version| version.to_str().ok());
    // Versions are dates, which are in the order of their text.
    let server = if version.is_some_and(|version| version >= STATELESS) { server.without_changes() } else { server };
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

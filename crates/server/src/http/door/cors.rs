//! The CORS protocol of the Fetch standard: a page of an origin that the operator lists can call the service and read its answers.
//!
//! Other pages get no CORS header. That includes pages of this machine which are answered because there are no keys: the service
//! does not know whose script they run. A page sets `authorization` itself, so the service never asks a browser for cookies.

use std::sync::LazyLock;

use axum::{
    extract::Request,
    http::{HeaderName, HeaderValue, Method, header},
    middleware::Next,
    response::Response,
};
use tower::{Layer as _, ServiceExt as _};
use tower_http::cors::{AllowOrigin, CorsLayer};

use crate::{
    limits::PREFLIGHT_AGE,
    wire::headers::{CALL_ID, PROMPT_TAG, REQUEST_ID, RESULT_DETAILS, SESSION_VERSION, TOOLS_TAG},
};

/// For requests of listed origins only, so whichever origin it sees may read.
static CORS: LazyLock<CorsLayer> = LazyLock::new(|| {
    let ours = [HeaderName::from_static(SESSION_VERSION), HeaderName::from_static(REQUEST_ID)];
    let of_mcp = [HeaderName::from_static("mcp-session-id"), HeaderName::from_static("mcp-protocol-version")];
    let sent = [
        header::AUTHORIZATION,
        header::CONTENT_TYPE,
        header::IF_MATCH,
        header::IF_NONE_MATCH,
        header::IF_RANGE,
        header::RANGE,
        HeaderName::from_static(CALL_ID),
        HeaderName::from_static(RESULT_DETAILS),
    ];
    let read = [
        header::ACCEPT_RANGES,
        header::CONTENT_DISPOSITION,
        header::CONTENT_RANGE,
        header::ETAG,
        header::RETRY_AFTER,
        header::WWW_AUTHENTICATE,
    ];
    let tags = [HeaderName::from_static(PROMPT_TAG), HeaderName::from_static(TOOLS_TAG)];
    CorsLayer::new()
        .allow_origin(AllowOrigin::mirror_request())
        .allow_methods([Method::GET, Method::HEAD, Method::POST, Method::PUT, Method::PATCH, Method::DELETE])
        .allow_headers(sent.into_iter().chain(ours.clone()).chain(of_mcp.clone()).collect::<Vec<_>>())
        .expose_headers(read.into_iter().chain(ours).chain(tags).chain(of_mcp).collect::<Vec<_>>())
        .max_age(PREFLIGHT_AGE)
        .vary([header::ORIGIN])
});

/// The answer to a page whose origin is listed. A preflight ends here.
pub(crate) async fn shared(request: Request, next: Next) -> Response {
    CORS.layer(next).oneshot(request).await.unwrap_or_else(|never| match never {})
}

/// The answer to everybody else, which no cache may give to a page of a listed origin.
pub(crate) async fn unshared(request: Request, next: Next) -> Response {
    let mut response = next.run(request).await;
    response.headers_mut().append(header::VARY, HeaderValue::from_static("origin"));
    response
}

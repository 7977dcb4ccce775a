//! The layout that pages for people share, and the rights of a page in a browser.
//!
//! A page needs no script. Style and pictures come from this service alone, and the browser holds the page to its policy.

mod layout;

use axum::{
    http::{HeaderMap, HeaderValue, header},
    response::{IntoResponse, Response},
    routing::get,
};
use utoipa_axum::router::OpenApiRouter;

pub(super) use layout::{escape, page};

/// The media type of a page.
pub(super) const HTML: &str = "text/html; charset=utf-8";

/// The rights of a page without scripts. Its forms ask this service alone.
pub(super) const NO_SCRIPTS: &str = "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'self'; \
     frame-ancestors 'none'";

const STYLE: &str = include_str!("style.css");

/// The style sheet of the layout.
pub(super) fn routes() -> OpenApiRouter {
    OpenApiRouter::new()
        .route("/style.css", get(|| async { guarded("text/css; charset=utf-8", NO_SCRIPTS, STYLE.into_response()) }))
}

/// `response` as a text of the media type `kind`, which a browser shows under `policy` and does not keep.
pub(super) fn guarded(kind: &'static str, policy: &'static str, mut response: Response) -> Response {
    let headers = [
        (header::CONTENT_TYPE, kind),
        (header::CONTENT_SECURITY_POLICY, policy),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::CACHE_CONTROL, "no-store"),
    ];
    let headers = headers.into_iter().map(|(name, value)| (name, HeaderValue::from_static(value)));
    response.headers_mut().extend(headers.collect::<HeaderMap>());
    response
}

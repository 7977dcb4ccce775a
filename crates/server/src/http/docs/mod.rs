//! The page that lists every call and lets a person try it.
//!
//! The browser reads the OpenAPI document and makes the page of it, so a new operation needs nothing here. The page loads
//! only these files, and its policy lets a browser run, fetch and show nothing from anywhere else.

use axum::{
    response::{IntoResponse as _, Response},
    routing::get,
};
use utoipa_axum::router::OpenApiRouter;

use crate::{
    http::page::{HTML, guarded},
    path::{DEFAULT_SESSION, DEFAULT_USER},
};

const PAGE: &str = include_str!("page.html");

/// The files that the page loads: name, media type and text.
const ASSETS: [(&str, &str, &str); 10] = [
    ("style.css", "text/css; charset=utf-8", include_str!("style.css")),
    ("icon.svg", "image/svg+xml", include_str!("icon.svg")),
    ("main.js", SCRIPT, include_str!("main.js")),
    ("contract.js", SCRIPT, include_str!("contract.js")),
    ("card.js", SCRIPT, include_str!("card.js")),
    ("body.js", SCRIPT, include_str!("body.js")),
    ("answer.js", SCRIPT, include_str!("answer.js")),
    ("schema.js", SCRIPT, include_str!("schema.js")),
    ("caller.js", SCRIPT, include_str!("caller.js")),
    ("dom.js", SCRIPT, include_str!("dom.js")),
];
const SCRIPT: &str = "text/javascript; charset=utf-8";

/// The rights of the page in a browser. Files of users come from the same origin, but never as a script or a style.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; \
     form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'";

/// The page and its files.
pub(super) fn routes() -> OpenApiRouter {
    let pages = OpenApiRouter::new().route("/docs", get(page));
    ASSETS.into_iter().fold(pages, |routes, (name, kind, text)| {
        routes.route(&format!("/docs/{name}"), get(move || async move { guarded(kind, POLICY, text.into_response()) }))
    })
}

/// The page for a person who calls as the command line does.
async fn page() -> Response {
    let page = PAGE.replace("{{user}}", DEFAULT_USER).replace("{{session}}", DEFAULT_SESSION);
    guarded(HTML, POLICY, page.into_response())
}

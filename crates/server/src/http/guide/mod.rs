//! The guide: the book of the repository and the documents beside it, as pages that this service carries, with a search.
//!
//! `book` reads the summary and knows the pages, `markdown` renders them, and `search` finds sections. A page is rendered once,
//! when somebody first asks for it.

mod book;
mod links;
mod markdown;
mod pages;
mod search;
mod summary;

use axum::{
    extract::Path,
    http::{HeaderMap, Method, StatusCode},
    response::{IntoResponse as _, Redirect, Response},
    routing::{any, get},
};
use serde::Deserialize;
use utoipa_axum::router::OpenApiRouter;

use self::pages::GUIDE;
use crate::{
    error::Error,
    http::{
        body::{Parameters, prefers},
        door::HandlerResult,
        page::{HTML, NO_SCRIPTS, guarded},
        routes::unknown_route,
    },
};

/// The rights of a picture. Its styles are inside, and nothing in it runs.
const PICTURE: &str = "default-src 'none'; style-src 'unsafe-inline'; sandbox";

/// The question of the form.
#[derive(Deserialize)]
struct SearchParameters {
    #[serde(default)]
    q: String,
}

/// The guide, and the root, which redirects browsers to the guide.
pub(super) fn routes() -> OpenApiRouter {
    OpenApiRouter::new()
        .route("/", any(root))
        .route("/guide", get(|| async { Redirect::permanent("guide/") }))
        .route("/guide/", get(first_page))
        .route("/guide/search", get(results))
        .route("/guide/{*page}", get(page))
}

async fn root(method: Method, headers: HeaderMap) -> HandlerResult<Redirect> {
    if method.is_safe() && prefers(&headers, "text/html", "application/json") {
        return Ok(Redirect::to("guide/"));
    }
    Err(unknown_route().await)
}

async fn first_page(headers: HeaderMap) -> HandlerResult<Response> {
    shown("", &headers)
}

async fn page(Path(address): Path<String>, headers: HeaderMap) -> HandlerResult<Response> {
    if let Some(picture) = GUIDE.picture(&address) {
        return Ok(guarded("image/svg+xml", PICTURE, picture.into_response()));
    }
    shown(&address, &headers)
}

/// The page at an address below `/guide/`, or a page that there is none.
fn shown(address: &str, headers: &HeaderMap) -> HandlerResult<Response> {
    let Some(text) = GUIDE.page(address) else {
        let missing = (StatusCode::NOT_FOUND, GUIDE.missing(address)).into_response();
        return Ok(guarded(HTML, NO_SCRIPTS, missing));
    };
    let text = text.as_ref().map_err(|cause| Error::internal(cause.chain()))?;
    Ok(guarded(HTML, NO_SCRIPTS, text.answer(headers)))
}

async fn results(Parameters(SearchParameters { q }): Parameters<SearchParameters>) -> Response {
    guarded(HTML, NO_SCRIPTS, GUIDE.results(&q).into_response())
}

//! `/v1/skills`: published skills in the shapes of the Skills APIs of Anthropic and of OpenAI, so that the SDKs of both need
//! nothing but this address.
//!
//! One set of routes answers both. Every client of the one API sends the header `anthropic-version`, and no client of the
//! other does. The header chooses the shape of the reply, errors included. These routes publish as the other routes do, with
//! the same checks of rights.

mod documents;
mod failure;
mod form;
mod ids;
mod problems;
mod reads;
mod shape;
mod writes;

use axum::{
    extract::{DefaultBodyLimit, Request},
    http::{HeaderValue, header},
    middleware::Next,
    response::Response,
};
use utoipa_axum::{router::OpenApiRouter, routes};

pub(super) use problems::render;
pub(super) use shape::ApiShape;

/// The header in which clients of one of the APIs send their key.
const API_KEY: &str = "x-api-key";

/// The routes of a user's published skills.
pub(super) fn routes() -> OpenApiRouter {
    // The form has a limit of its own.
    OpenApiRouter::new()
        .routes(routes!(writes::create))
        .routes(routes!(writes::add_version))
        .layer(DefaultBodyLimit::disable())
        .routes(routes!(reads::list))
        .routes(routes!(reads::show, writes::publish_version, writes::delete))
        .routes(routes!(reads::content))
        .routes(routes!(reads::versions))
        .routes(routes!(reads::version, writes::remove_version))
        .routes(routes!(reads::version_content))
}

/// Takes the key from `x-api-key` if there is no `authorization`.
pub(super) async fn take_key(mut request: Request, next: Next) -> Response {
    let headers = request.headers_mut();
    if let Some(key) = headers.remove(API_KEY)
        && !headers.contains_key(header::AUTHORIZATION)
        && let Ok(bearer) = HeaderValue::from_bytes(&[b"Bearer ", key.as_bytes()].concat())
    {
        headers.insert(header::AUTHORIZATION, bearer);
    }
    next.run(request).await
}

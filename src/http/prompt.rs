//! The prompt: what the agent framework puts before the model.

use axum::{
    Extension, Json,
    http::{HeaderMap, HeaderValue, StatusCode, header},
    response::{IntoResponse as _, Response},
};
use utoipa_axum::{router::OpenApiRouter, routes};

use super::{
    accept::prefers,
    body::Parameters,
    call::SessionCall,
    conditions::{Tags, weak},
    problem::{Failure, Reply},
};
use crate::{
    path::ETag,
    prompt::{self, PromptRequest, Rendering},
};

/// The prompt of a session.
pub(super) fn of_session() -> OpenApiRouter {
    OpenApiRouter::new().routes(routes!(show))
}

/// Render the prompt. With `accept: text/plain` the reply is the bare prompt. The ETag stays while the prompt does.
#[utoipa::path(get, path = "/prompt", operation_id = "render_prompt", tag = "skills",
    params(PromptRequest, ("If-None-Match" = Option<String>, Header, description = "The `ETag` of a prompt that the client has.")),
    responses(
        (status = 200, content((Rendering = "application/json"), (String = "text/plain")),
            headers(("ETag" = String, description = "The tag of these very bytes."))),
        (status = 304, description = "The prompt is still the one of `if-none-match`.",
            headers(("ETag" = String, description = "The tag of these very bytes."))),
        Failure))]
async fn show(
    Extension(call): Extension<SessionCall>,
    Parameters(request): Parameters<PromptRequest>,
    headers: HeaderMap,
) -> Reply<Response> {
    let rendering = prompt::for_session(&call.backend, &request).await?;
    let plain = prefers(&headers, "text/plain", "application/json");
    // Two representations of one prompt must not share a tag.
    let form = if plain { "text" } else { "json" };
    let etag = ETag::new(&format!("{}-{form}", rendering.etag()));
    let unchanged = Tags::of(&headers, &header::IF_NONE_MATCH).is_some_and(|tags| tags.name(&etag));
    let mut response = match (unchanged, plain) {
        (true, _) => StatusCode::NOT_MODIFIED.into_response(),
        (false, true) => rendering.prompt.into_response(),
        (false, false) => Json(rendering).into_response(),
    };
    let headers = response.headers_mut();
    headers.extend(HeaderValue::try_from(weak(&etag)).ok().map(|value| (header::ETAG, value)));
    headers.insert(header::VARY, HeaderValue::from_static("accept, accept-encoding"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("private, no-cache"));
    Ok(response)
}

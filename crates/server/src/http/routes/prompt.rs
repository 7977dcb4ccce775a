//! The prompt: the text that the agent framework puts before the model.

use axum::{
    Json,
    http::{HeaderMap, header},
    response::{IntoResponse as _, Response},
};

use crate::{
    error::Error,
    http::{Failure, HandlerResult, Parameters, SessionCall, prefers, unless_known},
    path::ETag,
    prompt::{self},
    wire::{PromptRequest, Rendering},
};

/// Render the prompt. With `accept: text/plain` the reply is the bare prompt. The ETag stays while the prompt does.
#[utoipa::path(get, path = "/prompt", operation_id = "render_prompt", tag = "skills",
    params(PromptRequest, ("If-None-Match" = Option<String>, Header, description = "The `ETag` of a prompt that the client has.")),
    responses(
        (status = 200, content((Rendering = "application/json"), (String = "text/plain")),
            headers(("ETag" = String, description = "The tag of these very bytes."),
                ("Cache-Control" = String, description = "`private, no-cache`."))),
        (status = 304, description = "The prompt is still the one of `if-none-match`.",
            headers(("ETag" = String, description = "The tag of these very bytes."),
                ("Cache-Control" = String, description = "`private, no-cache`."))),
        Failure))]
pub(crate) async fn show(
    call: SessionCall,
    request: Parameters<PromptRequest>,
    headers: HeaderMap,
) -> HandlerResult<Response> {
    let rendering = prompt::for_session(&call.backend, &request).await?;
    let plain = prefers(&headers, "text/plain", "application/json");
    // Two representations of one prompt must not share a tag. An explanation may change while the prompt does not.
    let (tag, form) = match &rendering.explain {
        _ if plain => (rendering.etag(), "text"),
        None => (rendering.etag(), "json"),
        Some(_) => (ETag::of_bytes(&serde_json::to_vec(&rendering).map_err(Error::internal)?), "explained"),
    };
    let etag = ETag::new(&format!("{tag}-{form}"));
    let response = unless_known(&headers, &etag, || {
        if plain { rendering.prompt.into_response() } else { Json(rendering).into_response() }
    });
    Ok(([(header::VARY, "accept, accept-encoding")], response).into_response())
}

//! Problems in the shape of an API.

use axum::{
    Json,
    http::{HeaderName, HeaderValue},
    response::{IntoResponse as _, Response},
};

use super::{documents, shape::ApiShape};
use crate::http::door::{Problem, problem};

/// The header by which clients of both APIs decide whether to try again.
const SHOULD_RETRY: HeaderName = HeaderName::from_static("x-should-retry");
/// The id of a request, where clients of one API look for it.
const REQUEST_ID: HeaderName = HeaderName::from_static("request-id");

/// Writes a problem into its response in the shape of an API; other responses pass through untouched.
pub(in crate::http) fn render(response: Response, request_id: &str, shape: ApiShape) -> Response {
    let failed = response.extensions().get::<Problem>().map(|problem| problem.error().retryable());
    let mut response = problem::render_as(response, request_id, |problem| {
        Json(documents::error(shape, problem.error(), request_id)).into_response()
    });
    let headers = response.headers_mut();
    if let Some(retryable) = failed {
        headers.insert(SHOULD_RETRY, HeaderValue::from_static(if retryable { "true" } else { "false" }));
    }
    if shape == ApiShape::Anthropic {
        headers.extend(HeaderValue::from_str(request_id).ok().map(|id| (REQUEST_ID, id)));
    }
    response
}

//! Errors on the wire: `application/problem+json`, RFC 9457.
//!
//! A handler returns a [`Problem`]. Only the outermost middleware knows the request id, so it writes the document
//! ([`render`]) and logs a hidden cause. Every other error status goes the same way, except hyper's own replies to
//! unreadable requests. So a client never meets a second shape of error.

use axum::{
    Json,
    body::HttpBody as _,
    http::{HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use serde::Serialize;
use serde_json::{Map, Value};
use utoipa::{
    PartialSchema as _, ToSchema,
    openapi::{RefOr, schema::Schema},
};

use crate::{
    error::{Code, Error, Kind, Outcome, Parts},
    wire::ErrorCode,
};

/// The result of a handler.
pub(crate) type HandlerResult<T> = Result<T, Problem>;

/// The result of a handler that replies with a JSON document.
pub(crate) type JsonReply<T> = HandlerResult<Json<T>>;

/// An error on its way to the client. It has a status of its own if HTTP has a closer one than the code's.
#[derive(Clone, Debug)]
pub(crate) struct Problem {
    error: Error,
    status: StatusCode,
    content_range: Option<HeaderValue>,
}

impl Problem {
    /// The error.
    pub(crate) fn error(&self) -> &Error {
        &self.error
    }

    /// The problem of `error`, under another status than its code's.
    pub(crate) fn with_status(error: Error, status: StatusCode) -> Self {
        Self { error, status, content_range: None }
    }

    /// A range that no byte of a file of `size` bytes lies in.
    pub(crate) fn range_not_satisfiable(size: u64) -> Self {
        let message = format!("the range lies outside the file, which has {size} bytes");
        Self {
            content_range: HeaderValue::try_from(format!("bytes */{size}")).ok(),
            ..Self::with_status(Error::new(Code::OffsetOutOfRange, message), StatusCode::RANGE_NOT_SATISFIABLE)
        }
    }
}

impl From<Error> for Problem {
    fn from(error: Error) -> Self {
        let status = StatusCode::from_u16(error.code().http_status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        Self::with_status(error, status)
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let mut response = self.status.into_response();
        response.extensions_mut().insert(self);
        response
    }
}

/// What went wrong and what to do next, by RFC 9457.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Problem)]
pub(crate) struct ProblemDocument<'a> {
    /// A name for the sort of problem: `urn:skillmount:problem:` and the code.
    #[serde(rename = "type")]
    kind: String,
    /// The sort of problem in words.
    title: &'static str,
    /// The HTTP status.
    status: u16,
    /// The fault and the next step, in words for an agent.
    detail: &'a str,
    /// The stable code.
    #[schema(value_type = ErrorCode)]
    code: &'static str,
    /// The id of this request in the service's log.
    request_id: &'a str,
    /// Whether the same request may succeed later without being changed.
    retryable: bool,
    /// Whether the failed change is in the store, where that question makes sense.
    #[serde(skip_serializing_if = "Option::is_none")]
    outcome: Option<Outcome>,
    /// What became of each part of the failed change, if it has several.
    #[serde(skip_serializing_if = "Option::is_none")]
    parts: Option<Parts>,
    /// Further members by code: `suggestions`, `candidates`, `occurrences`, `approval_id`.
    #[serde(flatten)]
    #[schema(value_type = Object)]
    details: &'a Map<String, Value>,
}

/// Writes the document of a problem into its response; other responses pass through untouched.
pub(crate) fn render(response: Response, request_id: &str) -> Response {
    render_as(response, request_id, |problem| {
        let mut written = Json(document(problem, request_id)).into_response();
        let problem = HeaderValue::from_static("application/problem+json");
        written.headers_mut().insert(header::CONTENT_TYPE, problem);
        written
    })
}

/// As [`render`], in another shape: `write` makes the response that is the problem's document.
pub(crate) fn render_as(
    mut response: Response,
    request_id: &str,
    write: impl FnOnce(&Problem) -> Response,
) -> Response {
    let Some(problem) = response.extensions_mut().remove::<Problem>() else { return response };
    log_cause(&problem, request_id);
    let mut written = write(&problem);
    let kind = written.headers().get(header::CONTENT_TYPE).cloned();
    let headers = written.headers_mut();
    headers.extend(std::mem::take(response.headers_mut()));
    if let Some(kind) = kind {
        headers.insert(header::CONTENT_TYPE, kind);
    }
    if let Some(length) = written.body().size_hint().exact() {
        written.headers_mut().insert(header::CONTENT_LENGTH, length.into());
    }
    add_advice(written.headers_mut(), &problem);
    *written.status_mut() = problem.status;
    *written.extensions_mut() = std::mem::take(response.extensions_mut());
    written
}

fn document<'a>(problem: &'a Problem, request_id: &'a str) -> ProblemDocument<'a> {
    let error = &problem.error;
    ProblemDocument {
        kind: format!("urn:skillmount:problem:{}", error.code()),
        title: error.kind().title(),
        status: problem.status.as_u16(),
        detail: error.message(),
        code: error.name(),
        request_id,
        retryable: error.retryable(),
        outcome: error.outcome(),
        parts: error.parts(),
        details: error.details(),
    }
}

/// Headers that HTTP wants beside certain statuses.
fn add_advice(headers: &mut axum::http::HeaderMap, problem: &Problem) {
    match problem.error.kind() {
        Kind::Unauthenticated => {
            headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer realm=\"skillmount\""));
        }
        Kind::TooMany | Kind::Unavailable => {
            headers.insert(header::RETRY_AFTER, HeaderValue::from_static("1"));
        }
        _ => {}
    }
    if let Some(range) = &problem.content_range {
        headers.insert(header::CONTENT_RANGE, range.clone());
    }
}

/// The chain of causes goes to the log, since the client never sees it.
fn log_cause(problem: &Problem, request_id: &str) {
    if std::error::Error::source(&problem.error).is_none() {
        return;
    }
    let (code, cause) = (problem.error.name(), problem.error.chain());
    if problem.error.kind() == Kind::Internal {
        tracing::error!(request_id, code, cause, "request failed");
    } else {
        tracing::warn!(request_id, code, cause, "request failed");
    }
}

/// The schemas of a problem document: the routes refer to them but, being responses, do not bring them along.
pub(crate) fn schemas() -> Vec<(String, RefOr<Schema>)> {
    let mut schemas = vec![(ProblemDocument::name().into_owned(), ProblemDocument::schema())];
    ProblemDocument::schemas(&mut schemas);
    schemas
}

/// An enum of failures for the OpenAPI document: the status, the name and the description of each.
macro_rules! failures {
    ($(#[$about:meta])* $name:ident($body:ty, $kind:literal) { $($status:literal $failure:ident $why:literal)* }) => {
        $(#[$about])*
        #[derive(utoipa::IntoResponses)]
        #[expect(dead_code, reason = "read by the OpenAPI generator alone")]
        pub(crate) enum $name {
            $(#[doc = $why] #[response(status = $status, content_type = $kind)] $failure($body),)*
        }
    };
}

pub(crate) use failures;

failures! {
    /// The failures that every operation may answer with.
    Failure(ProblemDocument<'static>, "application/problem+json") {
        400 Invalid "The request is not valid: `invalid_request`, `invalid_path`, `invalid_pattern` and their like."
        401 Unauthenticated "No key, or one that is unknown or expired."
        403 Denied "The key, the policy, the mount or the Host does not allow it."
        404 NotFound "Nothing of that name can be seen from here."
        409 Conflict "The state differs from what the caller assumed."
        413 TooLarge "A body or file over its limit."
        429 TooMany "Too much at once; wait as `retry-after` says."
        500 Internal "A bug; the log has the request id."
        503 Unavailable "The store did not answer in time; `outcome` says whether a change may have landed."
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::JSON_BODY_BYTES;

    /// The document, status and headers of a problem.
    async fn rendered(problem: Problem) -> String {
        let response = render(problem.into_response(), "request-1");
        let lines = response.headers().iter().filter(|(name, _)| *name != header::CONTENT_LENGTH);
        let headers = lines.map(|(name, value)| format!("{name}: {}\n", value.to_str().unwrap()));
        let head = format!("{}\n{}", response.status(), headers.collect::<String>());
        let body = axum::body::to_bytes(response.into_body(), JSON_BODY_BYTES).await.unwrap();
        let document: Value = serde_json::from_slice(&body).unwrap();
        format!("{head}{}\n", serde_json::to_string_pretty(&document).unwrap())
    }

    #[tokio::test]
    async fn the_document_of_every_code_is_as_reviewed() {
        let mut problems: Vec<Problem> =
            Code::ALL.iter().map(|code| Error::new(*code, "what to do next").into()).collect();
        let parts = Parts { file: Some(Outcome::Applied), session: Some(Outcome::Unknown), audit: None };
        let half_done = Error::new(Code::StoreUnavailable, "what to do next").with_parts(parts);
        problems.push(half_done.with_detail("deleted", 2).into());
        problems.push(Problem::range_not_satisfiable(7));
        let mut text = String::new();
        for problem in problems {
            text += &rendered(problem).await;
            text += "\n";
        }
        // Beside the other snapshots, which are no part of the crate that is published.
        let place = "../../../../../tests/it/http/snapshots";
        insta::with_settings!({ snapshot_path => place, prepend_module_to_snapshot => false }, {
            insta::assert_snapshot!("problems", text);
        });
    }
}

//! The middleware around every request, whatever its route, from the outside in.
//!
//! * [`observe`] names, counts and logs the request, and writes problems out.
//! * [`read_to_end`](super::unread_body::read_to_end) reads the rest of a body that the others did not read.
//! * [`admit`] refuses requests that must not be served, and lets listed pages read the answer.
//! * [`run_in_time`] ends a request that takes too long.
//!
//! A call gets its shares later, in `shares`, because its user is not known before.

use std::any::Any;

use axum::{
    extract::{MatchedPath, Request, State},
    http::{HeaderMap, HeaderValue, Method, StatusCode, header},
    middleware::Next,
    response::{IntoResponse as _, Response},
};

use super::{
    cors,
    log::{LogLine, logged},
    metrics::known_method,
    problem::{self},
};
use crate::{
    clock::Clock,
    error::{Code, Error, Outcome},
    http::{
        ClientAddress, HandlerResult, Problem, ServedUser, SharedState, peer_headers,
        skills_api::{self, ApiShape},
    },
    limits::{HEADER_BYTES, REQUEST_ID_BYTES, REQUEST_TIMEOUT},
    wire::headers::REQUEST_ID,
};

/// Names the request, writes out its problem if there is any, logs a line and counts the answer.
pub(crate) async fn observe(State(app): State<SharedState>, request: Request, next: Next) -> Response {
    let under_way = app.metrics.begin();
    let began = app.clock.uptime();
    let id = request_id(request.headers(), &*app.clock);
    let route = request.extensions().get::<MatchedPath>().map_or("unknown", MatchedPath::as_str).to_owned();
    let method = known_method(request.method());
    let client = request.extensions().get::<ClientAddress>().map(|client| client.0);
    let shape = ApiShape::of_request(&request);
    let response = next.run(request).await;
    let mut response = match shape {
        Some(shape) => skills_api::render(response, &id, shape),
        None => problem::render(response, &id),
    };
    if let Ok(value) = HeaderValue::from_str(&id) {
        response.headers_mut().insert(REQUEST_ID, value);
    }
    let took = app.clock.uptime().saturating_sub(began);
    let status = response.status().as_u16();
    app.metrics.count(&route, method, status, took);
    let served = response.extensions_mut().remove::<ServedUser>();
    logged(response, LogLine { request_id: id, method, route, status, took, client, served, under_way, bytes: 0 })
}

/// Turns away requests that are too big in their headers or come from the wrong place. A page of a listed
/// origin can read every answer from here on inwards, errors included.
pub(crate) async fn admit(State(app): State<SharedState>, request: Request, next: Next) -> HandlerResult<Response> {
    if header_bytes(&request) > HEADER_BYTES {
        let error = invalid!("the headers are over the limit of {HEADER_BYTES} bytes");
        return Err(Problem::with_status(error, StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE));
    }
    let callers = app.callers();
    let peer = peer_headers(request.uri(), request.headers());
    callers.peers.check(&peer, callers.keys.are_required())?;
    let is_listed = callers.peers.lists_origin(&peer);
    Ok(if is_listed { cors::shared(request, next).await } else { cors::unshared(request, next).await })
}

/// Refuses a body that would have to be decompressed, and ends a request that takes too long.
pub(crate) async fn run_in_time(request: Request, next: Next) -> HandlerResult<Response> {
    let coding = request.headers().get(header::CONTENT_ENCODING);
    if coding.is_some_and(|coding| !coding.as_bytes().eq_ignore_ascii_case(b"identity")) {
        let error = invalid!("bodies are taken as they are: send it without `content-encoding`");
        return Err(Problem::with_status(error, StatusCode::UNSUPPORTED_MEDIA_TYPE));
    }
    let method = request.method().clone();
    tokio::time::timeout(REQUEST_TIMEOUT, next.run(request)).await.map_err(|_| too_slow(&method).into())
}

/// Turns a panic of a handler into a 500. Other requests go on.
#[expect(clippy::needless_pass_by_value, reason = "the signature that the panic layer calls")]
pub(crate) fn panicked(payload: Box<dyn Any + Send + 'static>) -> Response {
    let words = payload.downcast_ref::<String>().map(String::as_str).or(payload.downcast_ref::<&str>().copied());
    let cause = format!("panic: {}", words.unwrap_or("without a message"));
    Problem::from(Error::internal(cause)).into_response()
}

fn too_slow(method: &Method) -> Error {
    let seconds = REQUEST_TIMEOUT.as_secs();
    let error = Error::new(Code::StoreUnavailable, format!("the request was not done within {seconds} s; try again"));
    if method.is_safe() { error } else { error.with_outcome(Outcome::Unknown) }
}

/// Bytes of the request's head as HTTP/1 writes them.
fn header_bytes(request: &Request) -> usize {
    const COLON_SPACE_LINE_END: usize = 4;
    let fields = request.headers().iter().map(|(name, value)| name.as_str().len() + value.len() + COLON_SPACE_LINE_END);
    request.uri().path_and_query().map_or(0, |line| line.as_str().len()) + fields.sum::<usize>()
}

/// The id of the request. A plain token from the client is kept, so the client can match its log with ours. Otherwise the id
/// is new.
fn request_id(headers: &HeaderMap, clock: &dyn Clock) -> String {
    let plain = |id: &&str| {
        (1..=REQUEST_ID_BYTES).contains(&id.len())
            && id.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte))
    };
    let given = headers.get(REQUEST_ID).and_then(|value| value.to_str().ok()).filter(plain);
    given.map_or_else(|| format!("{:032x}", clock.random()), str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::SystemClock;

    #[tokio::test]
    async fn a_request_id_is_taken_at_the_limit_and_replaced_beyond_it() {
        let id = |given: &str| {
            let headers = HeaderMap::from_iter([(REQUEST_ID.parse().unwrap(), given.parse().unwrap())]);
            request_id(&headers, &SystemClock::new())
        };
        let longest = "a".repeat(REQUEST_ID_BYTES);
        assert_eq!(id(&longest), longest);
        for bad in [format!("{longest}a"), String::new(), "a b".to_owned(), "a\"b".to_owned()] {
            assert_eq!(id(&bad).len(), 32, "{bad}");
        }
    }
}

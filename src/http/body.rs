//! Request bodies and query strings: parsed into types, bounded before they are buffered.
//!
//! axum's own extractors answer with plain text and take fields they do not know; these answer with problems, refuse a
//! field that a typo made, and say where in the body the fault lies.

use axum::{
    body::HttpBody as _,
    extract::{FromRequest, FromRequestParts, Query, Request},
    http::{HeaderMap, StatusCode, header, request::Parts},
};
use bytes::{Bytes, BytesMut};
use futures_util::StreamExt as _;
use serde::de::DeserializeOwned;

use super::{call::UserCall, cost::Cost, pace::TooSlow, problem::Problem};
use crate::{
    error::{Code, Error, Result},
    json,
    limits::{BODY_BYTES_PER_SECOND, JSON_BODY_BYTES},
};

/// Steps for each byte of JSON: a body of over 64 KiB is parsed by a worker.
const STEPS_PER_BYTE: u64 = 4;

/// A JSON object of exactly the fields of `T`.
pub(super) struct JsonBody<T>(pub(super) T);

impl<T: DeserializeOwned + Send + 'static, S: Send + Sync> FromRequest<S> for JsonBody<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, _: &S) -> Result<Self, Problem> {
        if !is_json(request.headers()) {
            let message = "the body of this call is JSON: send it with `content-type: application/json`";
            let error = Error::new(Code::InvalidRequest, message);
            return Err(Problem::with_status(error, StatusCode::UNSUPPORTED_MEDIA_TYPE));
        }
        let limit = request.extensions().get::<Cost>().map_or(JSON_BODY_BYTES, |cost| cost.json_bytes());
        let call = request.extensions().get::<UserCall>().cloned();
        let bytes = read_whole(request, limit).await?;
        let Some(call) = call else { return Ok(Self(parse(&bytes)?)) };
        let steps = STEPS_PER_BYTE * bytes.len() as u64;
        let errand = call.app.service.workers().errand(call.user.as_str(), steps);
        Ok(Self(errand.run_sized(steps, move |_| parse(&bytes)).await?))
    }
}

/// A JSON object of exactly the fields of `T`, or no body at all.
pub(super) struct OptionalJsonBody<T>(pub(super) T);

impl<T: DeserializeOwned + Default + Send + 'static, S: Send + Sync> FromRequest<S> for OptionalJsonBody<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, state: &S) -> Result<Self, Problem> {
        if request.body().is_end_stream() {
            return Ok(Self(T::default()));
        }
        let JsonBody(value) = JsonBody::from_request(request, state).await?;
        Ok(Self(value))
    }
}

/// The parameters of a query string.
pub(super) struct Parameters<T>(pub(super) T);

impl<T: DeserializeOwned + Send, S: Send + Sync> FromRequestParts<S> for Parameters<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Problem> {
        match Query::<T>::try_from_uri(&parts.uri) {
            Ok(Query(value)) => Ok(Self(value)),
            Err(rejection) => Err(Error::new(Code::InvalidRequest, rejection.body_text()).into()),
        }
    }
}

/// Reads a body of at most `limit` bytes.
///
/// # Errors
/// `file_too_large` above it, `invalid_request` where the body breaks off.
pub(super) async fn read_whole(request: Request, limit: usize) -> Result<Bytes> {
    let too_large = check_announced(&request, limit)?.is_some_and(|announced| announced > limit as u64);
    let mut body = request.into_body().into_data_stream();
    let mut whole = BytesMut::new();
    let mut seen = 0;
    while let Some(chunk) = body.next().await {
        let chunk = chunk.map_err(broken)?;
        seen += chunk.len();
        if seen > limit {
            return Err(over(limit));
        }
        // A body that is known to be refused is read, up to the limit, only so that its sender gets to see the reply.
        if !too_large {
            whole.extend_from_slice(&chunk);
        }
    }
    if too_large { Err(over(limit)) } else { Ok(whole.freeze()) }
}

/// The length of a body, if its sender announced it.
///
/// # Errors
/// `file_too_large` if it is over `limit` and its sender waits to hear that before it sends.
pub(super) fn check_announced(request: &Request, limit: usize) -> Result<Option<u64>> {
    let announced = request.body().size_hint().exact();
    let too_large = announced.is_some_and(|announced| announced > limit as u64);
    let waits = request.headers().contains_key(header::EXPECT);
    if too_large && waits { Err(over(limit)) } else { Ok(announced) }
}

/// The error of a body or part over its limit.
pub(super) fn over(limit: usize) -> Error {
    Error::new(Code::FileTooLarge, format!("the body is over the limit of {limit} bytes; send less at once"))
        .with_detail("limit", limit as u64)
}

/// The error of a body that its sender cut off, or that came too slowly.
pub(super) fn broken(cause: impl std::error::Error + Send + Sync + 'static) -> Error {
    let message = if TooSlow::caused(&cause) {
        format!("the body came slower than {BODY_BYTES_PER_SECOND} bytes a second; send it again on a better line")
    } else {
        "the body of the request broke off; send it again".to_owned()
    };
    Error::new(Code::InvalidRequest, message).with_source(cause)
}

/// Reads a JSON object of exactly the fields of `T`.
pub(super) fn parse<T: DeserializeOwned>(bytes: &[u8]) -> Result<T> {
    let first = bytes.iter().find(|byte| !byte.is_ascii_whitespace());
    if first != Some(&b'{') {
        return Err(Error::new(Code::InvalidRequest, "the body of this call is a JSON object: {…}"));
    }
    json::from_request(bytes)
}

/// Whether a body is announced as JSON.
pub(super) fn is_json(headers: &HeaderMap) -> bool {
    let given = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    given.split(';').next().unwrap_or_default().trim().eq_ignore_ascii_case("application/json")
}

#[cfg(test)]
mod tests {
    use axum::body::Body;

    use super::*;

    fn request(bytes: usize) -> Request {
        Request::new(Body::from(vec![b'x'; bytes]))
    }

    #[tokio::test]
    async fn a_body_is_taken_at_the_limit_and_refused_beyond_it() {
        assert_eq!(read_whole(request(10), 10).await.unwrap().len(), 10);
        assert_eq!(read_whole(request(11), 10).await.unwrap_err().code(), Code::FileTooLarge);
        let unannounced =
            futures_util::stream::iter((0..11).map(|_| Ok::<_, std::io::Error>(Bytes::from_static(b"x"))));
        let unannounced = Request::new(Body::from_stream(unannounced));
        assert_eq!(read_whole(unannounced, 10).await.unwrap_err().code(), Code::FileTooLarge);
    }

    #[test]
    fn a_fault_is_named_with_its_place() {
        #[derive(Debug, serde::Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Body {
            #[expect(dead_code, reason = "only its type matters here")]
            path: String,
        }
        for (text, part) in [
            (&br#"{"path": "/", "pth": 1}"#[..], "unknown field `pth`"),
            (br#"{"path": 1}"#, "expected a string at line 1 column 10"),
            (br#"{"path": "#, "EOF"),
            (b"{\"path\": \"\xff\"}", "unicode"),
            (br#"["/"]"#, "JSON object"),
            (b"", "JSON object"),
        ] {
            let error = parse::<Body>(text).unwrap_err();
            assert_eq!(error.code(), Code::InvalidRequest);
            assert!(error.message().contains(part), "{error}");
        }
    }
}

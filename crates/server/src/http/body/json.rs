//! Request bodies and query strings, parsed into types.
//!
//! axum's own extractors answer with plain text and take fields they do not know; these answer with problems, refuse a
//! field that a typo made, and say where in the body the fault lies.

use std::ops::Deref;

use axum::{
    body::HttpBody as _,
    extract::{FromRequest, FromRequestParts, Query, Request},
    http::{HeaderMap, StatusCode, header, request::Parts},
};
use bytes::Bytes;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::receive::read_whole;
use crate::{
    error::Result,
    http::{Cost, Problem, UserCall},
    json,
    limits::JSON_BODY_BYTES,
};

/// Steps for each byte of JSON: a body of over 64 KiB is parsed by a worker.
const STEPS_PER_BYTE: u64 = 4;

/// A JSON object of exactly the fields of `T`.
pub(crate) struct JsonBody<T>(pub(crate) T);

impl<T: DeserializeOwned + Send + 'static, S: Send + Sync> FromRequest<S> for JsonBody<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, _: &S) -> Result<Self, Problem> {
        if !is_json(request.headers()) {
            let error = invalid!("the body of this call is JSON: send it with `content-type: application/json`");
            return Err(Problem::with_status(error, StatusCode::UNSUPPORTED_MEDIA_TYPE));
        }
        let limit = request.extensions().get::<Cost>().map_or(JSON_BODY_BYTES, |cost| cost.json_bytes());
        let call = request.extensions().get::<UserCall>().cloned();
        let bytes = read_whole(request, limit).await?;
        let Some(call) = call else { return Ok(Self(parse(&bytes)?)) };
        Ok(Self(parse_for(&call, bytes).await?))
    }
}

/// Reads a JSON object of exactly the fields of `T` for a call, by a worker if it is long.
///
/// # Errors
/// Those of [`parse`], and of a worker.
pub(crate) async fn parse_for<T: DeserializeOwned + Send + 'static>(call: &UserCall, bytes: Bytes) -> Result<T> {
    let steps = STEPS_PER_BYTE * bytes.len() as u64;
    let errand = call.app.service.workers().errand(call.user.as_str(), steps).for_key(call.caller.key());
    errand.run_sized(steps, move |_| parse(&bytes)).await
}

/// Reads any JSON for a call, within the bounds of a body, by a worker if it is long.
///
/// # Errors
/// `invalid_request` for text that is no JSON; `too_expensive` over the bounds; those of a worker.
pub(crate) async fn parse_value_for(call: &UserCall, bytes: Bytes) -> Result<Value> {
    let steps = STEPS_PER_BYTE * bytes.len() as u64;
    let errand = call.app.service.workers().errand(call.user.as_str(), steps).for_key(call.caller.key());
    errand.run_sized(steps, move |_| json::from_request(&bytes)).await
}

/// A JSON object of exactly the fields of `T`, or no body at all.
pub(crate) struct OptionalJsonBody<T>(pub(crate) T);

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
pub(crate) struct Parameters<T>(pub(crate) T);

impl<T> Deref for Parameters<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T: DeserializeOwned + Send, S: Send + Sync> FromRequestParts<S> for Parameters<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Problem> {
        match Query::<T>::try_from_uri(&parts.uri) {
            Ok(Query(value)) => Ok(Self(value)),
            Err(rejection) => {
                // The last error of the chain describes the parameter. The first one describes the library.
                let cause =
                    std::error::Error::source(&rejection).map_or_else(|| rejection.body_text(), ToString::to_string);
                Err(invalid!("the query of this call is not valid: {cause}; /openapi.json lists its parameters").into())
            }
        }
    }
}

/// Reads a JSON object of exactly the fields of `T`.
fn parse<T: DeserializeOwned>(bytes: &[u8]) -> Result<T> {
    let first = bytes.iter().find(|byte| !byte.is_ascii_whitespace());
    if first != Some(&b'{') {
        return Err(json::no_object());
    }
    json::from_request(bytes)
}

/// Whether a body is announced as JSON.
pub(crate) fn is_json(headers: &HeaderMap) -> bool {
    let given = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    given.split(';').next().unwrap_or_default().trim().eq_ignore_ascii_case("application/json")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Code;

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

//! Answers in gzip, for requests that prefer it.
//!
//! Only text that was made for the answer is compressed: documents, prompts and pages. The bytes of a file go out as they are,
//! because its tag names exactly these bytes and ranges count in them. An answer is compressed whole before its first byte
//! leaves. So the length is known, and the call holds memory for the compressed bytes alone. Workers compress long answers,
//! because the threads that serve connections must stay free.

use std::io::Write as _;

use axum::{
    body::{Body, HttpBody as _},
    extract::{Request, State},
    http::{HeaderMap, HeaderValue, header},
    middleware::Next,
    response::{IntoResponse as _, Response},
};
use bytes::Bytes;
use flate2::{Compression, write::GzEncoder};

use crate::{
    budget::{WorkBudget, Workers},
    error::{Error, Result},
    http::door::Problem,
    limits::{COMPRESSED_LEAST_BYTES, INLINE_STEPS},
};

/// Steps for each byte: an answer of over 64 KiB is compressed by a worker.
const STEPS_PER_BYTE: u64 = 4;
/// The bytes that are compressed before the worker checks again whether the caller is still there.
const PIECE_BYTES: usize = 64 << 10;

/// Whether a request prefers gzip to an answer as it is: RFC 9110, section 12.5.3.
pub(crate) fn prefers_gzip(headers: &HeaderMap) -> bool {
    let weight = |coding: &str| {
        let lists = headers.get_all(header::ACCEPT_ENCODING).iter().filter_map(|value| value.to_str().ok());
        let mut listed = lists.flat_map(|list| list.split(',')).filter_map(weighed);
        listed.find_map(|(name, weight)| name.eq_ignore_ascii_case(coding).then_some(weight))
    };
    let gzip = weight("gzip").or_else(|| weight("x-gzip")).or_else(|| weight("*")).unwrap_or_default();
    gzip > 0.0 && gzip >= weight("identity").unwrap_or_default()
}

/// A coding and its weight; `None` if the weight is not valid.
fn weighed(listed: &str) -> Option<(&str, f32)> {
    let (coding, parameter) = listed.split_once(';').unwrap_or((listed, "q=1"));
    let (name, weight) = parameter.split_once('=')?;
    let weight = weight.trim().parse().ok().filter(|weight| (0.0..=1.0).contains(weight))?;
    name.trim().eq_ignore_ascii_case("q").then_some((coding.trim(), weight))
}

/// `response`, in gzip if the request `prefers` gzip and the answer gains by it. A worker of `owner` does long work.
pub(crate) async fn compressed(prefers: bool, mut response: Response, workers: &Workers, owner: &str) -> Response {
    if !is_worth_it(&response) {
        return response;
    }
    vary(response.headers_mut());
    if !prefers {
        return response;
    }
    let body = std::mem::replace(response.body_mut(), Body::empty());
    let Ok(bytes) = axum::body::to_bytes(body, usize::MAX).await else {
        return Problem::from(Error::internal("the body of an answer broke off")).into_response();
    };
    let (steps, whole) = (STEPS_PER_BYTE * bytes.len() as u64, bytes.clone());
    let errand = workers.errand(owner, steps);
    match errand.run_sized(steps, move |work| gzip(&whole, work)).await {
        Ok(small) if small.len() < bytes.len() => in_gzip(&mut response, small.into()),
        _ => *response.body_mut() = bytes.into(),
    }
    response
}

/// Compresses short answers of routes about the service. These routes are behind no queue, so longer answers stay plain.
pub(crate) async fn compress_short(State(workers): State<Workers>, request: Request, next: Next) -> Response {
    let prefers = prefers_gzip(request.headers());
    let response = next.run(request).await;
    let is_short = response.body().size_hint().exact().is_some_and(|bytes| STEPS_PER_BYTE * bytes <= INLINE_STEPS);
    if is_short { compressed(prefers, response, &workers, "").await } else { response }
}

/// A text that never changes, in both forms.
pub(crate) struct FixedText {
    plain: Bytes,
    small: Bytes,
}

impl FixedText {
    /// # Errors
    /// `internal` if the text cannot be compressed.
    pub(crate) fn new(text: String) -> Result<Self> {
        let small = gzip(text.as_bytes(), &WorkBudget::of_steps(u64::MAX))?.into();
        Ok(Self { plain: text.into(), small })
    }

    /// It, as a request with these headers prefers it.
    pub(crate) fn answer(&self, headers: &HeaderMap) -> Response {
        let mut response = Body::from(self.plain.clone()).into_response();
        vary(response.headers_mut());
        if prefers_gzip(headers) {
            in_gzip(&mut response, self.small.clone());
        }
        response
    }
}

/// Whether an answer is text of some length that may be changed on its way out.
fn is_worth_it(response: &Response) -> bool {
    let headers = response.headers();
    let text = |name| headers.get(name).and_then(|value| value.to_str().ok());
    let is_text =
        text(header::CONTENT_TYPE).is_some_and(|of| of.starts_with("application/json") || of.starts_with("text/"));
    let names_bytes = text(header::ETAG).is_some_and(|tag| !tag.starts_with("W/"));
    let is_fixed = [header::CONTENT_ENCODING, header::CONTENT_RANGE].iter().any(|name| headers.contains_key(name));
    let is_long = response.body().size_hint().exact().is_some_and(|bytes| bytes >= COMPRESSED_LEAST_BYTES as u64);
    is_text && is_long && !names_bytes && !is_fixed
}

/// Adds `accept-encoding` to `vary`, because the answer depends on the preference of the request.
fn vary(headers: &mut HeaderMap) {
    const WHAT: HeaderValue = HeaderValue::from_static("accept-encoding");
    let mut said = headers.get_all(header::VARY).iter().filter_map(|value| value.to_str().ok());
    if !said.any(|said| said.contains("accept-encoding")) {
        headers.append(header::VARY, WHAT);
    }
}

fn in_gzip(response: &mut Response, bytes: Bytes) {
    response.headers_mut().insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    response.headers_mut().remove(header::CONTENT_LENGTH);
    *response.body_mut() = bytes.into();
}

fn gzip(bytes: &[u8], work: &WorkBudget) -> Result<Vec<u8>> {
    let mut encoder = GzEncoder::new(Vec::with_capacity(bytes.len() / 4), Compression::fast());
    for piece in bytes.chunks(PIECE_BYTES) {
        let stopped = work.spend(STEPS_PER_BYTE * piece.len() as u64);
        stopped.map_err(|stop| stop.into_error("the answer is too long to be compressed"))?;
        encoder.write_all(piece).map_err(Error::internal)?;
    }
    encoder.finish().map_err(Error::internal)
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;

    use axum::http::HeaderName;
    use flate2::read::GzDecoder;

    use super::*;

    fn prefers(accepted: &[&str]) -> bool {
        let mut headers = HeaderMap::new();
        for value in accepted {
            headers.append(header::ACCEPT_ENCODING, value.parse().unwrap());
        }
        prefers_gzip(&headers)
    }

    fn answer(bytes: usize, headers: &[(HeaderName, &str)]) -> Response {
        let mut response = Body::from("a line of text\n".repeat(bytes / 15 + 1)[..bytes].to_owned()).into_response();
        for (name, value) in headers {
            response.headers_mut().insert(name, value.parse().unwrap());
        }
        response
    }

    #[test]
    fn a_request_prefers_what_it_weighs_more() {
        for yes in ["gzip", "GZIP", "br, gzip", "deflate, gzip;q=1.0, *;q=0.5", "*", "x-gzip", "gzip ; Q=0.5"] {
            assert!(prefers(&[yes]), "{yes}");
        }
        assert!(prefers(&["br", "gzip"]) && prefers(&["gzip;q=0.5, identity;q=0.5"]));
        for no in [
            "",
            "br",
            "identity",
            "gzip;q=0",
            "*;q=0",
            "gzip;q=0, *",
            "gzip;q=0.5, identity",
            "gzip;q=x",
            "gzip;q=NaN",
            "gzip;q=2",
            "gzip;x=1",
            "notgzip",
            "identity;q=0",
        ] {
            assert!(!prefers(&[no]), "{no}");
        }
        assert!(!prefers(&[]));
    }

    // S-ENCODING-1: An answer of JSON or text of at least 1 KiB comes in gzip if the request's `accept-encoding`
    // prefers that.
    #[tokio::test]
    async fn text_of_some_length_is_compressed_and_nothing_that_names_its_bytes() {
        let workers = Workers::new(2);
        let json = (header::CONTENT_TYPE, "application/json");
        let after = async |bytes, headers: &[(HeaderName, &str)]| {
            compressed(true, answer(bytes, headers), &workers, "u1").await
        };
        let is_coded = |response: &Response| response.headers().contains_key(header::CONTENT_ENCODING);
        for bytes in [COMPRESSED_LEAST_BYTES, 64 << 10, 1 << 20] {
            let response = after(bytes, std::slice::from_ref(&json)).await;
            assert_eq!(response.headers()[header::CONTENT_ENCODING], "gzip");
            assert_eq!(response.headers()[header::VARY], "accept-encoding");
            let length = response.body().size_hint().exact().unwrap();
            let sent = axum::body::to_bytes(response.into_body(), usize::MAX).await.unwrap();
            assert!(sent.len() as u64 == length && sent.len() < bytes / 5, "{} of {bytes}", sent.len());
            let mut text = Vec::new();
            GzDecoder::new(&*sent).read_to_end(&mut text).unwrap();
            assert_eq!(text.len(), bytes);
        }
        assert_eq!(workers.begun(), 1, "only the longest takes a worker");
        let weak = (header::ETAG, "W/\"a\"");
        assert!(is_coded(&after(4096, &[json.clone(), weak]).await));
        assert!(is_coded(&after(4096, &[(header::CONTENT_TYPE, "text/plain; charset=utf-8")]).await));
        assert!(!is_coded(&after(COMPRESSED_LEAST_BYTES - 1, std::slice::from_ref(&json)).await));
        for other in [
            &[(header::CONTENT_TYPE, "application/octet-stream")][..],
            &[(header::CONTENT_TYPE, "application/zip")],
            &[],
            &[json.clone(), (header::ETAG, "\"a\"")],
            &[json.clone(), (header::CONTENT_RANGE, "bytes 0-4095/9000")],
        ] {
            let response = after(4096, other).await;
            assert!(!is_coded(&response) && !response.headers().contains_key(header::VARY), "{other:?}");
        }
        let plain = compressed(false, answer(4096, &[json]), &workers, "u1").await;
        assert!(!is_coded(&plain));
        assert_eq!(plain.headers()[header::VARY], "accept-encoding");
    }

    #[tokio::test]
    async fn an_answer_that_cannot_be_compressed_goes_out_as_it_is() {
        let workers = Workers::new(2);
        workers.close();
        let response = compressed(true, answer(1 << 20, &[(header::CONTENT_TYPE, "text/plain")]), &workers, "u1").await;
        assert!(!response.headers().contains_key(header::CONTENT_ENCODING));
        assert_eq!(axum::body::to_bytes(response.into_body(), usize::MAX).await.unwrap().len(), 1 << 20);
    }
}

//! Replies that a browser saves as files instead of showing them.

use axum::{
    body::Body,
    http::{HeaderMap, HeaderValue, header},
    response::{IntoResponse as _, Response},
};
use bytes::Bytes;
use futures_util::{Stream, TryStreamExt as _};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

use crate::error::Result;

/// The ASCII characters that are written as `%XX` in a header: all characters that RFC 3986 reserves.
const CODED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// The reply that streams an archive. A failure on the way cuts the connection, so that no client takes a part for the whole.
pub(crate) fn archive(
    pieces: impl Stream<Item = Result<Bytes>> + Send + 'static,
    content_type: &'static str,
    name: &str,
) -> Response {
    let pieces = pieces.inspect_err(|error| tracing::warn!(cause = %error.chain(), "an archive was cut"));
    let mut response = Body::from_stream(pieces).into_response();
    attach(response.headers_mut(), content_type, name);
    response
}

/// Sets the headers of a reply that a browser saves under `name`.
pub(crate) fn attach(headers: &mut HeaderMap, content_type: &'static str, name: &str) {
    let disposition = format!("attachment; filename*=UTF-8''{}", percent_encoded(name));
    headers.extend(HeaderValue::try_from(disposition).ok().map(|value| (header::CONTENT_DISPOSITION, value)));
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(content_type));
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
}

/// `text` as RFC 8187 has it in a header: everything but plain letters and digits as `%XX`.
pub(crate) fn percent_encoded(text: &str) -> String {
    utf8_percent_encode(text, CODED).to_string()
}

#[cfg(test)]
mod tests {
    use super::percent_encoded;

    #[test]
    fn a_name_in_a_header_holds_no_byte_that_means_something_there() {
        assert_eq!(percent_encoded("aZ09-._~"), "aZ09-._~");
        assert_eq!(percent_encoded("a b/ñ\"%';\n"), "a%20b%2F%C3%B1%22%25%27%3B%0A");
    }
}

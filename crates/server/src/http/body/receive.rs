//! The bytes of request bodies: bounded before they are buffered, and the errors of a body that is too long, too slow or cut off.

use axum::{
    body::HttpBody as _,
    extract::{FromRequest as _, Multipart, Request},
    http::header,
};
use bytes::{Bytes, BytesMut};
use futures_util::StreamExt as _;

use super::form_heads::{LongPartHead, with_short_heads};
use crate::{
    error::{Code, Error, Result},
    http::door::TooSlow,
    limits::BODY_BYTES_PER_SECOND,
};

/// A body of at most `limit` bytes, which has come whole before its call was let in.
///
/// # Errors
/// `file_too_large` above the limit, `invalid_request` if the body breaks off.
pub(crate) async fn read_whole(request: Request, limit: usize) -> Result<Bytes> {
    let mut body = request.into_body().into_data_stream();
    let mut whole = BytesMut::new();
    while let Some(chunk) = body.next().await {
        let chunk = chunk.map_err(broken)?;
        if whole.len() + chunk.len() > limit {
            return Err(over(limit));
        }
        whole.extend_from_slice(&chunk);
    }
    Ok(whole.freeze())
}

/// The parts of a form, and the length of the whole body if its sender announced it.
///
/// # Errors
/// `invalid_request` with the message `not_a_form` if the body is no `multipart/form-data`.
pub(crate) async fn parts_of(request: Request, not_a_form: &str) -> Result<(Multipart, Option<u64>)> {
    let announced = request.body().size_hint().exact();
    let content_type = request.headers().get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
    let boundary = content_type.and_then(|value| multer::parse_boundary(value).ok());
    let boundary = boundary.ok_or_else(|| invalid!("{not_a_form}"))?;
    let request = request.map(|body| with_short_heads(body, &boundary));
    let parts = Multipart::from_request(request, &()).await;
    Ok((parts.map_err(|_| invalid!("{not_a_form}"))?, announced))
}

/// The length of a body, if its sender announced it.
///
/// # Errors
/// `file_too_large` if the length is over `limit` and the sender waits for an answer before it sends.
pub(crate) fn check_announced(request: &Request, limit: usize) -> Result<Option<u64>> {
    let announced = request.body().size_hint().exact();
    let too_large = announced.is_some_and(|announced| announced > limit as u64);
    let waits = request.headers().contains_key(header::EXPECT);
    if too_large && waits { Err(over(limit)) } else { Ok(announced) }
}

/// The error of a body or part over its limit.
pub(crate) fn over(limit: usize) -> Error {
    Error::new(Code::FileTooLarge, format!("the body is over the limit of {limit} bytes; send less at once"))
        .with_detail("limit", limit as u64)
}

/// The error of a body that broke off or came too slowly, or of a form with a long head.
pub(crate) fn broken(cause: impl std::error::Error + Send + Sync + 'static) -> Error {
    let message = if TooSlow::caused(&cause) {
        format!("the body came slower than {BODY_BYTES_PER_SECOND} bytes a second; send it again on a better line")
    } else if LongPartHead::caused(&cause) {
        format!("{LongPartHead}; begin the body with the boundary, and send short part headers")
    } else {
        "the body of the request broke off; send it again".to_owned()
    };
    invalid!("{message}").with_source(cause)
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
}

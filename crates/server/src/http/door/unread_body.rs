//! Bodies that a handler left unread.
//!
//! A connection cannot go on behind such a body. It would close without a word after the response, and the client would
//! learn that with its next request. A client that is still sending would not see the response either.

use std::{
    pin::Pin,
    sync::{Arc, Mutex, PoisonError},
    task::{Context, Poll, ready},
};

use axum::{
    body::{Body, HttpBody},
    extract::Request,
    http::{HeaderValue, header},
    middleware::Next,
    response::Response,
};
use bytes::Bytes;
use futures_util::StreamExt as _;
use hyper::body::SizeHint;
use tokio::time::timeout;

use super::frames::PolledFrame;
use crate::limits::REQUEST_PATIENCE;

/// The body that its reader dropped before the end.
type DroppedBody = Arc<Mutex<Option<Body>>>;

/// A body that moves to `dropped` if the reader drops it early.
struct RecoverableBody {
    body: Body,
    has_ended: bool,
    dropped: DroppedBody,
}

/// Runs the rest, and then reads and drops the unread part of the body, for [`REQUEST_PATIENCE`] at most. If the body does not
/// end by then, the response announces that its connection closes.
pub(crate) async fn read_to_end(request: Request, next: Next) -> Response {
    // Such a client sends no body before it is asked for one.
    let is_asked_first = request.headers().contains_key(header::EXPECT);
    let dropped = DroppedBody::default();
    let request = request.map(|body| recoverable(body, &dropped));
    let mut response = next.run(request).await;
    let left = dropped.lock().unwrap_or_else(PoisonError::into_inner).take();
    let Some(left) = left.filter(|_| !response.headers().contains_key(header::CONNECTION)) else { return response };
    if is_asked_first || timeout(REQUEST_PATIENCE, ends_well(left)).await != Ok(true) {
        response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
    }
    response
}

/// Reads a body and drops the bytes. Returns whether the body came to an end.
async fn ends_well(body: Body) -> bool {
    body.into_data_stream().all(|piece| std::future::ready(piece.is_ok())).await
}

fn recoverable(body: Body, dropped: &DroppedBody) -> Body {
    if body.is_end_stream() {
        return body;
    }
    Body::new(RecoverableBody { body, has_ended: false, dropped: Arc::clone(dropped) })
}

impl HttpBody for RecoverableBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> PolledFrame {
        let frame = ready!(Pin::new(&mut self.body).poll_frame(cx));
        self.has_ended = !matches!(frame, Some(Ok(_)));
        Poll::Ready(frame)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

impl Drop for RecoverableBody {
    fn drop(&mut self) {
        if !self.has_ended && !self.body.is_end_stream() {
            let body = std::mem::take(&mut self.body);
            *self.dropped.lock().unwrap_or_else(PoisonError::into_inner) = Some(body);
        }
    }
}

//! Bodies whose frames pass through a function.

use std::{
    pin::Pin,
    task::{Context, Poll},
};

use axum::body::{Body, HttpBody};
use bytes::Bytes;
use hyper::body::{Frame, SizeHint};

/// The result of asking a body for its next frame.
pub(crate) type PolledFrame = Poll<Option<Result<Frame<Bytes>, axum::Error>>>;

/// `body`, each frame of which comes from `poll`. The length stays, so `poll` must not change the number of bytes. If the body is
/// empty, `poll` is dropped at once.
pub(crate) fn with_frames<F>(body: Body, poll: F) -> Body
where
    F: FnMut(Pin<&mut Body>, &mut Context<'_>) -> PolledFrame + Send + Unpin + 'static,
{
    if body.is_end_stream() { body } else { Body::new(FramedBody { body, poll }) }
}

struct FramedBody<F> {
    body: Body,
    poll: F,
}

impl<F> HttpBody for FramedBody<F>
where
    F: FnMut(Pin<&mut Body>, &mut Context<'_>) -> PolledFrame + Unpin,
{
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> PolledFrame {
        let Self { body, poll } = &mut *self;
        poll(Pin::new(body), cx)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

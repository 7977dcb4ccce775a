//! Bodies of answers that hold what their call was given, until the last byte has left.
//!
//! The end of a body is not enough: the HTTP library takes the last piece and lets go of the body, and a client that does not
//! read would then keep the piece without anybody counting it. So each piece holds on to the whole.

use std::{
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
};

use axum::body::{Body, HttpBody};
use bytes::Bytes;
use hyper::body::{Frame, SizeHint};

/// `body`, with `held` dropped after its last byte.
pub(super) fn holding<T: Send + Sync + 'static>(body: Body, held: T) -> Body {
    if body.is_end_stream() {
        return body;
    }
    Body::new(Holding { body, held: Arc::new(held) })
}

struct Holding<T> {
    body: Body,
    held: Arc<T>,
}

/// A piece, and what it keeps alive.
struct Piece<T> {
    bytes: Bytes,
    _held: Arc<T>,
}

impl<T> AsRef<[u8]> for Piece<T> {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

impl<T: Send + Sync + 'static> HttpBody for Holding<T> {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let held = Arc::clone(&self.held);
        let next = Pin::new(&mut self.body).poll_frame(cx);
        next.map_ok(|frame| frame.map_data(|bytes| Bytes::from_owner(Piece { bytes, _held: held })))
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

#[cfg(test)]
mod tests {
    use futures_util::StreamExt as _;

    use super::*;

    #[tokio::test]
    async fn what_is_held_goes_with_the_last_piece_and_not_with_the_body() {
        let held = Arc::new(());
        let pieces = [Ok::<_, std::io::Error>("one"), Ok("two")];
        let body = holding(Body::from_stream(futures_util::stream::iter(pieces)), Arc::clone(&held));
        let taken: Vec<_> = body.into_data_stream().map(Result::unwrap).collect().await;
        assert_eq!(taken, ["one", "two"]);
        assert_eq!(Arc::strong_count(&held), 2);
        drop(taken);
        assert_eq!(Arc::strong_count(&held), 1);
        drop(holding(Body::empty(), Arc::clone(&held)));
        assert_eq!(Arc::strong_count(&held), 1);
    }
}

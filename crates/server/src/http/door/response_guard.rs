//! Bodies of answers that hold the shares of their call until the last byte has left.
//!
//! The end of a body is not enough. The HTTP library takes the last piece and drops the body. If the client does not read,
//! the piece would then stay in memory without being counted. So each piece keeps the shares alive.

use std::sync::Arc;

use axum::body::{Body, HttpBody as _};
use bytes::Bytes;

use super::frames::with_frames;

/// `body`, with `held` dropped after its last byte.
pub(crate) fn holding<T: Send + Sync + 'static>(body: Body, held: T) -> Body {
    let held = Arc::new(held);
    with_frames(body, move |mut body, cx| {
        let held = Arc::clone(&held);
        body.as_mut()
            .poll_frame(cx)
            .map_ok(|frame| frame.map_data(|bytes| Bytes::from_owner(Piece { bytes, _held: held })))
    })
}

/// A piece, and the shares that it keeps alive.
struct Piece<T> {
    bytes: Bytes,
    _held: Arc<T>,
}

impl<T> AsRef<[u8]> for Piece<T> {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
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

//! Bodies of requests that must come at a certain pace.
//!
//! A call has a place and memory before its body is read. A body that never comes would keep both. Only the time that the
//! service waits for the body counts, so a client does not pay for a service that is slow to read.

use std::{
    fmt,
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    task::{Context, Poll},
    time::Duration,
};

use axum::body::{Body, HttpBody as _};
use bytes::Bytes;
use hyper::body::Frame;
use tokio::time::{Instant, Sleep};

use super::frames::{PolledFrame, with_frames};
use crate::limits::{BODY_BYTES_PER_SECOND, BODY_PATIENCE};

/// Set once a body was given up.
#[derive(Clone, Debug, Default)]
pub(crate) struct BodyTimedOut(Arc<AtomicBool>);

/// The error of a body that came too slowly.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TooSlow;

/// `body`, which fails if it comes slower than [`BODY_BYTES_PER_SECOND`] for [`BODY_PATIENCE`].
pub(crate) fn paced(body: Body, given_up: BodyTimedOut) -> Body {
    let mut pace = Pace { patience: BODY_PATIENCE, waiting: None, given_up };
    with_frames(body, move |body, cx| pace.poll_frame(body, cx))
}

#[derive(Debug)]
struct Pace {
    /// How long it may still bring nothing. Bytes earn it back, up to [`BODY_PATIENCE`].
    patience: Duration,
    waiting: Option<(Instant, Pin<Box<Sleep>>)>,
    given_up: BodyTimedOut,
}

impl BodyTimedOut {
    pub(crate) fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

impl fmt::Display for TooSlow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the body came slower than {BODY_BYTES_PER_SECOND} bytes a second")
    }
}

impl std::error::Error for TooSlow {}

impl TooSlow {
    /// Whether this is why `error` happened.
    pub(crate) fn caused(error: &(dyn std::error::Error + 'static)) -> bool {
        std::iter::successors(Some(error), |error| error.source()).any(<dyn std::error::Error>::is::<Self>)
    }
}

impl Pace {
    /// Counts the time that was waited for `bytes`.
    fn earn(&mut self, bytes: usize) {
        let waited = self.waiting.take().map(|(since, _)| since.elapsed()).unwrap_or_default();
        let earned = Duration::from_micros((bytes as u64).saturating_mul(1_000_000) / BODY_BYTES_PER_SECOND);
        self.patience = self.patience.saturating_sub(waited).saturating_add(earned).min(BODY_PATIENCE);
    }

    fn poll_frame(&mut self, mut body: Pin<&mut Body>, cx: &mut Context<'_>) -> PolledFrame {
        if let Poll::Ready(frame) = body.as_mut().poll_frame(cx) {
            let data = frame.as_ref().and_then(|frame| frame.as_ref().ok()).and_then(Frame::data_ref);
            self.earn(data.map_or(0, Bytes::len));
            return Poll::Ready(frame);
        }
        let patience = self.patience;
        let (_, timer) = self.waiting.get_or_insert_with(|| (Instant::now(), Box::pin(tokio::time::sleep(patience))));
        if timer.as_mut().poll(cx).is_pending() {
            return Poll::Pending;
        }
        self.given_up.0.store(true, Ordering::Relaxed);
        Poll::Ready(Some(Err(axum::Error::new(TooSlow))))
    }
}

#[cfg(test)]
mod tests {
    use futures_util::{StreamExt as _, stream};

    use super::*;

    /// A body of pieces of `bytes`, one each `pause`, read with `delay` after each; how many came, and whether all did.
    async fn read(pieces: usize, bytes: usize, pause: Duration, delay: Duration) -> (usize, bool) {
        let sent = stream::iter(0..pieces).then(move |_| async move {
            tokio::time::sleep(pause).await;
            Ok::<_, std::io::Error>(Bytes::from(vec![0; bytes]))
        });
        let given_up = BodyTimedOut::default();
        let mut body = paced(Body::from_stream(sent), given_up.clone()).into_data_stream();
        let mut seen = 0;
        while let Some(piece) = body.next().await {
            if let Err(error) = piece {
                assert!(TooSlow::caused(&error) && given_up.is_set());
                return (seen, false);
            }
            seen += 1;
            tokio::time::sleep(delay).await;
        }
        (seen, true)
    }

    // S-FAIR-2: The service gives up a body that comes slower than 1 KiB a second for 10 seconds, and closes its
    // connection.
    #[tokio::test(start_paused = true)]
    async fn a_body_at_the_pace_is_read_and_a_slower_one_given_up() {
        let second = Duration::from_secs(1);
        assert_eq!(read(100, 1024, second, Duration::ZERO).await, (100, true));
        assert_eq!(read(100, 1000, second, Duration::ZERO).await, (100, true), "a little late is no reason");
        assert_eq!(
            read(100, 512, second, Duration::ZERO).await,
            (19, false),
            "10 s are used up half a second at a time"
        );
        assert_eq!(read(1, 1, 11 * second, Duration::ZERO).await, (0, false));
        assert_eq!(read(1, 1, 9 * second, Duration::ZERO).await, (1, true));
        assert_eq!(read(5, 16, second, 60 * second).await, (5, true), "what the reader takes is its own affair");
    }
}

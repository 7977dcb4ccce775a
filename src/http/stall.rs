//! A socket that gives up on a peer that does not take what it asked for.
//!
//! hyper has a deadline for headers but none for writing, so a client that never reads its reply would hold a connection
//! and its buffers for ever.

use std::{
    future::Future as _,
    io,
    pin::Pin,
    task::{Context, Poll, ready},
    time::Duration,
};

use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    time::{Instant, Sleep},
};

/// Fails a write that makes no progress for a while.
#[derive(Debug)]
pub(super) struct StallGuard<S> {
    inner: S,
    patience: Duration,
    deadline: Option<Pin<Box<Sleep>>>,
}

impl<S> StallGuard<S> {
    /// `patience` is the longest time between two bytes that the peer takes.
    pub(super) fn new(inner: S, patience: Duration) -> Self {
        Self { inner, patience, deadline: None }
    }

    /// The outcome of one attempt to write: any progress clears the deadline, waiting starts or checks it.
    fn judge<T>(&mut self, cx: &mut Context<'_>, outcome: Poll<io::Result<T>>) -> Poll<io::Result<T>> {
        if outcome.is_ready() {
            self.deadline = None;
            return outcome;
        }
        let patience = self.patience;
        let deadline =
            self.deadline.get_or_insert_with(|| Box::pin(tokio::time::sleep_until(Instant::now() + patience)));
        ready!(deadline.as_mut().poll(cx));
        Poll::Ready(Err(io::Error::new(io::ErrorKind::TimedOut, "the peer does not take its reply")))
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for StallGuard<S> {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_read(cx, buffer)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for StallGuard<S> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let outcome = Pin::new(&mut self.inner).poll_write(cx, bytes);
        self.judge(cx, outcome)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let outcome = Pin::new(&mut self.inner).poll_write_vectored(cx, slices);
        self.judge(cx, outcome)
    }

    fn is_write_vectored(&self) -> bool {
        self.inner.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let outcome = Pin::new(&mut self.inner).poll_flush(cx);
        self.judge(cx, outcome)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let outcome = Pin::new(&mut self.inner).poll_shutdown(cx);
        self.judge(cx, outcome)
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_peer_that_takes_nothing_is_given_up_and_a_slow_one_is_not() {
        let patience = Duration::from_secs(30);
        let (near, mut far) = tokio::io::duplex(1);
        let slow = tokio::spawn(async move {
            for _ in 0..5 {
                tokio::time::sleep(patience / 2).await;
                far.read_u8().await.unwrap();
            }
            far
        });
        let mut guard = StallGuard::new(near, patience);
        guard.write_all(b"12345").await.unwrap();
        let _far = slow.await.unwrap();
        guard.write_all(b"6").await.unwrap();
        assert_eq!(guard.write_all(b"7").await.unwrap_err().kind(), io::ErrorKind::TimedOut);
    }
}

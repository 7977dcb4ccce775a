//! A socket that gives up on a peer if the reply is not read, and waits a moment for a peer that stopped sending.
//!
//! hyper has a deadline for headers but none for writing. Without this socket, a client could hold a connection and its
//! buffers for ever by not reading the reply.
//!
//! If a client closes its sending side, the server cannot know whether the client has left. hyper ends the call in both
//! cases, or in none. This socket reports the end with a delay. A client that still listens gets each answer that begins
//! within the delay, and the whole answer while bytes keep coming. The work for a client that left ends soon.

use std::{
    io,
    pin::Pin,
    task::{Context, Poll, ready},
    time::Duration,
};

use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    time::{Instant, Sleep},
};

/// Fails a write that makes no progress for a while, and delays the end of the input.
#[derive(Debug)]
pub(crate) struct StallGuard<S> {
    inner: S,
    patience: Duration,
    deadline: Option<Pin<Box<Sleep>>>,
    half_close_patience: Duration,
    /// When to report the end of the input; set once the peer has closed its side.
    end: Option<Pin<Box<Sleep>>>,
}

impl<S> StallGuard<S> {
    /// `patience`: the longest pause between two bytes that the peer takes. `half_close_patience`: the delay from the end of
    /// the input, or from the last byte sent after it, until the end is reported.
    pub(crate) fn new(inner: S, patience: Duration, half_close_patience: Duration) -> Self {
        Self { inner, patience, deadline: None, half_close_patience, end: None }
    }

    /// The outcome of one attempt to write: any progress clears the deadline, waiting starts or checks it.
    fn judge<T>(&mut self, cx: &mut Context<'_>, outcome: Poll<io::Result<T>>) -> Poll<io::Result<T>> {
        if outcome.is_ready() {
            self.deadline = None;
            if let Some(end) = &mut self.end {
                end.as_mut().reset(Instant::now() + self.half_close_patience);
            }
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
        if self.end.is_none() {
            let before = buffer.filled().len();
            ready!(Pin::new(&mut self.inner).poll_read(cx, buffer))?;
            if buffer.filled().len() > before || buffer.remaining() == 0 {
                return Poll::Ready(Ok(()));
            }
        }
        let patience = self.half_close_patience;
        let end = self.end.get_or_insert_with(|| Box::pin(tokio::time::sleep(patience)));
        end.as_mut().poll(cx).map(Ok)
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
        let mut guard = StallGuard::new(near, patience, Duration::ZERO);
        guard.write_all(b"12345").await.unwrap();
        let _far = slow.await.unwrap();
        guard.write_all(b"6").await.unwrap();
        assert_eq!(guard.write_all(b"7").await.unwrap_err().kind(), io::ErrorKind::TimedOut);
    }

    #[tokio::test(start_paused = true)]
    async fn the_end_of_what_a_peer_sends_is_told_late_and_later_while_it_takes_its_answer() {
        let patience = Duration::from_secs(2);
        let (near, mut far) = tokio::io::duplex(64);
        let mut guard = StallGuard::new(near, Duration::from_secs(30), patience);
        far.write_all(b"asks").await.unwrap();
        far.shutdown().await.unwrap();
        let mut asked = [0; 4];
        guard.read_exact(&mut asked).await.unwrap();
        let began = Instant::now();
        assert!(tokio::time::timeout(patience / 2, guard.read_u8()).await.is_err());
        guard.write_all(b"answer").await.unwrap();
        assert_eq!(guard.read_u8().await.unwrap_err().kind(), io::ErrorKind::UnexpectedEof);
        assert_eq!(began.elapsed(), patience / 2 + patience);
        let mut answer = [0; 6];
        far.read_exact(&mut answer).await.unwrap();
    }
}

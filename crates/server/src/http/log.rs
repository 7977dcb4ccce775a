//! The log line of a request: who asked for what, from where, and what came of it.
//!
//! The line is written when the answer has left or its client has gone, because the bytes that were sent are known only then.

use std::{
    net::IpAddr,
    pin::Pin,
    task::{Context, Poll},
    time::Duration,
};

use axum::{
    body::{Body, HttpBody},
    response::Response,
};
use bytes::Bytes;
use hyper::body::{Frame, SizeHint};

use super::metrics::UnderWay;
use crate::path::Id;

/// Routes that machines ask every few seconds. Their successful answers are logged at debug, and failures like all others.
const PROBES: [&str; 3] = ["/healthz", "/readyz", "/metrics"];
/// Statuses from here on are failures.
const FAILURE: u16 = 400;

/// The address that a connection comes from. Behind a proxy it is the proxy's, because no header that a client can write is
/// believed.
#[derive(Clone, Copy, Debug)]
pub(super) struct ClientAddress(pub(super) IpAddr);

/// Whose data a call was let in for.
#[derive(Clone, Debug)]
pub(super) struct ServedUser {
    pub(super) user: Id,
    pub(super) session: Option<Id>,
}

/// What is known of a request when the head of its answer is. It is written to the log when it is dropped.
#[derive(Debug)]
pub(super) struct LogLine {
    pub(super) request_id: String,
    pub(super) method: &'static str,
    pub(super) route: String,
    pub(super) status: u16,
    /// The time until the head of the answer.
    pub(super) took: Duration,
    pub(super) client: Option<IpAddr>,
    pub(super) served: Option<ServedUser>,
    pub(super) under_way: UnderWay,
    /// Bytes of the answer's body that have left.
    pub(super) bytes: u64,
}

/// `response`, whose end writes `line` to the log.
pub(super) fn logged(response: Response, line: LogLine) -> Response {
    response.map(|body| if body.is_end_stream() { body } else { Body::new(LoggedBody { body, line }) })
}

/// Milliseconds, rounded to microseconds so that a decimal fraction stays short.
fn milliseconds(time: Duration) -> f64 {
    const MICROSECONDS: f64 = 1000.0;
    f64::from(u32::try_from(time.as_micros()).unwrap_or(u32::MAX)) / MICROSECONDS
}

macro_rules! write_line {
    ($level:ident, $line:expr) => {{
        let LogLine { request_id, method, route, status, took, client, served, bytes, .. } = $line;
        tracing::$level!(
            request_id,
            method,
            route,
            status,
            ms = milliseconds(*took),
            bytes,
            client = client.map(tracing::field::display),
            user = served.as_ref().map(|served| served.user.as_str()),
            session = served.as_ref().and_then(|served| Some(served.session.as_ref()?.as_str())),
            "request"
        );
    }};
}

impl Drop for LogLine {
    fn drop(&mut self) {
        self.under_way.sent(self.bytes);
        if PROBES.contains(&self.route.as_str()) && self.status < FAILURE {
            write_line!(debug, &*self);
        } else {
            write_line!(info, &*self);
        }
    }
}

struct LoggedBody {
    body: Body,
    line: LogLine,
}

impl HttpBody for LoggedBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let next = Pin::new(&mut self.body).poll_frame(cx);
        if let Poll::Ready(Some(Ok(frame))) = &next {
            self.line.bytes += frame.data_ref().map_or(0, Bytes::len) as u64;
        }
        next
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
    use super::*;

    #[test]
    fn times_have_no_noise_of_floating_point() {
        for (nanoseconds, shown) in [(228_700, "0.228"), (1_234_567, "1.234"), (30_000_000_000, "30000"), (0, "0")] {
            assert_eq!(milliseconds(Duration::from_nanos(nanoseconds)).to_string(), shown);
        }
    }
}

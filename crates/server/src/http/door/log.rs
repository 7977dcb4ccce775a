//! The log line of a request: the user, the route, the address of the client, and the outcome.
//!
//! The line is written when the answer has left or its client has gone, because the bytes that were sent are known only then.

use std::{
    net::IpAddr,
    pin::Pin,
    task::{Context, Poll},
    time::Duration,
};

use axum::{
    body::{Body, HttpBody as _},
    response::Response,
};
use bytes::Bytes;

use super::{
    frames::{PolledFrame, with_frames},
    metrics::UnderWay,
};
use crate::{budget::Owner, path::Id};

/// Routes that machines ask every few seconds. Their successful answers are logged at debug, and failures like all others.
const PROBES: [&str; 3] = ["/healthz", "/readyz", "/metrics"];
/// Statuses from here on are failures.
const FAILURE: u16 = 400;

/// The address that a connection comes from. Behind a proxy it is the proxy's, because no header that a client can write is
/// believed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ClientAddress(pub(crate) IpAddr);

/// Who called, and on whose data.
#[derive(Clone, Debug)]
pub(crate) struct ServedUser {
    /// The user; `None` for a call about all users.
    pub(crate) user: Option<Id>,
    pub(crate) session: Option<Id>,
    /// The first digits of the key's digest; `None` if the service has no keys.
    pub(crate) key: Option<Owner>,
}

/// The facts about a request once the head of its answer is known. Dropping this value writes the line.
#[derive(Debug)]
pub(crate) struct LogLine {
    pub(crate) request_id: String,
    pub(crate) method: &'static str,
    pub(crate) route: String,
    pub(crate) status: u16,
    /// The time until the head of the answer.
    pub(crate) took: Duration,
    pub(crate) client: Option<IpAddr>,
    pub(crate) served: Option<ServedUser>,
    pub(crate) under_way: UnderWay,
    /// Bytes of the answer's body that have left.
    pub(crate) bytes: u64,
}

/// `response`, whose end writes `line` to the log.
pub(crate) fn logged(response: Response, mut line: LogLine) -> Response {
    let count = move |mut body: Pin<&mut Body>, cx: &mut Context<'_>| {
        let next = body.as_mut().poll_frame(cx);
        line.count(&next);
        next
    };
    response.map(|body| with_frames(body, count))
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
            key = served.as_ref().and_then(|served| served.key.as_deref()),
            user = served.as_ref().and_then(|served| Some(served.user.as_ref()?.as_str())),
            session = served.as_ref().and_then(|served| Some(served.session.as_ref()?.as_str())),
            "request"
        );
    }};
}

impl LogLine {
    /// Counts the bytes of a frame of the body.
    fn count(&mut self, next: &PolledFrame) {
        if let Poll::Ready(Some(Ok(frame))) = next {
            self.bytes += frame.data_ref().map_or(0, Bytes::len) as u64;
        }
    }
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

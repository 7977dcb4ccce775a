//! Events of a server, as they come.

use std::collections::VecDeque;

use reqwest::Response;
use serde_json::Value;

use crate::{
    error::{Code, Error, Result},
    problem,
    wire::{Effect, Event},
};

/// Bytes of one event. A server whose events are longer is another program.
const EVENT_BYTES: usize = 1 << 20;

/// A stream of events that a server sends.
#[derive(Debug)]
pub struct RemoteEvents {
    response: Response,
    begun: Vec<u8>,
    ready: VecDeque<Event>,
}

impl RemoteEvents {
    pub(super) fn new(response: Response) -> Self {
        Self { response, begun: Vec::new(), ready: VecDeque::new() }
    }

    /// The next event; `None` once the server ends the stream. Go on then from the last id.
    ///
    /// # Errors
    /// `store_unavailable` if the connection breaks; `invalid_request` if this is no stream of events.
    pub async fn next(&mut self) -> Result<Option<Event>> {
        loop {
            if let Some(event) = self.ready.pop_front() {
                return Ok(Some(event));
            }
            let piece =
                self.response.chunk().await.map_err(|cause| problem::unreachable(cause, Effect::Reads, None))?;
            let Some(piece) = piece else { return Ok(None) };
            self.begun.extend_from_slice(&piece);
            while let Some(end) = self.begun.windows(2).position(|two| two == b"\n\n") {
                let block: Vec<u8> = self.begun.drain(..end + 2).collect();
                self.ready.extend(parsed(&String::from_utf8_lossy(&block)));
            }
            if self.begun.len() > EVENT_BYTES {
                return Err(Error::new(
                    Code::InvalidRequest,
                    "the server sends something else than events; is it skillmount?",
                ));
            }
        }
    }
}

/// An event out of its lines; `None` for a comment, as a server sends to show that it is alive.
fn parsed(block: &str) -> Option<Event> {
    let field = |name: &str| {
        let line = block.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'));
        line.map(|value| value.strip_prefix(' ').unwrap_or(value).to_owned())
    };
    let mut data: Value = serde_json::from_str(&field("data")?).ok()?;
    // The stream has no other place for it, and an event has.
    let session = data.as_object_mut().and_then(|members| members.remove("session"));
    let session = session.and_then(|session| session.as_str().map(str::to_owned));
    Some(Event { id: field("id"), event: field("event")?, session, data })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_event_is_read_from_its_lines_and_a_comment_is_none() {
        let event = parsed("event: gap\ndata: {\"after\":\"x\",\"session\":\"s1\"}\nid: a.1.2\n\n").unwrap();
        assert_eq!(
            (event.id.as_deref(), event.event.as_str(), event.session.as_deref()),
            (Some("a.1.2"), "gap", Some("s1"))
        );
        assert_eq!(event.data, json!({"after": "x"}));
        assert_eq!(parsed(":\n\n"), None);
    }
}

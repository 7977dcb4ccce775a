//! The order of calls that a host sends at once, as several hosts send a turn.
//!
//! Calls of one session that meet run in the order of their arrival. All others run at once.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};

use serde_json::{Map, Value};
use tokio::sync::Notify;

use super::{
    input::ParsedCall,
    order::{Place, meet, places},
    tool::Tool,
};
use crate::{handle::SessionBackend, path::Id};

/// Texts longer than this are no path.
const PATH_BYTES: usize = 4096;

/// The calls of every session that run or wait in this process. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub struct CallQueue(Arc<Mutex<Queues>>);

#[derive(Debug, Default)]
struct Queues {
    /// The number of the next call. No two calls of a process have one number.
    next: u64,
    by_session: HashMap<(Id, Id), SessionQueue>,
}

/// The calls of one session, in the order of their arrival.
#[derive(Debug, Default)]
struct SessionQueue {
    calls: Vec<QueueEntry>,
    /// Wakes those who wait when a call leaves.
    left: Arc<Notify>,
}

#[derive(Debug)]
struct QueueEntry {
    number: u64,
    places: Vec<Place>,
}

/// The place of one call in its queue. The call leaves when the last copy is dropped. Cheap to clone.
#[derive(Clone, Debug)]
pub struct QueuePlace(Arc<Ticket>);

#[derive(Debug)]
struct Ticket {
    queue: CallQueue,
    session: (Id, Id),
    number: u64,
    left: Arc<Notify>,
}

impl CallQueue {
    /// Gives a call of the tool `name` the last place in the queue of its session. A wrong input waits for no other call.
    #[must_use]
    pub fn arrive(&self, backend: &SessionBackend, name: &str, input: &Map<String, Value>) -> QueuePlace {
        let call = Tool::all().find(|tool| tool.name() == name).and_then(|tool| {
            let input = input.iter().map(|(name, value)| (name.clone(), without_long_texts(value))).collect();
            ParsedCall::read(tool, tool.spelled(input).ok()?).ok()
        });
        self.join(backend, call.as_ref().map(places).unwrap_or_default())
    }

    /// Gives a load of a skill the last place in the queue of its session.
    #[must_use]
    pub fn arrive_load(&self, backend: &SessionBackend) -> QueuePlace {
        self.join(backend, vec![Place::Session])
    }

    fn join(&self, backend: &SessionBackend, places: Vec<Place>) -> QueuePlace {
        let session = (backend.user().clone(), backend.session_id().clone());
        let (number, left) = self.queues(|queues| {
            let number = queues.next;
            queues.next += 1;
            let queue = queues.by_session.entry(session.clone()).or_default();
            queue.calls.push(QueueEntry { number, places });
            (number, Arc::clone(&queue.left))
        });
        QueuePlace(Arc::new(Ticket { queue: self.clone(), session, number, left }))
    }

    fn queues<T>(&self, work: impl FnOnce(&mut Queues) -> T) -> T {
        work(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl QueuePlace {
    /// Done when no call before this one meets it.
    pub async fn turn(&self) {
        loop {
            // The registration is before the look: a call may leave in between.
            let left = self.0.left.notified();
            tokio::pin!(left);
            left.as_mut().enable();
            if !self.0.has_to_wait() {
                return;
            }
            left.await;
        }
    }

    /// Leaves the queue. Later calls wait no longer for this one.
    pub fn leave(&self) {
        self.0.leave();
    }
}

impl Ticket {
    fn has_to_wait(&self) -> bool {
        self.queue.queues(|queues| {
            let Some(queue) = queues.by_session.get(&self.session) else { return false };
            let mut before = queue.calls.iter().take_while(|call| call.number < self.number);
            let Some(own) = queue.calls.iter().find(|call| call.number == self.number) else { return false };
            before.any(|other| meet(&own.places, &other.places))
        })
    }

    fn leave(&self) {
        self.queue.queues(|queues| {
            let Some(queue) = queues.by_session.get_mut(&self.session) else { return };
            queue.calls.retain(|call| call.number != self.number);
            if queue.calls.is_empty() {
                queues.by_session.remove(&self.session);
            }
        });
        self.left.notify_waiters();
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        self.leave();
    }
}

/// The value with empty text in place of each long one: the order of calls depends on paths alone.
fn without_long_texts(value: &Value) -> Value {
    match value {
        Value::String(text) if text.len() > PATH_BYTES => Value::String(String::new()),
        Value::Array(values) => values.iter().map(without_long_texts).collect(),
        Value::Object(members) => {
            members.iter().map(|(name, value)| (name.clone(), without_long_texts(value))).collect::<Map<_, _>>().into()
        }
        other => other.clone(),
    }
}

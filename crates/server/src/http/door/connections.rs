//! The connections that are open, and which of them gives way to a new one.
//!
//! A new connection is always taken, because it may be a health probe. If too many are open, the service closes the
//! connection that has had no call for longest. Such a connection waits for headers, or idles, or belongs to a client
//! without a key. There always is such a connection: calls on users' data and
//! streams hold at most all less [`CONNECTIONS_RESERVED`](crate::limits::CONNECTIONS_RESERVED). The address of the client does not matter, because behind a
//! proxy all connections come from the same address.

use std::{
    collections::HashMap,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, AtomicUsize, Ordering},
    },
};

use tokio::sync::Notify;

/// All that are open. Cheap to clone.
#[derive(Clone, Debug)]
pub(crate) struct Connections {
    most: usize,
    shared: Arc<ConnectionTable>,
}

#[derive(Debug, Default)]
struct ConnectionTable {
    open: Mutex<HashMap<u64, Arc<State>>>,
    /// Counts openings and calls, so that the longest quiet connection is known.
    moment: AtomicU64,
}

#[derive(Debug)]
struct State {
    last: AtomicU64,
    calls: AtomicUsize,
    gives_way: Notify,
}

/// An open connection. It counts until this value is dropped.
#[derive(Debug)]
pub(crate) struct Connection {
    all: Connections,
    number: u64,
    state: Arc<State>,
}

/// A connection, as the requests on it know it.
#[derive(Clone, Debug)]
pub(crate) struct ConnectionHandle {
    all: Connections,
    state: Arc<State>,
}

/// A connection with a call, which is never closed for a new one.
#[derive(Debug)]
pub(crate) struct BusyConnection(ConnectionHandle);

impl Connections {
    /// At most `most` of them.
    pub(crate) fn new(most: usize) -> Self {
        Self { most, shared: Arc::default() }
    }

    /// Adds a connection. If there are too many, another gives way.
    pub(crate) fn open(&self) -> Connection {
        let number = self.moment();
        let state = Arc::new(State { last: number.into(), calls: AtomicUsize::new(0), gives_way: Notify::new() });
        let mut open = self.lock();
        if open.len() >= self.most {
            close_quietest(&mut open);
        }
        open.insert(number, Arc::clone(&state));
        drop(open);
        Connection { all: self.clone(), number, state }
    }

    /// Closes one for want of something other than places, such as file descriptors.
    pub(crate) fn close_one(&self) {
        close_quietest(&mut self.lock());
    }

    /// How many are open.
    pub(crate) fn count(&self) -> usize {
        self.lock().len()
    }

    fn moment(&self) -> u64 {
        self.shared.moment.fetch_add(1, Ordering::Relaxed)
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<u64, Arc<State>>> {
        self.shared.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Asks the connection that has been without a call for longest to close. It is no longer counted then, so that none is asked twice.
fn close_quietest(open: &mut HashMap<u64, Arc<State>>) {
    let quiet = open.iter().filter(|(_, state)| state.calls.load(Ordering::Relaxed) == 0);
    let longest = quiet.min_by_key(|(_, state)| state.last.load(Ordering::Relaxed)).map(|(number, _)| *number);
    if let Some(state) = longest.and_then(|number| open.remove(&number)) {
        state.gives_way.notify_one();
    }
}

impl Connection {
    /// Done when this one is to make room.
    pub(crate) async fn gives_way(&self) {
        self.state.gives_way.notified().await;
    }

    /// For the requests on it.
    pub(crate) fn line(&self) -> ConnectionHandle {
        ConnectionHandle { all: self.all.clone(), state: Arc::clone(&self.state) }
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.all.lock().remove(&self.number);
    }
}

impl ConnectionHandle {
    /// From here on it has a call.
    pub(crate) fn engage(&self) -> BusyConnection {
        self.state.calls.fetch_add(1, Ordering::Relaxed);
        BusyConnection(self.clone())
    }
}

impl Drop for BusyConnection {
    fn drop(&mut self) {
        let ConnectionHandle { all, state } = &self.0;
        state.last.store(all.moment(), Ordering::Relaxed);
        state.calls.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt as _;

    use super::*;

    // S-FAIR-3: The service takes every new connection: if too many are open, it closes the connection that was without
    // a call for longest.
    #[test]
    fn the_longest_quiet_connection_gives_way_and_one_with_a_call_never() {
        let all = Connections::new(3);
        let (first, second, third) = (all.open(), all.open(), all.open());
        let closes = |connection: &Connection| connection.gives_way().now_or_never().is_some();
        let call = first.line().engage();
        let fourth = all.open();
        assert!(!closes(&first) && closes(&second) && !closes(&third) && !closes(&fourth));
        drop(second);
        drop(call);
        let fifth = all.open();
        assert!(!closes(&first) && closes(&third), "one that has just had a call is not the longest quiet");
        let engaged = [first.line().engage(), fourth.line().engage(), fifth.line().engage()];
        let sixth = all.open();
        assert!(!closes(&first) && !closes(&fourth) && !closes(&fifth));
        drop(engaged);
        all.close_one();
        assert!(closes(&sixth));
        drop((first, third, fourth, fifth));
        assert_eq!(all.count(), 0);
    }
}

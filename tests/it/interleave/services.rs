//! The services of the model. They serve many runs, each over a store of its own.
//!
//! A service is built once, because that and its end take longer than a run. Its caches hold versions of objects, so they are right
//! for each store.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use jiff::Timestamp;
use skillmount::{
    clock::Clock,
    handle::{Service, ServiceOptions},
    path::Id,
    store::{CachingStore, MemoryStore, Store},
};

use super::gate::{Gate, GateState};
use crate::support::world::id;

/// The moment of the calls, in seconds.
pub(super) const NOW: i64 = 1_000_000;
/// What passes for a reader from one store to the next.
const HOUR: Duration = Duration::from_hours(1);
const MINUTE: i64 = 60;

/// The most calls of a case.
const MOST_CALLS: usize = 3;

/// The user of every case.
pub(super) fn user() -> Id {
    id("demo")
}

/// A clock whose time of day stands until it is moved, with random numbers that are the same in each run.
#[derive(Debug)]
struct Still {
    now: Mutex<Timestamp>,
    /// What the moves have added to the time since `began`.
    moved: Mutex<Duration>,
    began: tokio::time::Instant,
    rolled: Mutex<u128>,
}

impl Still {
    fn new(now: i64) -> Arc<Self> {
        let now = Mutex::new(Timestamp::from_second(now).unwrap());
        Arc::new(Self { now, moved: Mutex::default(), began: tokio::time::Instant::now(), rolled: Mutex::default() })
    }

    /// Begins with the random numbers of a service again.
    fn roll_as(&self, service: usize) {
        *self.rolled.lock().unwrap() = (service as u128) << 64;
    }

    fn move_by(&self, time: Duration) {
        *self.now.lock().unwrap() += time;
        *self.moved.lock().unwrap() += time;
    }
}

impl Clock for Still {
    fn now(&self) -> Timestamp {
        *self.now.lock().unwrap()
    }

    fn uptime(&self) -> Duration {
        self.began.elapsed() + *self.moved.lock().unwrap()
    }

    fn random(&self) -> u128 {
        let mut rolled = self.rolled.lock().unwrap();
        *rolled += 1;
        *rolled
    }
}

fn service(store: Arc<dyn Store>, clock: Arc<Still>) -> Service {
    let cached = Arc::new(CachingStore::new(store, 1 << 20, clock.clone()));
    Service::new(cached, ServiceOptions::default(), clock)
}

/// A service that remembers nothing, at this second.
pub(super) fn reader(store: Arc<dyn Store>, now: i64) -> Service {
    service(store, Still::new(now))
}

/// A service before a store that can be replaced.
pub(super) struct Actor {
    service: Service,
    clock: Arc<Still>,
    store: Arc<Mutex<Arc<MemoryStore>>>,
    gate: Arc<Mutex<GateState>>,
}

impl Actor {
    fn new(now: i64) -> Self {
        let (store, gate) = (Arc::new(Mutex::default()), Arc::new(Mutex::default()));
        let clock = Still::new(now);
        let service = service(Arc::new(Gate::new(Arc::clone(&store), Arc::clone(&gate))), clock.clone());
        Self { service, clock, store, gate }
    }

    /// The service over `store`, as the one of this number. Its requests wait at the gate.
    pub(super) fn begin(&self, number: usize, store: &Arc<MemoryStore>) -> (Service, Arc<Mutex<GateState>>) {
        self.clock.roll_as(number + 1);
        *self.store.lock().unwrap() = store.clone();
        *self.gate.lock().unwrap() = GateState::default();
        (self.service.clone(), self.gate.clone())
    }

    /// The service over `store`. Its requests pass at once. An hour has passed for it, so it believes no listing of another store.
    pub(super) fn over(&self, store: &Arc<MemoryStore>) -> Service {
        self.clock.roll_as(0);
        self.clock.move_by(HOUR);
        *self.store.lock().unwrap() = store.clone();
        *self.gate.lock().unwrap() = GateState::open();
        self.service.clone()
    }
}

/// The services of a test.
pub(super) struct Services {
    /// Each makes a call.
    pub(super) actors: [Actor; MOST_CALLS],
    /// Settles what is pending when no call is under way any more.
    pub(super) settler: Actor,
    /// Reads what there is then.
    pub(super) reader: Actor,
}

impl Services {
    pub(super) fn new() -> Self {
        let actors = std::array::from_fn(|_| Actor::new(NOW));
        Self { actors, settler: Actor::new(NOW), reader: Actor::new(NOW + MINUTE) }
    }

    /// Replaces the service that made the call of this number.
    pub(super) fn replace(&mut self, number: usize) {
        self.actors[number] = Actor::new(NOW);
    }
}

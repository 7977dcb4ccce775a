//! What several test files stand on: worlds to act in, clocks, stores in folders of their own, S3 in this
//! process, a browser, and tools of other languages.

pub(crate) mod barred;
pub(crate) mod browser;
pub(crate) mod draft;
pub(crate) mod earlier;
pub(crate) mod encrypted;
pub(crate) mod folder_saboteur;
pub(crate) mod once;
pub(crate) mod packages;
#[cfg(feature = "s3")]
pub(crate) mod s3_in_process;
#[cfg(feature = "s3")]
pub(crate) mod s3_proxy;
#[cfg(feature = "s3")]
pub(crate) mod s3_script;
pub(crate) mod sabotage;
pub(crate) mod saboteur;
pub(crate) mod sources;
#[cfg(feature = "encoder")]
pub(crate) mod wheels;

pub(crate) mod world;
pub(crate) mod wrong_calls;

use std::{
    path::Path,
    sync::{Arc, Mutex},
    time::Duration,
};

use jiff::{SignedDuration, Timestamp};
#[cfg(feature = "s3")]
use skillmount::store::S3Options;
use skillmount::{
    clock::{Clock, SystemClock},
    store::{DirectoryStore, SharedStore},
};
use tempfile::TempDir;
use tokio::time::Instant;

/// The machine's clock.
pub(crate) fn clock() -> Arc<dyn Clock> {
    Arc::new(SystemClock::new())
}

/// A directory store in `folder`.
pub(crate) fn directory(folder: &Path) -> SharedStore {
    Arc::new(DirectoryStore::open(folder, clock()).unwrap())
}

/// A directory store in a new folder, which is removed when the guard is dropped.
pub(crate) fn temporary_directory() -> (TempDir, SharedStore) {
    let folder = TempDir::new().unwrap();
    let store = directory(folder.path());
    (folder, store)
}

/// As [`temporary_directory`], but in memory where the system has such a disk: for tests with thousands of writes, each
/// of which would wait for a real one.
pub(crate) fn directory_in_memory() -> (TempDir, SharedStore) {
    let folder = TempDir::new_in("/dev/shm").or_else(|_| TempDir::new()).unwrap();
    let store = directory(folder.path());
    (folder, store)
}

/// The options of an S3-compatible server at `url`.
#[cfg(feature = "s3")]
pub(crate) fn endpoint(url: &str) -> S3Options {
    S3Options { endpoint_url: Some(url.to_owned()), ..S3Options::default() }
}

/// A clock whose time of day is set by hand.
#[derive(Debug)]
pub(crate) struct SetClock {
    now: Mutex<Timestamp>,
    rest: SystemClock,
}

impl SetClock {
    pub(crate) fn at(second: i64) -> Arc<Self> {
        let clock = Self { now: Mutex::default(), rest: SystemClock::new() };
        clock.set(second);
        Arc::new(clock)
    }

    pub(crate) fn set(&self, second: i64) {
        *self.now.lock().unwrap() = Timestamp::from_second(second).unwrap();
    }
}

impl Clock for SetClock {
    fn now(&self) -> Timestamp {
        *self.now.lock().unwrap()
    }

    fn uptime(&self) -> Duration {
        self.rest.uptime()
    }

    fn random(&self) -> u128 {
        self.rest.random()
    }
}

/// A clock on the wall that goes with tokio's.
#[derive(Debug)]
pub(crate) struct Wall {
    since: Instant,
    ahead: Duration,
}

impl Wall {
    pub(crate) fn new() -> Self {
        Self::ahead(Duration::ZERO)
    }

    /// One that is this much fast.
    pub(crate) fn ahead(ahead: Duration) -> Self {
        Self { since: Instant::now(), ahead }
    }
}

impl Clock for Wall {
    fn now(&self) -> Timestamp {
        Timestamp::UNIX_EPOCH + SignedDuration::try_from(self.uptime() + self.ahead).unwrap()
    }

    fn uptime(&self) -> Duration {
        self.since.elapsed()
    }

    fn random(&self) -> u128 {
        7
    }
}

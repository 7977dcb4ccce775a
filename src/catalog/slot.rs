//! What is known of one layer's catalog, and the reading of it that is under way.

use std::{
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::Duration,
};

use super::{discover::Discovery, entry::CatalogView, saved::Saved, weight};
use crate::{error::Result, limits::FRESH};

/// One layer's catalog and the reading under way.
#[derive(Debug, Default)]
pub(super) struct Slot {
    known: Mutex<Option<Known>>,
    pub(super) saved: Saved,
    pub(super) flight: tokio::sync::Mutex<Option<Flight>>,
    /// Orders calls against readings: a number taken later is larger.
    turns: AtomicU64,
    /// Whether anybody asked since the last reading that nobody waited for.
    wanted: AtomicBool,
    /// Whether a task looks after the slot.
    attended: AtomicBool,
}

/// The newest catalog, and how old it was at which uptime.
#[derive(Clone, Debug)]
pub(super) struct Known {
    pub(super) discovery: Discovery,
    at: Duration,
    age: Duration,
    /// The uptime to look again at.
    pub(super) due: Duration,
}

/// The last reading: when it began and ended, in turns, and what came of it.
#[derive(Debug)]
pub(super) struct Flight {
    pub(super) began: u64,
    pub(super) ended: u64,
    pub(super) outcome: Result<Arc<CatalogView>>,
}

impl Slot {
    pub(super) fn turn(&self) -> u64 {
        self.turns.fetch_add(1, Ordering::SeqCst)
    }

    pub(super) fn known(&self) -> Option<Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// About how many bytes what is known takes.
    pub(super) fn bytes(&self) -> u64 {
        let bytes = self.known().map_or(0, |known| weight::of_discovery(&known.discovery));
        u64::try_from(bytes).unwrap_or(u64::MAX)
    }

    pub(super) fn replace(&self, known: Known) -> Option<Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner).replace(known)
    }

    /// Notes that somebody asked; whether the caller has to see to it that a task looks after the slot.
    pub(super) fn ask(&self) -> bool {
        self.wanted.store(true, Ordering::SeqCst);
        !self.attended.swap(true, Ordering::SeqCst)
    }

    /// Whether the task that looks after the slot ends, because nobody has asked since it last wanted to know.
    pub(super) fn is_done_with(&self) -> bool {
        !self.wanted.swap(false, Ordering::SeqCst) && self.is_left_alone()
    }

    /// Ends the care for this slot, unless somebody asked at this very moment and nobody else took it over.
    fn is_left_alone(&self) -> bool {
        self.attended.store(false, Ordering::SeqCst);
        !self.wanted.load(Ordering::SeqCst) || self.attended.swap(true, Ordering::SeqCst)
    }
}

impl Known {
    /// What was read from the store just now, in a reading that began at the uptime `at`.
    pub(super) fn read(discovery: Discovery, at: Duration, now: Duration) -> Self {
        // A reading that took long is not followed by another at once.
        let due = (at + FRESH).max(now + FRESH / 2);
        Self { discovery, at, age: Duration::ZERO, due }
    }

    /// What an index of this age tells.
    pub(super) fn believed(discovery: Discovery, now: Duration, age: Duration) -> Self {
        Self { discovery, at: now, age, due: now + FRESH.saturating_sub(age) }
    }

    pub(super) fn age(&self, now: Duration) -> Duration {
        now.saturating_sub(self.at) + self.age
    }
}

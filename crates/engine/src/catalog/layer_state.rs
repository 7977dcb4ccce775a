//! One layer's catalog in memory, and the reading under way.

use std::{
    sync::{
        Arc, Mutex, OnceLock, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::Duration,
};

use sha2::{Digest as _, Sha256};

use super::{discover::Discovery, persisted::SavedIndex, vectors::KeptVectors, view::CatalogView, weight};
use crate::{error::Result, limits::FRESH};

/// One layer's catalog and the reading under way.
#[derive(Debug, Default)]
pub(super) struct LayerState {
    known: Mutex<Option<CachedCatalog>>,
    pub(super) saved: SavedIndex,
    pub(super) vectors: Arc<KeptVectors>,
    pub(super) flight: tokio::sync::Mutex<Option<LastReading>>,
    /// Orders calls and readings: a number taken later is larger.
    turns: AtomicU64,
    /// Whether a caller asked since the last reading in the background.
    wanted: AtomicBool,
    /// Whether a task refreshes the slot.
    attended: AtomicBool,
}

/// The newest catalog, and its age at an uptime.
#[derive(Clone, Debug)]
pub(super) struct CachedCatalog {
    pub(super) discovery: Discovery,
    at: Duration,
    age: Duration,
    /// The uptime at which to look again.
    pub(super) due: Duration,
    tag: Arc<OnceLock<String>>,
}

/// The last reading: the turns of begin and end, and the result.
#[derive(Debug)]
pub(super) struct LastReading {
    pub(super) began: u64,
    pub(super) ended: u64,
    pub(super) outcome: Result<Arc<CatalogView>>,
}

impl LayerState {
    pub(super) fn turn(&self) -> u64 {
        self.turns.fetch_add(1, Ordering::SeqCst)
    }

    pub(super) fn cached(&self) -> Option<CachedCatalog> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// About how many bytes the catalog and its vectors take.
    pub(super) fn bytes(&self) -> u64 {
        let bytes = self.cached().map_or(0, |known| weight::of_discovery(&known.discovery));
        u64::try_from(bytes + self.vectors.bytes()).unwrap_or(u64::MAX)
    }

    pub(super) fn replace(&self, known: CachedCatalog) -> Option<CachedCatalog> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner).replace(known)
    }

    /// Records that a caller asked. Returns true if that caller must start the task that refreshes the slot.
    pub(super) fn ask(&self) -> bool {
        self.wanted.store(true, Ordering::SeqCst);
        !self.attended.swap(true, Ordering::SeqCst)
    }

    /// Whether the task that refreshes the slot ends, because no caller asked since its last look.
    pub(super) fn is_done_with(&self) -> bool {
        !self.wanted.swap(false, Ordering::SeqCst) && self.is_left_alone()
    }

    /// Ends the refreshing of this slot, unless a caller asked at this moment and no other task took over.
    fn is_left_alone(&self) -> bool {
        self.attended.store(false, Ordering::SeqCst);
        !self.wanted.load(Ordering::SeqCst) || self.attended.swap(true, Ordering::SeqCst)
    }
}

impl CachedCatalog {
    /// A catalog just read from the store, by a reading that began at the uptime `at`.
    pub(super) fn read(discovery: Discovery, at: Duration, now: Duration) -> Self {
        // A long reading is not followed by another at once.
        let due = (at + FRESH).max(now + FRESH / 2);
        Self { discovery, at, age: Duration::ZERO, due, tag: Arc::default() }
    }

    /// A catalog from an index of this age.
    pub(super) fn believed(discovery: Discovery, now: Duration, age: Duration) -> Self {
        Self { discovery, at: now, age, due: now + FRESH.saturating_sub(age), tag: Arc::default() }
    }

    /// A hash of which skills there are and of the version of each SKILL.md. It is the same in every process.
    pub(super) fn tag(&self) -> &str {
        self.tag.get_or_init(|| {
            let mut hash = Sha256::new();
            for entry in &self.discovery.view().entries {
                hash.update(format!("{}\0{}\0", entry.skill, entry.etag));
            }
            hex::encode(hash.finalize())
        })
    }

    pub(super) fn age(&self, now: Duration) -> Duration {
        now.saturating_sub(self.at) + self.age
    }
}

/// The freshness that a caller asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Freshness {
    /// The catalog in memory will do.
    Known,
    /// The store is asked.
    Fresh,
    /// The store is asked, and the caller reports what changed.
    ToReport,
}

impl Freshness {
    pub(super) fn from_flag(fresh: bool) -> Self {
        if fresh { Self::Fresh } else { Self::Known }
    }

    pub(super) fn is_fresh(self) -> bool {
        self != Self::Known
    }
}

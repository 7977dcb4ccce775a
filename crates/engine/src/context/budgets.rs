//! The resources that the process may take for all sessions together.

use crate::limits::{MEMORY_BYTES, MEMORY_CACHES_BYTES, MEMORY_CATALOGS_BYTES, WORK_STEPS, WORKERS_LEAST};

/// How much the process may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budgets {
    /// Bytes for cached contents, sessions and requests. The first two own [`MEMORY_CACHES_BYTES`] of it.
    pub memory: u64,
    /// Bytes for catalogs and their search indexes.
    pub catalogs: u64,
    /// Threads for work that takes long.
    pub workers: u64,
    /// Steps of work that one request may take.
    pub steps: u64,
}

impl Default for Budgets {
    fn default() -> Self {
        let cores = std::thread::available_parallelism().map_or(1, |cores| cores.get() as u64);
        Self {
            memory: MEMORY_BYTES,
            catalogs: MEMORY_CATALOGS_BYTES,
            workers: WORKERS_LEAST.max(2 * cores),
            steps: WORK_STEPS,
        }
    }
}

impl Budgets {
    /// The bytes that all requests together may hold.
    #[must_use]
    pub fn requests(&self) -> u64 {
        self.memory.saturating_sub(MEMORY_CACHES_BYTES)
    }
}

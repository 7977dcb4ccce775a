//! Threads, memory and steps that the requests of one process share.

use super::{Job, Memory, Workers};

/// The worker threads, the memory and the steps that requests may take. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Capacity {
    workers: Workers,
    memory: Memory,
    /// Steps of work that one request may take.
    steps: u64,
}

impl Capacity {
    /// `steps` is the most that one request may take.
    #[must_use]
    pub const fn new(workers: Workers, memory: Memory, steps: u64) -> Self {
        Self { workers, memory, steps }
    }

    /// The worker threads.
    #[must_use]
    pub const fn workers(&self) -> &Workers {
        &self.workers
    }

    /// The bytes that requests may hold.
    #[must_use]
    pub const fn memory(&self) -> &Memory {
        &self.memory
    }

    /// The work of one request of `owner`.
    pub fn job(&self, owner: &str) -> Job {
        self.workers.errand(owner, self.steps)
    }
}

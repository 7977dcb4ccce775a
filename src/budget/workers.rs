//! Threads for long work: bounded, shared fairly between users, apart from the threads that serve requests.
//!
//! The shares bound the number of threads. Each job has a thread of its own with a low priority, because a short
//! request of one user must not wait for the processor behind another user's long work. A thread costs less than the
//! smallest job. One of the runtime's blocking threads waits for it, so that the runtime knows of the job. A job is
//! never stopped by force: it checks its [`Work`] between pieces. The work is cancelled when the request's future is
//! dropped, after a deadline or because the caller left, and when the workers are closed.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    thread,
};

use super::{Owner, Shares, Work};
use crate::{
    error::{Code, Error, Result},
    limits::INLINE_STEPS,
};

/// The nice value of threads for long work. On Linux each thread has its own.
#[cfg(target_os = "linux")]
const PRIORITY: i32 = 10;

/// A pool of threads. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Workers {
    threads: Shares,
    begun: Arc<AtomicU64>,
    closing: Arc<AtomicBool>,
}

/// The work of one request. Dropping it cancels what still runs.
#[derive(Debug)]
pub struct Errand {
    workers: Workers,
    owner: Owner,
    work: Work,
}

impl Workers {
    /// A pool of `threads`. One user has at most half of them, and at least one.
    #[must_use]
    pub fn new(threads: u64) -> Self {
        let threads = threads.max(2);
        Self { threads: Shares::new(threads, threads / 2), begun: Arc::default(), closing: Arc::default() }
    }

    /// The work of one request of `owner`, with at most `steps`.
    #[must_use]
    pub fn errand(&self, owner: &str, steps: u64) -> Errand {
        Errand { workers: self.clone(), owner: owner.into(), work: Work::new(steps, self.closing.clone()) }
    }

    /// Cancels all present and future work, because the process ends.
    pub fn close(&self) {
        self.closing.store(true, Ordering::Relaxed);
    }

    /// The number of jobs that workers have started so far.
    #[must_use]
    pub fn begun(&self) -> u64 {
        self.begun.load(Ordering::Relaxed)
    }

    /// The number of jobs that run now.
    #[must_use]
    pub fn busy(&self) -> u64 {
        self.threads.held()
    }
}

impl Errand {
    /// The steps and the cancel flag.
    #[must_use]
    pub fn work(&self) -> &Work {
        &self.work
    }

    /// Runs `job` on a worker, once one is free for this owner.
    ///
    /// # Errors
    /// Those of `job`; `internal` if it panics.
    pub async fn run<T: Send + 'static>(&self, job: impl FnOnce(&Work) -> Result<T> + Send + 'static) -> Result<T> {
        let Some(share) = self.workers.threads.acquire(&self.owner, 1).await else {
            return Err(Error::new(Code::Internal, "no worker can ever be had"));
        };
        self.workers.begun.fetch_add(1, Ordering::Relaxed);
        let work = self.work.clone();
        let job = move || {
            let result = thread::scope(|scope| {
                let low = scope.spawn(|| {
                    step_back();
                    job(&work)
                });
                low.join()
            });
            drop(share);
            result.unwrap_or_else(|_| Err(Error::internal("long work panicked")))
        };
        tokio::task::spawn_blocking(job).await.map_err(Error::internal)?
    }

    /// Runs `job`, which takes at most `worst` steps: on a worker, or on this thread if it is short.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub async fn run_sized<T: Send + 'static>(
        &self,
        worst: u64,
        job: impl FnOnce(&Work) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        if worst <= INLINE_STEPS { job(&self.work) } else { self.run(job).await }
    }
}

impl Drop for Errand {
    fn drop(&mut self) {
        self.work.cancel();
    }
}

/// Gives this thread a low priority, if the system supports that. If it refuses, the work runs at the normal one.
fn step_back() {
    #[cfg(target_os = "linux")]
    let _ = rustix::process::setpriority_process(None, PRIORITY);
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;
    use crate::budget::Stop;

    /// A job that runs until it is cancelled.
    fn run_until_cancelled(work: &Work) {
        while work.spend(0).is_ok() {
            std::thread::yield_now();
        }
    }

    // S-BUDGET-1: Work that takes long runs in a bounded pool, of which one user holds at most half.
    #[tokio::test]
    async fn one_user_holds_at_most_half_of_the_threads() {
        let workers = Workers::new(4);
        let jobs: Vec<_> = (0..8)
            .map(|_| {
                let workers = workers.clone();
                tokio::spawn(async move {
                    let errand = workers.errand("greedy", 0);
                    errand
                        .run(|work| {
                            run_until_cancelled(work);
                            Ok(())
                        })
                        .await
                })
            })
            .collect();
        while workers.busy() < 2 {
            tokio::task::yield_now().await;
        }
        workers.errand("honest", 0).run(|_| Ok(())).await.unwrap();
        assert_eq!(workers.busy(), 2);
        for job in jobs {
            job.abort();
        }
        while workers.busy() > 0 {
            tokio::task::yield_now().await;
        }
    }

    #[tokio::test]
    async fn a_caller_that_leaves_and_an_end_of_the_process_both_cancel() {
        let workers = Workers::new(2);
        let (told, hears) = mpsc::channel();
        let job = move |work: &Work| {
            run_until_cancelled(work);
            told.send(()).map_err(Error::internal)
        };
        let errand = workers.errand("u", 0);
        let running = tokio::spawn(async move { errand.run(job).await });
        while workers.busy() == 0 {
            tokio::task::yield_now().await;
        }
        running.abort();
        tokio::task::spawn_blocking(move || hears.recv()).await.unwrap().unwrap();
        workers.close();
        assert_eq!(workers.errand("u", 1).work().spend(1), Err(Stop::Cancelled));
    }
}

//! Threads for long work: bounded, shared fairly between users, apart from the threads that serve requests.
//!
//! The shares bound the number of jobs. They run on threads of a low priority, because a short request of one user must not
//! wait for the processor behind another user's long work. The threads stay: with a new one for each job the allocator kept
//! much more memory. One of the runtime's blocking threads waits for each job, so that the runtime knows of it. A job is
//! never stopped by force: it checks its [`WorkBudget`] between pieces. The work is cancelled when the request's future is
//! dropped, after a deadline or because the caller left, and when the workers are closed.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
        mpsc::{self, Receiver, Sender},
    },
    thread,
};

use super::{Owner, Share, Shares, WorkBudget};
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
    /// The threads that the jobs of each key hold. Only the part of a key bounds them.
    of_keys: Shares,
    pool: Arc<Pool>,
    begun: Arc<AtomicU64>,
    closing: Arc<AtomicBool>,
}

/// The work of one request. Dropping it cancels what still runs.
#[derive(Debug)]
#[must_use]
pub struct Job {
    workers: Workers,
    owner: Owner,
    /// The key that asks, with its user. `None` for work that no key asked for.
    key: Option<Owner>,
    work: WorkBudget,
}

impl Workers {
    /// A pool of `threads`. One user has at most half of them, and at least one. A key has at most three quarters of the threads of
    /// its user, and at least one. An eighth is kept for users who have none.
    #[must_use]
    pub fn new(threads: u64) -> Self {
        let threads = threads.max(2);
        let pool = Arc::new(Pool::new(threads));
        let part = threads / 2;
        let shares = Shares::new(threads, part).keeping(threads.div_ceil(8));
        let of_keys = Shares::new(u64::MAX, (part * 3 / 4).max(1));
        Self { threads: shares, of_keys, pool, begun: Arc::default(), closing: Arc::default() }
    }

    /// The work of one request of `owner`, with at most `steps`.
    pub fn errand(&self, owner: &str, steps: u64) -> Job {
        Job {
            workers: self.clone(),
            owner: owner.into(),
            key: None,
            work: WorkBudget::new(steps, self.closing.clone()),
        }
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

    /// How often a job found its user and key within their parts and still waited for a thread, because others held all.
    #[must_use]
    pub fn contentions(&self) -> u64 {
        self.threads.contentions()
    }
}

impl Job {
    /// The same work, asked for by the key of this name. It then counts for the part of the key too.
    pub fn for_key(mut self, name: Option<&str>) -> Self {
        // No id has a line break.
        self.key = name.map(|name| format!("{}\n{name}", self.owner).into());
        self
    }

    /// The steps and the cancel flag.
    #[must_use]
    pub fn work(&self) -> &WorkBudget {
        &self.work
    }

    /// Runs `job` on a worker, once one is free for this owner.
    ///
    /// # Errors
    /// Those of `job`; `internal` if it panics.
    pub async fn run<T: Send + 'static>(
        &self,
        job: impl FnOnce(&WorkBudget) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let share = self.thread().await.ok_or_else(|| Error::new(Code::Internal, "no worker can ever be had"))?;
        self.workers.begun.fetch_add(1, Ordering::Relaxed);
        let (work, pool) = (self.work.clone(), Arc::clone(&self.workers.pool));
        let job = move || {
            let result = pool.run(move || job(&work));
            drop(share);
            result.unwrap_or_else(|| Err(Error::internal("long work panicked")))
        };
        tokio::task::spawn_blocking(job).await.map_err(Error::internal)?
    }

    /// A thread in the parts of its key and of its user.
    async fn thread(&self) -> Option<(Option<Share>, Share)> {
        let of_key = match &self.key {
            Some(key) => Some(self.workers.of_keys.acquire(key, 1).await?),
            None => None,
        };
        Some((of_key, self.workers.threads.acquire(&self.owner, 1).await?))
    }

    /// Runs `job`, which takes at most `worst` steps: on a worker, or on this thread if it is short.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub async fn run_sized<T: Send + 'static>(
        &self,
        worst: u64,
        job: impl FnOnce(&WorkBudget) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        if worst <= INLINE_STEPS { job(&self.work) } else { self.run(job).await }
    }
}

impl Drop for Job {
    fn drop(&mut self) {
        self.work.cancel();
    }
}

/// Threads of a low priority, begun when they are first needed and ended with the pool.
#[derive(Debug)]
struct Pool {
    most: u64,
    jobs: Mutex<Jobs>,
}

#[derive(Debug)]
struct Jobs {
    begun: u64,
    sender: Sender<BoxedTask>,
    receiver: Arc<Mutex<Receiver<BoxedTask>>>,
}

type BoxedTask = Box<dyn FnOnce() + Send>;

impl Pool {
    fn new(most: u64) -> Self {
        let (sender, receiver) = mpsc::channel();
        Self { most, jobs: Mutex::new(Jobs { begun: 0, sender, receiver: Arc::new(Mutex::new(receiver)) }) }
    }

    /// Runs `job` on a thread of the pool and waits for it; nothing if it panics.
    fn run<T: Send + 'static>(&self, job: impl FnOnce() -> T + Send + 'static) -> Option<T> {
        let (done, result) = mpsc::sync_channel(1);
        // The receiver waits until the sender is gone, which a panic drops too.
        self.hand_over(Box::new(move || drop(done.send(job()))));
        result.recv().ok()
    }

    fn hand_over(&self, job: BoxedTask) {
        let mut jobs = self.jobs.lock().unwrap_or_else(PoisonError::into_inner);
        if jobs.begun < self.most {
            jobs.begun += 1;
            let receiver = Arc::clone(&jobs.receiver);
            thread::spawn(move || work_through(&receiver));
        }
        // It fails only without a receiver, and `jobs` has one.
        let _ = jobs.sender.send(job);
    }
}

/// Takes jobs until the pool is gone. A job that panics ends with its own caller's error, and no other's.
fn work_through(jobs: &Mutex<Receiver<BoxedTask>>) {
    step_back();
    loop {
        let job = jobs.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok(job) = job else { return };
        let _ = catch_unwind(AssertUnwindSafe(job));
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
    use crate::budget::StopReason;

    /// A job that runs until it is cancelled.
    fn run_until_cancelled(work: &WorkBudget) {
        while work.spend(0).is_ok() {
            std::thread::yield_now();
        }
    }

    // S-BUDGET-1: Long work runs in a bounded pool, of which one user holds at most half.
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

    // S-FAIR-12: A key has at most three quarters of its user's threads for long work, and at least one.
    #[tokio::test]
    async fn one_key_leaves_threads_for_the_other_keys_of_its_user() {
        let workers = Workers::new(8);
        let jobs: Vec<_> = (0..8)
            .map(|_| {
                let workers = workers.clone();
                let job = |work: &WorkBudget| {
                    run_until_cancelled(work);
                    Ok(())
                };
                tokio::spawn(async move { workers.errand("u", 0).for_key(Some("greedy")).run(job).await })
            })
            .collect();
        while workers.busy() < 3 {
            tokio::task::yield_now().await;
        }
        workers.errand("u", 0).for_key(Some("other")).run(|_| Ok(())).await.unwrap();
        assert_eq!((workers.busy(), workers.contentions()), (3, 0));
        for job in jobs {
            job.abort();
        }
        while workers.busy() > 0 {
            tokio::task::yield_now().await;
        }
        let least = Workers::new(2);
        least.errand("u", 0).for_key(Some("only")).run(|_| Ok(())).await.unwrap();
    }

    #[tokio::test]
    async fn a_caller_that_leaves_and_an_end_of_the_process_both_cancel() {
        let workers = Workers::new(2);
        let (told, hears) = mpsc::channel();
        let job = move |work: &WorkBudget| {
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
        assert_eq!(workers.errand("u", 1).work().spend(1), Err(StopReason::Cancelled));
    }
}

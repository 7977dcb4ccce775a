//! Edits of files, many agents at once.
//!
//! Edits of a file queue up within a process and commit in groups: one read, all replacements in order, one put under
//! `If-Match`. Between processes compare-and-swap decides. The process that loses reads again and applies its group
//! again. Each group is committed by a task of its own, so a caller that goes away cancels no other caller's edit. An
//! edit is refused only after a look at the newest version. The refusal waits until all that the edit was judged on is
//! in the store.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use bytes::Bytes;
use tokio::{
    sync::oneshot,
    time::{sleep, timeout},
};

use super::{
    replace::{EditedFile, Replacement},
    unfinished::FirstPartWritten,
};
use crate::{
    budget::{WorkBudget, Workers},
    content::missing,
    error::{Code, Error, Outcome, Result},
    limits::{EDIT_ATTEMPTS, EDIT_GROUP, OPERATION_TIMEOUT, TEXT_FILE_BYTES},
    observer::content_digest,
    path::{Id, ObjectKey, VirtualPath},
    store::{Committer, ExpectedVersion, GetOptions, Object, SharedStore, StoreError, WriteCallId},
};

/// How long a group waits for as many edits as the one before it had.
const LINGER: Duration = Duration::from_millis(2);
/// How often the queue lets others run before it takes a group: enough for every task that is ready to add its edit.
const YIELDS: usize = 4;
/// The pause after a lost race, times the number of races lost.
const PAUSE: Duration = Duration::from_millis(3);

#[derive(Debug)]
struct Pending {
    user: Id,
    path: VirtualPath,
    replacement: Arc<Replacement>,
    /// The name of the call, if the edit is one part of a larger change.
    call: Option<String>,
    reply: oneshot::Sender<Result<FirstPartWritten>>,
}

/// The queues of all files being edited in this process.
#[derive(Clone, Debug)]
pub(crate) struct EditQueues {
    store: SharedStore,
    committer: Committer,
    workers: Workers,
    /// Whether an observer keeps records of the edits.
    is_observed: bool,
    /// Edits waiting, by file. A key is here exactly while a task works on its queue.
    waiting: Arc<Mutex<HashMap<ObjectKey, Vec<Pending>>>>,
}

impl EditQueues {
    pub(crate) fn new(store: SharedStore, committer: Committer, workers: Workers, is_observed: bool) -> Self {
        Self { store, committer, workers, is_observed, waiting: Arc::default() }
    }

    /// Adds an edit to the queue of `key` and waits for its outcome.
    pub(crate) async fn edit(
        &self,
        user: &Id,
        key: ObjectKey,
        path: VirtualPath,
        replacement: Arc<Replacement>,
        call: Option<String>,
    ) -> Result<FirstPartWritten> {
        let (reply, answer) = oneshot::channel();
        let pending = Pending { user: user.clone(), path: path.clone(), replacement, call, reply };
        let idle = match self.lock().entry(key.clone()) {
            std::collections::hash_map::Entry::Occupied(mut queue) => {
                queue.get_mut().push(pending);
                false
            }
            std::collections::hash_map::Entry::Vacant(place) => {
                place.insert(vec![pending]);
                true
            }
        };
        if idle {
            tokio::spawn(Worker { queues: self.clone(), key, finished: false }.run());
        }
        // The sender is dropped unanswered only if the worker died, and then it is not known how far it came.
        answer.await.unwrap_or_else(|gone| {
            Err(Error::internal(gone).with_outcome(Outcome::Unknown).with_detail("path", path.as_str()))
        })
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<ObjectKey, Vec<Pending>>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The task that empties one file's queue.
struct Worker {
    queues: EditQueues,
    key: ObjectKey,
    /// Whether it has taken its queue out of the map itself; the place may be another worker's since.
    finished: bool,
}

impl Drop for Worker {
    /// A worker that dies leaves no queue behind. The waiting callers get an error, and the next edit starts a new
    /// queue.
    fn drop(&mut self) {
        if !self.finished {
            self.queues.lock().remove(&self.key);
        }
    }
}

impl Worker {
    async fn run(mut self) {
        let mut last = 1;
        while let Some(group) = self.next_group(last).await {
            last = group.len();
            self.commit(group).await;
        }
        self.finished = true;
    }

    /// The next edits to commit together; `None` once the queue stayed empty and was taken out of the map.
    async fn next_group(&self, last: usize) -> Option<Vec<Pending>> {
        for _ in 0..YIELDS {
            tokio::task::yield_now().await;
        }
        if last > 1 && self.length() < last {
            sleep(LINGER).await;
        }
        let mut waiting = self.queues.lock();
        let queue = waiting.get_mut(&self.key)?;
        if queue.is_empty() {
            waiting.remove(&self.key);
            return None;
        }
        // A write carries the name of a single call, so an edit with a name is committed alone.
        let plain = queue.iter().take_while(|pending| pending.call.is_none()).count();
        let count = plain.clamp(1, EDIT_GROUP);
        Some(queue.drain(..count).collect())
    }

    fn length(&self) -> usize {
        self.queues.lock().get(&self.key).map_or(0, Vec::len)
    }

    /// Commits a group and answers every edit in it.
    async fn commit(&self, group: Vec<Pending>) {
        let outcome = match timeout(OPERATION_TIMEOUT * 2, self.attempts(&group)).await {
            Ok(outcome) => outcome,
            Err(_) => Err(Error::new(
                Code::StoreUnavailable,
                "the edit took too long; read the file to see whether it is there",
            )
            .with_outcome(Outcome::Unknown)),
        };
        match outcome {
            Ok(results) => {
                for (pending, result) in group.into_iter().zip(results) {
                    // A caller that went away does not want to know.
                    let _ = pending.reply.send(result);
                }
            }
            Err(error) => {
                for pending in group {
                    let _ = pending.reply.send(Err(error.clone()));
                }
            }
        }
    }

    /// One result for each edit of the group, once what they rest on is in the store.
    async fn attempts(&self, group: &[Pending]) -> Result<Vec<Result<FirstPartWritten>>> {
        let mut remembered = true;
        for attempt in 0..EDIT_ATTEMPTS {
            let base = match self.base(remembered).await {
                Ok(base) => base,
                Err(StoreError::NotFound) => {
                    return Ok(group.iter().map(|pending| Err(missing(&pending.path))).collect());
                }
                Err(error) => return Err(error.into()),
            };
            let call = group.first().and_then(|pending| pending.call.as_ref());
            if let Some((commit, count)) = call.and_then(|call| WriteCallId::find(call, &base.meta)) {
                let size = base.meta.size;
                let landed = FirstPartWritten { commit, size, count, is_earlier: true, before: None, after: None };
                return Ok(group.iter().map(|_| Ok(landed.clone())).collect());
            }
            let (bytes, counts) = self.apply(group, &base).await;
            if remembered && counts.iter().any(Result::is_err) {
                remembered = false;
                continue;
            }
            let failures: Option<Vec<Error>> = counts.iter().map(|count| count.as_ref().err().cloned()).collect();
            if let Some(failures) = failures {
                return Ok(failures.into_iter().map(Err).collect());
            }
            let size = bytes.len() as u64;
            let count = counts.iter().flatten().sum();
            let mark = call.map(|call| WriteCallId { call: call.clone(), count });
            let (before, after) = (Some(base.meta.etag.clone()), self.digest(group, &bytes).await);
            match self
                .queues
                .committer
                .commit_marked(&self.key, bytes, &ExpectedVersion::version(&base.meta), mark.as_ref())
                .await
            {
                Ok(commit) => {
                    let landed = FirstPartWritten { commit, size, count: 0, is_earlier: false, before, after };
                    let edited = |count| FirstPartWritten { count, ..landed.clone() };
                    return Ok(counts.into_iter().map(|count| count.map(edited)).collect());
                }
                Err(StoreError::PreconditionFailed | StoreError::NotFound) => remembered = false,
                Err(error) => return Err(error.into()),
            }
            sleep(PAUSE * u32::try_from(attempt + 1).unwrap_or(u32::MAX).min(10)).await;
        }
        Err(Error::new(Code::EditConflict, "others kept changing the file at the same time; read it and try again")
            .with_outcome(Outcome::NotApplied))
    }

    /// Applies the edits in order, each to the result of the ones before it. An edit that fails changes nothing. Each
    /// edit is a job of its own, so edits of large files let other users' work pass.
    async fn apply(&self, group: &[Pending], base: &Object) -> (Bytes, Vec<Result<u64>>) {
        let mut bytes = base.bytes.clone();
        let mut counts = Vec::with_capacity(group.len());
        for pending in group {
            counts.push(match self.apply_one(pending, base, &bytes).await {
                Ok(replaced) => {
                    bytes = replaced.bytes;
                    Ok(replaced.count)
                }
                Err(error) => Err(error),
            });
        }
        (bytes, counts)
    }

    async fn apply_one(&self, pending: &Pending, base: &Object, bytes: &Bytes) -> Result<EditedFile> {
        if !base.is_whole() {
            return Err(too_large(&pending.path, base.meta.size));
        }
        let (path, replacement, bytes) = (pending.path.clone(), pending.replacement.clone(), bytes.clone());
        // Searched as a copy, which is read three times, and copied once more.
        let steps = 5 * TEXT_FILE_BYTES as u64;
        let errand = self.queues.workers.errand(pending.user.as_str(), steps);
        let job = move |_: &WorkBudget| replacement.apply(&path, &bytes);
        errand.run_sized(5 * base.bytes.len() as u64, job).await
    }

    /// SHA-256 of a group's result, if an observer keeps records.
    async fn digest(&self, group: &[Pending], bytes: &Bytes) -> Option<String> {
        let owner = group.first().filter(|_| self.queues.is_observed)?.user.as_str();
        let (length, bytes) = (bytes.len() as u64, bytes.clone());
        let errand = self.queues.workers.errand(owner, length);
        errand.run_sized(length, move |_| Ok(content_digest(&bytes))).await.ok()
    }

    /// The version to edit: the newest this process knows of, or the newest there is.
    async fn base(&self, remembered: bool) -> Result<Object, StoreError> {
        let most = TEXT_FILE_BYTES as u64 + 1;
        let options = GetOptions { range: Some(0..most), remembered, ..GetOptions::default() };
        self.queues.store.get(&self.key, options).await
    }
}

/// The error of an edit whose file is over the limit.
fn too_large(path: &VirtualPath, size: u64) -> Error {
    let message = format!(
        "{path} has {size} bytes; edit takes files up to {TEXT_FILE_BYTES} bytes. Split the file, or upload it whole"
    );
    Error::new(Code::FileTooLarge, message).with_outcome(Outcome::NotApplied)
}

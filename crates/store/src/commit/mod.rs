//! Writes with a certain outcome: nothing is applied twice, and our own success is never reported as a conflict.
//!
//! A conditional put that lands while its reply is lost looks like another writer's win when it is retried. So each
//! write has an id in the object's metadata, and each conditional write carries the ids of its last 32 predecessors.
//! After an attempt of unknown outcome, the chain of the present version decides. Our id in it means that we landed.
//! Our base in it without our id means that we did not. Anything else stays unknown and is never applied again, also if
//! there is no object: a create may have landed and been deleted since. Trino #27388, Icechunk #2099 and ClickHouse
//! #113994 describe the same trap, and SlateDB cures it in the same way.
//!
//! The id of a write that is part of a larger change begins with the name of the call ([`WriteCallId`]). If a client
//! repeats the call, the call finds this write in the chain and continues with the missing parts.

mod pace;

use std::{sync::Arc, time::Duration};

use bytes::Bytes;
use tokio::time::Instant;

use self::pace::WritePace;
use super::{
    Cause, Metadata, ObjectMeta, PutCondition, PutOptions, SharedStore, StoreError, StoreResult, Tags, backoff::Backoff,
};
use skillmount_base::{
    clock::Clock,
    error::Outcome,
    limits::{OPERATION_TIMEOUT, WRITE_CHAIN},
    path::{ETag, ObjectKey},
};

/// Metadata name of the id of the write that made a version.
const WRITE_ID: &str = "skillmount-write-id";
/// Metadata name of its predecessors, newest first, separated by commas.
const WRITE_CHAIN_NAME: &str = "skillmount-write-chain";
/// The first pause after a failed attempt; it doubles up to [`LAST_PAUSE`].
const FIRST_PAUSE: Duration = Duration::from_millis(20);
/// The longest pause between attempts.
const LAST_PAUSE: Duration = Duration::from_secs(1);

/// The version of an object that a write expects to replace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ExpectedVersion {
    /// Nothing: any version is overwritten.
    Whatever,
    /// That there is no object.
    Absent,
    /// That this is the version. Its metadata names its own predecessors.
    Version(ETag, Metadata),
}

impl ExpectedVersion {
    /// The version described by `meta`.
    #[must_use]
    pub fn version(meta: &ObjectMeta) -> Self {
        Self::Version(meta.etag.clone(), meta.metadata.clone())
    }

    fn condition(&self) -> PutCondition {
        match self {
            Self::Whatever => PutCondition::Always,
            Self::Absent => PutCondition::IfAbsent,
            Self::Version(etag, _) => PutCondition::IfMatch(etag.clone()),
        }
    }

    /// Base and predecessors, newest first, for the chain of a write on top of it.
    fn chain(&self) -> Vec<String> {
        match self {
            Self::Whatever | Self::Absent => Vec::new(),
            Self::Version(etag, metadata) => {
                let mut chain = vec![name_of(etag, metadata)];
                chain.extend(chain_of(metadata).map(str::to_owned));
                chain.truncate(WRITE_CHAIN);
                chain
            }
        }
    }
}

/// A write that landed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Commit {
    /// The version that the write made; `None` if another write replaced this version before its tag was known.
    pub etag: Option<ETag>,
    /// The metadata of the new version, so that the next write can build on this version without a request.
    pub metadata: Metadata,
}

/// The part of a write id that names the call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WriteCallId {
    /// The name of the call: hexadecimal digits, the same if the same request meets the same state.
    pub call: String,
    /// A number that the call has to return and could not compute again once the write has landed.
    pub count: u64,
}

impl WriteCallId {
    /// The id of a write. `random` distinguishes attempts at one call.
    fn id(&self, random: u128) -> String {
        format!("{}.{:x}.{:016x}", self.call, self.count, random & u128::from(u64::MAX))
    }

    /// Returns the write of `call` that led to the version `now`, and its number; `None` if the chain has no write of
    /// `call`.
    #[must_use]
    pub fn find(call: &str, now: &ObjectMeta) -> Option<(Commit, u64)> {
        let count_of = |id: &str| {
            let (count, _) = id.strip_prefix(call)?.strip_prefix('.')?.split_once('.')?;
            u64::from_str_radix(count, 16).ok()
        };
        let commit = |etag| Commit { etag, metadata: now.metadata.clone() };
        match now.metadata.get(WRITE_ID).and_then(|id| count_of(id)) {
            Some(count) => Some((commit(Some(now.etag.clone())), count)),
            None => chain_of(&now.metadata).find_map(count_of).map(|count| (commit(None), count)),
        }
    }
}

/// Puts objects and finds out the outcome.
///
/// ```
/// use std::sync::Arc;
///
/// use skillmount_base::{clock::SystemClock, path::KeyPrefix};
/// use skillmount_store::{ ExpectedVersion, Committer, MemoryStore, Verb, testing::{Fault, Faulty}, };
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let store = Arc::new(Faulty::new(Arc::new(MemoryStore::new())));
/// let committer = Committer::new(store.clone(), Arc::new(SystemClock::new()));
///
/// store.script(Verb::Put, [Fault::LoseReply]);
/// let key = KeyPrefix::all().key("anna/notes.md")?;
/// committer.commit(&key, "text".into(), &ExpectedVersion::Absent).await?;
/// assert_eq!(store.seen(Verb::Put), 1, "the reply was lost, and the put was not sent again");
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
#[must_use]
pub struct Committer {
    store: SharedStore,
    clock: Arc<dyn Clock>,
    tags: Tags,
    pace: WritePace,
}

/// The fate of a write of unknown outcome, as the chain of the present version shows it.
enum Verdict {
    Landed(Option<ETag>),
    NeverLanded,
    Lost,
    Unknown,
}

impl Committer {
    /// A committer over `store`, with write ids from `clock`.
    pub fn new(store: SharedStore, clock: Arc<dyn Clock>) -> Self {
        Self { store, clock, tags: Tags::new(), pace: WritePace::new() }
    }

    /// The same, whose writes carry these tags.
    pub fn with_tags(self, tags: Tags) -> Self {
        Self { tags, ..self }
    }

    /// Waits until the store takes another write of `key`. If the store asked for fewer writes within the last minute,
    /// this is a second after the last write of this committer. Else it is now.
    pub async fn wait_for_turn(&self, key: &ObjectKey) {
        self.pace.wait(key).await;
    }

    /// Writes `bytes` to `key` if `base` still holds. Retries until the outcome is certain or the operation's time is
    /// up.
    ///
    /// # Errors
    /// `PreconditionFailed` (or `NotFound` for a deleted base) if `base` does not hold and nothing was written;
    /// `Unavailable` with its outcome if the store did not answer; `Denied` and `Unsupported` as the store's.
    pub async fn commit(&self, key: &ObjectKey, bytes: Bytes, base: &ExpectedVersion) -> StoreResult<Commit> {
        self.commit_marked(key, bytes, base, None).await
    }

    /// As [`commit`](Self::commit); with a mark, [`WriteCallId::find`] finds the write again.
    ///
    /// # Errors
    /// As [`commit`](Self::commit).
    pub async fn commit_marked(
        &self,
        key: &ObjectKey,
        bytes: Bytes,
        base: &ExpectedVersion,
        mark: Option<&WriteCallId>,
    ) -> StoreResult<Commit> {
        let random = self.clock.random();
        let id = mark.map_or_else(|| format!("{random:032x}"), |mark| mark.id(random));
        let metadata = metadata(&id, &base.chain());
        let deadline = Instant::now() + OPERATION_TIMEOUT;
        let mut backoff = self.backoff(deadline);
        let mut doubtful = false;
        loop {
            let options =
                PutOptions { condition: base.condition(), metadata: metadata.clone(), tags: self.tags.clone() };
            let failure = match self.store.put(key, bytes.clone(), options).await {
                Ok(put) => {
                    self.pace.record_written(key);
                    return Ok(Commit { etag: Some(put.etag), metadata });
                }
                Err(error) => error,
            };
            if failure.cause() == Some(&Cause::Throttled) {
                self.pace.record_throttled();
            }
            doubtful |= matches!(failure, StoreError::Unavailable { outcome: Outcome::Unknown, .. });
            let mut again = failure.is_transient();
            if doubtful {
                match self.settle(key, &id, base, deadline).await {
                    Verdict::Landed(etag) => return Ok(Commit { etag, metadata }),
                    Verdict::Lost => return Err(StoreError::PreconditionFailed),
                    Verdict::Unknown => return Err(StoreError::unknown(failure)),
                    // The base is still there, whatever the condition met.
                    Verdict::NeverLanded => again |= matches!(failure, StoreError::PreconditionFailed),
                }
            }
            if !again || !backoff.pause().await {
                // A put that had not landed when we looked may still be on its way.
                return Err(if doubtful { StoreError::unknown(failure) } else { failure });
            }
        }
    }

    /// Reads the present version until the store answers, and decides by its chain.
    async fn settle(&self, key: &ObjectKey, id: &str, base: &ExpectedVersion, deadline: Instant) -> Verdict {
        let mut backoff = self.backoff(deadline);
        loop {
            match self.store.head(key).await {
                Ok(meta) => return judge(id, base, &meta),
                // Our put may have landed and been deleted since. Another put would undo that delete.
                Err(StoreError::NotFound) => return Verdict::Unknown,
                Err(error) if !error.is_transient() || !backoff.pause().await => return Verdict::Unknown,
                Err(_) => {}
            }
        }
    }

    fn backoff(&self, deadline: Instant) -> Backoff {
        Backoff::new(self.clock.clone(), FIRST_PAUSE, LAST_PAUSE, deadline)
    }
}

fn judge(id: &str, base: &ExpectedVersion, now: &ObjectMeta) -> Verdict {
    let current = name_of(&now.etag, &now.metadata);
    if current == id {
        return Verdict::Landed(Some(now.etag.clone()));
    }
    if chain_of(&now.metadata).any(|earlier| earlier == id) {
        return Verdict::Landed(None);
    }
    match base {
        ExpectedVersion::Version(etag, metadata) => {
            let base = name_of(etag, metadata);
            // Tag and name, because a store that derives tags from content repeats a tag when old bytes return.
            if *etag == now.etag && current == base {
                return Verdict::NeverLanded;
            }
            let passed = chain_of(&now.metadata).any(|earlier| earlier == base);
            if passed { Verdict::Lost } else { Verdict::Unknown }
        }
        ExpectedVersion::Absent | ExpectedVersion::Whatever => Verdict::Unknown,
    }
}

/// The name of a version in a chain: the write id, or the tag if another tool wrote the version.
fn name_of(etag: &ETag, metadata: &Metadata) -> String {
    metadata.get(WRITE_ID).cloned().unwrap_or_else(|| format!("etag:{}", etag.as_str().replace(',', "%2C")))
}

fn chain_of(metadata: &Metadata) -> impl Iterator<Item = &str> {
    metadata.get(WRITE_CHAIN_NAME).map_or("", String::as_str).split(',').filter(|id| !id.is_empty())
}

fn metadata(id: &str, chain: &[String]) -> Metadata {
    let mut metadata = Metadata::from([(WRITE_ID.to_owned(), id.to_owned())]);
    if !chain.is_empty() {
        metadata.insert(WRITE_CHAIN_NAME.to_owned(), chain.join(","));
    }
    metadata
}

#[cfg(test)]
mod tests;

//! A store with the faults that S3-compatible servers are known for.
//!
//! The quirks are those of the table in `docs/book/reference/stores.md`. Time is tokio's, so a test may pause it.

use std::{
    sync::{Mutex, PoisonError},
    time::Duration,
};

use async_trait::async_trait;
use bytes::Bytes;
use tokio::{
    sync::Mutex as Turns,
    task::yield_now,
    time::{Instant, sleep},
};

use crate::{
    Capabilities, Cause, DeleteOptions, GetOptions, ListOptions, ListPage, Object, ObjectMeta, PurgeReply,
    PutCondition, PutOptions, PutResult, SharedStore, Store, StoreError, StoreResult, StoreServer, Tags,
    rules::check_put,
};
use skillmount_base::path::{KeyPrefix, ObjectKey};

/// A fault or a denial of a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Quirk {
    /// Nothing.
    None,
    /// Conditions hold for one write after another. Concurrent writes check first and write then.
    LosesRaces,
    /// The same for `If-Match` alone.
    LosesReplacements,
    /// Conditions hold at each address of the server, and not between two.
    LosesRacesBetweenAddresses,
    /// `If-None-Match` is accepted and ignored.
    IgnoresIfNoneMatch,
    /// `If-Match` is accepted and ignored.
    IgnoresIfMatch,
    /// `If-Match` is ignored if the object does not exist.
    CreatesOnIfMatch,
    /// `If-None-Match: *` refuses a new object.
    InvertsIfNoneMatch,
    /// Every conditional write is refused as not implemented.
    HasNoConditions,
    /// A read after a write returns the version before.
    ReadsOldVersions,
    /// A refused write is carried out.
    WritesAfterRefusal,
    /// One write a second to one key. Others are asked to come later.
    OneWriteASecond,
    /// A policy denies every change below `_probe/`.
    DeniesProbes,
    /// A policy denies every delete.
    DeniesDeletes,
    /// A policy denies every change.
    DeniesWrites,
}

/// A store over another one with one quirk.
///
/// ```
/// use std::sync::Arc;
///
/// use skillmount_base::{clock::SystemClock, path::Namespace};
/// use skillmount_store::{Conditions, MemoryStore, probe_conditions, testing::{Quirk, Quirky}};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), skillmount_store::StoreError> {
/// let store = Quirky::new(Arc::new(MemoryStore::new()), Quirk::LosesRaces);
/// let found = probe_conditions(&store, &[], &Namespace::default(), &SystemClock::new()).await?;
/// assert!(matches!(found, Conditions::Broken { .. }));
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Quirky {
    inner: SharedStore,
    quirk: Quirk,
    server: Option<StoreServer>,
    /// The turns of the writes at this address.
    turns: Turns<()>,
    last_write: Mutex<Option<(ObjectKey, Instant)>>,
    replaced: Mutex<Option<Object>>,
}

impl Quirky {
    /// The store `inner` with `quirk`.
    #[must_use]
    pub fn new(inner: SharedStore, quirk: Quirk) -> Self {
        Self {
            inner,
            quirk,
            server: None,
            turns: Turns::default(),
            last_write: Mutex::default(),
            replaced: Mutex::default(),
        }
    }

    /// The same store as a bucket of `server`.
    #[must_use]
    pub fn at(self, server: StoreServer) -> Self {
        Self { server: Some(server), ..self }
    }

    /// Checks the condition, lets others do so too, and writes without it.
    async fn check_then_write(&self, key: &ObjectKey, bytes: Bytes, options: PutOptions) -> StoreResult<PutResult> {
        let current = self.inner.head(key).await.ok().map(|meta| meta.etag);
        check_put(&options.condition, current.as_ref())?;
        yield_now().await;
        self.inner.put(key, bytes, options.with_condition(PutCondition::Always)).await
    }

    /// Refuses a write to `key` within a second of the last one.
    fn check_rate(&self, key: &ObjectKey) -> StoreResult<()> {
        let now = Instant::now();
        let mut last = self.last_write.lock().unwrap_or_else(PoisonError::into_inner);
        let is_early = |(of, at): &(ObjectKey, Instant)| of == key && now < *at + Duration::from_secs(1);
        if last.as_ref().is_some_and(is_early) {
            return Err(StoreError::not_applied("429 TooManyRequests").because(Cause::Throttled));
        }
        *last = Some((key.clone(), now));
        Ok(())
    }

    fn check_policy(&self, key: &ObjectKey, is_delete: bool) -> StoreResult<()> {
        let is_denied = match self.quirk {
            Quirk::DeniesProbes => key.as_str().contains("_probe/"),
            Quirk::DeniesDeletes => is_delete,
            Quirk::DeniesWrites => true,
            _ => false,
        };
        let action = if is_delete { "s3:DeleteObject" } else { "s3:PutObject" };
        let cause = Cause::AccessDenied { action: action.to_owned() };
        if is_denied { Err(StoreError::denied(cause, "AccessDenied")) } else { Ok(()) }
    }
}

#[async_trait]
impl Store for Quirky {
    fn capabilities(&self) -> Capabilities {
        self.inner.capabilities()
    }

    async fn server(&self) -> Option<StoreServer> {
        self.server.clone()
    }

    async fn get(&self, key: &ObjectKey, options: GetOptions) -> StoreResult<Object> {
        let replaced = self.replaced.lock().unwrap_or_else(PoisonError::into_inner).take();
        match replaced {
            Some(old) => Ok(old),
            None => self.inner.get(key, options).await,
        }
    }

    async fn put(&self, key: &ObjectKey, bytes: Bytes, mut options: PutOptions) -> StoreResult<PutResult> {
        self.check_policy(key, false)?;
        let is_replacement = matches!(options.condition, PutCondition::IfMatch(_));
        let is_create = options.condition == PutCondition::IfAbsent;
        match self.quirk {
            Quirk::LosesRaces => return self.check_then_write(key, bytes, options).await,
            Quirk::LosesReplacements if is_replacement => return self.check_then_write(key, bytes, options).await,
            Quirk::LosesRacesBetweenAddresses => {
                let turn = self.turns.lock().await;
                let answer = self.check_then_write(key, bytes, options).await;
                drop(turn);
                return answer;
            }
            Quirk::HasNoConditions if is_create || is_replacement => {
                return Err(StoreError::Unsupported("NotImplemented".to_owned()));
            }
            Quirk::InvertsIfNoneMatch if is_create => return Err(StoreError::PreconditionFailed),
            Quirk::IgnoresIfNoneMatch if is_create => options.condition = PutCondition::Always,
            Quirk::IgnoresIfMatch if is_replacement => options.condition = PutCondition::Always,
            Quirk::CreatesOnIfMatch if is_replacement && self.inner.head(key).await.is_err() => {
                options.condition = PutCondition::Always;
            }
            Quirk::OneWriteASecond => {
                // A write whose condition does not hold is no write.
                let current = self.inner.head(key).await.ok().map(|meta| meta.etag);
                check_put(&options.condition, current.as_ref())?;
                self.check_rate(key)?;
            }
            Quirk::WritesAfterRefusal => {
                let answer = self.inner.put(key, bytes.clone(), options.clone()).await;
                if answer.is_err() && is_replacement {
                    self.inner.put(key, bytes, options.with_condition(PutCondition::Always)).await?;
                }
                return answer;
            }
            Quirk::ReadsOldVersions => {
                let old = self.inner.get(key, GetOptions::default()).await.ok();
                let answer = self.inner.put(key, bytes, options).await;
                if answer.is_ok() {
                    *self.replaced.lock().unwrap_or_else(PoisonError::into_inner) = old;
                }
                return answer;
            }
            _ => {}
        }
        self.inner.put(key, bytes, options).await
    }

    async fn head(&self, key: &ObjectKey) -> StoreResult<ObjectMeta> {
        self.inner.head(key).await
    }

    async fn list(&self, prefix: &KeyPrefix, options: ListOptions) -> StoreResult<ListPage> {
        self.inner.list(prefix, options).await
    }

    async fn delete(&self, key: &ObjectKey, options: DeleteOptions) -> StoreResult<()> {
        self.check_policy(key, true)?;
        if self.quirk == Quirk::OneWriteASecond {
            // Stores of this kind count a delete as a write, and S3's clients wait and try again.
            sleep(Duration::from_secs(1)).await;
        }
        self.inner.delete(key, options).await
    }

    async fn tag(&self, key: &ObjectKey, tags: Tags) -> StoreResult<()> {
        self.check_policy(key, false)?;
        self.inner.tag(key, tags).await
    }

    async fn purge(&self, prefix: &KeyPrefix) -> StoreResult<PurgeReply> {
        self.inner.purge(prefix).await
    }
}

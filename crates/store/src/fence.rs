//! The wall before the store: what a call writes that was let in before the deletion of its user began is refused.
//!
//! A call is checked when it is let in, and may write much later. So each put below a user's folder is checked once more, as the
//! last thing before it is sent, by knowledge of at most 30 s as at the door. A put that was sent before is in the store within
//! [`OPERATION_TIMEOUT`](skillmount_base::limits::OPERATION_TIMEOUT), or its store no longer carries it out: all of that is over when the
//! second sweep begins.

use std::{
    fmt,
    sync::{Arc, OnceLock, Weak},
};

use async_trait::async_trait;
use bytes::Bytes;

use crate::{
    Capabilities, Cause, DeleteOptions, GetOptions, ListOptions, ListPage, Object, ObjectMeta, PurgeReply, PutOptions,
    PutResult, SharedStore, Store, StoreError, StoreResult, Tags,
};
use skillmount_base::path::{Id, KeyPrefix, Namespace, ObjectKey};

/// A store that takes nothing for users who are being deleted.
#[derive(Debug)]
pub struct DeletionFence {
    inner: SharedStore,
    namespace: Namespace,
    monitor: OnceLock<Weak<dyn DeletionMonitor>>,
}

/// Who knows which users are being deleted.
#[async_trait]
pub trait DeletionMonitor: fmt::Debug + Send + Sync {
    /// Whether the user is being deleted, by knowledge of at most 30 s.
    async fn is_leaving(self: Arc<Self>, user: &Id) -> bool;
}

impl DeletionFence {
    /// The fence before `inner`, for users of `namespace`. It refuses nothing before it has a monitor.
    pub fn new(inner: SharedStore, namespace: Namespace) -> Arc<Self> {
        Arc::new(Self { inner, namespace, monitor: OnceLock::new() })
    }

    /// The service goes by what this one knows from now on.
    pub fn set_monitor(&self, monitor: Weak<dyn DeletionMonitor>) {
        // A wall is set up once, by the service that it is made for.
        let _ = self.monitor.set(monitor);
    }

    async fn check(&self, key: &ObjectKey) -> StoreResult<()> {
        let Some(monitor) = self.monitor.get().and_then(Weak::upgrade) else { return Ok(()) };
        let Some(user) = self.user_of(key) else { return Ok(()) };
        if monitor.is_leaving(&user).await {
            return Err(StoreError::denied(Cause::UserLeaves, format!("the user {user} is being deleted")));
        }
        Ok(())
    }

    /// Whose object it is; `None` for what lies outside users' folders, as tombstones do.
    fn user_of(&self, key: &ObjectKey) -> Option<Id> {
        let prefix: &KeyPrefix = self.namespace.prefix();
        let (user, _) = prefix.relative(key.as_str())?.split_once('/')?;
        Id::parse(user).ok()
    }
}

#[async_trait]
impl Store for DeletionFence {
    fn capabilities(&self) -> Capabilities {
        self.inner.capabilities()
    }

    async fn get(&self, key: &ObjectKey, options: GetOptions) -> StoreResult<Object> {
        self.inner.get(key, options).await
    }

    async fn put(&self, key: &ObjectKey, bytes: Bytes, options: PutOptions) -> StoreResult<PutResult> {
        self.check(key).await?;
        self.inner.put(key, bytes, options).await
    }

    async fn head(&self, key: &ObjectKey) -> StoreResult<ObjectMeta> {
        self.inner.head(key).await
    }

    async fn list(&self, prefix: &KeyPrefix, options: ListOptions) -> StoreResult<ListPage> {
        self.inner.list(prefix, options).await
    }

    async fn delete(&self, key: &ObjectKey, options: DeleteOptions) -> StoreResult<()> {
        self.inner.delete(key, options).await
    }

    async fn tag(&self, key: &ObjectKey, tags: Tags) -> StoreResult<()> {
        self.inner.tag(key, tags).await
    }

    async fn purge(&self, prefix: &KeyPrefix) -> StoreResult<PurgeReply> {
        self.inner.purge(prefix).await
    }
}

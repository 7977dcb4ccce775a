//! A fence before the store: it refuses writes for users who are being deleted.
//!
//! A call is checked when it begins, and can write much later. So the fence checks each put below a user's folder once more,
//! just before the put is sent. It knows of a deletion after at most 30 s, as the check at the beginning of a call does. A put that was
//! sent earlier ends within [`OPERATION_TIMEOUT`](skillmount_base::limits::OPERATION_TIMEOUT): the store carries it out by then,
//! or never. The second sweep begins later.

use std::{
    fmt,
    sync::{Arc, OnceLock, Weak},
};

use async_trait::async_trait;

use crate::{Cause, SharedStore, StoreError, StoreResult, Verb, layer::impl_layer};
use skillmount_base::path::{Id, KeyPrefix, Namespace};

/// A store that refuses writes for users who are being deleted.
#[derive(Debug)]
pub struct DeletionFence {
    inner: SharedStore,
    namespace: Namespace,
    monitor: OnceLock<Weak<dyn DeletionMonitor>>,
}

/// The knowledge of which users are being deleted.
#[async_trait]
pub trait DeletionMonitor: fmt::Debug + Send + Sync {
    /// Whether the user is being deleted. The knowledge is at most 30 s old.
    async fn is_leaving(self: Arc<Self>, user: &Id) -> bool;
}

impl DeletionFence {
    /// The fence before `inner`, for users of `namespace`. It refuses nothing before it has a monitor.
    pub fn new(inner: SharedStore, namespace: Namespace) -> Arc<Self> {
        Arc::new(Self { inner, namespace, monitor: OnceLock::new() })
    }

    /// Sets the monitor that the fence asks. The first call counts.
    pub fn set_monitor(&self, monitor: Weak<dyn DeletionMonitor>) {
        // A service sets up its fence once, so a second monitor never comes.
        let _ = self.monitor.set(monitor);
    }

    async fn around<T>(
        &self,
        verb: Verb,
        key: &str,
        request: impl Future<Output = StoreResult<T>> + Send,
        _bytes: impl FnOnce(&T) -> usize + Send,
    ) -> StoreResult<T> {
        if verb == Verb::Put {
            self.check(key).await?;
        }
        request.await
    }

    async fn check(&self, key: &str) -> StoreResult<()> {
        let Some(monitor) = self.monitor.get().and_then(Weak::upgrade) else { return Ok(()) };
        let Some(user) = self.user_of(key) else { return Ok(()) };
        if monitor.is_leaving(&user).await {
            return Err(StoreError::denied(Cause::UserLeaves, format!("the user {user} is being deleted")));
        }
        Ok(())
    }

    /// The user whose folder holds the object; `None` outside of users' folders, such as for a tombstone.
    fn user_of(&self, key: &str) -> Option<Id> {
        let prefix: &KeyPrefix = self.namespace.prefix();
        let (user, _) = prefix.relative(key)?.split_once('/')?;
        Id::parse(user).ok()
    }
}

impl_layer!(DeletionFence);

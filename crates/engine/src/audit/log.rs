//! The batches of an owner in a store: which there are, and their bytes.

use jiff::{SignedDuration, Timestamp};

use super::batch::BatchName;
use crate::{
    error::Result,
    handle::Service,
    limits::{AUDIT_LATENESS, EVENTS_LOOK},
    path::{LayerOwner, Namespace, ObjectKey},
    store::{CachePolicy, GetOptions, ListOptions, Object, SharedStore, StoreError},
};

/// A batch as a listing shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct StoredBatch {
    pub(super) name: BatchName,
    pub(super) bytes: u64,
}

/// The records that are in a store.
#[derive(Clone, Debug)]
pub struct AuditLog {
    store: SharedStore,
    namespace: Namespace,
}

impl AuditLog {
    /// The records in the store of `service`.
    #[must_use]
    pub fn for_service(service: &Service) -> Self {
        Self::over(service.store().clone(), service.namespace().clone())
    }

    /// The records below `namespace` in `store`.
    pub(super) fn over(store: SharedStore, namespace: Namespace) -> Self {
        Self { store, namespace }
    }

    /// The batches after `from`, `most` of them, in the order of time, and whether there are more.
    pub(super) async fn batches(
        &self,
        owner: impl Into<LayerOwner>,
        from: &str,
        most: usize,
    ) -> Result<(Vec<StoredBatch>, bool)> {
        let prefix = owner.into().space(&self.namespace)?.audit()?;
        let mut options = ListOptions { start_after: Some(format!("{prefix}{from}")), ..ListOptions::default() };
        let mut batches = Vec::new();
        loop {
            options.max_entries = Some((most + 1).min(1000));
            let page = self.store.list(&prefix, options.clone()).await?;
            batches.extend(page.objects.iter().filter_map(|entry| {
                let name = BatchName::parse(prefix.relative(&entry.key)?)?;
                Some(StoredBatch { name, bytes: entry.size })
            }));
            if batches.len() > most {
                batches.truncate(most);
                return Ok((batches, true));
            }
            match page.next {
                None => return Ok((batches, false)),
                next => options.page = next,
            }
        }
    }

    /// A batch, or a range of it; `None` if it is gone, or is not as long as that, or another than it was.
    pub(super) async fn read(
        &self,
        owner: impl Into<LayerOwner>,
        name: &BatchName,
        options: GetOptions,
    ) -> Result<Option<Object>> {
        let key = self.key_of(owner, name)?;
        match self.store.get(&key, options.with_keep(CachePolicy::Not)).await {
            Ok(object) => Ok(Some(object)),
            Err(StoreError::NotFound | StoreError::PreconditionFailed | StoreError::RangeNotSatisfiable) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Where a batch is.
    fn key_of(&self, owner: impl Into<LayerOwner>, name: &BatchName) -> Result<ObjectKey> {
        owner.into().space(&self.namespace)?.audit_batch(&name.to_string())
    }
}

/// From when on batches may hold records of `time` and later.
pub(super) fn earlier(time: Timestamp) -> Timestamp {
    let lateness = SignedDuration::try_from(AUDIT_LATENESS).unwrap_or_default();
    time.checked_sub(lateness).unwrap_or(Timestamp::MIN)
}

/// Since when a process has looked for the batches of others if it gives an id to an event of `time`: it looks now and then.
pub(super) fn looked_since(time: Timestamp) -> Timestamp {
    let looks = SignedDuration::try_from(2 * EVENTS_LOOK).unwrap_or_default();
    time.checked_sub(looks).unwrap_or(Timestamp::MIN)
}

/// The start of batches that a client may have missed when it received an event of `time`. Batches come late into the
/// store, and a process looks for them now and then.
pub(super) fn untold(time: Timestamp) -> Timestamp {
    earlier(looked_since(time))
}

/// Up to when on the names of batches may be that are in the store at `time`, by whichever clock.
pub(super) fn later(time: Timestamp) -> Timestamp {
    let lateness = SignedDuration::try_from(AUDIT_LATENESS).unwrap_or_default();
    time.checked_add(lateness).unwrap_or(Timestamp::MAX)
}

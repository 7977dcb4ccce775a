//! Finds out at start whether a store honours conditions on `put`.
//!
//! Some S3-compatible servers accept the headers and ignore them, which would silently lose edits. So the service tests
//! it.

use bytes::Bytes;

use super::{Cause, DeleteOptions, PutCondition, PutOptions, Store, StoreError, StoreResult};
use skillmount_base::{
    clock::Clock,
    path::{ETag, Namespace, ObjectKey},
};

/// A tag that no store gives: the MD5 of nothing a probe writes.
const WRONG_ETAG: &str = "00000000000000000000000000000000";

/// Whether conditional writes can be relied on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Conditions {
    /// Both conditions hold.
    Honoured,
    /// A put landed that must not have, or the condition is not supported: nothing may be written to this store.
    Ignored {
        /// The condition, by its name in S3.
        which: &'static str,
    },
}

/// Writes a tiny object below `namespace`, tries to break both conditions on it, and deletes it: at most four requests.
///
/// # Errors
/// That of the first write, if the store cannot be written at all; `Unavailable` if a later one is not answered.
///
/// ```
/// use skillmount_base::{clock::SystemClock, path::Namespace};
/// use skillmount_store::{Conditions, MemoryStore, probe_conditions};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), skillmount_store::StoreError> {
/// let found = probe_conditions(&MemoryStore::new(), &Namespace::default(), &SystemClock::new()).await?;
/// assert_eq!(found, Conditions::Honoured);
/// # Ok(())
/// # }
/// ```
pub async fn probe_conditions(store: &dyn Store, namespace: &Namespace, clock: &dyn Clock) -> StoreResult<Conditions> {
    let name = format!("probe-{:032x}", clock.random());
    let key = namespace.service_key(&name).map_err(|error| StoreError::Unsupported(error.message().to_owned()))?;
    let found = try_both(store, &key).await;
    let removed = store.delete(&key, DeleteOptions::default()).await;
    let found = found?;
    removed?;
    Ok(found)
}

async fn try_both(store: &dyn Store, key: &ObjectKey) -> StoreResult<Conditions> {
    match put(store, key, PutCondition::IfAbsent).await {
        Err(StoreError::Unsupported(_)) => return Ok(Conditions::Ignored { which: "If-None-Match: *" }),
        first => first?,
    }
    if !refuses(store, key, PutCondition::IfAbsent).await? {
        return Ok(Conditions::Ignored { which: "If-None-Match: *" });
    }
    if !refuses(store, key, PutCondition::IfMatch(ETag::new(WRONG_ETAG))).await? {
        return Ok(Conditions::Ignored { which: "If-Match" });
    }
    Ok(Conditions::Honoured)
}

/// Whether a put whose condition does not hold is refused for that reason.
async fn refuses(store: &dyn Store, key: &ObjectKey, condition: PutCondition) -> StoreResult<bool> {
    match put(store, key, condition).await {
        Err(StoreError::PreconditionFailed) => Ok(true),
        Ok(()) | Err(StoreError::Unsupported(_)) => Ok(false),
        Err(error) if matches!(error.cause(), Some(Cause::Rejected { .. })) => Ok(false),
        Err(error) => Err(error),
    }
}

async fn put(store: &dyn Store, key: &ObjectKey, condition: PutCondition) -> StoreResult<()> {
    let options = PutOptions { condition, ..PutOptions::default() };
    store.put(key, Bytes::from_static(b"probe"), options).await.map(drop)
}

#[cfg(test)]
mod tests {
    use async_trait::async_trait;

    use super::*;
    use crate::{
        Capabilities, GetOptions, ListOptions, ListPage, MemoryStore, Object, ObjectMeta, PutResult, StoreExt,
    };
    use skillmount_base::{clock::SystemClock, path::KeyPrefix};

    /// A store that accepts one of the two conditions and ignores the condition.
    #[derive(Debug)]
    struct Careless {
        inner: MemoryStore,
        absent: bool,
    }

    #[async_trait]
    impl Store for Careless {
        fn capabilities(&self) -> Capabilities {
            self.inner.capabilities()
        }

        async fn get(&self, key: &ObjectKey, options: GetOptions) -> StoreResult<Object> {
            self.inner.get(key, options).await
        }

        async fn put(&self, key: &ObjectKey, bytes: Bytes, mut options: PutOptions) -> StoreResult<PutResult> {
            if (options.condition == PutCondition::IfAbsent) == self.absent {
                options.condition = PutCondition::Always;
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
            self.inner.delete(key, options).await
        }
    }

    async fn probe(store: &dyn Store) -> Conditions {
        let namespace = Namespace::parse("p").unwrap();
        let found = probe_conditions(store, &namespace, &SystemClock::new()).await.unwrap();
        assert_eq!(store.list_all(&KeyPrefix::all(), 10).await.unwrap(), (Vec::new(), false), "the probe is removed");
        found
    }

    // S-STORE-2: If a bucket does not honour conditional writes, the service finds this out at start and refuses
    // changes with that reason.
    #[tokio::test]
    async fn a_store_that_ignores_a_condition_is_found_out() {
        assert_eq!(probe(&MemoryStore::new()).await, Conditions::Honoured);
        let careless = |absent| Careless { inner: MemoryStore::new(), absent };
        assert_eq!(probe(&careless(true)).await, Conditions::Ignored { which: "If-None-Match: *" });
        assert_eq!(probe(&careless(false)).await, Conditions::Ignored { which: "If-Match" });
    }
}

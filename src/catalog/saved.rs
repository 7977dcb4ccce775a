//! The `catalog.json` of one layer's catalog, read and replaced by compare-and-swap.
//!
//! Nothing here can fail its caller: an index that cannot be read is as good as absent, and one that cannot be written
//! is written another time.

use bytes::Bytes;
use jiff::Timestamp;
use tokio::sync::Mutex;

use super::{
    discover::Discovery,
    index::{Unusable, decode, encode},
    weight,
};
use crate::{
    budget::{Errand, Work},
    error::{Error, Result},
    limits::{CATALOG_INDEX_BYTES, CATALOG_INLINE_BYTES, CATALOG_STALE, WORK_STEPS},
    path::{Layer, ObjectKey, UserSpace},
    store::{Base, Commit, Committer, GetOptions, Store, StoreError},
};

/// About how many times smaller the index of a catalog is than the catalog in memory.
const DEFLATED: usize = 4;

/// A `catalog.json` as it lies in the bucket.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IndexState {
    /// Its key.
    pub key: ObjectKey,
    /// Its bytes.
    pub size: u64,
    /// When it was written, by the store's clock.
    pub modified_at: Timestamp,
    /// When the store was asked for what it tells; where nobody will use it, why not.
    pub as_of: Result<Timestamp, String>,
}

impl IndexState {
    /// Looks at the index of the skills of a user; nothing where there is none.
    ///
    /// # Errors
    /// The store's.
    pub async fn look(store: &dyn Store, space: &UserSpace) -> Result<Option<Self>> {
        let key = space.catalog()?;
        let object = match store.get(&key, whole()).await {
            Err(StoreError::NotFound) => return Ok(None),
            object => object?,
        };
        let told = decode(&object.bytes, Layer::User, &Work::of_steps(WORK_STEPS));
        Ok(Some(Self {
            as_of: told.map(|told| told.view().as_of).map_err(|reason| reason.to_string()),
            size: object.meta.size,
            modified_at: object.meta.modified_at,
            key,
        }))
    }
}

/// What an index tells. A large one is read by a worker.
async fn told(index: Bytes, layer: Layer, errand: &Errand) -> Result<Discovery> {
    if index.len() <= CATALOG_INLINE_BYTES / DEFLATED {
        return decode(&index, layer, errand.work()).map_err(unusable);
    }
    errand.run(move |work| decode(&index, layer, work).map_err(unusable)).await
}

/// The index that tells `discovery`; a large one is made by a worker.
async fn telling(discovery: Discovery, errand: &Errand) -> Result<Bytes> {
    if weight::of_discovery(&discovery) <= CATALOG_INLINE_BYTES {
        return encode(&discovery, errand.work()).map_err(unusable);
    }
    errand.run(move |work| encode(&discovery, work).map_err(unusable)).await
}

/// Why an index is not used, on its way through the workers.
fn unusable(reason: Unusable) -> Error {
    Error::internal(reason)
}

/// As much of an index as is ever used.
fn whole() -> GetOptions {
    GetOptions::range(0..u64::try_from(CATALOG_INDEX_BYTES).unwrap_or(u64::MAX))
}

/// What this process knows of the object.
#[derive(Debug, Default)]
pub(super) struct Saved {
    seen: Mutex<Seen>,
}

#[derive(Debug, Default)]
struct Seen {
    /// Its version; `None` where that is not known.
    base: Option<Base>,
    /// What it tells, where it tells anything.
    told: Option<Discovery>,
}

impl Saved {
    /// What the index tells, at the price of one GET.
    pub(super) async fn load(
        &self,
        store: &dyn Store,
        layer: Layer,
        space: &UserSpace,
        errand: &Errand,
    ) -> Option<Discovery> {
        let key = space.catalog().ok()?;
        let mut seen = self.seen.lock().await;
        match store.get(&key, whole()).await {
            Ok(object) => {
                let told = told(object.bytes, layer, errand).await;
                let told = told.inspect_err(
                    |error| tracing::warn!(%key, error = %error.chain(), "the index of a catalog is not used"),
                );
                *seen = Seen { base: Some(Base::version(&object.meta)), told: told.ok() };
            }
            Err(StoreError::NotFound) => *seen = Seen { base: Some(Base::Absent), told: None },
            Err(error) => tracing::warn!(%key, %error, "the index of a catalog could not be read"),
        }
        seen.told.clone()
    }

    /// Makes the index tell `discovery`, where what it tells now differs or is getting old.
    pub(super) async fn save(
        &self,
        store: &dyn Store,
        committer: &Committer,
        space: &UserSpace,
        discovery: Discovery,
        errand: &Errand,
    ) {
        let Ok(key) = space.catalog() else { return };
        let mut seen = self.seen.lock().await;
        if seen.told.as_ref().is_some_and(|told| will_do(told, &discovery)) {
            return;
        }
        // Somebody who has nothing gets nothing, least of all for having been asked about.
        if seen.told.is_none() && discovery.is_empty() {
            return;
        }
        // After a failure or somebody else's win the version is not known, and neither is what it tells.
        let base = std::mem::take(&mut *seen).base;
        let replaced = async {
            let index = telling(discovery.clone(), errand).await?;
            replace(store, committer, &key, base, index).await
        };
        match replaced.await {
            Ok(base) => *seen = Seen { base, told: Some(discovery) },
            Err(error) => tracing::debug!(%key, error = %error.chain(), "the index of a catalog was not written"),
        }
    }
}

/// Whether an index that tells `told` need not be replaced: it is newer, but not by so much that a clock must have been
/// wrong, or says the same and is not old.
fn will_do(told: &Discovery, discovery: &Discovery) -> bool {
    let ahead = discovery.view().as_of.duration_since(told.view().as_of);
    if ahead.is_negative() {
        return ahead.unsigned_abs() < CATALOG_STALE;
    }
    told.readings() == discovery.readings() && ahead.unsigned_abs() < CATALOG_STALE / 2
}

/// Writes over `base`, or over what is there now; gives the version written, where it could be learnt.
async fn replace(
    store: &dyn Store,
    committer: &Committer,
    key: &ObjectKey,
    base: Option<Base>,
    index: Bytes,
) -> Result<Option<Base>> {
    let base = match base {
        Some(base) => base,
        None => match store.head(key).await {
            Ok(meta) => Base::version(&meta),
            Err(StoreError::NotFound) => Base::Absent,
            Err(error) => return Err(error.into()),
        },
    };
    let Commit { etag, metadata } = committer.commit(key, index, &base).await?;
    Ok(etag.map(|etag| Base::Version(etag, metadata)))
}

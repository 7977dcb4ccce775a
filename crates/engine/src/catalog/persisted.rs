//! The `catalog.json` of one layer's catalog, read and replaced by compare-and-swap.
//!
//! Nothing here fails its caller: an index that cannot be read counts as absent, and an index that cannot be written is
//! written another time.

use bytes::Bytes;
use jiff::Timestamp;
use tokio::sync::Mutex;

use super::{
    catalog_json::{CatalogRejection, decode, encode},
    discover::Discovery,
    weight,
};
use crate::{
    budget::{Job, WorkBudget},
    error::{Error, Result},
    limits::{CATALOG_INDEX_BYTES, CATALOG_INLINE_BYTES, CATALOG_STALE, WORK_STEPS},
    path::{Layer, ObjectKey, UserSpace},
    store::{Commit, Committer, ExpectedVersion, GetOptions, Store, StoreError},
};

/// About how many times larger a catalog is in memory than its index.
const INFLATION: usize = 4;

/// The state of a `catalog.json` in the bucket.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IndexState {
    /// Its key.
    pub key: ObjectKey,
    /// Its size in bytes.
    pub size: u64,
    /// When it was written, by the store's clock.
    pub modified_at: Timestamp,
    /// The time of its catalog, or the reason why the index is unusable.
    pub as_of: Result<Timestamp, String>,
}

impl IndexState {
    /// Looks at the index of a user's own skills. Returns `None` if there is none.
    ///
    /// # Errors
    /// The store's.
    pub async fn read(store: &dyn Store, space: &UserSpace) -> Result<Option<Self>> {
        let key = space.catalog()?;
        let object = match store.get(&key, bounded_read()).await {
            Err(StoreError::NotFound) => return Ok(None),
            object => object?,
        };
        let decoded = decode(&object.bytes, Layer::User, &WorkBudget::of_steps(WORK_STEPS));
        Ok(Some(Self {
            as_of: decoded.map(|discovery| discovery.view().as_of).map_err(|reason| reason.to_string()),
            size: object.meta.size,
            modified_at: object.meta.modified_at,
            key,
        }))
    }
}

/// Decodes an index. A worker decodes a large one.
async fn decode_index(index: Bytes, layer: Layer, errand: &Job) -> Result<Discovery> {
    if index.len() <= CATALOG_INLINE_BYTES / INFLATION {
        return decode(&index, layer, errand.work()).map_err(unusable);
    }
    errand.run(move |work| decode(&index, layer, work).map_err(unusable)).await
}

/// Encodes `discovery` as an index. A worker encodes a large one.
async fn encode_index(discovery: Discovery, errand: &Job) -> Result<Bytes> {
    if weight::of_discovery(&discovery) <= CATALOG_INLINE_BYTES {
        return encode(&discovery, errand.work()).map_err(unusable);
    }
    errand.run(move |work| encode(&discovery, work).map_err(unusable)).await
}

/// The workers carry one error type, so a reason travels as its cause.
fn unusable(reason: CatalogRejection) -> Error {
    Error::internal(reason)
}

/// Reads at most as much of an index as is ever used.
fn bounded_read() -> GetOptions {
    GetOptions::range(0..u64::try_from(CATALOG_INDEX_BYTES).unwrap_or(u64::MAX))
}

/// The index of one layer, as far as this process knows it.
#[derive(Debug, Default)]
pub(super) struct SavedIndex {
    stored: Mutex<StoredIndex>,
}

#[derive(Debug, Default)]
struct StoredIndex {
    /// Its version, if that is known.
    base: Option<ExpectedVersion>,
    /// The catalog of the index, if usable.
    discovery: Option<Discovery>,
}

impl SavedIndex {
    /// Reads the index with one GET.
    pub(super) async fn load(
        &self,
        store: &dyn Store,
        layer: Layer,
        space: &UserSpace,
        errand: &Job,
    ) -> Option<Discovery> {
        let key = space.catalog().ok()?;
        let mut stored = self.stored.lock().await;
        match store.get(&key, bounded_read()).await {
            Ok(object) => {
                let decoded = decode_index(object.bytes, layer, errand).await;
                let decoded = decoded.inspect_err(
                    |error| tracing::warn!(%key, error = %error.chain(), "the index of a catalog is not used"),
                );
                *stored = StoredIndex { base: Some(ExpectedVersion::version(&object.meta)), discovery: decoded.ok() };
            }
            Err(StoreError::NotFound) => *stored = StoredIndex { base: Some(ExpectedVersion::Absent), discovery: None },
            Err(error) => tracing::warn!(%key, %error, "the index of a catalog could not be read"),
        }
        stored.discovery.clone()
    }

    /// Writes `discovery` to the index, if the index differs or is getting old.
    pub(super) async fn save(
        &self,
        store: &dyn Store,
        committer: &Committer,
        space: &UserSpace,
        discovery: Discovery,
        errand: &Job,
    ) {
        let Ok(key) = space.catalog() else { return };
        let mut stored = self.stored.lock().await;
        if stored.discovery.as_ref().is_some_and(|stored| is_current(stored, &discovery)) {
            return;
        }
        // A question about a user without skills must not create an index.
        if stored.discovery.is_none() && discovery.is_empty() {
            return;
        }
        // After a failure or another process's write, neither the version nor the content is known.
        let base = std::mem::take(&mut *stored).base;
        let replaced = async {
            let index = encode_index(discovery.clone(), errand).await?;
            replace(store, committer, &key, base, index).await
        };
        match replaced.await {
            Ok(base) => *stored = StoredIndex { base, discovery: Some(discovery) },
            Err(error) => tracing::debug!(%key, error = %error.chain(), "the index of a catalog was not written"),
        }
    }
}

/// Whether an index with `stored` can stay instead of `current`. A newer index stays, unless it is so much newer that a
/// clock must be wrong. An index of the same content stays until it is old.
fn is_current(stored: &Discovery, current: &Discovery) -> bool {
    let ahead = current.view().as_of.duration_since(stored.view().as_of);
    if ahead.is_negative() {
        return ahead.unsigned_abs() < CATALOG_STALE;
    }
    stored.readings() == current.readings() && ahead.unsigned_abs() < CATALOG_STALE / 2
}

/// Writes over `base`, or over the present version if `base` is not known. Returns the new version, if the store gave
/// it.
async fn replace(
    store: &dyn Store,
    committer: &Committer,
    key: &ObjectKey,
    base: Option<ExpectedVersion>,
    index: Bytes,
) -> Result<Option<ExpectedVersion>> {
    let base = match base {
        Some(base) => base,
        None => match store.head(key).await {
            Ok(meta) => ExpectedVersion::version(&meta),
            Err(StoreError::NotFound) => ExpectedVersion::Absent,
            Err(error) => return Err(error.into()),
        },
    };
    let Commit { etag, metadata } = committer.commit(key, index, &base).await?;
    Ok(etag.map(|etag| ExpectedVersion::Version(etag, metadata)))
}

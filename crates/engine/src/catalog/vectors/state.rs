//! The vectors of a layer as they lie in the bucket, for checks.

use super::format::decode_any;
use crate::{
    error::Result,
    limits::VECTORS_BYTES,
    path::{ObjectKey, SkillPath, UserSpace},
    store::{CachePolicy, GetOptions, Store, StoreError},
};

/// The object of vectors in the bucket.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VectorsState {
    /// Its key.
    pub key: ObjectKey,
    /// The stored vectors, or the reason why the object is unusable.
    pub content: Result<StoredVectors, String>,
}

/// The encoder and the skills of an object of vectors.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredVectors {
    /// The identity of the encoder that made them.
    pub encoder: String,
    /// The skills that have one, in byte order.
    pub skills: Vec<SkillPath>,
}

impl VectorsState {
    /// Looks at the vectors of one layer. Returns `None` if there are none.
    ///
    /// # Errors
    /// The store's.
    pub async fn read(store: &dyn Store, space: &UserSpace) -> Result<Option<Self>> {
        let key = space.vectors()?;
        let most = u64::try_from(2 * VECTORS_BYTES).unwrap_or(u64::MAX);
        let object = match store.get(&key, GetOptions::range(0..most).with_keep(CachePolicy::Not)).await {
            Err(StoreError::NotFound) => return Ok(None),
            object => object?,
        };
        let content = decode_any(&object.bytes).map_err(|why| why.to_string()).map(|vectors| StoredVectors {
            skills: vectors.skills.into_iter().map(|one| one.skill).collect(),
            encoder: vectors.encoder,
        });
        Ok(Some(Self { key, content }))
    }
}

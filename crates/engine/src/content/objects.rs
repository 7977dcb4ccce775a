//! Single objects of a skill: their bytes, and their removal in one version.

use super::target::SkillTarget;
use crate::{
    error::Result,
    limits::UPLOAD_FILE_BYTES,
    path::{ETag, ObjectKey},
    store::{CachePolicy, GetOptions, Object, StoreError, StoreExt as _},
};

/// Deletes an object if it still has the version `base`. Returns false if another version is there by now.
pub(crate) async fn delete_version_of(target: &SkillTarget, key: &ObjectKey, base: ETag) -> Result<bool> {
    match target.content.store().delete_version(key, &base).await {
        Ok(()) | Err(StoreError::NotFound) => Ok(true),
        Err(StoreError::PreconditionFailed) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

/// The object at `key`, whole if it has at most `size` bytes.
pub(super) async fn read_object(target: &SkillTarget, key: &ObjectKey, size: u64) -> Result<Option<Object>> {
    let options = GetOptions { keep: CachePolicy::Not, ..GetOptions::range(0..size.min(UPLOAD_FILE_BYTES as u64) + 1) };
    match target.content.store().get(key, options).await {
        Ok(object) => Ok(Some(object)),
        Err(StoreError::NotFound) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

//! The file in a skill's folder that says which version the folder comes from. It is never pushed, because it belongs to a tool.

use std::fs;

use super::disk::{read_if_there, replace_whole};
use crate::{client::sync::SyncBase, error::Result, local_path::LocalPath, path::FOLDER_MEMORY};

/// The version that `folder` remembers.
///
/// # Errors
/// `invalid_request` if the file is a link, cannot be read, or is none.
pub(crate) fn remembered(folder: &LocalPath) -> Result<Option<SyncBase>> {
    let path = place(folder)?;
    let bytes =
        read_if_there(&path).map_err(|error| invalid!("{} cannot be read", path.display()).with_source(error))?;
    bytes.map(|bytes| SyncBase::from_json(&bytes, &path.display().to_string())).transpose()
}

/// Makes `folder` remember `version`. `unique` names the file while it grows.
///
/// # Errors
/// `invalid_request` if the file is a link, or the disk fails.
pub(crate) fn remember(folder: &LocalPath, version: &SyncBase, unique: u128) -> Result<()> {
    replace_whole(&place(folder)?, &version.to_json()?, unique)
}

fn place(folder: &LocalPath) -> Result<LocalPath> {
    let path = folder.join(FOLDER_MEMORY);
    if fs::symlink_metadata(&path).is_ok_and(|meta| meta.is_symlink()) {
        return Err(invalid!("{} is a link: remove it first", path.display()));
    }
    Ok(path)
}

//! The record of an export in its folder.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::{
    client::sync::SyncBase,
    error::Result,
    folder::{json_text, read_if_there, replace_whole},
    local_path::LocalPath,
    path::SkillPath,
};

/// Its file in the folder of the plugin.
pub(super) const MANIFEST: &str = ".skillmount-plugin.json";
/// The format that this version writes. This version reads no other.
const FORMAT: u32 = 1;

/// The files that an export wrote. A file that is about to be replaced has both states here. So a process that ends in
/// between leaves no unknown file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct PluginExport {
    format: u32,
    /// The files beside the skills, each with the SHA-256 of the bytes that it may have.
    pub(super) parts: BTreeMap<String, BTreeSet<String>>,
    /// The folders of skills, each with the versions that may be in it.
    pub(super) skills: BTreeMap<String, Vec<ExportRecord>>,
}

/// A version of a skill in the folder.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct ExportRecord {
    /// The skill.
    pub(super) skill: SkillPath,
    /// The version of it.
    pub(super) version: SyncBase,
}

impl PluginExport {
    /// The manifest in the folder `root`; `None` if nothing was exported into it.
    ///
    /// # Errors
    /// `invalid_request` if it cannot be read or is none.
    pub(super) fn read(root: &LocalPath) -> Result<Option<Self>> {
        let path = root.join(MANIFEST);
        let wrong = |why: &str| invalid!("{} {why}", path.display());
        let bytes = read_if_there(&path).map_err(|error| wrong("cannot be read").with_source(error))?;
        let Some(bytes) = bytes else { return Ok(None) };
        let read: Self = serde_json::from_slice(&bytes)
            .map_err(|error| wrong("is damaged; export into a new folder").with_source(error))?;
        if read.format != FORMAT {
            return Err(wrong("was written by another version of skillmount; export into a new folder"));
        }
        Ok(Some(read))
    }

    /// Writes it into the folder `root`. `unique` names the file while it grows.
    ///
    /// # Errors
    /// `invalid_request` if the disk fails.
    pub(super) fn write(&self, root: &LocalPath, unique: u128) -> Result<()> {
        replace_whole(&root.join(MANIFEST), &json_text(self)?, unique)
    }
}

impl Default for PluginExport {
    fn default() -> Self {
        Self { format: FORMAT, parts: BTreeMap::new(), skills: BTreeMap::new() }
    }
}

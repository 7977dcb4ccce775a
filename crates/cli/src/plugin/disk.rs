//! The work of an export on the disk: it swaps folders by renames, and compares files with the records of exports.

use std::{collections::BTreeMap, fs, io, path::Path};

use sha2::{Digest as _, Sha256};

use super::manifest::ExportRecord;
use crate::{error::Result, folder::failed, local_path::LocalPath};

/// Puts the folder `new` at `place`. A folder that was there moves to `old`.
pub(super) fn take_place(place: &LocalPath, new: &Path, old: &Path) -> Result<()> {
    let was_there = match fs::rename(place, old) {
        Ok(()) => true,
        Err(error) if error.kind() == io::ErrorKind::NotFound => false,
        Err(error) => return Err(failed(place, error)),
    };
    fs::rename(new, place).map_err(|error| {
        if was_there {
            // If even this fails, the next export writes it again.
            let _ = fs::rename(old, place);
        }
        failed(place, error)
    })
}

/// Reads the files below `folder` into `found`, each with its SHA-256. Stops at the first entry that belongs to none of
/// the versions, and returns its path.
pub(super) fn read_into(
    folder: &Path,
    below: &str,
    versions: &[ExportRecord],
    found: &mut BTreeMap<String, String>,
) -> io::Result<Option<String>> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name();
        let Some(name) = name.to_str() else { return Ok(Some("a file whose name is no text".to_owned())) };
        let path = if below.is_empty() { name.to_owned() } else { format!("{below}/{name}") };
        let kind = entry.file_type()?;
        let is_known = |sha256: Option<&String>| {
            let mut files = versions.iter().filter_map(|one| one.version.files.get(&path));
            files.any(|known| sha256.is_none_or(|sha256| known == sha256))
        };
        if kind.is_dir() {
            let start = format!("{path}/");
            let is_known = versions.iter().any(|one| one.version.files.keys().any(|known| known.starts_with(&start)));
            let foreign = if is_known { read_into(&entry.path(), &path, versions, found)? } else { Some(path) };
            if foreign.is_some() {
                return Ok(foreign);
            }
            continue;
        }
        if !kind.is_file() || !is_known(None) {
            return Ok(Some(path));
        }
        let digest = sha256(&fs::read(entry.path())?);
        if !is_known(Some(&digest)) {
            return Ok(Some(path));
        }
        found.insert(path, digest);
    }
    Ok(None)
}

pub(super) fn sha256(bytes: &[u8]) -> String {
    hex::encode(Sha256::digest(bytes))
}

//! Metadata of objects, in a side file each, which is valid only for the version it names.
//!
//! The side file is written before its object, and keeps the entry of the version that is being replaced. So a crash in
//! between leaves the old version with its metadata, and a file changed by hand has none.

use std::{fs, io, io::Write};

use serde::{Deserialize, Serialize};

use super::{
    files::{make_folder, remove_file, sync_folder},
    layout::StoreLayout,
    shard::Shard,
};
use crate::Metadata;
use skillmount_base::path::{ETag, ObjectKey};

#[derive(Debug, Default, Serialize, Deserialize)]
struct Side {
    /// For people who look into the folder, because the file name is a digest.
    key: String,
    /// Newest first.
    versions: Vec<Entry>,
}

#[derive(Debug, Serialize, Deserialize)]
struct Entry {
    etag: ETag,
    metadata: Metadata,
}

/// The metadata of version `etag` of `key`, if its writer attached any.
pub(super) fn metadata_of(layout: &StoreLayout, key: &ObjectKey, etag: &ETag) -> io::Result<Option<Metadata>> {
    let entry = read_side(layout, key)?.versions.into_iter().find(|entry| entry.etag == *etag);
    Ok(entry.map(|entry| entry.metadata))
}

/// Records the metadata of version `etag`, and keeps that of the version it replaces. Needs the key's lock.
pub(super) fn write_side(
    layout: &StoreLayout,
    shard: &Shard,
    key: &ObjectKey,
    etag: ETag,
    metadata: Metadata,
    replaced: Option<&ETag>,
) -> io::Result<()> {
    let mut versions = vec![Entry { etag, metadata }];
    let earlier = read_side(layout, key)?.versions;
    versions.extend(earlier.into_iter().find(|entry| Some(&entry.etag) == replaced));
    let path = layout.side(key);
    let (mut file, temporary) = layout.in_own_folders(|| shard.side_file())?;
    file.write_all(&serde_json::to_vec(&Side { key: key.as_str().to_owned(), versions })?)?;
    file.sync_all()?;
    if let Some(folder) = path.parent() {
        layout.in_own_folders(|| make_folder(folder))?;
        fs::rename(temporary, &path)?;
        sync_folder(folder)?;
    }
    Ok(())
}

/// Removes the metadata of `key`. Needs its lock.
pub(super) fn remove_side(layout: &StoreLayout, key: &ObjectKey) -> io::Result<()> {
    remove_file(&layout.side(key))
}

fn read_side(layout: &StoreLayout, key: &ObjectKey) -> io::Result<Side> {
    let text = match fs::read(layout.side(key)) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Side::default()),
        text => text?,
    };
    Ok(serde_json::from_slice(&text).unwrap_or_else(|error| {
        tracing::warn!(%key, %error, "a side file is damaged: its metadata counts as absent");
        Side::default()
    }))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use bytes::Bytes;

    use crate::{DirectoryStore, PutOptions, Store, directory::layout::lock_index};
    use skillmount_base::{clock::SystemClock, path::KeyPrefix};

    use super::*;

    #[tokio::test]
    async fn a_crash_before_the_rename_leaves_the_old_version_with_its_metadata() {
        let folder = tempfile::TempDir::new().unwrap();
        let store = DirectoryStore::open(folder.path(), Arc::new(SystemClock::new())).unwrap();
        let key = KeyPrefix::all().key("a").unwrap();
        let metadata = Metadata::from([("name".to_owned(), "value".to_owned())]);
        let options = PutOptions { metadata: metadata.clone(), ..PutOptions::default() };
        let current = store.put(&key, Bytes::from_static(b"x"), options).await.unwrap().etag;
        let layout = &store.disk.layout;
        for crash in ["first", "second"] {
            let shard = layout.try_lock(lock_index(&key), 0).unwrap().unwrap();
            write_side(layout, &shard, &key, ETag::new(crash), Metadata::new(), Some(&current)).unwrap();
            drop(shard);
            assert_eq!(store.head(&key).await.unwrap().metadata, metadata, "after the {crash} crash");
        }
    }
}

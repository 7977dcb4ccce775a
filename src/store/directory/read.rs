//! Reading: everything comes from one open file, so a rename meanwhile changes nothing.

use std::{
    fs::{self, File},
    io::{self, Read, Seek, SeekFrom},
    ops::Range,
};

use bytes::Bytes;

use super::{
    Disk,
    layout::{Layout, Spot},
    version::{Version, failed},
};
use crate::{
    path::ObjectKey,
    store::{
        GetOptions, Metadata, Object, ObjectMeta, StoreError, StoreResult,
        memory::{check_get, clip},
    },
};

/// How often a read starts anew because the file was replaced under it, before it gives up.
const ATTEMPTS: usize = 100;

impl Disk {
    pub(super) fn get(&self, key: &ObjectKey, options: &GetOptions) -> StoreResult<Object> {
        for _ in 0..ATTEMPTS {
            let Some((mut file, version)) = self.layout.open_object(key)? else { continue };
            check_get(options, &version.etag())?;
            let range = clip(options.range.clone(), version.size)?;
            let Some(bytes) = read(&mut file, &range).map_err(failed)? else { continue };
            // A tool that writes in place, instead of renaming, may have been at it while we read.
            if Version::of(&file.metadata().map_err(failed)?).map_err(failed)? != version {
                continue;
            }
            if let Some(metadata) = self.metadata(key, version)? {
                return Ok(Object { meta: version.meta(metadata), range, bytes });
            }
        }
        Err(StoreError::Busy)
    }

    pub(super) fn head(&self, key: &ObjectKey) -> StoreResult<ObjectMeta> {
        for _ in 0..ATTEMPTS {
            let version = self.layout.version(key)?.ok_or(StoreError::NotFound)?;
            if let Some(metadata) = self.metadata(key, version)? {
                return Ok(version.meta(metadata));
            }
        }
        Err(StoreError::Busy)
    }

    /// The metadata of `version`; `None` where it may have been replaced by that of later ones meanwhile.
    fn metadata(&self, key: &ObjectKey, version: Version) -> StoreResult<Option<Metadata>> {
        if let Some(metadata) = self.layout.metadata_of(key, &version.etag()).map_err(failed)? {
            return Ok(Some(metadata));
        }
        let still = self.layout.version(key)? == Some(version);
        Ok(still.then(Metadata::new))
    }
}

impl Layout {
    /// The version at `key`, if there is an object.
    pub(super) fn version(&self, key: &ObjectKey) -> StoreResult<Option<Version>> {
        match self.look(key.as_str())? {
            Spot::File(found) => Version::of(&found).map(Some).map_err(failed),
            Spot::Folder | Spot::Nothing | Spot::Blocked(_) => Ok(None),
        }
    }

    /// The object at `key`, open; `None` where it was replaced between looking and opening.
    fn open_object(&self, key: &ObjectKey) -> StoreResult<Option<(File, Version)>> {
        let Spot::File(seen) = self.look(key.as_str())? else { return Err(StoreError::NotFound) };
        let file = match File::open(self.path(key.as_str())?) {
            // Deleted or pruned since: to look again will say so.
            Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
                return Ok(None);
            }
            file => file.map_err(failed)?,
        };
        let opened = file.metadata().map_err(failed)?;
        if !same_file(&seen, &opened) {
            return Ok(None);
        }
        let version = Version::of(&opened).map_err(failed)?;
        Ok(Some((file, version)))
    }
}

/// Whether both describe one file: a link put in its place since would lead to another.
#[cfg(unix)]
fn same_file(one: &fs::Metadata, other: &fs::Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;

    (one.dev(), one.ino()) == (other.dev(), other.ino())
}

/// Elsewhere the system tells no identity, and links need rights that few have.
#[cfg(not(unix))]
fn same_file(_: &fs::Metadata, other: &fs::Metadata) -> bool {
    other.is_file()
}

/// The bytes `range`; `None` where the file has become shorter.
fn read(file: &mut File, range: &Range<u64>) -> io::Result<Option<Bytes>> {
    let length = range.end - range.start;
    file.seek(SeekFrom::Start(range.start))?;
    let mut bytes = Vec::with_capacity(usize::try_from(length).map_err(io::Error::other)?);
    file.take(length).read_to_end(&mut bytes)?;
    Ok((bytes.len() as u64 == length).then(|| Bytes::from(bytes)))
}

//! The plain files of a skill, and what they are beside its head.

use std::collections::BTreeMap;

use futures_util::future::try_join_all;

use super::{
    Place,
    heads::StoredHead,
    rooms::{HeldRoom, archive_bytes, owner_below},
};
use crate::{
    error::{Code, Error, Result},
    limits::{PUBLISH_ATTEMPTS, SKILL_FILES, UPLOAD_FILE_BYTES},
    path::ETag,
    skill::{HeadState, Package, Packer, Provenance},
    store::{GetOptions, Keep, ListEntry, StoreError, StoreExt as _},
};

/// The plain files: path and version of each. Objects that no path can name are no files of the skill.
pub(super) type Folder = BTreeMap<String, ETag>;

/// A folder that is no version yet, as a version.
#[derive(Debug)]
pub(super) struct Archived {
    pub(super) package: Package,
    /// The files that were read for it.
    pub(super) folder: Folder,
    /// Held as long as the package is.
    pub(super) room: HeldRoom,
}

impl Place {
    /// Lists the folder.
    ///
    /// # Errors
    /// `file_too_large` if it has too many files; the store's.
    pub(super) async fn list(&self) -> Result<Folder> {
        Ok(self.list_sized().await?.0)
    }

    /// As [`list`](Self::list), with the most that packing the files takes in memory.
    pub(super) async fn list_sized(&self) -> Result<(Folder, u64)> {
        let (entries, has_more) = self.service.store().list_all(&self.folder, SKILL_FILES).await?;
        if has_more {
            let message = format!("{} holds more than {SKILL_FILES} files: move some of them elsewhere", self.skill);
            return Err(Error::new(Code::FileTooLarge, message));
        }
        let sizes = || entries.iter().map(|entry| entry.size);
        let largest = sizes().max().unwrap_or_default().min(UPLOAD_FILE_BYTES as u64);
        Ok((self.files_of(&entries), archive_bytes(sizes().sum()) + largest))
    }

    /// The files among listed objects.
    pub(super) fn files_of(&self, entries: &[ListEntry]) -> Folder {
        let file = |entry: &ListEntry| {
            self.folder.admit(&entry.key)?;
            Some((self.folder.relative(&entry.key)?.to_owned(), entry.etag.clone()))
        };
        entries.iter().filter_map(file).collect()
    }

    /// Packs the files as they are, each in the version that was listed, once there is room for that.
    ///
    /// # Errors
    /// `file_too_large` if they are more than a version may be; `edit_conflict` if others keep writing; the store's.
    pub(super) async fn archive(&self, listed: (Folder, u64), from: &Provenance) -> Result<Archived> {
        let (mut folder, mut bytes) = listed;
        for _ in 0..PUBLISH_ATTEMPTS {
            let rooms = &self.service.shared.versions.rooms;
            let room = rooms.enter_folder(&owner_below(self.space.root()), bytes).await?;
            if let Some(package) = self.pack(&folder, from).await? {
                return Ok(Archived { package, folder, room });
            }
            (folder, bytes) = self.list_sized().await?;
        }
        let message = format!("other tools keep writing the files of {}: publish again when they are done", self.skill);
        Err(Error::new(Code::EditConflict, message))
    }

    /// The files of `folder`, packed; `None` if one of them has changed.
    async fn pack(&self, folder: &Folder, from: &Provenance) -> Result<Option<Package>> {
        let mut packer = Packer::default();
        for (path, etag) in folder {
            let options = GetOptions { keep: Keep::Not, ..GetOptions::pinned(etag.clone()) };
            let key = self.folder.key(path)?;
            let bytes = match self.service.store().get(&key, options.with_range(0..UPLOAD_FILE_BYTES as u64 + 1)).await
            {
                Ok(object) => object.bytes,
                Err(StoreError::NotFound | StoreError::PreconditionFailed) => return Ok(None),
                Err(error) => return Err(error.into()),
            };
            packer.add(path, &bytes).map_err(|why| self.unkeepable(&why.message))?;
        }
        packer.finish(&self.skill, from).map(Some).map_err(|why| self.unkeepable(&why.message))
    }

    fn unkeepable(&self, why: &str) -> Error {
        let message = format!(
            "what lies in the folder of {} cannot be kept as a version, so nothing was published over it: {why}",
            self.skill
        );
        Error::new(Code::FileTooLarge, message)
    }

    /// Checks that a skill may lie here: in no other skill, and around none.
    ///
    /// # Errors
    /// `already_exists` if it may not; the store's.
    pub(super) async fn check_place(&self, folder: &Folder) -> Result<()> {
        let above = self.skill.ancestors().map(|above| async move {
            let key = self.space.skill(&above)?.key("SKILL.md")?;
            match self.service.store().head(&key).await {
                Ok(_) => Ok(Some(above)),
                Err(StoreError::NotFound) => Ok(None),
                Err(error) => Err(Error::from(error)),
            }
        });
        let around = try_join_all(above).await?.into_iter().flatten().next();
        let inside = folder.keys().find_map(|path| path.strip_suffix("/SKILL.md"));
        let inside = inside.filter(|_| !folder.contains_key("SKILL.md"));
        let taken = match (around, inside) {
            (None, None) => return Ok(()),
            (Some(around), _) => format!("{} lies inside the skill {around}", self.skill),
            (None, Some(inside)) => format!("{} is a folder of skills, such as {inside}", self.skill),
        };
        Err(Error::new(Code::AlreadyExists, format!("{taken}: publish under another path")))
    }
}

/// Whether a folder is what its head says; a folder without head is if it is empty.
pub(super) fn is_as_published(head: Option<&StoredHead>, folder: &Folder) -> bool {
    match head {
        None => folder.is_empty(),
        Some(known) => {
            known.head.materialised && known.head.matches(folder.iter().map(|(path, etag)| (path.as_str(), etag)))
        }
    }
}

/// Whether a skill is published.
pub(super) fn is_published(head: Option<&StoredHead>) -> bool {
    head.is_some_and(|known| known.head.state == HeadState::Published)
}

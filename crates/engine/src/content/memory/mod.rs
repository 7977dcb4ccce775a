//! The memory for archives and unpacked files of versions, which users share.
//!
//! Users take turns. A user holds at most half of the memory at once, or one archive if the archive is larger by itself. Small
//! archives have memory of their own, so they never wait for a large one.

use crate::{
    budget::{Owner, Share, Shares},
    error::{Error, Result},
    limits::{FOLDER_WINDOW_KIB, SMALL_VERSION_KIB, SMALL_VERSIONS_KIB, VERSION_WINDOW_KIB, VERSION_ZIP_BYTES},
    path::{KeyPrefix, ObjectKey},
};

/// The most bytes that an archive adds to its files: names, twice, and overhead for data that cannot be compressed.
const ZIP_ROOM_BYTES: u64 = 4 << 20;

/// The room of one process.
#[derive(Debug)]
pub(crate) struct ArchiveMemory {
    versions: Room,
    /// Folders that are packed before they are replaced. A call with room for its version waits for this too, and never the
    /// other way round.
    folders: Room,
}

#[derive(Debug)]
struct Room {
    small: Shares,
    large: Shares,
    /// The share of each user in the room for large archives: half.
    owners: Shares,
}

/// Room that is held. Dropping it gives it back.
#[derive(Debug)]
#[must_use = "room is held only as long as this lives"]
pub(crate) struct MemoryPermit {
    _of_owner: Option<Share>,
    _of_all: Share,
}

impl ArchiveMemory {
    pub(crate) fn new() -> Self {
        Self { versions: Room::new(VERSION_WINDOW_KIB), folders: Room::new(FOLDER_WINDOW_KIB) }
    }

    /// Waits for room for `bytes` of archives and unpacked files of `owner`.
    pub(crate) async fn reserve(&self, owner: &Owner, bytes: u64) -> Result<MemoryPermit> {
        self.versions.reserve(owner, bytes).await
    }

    /// As [`enter`](Self::enter), for optional work. A large archive gets room at once or `None`.
    pub(crate) async fn reserve_if_free(&self, owner: &Owner, bytes: u64) -> Result<Option<MemoryPermit>> {
        self.versions.reserve_if_free(owner, bytes).await
    }

    /// Waits for room for `bytes` of a folder of `owner` that is packed.
    pub(crate) async fn reserve_folder(&self, owner: &Owner, bytes: u64) -> Result<MemoryPermit> {
        self.folders.reserve(owner, bytes).await
    }
}

impl Room {
    fn new(kib: u64) -> Self {
        Self {
            small: Shares::new(SMALL_VERSIONS_KIB, SMALL_VERSIONS_KIB / 2),
            large: Shares::new(kib, kib),
            owners: Shares::new(u64::MAX, kib / 2),
        }
    }

    async fn reserve(&self, owner: &Owner, bytes: u64) -> Result<MemoryPermit> {
        let kib = self.kib(bytes);
        if kib <= SMALL_VERSION_KIB {
            return self.reserve_small(owner, kib).await;
        }
        let of_owner = self.owners.acquire(owner, kib.min(self.owners.part())).await.ok_or_else(closed)?;
        let of_all = self.large.acquire(owner, kib).await.ok_or_else(closed)?;
        Ok(MemoryPermit { _of_owner: Some(of_owner), _of_all: of_all })
    }

    async fn reserve_if_free(&self, owner: &Owner, bytes: u64) -> Result<Option<MemoryPermit>> {
        let kib = self.kib(bytes);
        if kib <= SMALL_VERSION_KIB {
            return self.reserve_small(owner, kib).await.map(Some);
        }
        let of_owner = self.owners.try_acquire(owner, kib.min(self.owners.part()));
        let of_all = self.large.try_acquire(owner, kib);
        Ok(of_owner.zip(of_all).map(|(of_owner, of_all)| MemoryPermit { _of_owner: Some(of_owner), _of_all: of_all }))
    }

    async fn reserve_small(&self, owner: &Owner, kib: u64) -> Result<MemoryPermit> {
        let share = self.small.acquire(owner, kib).await.ok_or_else(closed)?;
        Ok(MemoryPermit { _of_owner: None, _of_all: share })
    }

    fn kib(&self, bytes: u64) -> u64 {
        bytes.div_ceil(1 << 10).clamp(1, self.large.capacity())
    }
}

fn closed() -> Error {
    Error::internal("the room for archives is closed")
}

/// The most bytes of an archive with `unpacked` bytes of files.
pub(crate) fn archive_bytes(unpacked: u64) -> u64 {
    (unpacked + ZIP_ROOM_BYTES).min(VERSION_ZIP_BYTES as u64)
}

/// The owner whose memory and worker share an archive at `key` takes.
pub(crate) fn owner_of(key: &ObjectKey) -> Owner {
    owner_in(key.as_str().split_once(".skillmount/").map_or(key.as_str(), |(root, _)| root))
}

/// The owner whose memory and worker share everything below `root` takes.
pub(crate) fn owner_below(root: &KeyPrefix) -> Owner {
    owner_in(root.as_str())
}

/// The folder of an owner, without the prefix of the service. All other work of the owner has this name too.
fn owner_in(root: &str) -> Owner {
    let root = root.trim_end_matches('/');
    let (above, name) = root.rsplit_once('/').unwrap_or_default();
    match above.rsplit('/').next() {
        Some("_teams") => format!("_teams/{name}").into(),
        _ if name.is_empty() => root.into(),
        _ => name.into(),
    }
}

#[cfg(test)]
mod tests;

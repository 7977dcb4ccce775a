//! The room that archives and unpacked files of versions have in memory, which users share.
//!
//! Users take turns, and what one user holds at once is bounded: half, or one archive if that is larger by itself. Small
//! archives have room of their own, so that they wait for no large one, whoever sends it.

use crate::{
    budget::{Owner, Share, Shares},
    error::{Error, Result},
    limits::{FOLDER_WINDOW_KIB, SMALL_VERSION_KIB, SMALL_VERSIONS_KIB, VERSION_WINDOW_KIB, VERSION_ZIP_BYTES},
    path::{KeyPrefix, ObjectKey},
};

/// What an archive takes beside the bytes of its files: names, twice, and what cannot be made shorter.
const ZIP_ROOM_BYTES: u64 = 4 << 20;

/// The room of one process.
#[derive(Debug)]
pub(crate) struct ArchiveMemory {
    versions: Room,
    /// Folders that are packed before they are replaced. A call that has room for its version waits for this too, and never
    /// the other way round.
    folders: Room,
}

#[derive(Debug)]
struct Room {
    small: Shares,
    large: Shares,
    /// What each user may have of the room for large ones: half.
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
    pub(crate) async fn enter(&self, owner: &Owner, bytes: u64) -> Result<MemoryPermit> {
        self.versions.enter(owner, bytes).await
    }

    /// As [`enter`](Self::enter), for what can be done without: what is large gets room at once or `None`.
    pub(crate) async fn enter_if_free(&self, owner: &Owner, bytes: u64) -> Result<Option<MemoryPermit>> {
        self.versions.enter_if_free(owner, bytes).await
    }

    /// Waits for room for `bytes` of a folder of `owner` that is packed.
    pub(crate) async fn enter_folder(&self, owner: &Owner, bytes: u64) -> Result<MemoryPermit> {
        self.folders.enter(owner, bytes).await
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

    async fn enter(&self, owner: &Owner, bytes: u64) -> Result<MemoryPermit> {
        let kib = self.kib(bytes);
        if kib <= SMALL_VERSION_KIB {
            return self.enter_small(owner, kib).await;
        }
        let of_owner = self.owners.acquire(owner, kib.min(self.owners.part())).await.ok_or_else(closed)?;
        let of_all = self.large.acquire(owner, kib).await.ok_or_else(closed)?;
        Ok(MemoryPermit { _of_owner: Some(of_owner), _of_all: of_all })
    }

    async fn enter_if_free(&self, owner: &Owner, bytes: u64) -> Result<Option<MemoryPermit>> {
        let kib = self.kib(bytes);
        if kib <= SMALL_VERSION_KIB {
            return self.enter_small(owner, kib).await.map(Some);
        }
        let of_owner = self.owners.try_acquire(owner, kib.min(self.owners.part()));
        let of_all = self.large.try_acquire(owner, kib);
        Ok(of_owner.zip(of_all).map(|(of_owner, of_all)| MemoryPermit { _of_owner: Some(of_owner), _of_all: of_all }))
    }

    async fn enter_small(&self, owner: &Owner, kib: u64) -> Result<MemoryPermit> {
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

/// The most that an archive of `unpacked` bytes of files has.
pub(crate) fn archive_bytes(unpacked: u64) -> u64 {
    (unpacked + ZIP_ROOM_BYTES).min(VERSION_ZIP_BYTES as u64)
}

/// Whose room an archive at `key` takes, and whose share of the workers.
pub(crate) fn owner_of(key: &ObjectKey) -> Owner {
    owner_in(key.as_str().split_once(".skillmount/").map_or(key.as_str(), |(root, _)| root))
}

/// Whose room what lies below `root` takes, and whose share of the workers.
pub(crate) fn owner_below(root: &KeyPrefix) -> Owner {
    owner_in(root.as_str())
}

/// The folder of an owner, without the prefix of the service: all other work of that owner has this name too.
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
mod tests {
    use std::{sync::Arc, task::Poll, time::Duration};

    use futures_util::{FutureExt as _, poll};

    use super::*;
    use crate::{
        clock::SystemClock,
        handle::{Service, ServiceOptions},
        path::{Id, LayerOwner, Namespace, SkillPath},
        publish::PublishOptions,
        store::MemoryStore,
        wire::VersionListRequest,
    };

    const MIB: u64 = 1 << 20;

    fn owner(name: &str) -> Owner {
        name.into()
    }

    // S-VERSION-6: Archives have bounded room in memory, which users share.
    #[tokio::test]
    async fn large_publishes_of_one_user_stop_no_small_one_and_take_turns_with_large_ones() {
        let rooms = ArchiveMemory::new();
        let (greedy, other) = (owner("greedy/"), owner("other/"));
        let whole = rooms.enter(&greedy, 192 * MIB).await.unwrap();
        let mut waiting: Vec<_> = (0..20).map(|_| Box::pin(rooms.enter(&greedy, 192 * MIB))).collect();
        for next in &mut waiting {
            assert!(poll!(next).is_pending());
        }
        let small = rooms.enter(&other, 8 * MIB).now_or_never().expect("a small one waits for no large one").unwrap();
        let mut large = Box::pin(rooms.enter(&other, 100 * MIB));
        assert!(poll!(&mut large).is_pending());
        drop(whole);
        let Poll::Ready(turn) = poll!(&mut large) else { panic!("another user's comes before the rest") };
        assert!(poll!(&mut waiting[0]).is_pending());
        drop((small, turn));
    }

    // S-VERSION-6: Archives have bounded room in memory, which users share.
    #[tokio::test]
    async fn what_can_be_done_without_waits_for_small_room_and_never_for_large() {
        let rooms = ArchiveMemory::new();
        let (greedy, other) = (owner("greedy/"), owner("other/"));
        let whole = rooms.enter(&greedy, 192 * MIB).await.unwrap();
        assert!(rooms.enter_if_free(&other, 9 * MIB).now_or_never().unwrap().unwrap().is_none());
        let small = [(); 2].map(|()| rooms.enter_if_free(&other, 8 * MIB).now_or_never().unwrap().unwrap().unwrap());
        let mut third = Box::pin(rooms.enter_if_free(&other, 8 * MIB));
        assert!(poll!(&mut third).is_pending(), "half of the small room is held");
        drop((whole, small));
        assert!(poll!(&mut third).is_ready());
        let free = rooms.enter_if_free(&other, 34 * MIB).now_or_never().unwrap().unwrap();
        assert!(free.is_some());
    }

    // S-VERSION-6: Archives have bounded room in memory, which users share.
    #[tokio::test]
    async fn a_delete_over_a_folder_that_others_changed_takes_room_for_what_it_packs() {
        let memory = Arc::new(MemoryStore::like_s3());
        memory.put_raw("u1/skills/a/SKILL.md", "---\nname: a\ndescription: Does a.\n---\nSteps.\n");
        let service = Service::new(memory.clone(), ServiceOptions::default(), Arc::new(SystemClock::new()));
        let (user, skill) = (Id::parse("u1").unwrap(), SkillPath::parse("a").unwrap());
        let rooms = &service.core.content().versions().rooms;
        let root = owner_below(service.namespace().user(&user).unwrap().root());
        let held =
            [rooms.enter_folder(&root, 8 * MIB).await.unwrap(), rooms.enter_folder(&root, 8 * MIB).await.unwrap()];
        let mut delete = Box::pin(service.publisher().delete_skill(&user, &skill, PublishOptions::default()));
        let patience = Duration::from_millis(200);
        assert!(tokio::time::timeout(patience, &mut delete).await.is_err(), "there is no room for the folder");
        drop(held);
        delete.await.unwrap();
        let list = service.publisher().list_versions(&user, &skill, &VersionListRequest::default()).await.unwrap();
        assert_eq!(list.versions.len(), 1, "what others wrote is kept");
    }

    // S-BUDGET-1: Work that takes long runs in a bounded pool, of which one user holds at most half.
    #[test]
    fn all_archives_of_an_owner_count_as_work_of_that_owner() {
        let skills = ["a", "b/c"].map(|skill| SkillPath::parse(skill).unwrap());
        let digest = format!("sha256:{}", "0".repeat(64));
        let id = |text| Id::parse(text).unwrap();
        for owner in [LayerOwner::User(id("u1")), LayerOwner::Team(id("t")), LayerOwner::Org] {
            for prefix in ["", "p", "p/q"] {
                let space = owner.space(&Namespace::parse(prefix).unwrap()).unwrap();
                let mut keys: Vec<_> = skills.iter().map(|skill| space.version(skill, &digest).unwrap()).collect();
                keys.push(space.bundle(&digest).unwrap());
                for key in keys {
                    assert_eq!(*owner_of(&key), *owner.to_string(), "{key}");
                }
                assert_eq!(*owner_below(space.root()), *owner.to_string(), "{prefix}");
            }
        }
    }

    #[tokio::test]
    async fn one_user_holds_half_at_most_but_for_one_that_is_larger_by_itself() {
        let rooms = ArchiveMemory::new();
        let (greedy, other) = (owner("greedy/"), owner("other/"));
        let held = [rooms.enter(&greedy, 48 * MIB).await.unwrap(), rooms.enter(&greedy, 48 * MIB).await.unwrap()];
        let mut third = Box::pin(rooms.enter(&greedy, 9 * MIB));
        assert!(poll!(&mut third).is_pending());
        let half = rooms.enter(&other, 96 * MIB).now_or_never().expect("the other half is for others").unwrap();
        drop(held);
        assert!(poll!(&mut third).is_ready());
        drop((third, half));
        drop(rooms.enter(&greedy, 1000 * MIB).now_or_never().expect("what is larger takes all").unwrap());
        let (all, folder) = (rooms.enter(&greedy, 192 * MIB).await.unwrap(), rooms.enter_folder(&greedy, 128 * MIB));
        drop((folder.now_or_never().expect("folders have room of their own").unwrap(), all));
    }
}

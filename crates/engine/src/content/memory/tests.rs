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
    let whole = rooms.reserve(&greedy, 192 * MIB).await.unwrap();
    let mut waiting: Vec<_> = (0..20).map(|_| Box::pin(rooms.reserve(&greedy, 192 * MIB))).collect();
    for next in &mut waiting {
        assert!(poll!(next).is_pending());
    }
    let small = rooms.reserve(&other, 8 * MIB).now_or_never().expect("a small one waits for no large one").unwrap();
    let mut large = Box::pin(rooms.reserve(&other, 100 * MIB));
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
    let whole = rooms.reserve(&greedy, 192 * MIB).await.unwrap();
    assert!(rooms.reserve_if_free(&other, 9 * MIB).now_or_never().unwrap().unwrap().is_none());
    let small = [(); 2].map(|()| rooms.reserve_if_free(&other, 8 * MIB).now_or_never().unwrap().unwrap().unwrap());
    let mut third = Box::pin(rooms.reserve_if_free(&other, 8 * MIB));
    assert!(poll!(&mut third).is_pending(), "half of the small room is held");
    drop((whole, small));
    assert!(poll!(&mut third).is_ready());
    let free = rooms.reserve_if_free(&other, 34 * MIB).now_or_never().unwrap().unwrap();
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
        [rooms.reserve_folder(&root, 8 * MIB).await.unwrap(), rooms.reserve_folder(&root, 8 * MIB).await.unwrap()];
    let mut delete = Box::pin(service.publisher().delete_skill(&user, &skill, PublishOptions::default()));
    let patience = Duration::from_millis(200);
    assert!(tokio::time::timeout(patience, &mut delete).await.is_err(), "there is no room for the folder");
    drop(held);
    delete.await.unwrap();
    let list = service.publisher().list_versions(&user, &skill, &VersionListRequest::default()).await.unwrap();
    assert_eq!(list.versions.len(), 1, "what others wrote is kept");
}

// S-BUDGET-1: Long work runs in a bounded pool, of which one user holds at most half.
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
    let held = [rooms.reserve(&greedy, 48 * MIB).await.unwrap(), rooms.reserve(&greedy, 48 * MIB).await.unwrap()];
    let mut third = Box::pin(rooms.reserve(&greedy, 9 * MIB));
    assert!(poll!(&mut third).is_pending());
    let half = rooms.reserve(&other, 96 * MIB).now_or_never().expect("the other half is for others").unwrap();
    drop(held);
    assert!(poll!(&mut third).is_ready());
    drop((third, half));
    drop(rooms.reserve(&greedy, 1000 * MIB).now_or_never().expect("what is larger takes all").unwrap());
    let (all, folder) = (rooms.reserve(&greedy, 192 * MIB).await.unwrap(), rooms.reserve_folder(&greedy, 128 * MIB));
    drop((folder.now_or_never().expect("folders have room of their own").unwrap(), all));
}

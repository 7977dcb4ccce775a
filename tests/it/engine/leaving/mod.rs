//! Users as a whole: who there is, an archive of one, and the end of one.

mod deletion;
mod export;

use std::sync::Arc;

use skillmount::{
    Code,
    handle::ServiceOptions,
    store::MemoryStore,
    wire::{UserList, UserListRequest},
};

use crate::support::{
    clock,
    world::{World, code},
};

/// A service over `memory`, with every layer but a saboteur.
fn over(memory: &Arc<MemoryStore>) -> World {
    World::undisturbed(memory.clone(), ServiceOptions::default(), clock())
}

async fn page(world: &World, limit: usize, cursor: Option<&str>) -> (Vec<String>, Option<String>) {
    let wanted = UserListRequest { limit: Some(limit), cursor: cursor.map(str::to_owned) };
    let UserList { users, next_cursor } = world.service.users().list_users(&wanted).await.unwrap();
    (users.into_iter().map(|user| user.user_id.to_string()).collect(), next_cursor)
}

// S-LEAVE-1: The users of a store are the users with objects in it, listed in pages.
#[tokio::test]
async fn users_are_listed_in_pages_and_other_folders_are_none() {
    let memory = Arc::new(MemoryStore::like_s3());
    for key in [
        "u1/skills/a/SKILL.md",
        "u1/threads/x",
        "u10/threads/x",
        "u1-b/threads/x",
        "_org/skills/a/SKILL.md",
        "_teams/t/skills/a/SKILL.md",
        "_deleted/u7",
        ".skillmount/probe",
        "no id/x",
        "u2",
        "zoe@example.com/x",
    ] {
        memory.put_raw(key, "x");
    }
    let world = over(&memory);
    let everybody = ["u1-b", "u1", "u10", "zoe@example.com"];
    assert_eq!(page(&world, 1000, None).await, (everybody.map(str::to_owned).into(), None));
    for limit in 1..=5 {
        let (mut all, mut cursor) = (Vec::new(), None);
        loop {
            let (users, next) = page(&world, limit, cursor.as_deref()).await;
            assert!(users.len() <= limit);
            all.extend(users);
            cursor = next;
            if cursor.is_none() {
                break;
            }
        }
        assert_eq!(all, everybody, "{limit} at once");
    }
    for limit in [0, 1001] {
        let wanted = UserListRequest { limit: Some(limit), cursor: None };
        assert_eq!(code(world.service.users().list_users(&wanted).await), Code::InvalidRequest);
    }
}

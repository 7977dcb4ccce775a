//! `put` and `delete`, and what their conditions promise.

use super::room::Room;
use crate::{DeleteOptions, ListOptions, PutCondition, StoreError, StoreResult};
use skillmount_base::path::ETag;

async fn delete(room: &Room, name: &str, if_match: Option<&ETag>) -> StoreResult<()> {
    room.store.delete(&room.key(name), DeleteOptions { if_match: if_match.cloned() }).await
}

pub(super) async fn a_put_replaces_the_whole(room: Room) {
    room.put("a", "a long first version").await;
    room.put("a", "short").await;
    assert_eq!(room.text("a").await.unwrap(), "short");
    assert_eq!(room.names().await, ["a"]);
}

pub(super) async fn every_version_has_its_own_tag(room: Room) {
    // Different texts, of one size: some stores make the tag from the content, others from time and size.
    let mut seen = std::collections::BTreeSet::new();
    for number in 100..120 {
        assert!(seen.insert(room.put("a", &number.to_string()).await), "{number}");
    }
}

pub(super) async fn create_only_refuses_what_exists(room: Room) {
    let etag = room.put_if("a", "first", PutCondition::IfAbsent).await.unwrap();
    let second = room.put_if("a", "second", PutCondition::IfAbsent).await;
    assert!(matches!(second, Err(StoreError::PreconditionFailed)), "{second:?}");
    assert_eq!(room.text("a").await.unwrap(), "first");
    delete(&room, "a", None).await.unwrap();
    room.put_if("a", "third", PutCondition::IfAbsent).await.unwrap();
    assert_ne!(room.store.head(&room.key("a")).await.unwrap().etag, etag);
}

pub(super) async fn an_update_needs_its_version(room: Room) {
    let first = room.put("a", "first").await;
    let second = room.put_if("a", "second", PutCondition::IfMatch(first.clone())).await.unwrap();
    let late = room.put_if("a", "late", PutCondition::IfMatch(first)).await;
    assert!(matches!(late, Err(StoreError::PreconditionFailed)), "{late:?}");
    assert_eq!(room.text("a").await.unwrap(), "second");
    room.put_if("a", "third", PutCondition::IfMatch(second)).await.unwrap();
    assert_eq!(room.text("a").await.unwrap(), "third");
}

pub(super) async fn an_update_of_what_was_deleted_is_not_found(room: Room) {
    let etag = room.put("a", "first").await;
    delete(&room, "a", None).await.unwrap();
    let update = room.put_if("a", "second", PutCondition::IfMatch(etag)).await;
    assert!(matches!(update, Err(StoreError::NotFound)), "{update:?}");
    assert!(matches!(room.text("a").await, Err(StoreError::NotFound)), "nothing comes back to life");
}

pub(super) async fn a_deleted_object_is_gone_from_every_verb(room: Room) {
    room.put("folder/a", "x").await;
    room.put("b", "x").await;
    delete(&room, "folder/a", None).await.unwrap();
    assert!(matches!(room.text("folder/a").await, Err(StoreError::NotFound)));
    assert!(matches!(room.store.head(&room.key("folder/a")).await, Err(StoreError::NotFound)));
    let page = room.list(ListOptions { delimiter: true, ..ListOptions::default() }).await;
    assert_eq!(page.folders, Vec::<String>::new(), "a folder without objects is none");
    assert_eq!(room.names().await, ["b"]);
}

pub(super) async fn a_missing_object_can_be_deleted(room: Room) {
    room.put("folder/a", "x").await;
    for name in ["missing", "no/such/folder", "folder"] {
        delete(&room, name, None).await.unwrap();
    }
    assert_eq!(room.names().await, ["folder/a"]);
}

pub(super) async fn a_conditional_delete_needs_its_version(room: Room) {
    let first = room.put("a", "first").await;
    let second = room.put("a", "second").await;
    let late = delete(&room, "a", Some(&first)).await;
    assert!(matches!(late, Err(StoreError::PreconditionFailed)), "{late:?}");
    assert_eq!(room.text("a").await.unwrap(), "second");
    delete(&room, "a", Some(&second)).await.unwrap();
    assert!(matches!(room.text("a").await, Err(StoreError::NotFound)));
}

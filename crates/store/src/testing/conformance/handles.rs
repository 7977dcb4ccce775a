//! Behaviours between two handles of one store. Two processes have such handles.

use bytes::Bytes;

use super::room::Room;
use crate::{DeleteOptions, GetOptions, ListOptions, Metadata, PutCondition, PutOptions, SharedStore, StoreError};

pub(super) async fn each_handle_sees_the_changes_of_the_other([one, other]: [Room; 2]) {
    assert_eq!(other.names().await, Vec::<String>::new(), "what this handle learns here, it must not go on believing");
    let first = one.put("folder/a", "first").await;
    assert_eq!(other.text("folder/a").await.unwrap(), "first");
    assert_eq!(other.store.head(&other.key("folder/a")).await.unwrap().etag, first);
    assert_eq!(other.names().await, ["folder/a"]);
    let second = other.put_if("folder/a", "second", PutCondition::IfMatch(first.clone())).await.unwrap();
    let late = one.put_if("folder/a", "late", PutCondition::IfMatch(first)).await;
    assert!(matches!(late, Err(StoreError::PreconditionFailed)), "{late:?}");
    assert_eq!(one.text("folder/a").await.unwrap(), "second");
    assert_eq!(one.store.head(&one.key("folder/a")).await.unwrap().etag, second);
    other.store.delete(&other.key("folder/a"), DeleteOptions::default()).await.unwrap();
    assert!(matches!(one.text("folder/a").await, Err(StoreError::NotFound)));
    assert!(matches!(one.store.head(&one.key("folder/a")).await, Err(StoreError::NotFound)));
    let page = one.list(ListOptions { delimiter: true, ..ListOptions::default() }).await;
    assert_eq!(page.folders, Vec::<String>::new());
}

pub(super) async fn one_of_two_creators_wins([one, other]: [Room; 2]) {
    for number in 0..20 {
        let name = format!("folder {number}/a");
        let (first, second) = tokio::join!(one.creates(&name, "one"), other.creates(&name, "other"));
        assert_ne!(first, second, "of {name}");
        let winner = if first { "one" } else { "other" };
        assert_eq!((one.text(&name).await.unwrap(), other.text(&name).await.unwrap()), (winner.into(), winner.into()));
    }
}

/// Handles of other behaviours are gone by now, so no handle is open in between.
pub(super) async fn objects_outlive_their_handle(first: Room, open: impl Fn() -> SharedStore) {
    let metadata = Metadata::from([("author".to_owned(), "u1".to_owned())]);
    let options = PutOptions { metadata: metadata.clone(), ..PutOptions::default() };
    let bytes = Bytes::from_static(b"text");
    let etag = first.store.put(&first.key("folder/a"), bytes.clone(), options).await.unwrap().etag;
    let Room { store, prefix } = first;
    drop(store);
    let later = Room { store: open(), prefix };
    let object = later.get("folder/a", GetOptions::default()).await.unwrap();
    assert_eq!((object.bytes, object.meta.etag, object.meta.metadata), (bytes, etag.clone(), metadata));
    assert_eq!(later.names().await, ["folder/a"]);
    later.put_if("folder/a", "newer", PutCondition::IfMatch(etag.clone())).await.unwrap();
    assert_ne!(later.store.head(&later.key("folder/a")).await.unwrap().etag, etag);
}

//! `get` and `head`.

use bytes::Bytes;

use super::room::Room;
use crate::{GetOptions, Metadata, PutOptions, StoreError};
use skillmount_base::path::ETag;

fn range(start: u64, end: u64) -> GetOptions {
    GetOptions::range(start..end)
}

pub(super) async fn what_was_put_comes_back(room: Room) {
    for text in ["", "x", "líneas\r\n\0fin"] {
        let etag = room.put("a", text).await;
        let object = room.get("a", GetOptions::default()).await.unwrap();
        assert_eq!(object.bytes, text.as_bytes());
        assert_eq!((object.meta.size, &object.meta.etag), (text.len() as u64, &etag));
        assert!(object.is_whole());
        let head = room.store.head(&room.key("a")).await.unwrap();
        assert_eq!((head.size, head.etag), (text.len() as u64, etag));
    }
}

pub(super) async fn what_is_missing_is_not_found(room: Room) {
    room.put("folder/a", "x").await;
    for name in ["missing", "folder", "folder/a2", "no/such/folder"] {
        assert!(matches!(room.text(name).await, Err(StoreError::NotFound)), "get {name}");
        assert!(matches!(room.store.head(&room.key(name)).await, Err(StoreError::NotFound)), "head {name}");
    }
}

pub(super) async fn a_range_gives_its_bytes(room: Room) {
    let etag = room.put("a", "0123456789").await;
    for (start, end) in [(0, 1), (0, 10), (3, 7), (9, 10)] {
        let object = room.get("a", range(start, end)).await.unwrap();
        let wanted = &"0123456789"[usize::try_from(start).unwrap()..usize::try_from(end).unwrap()];
        assert_eq!(object.bytes, wanted.as_bytes());
        assert_eq!((object.range, object.meta.size), (start..end, 10));
        assert_eq!(object.meta.etag, etag);
    }
}

pub(super) async fn a_range_past_the_end_is_cut_or_refused(room: Room) {
    room.put("a", "0123456789").await;
    let cut = room.get("a", range(8, 99)).await.unwrap();
    assert_eq!((cut.bytes.as_ref(), cut.range), (b"89".as_slice(), 8..10));
    for start in [10, 11, 1 << 40] {
        assert!(matches!(room.get("a", range(start, start + 5)).await, Err(StoreError::RangeNotSatisfiable)));
    }
}

pub(super) async fn the_start_of_an_empty_object_is_no_bytes(room: Room) {
    room.put("a", "").await;
    let object = room.get("a", range(0, 32)).await.unwrap();
    assert_eq!((object.bytes.len(), object.range.clone(), object.meta.size), (0, 0..0, 0));
    assert!(object.is_whole());
    assert!(matches!(room.get("a", range(1, 32)).await, Err(StoreError::RangeNotSatisfiable)));
}

pub(super) async fn a_pinned_get_gives_that_version_or_none(room: Room) {
    let old = room.put("a", "old").await;
    assert_eq!(room.get("a", GetOptions::pinned(old.clone())).await.unwrap().bytes, "old");
    let new = room.put("a", "newer").await;
    // A layer that still has the old version may return it. No layer may return another version.
    match room.get("a", GetOptions::pinned(old.clone())).await {
        Ok(object) => assert_eq!((object.bytes.as_ref(), object.meta.etag), (b"old".as_slice(), old)),
        Err(error) => assert!(matches!(error, StoreError::PreconditionFailed), "{error:?}"),
    }
    let part = GetOptions { range: Some(3..9), ..GetOptions::pinned(new) };
    assert_eq!(room.get("a", part).await.unwrap().bytes, "er");
    let missing = room.get("missing", GetOptions::pinned(ETag::new("none"))).await;
    assert!(matches!(missing, Err(StoreError::NotFound | StoreError::PreconditionFailed)), "{missing:?}");
}

pub(super) async fn an_unchanged_version_is_not_modified(room: Room) {
    let etag = room.put("a", "one").await;
    let unless = GetOptions { if_none_match: Some(etag), ..GetOptions::default() };
    assert!(matches!(room.get("a", unless.clone()).await, Err(StoreError::NotModified)));
    room.put("a", "two").await;
    assert_eq!(room.get("a", unless).await.unwrap().bytes, "two");
}

pub(super) async fn a_remembered_get_gives_a_version_there_was(room: Room) {
    room.put("a", "one").await;
    room.put("a", "two").await;
    let remembered = GetOptions { remembered: true, ..GetOptions::default() };
    assert_eq!(room.get("a", remembered.clone()).await.unwrap().bytes, "two", "this process wrote it");
    assert!(matches!(room.get("missing", remembered).await, Err(StoreError::NotFound)));
}

pub(super) async fn metadata_comes_back_and_goes_with_its_version(room: Room) {
    let metadata = Metadata::from([
        ("skillmount-write-id".to_owned(), "0123456789abcdef".to_owned()),
        ("long".to_owned(), "v".repeat(1200)),
    ]);
    let key = room.key("a");
    let options = PutOptions { metadata: metadata.clone(), ..PutOptions::default() };
    room.store.put(&key, Bytes::from_static(b"x"), options).await.unwrap();
    assert_eq!(room.get("a", GetOptions::default()).await.unwrap().meta.metadata, metadata);
    assert_eq!(room.get("a", range(0, 1)).await.unwrap().meta.metadata, metadata);
    assert_eq!(room.store.head(&key).await.unwrap().metadata, metadata);
    room.put("a", "without").await;
    assert_eq!(room.store.head(&key).await.unwrap().metadata, Metadata::new());
    assert_eq!(room.get("a", GetOptions::default()).await.unwrap().meta.metadata, Metadata::new());
}

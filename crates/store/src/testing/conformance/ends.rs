//! Tags, and removing versions for good.

use super::room::Room;
use crate::{GetOptions, PutOptions, StoreError, Tags};

fn tags(value: &str) -> Tags {
    [("skillmount".to_owned(), value.to_owned())].into()
}

/// Tags are set with a put and afterwards, and leave the object what it is.
pub(super) async fn tags_leave_their_object_as_it_is(room: Room) {
    let options = PutOptions::default().with_tags(tags("session"));
    let put = room.store.put(&room.key("tagged"), "text".into(), options).await.unwrap();
    room.store.tag(&room.key("tagged"), tags("other")).await.unwrap();
    let object = room.get("tagged", GetOptions::pinned(put.etag)).await.unwrap();
    assert_eq!(object.bytes, "text");
    let missing = room.store.tag(&room.key("missing"), tags("x")).await;
    assert!(matches!(missing, Err(StoreError::NotFound)), "{missing:?}");
}

/// A purge removes the objects below its prefix, and no others, and says which.
pub(super) async fn a_purge_removes_what_is_below_its_prefix(room: Room) {
    for name in ["u1/a", "u1/b/c", "u10/a", "u"] {
        room.put(name, "text").await;
    }
    room.put("u1/a", "new text").await;
    let within = room.prefix.folder("u1").unwrap();
    let mut objects = Vec::new();
    loop {
        let purged = room.store.purge(&within).await.unwrap();
        assert!(purged.failed.is_none(), "{purged:?}");
        objects.extend(purged.removed.into_iter().filter(|version| version.is_object));
        if !purged.has_more {
            break;
        }
    }
    let mut removed: Vec<_> = objects.iter().map(|version| (room.name(&version.key), version.size)).collect();
    removed.sort();
    assert_eq!(removed, [("u1/a".to_owned(), 8), ("u1/b/c".to_owned(), 4)]);
    assert_eq!(room.names().await, ["u", "u10/a"]);
    assert!(room.text("u1/a").await.is_err());
    let nothing = room.store.purge(&within).await.unwrap();
    assert!(nothing.removed.is_empty() && !nothing.has_more, "{nothing:?}");
    room.put("u1/a", "again").await;
    assert_eq!(room.text("u1/a").await.unwrap(), "again");
}

//! Keys that lesser code would fold, decode or split.

use super::room::Room;
use crate::{DeleteOptions, FileAndFolder, PutCondition, StoreError, StoreResult};
use skillmount_base::path::ETag;

const NAMES: &[&str] = &[
    " leading and trailing ",
    "%2F",
    "%2f",
    "+",
    "...",
    "..dots..",
    ".hidden",
    "Case",
    "[...slug].ts",
    "a&b=c;d?e#f",
    "a+b",
    "a b",
    "a,b:c@d$e!f",
    "case",
    "caf\u{e9}",
    "cafe\u{301}",
    "quote'd \"twice\" <tag>",
    "{brace} (paren) *star* ~tilde |pipe| ^",
    "\u{65e5}\u{672c}\u{8a9e}",
    "\u{1f680} rocket",
];

pub(super) async fn every_legal_name_is_a_key_of_its_own(room: Room) {
    for name in NAMES {
        room.put(name, name).await;
        room.put(&format!("folder of {name}/{name}"), name).await;
    }
    for name in NAMES {
        assert_eq!(room.text(name).await.unwrap(), *name);
        assert_eq!(room.text(&format!("folder of {name}/{name}")).await.unwrap(), *name);
    }
    let mut wanted: Vec<_> = NAMES.iter().map(|name| (*name).to_owned()).collect();
    wanted.extend(NAMES.iter().map(|name| format!("folder of {name}/{name}")));
    wanted.sort_unstable();
    assert_eq!(room.names().await, wanted);
    let longest = "n".repeat(255);
    room.put(&longest, "x").await;
    assert_eq!(room.text(&longest).await.unwrap(), "x");
}

// S-TREE-4: One suite holds every store and store layer to the same tree, and excuses only a lack that the store
// declares.
pub(super) async fn a_file_and_a_folder_of_one_name(room: Room) {
    room.put("a/b", "below").await;
    room.put("c", "file").await;
    if room.can().file_and_folder == FileAndFolder::Held {
        for name in ["a", "c/d"] {
            let beside = room.put_if(name, "beside", PutCondition::Always).await;
            assert!(
                beside.is_ok(),
                "{beside:?}: the store declares Held; hold both, or declare FileAndFolder::Refused"
            );
        }
        assert_eq!(room.names().await, ["a", "a/b", "c", "c/d"]);
        return;
    }
    for condition in [PutCondition::Always, PutCondition::IfAbsent] {
        let onto_folder = room.put_if("a", "x", condition.clone()).await;
        assert!(matches!(onto_folder, Err(StoreError::IsFolder)), "{}", advice(&room, "IsFolder", &onto_folder));
        for name in ["c/d", "c/d/e"] {
            let below_file = room.put_if(name, "x", condition.clone()).await;
            let Err(StoreError::BelowFile(file)) = below_file else {
                panic!("{}", advice(&room, "BelowFile", &below_file))
            };
            assert_eq!(file, room.key("c").as_str());
        }
    }
    assert_eq!(room.names().await, ["a/b", "c"]);
    assert_eq!(room.text("a/b").await.unwrap(), "below");
    assert_eq!(room.text("c").await.unwrap(), "file");
    // Once it is gone, the other may come.
    for name in ["a/b", "c"] {
        room.store.delete(&room.key(name), DeleteOptions::default()).await.unwrap();
    }
    room.put("a", "file").await;
    room.put("c/d", "below").await;
    assert_eq!(room.names().await, ["a", "c/d"]);
}

/// The message for an answer that would be right if the store declared something else.
fn advice(room: &Room, refusal: &str, answer: &StoreResult<ETag>) -> String {
    let declared = room.can().file_and_folder;
    format!("{answer:?}: the store declares {declared:?}; refuse with {refusal}, or declare FileAndFolder::Held")
}

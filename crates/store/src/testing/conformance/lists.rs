//! `list`: order, prefixes, folders and pages.

use futures_util::{StreamExt as _, stream};

use super::room::Room;
use crate::{ListOptions, ListPage, PageToken, StoreError, StoreExt as _};

/// Sorted by bytes; `-` and `.` come before the `/` of a folder, digits and letters after.
const TREE: &[&str] = &["a-b", "a.txt", "a/b", "a/c/d", "a0", "b/c/d/e", "b/d", "c", "\u{e9}", "\u{10000}"];

async fn plant(room: &Room, names: &[&str]) {
    for name in names {
        room.put(name, name).await;
    }
}

/// All pages of a listing: names of objects, folders ending in `/`, and how many pages there were.
async fn pages(room: &Room, mut options: ListOptions) -> (Vec<String>, usize) {
    let mut names = Vec::new();
    for number in 1.. {
        let page = room.list(options.clone()).await;
        let entries = page.objects.len() + page.folders.len();
        assert!(entries <= options.max_entries.unwrap_or(1000), "{entries} entries");
        let mut here: Vec<_> = page.objects.iter().map(|entry| room.name(&entry.key)).collect();
        here.extend(page.folders.iter().map(|folder| room.name(folder)));
        here.sort_unstable();
        names.extend(here);
        if page.next.is_none() {
            return (names, number);
        }
        options.page = page.next;
    }
    unreachable!("pages are counted without end")
}

pub(super) async fn a_listing_is_in_byte_order(room: Room) {
    let mut planted = TREE.to_vec();
    planted.reverse();
    plant(&room, &planted).await;
    assert!(TREE.is_sorted());
    assert_eq!(room.names().await, TREE);
}

pub(super) async fn a_prefix_ends_at_a_segment(room: Room) {
    plant(&room, &["u1/a", "u10/a", "u1x", "u1/b/c"]).await;
    let inside = Room { prefix: room.prefix.folder("u1").unwrap(), ..room.clone() };
    assert_eq!(inside.names().await, ["a", "b/c"]);
    for empty in ["u", "u1/a", "missing", "u1/b/c/d"] {
        let inside = Room { prefix: room.prefix.folder(empty).unwrap(), ..room.clone() };
        assert_eq!(inside.list(ListOptions::default()).await, ListPage::default(), "{empty}");
    }
}

pub(super) async fn folders_are_rolled_up(room: Room) {
    plant(&room, TREE).await;
    let page = room.list(ListOptions { delimiter: true, ..ListOptions::default() }).await;
    let objects: Vec<_> = page.objects.iter().map(|entry| room.name(&entry.key)).collect();
    let folders: Vec<_> = page.folders.iter().map(|folder| room.name(folder)).collect();
    assert_eq!(objects, ["a-b", "a.txt", "a0", "c", "\u{e9}", "\u{10000}"]);
    assert_eq!(folders, ["a/", "b/"]);
    assert_eq!(page.next, None);
    let inside = Room { prefix: room.prefix.folder("b").unwrap(), ..room.clone() };
    let (names, _) = pages(&inside, ListOptions { delimiter: true, ..ListOptions::default() }).await;
    assert_eq!(names, ["c/", "d"]);
}

pub(super) async fn pages_join_to_the_whole(room: Room) {
    plant(&room, TREE).await;
    for delimiter in [false, true] {
        let (whole, one) = pages(&room, ListOptions { delimiter, ..ListOptions::default() }).await;
        assert_eq!(one, 1);
        for most in 1..=3 {
            let options = ListOptions { delimiter, max_entries: Some(most), ..ListOptions::default() };
            let (joined, number) = pages(&room, options).await;
            assert_eq!(joined, whole, "pages of {most}, delimiter {delimiter}");
            // A store may say "more" after a full page and then have nothing.
            assert!((whole.len().div_ceil(most)..=whole.len() / most + 1).contains(&number), "{number} pages");
        }
    }
}

pub(super) async fn a_listing_starts_after_a_key(room: Room) {
    plant(&room, TREE).await;
    for (after, first) in [("a-b", 1), ("a-c", 1), ("a/b", 3), ("a/bb", 3), ("a0", 5), ("\u{10000}", TREE.len())] {
        let start_after = Some(room.key(after).as_str().to_owned());
        for max_entries in [None, Some(2)] {
            let options = ListOptions { start_after: start_after.clone(), max_entries, ..ListOptions::default() };
            assert_eq!(pages(&room, options).await.0, TREE[first..], "after {after}");
        }
    }
}

pub(super) async fn a_listing_knows_what_head_knows(room: Room) {
    plant(&room, &["a", "b/c"]).await;
    for entry in room.list(ListOptions::default()).await.objects {
        let head = room.store.head(&room.prefix.admit(&entry.key).unwrap()).await.unwrap();
        assert_eq!((entry.size, &entry.etag), (head.size, &head.etag));
        assert!(
            (entry.modified_at.as_second() - head.modified_at.as_second()).abs() <= 1,
            "S3 heads have seconds only"
        );
    }
}

pub(super) async fn a_thousand_and_one_keys_take_two_pages(room: Room) {
    let names: Vec<_> = (0..1001).map(|number| format!("k{number:04}")).collect();
    stream::iter(&names).for_each_concurrent(32, |name| async { drop(room.put(name, "x").await) }).await;
    let page = room.list(ListOptions::default()).await;
    assert_eq!(page.objects.len(), 1000);
    assert!(page.next.is_some());
    let of_more = room.list(ListOptions { max_entries: Some(5000), ..ListOptions::default() }).await;
    assert_eq!(of_more.objects.len(), 1000, "a page has 1,000 entries at most, whatever the caller asks for");
    assert_eq!(room.names().await, names);
    assert_eq!(pages(&room, ListOptions::default()).await.1, 2);
    let (entries, more) = room.store.list_all(&room.prefix, 1000).await.unwrap();
    assert_eq!((entries.len(), more), (1000, true));
}

pub(super) async fn a_page_token_of_another_store_is_refused(room: Room) {
    plant(&room, TREE).await;
    let page = Some(PageToken("no store gives this".to_owned()));
    let listed = room.store.list(&room.prefix, ListOptions { page, ..ListOptions::default() }).await;
    assert!(matches!(listed, Err(StoreError::Unsupported(_))), "{listed:?}");
}

/// Behind another handle a token continues its listing, or is refused. It never leaves out or repeats an entry.
pub(super) async fn a_page_token_of_one_handle_is_understood_or_refused([one, other]: [Room; 2]) {
    plant(&one, TREE).await;
    let options = ListOptions { max_entries: Some(4), ..ListOptions::default() };
    let page = one.list(options.clone()).await.next;
    assert!(page.is_some());
    match other.store.list(&other.prefix, ListOptions { page, ..options }).await {
        Ok(page) => {
            let names: Vec<_> = page.objects.iter().map(|entry| other.name(&entry.key)).collect();
            assert_eq!(names, TREE[4..8]);
        }
        Err(error) => assert!(matches!(error, StoreError::Unsupported(_)), "{error:?}"),
    }
}

//! Walks that wait for their next page, so that a folder of a hundred thousand files is read and sorted once and not
//! once for each thousand.
//!
//! The token of a page names its walk. A walk is kept for a few seconds and within a budget of bytes. If it is gone, or
//! if another process made the token, the folders are read again from the key in the token. So a page may lack a file
//! that was made after its listing began, as on S3, and no page is older than [`LISTING_AGE`].

use std::sync::{
    Mutex, PoisonError,
    atomic::{AtomicU64, Ordering},
};

use tokio::time::Instant;

use super::walk::Walk;
use crate::{PageToken, StoreResult, rules::foreign_token};
use skillmount_base::{
    limits::{LISTING_AGE, LISTINGS_BYTES},
    path::KeyPrefix,
};

/// Separates the parts of a token: the last key of the page, this, and the number of the walk. No file name contains
/// it.
const SEPARATOR: char = '\0';

/// The waiting walks.
#[derive(Debug, Default)]
pub(super) struct Listings {
    begun: AtomicU64,
    kept: Mutex<Vec<WaitingWalk>>,
}

#[derive(Debug)]
struct WaitingWalk {
    number: u64,
    ended: String,
    question: WalkQuery,
    walk: Walk,
}

/// The listing of the walk. A token of one listing is of no use to another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct WalkQuery {
    pub(super) prefix: KeyPrefix,
    pub(super) delimiter: bool,
}

/// The end of a page.
#[derive(Debug)]
pub(super) struct PageEnd {
    /// The number of its walk.
    pub(super) number: u64,
    /// The last key, or the text that follows all keys of the last folder.
    pub(super) ended: String,
}

impl PageEnd {
    /// Reads a token of this store, and refuses another.
    pub(super) fn from_token(PageToken(token): &PageToken) -> StoreResult<Self> {
        let parts = token.rsplit_once(SEPARATOR);
        let end = parts.and_then(|(ended, number)| Some((ended, number.parse().ok()?)));
        end.map(|(ended, number)| Self { number, ended: ended.to_owned() }).ok_or_else(foreign_token)
    }
}

impl Listings {
    /// The number of a new walk.
    pub(super) fn begin(&self) -> u64 {
        self.begun.fetch_add(1, Ordering::Relaxed)
    }

    /// The walk that continues at `place`, if it is still there.
    pub(super) fn take(&self, question: &WalkQuery, place: &PageEnd) -> Option<Walk> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let is_it =
            |kept: &WaitingWalk| kept.number == place.number && kept.ended == place.ended && kept.question == *question;
        let at = kept.iter().position(is_it)?;
        let found = kept.swap_remove(at);
        is_young(&found.walk).then_some(found.walk)
    }

    /// Keeps `walk` with its `number` for the page after `ended`, and returns that page's token.
    pub(super) fn keep(&self, number: u64, question: WalkQuery, ended: String, walk: Walk) -> PageToken {
        let token = PageToken(format!("{ended}{SEPARATOR}{number}"));
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.push(WaitingWalk { number, ended, question, walk });
        kept.retain(|kept| is_young(&kept.walk));
        while kept.iter().map(|kept| kept.walk.bytes()).sum::<usize>() > LISTINGS_BYTES {
            let Some(oldest) = (0..kept.len()).min_by_key(|at| kept.get(*at).map(|kept| kept.walk.began())) else {
                break;
            };
            kept.swap_remove(oldest);
        }
        token
    }
}

fn is_young(walk: &Walk) -> bool {
    Instant::now().saturating_duration_since(walk.began()) < LISTING_AGE
}

#[cfg(test)]
mod tests {
    use std::{fs, sync::Arc};

    use tempfile::TempDir;

    use super::*;
    use crate::{DirectoryStore, ListOptions, ListPage, Store, directory::list::begin_walk};
    use skillmount_base::clock::SystemClock;

    /// A folder `f` with so many empty files, on a disk in memory if the system has one.
    fn folder_of(files: usize) -> (TempDir, DirectoryStore) {
        let folder = TempDir::new_in("/dev/shm").or_else(|_| TempDir::new()).unwrap();
        fs::create_dir(folder.path().join("f")).unwrap();
        for number in 0..files {
            fs::write(folder.path().join(format!("f/{number:06}")), "").unwrap();
        }
        let store = DirectoryStore::open(folder.path(), Arc::new(SystemClock::new())).unwrap();
        (folder, store)
    }

    fn folders_read(store: &DirectoryStore) -> u64 {
        store.disk.folders_read.load(Ordering::Relaxed)
    }

    async fn page(store: &DirectoryStore, after: Option<&ListPage>, most: usize) -> ListPage {
        let page = after.map(|page| page.next.clone().expect("there is another page"));
        let options = ListOptions { page, max_entries: Some(most), ..ListOptions::default() };
        store.list(&KeyPrefix::all().folder("f").unwrap(), options).await.unwrap()
    }

    fn names(page: &ListPage) -> Vec<&str> {
        page.objects.iter().map(|entry| entry.key.trim_start_matches("f/0000")).collect()
    }

    // S-STORE-5: The service reads a folder once for all pages of its listing.
    #[tokio::test]
    async fn a_folder_is_read_once_for_all_pages_of_a_listing() {
        let (_folder, store) = folder_of(10_001);
        let (mut seen, mut pages, mut last) = (Vec::new(), 0, None);
        loop {
            let next = page(&store, last.as_ref(), 1000).await;
            seen.extend(next.objects.iter().map(|entry| entry.key.clone()));
            pages += 1;
            if next.next.is_none() {
                break;
            }
            last = Some(next);
        }
        assert_eq!((pages, seen.len(), seen.is_sorted()), (11, 10_001, true));
        assert_eq!(folders_read(&store), 1);
    }

    #[tokio::test]
    async fn listings_at_the_same_time_do_not_take_each_others_walk() {
        let (_folder, store) = folder_of(6);
        let (one, two) = (page(&store, None, 2).await, page(&store, None, 2).await);
        let (one, two) = (page(&store, Some(&one), 2).await, page(&store, Some(&two), 2).await);
        for listing in [&one, &two] {
            assert_eq!(names(listing), ["02", "03"]);
            assert_eq!(names(&page(&store, Some(listing), 2).await), ["04", "05"]);
        }
        assert_eq!(folders_read(&store), 2);
    }

    #[tokio::test]
    async fn what_changed_between_two_pages_is_listed_as_it_is_or_not_at_all() {
        let (folder, store) = folder_of(6);
        let first = page(&store, None, 2).await;
        fs::remove_file(folder.path().join("f/000002")).unwrap();
        fs::write(folder.path().join("f/000003"), "longer").unwrap();
        let second = page(&store, Some(&first), 2).await;
        assert_eq!((names(&second), second.objects[0].size), (vec!["03", "04"], 6));
    }

    #[tokio::test(start_paused = true)]
    async fn a_walk_that_is_too_old_or_unknown_is_begun_again_where_it_ended() {
        let (folder, store) = folder_of(6);
        let first = page(&store, None, 2).await;
        let elsewhere = DirectoryStore::open(folder.path(), Arc::new(SystemClock::new())).unwrap();
        assert_eq!(names(&page(&elsewhere, Some(&first), 2).await), ["02", "03"]);
        // Twice with one token, as a client that retries does.
        for folders in [1, 2] {
            assert_eq!(names(&page(&store, Some(&first), 2).await), ["02", "03"]);
            assert_eq!(folders_read(&store), folders);
        }
        let second = page(&store, Some(&first), 2).await;
        tokio::time::advance(LISTING_AGE).await;
        fs::write(folder.path().join("f/000004+"), "").unwrap();
        assert_eq!(names(&page(&store, Some(&second), 2).await), ["04", "04+"]);
    }

    #[tokio::test]
    async fn walks_that_wait_take_no_more_than_their_share_of_memory() {
        let (_folder, store) = folder_of(6);
        let listings = &store.disk.listings;
        let question = WalkQuery { prefix: KeyPrefix::all(), delimiter: false };
        for _ in 0..3 {
            let mut walk = begin_walk(&store.disk, &question, None).unwrap().unwrap();
            walk.weigh(LISTINGS_BYTES / 2);
            listings.keep(listings.begin(), question.clone(), "x".to_owned(), walk);
        }
        let place = |number| PageEnd { number, ended: "x".to_owned() };
        let kept: Vec<_> = (0..3).filter(|number| listings.take(&question, &place(*number)).is_some()).collect();
        assert_eq!(kept, [2], "two are over the budget by their names");
    }
}

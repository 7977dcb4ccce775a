//! The promises of every store, as one function for each behaviour.
//!
//! A behaviour fails by a panic, as any test does, so the author of a store sees the line of the failed assertion. Each
//! behaviour has a prefix of its own, so that several runs may share a bucket, and none depends on another.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "a behaviour fails by panicking, and a test shows what was printed before"
)]

mod ends;
mod handles;
mod lists;
mod names;
mod races;
mod reads;
mod room;
mod writes;

use self::room::Room;
use crate::SharedStore;
use skillmount_base::{
    clock::{Clock as _, SystemClock},
    path::KeyPrefix,
};

/// The result of [`conformance`]: the behaviours that a store has.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Conformance {
    /// The behaviours that hold, by name.
    pub passed: Vec<&'static str>,
    /// The behaviours that were not tried, because the [`Capabilities`](crate::Capabilities) of the store exclude them.
    pub excused: Vec<&'static str>,
}

impl Conformance {
    /// Announces the behaviour `name`, and makes a room for it. A behaviour that does not hold ends the run.
    fn begin(&mut self, store: &SharedStore, run: &KeyPrefix, name: &'static str) -> Room {
        println!("{name}");
        self.passed.push(name);
        Room::new(store, run, name)
    }
}

/// Holds `store` to every behaviour that one handle of a [`Store`](crate::Store) can show, in a new folder below
/// `within`. The objects that the suite writes there stay. [`conformance_of_two`] checks the behaviours between two
/// handles.
///
/// A store without a capability declares the lack in its [`Capabilities`](crate::Capabilities); nothing else excuses a behaviour. The name
/// of each behaviour is printed before it is tried. Run it in a test on a runtime with several threads, because some
/// behaviours need many tasks at once:
///
/// ```
/// use std::sync::Arc;
///
/// use skillmount_base::path::KeyPrefix;
/// use skillmount_store::{MemoryStore, testing::conformance};
///
/// # #[tokio::main]
/// # async fn main() {
/// let found = conformance(Arc::new(MemoryStore::new()), &KeyPrefix::all()).await;
/// assert!(found.passed.contains(&"one_of_many_creators_wins"));
/// assert!(found.excused.is_empty());
/// # }
/// ```
///
/// # Panics
/// At the first behaviour that does not hold.
pub async fn conformance(store: SharedStore, within: &KeyPrefix) -> Conformance {
    let run = new_folder(within);
    let mut found = Conformance::default();
    macro_rules! run {
        ($($topic:ident::$behaviour:ident),* $(,)?) => {$(
            let room = found.begin(&store, &run, stringify!($behaviour));
            $topic::$behaviour(room).await;
        )*};
    }
    run![
        reads::what_was_put_comes_back,
        reads::what_is_missing_is_not_found,
        reads::a_range_gives_its_bytes,
        reads::a_range_past_the_end_is_cut_or_refused,
        reads::the_start_of_an_empty_object_is_no_bytes,
        reads::a_pinned_get_gives_that_version_or_none,
        reads::an_unchanged_version_is_not_modified,
        reads::a_remembered_get_gives_a_version_there_was,
        reads::metadata_comes_back_and_goes_with_its_version,
        writes::a_put_replaces_the_whole,
        writes::every_version_has_its_own_tag,
        writes::create_only_refuses_what_exists,
        writes::an_update_needs_its_version,
        writes::an_update_of_what_was_deleted_is_not_found,
        writes::a_deleted_object_is_gone_from_every_verb,
        writes::a_missing_object_can_be_deleted,
        names::every_legal_name_is_a_key_of_its_own,
        names::a_file_and_a_folder_of_one_name,
        lists::a_listing_is_in_byte_order,
        lists::a_prefix_ends_at_a_segment,
        lists::folders_are_rolled_up,
        lists::pages_join_to_the_whole,
        lists::a_listing_starts_after_a_key,
        lists::a_listing_knows_what_head_knows,
        lists::a_thousand_and_one_keys_take_two_pages,
        lists::a_page_token_of_another_store_is_refused,
        races::one_of_many_creators_wins,
        races::no_increment_is_lost,
        races::a_reader_sees_old_or_new,
    ];
    if store.capabilities().conditional_delete {
        run![writes::a_conditional_delete_needs_its_version];
    } else {
        found.excused.push("a_conditional_delete_needs_its_version");
    }
    if store.capabilities().tags {
        run![ends::tags_leave_their_object_as_it_is];
    } else {
        found.excused.push("tags_leave_their_object_as_it_is");
    }
    if store.capabilities().versions {
        run![ends::a_purge_removes_what_is_below_its_prefix];
    } else {
        found.excused.push("a_purge_removes_what_is_below_its_prefix");
    }
    found
}

/// Holds the store that `open` opens to every behaviour that takes two handles: each sees the changes of the other, and
/// objects outlive the handle that wrote them. `open` is called several times, and each handle is dropped again.
///
/// As [`conformance`], it works in a new folder below `within` and is for a runtime with several threads:
///
/// ```
/// use std::sync::Arc;
///
/// use skillmount_base::{clock::SystemClock, path::KeyPrefix};
/// use skillmount_store::{DirectoryStore, SharedStore, testing::conformance_of_two};
///
/// # #[tokio::main]
/// # async fn main() {
/// let folder = tempfile::tempdir().unwrap();
/// let open = || -> SharedStore {
///     Arc::new(DirectoryStore::open(folder.path(), Arc::new(SystemClock::new())).unwrap())
/// };
/// let found = conformance_of_two(open, &KeyPrefix::all()).await;
/// assert!(found.passed.contains(&"objects_outlive_their_handle"));
/// # }
/// ```
///
/// # Panics
/// At the first behaviour that does not hold.
pub async fn conformance_of_two(open: impl Fn() -> SharedStore, within: &KeyPrefix) -> Conformance {
    let run = new_folder(within);
    let mut found = Conformance::default();
    macro_rules! run {
        ($($topic:ident::$behaviour:ident),* $(,)?) => {$(
            let one = found.begin(&open(), &run, stringify!($behaviour));
            let other = Room { store: open(), ..one.clone() };
            $topic::$behaviour([one, other]).await;
        )*};
    }
    run![
        handles::each_handle_sees_the_changes_of_the_other,
        handles::one_of_two_creators_wins,
        races::no_increment_of_two_handles_is_lost,
        lists::a_page_token_of_one_handle_is_understood_or_refused,
    ];
    let first = found.begin(&open(), &run, "objects_outlive_their_handle");
    handles::objects_outlive_their_handle(first, &open).await;
    found
}

fn new_folder(within: &KeyPrefix) -> KeyPrefix {
    within.folder(&format!("conformance-{:032x}", SystemClock::new().random())).unwrap()
}

//! What every store promises, as one function for each behaviour, run on every store and layer.
//!
//! A store that lacks something declares it in its [`Capabilities`]; nothing else excuses it. To hold another store
//! against the suite, call [`run_all`].

mod lists;
mod names;
mod races;
mod reads;
mod stores;
mod writes;

use std::sync::Arc;

use bytes::Bytes;
use skillmount::{
    path::{ETag, KeyPrefix, ObjectKey},
    store::{
        Capabilities, GetOptions, ListOptions, ListPage, Metadata, Object, PutCondition, PutOptions, SharedStore,
        StoreExt, StoreResult,
    },
};

use crate::support::clock;

/// A store and a prefix in it that no other behaviour uses.
#[derive(Clone)]
pub(crate) struct Room {
    store: SharedStore,
    prefix: KeyPrefix,
}

impl Room {
    fn can(&self) -> Capabilities {
        self.store.capabilities()
    }

    fn key(&self, name: &str) -> ObjectKey {
        self.prefix.key(name).unwrap()
    }

    async fn put(&self, name: &str, text: &str) -> ETag {
        self.put_if(name, text, PutCondition::Always).await.unwrap()
    }

    async fn put_if(&self, name: &str, text: &str, condition: PutCondition) -> StoreResult<ETag> {
        let options = PutOptions { condition, metadata: Metadata::new() };
        let bytes = Bytes::copy_from_slice(text.as_bytes());
        self.store.put(&self.key(name), bytes, options).await.map(|put| put.etag)
    }

    async fn get(&self, name: &str, options: GetOptions) -> StoreResult<Object> {
        self.store.get(&self.key(name), options).await
    }

    async fn text(&self, name: &str) -> StoreResult<String> {
        let object = self.get(name, GetOptions::default()).await?;
        assert!(object.is_whole());
        Ok(String::from_utf8(object.bytes.to_vec()).unwrap())
    }

    async fn list(&self, options: ListOptions) -> ListPage {
        self.store.list(&self.prefix, options).await.unwrap()
    }

    /// The names of all objects, below the room's prefix.
    async fn names(&self) -> Vec<String> {
        let (entries, more) = self.store.list_all(&self.prefix, 10_000).await.unwrap();
        assert!(!more);
        entries.iter().map(|entry| self.name(&entry.key)).collect()
    }

    fn name(&self, key: &str) -> String {
        self.prefix.relative(key).unwrap_or_else(|| panic!("{key} is not below {}", self.prefix)).to_owned()
    }
}

/// Holds `store` against every behaviour, in a new folder below `within`.
pub(crate) async fn run_all(store: SharedStore, within: &KeyPrefix) {
    let run = within.folder(&format!("conformance-{:032x}", clock().random())).unwrap();
    macro_rules! run {
        ($($topic:ident::$behaviour:ident),* $(,)?) => {$(
            println!("{}", stringify!($behaviour));
            $topic::$behaviour(Room { store: Arc::clone(&store), prefix: run.folder(stringify!($behaviour)).unwrap() }).await;
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
        writes::a_conditional_delete_needs_its_version,
        names::every_legal_name_is_a_key_of_its_own,
        names::a_file_and_a_folder_of_one_name,
        lists::a_listing_is_in_byte_order,
        lists::a_prefix_ends_at_a_segment,
        lists::folders_are_rolled_up,
        lists::pages_join_to_the_whole,
        lists::a_listing_starts_after_a_key,
        lists::a_listing_knows_what_head_knows,
        lists::a_thousand_and_one_keys_take_two_pages,
        races::one_of_many_creators_wins,
        races::no_increment_is_lost,
        races::a_reader_sees_old_or_new,
    ];
}

//! A catalog with its search index, which is built when it is first asked for and kept while the catalog says the same.
//!
//! An index takes about as much memory as the catalog it is made of, and most users never search; so indexes are kept
//! apart from catalogs, by how much they weigh.

use std::sync::Arc;

use moka::future::Cache;
use tokio::task;

use super::{
    entry::CatalogView,
    layers::Audience,
    search::{SearchDocument, SearchIndex},
};
use crate::{
    error::{Error, Result},
    limits::{SEARCH_INDEX_BYTES, SEARCH_INLINE_SKILLS},
};

/// A catalog and the index of its skills.
#[derive(Clone, Debug)]
pub struct Searchable {
    /// The catalog.
    pub view: Arc<CatalogView>,
    /// Its index.
    pub index: Arc<SearchIndex>,
}

/// The indexes this process keeps.
#[derive(Clone, Debug)]
pub(super) struct Indexes {
    kept: Cache<Audience, Searchable>,
}

impl Indexes {
    pub(super) fn new() -> Self {
        let weigher = |_: &Audience, kept: &Searchable| u32::try_from(kept.index.memory_bytes()).unwrap_or(u32::MAX);
        Self { kept: Cache::builder().weigher(weigher).max_capacity(SEARCH_INDEX_BYTES).build() }
    }

    /// The index of `view`: the one that is kept, where it was made of the same skills.
    pub(super) async fn of(&self, audience: &Audience, view: Arc<CatalogView>) -> Result<Searchable> {
        if let Some(kept) = self.kept.get(audience).await
            && kept.view.entries == view.entries
        {
            return Ok(Searchable { view, index: kept.index });
        }
        let index = Arc::new(build(view.clone()).await?);
        let made = Searchable { view, index };
        self.kept.insert(audience.clone(), made.clone()).await;
        Ok(made)
    }
}

async fn build(view: Arc<CatalogView>) -> Result<SearchIndex> {
    let is_small = view.entries.len() <= SEARCH_INLINE_SKILLS;
    let build = move || SearchIndex::build(view.entries.iter().map(|entry| SearchDocument::of(entry)));
    if is_small {
        return Ok(build());
    }
    task::spawn_blocking(build).await.map_err(Error::internal)
}

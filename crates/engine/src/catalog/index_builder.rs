//! Makes the views of audiences: merges layers and builds search indexes. Both are made on first use and kept until
//! the catalog changes.
//!
//! Each index is built once, however many callers ask. The build belongs to the callers that wait for it, and ends when
//! the last of them leaves. While a changed catalog is indexed again, the old index answers and no caller waits. A
//! small catalog is indexed at once.

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

use futures_util::{
    FutureExt as _,
    future::{BoxFuture, Shared, WeakShared},
};

use super::{
    audience_view::{AudienceView, IndexGenerations, MergedCatalog, Searchable},
    cache::CatalogCache,
    layers::{Audience, merge},
    view::CatalogView,
    weight,
};
use crate::words::SearchIndex;
use crate::{
    budget::{Job, WorkBudget, Workers},
    error::Result,
    limits::{CATALOG_INLINE_BYTES, WORK_STEPS},
};

type Build = Shared<BoxFuture<'static, Result<Searchable>>>;

/// Makes and keeps audience views. Cheap to clone.
#[derive(Clone, Debug)]
pub(super) struct IndexBuilder {
    pub(super) kept: Arc<CatalogCache>,
    pub(super) workers: Workers,
    /// The number of indexes built.
    pub(super) builds: Arc<AtomicU64>,
}

impl IndexBuilder {
    /// Merges `parts`, nearest first, into the one catalog of `audience_view`.
    pub(super) async fn merged(
        &self,
        audience_view: &Arc<AudienceView>,
        audience: &Audience,
        parts: Vec<Arc<CatalogView>>,
    ) -> Result<Arc<CatalogView>> {
        let mut merged = audience_view.merged.lock().await;
        let is_same = |merged: &&MergedCatalog| {
            merged.parts.len() == parts.len() && merged.parts.iter().zip(&parts).all(|(one, two)| Arc::ptr_eq(one, two))
        };
        if let Some(merged) = merged.as_ref().filter(is_same) {
            return Ok(merged.whole.clone());
        }
        let whole = if parts.iter().all(|part| is_small(part)) {
            merge(&parts)
        } else {
            let parts = parts.clone();
            self.errand(audience).run(move |_| Ok(merge(&parts))).await?
        };
        let whole = Arc::new(whole);
        // An entry that hides others is a copy.
        let copies = whole.entries.iter().filter(|entry| !entry.shadows.is_empty());
        let bytes = weight::of_view(&whole) + copies.map(|entry| weight::of_entry(entry)).sum::<usize>();
        audience_view.merged_bytes.store(u64::try_from(bytes).unwrap_or(u64::MAX), Ordering::Relaxed);
        *merged = Some(MergedCatalog { parts, whole: whole.clone() });
        self.kept.weigh_audience(audience, audience_view, audience_view.bytes());
        Ok(whole)
    }

    /// Returns `view` with its index, or with the index of the previous catalog while its own is built.
    pub(super) async fn searchable(
        &self,
        audience_view: &Arc<AudienceView>,
        audience: &Audience,
        view: Arc<CatalogView>,
    ) -> Result<Searchable> {
        let (before, build) = {
            let mut indexed = audience_view.indexed();
            if let Some(built) = indexed.built.as_mut().filter(|built| built.view.entries == view.entries) {
                // The next comparison compares pointers.
                built.view = view;
                return Ok(built.clone());
            }
            let under_way = indexed.building.as_ref().and_then(WeakShared::upgrade);
            let build = under_way.unwrap_or_else(|| {
                let build = self.clone().build(audience_view.clone(), audience.clone(), view.clone());
                indexed.building = build.downgrade();
                build
            });
            (indexed.built.clone(), build)
        };
        let index = match before {
            Some(before) if !is_small(&view) => {
                tokio::spawn(build);
                before.index
            }
            _ => build.await?.index,
        };
        Ok(Searchable { view, index, meaning: None })
    }

    fn build(self, audience_view: Arc<AudienceView>, audience: Audience, view: Arc<CatalogView>) -> Build {
        let build = async move {
            let index = if is_small(&view) {
                index(&view, &WorkBudget::of_steps(WORK_STEPS))?
            } else {
                let view = view.clone();
                self.errand(&audience).run(move |work| index(&view, work)).await?
            };
            self.builds.fetch_add(1, Ordering::Relaxed);
            let made = Searchable { view, index: Arc::new(index), meaning: None };
            *audience_view.indexed() = IndexGenerations { built: Some(made.clone()), building: None };
            self.kept.weigh_audience(&audience, &audience_view, audience_view.bytes());
            Ok(made)
        };
        build.boxed().shared()
    }

    fn errand(&self, audience: &Audience) -> Job {
        self.workers.errand(audience.user.as_str(), WORK_STEPS)
    }
}

fn index(view: &CatalogView, work: &WorkBudget) -> Result<SearchIndex> {
    let documents = view.entries.iter().map(|entry| entry.search_document());
    SearchIndex::build_within(documents, work)
        .map_err(|stop| stop.into_error("the catalog is too large to be searched"))
}

/// Whether a catalog is small enough to be processed on the calling thread.
fn is_small(view: &CatalogView) -> bool {
    let mut bytes = 0;
    view.entries.iter().all(|entry| {
        bytes += weight::of_entry(entry);
        bytes <= CATALOG_INLINE_BYTES
    })
}

//! The view of one audience: its layers merged, and their search index. Both are made on first use and kept until the
//! catalog changes.
//!
//! Each index is built once, however many callers ask. The build belongs to the callers that wait for it, and ends when
//! the last of them leaves. While a changed catalog is indexed again, the old index answers and no caller waits. A
//! small catalog is indexed at once.

use std::sync::{
    Arc, Mutex, MutexGuard, PoisonError,
    atomic::{AtomicU64, Ordering},
};

use futures_util::{
    FutureExt as _,
    future::{BoxFuture, Shared, WeakShared},
};

use super::{
    cache::CatalogCache,
    entry::CatalogView,
    layers::{Audience, merge},
    search::{SearchDocument, SearchIndex},
    weight,
};
use crate::{
    budget::{Errand, Work, Workers},
    error::Result,
    limits::{CATALOG_INLINE_BYTES, WORK_STEPS},
};

/// A catalog and an index of its skills. While a changed catalog is indexed, the index is that of the previous catalog.
#[derive(Clone, Debug)]
pub struct Searchable {
    /// The catalog.
    pub view: Arc<CatalogView>,
    /// Its index.
    pub index: Arc<SearchIndex>,
}

/// The merged catalog and the index of one audience.
#[derive(Debug, Default)]
pub(super) struct Outlook {
    merged: tokio::sync::Mutex<Option<Merged>>,
    merged_bytes: AtomicU64,
    indexed: Mutex<Indexed>,
}

/// A merged catalog and the views that it was made of.
#[derive(Debug)]
struct Merged {
    parts: Vec<Arc<CatalogView>>,
    whole: Arc<CatalogView>,
}

type Build = Shared<BoxFuture<'static, Result<Searchable>>>;

#[derive(Debug, Default)]
struct Indexed {
    built: Option<Searchable>,
    /// The build under way. The callers that wait for it keep it alive.
    building: Option<WeakShared<BoxFuture<'static, Result<Searchable>>>>,
}

/// Makes and keeps outlooks. Cheap to clone.
#[derive(Clone, Debug)]
pub(super) struct Studio {
    pub(super) kept: Arc<CatalogCache>,
    pub(super) workers: Workers,
    /// The number of indexes built.
    pub(super) builds: Arc<AtomicU64>,
}

impl Studio {
    fn errand(&self, audience: &Audience) -> Errand {
        self.workers.errand(audience.user.as_str(), WORK_STEPS)
    }
}

impl Outlook {
    /// Merges `parts`, nearest first, into one catalog.
    pub(super) async fn merged(
        self: &Arc<Self>,
        studio: &Studio,
        audience: &Audience,
        parts: Vec<Arc<CatalogView>>,
    ) -> Result<Arc<CatalogView>> {
        let mut merged = self.merged.lock().await;
        let is_same = |merged: &&Merged| {
            merged.parts.len() == parts.len() && merged.parts.iter().zip(&parts).all(|(one, two)| Arc::ptr_eq(one, two))
        };
        if let Some(merged) = merged.as_ref().filter(is_same) {
            return Ok(merged.whole.clone());
        }
        let whole = if parts.iter().all(|part| is_small(part)) {
            merge(&parts)
        } else {
            let parts = parts.clone();
            studio.errand(audience).run(move |_| Ok(merge(&parts))).await?
        };
        let whole = Arc::new(whole);
        // An entry that hides others is a copy.
        let copies = whole.entries.iter().filter(|entry| !entry.shadows.is_empty());
        let bytes = weight::of_view(&whole) + copies.map(|entry| weight::of_entry(entry)).sum::<usize>();
        self.merged_bytes.store(u64::try_from(bytes).unwrap_or(u64::MAX), Ordering::Relaxed);
        *merged = Some(Merged { parts, whole: whole.clone() });
        studio.kept.weigh_outlook(audience, self, self.bytes());
        Ok(whole)
    }

    /// Returns `view` with its index, or with the index of the previous catalog while its own is built.
    pub(super) async fn searchable(
        self: &Arc<Self>,
        studio: &Studio,
        audience: &Audience,
        view: Arc<CatalogView>,
    ) -> Result<Searchable> {
        let (before, build) = {
            let mut indexed = self.indexed();
            if let Some(built) = indexed.built.as_mut().filter(|built| built.view.entries == view.entries) {
                // The next comparison compares pointers.
                built.view = view;
                return Ok(built.clone());
            }
            let under_way = indexed.building.as_ref().and_then(WeakShared::upgrade);
            let build = under_way.unwrap_or_else(|| {
                let build = self.clone().build(studio.clone(), audience.clone(), view.clone());
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
        Ok(Searchable { view, index })
    }

    fn build(self: Arc<Self>, studio: Studio, audience: Audience, view: Arc<CatalogView>) -> Build {
        let build = async move {
            let index = if is_small(&view) {
                index(&view, &Work::of_steps(WORK_STEPS))?
            } else {
                let view = view.clone();
                studio.errand(&audience).run(move |work| index(&view, work)).await?
            };
            studio.builds.fetch_add(1, Ordering::Relaxed);
            let made = Searchable { view, index: Arc::new(index) };
            *self.indexed() = Indexed { built: Some(made.clone()), building: None };
            studio.kept.weigh_outlook(&audience, &self, self.bytes());
            Ok(made)
        };
        build.boxed().shared()
    }

    /// About how many bytes it takes, without the layers.
    fn bytes(&self) -> u64 {
        let index = self.indexed().built.as_ref().map_or(0, |built| built.index.memory_bytes());
        self.merged_bytes.load(Ordering::Relaxed) + u64::try_from(index).unwrap_or(u64::MAX)
    }

    fn indexed(&self) -> MutexGuard<'_, Indexed> {
        self.indexed.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn index(view: &CatalogView, work: &Work) -> Result<SearchIndex> {
    let documents = view.entries.iter().map(|entry| SearchDocument::of(entry));
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

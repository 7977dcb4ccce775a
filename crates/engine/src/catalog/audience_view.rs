//! The view of one audience: its layers merged, and their search index. `index_builder` makes both.

use std::sync::{
    Arc, Mutex, MutexGuard, PoisonError,
    atomic::{AtomicU64, Ordering},
};

use futures_util::future::{BoxFuture, WeakShared};

use super::{vectors::CatalogVectors, view::CatalogView};
use crate::error::Result;
use crate::words::SearchIndex;

/// A catalog and an index of its skills. While a changed catalog is indexed, the index is that of the previous catalog.
#[derive(Clone, Debug)]
pub struct Searchable {
    /// The catalog.
    pub view: Arc<CatalogView>,
    /// Its index.
    pub index: Arc<SearchIndex>,
    /// The meaning of its skills, if there is an encoder and each skill has its vector.
    pub meaning: Option<Arc<CatalogVectors>>,
}

/// The merged catalog and the index of one audience.
#[derive(Debug, Default)]
pub(super) struct AudienceView {
    pub(super) merged: tokio::sync::Mutex<Option<MergedCatalog>>,
    /// The bytes of the merged catalog beside those of its layers.
    pub(super) merged_bytes: AtomicU64,
    indexed: Mutex<IndexGenerations>,
    meaning: Mutex<Option<Arc<CatalogVectors>>>,
}

/// A merged catalog and the views that it was made of.
#[derive(Debug)]
pub(super) struct MergedCatalog {
    pub(super) parts: Vec<Arc<CatalogView>>,
    pub(super) whole: Arc<CatalogView>,
}

/// The newest index, and the next one.
#[derive(Debug, Default)]
pub(super) struct IndexGenerations {
    pub(super) built: Option<Searchable>,
    /// The build under way. Waiting callers keep the build alive.
    pub(super) building: Option<WeakShared<BoxFuture<'static, Result<Searchable>>>>,
}

impl AudienceView {
    /// About how many bytes it takes, without the layers.
    pub(super) fn bytes(&self) -> u64 {
        let index = self.indexed().built.as_ref().map_or(0, |built| built.index.memory_bytes());
        let meaning = self.meaning().as_ref().map_or(0, |meaning| meaning.memory_bytes());
        self.merged_bytes.load(Ordering::Relaxed) + u64::try_from(index + meaning).unwrap_or(u64::MAX)
    }

    /// The meaning of the catalog, if it is known.
    pub(super) fn meaning(&self) -> MutexGuard<'_, Option<Arc<CatalogVectors>>> {
        self.meaning.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn indexed(&self) -> MutexGuard<'_, IndexGenerations> {
        self.indexed.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

//! The owner of reads of skills.

use std::{sync::Arc, time::Duration};

use super::{head_cache::HeadCache, manifest::ManifestCache, version_cache::VersionCache};
use crate::{
    budget::{Capacity, Workers},
    catalog::Catalogs,
    clock::Clock,
    path::Namespace,
    session::KeyedLocks,
    store::{Committer, SharedStore, StoreHandle},
};

/// The reader of skills, with its memory. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Content {
    store: StoreHandle,
    capacity: Capacity,
    catalogs: Catalogs,
    versions: Arc<VersionCache>,
    caches: Arc<ContentCaches>,
    /// The pause between two background requests for digests.
    digest_pace: Duration,
}

#[derive(Debug, Default)]
struct ContentCaches {
    heads: HeadCache,
    manifests: ManifestCache,
    /// A lock for each skill. A change of a skill holds it, and so does a process that brings plain files up to their head.
    changes: KeyedLocks,
}

impl Content {
    /// The reader of the skills of `catalogs` in `store`.
    pub(crate) fn new(store: StoreHandle, capacity: Capacity, catalogs: Catalogs, digest_pace: Duration) -> Self {
        let versions = Arc::new(VersionCache::new(capacity.workers().clone()));
        Self { store, capacity, catalogs, versions, caches: Arc::default(), digest_pace }
    }

    pub(crate) fn handle(&self) -> &StoreHandle {
        &self.store
    }

    pub(crate) fn store(&self) -> &SharedStore {
        self.store.store()
    }

    pub(crate) fn committer(&self) -> &Committer {
        self.store.committer()
    }

    pub(crate) fn namespace(&self) -> &Namespace {
        self.store.namespace()
    }

    pub(crate) fn clock(&self) -> &Arc<dyn Clock> {
        self.store.clock()
    }

    pub(crate) fn workers(&self) -> &Workers {
        self.capacity.workers()
    }

    pub(crate) fn catalogs(&self) -> &Catalogs {
        &self.catalogs
    }

    pub(crate) fn versions(&self) -> &Arc<VersionCache> {
        &self.versions
    }

    pub(crate) fn heads(&self) -> &HeadCache {
        &self.caches.heads
    }

    pub(crate) fn manifests(&self) -> &ManifestCache {
        &self.caches.manifests
    }

    /// The locks of skills under change.
    pub(crate) fn changes(&self) -> &KeyedLocks {
        &self.caches.changes
    }

    pub(crate) fn digest_pace(&self) -> Duration {
        self.digest_pace
    }
}

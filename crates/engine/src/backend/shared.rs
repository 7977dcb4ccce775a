//! What the parts of a service share.

use std::{sync::Arc, time::Duration};

use moka::sync::Cache;

use super::{
    catalog_reads::ManifestCache,
    changes::SkillChanges,
    context::Observer,
    edits::EditQueues,
    leaving::DeletionsInProgress,
    lines::LineIndex,
    publish::{HeadCache, VersionCache},
};
use crate::{
    budget::{Memory, Workers},
    catalog::Catalogs,
    clock::Clock,
    path::{MountTemplates, Namespace, ObjectKey},
    session::{KeyedLocks, Sessions},
    store::{Committer, RequestCounts, SharedStore},
};

#[derive(Debug)]
pub(super) struct Shared {
    pub(super) store: SharedStore,
    pub(super) committer: Committer,
    pub(super) namespace: Namespace,
    pub(super) templates: MountTemplates,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) workers: Workers,
    pub(super) steps: u64,
    pub(super) memory: Memory,
    pub(super) sessions: Sessions,
    pub(super) catalogs: Catalogs,
    pub(super) edits: EditQueues,
    pub(super) skill_changes: SkillChanges,
    /// Publishing, one skill at a time.
    pub(super) publishing: KeyedLocks,
    pub(super) versions: Arc<VersionCache>,
    pub(super) departures: DeletionsInProgress,
    pub(super) heads: HeadCache,
    pub(super) manifests: ManifestCache,
    pub(super) digest_pace: Duration,
    pub(super) feedback: bool,
    pub(super) line_indexes: Cache<ObjectKey, Arc<LineIndex>>,
    pub(super) ledger: Option<Arc<RequestCounts>>,
    pub(super) observer: Option<Arc<dyn Observer>>,
}

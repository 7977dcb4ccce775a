//! The owner of the state that file operations share.

use crate::text::LineIndex;
use std::sync::Arc;

use moka::sync::Cache;

use super::{edit_queues::EditQueues, unfinished::SkillChanges};
use crate::{budget::Workers, path::ObjectKey, store::StoreHandle};

/// Line indexes of large files kept in memory; one takes up to 2 MiB.
const LINE_INDEXES: u64 = 64;

/// The state that file operations share in one process: the queues of edits, unfinished changes of skills, and line
/// indexes. Cheap to clone.
#[derive(Clone, Debug)]
pub(crate) struct Files(Arc<FilesState>);

#[derive(Debug)]
struct FilesState {
    edits: EditQueues,
    changes: SkillChanges,
    line_indexes: Cache<ObjectKey, Arc<LineIndex>>,
}

impl Files {
    /// The file operations over `store`. `is_observed` says whether an observer keeps records of them.
    pub(crate) fn new(store: &StoreHandle, workers: &Workers, is_observed: bool) -> Self {
        let edits = EditQueues::new(store.store().clone(), store.committer().clone(), workers.clone(), is_observed);
        let line_indexes = Cache::new(LINE_INDEXES);
        Self(Arc::new(FilesState { edits, changes: SkillChanges::default(), line_indexes }))
    }

    pub(super) fn edits(&self) -> &EditQueues {
        &self.0.edits
    }

    pub(super) fn changes(&self) -> &SkillChanges {
        &self.0.changes
    }

    pub(super) fn line_indexes(&self) -> &Cache<ObjectKey, Arc<LineIndex>> {
        &self.0.line_indexes
    }
}

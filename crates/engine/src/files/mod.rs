//! The virtual tree of a session, and the operations on its files.
//!
//! A [`Tree`] is made from an admission, so no operation sees a path before its session and policies were read.

mod bundles;
mod delete;
mod edit;
mod edit_queues;
mod expression;
mod glob;
mod grep;
mod line_ends;
mod lines;
mod listing;
mod ls;
mod matcher;
mod mounts;
mod move_path;
mod read;
mod replace;
mod session_files;
mod text;
mod transfer;
mod tree;
mod two_part_change;
mod unfinished;
mod write;

pub(crate) use bundles::note_load;
pub(crate) use delete::{delete, delete_objects};
pub(crate) use edit::edit;
pub(crate) use edit_queues::EditQueues;
pub(crate) use glob::glob;
pub(crate) use grep::grep;
pub(crate) use lines::LineIndex;
pub(crate) use ls::ls;
pub(crate) use move_path::move_path;
pub(crate) use read::read;
pub use session_files::SessionFiles;
pub(crate) use text::{binary_type, is_text};
pub use transfer::{FileAccess, FileReader, FileStat};
pub(crate) use transfer::{download, upload};
pub(crate) use tree::{archive_of, archive_of_version, skill_mount, unwritable};
pub(crate) use unfinished::SkillChanges;
pub(crate) use write::write;

use std::sync::Arc;

use moka::sync::Cache;

use crate::{budget::Workers, path::ObjectKey, store::StoreHandle};

/// Line indexes of large files kept in memory; one takes up to 2 MiB.
const LINE_INDEXES: u64 = 64;

/// What file operations share in one process: the queues of edits, unfinished changes of skills, and line indexes. Cheap to
/// clone.
#[derive(Clone, Debug)]
pub(crate) struct Files(Arc<FilesState>);

#[derive(Debug)]
struct FilesState {
    edits: EditQueues,
    changes: SkillChanges,
    line_indexes: Cache<ObjectKey, Arc<LineIndex>>,
}

impl Files {
    /// The file operations over `store`. `is_observed` says that somebody keeps records of them.
    pub(crate) fn new(store: &StoreHandle, workers: &Workers, is_observed: bool) -> Self {
        let edits = EditQueues::new(store.store().clone(), store.committer().clone(), workers.clone(), is_observed);
        let line_indexes = Cache::new(LINE_INDEXES);
        Self(Arc::new(FilesState { edits, changes: SkillChanges::default(), line_indexes }))
    }

    fn edits(&self) -> &EditQueues {
        &self.0.edits
    }

    fn changes(&self) -> &SkillChanges {
        &self.0.changes
    }

    fn line_indexes(&self) -> &Cache<ObjectKey, Arc<LineIndex>> {
        &self.0.line_indexes
    }
}

//! The virtual tree of a session, and the operations on its files.
//!
//! A `Tree` is made from an admission, so no operation sees a path before its session and policies were read.

mod bundles;
mod delete;
mod edit;
mod edit_queues;
mod first_hits;
mod glob;
mod grep;
mod line_ends;
mod listing;
mod ls;
mod mounts;
mod move_path;
mod owner;
mod read;
mod replace;
mod session_files;
mod transfer;
mod tree;
mod two_part_change;
mod unfinished;
mod write;

pub(crate) use bundles::record_load;
pub(crate) use delete::{delete, delete_objects};
pub(crate) use edit::edit;
pub(crate) use glob::glob;
pub(crate) use grep::grep;
pub(crate) use ls::ls;
pub(crate) use move_path::move_path;
pub(crate) use owner::Files;
pub(crate) use read::read;
pub use session_files::SessionFiles;
pub use transfer::{FileAccess, FileReader, FileStat};
pub(crate) use transfer::{download, upload};
pub(crate) use tree::{archive_of, archive_of_version, skill_mount, unwritable};
pub(crate) use write::write;

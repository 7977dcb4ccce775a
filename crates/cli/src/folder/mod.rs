//! Folders of skills on this machine's disk: the one place where the command line meets real paths.
//!
//! Symbolic links are never followed, in either direction. A link in a pushed folder would publish its target, and a
//! pull would write through a link in its target.

mod disk;
mod memory;
mod plain;
mod scan;

pub(super) use disk::{PullFolder, check_names, failed, json_text, read_if_there, replace_whole};
pub(super) use memory::{remember, remembered};
pub(super) use plain::{address_of, is_store, refuse_plain};
pub(super) use scan::{Extent, FolderScan, LocalFile, LocalSkill, NoSkill, missing, scan};

//! Folders of skills on this machine's disk: the one place where the command line meets real paths.
//!
//! Symbolic links are never followed, in either direction: a link in a pushed folder would publish what it points to, one
//! in the target of a pull would be written through.

mod disk;
mod memory;
mod plain;
mod scan;

pub(super) use disk::{Target, check_names};
pub(super) use memory::{remember, remembered};
pub(super) use plain::refuse_plain;
pub(super) use scan::{Extent, LocalSkill, NoSkill, Scanned, scan};

/// Folders and files of tools, which belong to no skill.
const OF_TOOLS: &[&str] = &[".git", "node_modules", ".DS_Store", MEMORY];

/// The file that says which version a skill's folder comes from.
pub(super) const MEMORY: &str = ".skillmount.json";

/// Whether `name` is a tool's. Case is ignored, because some disks ignore it.
fn is_of_tools(name: &str) -> bool {
    OF_TOOLS.iter().any(|tool| tool.eq_ignore_ascii_case(name))
}

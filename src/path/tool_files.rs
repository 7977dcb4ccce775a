//! What tools leave in folders of skills, and which is part of no skill.

/// The file that says which version a skill's folder comes from.
pub const FOLDER_MEMORY: &str = ".skillmount.json";

/// Folders and files of tools.
const OF_TOOLS: &[&str] = &[".git", "node_modules", ".DS_Store", FOLDER_MEMORY];

/// Whether a file or folder called `name` is a tool's. Case is ignored, because some disks ignore it.
///
/// ```
/// use skillmount::path::is_of_tools;
///
/// assert!(is_of_tools(".git") && is_of_tools(".ds_store"));
/// assert!(!is_of_tools("git"));
/// ```
#[must_use]
pub fn is_of_tools(name: &str) -> bool {
    OF_TOOLS.iter().any(|tool| tool.eq_ignore_ascii_case(name))
}

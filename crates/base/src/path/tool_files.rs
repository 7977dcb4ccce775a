//! Files that tools leave in folders of skills, and that belong to no skill.

/// The file that says which version a skill's folder comes from.
pub const FOLDER_MEMORY: &str = ".skillmount.json";

/// Folders and files of tools.
const OF_TOOLS: &[&str] = &[".git", "node_modules", ".DS_Store", FOLDER_MEMORY];

/// Whether the file or folder at `path` is a tool's, or lies in one of its folders. Case is ignored, because some disks
/// ignore it.
///
/// ```
/// use skillmount_base::path::is_of_tools;
///
/// assert!(is_of_tools(".git") && is_of_tools(".ds_store"));
/// assert!(is_of_tools("hooks/.git/config") && !is_of_tools("git/config"));
/// ```
#[must_use]
pub fn is_of_tools(path: &str) -> bool {
    path.split('/').any(|name| OF_TOOLS.iter().any(|tool| tool.eq_ignore_ascii_case(name)))
}

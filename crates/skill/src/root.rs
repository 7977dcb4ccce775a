//! Finds the folder of a skill among paths from elsewhere, and the name of a skill that comes without a path.

use bytes::Bytes;

use super::{MAIN, read_document};
use skillmount_base::path::{SkillPath, is_of_tools};

/// The possible names of a skill that comes without a path, best first: the name in its SKILL.md, and the folder around
/// its files. `read` gives the content of one of `paths`.
pub fn names(paths: &[&str], read: impl FnOnce(&str) -> Option<Bytes>) -> Vec<String> {
    let root = common_root(paths.iter().copied());
    let around = paths.first().and_then(|path| path.get(..root)).unwrap_or_default();
    let folder = around.trim_end_matches('/');
    let main = read(&format!("{around}{MAIN}")).unwrap_or_default();
    let name = read_document(&main, folder).0.and_then(|read| read.frontmatter.name);
    name.into_iter().chain([folder.to_owned()]).filter(|name| !name.is_empty()).collect()
}

/// The length of the folder that all files lie in, with its `/`; 0 if there is none, or if the skill is not in it.
pub(super) fn common_root<'name>(mut names: impl Iterator<Item = &'name str> + Clone) -> usize {
    let all = names.clone();
    let Some((folder, _)) = names.next().and_then(|name| name.split_once('/')) else { return 0 };
    // A folder with a name that no skill may have is not the folder of a skill. So its paths are refused as they are.
    if SkillPath::parse(folder).is_err() || is_of_tools(folder) || is_of_another_system(folder) {
        return 0;
    }
    let inside = |name: &str| name.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'));
    let has_main = all.clone().any(|name| name.strip_prefix(folder).is_some_and(|rest| rest == format!("/{MAIN}")));
    if has_main && all.clone().all(inside) { folder.len() + 1 } else { 0 }
}

/// Whether a path is written as on Windows.
pub(super) fn is_of_another_system(path: &str) -> bool {
    path.contains('\\') || path.get(1..2) == Some(":")
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = "---\nname: demo\ndescription: What it does.\n---\nBody\n";

    #[test]
    fn a_skill_without_a_path_is_called_as_it_says_or_as_its_folder() {
        let called = |paths: &[&str], main: &'static str| {
            names(paths, |path| path.ends_with("SKILL.md").then(|| Bytes::from_static(main.as_bytes())))
        };
        assert_eq!(called(&["d/a.md", "d/SKILL.md"], GOOD), ["demo", "d"]);
        assert_eq!(called(&["a.md", "SKILL.md"], GOOD), ["demo"]);
        assert_eq!(called(&["d/SKILL.md"], "---\ndescription: x\n---\n"), ["d"]);
        assert!(called(&["d/a.md", "SKILL.md"], "none").is_empty() && called(&[], "none").is_empty());
    }
}

//! Finding the skills of a folder.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use super::is_of_tools;
use crate::{
    error::{Code, Error, Result},
    limits::{SKILL_DEPTH, SKILL_FILES},
    path::SkillPath,
};

/// One file of a skill on disk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in super::super) struct LocalFile {
    /// Where it lies below the skill's folder, with `/`.
    pub(in super::super) relative: String,
    /// Where it lies on disk.
    pub(in super::super) path: PathBuf,
}

/// A folder with a SKILL.md.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in super::super) struct LocalSkill {
    /// Where it belongs below `skills/`.
    pub(in super::super) skill: SkillPath,
    /// Its files in byte order.
    pub(in super::super) files: Vec<LocalFile>,
    /// What was passed over, and why.
    pub(in super::super) skipped: Vec<String>,
}

/// The skill in `folder`, or those in folders below it, the outermost SKILL.md deciding; in byte order of their paths.
/// `into` is the category they are put in.
///
/// # Errors
/// `invalid_request` where there is none, where a folder's name cannot be a skill path, or where the disk fails.
pub(in super::super) fn scan(folder: &Path, into: Option<&str>) -> Result<Vec<LocalSkill>> {
    let folder = folder.canonicalize().map_err(|error| unreadable(folder, error))?;
    let base = into.map(|into| into.trim_matches('/')).filter(|into| !into.is_empty()).unwrap_or_default();
    let mut skills = Vec::new();
    if holds_skill(&folder) {
        let name = folder.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        skills.push(read_skill(&folder, &join(base, name))?);
    } else {
        find(&folder, base, SKILL_DEPTH, &mut skills)?;
    }
    if skills.is_empty() {
        return Err(Error::new(
            Code::InvalidRequest,
            format!("there is no SKILL.md in {} or in a folder below it", folder.display()),
        ));
    }
    skills.sort_by(|one, two| one.skill.cmp(&two.skill));
    Ok(skills)
}

fn find(folder: &Path, at: &str, depth: usize, found: &mut Vec<LocalSkill>) -> Result<()> {
    if depth == 0 {
        return Ok(());
    }
    for entry in entries(folder)? {
        // A name that is not Unicode cannot be a skill path, and holds no skill that anybody could name.
        let Some(name) = entry.file_name().and_then(|name| name.to_str()) else { continue };
        if is_of_tools(name) || !is_folder(&entry) {
            continue;
        }
        let at = join(at, name);
        if holds_skill(&entry) {
            found.push(read_skill(&entry, &at)?);
        } else {
            find(&entry, &at, depth - 1, found)?;
        }
    }
    Ok(())
}

fn read_skill(folder: &Path, at: &str) -> Result<LocalSkill> {
    let mut skill = LocalSkill { skill: SkillPath::parse(at)?, files: Vec::new(), skipped: Vec::new() };
    collect(folder, "", &mut skill)?;
    if skill.files.len() > SKILL_FILES {
        return Err(Error::new(
            Code::FileTooLarge,
            format!("the skill {at} has more than {SKILL_FILES} files; split it into several"),
        ));
    }
    skill.files.sort_by(|one, two| one.relative.cmp(&two.relative));
    Ok(skill)
}

fn collect(folder: &Path, below: &str, skill: &mut LocalSkill) -> Result<()> {
    for path in entries(folder)? {
        let Some(name) = path.file_name().and_then(|name| name.to_str()) else {
            skill.skipped.push(format!("{} (the name is not Unicode)", path.display()));
            continue;
        };
        if is_of_tools(name) {
            continue;
        }
        let relative = join(below, name);
        let kind = fs::symlink_metadata(&path).map_err(|error| unreadable(&path, error))?.file_type();
        if kind.is_dir() {
            collect(&path, &relative, skill)?;
        } else if kind.is_file() {
            skill.files.push(LocalFile { relative, path });
        } else {
            skill.skipped.push(format!("{relative} (neither a file nor a folder; links are not followed)"));
        }
    }
    Ok(())
}

fn join(folder: &str, name: &str) -> String {
    if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") }
}

fn holds_skill(folder: &Path) -> bool {
    fs::symlink_metadata(folder.join("SKILL.md")).is_ok_and(|meta| meta.is_file())
}

fn is_folder(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|meta| meta.is_dir())
}

fn entries(folder: &Path) -> Result<Vec<PathBuf>> {
    let entries = fs::read_dir(folder).and_then(|entries| entries.map(|entry| Ok(entry?.path())).collect());
    entries.map_err(|error| unreadable(folder, error))
}

fn unreadable(path: &Path, error: io::Error) -> Error {
    Error::new(Code::InvalidRequest, format!("{} cannot be read", path.display())).with_source(error)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree(files: &[&str]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for file in files {
            let path = folder.path().join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "x").unwrap();
        }
        folder
    }

    fn found(folder: &Path, into: Option<&str>) -> Vec<(String, Vec<String>)> {
        let names = |skill: LocalSkill| skill.files.into_iter().map(|file| file.relative).collect();
        scan(folder, into).unwrap().into_iter().map(|skill| (skill.skill.to_string(), names(skill))).collect()
    }

    #[test]
    fn the_outermost_skill_takes_all_below_it_and_tools_are_passed_over() {
        let folder = tree(&[
            "a/b/SKILL.md",
            "a/b/inner/SKILL.md",
            "a/b/.git/config",
            "a/b/.DS_Store",
            "node_modules/x/SKILL.md",
            "c/readme.md",
        ]);
        let expected = vec![("x/a/b".to_owned(), vec!["SKILL.md".to_owned(), "inner/SKILL.md".to_owned()])];
        assert_eq!(found(folder.path(), Some("x/")), expected);
    }

    #[test]
    fn a_folder_that_is_a_skill_keeps_its_own_name() {
        let folder = tree(&["venta/SKILL.md"]);
        assert_eq!(found(&folder.path().join("venta"), None)[0].0, "venta");
    }

    #[test]
    fn skills_are_found_as_deep_as_they_may_lie_and_no_deeper() {
        let deep = ["d"; SKILL_DEPTH].join("/");
        assert_eq!(found(tree(&[&format!("{deep}/SKILL.md")]).path(), None)[0].0, deep);
        assert!(scan(tree(&[&format!("{deep}/d/SKILL.md")]).path(), None).is_err());
    }

    #[cfg(unix)]
    #[test]
    fn links_are_reported_and_never_followed() {
        let folder = tree(&["s/SKILL.md", "secret/key"]);
        std::os::unix::fs::symlink(folder.path().join("secret"), folder.path().join("s/link")).unwrap();
        let skills = scan(folder.path(), None).unwrap();
        assert_eq!(skills[0].files.len(), 1);
        assert!(skills[0].skipped[0].starts_with("link "), "{:?}", skills[0].skipped);
    }
}

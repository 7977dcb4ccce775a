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
    skill::{Diagnostic, misnamed},
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

impl LocalSkill {
    /// Its SKILL.md.
    pub(in super::super) fn main(&self) -> &Path {
        let main = self.files.iter().find(|file| file.relative == "SKILL.md");
        main.map_or(Path::new("SKILL.md"), |file| &file.path)
    }
}

/// A file that is called almost `SKILL.md`, in a folder that would be a skill.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in super::super) struct Misnamed {
    /// Where the folder would belong below `skills/`.
    pub(in super::super) at: String,
    /// The file.
    pub(in super::super) path: PathBuf,
    /// What is wrong with it.
    pub(in super::super) finding: Diagnostic,
}

/// What a folder holds, in byte order of paths.
#[derive(Debug, Default)]
pub(in super::super) struct Scanned {
    pub(in super::super) skills: Vec<LocalSkill>,
    pub(in super::super) misnamed: Vec<Misnamed>,
}

/// The skill in `folder`, or those in folders below it, the outermost SKILL.md deciding. A SKILL.md stands for the folder it
/// lies in. `into` is the category they are put in.
///
/// # Errors
/// `invalid_request` where there is none, where a folder's name cannot be a skill path, or where the disk fails.
pub(in super::super) fn scan(folder: &Path, into: Option<&str>) -> Result<Scanned> {
    let mut folder = folder.canonicalize().map_err(|error| unreadable(folder, error))?;
    if folder.is_file() {
        if !folder.file_name().is_some_and(|name| name.eq_ignore_ascii_case("SKILL.md")) {
            let message = format!("{} is a file: name the folder of a skill, or its SKILL.md", folder.display());
            return Err(Error::new(Code::InvalidRequest, message));
        }
        folder.pop();
    }
    let base = into.map(|into| into.trim_matches('/')).filter(|into| !into.is_empty()).unwrap_or_default();
    let mut scanned = Scanned::default();
    let name = folder.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    if !scanned.admit(&folder, &join(base, name))? {
        scanned.find(&folder, base, SKILL_DEPTH)?;
    }
    if scanned.skills.is_empty() && scanned.misnamed.is_empty() {
        return Err(Error::new(
            Code::InvalidRequest,
            format!("there is no SKILL.md in {} or in a folder below it", folder.display()),
        ));
    }
    scanned.skills.sort_by(|one, two| one.skill.cmp(&two.skill));
    scanned.misnamed.sort_by(|one, two| one.at.cmp(&two.at));
    Ok(scanned)
}

impl Scanned {
    fn find(&mut self, folder: &Path, at: &str, depth: usize) -> Result<()> {
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
            if !self.admit(&entry, &at)? {
                self.find(&entry, &at, depth - 1)?;
            }
        }
        Ok(())
    }

    /// Whether `folder` is a skill, which is taken then. Names are those of the listing: a disk that ignores case would
    /// answer to `SKILL.md` whatever the file is called, and a store does not.
    fn admit(&mut self, folder: &Path, at: &str) -> Result<bool> {
        for path in entries(folder)? {
            let Some(name) = path.file_name().and_then(|name| name.to_str()) else { continue };
            if name == "SKILL.md" && is_file(&path) {
                self.misnamed.retain(|other| other.at != at);
                self.skills.push(read_skill(folder, at)?);
                return Ok(true);
            }
            if let Some(finding) = misnamed(name).filter(|_| is_file(&path)) {
                self.misnamed.push(Misnamed { at: at.to_owned(), path, finding });
            }
        }
        Ok(false)
    }
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

fn is_file(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|meta| meta.is_file())
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
        scan(folder, into).unwrap().skills.into_iter().map(|skill| (skill.skill.to_string(), names(skill))).collect()
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
    fn files_called_almost_skill_md_are_told_unless_the_right_one_is_beside_them() {
        let folder = tree(&["a/skill.md", "a/b/SKILL.md", "c/SKILL.md", "c/Skill.md", "c/d/skill.md", "e/skill.md/x"]);
        let scanned = scan(folder.path(), None).unwrap();
        let skills: Vec<_> = scanned.skills.iter().map(|skill| skill.skill.as_str()).collect();
        let misnamed: Vec<_> =
            scanned.misnamed.iter().map(|one| (one.at.as_str(), one.path.ends_with("a/skill.md"))).collect();
        assert_eq!((skills, misnamed), (vec!["a/b", "c"], vec![("a", true)]));
        assert_eq!(scan(&folder.path().join("a"), None).unwrap().misnamed.len(), 1);
    }

    #[test]
    fn a_skill_md_stands_for_its_folder_and_no_other_file_does() {
        let folder = tree(&["venta/SKILL.md", "venta/x.md", "almost/skill.md"]);
        assert_eq!(found(&folder.path().join("venta/SKILL.md"), Some("x"))[0].0, "x/venta");
        assert_eq!(scan(&folder.path().join("almost/skill.md"), None).unwrap().misnamed.len(), 1);
        assert!(scan(&folder.path().join("venta/x.md"), None).unwrap_err().message().contains("is a file"));
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
        let skills = scan(folder.path(), None).unwrap().skills;
        assert_eq!(skills[0].files.len(), 1);
        assert!(skills[0].skipped[0].starts_with("link "), "{:?}", skills[0].skipped);
    }
}

//! Finds the skill folders in the keys of a listing. Pure: makes no request.
//!
//! The outermost folder with a `SKILL.md` is the skill: all folders in it belong to it. Keys that no virtual path can
//! name are counted and left out, so that nothing has a second name.

use std::collections::{HashMap, HashSet};

use jiff::Timestamp;

use super::entry::CatalogDiagnostic;
use crate::{
    limits::{CATALOG_SKILLS, SKILL_DEPTH},
    path::{ETag, KeyPrefix, ObjectKey, SkillPath, is_of_tools},
    skill::{Diagnostic, FindingCode, Fingerprint, Fingerprinter, misnamed},
    store::ListEntry,
};

/// The file that makes a folder a skill; other spellings do not.
const SKILL_FILE: &str = "SKILL.md";

/// One folder with a `SKILL.md`, as a listing shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct FolderListing {
    pub(super) skill: SkillPath,
    /// The key of its SKILL.md.
    pub(super) head: ObjectKey,
    /// The bytes of its SKILL.md.
    pub(super) head_size: u64,
    /// The version of its SKILL.md.
    pub(super) etag: ETag,
    /// The number of files in it and below it.
    pub(super) files: usize,
    /// The bytes of all of them.
    pub(super) size: u64,
    /// The time of the newest of them.
    pub(super) updated_at: Timestamp,
    /// All of them by path and version.
    pub(super) fingerprint: Fingerprint,
}

/// A folder whose files are being counted.
struct FileCount {
    folder: FolderListing,
    fingerprint: Fingerprinter,
}

/// The skill folders of a listing.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct SkillFolders {
    /// In byte order of their skill paths.
    pub(super) folders: Vec<FolderListing>,
    pub(super) diagnostics: Vec<CatalogDiagnostic>,
    pub(super) unnameable_keys: usize,
}

impl SkillFolders {
    /// Finds the skills among `listed`, the keys below the prefix `skills`.
    pub(super) fn from_listing(skills: &KeyPrefix, listed: &[ListEntry]) -> Self {
        let mut layout = Self::default();
        let mut files = Vec::with_capacity(listed.len());
        for entry in listed {
            match (skills.relative(&entry.key), skills.admit(&entry.key)) {
                (Some(relative), Some(key)) => files.push((relative, key, entry)),
                _ if is_folder_marker(skills, entry) => {}
                _ => layout.unnameable_keys += 1,
            }
        }
        let heads: HashSet<&str> = files.iter().filter_map(|(relative, ..)| head_folder(relative)).collect();
        let mut found: HashMap<&str, FileCount> = HashMap::new();
        for (relative, key, entry) in &files {
            if head_folder(relative).is_some_and(|folder| outermost(folder, &heads) == Some(folder)) {
                layout.admit(relative, key, entry, &mut found);
            }
        }
        for (relative, _, entry) in &files {
            if let Some(FileCount { folder, fingerprint }) =
                outermost(relative, &heads).and_then(|folder| found.get_mut(folder))
            {
                let root = folder.skill.as_str().len() + 1;
                fingerprint.add(relative.get(root..).unwrap_or_default(), &entry.etag);
                folder.files += 1;
                folder.size += entry.size;
                folder.updated_at = folder.updated_at.max(entry.modified_at);
            }
            layout.diagnostics.extend(misnamed_head(relative, &heads));
        }
        let folders = found.into_values();
        layout.folders = folders
            .map(|FileCount { folder, fingerprint }| FolderListing { fingerprint: fingerprint.finish(), ..folder })
            .collect();
        layout.folders.sort_by(|one, two| one.skill.cmp(&two.skill));
        layout.bound();
        layout
    }

    /// Adds the folder of the SKILL.md at `relative` as a skill, or a diagnostic if it cannot be one.
    fn admit<'key>(
        &mut self,
        relative: &'key str,
        key: &ObjectKey,
        entry: &ListEntry,
        found: &mut HashMap<&'key str, FileCount>,
    ) {
        let folder = head_folder(relative).unwrap_or_default();
        let Ok(skill) = SkillPath::parse(folder) else {
            self.diagnostics.push(CatalogDiagnostic { skill: folder.to_owned(), diagnostic: misplaced(folder) });
            return;
        };
        let counted = FolderListing {
            skill,
            head: key.clone(),
            head_size: entry.size,
            etag: entry.etag.clone(),
            files: 0,
            size: 0,
            updated_at: entry.modified_at,
            fingerprint: Fingerprinter::default().finish(),
        };
        found.insert(folder, FileCount { folder: counted, fingerprint: Fingerprinter::default() });
    }

    /// Drops skills over the limit of a catalog, with a diagnostic.
    fn bound(&mut self) {
        let total = self.folders.len();
        if total > CATALOG_SKILLS {
            self.folders.truncate(CATALOG_SKILLS);
            let message = format!(
                "there are {total} skills and a catalog holds {CATALOG_SKILLS}: those last in the order of their paths \
                 are left out; move some to another user"
            );
            let diagnostic = Diagnostic::new(FindingCode::TooManySkills, message);
            self.diagnostics.push(CatalogDiagnostic { skill: String::new(), diagnostic });
        }
    }
}

/// The folder that a SKILL.md makes a skill: empty if it is in no folder. `None` for other files, and for files in the
/// folders of tools. These folders contain copies that are not meant for use.
fn head_folder(relative: &str) -> Option<&str> {
    let folder = match relative.rsplit_once('/') {
        None if relative == SKILL_FILE => "",
        Some((folder, SKILL_FILE)) => folder,
        _ => return None,
    };
    (!is_of_tools(folder)).then_some(folder)
}

/// The diagnostic for a file whose name is another spelling of SKILL.md.
fn misnamed_head(relative: &str, heads: &HashSet<&str>) -> Option<CatalogDiagnostic> {
    let (folder, name) = relative.rsplit_once('/')?;
    let diagnostic = misnamed(name)?;
    let is_free = outermost(folder, heads).is_none() && !is_of_tools(folder);
    is_free.then(|| CatalogDiagnostic { skill: folder.to_owned(), diagnostic })
}

/// The shortest prefix of `path` that is one of `heads`, cut at a `/` or whole.
fn outermost<'path>(path: &'path str, heads: &HashSet<&str>) -> Option<&'path str> {
    if path.is_empty() {
        return heads.contains(path).then_some(path);
    }
    let cuts = path.match_indices('/').map(|(at, _)| at).chain([path.len()]);
    cuts.filter_map(|at| path.get(..at)).find(|part| heads.contains(part))
}

/// Whether an unnameable key is the empty object by which S3 consoles show a folder. It hides nothing.
fn is_folder_marker(skills: &KeyPrefix, entry: &ListEntry) -> bool {
    let Some(relative) = skills.relative(&entry.key) else { return false };
    let folder = relative.strip_suffix('/').unwrap_or(relative);
    entry.size == 0 && (relative.is_empty() || (folder != relative && skills.folder(folder).is_ok()))
}

fn misplaced(folder: &str) -> Diagnostic {
    if folder.is_empty() {
        return Diagnostic::new(
            FindingCode::SkillWithoutFolder,
            "this SKILL.md lies directly below skills/; put it into a folder of its own",
        );
    }
    Diagnostic::new(
        FindingCode::SkillTooDeep,
        format!("a skill lies at most {SKILL_DEPTH} folders below skills/; move this one up"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::path::{Id, Namespace};

    fn layout(keys: &[&str]) -> SkillFolders {
        let skills = Namespace::parse("").unwrap().user(&Id::parse("u1").unwrap()).unwrap().skills().unwrap();
        let mut keys: Vec<_> = keys.iter().map(|key| format!("u1/skills/{key}")).collect();
        keys.sort();
        let entries: Vec<_> = keys
            .into_iter()
            .map(|key| ListEntry {
                size: if key.ends_with('/') { 0 } else { 7 },
                key,
                etag: ETag::new("e"),
                modified_at: Timestamp::UNIX_EPOCH,
            })
            .collect();
        SkillFolders::from_listing(&skills, &entries)
    }

    fn skills(layout: &SkillFolders) -> Vec<&str> {
        layout.folders.iter().map(|folder| folder.skill.as_str()).collect()
    }

    // S-CATALOG-1: A skill is a folder below `{user}/skills/` that holds a `SKILL.md`, at most six deep; a folder
    // inside a skill belongs to the outermost skill.
    #[test]
    fn the_outermost_folder_with_a_skill_md_is_the_skill_and_owns_all_below() {
        let found = layout(&["a/b/SKILL.md", "a/b/res/x.md", "a/b/inner/SKILL.md", "a/bc/SKILL.md", "a/readme.md"]);
        assert_eq!(skills(&found), ["a/b", "a/bc"]);
        assert_eq!((found.folders[0].files, found.folders[0].size), (3, 21));
        assert_eq!(found.folders[1].files, 1);
        assert!(found.diagnostics.is_empty());
    }

    #[test]
    fn only_the_exact_file_name_makes_a_skill() {
        assert!(skills(&layout(&["a/skill.md", "b/SKILL.MD", "c/xSKILL.md", "d/SKILL.md/x"])).is_empty());
    }

    #[test]
    fn another_spelling_of_the_file_name_is_reported_where_it_would_have_made_a_skill() {
        let found =
            layout(&["a/skill.md", "b/SKILL.md", "b/skill.md", "b/c/Skill.md", "node_modules/x/skill.md", "skill.md"]);
        let found: Vec<_> = found.diagnostics.iter().map(|one| (one.skill.as_str(), &*one.diagnostic.code)).collect();
        assert_eq!(found, [("a", "file_misnamed")]);
    }

    #[test]
    fn folders_of_tools_hold_no_skills_but_may_lie_inside_one() {
        let found = layout(&["a/SKILL.md", "a/.git/x", "b/.git/s/SKILL.md", "node_modules/p/SKILL.md"]);
        assert_eq!(skills(&found), ["a"]);
        assert_eq!(found.folders[0].files, 2);
        assert!(found.diagnostics.is_empty());
    }

    // S-CATALOG-1: A skill is a folder below `{user}/skills/` that holds a `SKILL.md`, at most six deep; a folder
    // inside a skill belongs to the outermost skill.
    #[test]
    fn a_skill_is_taken_at_the_deepest_place_and_reported_below_it() {
        let deepest = ["d"; SKILL_DEPTH].join("/");
        let found = layout(&[&format!("{deepest}/SKILL.md"), &format!("x/{deepest}/SKILL.md")]);
        assert_eq!(skills(&found), [deepest.as_str()]);
        assert_eq!(found.diagnostics.len(), 1);
        assert_eq!(found.diagnostics[0].skill, format!("x/{deepest}"));
        assert_eq!(found.diagnostics[0].diagnostic.code, "skill_too_deep");
    }

    #[test]
    fn a_skill_md_in_no_folder_is_reported_and_hides_nothing() {
        let found = layout(&["SKILL.md", "a/SKILL.md"]);
        assert_eq!(skills(&found), ["a"]);
        assert_eq!(found.diagnostics[0].diagnostic.code, "skill_without_folder");
    }

    #[test]
    fn unnameable_keys_are_counted_and_folder_markers_are_not() {
        let found = layout(&["a//SKILL.md", "../x/SKILL.md", "b/./SKILL.md", "b/", "", "b/c/"]);
        assert_eq!((found.unnameable_keys, skills(&found).len()), (3, 0));
    }

    #[test]
    fn a_catalog_holds_its_limit_and_says_what_is_over_it() {
        let keys: Vec<_> = (0..=CATALOG_SKILLS).map(|number| format!("s{number:05}/SKILL.md")).collect();
        let keys: Vec<&str> = keys.iter().map(String::as_str).collect();
        let full = layout(&keys[..CATALOG_SKILLS]);
        assert_eq!((full.folders.len(), full.diagnostics.len()), (CATALOG_SKILLS, 0));
        let over = layout(&keys);
        assert_eq!(over.folders.len(), CATALOG_SKILLS);
        assert_eq!(over.diagnostics[0].diagnostic.code, "too_many_skills");
    }
}

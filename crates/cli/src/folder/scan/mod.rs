//! Finding the skills of a folder.

use std::{
    collections::{BTreeSet, HashSet},
    fs, io,
    path::{Path, PathBuf},
};

use ignore::{DirEntry, Walk, WalkBuilder};

use super::memory::remembered;
use crate::{
    error::{Code, Error, Result},
    limits::{SKILL_DEPTH, SKILL_FILES},
    local_path::LocalPath,
    path::{SkillPath, is_of_tools},
    skill::{Diagnostic, FindingCode, MAIN, misnamed},
};

/// The file that lists the parts of a folder that belong to no skill, in the syntax of `.gitignore`.
const SKILL_IGNORE: &str = ".skillignore";

/// One file of a skill on disk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LocalFile {
    /// Where it lies below the skill's folder, with `/`.
    pub(crate) relative: String,
    /// Where it lies on disk, as the folder was named.
    pub(crate) path: LocalPath,
    /// Its bytes.
    pub(crate) size: u64,
}

/// A folder with a SKILL.md.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LocalSkill {
    /// Where it belongs below `skills/`.
    pub(crate) skill: SkillPath,
    /// Its files in byte order.
    pub(crate) files: Vec<LocalFile>,
    /// The skipped entries, each with the reason.
    pub(crate) skipped: Vec<String>,
}

impl LocalSkill {
    /// Its SKILL.md.
    pub(crate) fn main(&self) -> LocalPath {
        let main = self.files.iter().find(|file| file.relative == MAIN);
        main.map_or_else(|| PathBuf::from(MAIN).into(), |file| file.path.clone())
    }

    /// The folder that it lies in.
    pub(crate) fn folder(&self) -> LocalPath {
        self.main().parent().unwrap_or_else(|| PathBuf::new().into()).or_here()
    }
}

/// An entry that is no skill, but may look like a skill to its author. It is a file with a name close to `SKILL.md`, a
/// link, an unreadable folder, or a folder whose name no skill path can have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct NoSkill {
    /// Where the folder would belong below `skills/`.
    pub(crate) at: String,
    /// The file, the folder or the link.
    pub(crate) path: LocalPath,
    /// The reason why it is no skill.
    pub(crate) finding: Diagnostic,
}

/// The contents of a folder, in byte order of paths.
#[derive(Debug, Default)]
pub(crate) struct FolderScan {
    pub(crate) skills: Vec<LocalSkill>,
    pub(crate) no_skills: Vec<NoSkill>,
}

/// The files of a folder that a scan reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Extent {
    /// All but the files that `.gitignore`, `.ignore` and `.skillignore` name. The lists in this folder, in folders
    /// below and in folders above count. A skill also keeps every file of the version that its folder comes from, even
    /// if a list names the file. Git treats tracked files in the same way.
    NotIgnored,
    /// All.
    Everything,
}

/// The skill in `folder`, or the skills in folders below it. A folder with a SKILL.md is one skill, with all folders below
/// it. `into` is the category of the skills. A skill whose path begins with this category keeps its path.
///
/// # Errors
/// `file_not_found` if `folder` is missing. `invalid_request` if there is no skill, or if `folder` cannot be read.
pub(crate) fn scan(folder: &LocalPath, into: Option<&str>, extent: Extent) -> Result<FolderScan> {
    let root = Root::for_path(folder.clone(), into, extent)?;
    let (mains, mut no_skills) = root.look()?;
    let folders: BTreeSet<&Path> = mains.iter().filter_map(|main| main.parent()).collect();
    let is_in_skill = |path: &Path| path.ancestors().skip(1).any(|above| folders.contains(above));
    no_skills.retain(|one| !is_in_skill(&one.path));
    let mut skills = Vec::new();
    for folder in folders.iter().filter(|folder| !is_in_skill(folder)) {
        match root.skill(folder) {
            Ok(skill) => skills.push(skill),
            Err((path, finding)) => no_skills.push(NoSkill { at: root.named(folder), path: path.into(), finding }),
        }
    }
    for one in &mut no_skills {
        one.path = root.shown(&one.path);
    }
    if skills.is_empty() && no_skills.is_empty() {
        let hint = match extent {
            Extent::NotIgnored => "; what .gitignore, .ignore and .skillignore name is left out without --no-ignore",
            Extent::Everything => "",
        };
        return Err(invalid!("there is no SKILL.md in {} or in a folder below it{hint}", folder.display()));
    }
    skills.sort_by(|one, two| one.skill.cmp(&two.skill));
    no_skills.sort_by(|one, two| (&one.at, &one.path).cmp(&(&two.at, &two.path)));
    Ok(FolderScan { skills, no_skills })
}

/// The error of a folder, or of a SKILL.md, that is not there.
pub(crate) fn missing(named: &LocalPath) -> Error {
    let kind = if named.ends_with(MAIN) { "file" } else { "folder" };
    Error::new(Code::FileNotFound, format!("there is no {kind} {}", named.display()))
}

/// The folder that is scanned. The paths of its entries begin with it.
struct Root {
    folder: LocalPath,
    /// Its own name, if it is Unicode.
    name: Option<String>,
    /// The category that its skills are put in; may be empty.
    base: String,
    extent: Extent,
}

impl Root {
    fn for_path(named: LocalPath, into: Option<&str>, extent: Extent) -> Result<Self> {
        let mut real = named.canonicalize().map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => missing(&named),
            _ => unreadable(&named, error),
        })?;
        let mut folder = named.clone();
        if real.is_file() {
            if !real.file_name().is_some_and(|name| name.eq_ignore_ascii_case(MAIN)) {
                return Err(invalid!("{} is a file: name the folder of a skill, or its SKILL.md", named.display()));
            }
            real.pop();
            folder = named.parent().unwrap_or(named);
        }
        let folder = folder.or_here();
        let name = real.file_name().and_then(|name| name.to_str()).map(str::to_owned);
        let base = into.map(|into| into.trim_matches('/')).unwrap_or_default().to_owned();
        Ok(Self { folder, name, base, extent })
    }

    /// Each SKILL.md as deep as a skill may lie, and what is none. Names are those of the listing: a disk that ignores case
    /// would answer to `SKILL.md` whatever the file is called, and a store does not.
    fn look(&self) -> Result<(Vec<PathBuf>, Vec<NoSkill>)> {
        let (mut mains, mut no_skills) = (Vec::new(), Vec::new());
        for entry in self.walk(&self.folder, Some(SKILL_DEPTH + 1)) {
            let entry = match entry {
                Ok(entry) => entry,
                Err(error) => {
                    no_skills.push(self.closed(error)?);
                    continue;
                }
            };
            if entry.depth() <= SKILL_DEPTH && (entry.depth() == 0 || is_folder(&entry)) {
                let of_version = self.of_version(entry.path(), Some(1)).into_iter().flatten().flatten();
                mains.extend(of_version.filter(|one| one.file_name() == MAIN && is_file(one)).map(DirEntry::into_path));
            }
            // A name that is not Unicode cannot be a skill path, and holds no skill that anybody could name.
            let Some(name) = entry.file_name().to_str().filter(|_| entry.depth() > 0) else { continue };
            let is_link = entry.path_is_symlink();
            if !is_link && name == MAIN && is_file(&entry) {
                mains.push(entry.into_path());
                continue;
            }
            let finding = if is_link { link(&entry) } else { misnamed(name).filter(|_| is_file(&entry)) };
            // A link stands for a folder, or for the file that makes one a skill.
            let stands_for_folder = is_link && !name.eq_ignore_ascii_case(MAIN);
            let folder = if stands_for_folder { Some(entry.path()) } else { entry.path().parent() };
            if let (Some(finding), Some(at)) = (finding, folder.and_then(|folder| self.place(folder))) {
                no_skills.push(NoSkill { at, path: entry.into_path().into(), finding });
            }
        }
        Ok((mains, no_skills))
    }

    /// An unreadable folder below this folder.
    ///
    /// # Errors
    /// `invalid_request` if it is this one.
    fn closed(&self, error: ignore::Error) -> Result<NoSkill> {
        match place_of(&error).map(Path::to_owned).filter(|path| path != self.folder.place()) {
            None => Err(unreadable(&self.folder, error)),
            Some(path) => Ok(NoSkill { at: self.named(&path), finding: unread(&error), path: path.into() }),
        }
    }

    /// The skill in `folder` with all its files.
    ///
    /// # Errors
    /// The fault of the skill, and its path.
    fn skill(&self, folder: &Path) -> Result<LocalSkill, (PathBuf, Diagnostic)> {
        let skill = self.skill_path(folder).map_err(|finding| (folder.join(MAIN), finding))?;
        let mut skill = LocalSkill { skill, files: Vec::new(), skipped: Vec::new() };
        let of_version = self.of_version(folder, None).into_iter().flatten();
        let mut seen = HashSet::new();
        for entry in self.walk(folder, None).chain(of_version) {
            let closed = |error: ignore::Error| (place_of(&error).unwrap_or(folder).to_owned(), unread(&error));
            let entry = entry.map_err(closed)?;
            let is_inner = entry.file_type().is_some_and(|kind| !kind.is_dir()) && entry.depth() > 0;
            if !is_inner || !seen.insert(entry.path().to_owned()) {
                continue;
            }
            let Some(relative) = relative(folder, entry.path()) else {
                let path = self.folder.at(entry.path());
                skill.skipped.push(format!("{} (the name is not Unicode)", path.display()));
                continue;
            };
            if is_file(&entry) {
                let size = entry.metadata().map_err(closed)?.len();
                skill.files.push(LocalFile { relative, path: self.shown(entry.path()), size });
            } else {
                skill.skipped.push(format!("{relative} (neither a file nor a folder; links are not followed)"));
            }
        }
        if skill.files.len() > SKILL_FILES {
            let message = format!("the skill has more than {SKILL_FILES} files: split it into several");
            return Err((folder.join(MAIN), Diagnostic::new(FindingCode::TooManyFiles, message)));
        }
        skill.files.sort_by(|one, two| one.relative.cmp(&two.relative));
        Ok(skill)
    }

    /// The skill path of `folder`, or why it has none.
    fn skill_path(&self, folder: &Path) -> Result<SkillPath, Diagnostic> {
        let unusable = |why: &str| Diagnostic::new(FindingCode::PathInvalid, format!("{why}: rename the folder"));
        let at = self.place(folder).ok_or_else(|| unusable("the name of this folder is not Unicode"))?;
        SkillPath::parse(&at).map_err(|error| unusable(error.message()))
    }

    /// All entries of `folder`, without entries of tools. Links are not followed.
    fn walk(&self, folder: &Path, depth: Option<usize>) -> Walk {
        let mut builder = WalkBuilder::new(folder);
        builder.standard_filters(false).require_git(false).max_depth(depth);
        builder.filter_entry(|entry| entry.depth() == 0 || !entry.file_name().to_str().is_some_and(is_of_tools));
        if self.extent == Extent::NotIgnored {
            // Not the lists of a machine and of a clone: the pushed files must not depend on the person who pushes.
            builder.parents(true).ignore(true).git_ignore(true);
            builder.add_custom_ignore_filename(SKILL_IGNORE);
        }
        builder.build()
    }

    /// The files in `folder` that belong to the known version of the folder. `None` if the scan reads everything, since
    /// it finds them anyway.
    fn of_version(&self, folder: &Path, depth: Option<usize>) -> Option<Walk> {
        if self.extent == Extent::Everything {
            return None;
        }
        // A memory that cannot be read names nothing here. A push reads it again, and is refused for it.
        let known = remembered(&self.folder.at(folder)).ok().flatten()?;
        let files = known.files.keys().filter(|path| !is_of_tools(path));
        // With the folders on the way to each.
        let wanted: HashSet<PathBuf> =
            files.flat_map(|path| Path::new(path).ancestors().map(|part| folder.join(part))).collect();
        let mut builder = WalkBuilder::new(folder);
        builder.standard_filters(false).max_depth(depth);
        builder.filter_entry(move |entry| wanted.contains(entry.path()));
        Some(builder.build())
    }

    /// The place of `folder` below `skills/`. `folder` is this folder or lies in it.
    fn place(&self, folder: &Path) -> Option<String> {
        let below = relative(&self.folder, folder)?;
        let below = if below.is_empty() { self.name.as_ref()? } else { &below };
        let is_in_base = below.strip_prefix(&self.base).is_some_and(|rest| rest.starts_with('/'));
        // A folder that a pull made lies in its category already.
        Some(if self.base.is_empty() || is_in_base { below.clone() } else { format!("{}/{below}", self.base) })
    }

    /// The same for people: characters that are not Unicode are replaced.
    fn named(&self, folder: &Path) -> String {
        let below = folder.strip_prefix(self.folder.place()).ok().filter(|below| !below.as_os_str().is_empty());
        self.place(folder).unwrap_or_else(|| below.unwrap_or(self.folder.typed()).to_string_lossy().into_owned())
    }

    /// A path in the form in which the caller named this folder. It begins with `./` only if the caller wrote that.
    fn shown(&self, path: &Path) -> LocalPath {
        let path = self.folder.at(path);
        if self.folder.typed() == Path::new(".") { path.without_here() } else { path }
    }
}

/// The path of `path` below `folder`, with `/`; `None` if it is not Unicode.
fn relative(folder: &Path, path: &Path) -> Option<String> {
    let names: Option<Vec<_>> = path.strip_prefix(folder).ok()?.iter().map(|name| name.to_str()).collect();
    Some(names?.join("/"))
}

fn is_file(entry: &DirEntry) -> bool {
    entry.file_type().is_some_and(|kind| kind.is_file())
}

fn is_folder(entry: &DirEntry) -> bool {
    entry.file_type().is_some_and(|kind| kind.is_dir())
}

/// A link that leads to a folder, or that stands for a SKILL.md. Where it leads is only looked at, never read.
fn link(entry: &DirEntry) -> Option<Diagnostic> {
    let path = entry.path();
    let is_main = entry.file_name().eq_ignore_ascii_case(MAIN);
    if !is_main && !fs::metadata(path).is_ok_and(|target| target.is_dir()) {
        return None;
    }
    let target = fs::read_link(path).map(|target| format!(" to {}", target.display())).unwrap_or_default();
    let message = format!(
        "this is a link{target}, and links are not followed: a link could publish any file of this machine; name the folder \
         it leads to, or put a copy here"
    );
    Some(Diagnostic::new(FindingCode::LinkNotFollowed, message))
}

/// The path that an error of a walk is about, if it says so.
fn place_of(error: &ignore::Error) -> Option<&Path> {
    match error {
        ignore::Error::WithPath { path, .. } => Some(path),
        ignore::Error::WithDepth { err, .. } | ignore::Error::WithLineNumber { err, .. } => place_of(err),
        _ => None,
    }
}

/// The finding on an entry that a walk could not read.
fn unread(error: &ignore::Error) -> Diagnostic {
    let why = error.io_error().map_or_else(|| error.to_string(), ToString::to_string);
    Diagnostic::new(FindingCode::Unreadable, format!("this cannot be read: {why}"))
}

fn unreadable(path: &LocalPath, error: impl std::error::Error + Send + Sync + 'static) -> Error {
    invalid!("{} cannot be read", path.display()).with_source(error)
}

#[cfg(test)]
mod tests;

//! A folder as it is seen through the symbolic links in it.
//!
//! A link is followed if its target lies in the folder too, so that a skill may share a file with another. A link is
//! left out, with the reason, if the target is outside the folder, missing, or a folder above the link. A path goes
//! through [`FOLDER_LINKS`] links at most, so that links which lead to each other cannot make a small folder endless.

use std::{
    fmt, fs, io,
    path::{Path, PathBuf},
};

use crate::{
    Cause, GetOptions, ListEntry, Metadata, Object, ObjectMeta, StoreError, StoreResult,
    directory::{FileStamp, OWN, open_seen, read_version},
    disk::{failed, failed_at},
};
use skillmount_base::{
    limits::{FOLDER_LINKS, LIST_OBJECTS},
    path::is_of_tools,
};

/// How often a read starts again because the file was replaced, before it gives up.
const ATTEMPTS: usize = 100;

/// The folder, by its real path.
#[derive(Clone, Debug)]
pub(super) struct View {
    root: PathBuf,
}

/// The files and links seen below one folder.
#[derive(Debug, Default)]
pub(super) struct FolderView {
    /// The files, in byte order of their keys, which begin after the folder of the view.
    pub(super) entries: Vec<ListEntry>,
    /// The links that are not followed.
    pub(super) left_out: Vec<SkippedLink>,
    /// Whether a file was reached through a link.
    pub(super) has_links: bool,
}

/// A link that is not followed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SkippedLink {
    /// Where it lies below the folder.
    pub link: String,
    /// Why it is not followed.
    pub why: WhyLeftOut,
}

/// Why a link is not followed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WhyLeftOut {
    /// It points to this path, which lies elsewhere.
    Leaves(PathBuf),
    /// It points to nothing.
    Dangles,
    /// It points to a folder above itself.
    Circle,
    /// The path to it goes through links already.
    TooManyLinks,
}

impl fmt::Display for WhyLeftOut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Leaves(target) => write!(f, "leaves the folder, to {}", target.display()),
            Self::Dangles => f.write_str("points to nothing"),
            Self::Circle => f.write_str("points to a folder that it lies in"),
            Self::TooManyLinks => write!(f, "lies behind {FOLDER_LINKS} other links"),
        }
    }
}

/// A folder on the way along a key: the real folders from the root to it, and the links gone through.
#[derive(Clone, Debug)]
struct Way {
    folders: Vec<PathBuf>,
    links: usize,
}

/// The meaning of a name in a folder.
enum Spot {
    Folder(Way),
    File { path: PathBuf, found: fs::Metadata, links: usize },
    LeftOut(WhyLeftOut),
    Nothing,
}

impl View {
    /// The folder `root`, whose real path this is.
    pub(super) fn new(root: PathBuf) -> Self {
        Self { root }
    }

    /// The version of the file `relative`, and its bytes as `options` want them.
    pub(super) fn get(&self, relative: &str, options: &GetOptions) -> StoreResult<Object> {
        for _ in 0..ATTEMPTS {
            let Some((path, seen)) = self.file(relative)? else { return Err(StoreError::NotFound) };
            let Some((mut file, version)) = open_seen(&path, &seen)? else { continue };
            if let Some((range, bytes)) = read_version(&mut file, version, options)? {
                return Ok(Object { meta: version.meta(Metadata::new()), range, bytes });
            }
        }
        Err(StoreError::Busy)
    }

    /// The version of the file `relative`.
    pub(super) fn head(&self, relative: &str) -> StoreResult<ObjectMeta> {
        let Some((_, found)) = self.file(relative)? else { return Err(StoreError::NotFound) };
        Ok(FileStamp::from_metadata(&found).map_err(failed)?.meta(Metadata::new()))
    }

    /// Everything below the folder `relative`, which ends in `/` or is empty.
    ///
    /// # Errors
    /// Those of the disk; `FolderGone` if the folder of the view is; `Unsupported` for more files than one listing may have.
    pub(super) fn walk(&self, relative: &str) -> StoreResult<FolderView> {
        let mut seen = FolderView::default();
        let Some(way) = self.folder(relative)? else { return Ok(seen) };
        let mut open = vec![(relative.to_owned(), way)];
        while let Some((prefix, way)) = open.pop() {
            let Some(folder) = way.folders.last() else { continue };
            for name in self.names(folder)? {
                let key = format!("{prefix}{name}");
                match self.step(&way, &name)? {
                    Spot::Folder(below) => open.push((format!("{key}/"), below)),
                    Spot::File { found, links, .. } => {
                        let version = FileStamp::from_metadata(&found).map_err(failed)?;
                        seen.has_links |= links > 0;
                        seen.entries.push(version.entry(key));
                    }
                    Spot::LeftOut(why) => seen.left_out.push(SkippedLink { link: key, why }),
                    Spot::Nothing => {}
                }
            }
            if seen.entries.len() > LIST_OBJECTS {
                let message = format!("more than {LIST_OBJECTS} files lie in a folder of skills; serve a smaller one");
                return Err(StoreError::Unsupported(message));
            }
        }
        seen.entries.sort_unstable_by(|one, other| one.key.cmp(&other.key));
        seen.left_out.sort_unstable_by(|one, other| one.link.cmp(&other.link));
        Ok(seen)
    }

    /// The first link on the path `relative`, followed or not.
    pub(super) fn link_on(&self, relative: &str) -> StoreResult<Option<String>> {
        let ends = relative.match_indices('/').map(|(end, _)| end).chain([relative.len()]);
        for path in ends.filter_map(|end| relative.get(..end)) {
            match fs::symlink_metadata(self.root.join(path)) {
                Ok(found) if found.is_symlink() => return Ok(Some(path.to_owned())),
                Ok(_) => {}
                Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
                Err(error) => return Err(failed(error)),
            }
        }
        Ok(None)
    }

    /// The names in a folder. A folder that was removed since its parent was read has none. The folder of the view must
    /// be there.
    fn names(&self, folder: &Path) -> StoreResult<Vec<String>> {
        let entries = match fs::read_dir(folder) {
            Err(error) if error.kind() == io::ErrorKind::NotFound && folder == self.root => {
                return Err(StoreError::not_applied(error).because(Cause::FolderGone));
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            entries => entries.map_err(failed_at(folder))?,
        };
        let names = entries.map(|entry| entry.map(|entry| entry.file_name().into_string().ok()));
        names.filter_map(Result::transpose).collect::<io::Result<_>>().map_err(failed_at(folder))
    }

    fn start(&self) -> Way {
        Way { folders: vec![self.root.clone()], links: 0 }
    }

    fn folder(&self, relative: &str) -> StoreResult<Option<Way>> {
        let mut way = self.start();
        for name in relative.split('/').filter(|name| !name.is_empty()) {
            match self.step(&way, name)? {
                Spot::Folder(below) => way = below,
                Spot::File { .. } | Spot::LeftOut(_) | Spot::Nothing => return Ok(None),
            }
        }
        Ok(Some(way))
    }

    fn file(&self, relative: &str) -> StoreResult<Option<(PathBuf, fs::Metadata)>> {
        let (above, name) = relative.rsplit_once('/').unwrap_or(("", relative));
        let Some(way) = self.folder(above)? else { return Ok(None) };
        match self.step(&way, name)? {
            Spot::File { path, found, .. } => Ok(Some((path, found))),
            Spot::Folder(_) | Spot::LeftOut(_) | Spot::Nothing => Ok(None),
        }
    }

    /// Looks up `name` in the folder at the end of `way`.
    fn step(&self, way: &Way, name: &str) -> StoreResult<Spot> {
        let Some(folder) = way.folders.last() else { return Ok(Spot::Nothing) };
        if is_own(name) {
            return Ok(Spot::Nothing);
        }
        let path = folder.join(name);
        match fs::symlink_metadata(&path) {
            Ok(found) if found.is_symlink() => Ok(self.follow(way, &path)),
            Ok(found) => Ok(spot(way, path, found, 0)),
            Err(error) if is_missing(&error) => Ok(Spot::Nothing),
            Err(error) => Err(failed_at(&path)(error)),
        }
    }

    fn follow(&self, way: &Way, link: &Path) -> Spot {
        if way.links == FOLDER_LINKS {
            return Spot::LeftOut(WhyLeftOut::TooManyLinks);
        }
        // The system reports a link in a circle of links as a dangling link.
        let Ok(target) = fs::canonicalize(link) else { return Spot::LeftOut(WhyLeftOut::Dangles) };
        let Ok(inside) = target.strip_prefix(&self.root) else { return Spot::LeftOut(WhyLeftOut::Leaves(target)) };
        if inside.components().any(|part| part.as_os_str().to_str().is_some_and(is_own)) {
            return Spot::Nothing;
        }
        if way.folders.iter().any(|folder| folder.starts_with(&target)) {
            return Spot::LeftOut(WhyLeftOut::Circle);
        }
        match fs::symlink_metadata(&target) {
            Ok(found) => spot(way, target, found, 1),
            Err(_) => Spot::LeftOut(WhyLeftOut::Dangles),
        }
    }
}

/// Whether a file or folder of this name is the store's or a tool's.
pub(super) fn is_own(name: &str) -> bool {
    name == OWN || is_of_tools(name)
}

fn spot(way: &Way, path: PathBuf, found: fs::Metadata, links: usize) -> Spot {
    let links = way.links + links;
    if found.is_file() {
        return Spot::File { path, found, links };
    }
    if !found.is_dir() {
        return Spot::Nothing;
    }
    let folders = way.folders.iter().cloned().chain([path]).collect();
    Spot::Folder(Way { folders, links })
}

fn is_missing(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

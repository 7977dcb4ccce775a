//! Writing pulled files: only below the target, never through a link, never half.

use std::{
    collections::HashSet,
    fs,
    io::{self, Write},
    path::{Component, Path},
};

use serde::Serialize;

use crate::{
    error::{Code, Error, Result},
    local_path::LocalPath,
    path::is_of_tools,
    skill::folded,
};

/// Whether this machine's disks usually take `A` and `a` for one name.
const FOLDS_CASE: bool = cfg!(any(target_os = "macos", windows));

/// The folder that a pull writes to.
#[derive(Clone, Debug)]
pub(crate) struct PullFolder {
    root: LocalPath,
}

impl PullFolder {
    /// The folder `root`, which need not exist yet.
    pub(crate) fn new(root: LocalPath) -> Self {
        Self { root }
    }

    /// The folder `root`, made now, with those above it.
    ///
    /// # Errors
    /// `already_exists` where anything has that name, `invalid_request` where the disk fails.
    pub(crate) fn create(root: LocalPath) -> Result<Self> {
        if let Some(above) = root.parent() {
            fs::create_dir_all(&above).map_err(|error| failed(&above, error))?;
        }
        match fs::create_dir(&root) {
            Ok(()) => Ok(Self { root }),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                Err(Error::new(Code::AlreadyExists, format!("{} exists already", root.display())))
            }
            Err(error) => Err(failed(&root, error)),
        }
    }

    /// The bytes of the file at `relative`, or `None` if there is no file.
    ///
    /// # Errors
    /// `invalid_request` where the name cannot be held, a link is in the way, or the disk fails.
    pub(crate) fn read(&self, relative: &str) -> Result<Option<Vec<u8>>> {
        let path = self.checked(relative)?;
        read_if_there(&path).map_err(|error| failed(&path, error))
    }

    /// Puts `bytes` at `relative`: whole or not at all. A file that is replaced passes on its permissions. `unique` names
    /// the file while it grows.
    ///
    /// # Errors
    /// As [`read`](Self::read).
    pub(crate) fn write(&self, relative: &str, bytes: &[u8], unique: u128) -> Result<()> {
        replace_whole(&self.checked(relative)?, bytes, unique)
    }

    /// Removes the file at `relative`, and the folders above it that are empty then.
    ///
    /// # Errors
    /// As [`read`](Self::read).
    pub(crate) fn remove(&self, relative: &str) -> Result<()> {
        let path = self.checked(relative)?;
        match fs::remove_file(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(failed(&path, error)),
            _ => {}
        }
        let above = path.ancestors().skip(1).take_while(|above| *above != self.root.place());
        // A folder that is not empty stays, with the folders above it.
        let _ = above.map(fs::remove_dir).find(io::Result::is_err);
        Ok(())
    }

    /// Where a folder of it lies on this disk.
    pub(crate) fn folder(&self, relative: &str) -> LocalPath {
        if relative.is_empty() { self.root.clone() } else { self.root.join(relative) }
    }

    /// The path of `relative` on disk, after a check that the path lies below the root.
    fn checked(&self, relative: &str) -> Result<LocalPath> {
        let mut path = self.root.clone();
        for segment in relative.split('/') {
            path = path.join(local_name(segment, relative)?);
            if fs::symlink_metadata(&path).is_ok_and(|meta| meta.is_symlink()) {
                return Err(invalid!("{} is a link, and a pull writes through none; remove it first", path.display()));
            }
        }
        Ok(path)
    }
}

/// Puts `bytes` at `path`: whole or not at all.
///
/// # Errors
/// `invalid_request` where the disk fails.
pub(crate) fn replace_whole(path: &LocalPath, bytes: &[u8], unique: u128) -> Result<()> {
    let folder = path.parent().unwrap_or_else(|| path.clone());
    fs::create_dir_all(&folder).map_err(|error| failed(&folder, error))?;
    let growing = folder.join(format!(".skillmount-{unique:032x}"));
    let permissions = fs::metadata(path).ok().map(|meta| meta.permissions());
    let written = fs::File::create_new(&growing)
        .and_then(|mut file| {
            // Before the first byte, so that no other account reads it in between.
            permissions.map_or(Ok(()), |permissions| file.set_permissions(permissions))?;
            file.write_all(bytes)?;
            file.sync_all()
        })
        .and_then(|()| fs::rename(&growing, path));
    written.map_err(|error| {
        // The half-written file is ours alone; if even removing it fails, the first failure is the one to report.
        let _ = fs::remove_file(&growing);
        failed(path, error)
    })
}

/// The bytes of the file at `path`; `None` if there is no file.
///
/// # Errors
/// Those of the disk.
pub(crate) fn read_if_there(path: &Path) -> io::Result<Option<Vec<u8>>> {
    match fs::read(path) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// The text of a JSON file that people read too.
///
/// # Errors
/// `internal` if the value is none of JSON.
pub(crate) fn json_text(value: &impl Serialize) -> Result<Vec<u8>> {
    let mut text = serde_json::to_vec_pretty(value).map_err(Error::internal)?;
    text.push(b'\n');
    Ok(text)
}

/// Checks that the disk can hold all of these names side by side.
///
/// # Errors
/// `invalid_request`, naming the two that would be one.
pub(crate) fn check_names<'name>(names: impl IntoIterator<Item = &'name str>) -> Result<()> {
    check_names_on(FOLDS_CASE, names)
}

fn check_names_on<'name>(folds_case: bool, names: impl IntoIterator<Item = &'name str>) -> Result<()> {
    let mut seen = HashSet::new();
    for name in names {
        if folds_case && !seen.insert(folded(name)) {
            return Err(invalid!(
                "{name} and another file are one name to this disk, which ignores case; rename one of them"
            ));
        }
    }
    Ok(())
}

/// Returns `segment` if the disk takes it for exactly one name. On Windows this fails for `a\b` and `C:`.
fn local_name<'name>(segment: &'name str, relative: &str) -> Result<&'name str> {
    let mut components = Path::new(segment).components();
    let plain =
        matches!((components.next(), components.next()), (Some(Component::Normal(name)), None) if name == segment);
    if plain && !is_of_tools(segment) {
        return Ok(segment);
    }
    let why = if plain { "belongs to a tool that would act on it" } else { "cannot be a file name on this machine" };
    Err(invalid!("{relative} is not pulled: {segment:?} {why}"))
}

/// The error of a disk that fails at `path`.
pub(crate) fn failed(path: &LocalPath, error: io::Error) -> Error {
    invalid!("{} cannot be written or read", path.display()).with_source(error)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_back_and_nothing_else_is_left() {
        let folder = tempfile::tempdir().unwrap();
        let target = PullFolder::new(folder.path().join("new").into());
        assert_eq!(target.read("a/b.md").unwrap(), None);
        target.write("a/b.md", b"one", 1).unwrap();
        target.write("a/b.md", b"two", 2).unwrap();
        assert_eq!(target.read("a/b.md").unwrap().unwrap(), b"two");
        assert_eq!(fs::read_dir(folder.path().join("new/a")).unwrap().count(), 1);
    }

    #[test]
    fn names_that_would_escape_or_wake_a_tool_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let target = PullFolder::new(folder.path().into());
        for bad in ["../x", "a/../../x", "/etc/x", "a//b", "", ".", ".git/hooks/pre-commit", "a/.GIT/config"] {
            assert_eq!(target.write(bad, b"x", 1).unwrap_err().code(), Code::InvalidRequest, "{bad}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_file_that_is_replaced_keeps_its_permissions() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().unwrap();
        let target = PullFolder::new(folder.path().into());
        for mode in [0o600, 0o755] {
            target.write("a", b"one", 1).unwrap();
            fs::set_permissions(folder.path().join("a"), fs::Permissions::from_mode(mode)).unwrap();
            target.write("a", b"two", 1).unwrap();
            assert_eq!(target.read("a").unwrap().unwrap(), b"two");
            assert_eq!(fs::metadata(folder.path().join("a")).unwrap().permissions().mode() & 0o777, mode);
        }
    }

    #[cfg(unix)]
    #[test]
    fn links_are_never_written_through() {
        let (folder, outside) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        std::os::unix::fs::symlink(outside.path(), folder.path().join("a")).unwrap();
        let target = PullFolder::new(folder.path().into());
        assert!(target.write("a/b", b"x", 1).is_err());
        assert_eq!(fs::read_dir(outside.path()).unwrap().count(), 0);
    }

    #[test]
    fn names_that_a_case_folding_disk_would_merge_are_refused_there() {
        for twins in [["a/B", "a/b"], ["λόγος", "λόγοσ"], ["ſaft", "saft"], ["\u{b5}", "\u{3bc}"]] {
            assert!(check_names_on(true, twins).is_err(), "{twins:?}");
        }
        assert!(check_names_on(false, ["a/B", "a/b"]).is_ok());
    }
}

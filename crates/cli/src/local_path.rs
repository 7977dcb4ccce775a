//! Paths on this machine as callers type them.

use std::{
    ops::Deref,
    path::{Display, Path, PathBuf},
};

use serde::{Serialize, Serializer};

/// A path that a caller typed, and the path that the program opens. It is used as the place, and shown as it was typed.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct LocalPath {
    typed: PathBuf,
    place: PathBuf,
}

impl LocalPath {
    /// The path `typed`, which begins at `current_dir` if it is relative.
    pub(super) fn new(current_dir: &Path, typed: PathBuf) -> Self {
        Self { place: current_dir.join(&typed), typed }
    }

    /// The path as it was typed, to be shown.
    pub(super) fn display(&self) -> Display<'_> {
        self.typed.display()
    }

    /// The path as it was typed.
    pub(super) fn typed(&self) -> &Path {
        &self.typed
    }

    /// Where it is.
    pub(super) fn place(&self) -> &Path {
        &self.place
    }

    /// A path below this one.
    pub(super) fn join(&self, below: impl AsRef<Path>) -> Self {
        Self { typed: self.typed.join(&below), place: self.place.join(&below) }
    }

    /// The same path, or `.` if it is empty.
    pub(super) fn or_here(self) -> Self {
        let or_here = |path: PathBuf| if path.as_os_str().is_empty() { PathBuf::from(".") } else { path };
        Self { typed: or_here(self.typed), place: or_here(self.place) }
    }

    /// The path at `place`, which is this path or lies below it.
    pub(super) fn at(&self, place: &Path) -> Self {
        match place.strip_prefix(&self.place) {
            Ok(below) if below.as_os_str().is_empty() => self.clone(),
            Ok(below) => Self { typed: self.typed.join(below), place: place.to_owned() },
            Err(_) => Self::from(place.to_owned()),
        }
    }

    /// The same place, shown without the `.` that it begins with.
    pub(super) fn without_here(self) -> Self {
        let typed = self.typed.strip_prefix(".").unwrap_or(&self.typed).to_owned();
        Self { typed, place: self.place }
    }

    /// The folder around it, if there is a folder.
    pub(super) fn parent(&self) -> Option<Self> {
        let (typed, place) = (self.typed.parent()?, self.place.parent()?);
        Some(Self { typed: typed.to_owned(), place: place.to_owned() })
    }
}

impl Deref for LocalPath {
    type Target = Path;

    fn deref(&self) -> &Path {
        &self.place
    }
}

impl AsRef<Path> for LocalPath {
    fn as_ref(&self) -> &Path {
        &self.place
    }
}

impl From<&Path> for LocalPath {
    /// A whole path, which is shown as it is.
    fn from(whole: &Path) -> Self {
        whole.to_owned().into()
    }
}

impl From<PathBuf> for LocalPath {
    /// A whole path, which is shown as it is.
    fn from(whole: PathBuf) -> Self {
        Self { typed: whole.clone(), place: whole }
    }
}

impl Serialize for LocalPath {
    /// As it is shown.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.typed.serialize(serializer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(typed: &str) -> LocalPath {
        LocalPath::new(Path::new("/here"), typed.into())
    }

    fn both(path: &LocalPath) -> (String, &Path) {
        (path.display().to_string(), path.place())
    }

    #[test]
    fn a_relative_path_begins_at_the_folder_and_is_shown_as_typed() {
        assert_eq!(both(&path("a/b")), ("a/b".to_owned(), Path::new("/here/a/b")));
        assert_eq!(both(&path("/a")), ("/a".to_owned(), Path::new("/a")));
        assert_eq!(both(&path("a").join("b")), ("a/b".to_owned(), Path::new("/here/a/b")));
        assert_eq!(both(&path("a").parent().unwrap().or_here()), (".".to_owned(), Path::new("/here")));
        assert_eq!(both(&LocalPath::new(Path::new(""), "a".into())), ("a".to_owned(), Path::new("a")));
    }

    #[test]
    fn what_lies_below_is_shown_below() {
        assert_eq!(both(&path("./a").at(Path::new("/here/a/b"))), ("./a/b".to_owned(), Path::new("/here/a/b")));
        assert_eq!(both(&path(".").at(Path::new("/here/b")).without_here()), ("b".to_owned(), Path::new("/here/b")));
        assert_eq!(both(&path("a").at(Path::new("/here/a"))), ("a".to_owned(), Path::new("/here/a")));
        assert_eq!(both(&path("a").at(Path::new("/else"))), ("/else".to_owned(), Path::new("/else")));
    }
}

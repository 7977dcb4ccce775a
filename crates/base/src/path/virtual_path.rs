//! Virtual paths, as agents write them.

use std::sync::Arc;

use super::{id::quoted, segment};
use crate::{
    error::{Code, Error, Result},
    limits::PATH_BYTES,
};

/// An absolute, already normal path: `/` or `/a/b`, no trailing slash.
///
/// * begins with `/`
/// * no empty, `.` or `..` segment, so no second name for the same file
/// * no NUL or control character; every other character is kept byte for byte
/// * segments up to 255 bytes
///
/// ```
/// use skillmount_base::path::VirtualPath;
/// let path = VirtualPath::parse("/workspace/[...slug].ts")?;
/// assert_eq!(path.file_name(), Some("[...slug].ts"));
/// assert!(VirtualPath::parse("/workspace/../u2").is_err());
/// # Ok::<(), skillmount_base::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct VirtualPath(Arc<str>);

impl VirtualPath {
    /// The root, `/`.
    #[must_use]
    pub fn root() -> Self {
        Self(Arc::from("/"))
    }

    /// Checks `text`. One trailing slash is ignored, because many clients write folders that way.
    ///
    /// # Errors
    /// `invalid_path`, with the fault and the form of a path.
    pub fn parse(text: &str) -> Result<Self> {
        if text.len() > PATH_BYTES {
            return Err(invalid(text, "a path over 2048 bytes"));
        }
        let Some(relative) = text.strip_prefix('/') else {
            return Err(invalid(text, "a relative path"));
        };
        if relative.is_empty() {
            return Ok(Self::root());
        }
        let relative = relative.strip_suffix('/').unwrap_or(relative);
        match segment::fault_in(relative) {
            Some(fault) => Err(invalid(text, &format!("a path with {fault}"))),
            None => Ok(Self(Arc::from(format!("/{relative}")))),
        }
    }

    /// The path as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether this is `/`.
    #[must_use]
    pub fn is_root(&self) -> bool {
        &*self.0 == "/"
    }

    /// The segments from the root down; none for `/`.
    pub fn segments(&self) -> impl Iterator<Item = &str> {
        self.0.split('/').filter(|segment| !segment.is_empty())
    }

    /// The last segment; `None` for `/`.
    #[must_use]
    pub fn file_name(&self) -> Option<&str> {
        if self.is_root() { None } else { self.0.rsplit('/').next() }
    }

    /// The rest of this path below `folder`, by whole segments: `""` for the folder itself, `None` outside it.
    #[must_use]
    pub fn below(&self, folder: &Self) -> Option<&str> {
        if folder.is_root() {
            return self.0.strip_prefix('/');
        }
        let rest = self.0.strip_prefix(&*folder.0)?;
        if rest.is_empty() { Some(rest) } else { rest.strip_prefix('/') }
    }

    /// This path and `relative` below it.
    ///
    /// # Errors
    /// `invalid_path` if the result would not be a path.
    pub fn join(&self, relative: &str) -> Result<Self> {
        if relative.is_empty() {
            return Ok(self.clone());
        }
        let base = if self.is_root() { "" } else { &*self.0 };
        Self::parse(&format!("{base}/{relative}"))
    }
}

fn invalid(text: &str, fault: &str) -> Error {
    Error::new(
        Code::InvalidPath,
        format!("{} is {fault}; give an absolute path such as /workspace/notes.md", quoted(text)),
    )
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::limits::SEGMENT_BYTES;

    // S-PATH-3: The service keeps every other name byte for byte: it decodes, normalises and folds nothing.
    #[test]
    fn legal_odd_names_round_trip_byte_for_byte() {
        for odd in [
            "/w/[...slug].ts",
            "/w/foo..bar",
            "/w/...",
            "/w/ a b ",
            "/w/🙂",
            "/w/caf\u{e9}",
            "/w/cafe\u{301}",
            "/w/~",
            "/w/C:",
            "/w/a\\b",
            "/w/%2e%2e",
        ] {
            assert_eq!(VirtualPath::parse(odd).unwrap().as_str(), odd);
        }
    }

    // S-PATH-1: A virtual path begins with `/` and is already normal: an empty, `.` or `..` segment, a NUL or
    // control character, or a segment over 255 bytes is `invalid_path`.
    #[test]
    fn paths_that_are_not_absolute_and_normal_are_refused() {
        for bad in ["", "a", "./a", "/a//b", "//", "/a//", "/a/./b", "/a/..", "/../a", "/a\0", "/a\nb", "/a\u{85}b"] {
            assert_eq!(VirtualPath::parse(bad).unwrap_err().code(), Code::InvalidPath, "{bad:?}");
        }
    }

    #[test]
    fn lengths_are_taken_at_the_limit_and_refused_beyond_it() {
        assert!(VirtualPath::parse(&format!("/{}", "s".repeat(SEGMENT_BYTES))).is_ok());
        assert!(VirtualPath::parse(&format!("/{}", "s".repeat(SEGMENT_BYTES + 1))).is_err());
        let long = "/s".repeat(PATH_BYTES / 2);
        assert!(VirtualPath::parse(&long).is_ok());
        assert!(VirtualPath::parse(&format!("{long}x")).is_err());
    }

    #[test]
    fn below_matches_whole_segments() {
        let path = |text| VirtualPath::parse(text).unwrap();
        assert_eq!(path("/skills/venta/a").below(&path("/skills/venta")), Some("a"));
        assert_eq!(path("/skills/venta").below(&path("/skills/venta")), Some(""));
        assert_eq!(path("/skillsX").below(&path("/skills")), None);
        assert_eq!(path("/a/b").below(&VirtualPath::root()), Some("a/b"));
    }

    proptest! {
        #[test]
        fn whatever_parses_is_normal(text in "(/|[a.]|\\.\\.|é|\0){0,12}") {
            if let Ok(path) = VirtualPath::parse(&text) {
                prop_assert!(path.as_str().starts_with('/'));
                prop_assert!(path.segments().all(|segment| segment::fault(segment).is_none()));
                prop_assert_eq!(VirtualPath::parse(path.as_str()).unwrap(), path);
            }
        }
    }
}

//! Object keys and the prefixes they lie under.
//!
//! A key can only be made from a prefix and a checked relative path, or by admitting a listed key that lies
//! below a prefix on a segment boundary.

use std::sync::Arc;

use super::{id::quoted, segment};
use crate::{
    error::{Code, Error, Result},
    limits::KEY_BYTES,
};

/// The name of one object, up to 1,024 bytes. A virtual path could name each of its segments.
///
/// ```
/// use skillmount_base::path::KeyPrefix;
///
/// let key = KeyPrefix::all().folder("anna")?.key("threads/chat-7/draft.md")?;
/// assert_eq!(key.as_str(), "anna/threads/chat-7/draft.md");
/// # Ok::<(), skillmount_base::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ObjectKey(Arc<str>);

impl ObjectKey {
    /// The key as the store sees it.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// A prefix of keys that ends at a segment boundary: empty, or with a `/` at the end.
///
/// ```
/// use skillmount_base::path::KeyPrefix;
///
/// let prefix = KeyPrefix::all().folder("u1")?;
/// assert_eq!(prefix.relative("u1/a.md"), Some("a.md"));
/// assert_eq!(prefix.relative("u10/a.md"), None, "a prefix ends at a segment");
/// assert!(prefix.admit("u1/a//b").is_none(), "no path could name it");
/// # Ok::<(), skillmount_base::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct KeyPrefix(Arc<str>);

impl KeyPrefix {
    /// Every key there is.
    #[must_use]
    pub fn all() -> Self {
        Self(Arc::from(""))
    }

    /// The prefix as the store sees it.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The key of the relative path `relative` below this prefix.
    ///
    /// # Errors
    /// `invalid_path` if a segment is not allowed, or if the key would be over 1,024 bytes.
    pub fn key(&self, relative: &str) -> Result<ObjectKey> {
        if let Some(fault) = segment::fault_in(relative) {
            return Err(Error::new(Code::InvalidPath, format!("{} is a path with {fault}", quoted(relative))));
        }
        self.bounded(relative).map(|key| ObjectKey(Arc::from(key)))
    }

    /// The prefix of everything below the folder `relative`; this prefix itself if `relative` is empty.
    ///
    /// # Errors
    /// As [`key`](Self::key).
    pub fn folder(&self, relative: &str) -> Result<Self> {
        if relative.is_empty() {
            return Ok(self.clone());
        }
        self.key(relative).map(|key| Self(Arc::from(format!("{key}/"))))
    }

    /// The relative name of a listed key; `None` if it does not lie below this prefix.
    #[must_use]
    pub fn relative<'key>(&self, listed: &'key str) -> Option<&'key str> {
        listed.strip_prefix(&*self.0)
    }

    /// A listed key as a key that may be asked for. `None` if it lies elsewhere, or if no virtual path could name it
    /// (`a//b`, `..` segments and the like, which other tools can write).
    #[must_use]
    pub fn admit(&self, listed: &str) -> Option<ObjectKey> {
        self.key(self.relative(listed)?).ok()
    }

    fn bounded(&self, relative: &str) -> Result<String> {
        let key = format!("{}{relative}", self.0);
        if key.len() <= KEY_BYTES {
            return Ok(key);
        }
        Err(Error::new(
            Code::InvalidPath,
            format!("{} is too long: object keys hold {KEY_BYTES} bytes; use a shorter path", quoted(relative)),
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_taken_at_the_limit_and_refused_beyond_it() {
        let folder = "f".repeat(200);
        let prefix = KeyPrefix::all().folder(&[folder.as_str(); 5].join("/")).unwrap();
        let room = KEY_BYTES - prefix.as_str().len();
        assert!(prefix.key(&"k".repeat(room)).is_ok());
        assert_eq!(prefix.key(&"k".repeat(room + 1)).unwrap_err().code(), Code::InvalidPath);
    }
}

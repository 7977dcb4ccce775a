//! A keys file on disk, which is looked at again while a service runs.

use std::{
    fmt::Display,
    fs::{self, Metadata},
    path::{Path, PathBuf},
};

use jiff::{SignedDuration, Timestamp};

use super::{Keys, digest::Digest};
use crate::{
    error::{Code, Error, Result},
    limits::KEYS_LOOK,
};

/// A keys file, and what is known of it since the last look.
#[derive(Debug)]
pub struct KeysFile {
    path: PathBuf,
    /// The name of the file in messages.
    shown: String,
    /// The version whose text was read last, if a later one cannot be taken for it.
    version: Option<Version>,
    /// The digest of that text.
    text: Digest,
    /// Whether the last look could not read it.
    is_unreadable: bool,
}

/// Shows whether a file has changed, without reading it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Version {
    changed: Timestamp,
    bytes: u64,
    /// Distinguishes a file from another that took its place; zero if the system has no such number.
    inode: u64,
}

impl KeysFile {
    /// Reads the keys file at `path` and returns it with its keys. Messages call the file `shown`.
    ///
    /// # Errors
    /// `invalid_request` if it cannot be read, or as [`Keys::from_toml`].
    pub fn open(path: PathBuf, shown: String, now: Timestamp) -> Result<(Self, Keys)> {
        // Asked before the text is read, so that a change in between counts as another version at the next look.
        let version = Version::at(&path).filter(|version| version.is_settled(now));
        let text = read_keys_text(&path, &shown)?;
        let keys = Keys::from_toml(&text)?;
        Ok((Self { path, shown, version, text: Digest::from_key(&text), is_unreadable: false }, keys))
    }

    /// Returns its keys if its text has changed since the last look. Only a file that was changed is read, so a look costs
    /// one question to the system.
    ///
    /// # Errors
    /// `invalid_request` if it cannot be read, or as [`Keys::from_toml`]. A fault is reported once, and not again while
    /// it lasts.
    pub fn refresh(&mut self, now: Timestamp) -> Result<Option<Keys>> {
        let version = Version::at(&self.path);
        if version.is_some() && version == self.version {
            return Ok(None);
        }
        let text = match read_keys_text(&self.path, &self.shown) {
            Ok(text) => text,
            Err(error) => {
                self.version = None;
                let was_unreadable = std::mem::replace(&mut self.is_unreadable, true);
                return if was_unreadable { Ok(None) } else { Err(error) };
            }
        };
        self.is_unreadable = false;
        self.version = version.filter(|version| version.is_settled(now));
        let digest = Digest::from_key(&text);
        if std::mem::replace(&mut self.text, digest) == digest {
            return Ok(None);
        }
        Keys::from_toml(&text).map(Some)
    }
}

impl Version {
    fn at(path: &Path) -> Option<Self> {
        fs::metadata(path).ok().and_then(|metadata| Self::from_metadata(&metadata))
    }

    /// On Unix by the time of the last change of any kind, which no caller can set.
    #[cfg(unix)]
    fn from_metadata(metadata: &Metadata) -> Option<Self> {
        use std::os::unix::fs::MetadataExt as _;

        let changed = Timestamp::new(metadata.ctime(), i32::try_from(metadata.ctime_nsec()).ok()?).ok()?;
        Some(Self { changed, bytes: metadata.len(), inode: metadata.ino() })
    }

    #[cfg(not(unix))]
    fn from_metadata(metadata: &Metadata) -> Option<Self> {
        Some(Self { changed: metadata.modified().ok()?.try_into().ok()?, bytes: metadata.len(), inode: 0 })
    }

    /// Whether a change after now would be seen: a clock of files is coarse, and two changes may have one time.
    fn is_settled(self, now: Timestamp) -> bool {
        let look = SignedDuration::try_from(KEYS_LOOK).unwrap_or(SignedDuration::MAX);
        now.duration_since(self.changed).abs() >= look
    }
}

/// The text of the keys file at `path`, which messages call `shown`.
///
/// # Errors
/// `invalid_request` if it cannot be read.
pub fn read_keys_text(path: &Path, shown: impl Display) -> Result<String> {
    fs::read_to_string(path).map_err(|error| {
        let message = format!("the keys file {shown} cannot be read; `skillmount keys new` prints what belongs there");
        Error::new(Code::InvalidRequest, message).with_source(error)
    })
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::{
        access::{KeyEntry, Scope},
        budget::Owner,
        clock::{Clock as _, SystemClock},
    };

    /// The text of a keys file with one new key.
    fn text() -> String {
        KeyEntry::generate(&SystemClock::new(), None, vec![Scope::Agent]).1.to_toml().unwrap()
    }

    /// A time at which a change just made is long past.
    fn later() -> Timestamp {
        SystemClock::new().now() + Duration::from_mins(1)
    }

    fn names(keys: &Keys) -> Vec<Owner> {
        keys.names().cloned().collect()
    }

    #[tokio::test]
    async fn a_file_is_read_again_when_it_has_changed_and_a_fault_is_said_once() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("keys.toml");
        assert_eq!(
            KeysFile::open(path.clone(), "keys.toml".to_owned(), later()).unwrap_err().code(),
            Code::InvalidRequest
        );
        let first = text();
        fs::write(&path, &first).unwrap();
        let (mut file, keys) = KeysFile::open(path.clone(), "keys.toml".to_owned(), later()).unwrap();
        assert!(file.refresh(later()).unwrap().is_none());

        for fault in ["[[key]]\nhash = 7\n", ""] {
            fs::write(&path, fault).unwrap();
            assert_eq!(file.refresh(later()).unwrap_err().code(), Code::InvalidRequest);
            assert!(file.refresh(later()).unwrap().is_none());
        }
        fs::remove_file(&path).unwrap();
        assert_eq!(file.refresh(later()).unwrap_err().code(), Code::InvalidRequest);
        assert!(file.refresh(later()).unwrap().is_none());
        fs::write(&path, &first).unwrap();
        assert_eq!(
            names(&file.refresh(later()).unwrap().unwrap()),
            names(&keys),
            "what was there before is taken again"
        );

        let other = folder.path().join("new");
        fs::write(&other, text()).unwrap();
        fs::rename(&other, &path).unwrap();
        assert_ne!(names(&file.refresh(later()).unwrap().unwrap()), names(&keys), "one of the same size in its place");
    }

    #[tokio::test]
    async fn a_file_that_has_not_changed_is_not_read_again() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("keys.toml");
        fs::write(&path, text()).unwrap();
        let (mut file, _) = KeysFile::open(path.clone(), "keys.toml".to_owned(), later()).unwrap();
        let version = file.version;
        assert!(version.is_some());
        // If it were read, its text would seem to be another.
        file.text = Digest::from_key("another");
        assert!(file.refresh(later()).unwrap().is_none());

        // A file changed just now may change again within the same tick of the clock of files.
        let (mut file, _) = KeysFile::open(path, "keys.toml".to_owned(), SystemClock::new().now()).unwrap();
        assert_eq!(file.version, None);
        file.text = Digest::from_key("another");
        assert!(file.refresh(later()).unwrap().is_some(), "so it is read once more");
        assert_eq!(file.version, version);
    }
}

//! The limits on reading an archive from elsewhere, and the kinds of its entries, for every format. Reasons for a
//! refusal are words that follow "the archive".

use std::fmt::Display;

use skillmount_base::limits::{SKILL_FILES, VERSION_RATIO};

/// The ratio of an archive counts from this many unpacked bytes on.
pub(super) const RATIO_FROM: u64 = 1 << 20;
/// Entries of an archive: the files, and as many folders.
pub(super) const ENTRIES: usize = 2 * SKILL_FILES;

/// An entry in the place of a file.
pub(crate) enum Member {
    /// A file, by its path.
    File(String),
    /// A link, a device or the like, by its path.
    Other(String),
}

impl Member {
    /// A file of a skill; `None` for a file of an archiver.
    pub(super) fn file(path: String) -> Option<Self> {
        (!is_of_archiver(&path)).then_some(Self::File(path))
    }
}

/// Whether an archive of `packed` bytes may not hold so many unpacked ones.
pub(crate) fn grows_too_much(packed: u64, unpacked: u64) -> bool {
    unpacked > RATIO_FROM && unpacked / VERSION_RATIO >= packed
}

/// Why an archive with a file of more than `most` bytes is refused.
pub(crate) fn longer_than(most: u64) -> String {
    format!("holds a file of over {most} bytes")
}

pub(super) fn unreadable(cause: impl Display) -> String {
    format!("cannot be read: {cause}")
}

pub(super) fn no_text(cause: impl Display) -> String {
    format!("has a name that is no text: {cause}")
}

/// Whether an archiver put an entry of this name beside the files.
pub(super) fn is_of_archiver(name: &str) -> bool {
    name.split('/').any(|part| matches!(part, "__MACOSX" | ".DS_Store"))
}

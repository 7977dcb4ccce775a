//! The numbers of a skill's versions: counted from 1 in the order in which they were published first.
//!
//! A digest names a version for ever and says nothing of its place. A number does, as the Skills APIs of other services have
//! it. A number is never given twice, not even after its version or the whole skill is deleted, so what was written down with
//! it never means other files.
//!
//! An archive is stored before its publish counts. So the archives of versions lie beside archives whose publish lost
//! to another or ended halfway. The numbers distinguish them: an archive that never had a number was never published.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::version::is_version_digest;
use skillmount_base::{json::UnknownMembers, limits::NUMBERED_VERSIONS};

/// The numbers of the versions, and the versions that had a number before.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct VersionNumbers {
    /// The last number that was given.
    last: u64,
    /// The digests of the versions that have a number.
    digests: BTreeMap<u64, String>,
    /// The digests of versions that had a number and lost it. `None` if unknown, as in heads of earlier versions of
    /// this program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    former: Option<BTreeSet<String>>,
    /// The members of a newer version.
    #[serde(flatten)]
    unknown: UnknownMembers,
}

impl VersionNumbers {
    /// Whether no number was ever given.
    #[must_use]
    pub fn is_unused(&self) -> bool {
        self.last == 0
    }

    /// Whether it says nothing, not even that no version had a number.
    pub(super) fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// The number of the version `digest`. A version without a number gets the next one. Beyond the most numbers that
    /// are kept the oldest version loses its own.
    pub fn add(&mut self, digest: &str) -> u64 {
        if let Some(number) = self.number_of(digest) {
            return number;
        }
        self.last += 1;
        self.digests.insert(self.last, digest.to_owned());
        if let Some(former) = &mut self.former {
            former.remove(digest);
        }
        if self.digests.len() > NUMBERED_VERSIONS
            && let Some((_, oldest)) = self.digests.pop_first()
        {
            self.retire([oldest]);
        }
        self.last
    }

    /// Takes the number from the version that has it.
    pub fn remove(&mut self, number: u64) {
        let digest = self.digests.remove(&number);
        self.retire(digest);
    }

    /// Takes the numbers from all versions.
    pub fn clear(&mut self) {
        let digests = std::mem::take(&mut self.digests);
        self.retire(digests.into_values());
    }

    fn retire(&mut self, digests: impl IntoIterator<Item = String>) {
        if let Some(former) = &mut self.former {
            former.extend(digests);
        }
    }

    /// Whether the former versions are unknown, or more than are kept.
    #[must_use]
    pub fn lacks_former(&self) -> bool {
        self.former.as_ref().is_none_or(|former| former.len() > NUMBERED_VERSIONS)
    }

    /// Begins to keep which versions had a number. Which of the archives `stored` had one is not known, so all count. If
    /// there are more than are kept, or if `stored` is `None`, whatever is stored counts.
    pub fn keep_former(&mut self, stored: Option<Vec<String>>) {
        let numbered: BTreeSet<&String> = self.digests.values().collect();
        let unnumbered = |stored: Vec<String>| -> BTreeSet<String> {
            stored.into_iter().filter(|digest| !numbered.contains(digest)).collect()
        };
        self.former = stored.map(unnumbered).filter(|former| former.len() <= NUMBERED_VERSIONS);
    }

    /// Whether the archive of this digest is a version: it was published, or may have been.
    #[must_use]
    pub fn is_version(&self, digest: &str) -> bool {
        self.former.as_ref().is_none_or(|former| former.contains(digest)) || self.number_of(digest).is_some()
    }

    /// The number of a version; `None` if it has none.
    #[must_use]
    pub fn number_of(&self, digest: &str) -> Option<u64> {
        self.iter().rev().find_map(|(number, one)| (one == digest).then_some(number))
    }

    /// The version that has a number.
    #[must_use]
    pub fn digest_of(&self, number: u64) -> Option<&str> {
        self.digests.get(&number).map(String::as_str)
    }

    /// Each number and its version, in their order.
    #[must_use]
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (u64, &str)> {
        self.digests.iter().map(|(number, digest)| (*number, digest.as_str()))
    }

    /// Whether it is as it is written here.
    pub(super) fn is_sound(&self) -> bool {
        let is_counted = self.digests.last_key_value().is_none_or(|(number, _)| *number <= self.last);
        is_counted
            && !self.digests.contains_key(&0)
            && self.digests.len() <= NUMBERED_VERSIONS
            && self.digests.values().chain(self.former.iter().flatten()).all(|digest| is_version_digest(digest))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn digest(number: usize) -> String {
        format!("sha256:{number:064x}")
    }

    /// Those of a skill of which nothing is stored yet.
    fn new() -> VersionNumbers {
        let mut numbers = VersionNumbers::default();
        numbers.keep_former(Some(Vec::new()));
        numbers
    }

    // S-SDK-3: Versions have numbers from 1 in the order of their first publish, and the service gives no number twice.
    #[test]
    fn no_number_is_given_twice() {
        let mut numbers = VersionNumbers::default();
        assert!(numbers.is_unused());
        assert_eq!([1, 2, 1, 3].map(|one| numbers.add(&digest(one))), [1, 2, 1, 3]);
        numbers.remove(3);
        assert_eq!((numbers.add(&digest(4)), numbers.digest_of(3)), (4, None));
        numbers.clear();
        assert_eq!((numbers.add(&digest(1)), numbers.number_of(&digest(2))), (5, None));
        assert!(numbers.is_sound());
        let read: VersionNumbers = serde_json::from_str(&serde_json::to_string(&numbers).unwrap()).unwrap();
        assert_eq!(read, numbers);
    }

    // S-LIMIT-1: Every limit stands in `crates/base/src/limits/`; the service takes n and refuses n + 1.
    #[test]
    fn the_oldest_of_too_many_versions_loses_its_number() {
        let mut numbers = VersionNumbers::default();
        for one in 0..NUMBERED_VERSIONS {
            numbers.add(&digest(one));
        }
        assert_eq!(numbers.number_of(&digest(0)), Some(1));
        numbers.add(&digest(NUMBERED_VERSIONS));
        assert_eq!((numbers.number_of(&digest(0)), numbers.number_of(&digest(1))), (None, Some(2)));
    }

    // S-PUBLISH-8: Deleting a skill keeps its versions, and a rollback to a version brings the skill back.
    // S-PUBLISH-26: An archive whose publish lost to another or ended halfway is no version, and no list names it.
    #[test]
    fn what_never_had_a_number_is_no_version_and_what_had_one_is() {
        let is_version = |numbers: &VersionNumbers, one| numbers.is_version(&digest(one));
        let mut numbers = new();
        for one in 1..=3 {
            numbers.add(&digest(one));
        }
        numbers.remove(2);
        assert!(is_version(&numbers, 1) && is_version(&numbers, 2) && !is_version(&numbers, 4));
        numbers.clear();
        assert!(is_version(&numbers, 1) && is_version(&numbers, 3) && !is_version(&numbers, 4));
        let read: VersionNumbers = serde_json::from_str(&serde_json::to_string(&numbers).unwrap()).unwrap();
        assert_eq!(read, numbers);

        // Heads of an earlier version of this program do not list former versions.
        let mut earlier: VersionNumbers = serde_json::from_str(r#"{"last":7,"digests":{}}"#).unwrap();
        assert!(earlier.lacks_former() && is_version(&earlier, 4));
        earlier.keep_former(Some(vec![digest(4)]));
        assert!(!earlier.lacks_former() && is_version(&earlier, 4) && !is_version(&earlier, 5));
    }

    // S-LIMIT-1: Every limit stands in `crates/base/src/limits/`; the service takes n and refuses n + 1.
    #[test]
    fn of_more_former_versions_than_are_kept_all_that_is_stored_counts() {
        let mut numbers = new();
        for one in 0..NUMBERED_VERSIONS {
            numbers.add(&digest(one));
        }
        numbers.clear();
        assert!(!numbers.lacks_former() && !numbers.is_version(&digest(NUMBERED_VERSIONS)));
        numbers.add(&digest(NUMBERED_VERSIONS));
        numbers.clear();
        assert!(numbers.lacks_former());
        let stored = |count: usize| Some((0..count).map(digest).collect::<Vec<_>>());
        for too_many in [stored(NUMBERED_VERSIONS + 1), None] {
            numbers.keep_former(too_many);
            assert!(numbers.lacks_former() && numbers.is_version(&digest(NUMBERED_VERSIONS + 1)));
        }
        // A version with a number does not count as a former version.
        numbers.add(&digest(0));
        numbers.keep_former(stored(NUMBERED_VERSIONS + 1));
        assert!(!numbers.lacks_former() && numbers.is_version(&digest(0)) && numbers.is_version(&digest(1)));
        assert!(!numbers.is_version(&digest(NUMBERED_VERSIONS + 1)));
    }

    #[test]
    fn numbers_that_were_never_given_are_found_out() {
        for text in [
            r#"{"last":0,"digests":{"1":"D"}}"#,
            r#"{"last":1,"digests":{"0":"D"}}"#,
            r#"{"last":1,"digests":{"1":"D"},"former":["x"]}"#,
        ] {
            let numbers: VersionNumbers = serde_json::from_str(&text.replace('D', &digest(1))).unwrap();
            assert!(!numbers.is_sound(), "{text}");
        }
    }
}

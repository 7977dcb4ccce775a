//! The numbers of a skill's versions: counted from 1 in the order in which they were published first.
//!
//! A digest names a version for ever and says nothing of its place. A number does, as the Skills APIs of other services have
//! it. A number is never given twice, not even after its version or the whole skill is deleted, so what was written down with
//! it never means other files.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::version::is_version_digest;
use crate::limits::NUMBERED_VERSIONS;

/// Which version has which number.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct VersionNumbers {
    /// The last number that was given.
    last: u64,
    /// The digests of the versions that have a number.
    digests: BTreeMap<u64, String>,
}

impl VersionNumbers {
    /// Whether no number was ever given.
    #[must_use]
    pub fn is_unused(&self) -> bool {
        self.last == 0
    }

    /// The number of the version `digest`, which is given the next one if it has none. Beyond the most numbers that are kept
    /// the oldest version loses its own.
    pub fn add(&mut self, digest: &str) -> u64 {
        if let Some(number) = self.number_of(digest) {
            return number;
        }
        self.last += 1;
        self.digests.insert(self.last, digest.to_owned());
        if self.digests.len() > NUMBERED_VERSIONS {
            self.digests.pop_first();
        }
        self.last
    }

    /// Takes the number from the version that has it.
    pub fn remove(&mut self, number: u64) {
        self.digests.remove(&number);
    }

    /// Takes the numbers from all versions.
    pub fn clear(&mut self) {
        self.digests.clear();
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
            && self.digests.values().all(|digest| is_version_digest(digest))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn digest(number: usize) -> String {
        format!("sha256:{number:064x}")
    }

    // S-SDK-3: Versions are numbered from 1 in the order in which they were published first, and no number is given twice.
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

    // S-LIMIT-1: Every limit stands in `src/limits/`, is taken at n and refused at n + 1.
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

    #[test]
    fn numbers_that_were_never_given_are_found_out() {
        for text in [r#"{"last":0,"digests":{"1":"D"}}"#, r#"{"last":1,"digests":{"0":"D"}}"#] {
            let numbers: VersionNumbers = serde_json::from_str(&text.replace('D', &digest(1))).unwrap();
            assert!(!numbers.is_sound(), "{text}");
        }
    }
}

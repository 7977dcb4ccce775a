//! The memory of an author's folder: which version its files come from.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::{
    error::{Code, Error, Result},
    path::SkillPath,
    skill::{Version, is_version_digest},
};

/// The format of this program, and the newest format that it reads.
const FORMAT: u32 = 1;

/// The version that an author's files were, when they were last the same as those of the store.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SyncBase {
    format: u32,
    /// The skill whose version it is, if an author's folder was pulled or pushed as that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    skill: Option<SkillPath>,
    /// Its digest.
    pub digest: String,
    /// Whether its store may not keep it as a version, because another tool or an agent left these files.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    is_unversioned: bool,
    /// The store of such files. Earlier versions of this program did not write it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    store: Option<StoreId>,
    /// The SHA-256 of each of its files, by path.
    pub files: BTreeMap<String, String>,
}

/// The hash of the address of a store or a server, and of a user there. It tells the skills of two stores or users apart.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoreId(String);

/// Where an author's files remember their version.
pub trait VersionMemory {
    /// The version that they come from; `None` if that is not known.
    ///
    /// # Errors
    /// Why it cannot be told.
    fn remembered(&self) -> Result<Option<SyncBase>>;

    /// Remembers a version from now on.
    ///
    /// # Errors
    /// Why it cannot be written down.
    fn remember(&mut self, version: &SyncBase) -> Result<()>;
}

impl StoreId {
    /// The hash of these parts, in their order.
    #[must_use]
    pub fn new(parts: &[&str]) -> Self {
        let mut hash = Sha256::new();
        for part in parts {
            hash.update(part.len().to_le_bytes());
            hash.update(part);
        }
        Self(format!("sha256:{}", hex::encode(hash.finalize())))
    }
}

impl SyncBase {
    /// The memory of this version.
    #[must_use]
    pub fn from_version(version: &Version) -> Self {
        let files = version.files().iter().map(|file| (file.path.clone(), file.sha256.clone()));
        let digest = version.digest().to_owned();
        Self { format: FORMAT, skill: None, digest, is_unversioned: false, store: None, files: files.collect() }
    }

    /// The same, of files that `store` may not keep as a version.
    #[must_use]
    pub fn unversioned(self, store: &StoreId) -> Self {
        Self { is_unversioned: true, store: Some(store.clone()), ..self }
    }

    /// Whether these are files that `store` had and may not keep as a version. Of a version, the store knows whether it has it.
    #[must_use]
    pub fn is_unversioned_in(&self, store: &StoreId) -> bool {
        self.is_unversioned && self.store.as_ref() == Some(store)
    }

    /// The same, of this skill.
    #[must_use]
    pub fn as_skill(self, skill: &SkillPath) -> Self {
        Self { skill: Some(skill.clone()), ..self }
    }

    /// The skill whose version it is; `None` if an earlier version of this program wrote it down.
    #[must_use]
    pub fn skill(&self) -> Option<&SkillPath> {
        self.skill.as_ref()
    }

    /// Whether it may be of this skill: earlier versions of this program did not write down of which it is.
    #[must_use]
    pub fn is_of(&self, skill: &SkillPath) -> bool {
        self.skill.as_ref().is_none_or(|known| known == skill)
    }

    /// Reads what [`to_json`](Self::to_json) wrote, which lies at `place`.
    ///
    /// # Errors
    /// `invalid_request` if it is none, or if a newer version of this program wrote it.
    pub fn from_json(bytes: &[u8], place: &str) -> Result<Self> {
        let wrong = |why: &str| {
            let message = format!("{place} {why}: delete it, and pull the skill to learn which version it comes from");
            Error::new(Code::InvalidRequest, message)
        };
        let read: Self = serde_json::from_slice(bytes).map_err(|cause| wrong("is damaged").with_source(cause))?;
        match read.format {
            FORMAT if is_version_digest(&read.digest) => Ok(read),
            newer if newer > FORMAT => Err(wrong("was written by a newer version of skillmount")),
            _ => Err(wrong("is damaged")),
        }
    }

    /// As it is written down.
    ///
    /// # Errors
    /// `internal`.
    pub fn to_json(&self) -> Result<Vec<u8>> {
        let mut text = serde_json::to_vec_pretty(self).map_err(Error::internal)?;
        text.push(b'\n');
        Ok(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::skill::VersionFile;

    #[test]
    fn what_is_written_down_is_read_again_and_nothing_else_is() {
        let known = SyncBase::from_version(&Version::new(vec![VersionFile::from_bytes("SKILL.md", b"one")]));
        assert_eq!(SyncBase::from_json(&known.to_json().unwrap(), "x").unwrap(), known);
        let [one, other] = ["a/one", "a/other"].map(|path| SkillPath::parse(path).unwrap());
        let of_one = SyncBase::from_json(&known.clone().as_skill(&one).to_json().unwrap(), "x").unwrap();
        assert!(of_one.is_of(&one) && !of_one.is_of(&other) && known.is_of(&other));
        let [store, of_other_user] =
            [&["s3://bucket", "ana"], &["s3://bucket", "ben"]].map(|parts| StoreId::new(parts));
        let without = SyncBase::from_json(&known.clone().unversioned(&store).to_json().unwrap(), "x").unwrap();
        assert!(without.is_unversioned_in(&store) && !without.is_unversioned_in(&of_other_user));
        assert!(!known.is_unversioned_in(&store));
        let earlier = SyncBase { store: None, ..without };
        assert!(!earlier.is_unversioned_in(&store), "nobody knows the store of these files");
        assert_ne!(StoreId::new(&["ab", "c"]), StoreId::new(&["a", "bc"]));
        let text = String::from_utf8(known.to_json().unwrap()).unwrap();
        assert!(!text.contains("unversioned"), "earlier versions of this program wrote none: {text}");
        for (from, to, why) in
            [("\"format\": 1", "\"format\": 2", "newer"), ("sha256:", "md5:", "damaged"), ("{", "", "damaged")]
        {
            let refused = SyncBase::from_json(text.replacen(from, to, 1).as_bytes(), "a/.skillmount.json").unwrap_err();
            assert!(
                refused.message().starts_with("a/.skillmount.json ") && refused.message().contains(why),
                "{refused}"
            );
        }
    }
}

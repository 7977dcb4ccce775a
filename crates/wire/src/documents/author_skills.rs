//! The skills of a user as their author works on them: which version each is, and the conditions of a change.

use bytes::Bytes;

use skillmount_base::path::SkillPath;

/// A skill, and which version it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SkillDigest {
    /// The skill.
    pub skill: SkillPath,
    /// The digest of its version; `None` if it is known only after its files are read.
    pub digest: Option<String>,
}

/// The skills of a user.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SkillDigests {
    /// In byte order of their paths.
    pub skills: Vec<SkillDigest>,
    /// Whether there are more files than are listed, so that skills beyond them are left out.
    pub is_cut: bool,
}

impl SkillDigests {
    /// The skill at this path.
    #[must_use]
    pub fn find(&self, skill: &SkillPath) -> Option<&SkillDigest> {
        self.skills.iter().find(|known| known.skill == *skill)
    }
}

/// The condition of a change: the version that must be published now.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Condition {
    /// Anything or nothing.
    #[default]
    Any,
    /// Nothing.
    Nothing,
    /// The version of this digest.
    Version(String),
}

impl Condition {
    /// The digest of the version that must be there.
    #[must_use]
    pub fn digest(&self) -> Option<&str> {
        match self {
            Self::Version(digest) => Some(digest),
            Self::Any | Self::Nothing => None,
        }
    }
}

impl From<Option<String>> for Condition {
    /// The version of the given digest; any version if there is none.
    fn from(digest: Option<String>) -> Self {
        digest.map_or(Self::Any, Self::Version)
    }
}

/// A skill as a zip archive of its files, by their paths below its folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SkillZip {
    /// The digest of its version, if that is known.
    pub digest: Option<String>,
    /// The archive.
    pub bytes: Bytes,
}

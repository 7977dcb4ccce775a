//! Publishing skills, and their versions.

use std::{
    collections::{BTreeMap, btree_map::Entry},
    fmt,
};

use jiff::Timestamp;
use serde::{
    Deserialize, Deserializer, Serialize,
    de::{Error as _, MapAccess, Visitor},
};
use serde_json::{Map, Value};
use utoipa::{IntoParams, ToSchema};

use super::SkillState;
use skillmount_base::path::Layer;
use skillmount_skill::{Diagnostic, Quality};

/// A skill as text: what its SKILL.md says, and its other files.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PublishRequest {
    /// What it is for and when to use it.
    pub description: String,
    /// Its instructions: SKILL.md without the frontmatter.
    pub body: String,
    /// Its other files, path and text of each.
    #[serde(default, deserialize_with = "each_path_once")]
    pub files: BTreeMap<String, String>,
    /// Further fields of its frontmatter. Without a `name` it has that of its folder.
    #[serde(default)]
    #[schema(value_type = Object)]
    pub frontmatter: Map<String, Value>,
}

/// What to change of a skill. What is not named stays.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ChangeSkillRequest {
    /// `published` publishes a draft, and `draft` makes a draft of a published skill, which no session finds any more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state: Option<SkillState>,
    /// What it is for and when to use it. The rest of the frontmatter stays as it was written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Its instructions: SKILL.md without the frontmatter.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body: Option<String>,
}

/// What publishing did.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum PublishStatus {
    /// There was no such skill.
    Created,
    /// The skill had another version.
    Updated,
    /// The skill has this version already.
    Unchanged,
}

/// A skill that is published now, or a draft.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PublishReply {
    /// What happened.
    pub status: PublishStatus,
    /// Where it lies: what `load_skill` takes.
    pub skill: String,
    /// The digest of the version: `sha256:` and 64 hex digits.
    pub digest: String,
    /// What becomes of the skill.
    pub state: SkillState,
    /// Whether the plain files in the bucket are those of this version. Until they are, sessions are served from the
    /// version itself, and any server brings them up to it. A draft has none.
    pub complete: bool,
    /// Files that another tool wrote meanwhile. They stay as they are, and the next publish keeps them as a version.
    pub kept: Vec<String>,
    /// What lint finds: warnings, and for an earlier version also errors.
    pub lint: Vec<Diagnostic>,
    /// How well it serves agents, with what would make it better.
    pub quality: Quality,
}

/// Which versions to list.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct VersionListRequest {
    /// Versions of one page at most, 1 to 1,000; 100 unless given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<usize>,
    /// `next_cursor` of the page before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
    /// Whose skill it is: the user's unless given. The versions of others need a key that may publish there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub layer: Option<Layer>,
}

/// A version of a skill.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = SkillVersion)]
pub struct VersionDocument {
    /// Its digest: what `load_skill` and a rollback take.
    pub digest: String,
    /// When it was first published.
    #[schema(value_type = String, format = DateTime)]
    pub published_at: Timestamp,
    /// The key that published it: its name and the first digits of its hash, as `desk (9f86d081884c7d65)`. Null if there are no keys,
    /// or if other tools wrote it.
    pub by: Option<String>,
    /// Where it comes from, in the words of who published it.
    pub source: Option<String>,
    /// How many files it has; null if its archive does not say.
    pub files: Option<usize>,
    /// All their bytes; null if its archive does not say.
    pub size: Option<u64>,
}

/// A change of which version of a skill is published: a publish, a rollback or a deletion.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = SkillVersionChange)]
pub struct VersionChange {
    /// The version that was published; null if the skill was deleted.
    pub digest: Option<String>,
    /// The version that was there before; null if there was none.
    pub previous: Option<String>,
    /// When it was made.
    #[schema(value_type = String, format = DateTime)]
    pub at: Timestamp,
    /// The key that made it, as in versions.
    pub by: Option<String>,
    /// Where it comes from, in the words of who made it; `a rollback` for one.
    pub source: Option<String>,
}

/// One page of the versions of a skill.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct VersionList {
    /// The newest first.
    pub versions: Vec<VersionDocument>,
    /// The version that is published; null for a deleted skill. If other tools changed the folder since, the document of the
    /// skill has `digest` null.
    pub current: Option<String>,
    /// The last change, which may have published an older version again: its time is then later than that of the version. Null for
    /// a draft, and for a skill that the service never published.
    pub last_change: Option<VersionChange>,
    /// Give this back to get the next page; null on the last one.
    pub next_cursor: Option<String>,
}

/// Which version to go back to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RollbackRequest {
    /// Its digest.
    pub digest: String,
}

/// Reads files by their paths. Of two files with one path serde would keep the last.
fn each_path_once<'de, D: Deserializer<'de>>(deserializer: D) -> Result<BTreeMap<String, String>, D::Error> {
    struct Files;

    impl<'de> Visitor<'de> for Files {
        type Value = BTreeMap<String, String>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("files by their paths")
        }

        fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Self::Value, A::Error> {
            let mut files = BTreeMap::new();
            while let Some((path, text)) = members.next_entry()? {
                match files.entry(path) {
                    Entry::Vacant(free) => free.insert(text),
                    Entry::Occupied(_) => return Err(A::Error::custom("two files of one path: send each file once")),
                };
            }
            Ok(files)
        }
    }

    deserializer.deserialize_map(Files)
}

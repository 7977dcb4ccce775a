//! Published skills and their versions, as they are listed.

use crate::content::NumberedVersion;
use jiff::Timestamp;

use crate::path::SkillPath;

/// A published skill.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PublishedSkill {
    /// Its path.
    pub skill: SkillPath,
    /// The name for people, if the skill was published with one.
    pub display_name: Option<String>,
    /// The purpose of the published version.
    pub description: String,
    /// Since when it is there.
    pub created_at: Timestamp,
    /// When it was last published.
    pub updated_at: Timestamp,
    /// The version that is published.
    pub current: NumberedVersion,
    /// The number of its newest version.
    pub latest: u64,
}

/// A version of a published skill.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PublishedVersion {
    /// The number and the digest.
    pub version: NumberedVersion,
    /// When it was first stored.
    pub created_at: Timestamp,
    /// The description in SKILL.md.
    pub description: String,
}

/// A version as a caller names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum VersionName {
    /// The version with this number.
    Number(u64),
    /// The version with this digest.
    Digest(String),
    /// The published version.
    Current,
}

/// The part of a listing that a caller wants.
#[derive(Clone, Debug)]
pub struct PageRequest<T> {
    /// The last item of the page before.
    pub after: Option<T>,
    /// Whether the listing is in falling order.
    pub descending: bool,
    /// The most items.
    pub limit: usize,
}

/// A page of a listing.
#[derive(Clone, Debug)]
pub struct PublishedPage<T> {
    /// Its items.
    pub items: Vec<T>,
    /// Whether items follow it.
    pub has_more: bool,
}

impl<T> PublishedPage<T> {
    /// The first `limit` of `items`.
    pub(super) fn from_items(mut items: Vec<T>, limit: usize) -> Self {
        let has_more = items.len() > limit;
        items.truncate(limit);
        Self { items, has_more }
    }
}

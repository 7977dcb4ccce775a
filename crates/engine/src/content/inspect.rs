//! Looks at published skills without serving them: for checks of a store.

use std::collections::BTreeSet;

use jiff::Timestamp;

use super::{
    Content,
    checked_archive::{draft_archive, version_archive},
    drafts::read_draft,
    folder::{PlainFiles, is_as_published, plain_files_among},
    heads::{HeadFault, read_sound_head},
    read_error::ReadError,
    settle::settled_head,
};
use crate::{
    error::Result,
    path::{SkillPath, UserSpace},
    skill::{HeadState, MAIN, SkillDraft, VersionNumbers},
    store::ListEntry,
};

/// The state of a head in the bucket.
#[derive(Clone, Debug)]
pub(crate) enum InspectedHead {
    /// There is none.
    Absent,
    /// It cannot be read, for this reason.
    Damaged(String),
    /// A newer version wrote it.
    Newer,
    /// It can be read.
    Sound {
        /// The digests of the published version and of the version before.
        names: Vec<String>,
        /// The versions that were published, as far as the head knows.
        numbers: VersionNumbers,
        /// When it was published.
        published_at: Timestamp,
        /// Whether the plain files have followed.
        is_materialised: bool,
        /// Whether the folder equals the head.
        is_folder_same: bool,
    },
}

/// Looks at the head of a skill. `entries` are the objects of its folder, and `with_heads` the paths of the user that have a head.
pub(crate) async fn inspect_head(
    content: &Content,
    space: &UserSpace,
    skill: &SkillPath,
    (entries, with_heads): (&[ListEntry], &BTreeSet<SkillPath>),
) -> Result<InspectedHead> {
    let place = content.place_in(space.clone(), skill)?;
    let head = match read_sound_head(&place).await? {
        Ok(head) => head,
        Err(HeadFault::Newer) => return Ok(InspectedHead::Newer),
        Err(HeadFault::Damaged(why)) => return Ok(InspectedHead::Damaged(why)),
    };
    let Some(known) = head else { return Ok(InspectedHead::Absent) };
    let folder = plain_files_among(&place, entries);
    let is_folder_same = is_as_published(Some(&known), &folder)
        || known.head.state == HeadState::Deleted
            && known.head.materialised
            && folder.keys().all(|path| is_of_inner_skill(skill, path, &folder, with_heads));
    let names = known.head.digest.iter().chain(&known.head.previous).cloned().collect();
    // A file that came late is removed with the rest of its publish.
    let has_late_files = !is_folder_same && known.head.late.is_some();
    let (published_at, is_materialised) = (known.head.published_at, known.head.materialised && !has_late_files);
    let numbers = known.head.numbers;
    Ok(InspectedHead::Sound { names, numbers, published_at, is_materialised, is_folder_same })
}

/// Whether the file at `path` belongs to a skill inside the folder. If a path inside has a head, the check of that head judges the files.
fn is_of_inner_skill(outer: &SkillPath, path: &str, folder: &PlainFiles, with_heads: &BTreeSet<SkillPath>) -> bool {
    let has_head =
        |inner: &str| SkillPath::parse(&format!("{outer}/{inner}")).is_ok_and(|path| with_heads.contains(&path));
    let mut folders = path.match_indices('/').filter_map(|(at, _)| path.get(..at));
    folders.any(|inner| folder.contains_key(&format!("{inner}/{MAIN}")) || has_head(inner))
}

/// Reads the archive of a version whole. Returns the reason if it is damaged or absent.
pub(crate) async fn inspect_version(
    content: &Content,
    space: &UserSpace,
    skill: &SkillPath,
    digest: &str,
) -> Result<Option<String>> {
    match version_archive(&content.place_in(space.clone(), skill)?, digest).await {
        Ok(_) => Ok(None),
        Err(ReadError::VersionGone(damage)) => Ok(Some(damage.chain())),
        Err(error) => Err(error.into()),
    }
}

/// The draft at `skill`, as it is stored.
///
/// # Errors
/// `object_damaged` if it is damaged; the store's.
pub(crate) async fn draft_in(
    content: &Content,
    space: &UserSpace,
    skill: &SkillPath,
) -> Result<Option<SkillDraft>, ReadError> {
    read_draft(&content.place_in(space.clone(), skill)?).await
}

/// Reads the files of a draft whole. Returns the reason if they cannot be read.
pub(crate) async fn inspect_draft_files(
    content: &Content,
    space: &UserSpace,
    skill: &SkillPath,
    digest: &str,
) -> Result<Option<String>> {
    match draft_archive(&content.place_in(space.clone(), skill)?, digest).await {
        Ok(_) => Ok(None),
        Err(ReadError::VersionGone(damage)) => Ok(Some(damage.chain())),
        Err(error) => Err(error.into()),
    }
}

/// Brings the plain files of a skill up to its head; false if they cannot follow.
pub(crate) async fn settle_head(content: &Content, space: &UserSpace, skill: &SkillPath) -> Result<bool> {
    let head = settled_head(&content.place_in(space.clone(), skill)?).await?;
    Ok(head.is_none_or(|known| known.head.materialised))
}

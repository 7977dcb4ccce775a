//! Looking at what was published without serving it: for checks of a store.

use jiff::Timestamp;

use super::{SkillTarget, folder::is_as_published, heads::HeadFault};
use crate::{
    backend::Service,
    error::{Code, Result},
    path::{SkillPath, UserSpace},
    skill::{HeadState, SkillDraft, VersionNumbers},
    store::ListEntry,
};

/// What a head in the bucket is like.
#[derive(Clone, Debug)]
pub(in crate::backend) enum InspectedHead {
    /// There is none.
    Absent,
    /// It cannot be read, for this reason.
    Damaged(String),
    /// A newer version wrote it.
    Newer,
    /// It can be read.
    Sound {
        /// The digests that it names: of the published version, and of the one before.
        names: Vec<String>,
        /// Which versions were published, as far as it knows.
        numbers: VersionNumbers,
        /// When it was published.
        published_at: Timestamp,
        /// Whether the plain files have followed.
        is_materialised: bool,
        /// Whether the folder holds what it says.
        is_folder_same: bool,
    },
}

impl Service {
    /// Looks at the head of a skill. `entries` are the objects of its folder.
    pub(in crate::backend) async fn inspect_head(
        &self,
        space: &UserSpace,
        skill: &SkillPath,
        entries: &[ListEntry],
    ) -> Result<InspectedHead> {
        let place = self.place_in(space.clone(), skill)?;
        let head = match place.sound_head().await? {
            Ok(head) => head,
            Err(HeadFault::Newer) => return Ok(InspectedHead::Newer),
            Err(HeadFault::Damaged(why)) => return Ok(InspectedHead::Damaged(why)),
        };
        let Some(known) = head else { return Ok(InspectedHead::Absent) };
        let folder = place.files_of(entries);
        let is_folder_same = is_as_published(Some(&known), &folder)
            || known.head.state == HeadState::Deleted && folder.is_empty() && known.head.materialised;
        let names = known.head.digest.iter().chain(&known.head.previous).cloned().collect();
        let (published_at, is_materialised) = (known.head.published_at, known.head.materialised);
        let numbers = known.head.numbers;
        Ok(InspectedHead::Sound { names, numbers, published_at, is_materialised, is_folder_same })
    }

    /// Reads the archive of a version whole; the reason why it is none, if so.
    pub(in crate::backend) async fn inspect_version(
        &self,
        space: &UserSpace,
        skill: &SkillPath,
        digest: &str,
    ) -> Result<Option<String>> {
        match self.place_in(space.clone(), skill)?.version_archive(digest).await {
            Ok(_) => Ok(None),
            Err(damage) if damage.code() == Code::VersionNotFound => Ok(Some(damage.chain())),
            Err(error) => Err(error),
        }
    }

    /// The draft at `skill`, as it is stored.
    ///
    /// # Errors
    /// `internal` if it is damaged; the store's.
    pub(in crate::backend) async fn draft_in(
        &self,
        space: &UserSpace,
        skill: &SkillPath,
    ) -> Result<Option<SkillDraft>> {
        Ok(self.place_in(space.clone(), skill)?.draft().await?.map(|known| known.draft))
    }

    /// Reads the files of a draft whole; the reason why they cannot be read, if so.
    pub(in crate::backend) async fn inspect_draft_files(
        &self,
        space: &UserSpace,
        skill: &SkillPath,
        digest: &str,
    ) -> Result<Option<String>> {
        match self.place_in(space.clone(), skill)?.draft_archive(digest).await {
            Ok(_) => Ok(None),
            Err(damage) if damage.code() == Code::VersionNotFound => Ok(Some(damage.chain())),
            Err(error) => Err(error),
        }
    }

    /// Brings the plain files of a skill up to its head; false if they cannot follow.
    pub(in crate::backend) async fn settle_head(&self, space: &UserSpace, skill: &SkillPath) -> Result<bool> {
        let head = SkillTarget::settled_head(&self.place_in(space.clone(), skill)?).await?;
        Ok(head.is_none_or(|known| known.head.materialised))
    }
}

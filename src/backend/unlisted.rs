//! What there is of a skill that the catalog does not have: a draft for those who see it, versions for those who know their
//! digests, and what its author left there broken.

use super::{
    DraftReader, Service,
    approvals::check_content,
    publish::{SkillArchive, SkillFiles},
    skills::page_of,
};
use crate::{
    catalog::Audience,
    error::Result,
    path::{Id, Layer, SkillPath},
    session::Policy,
    skill::{MAIN, SkillDraft},
    wire::{ListedState, SkillDocument, SkillPage},
};

/// A skill that the catalog does not have.
enum Unlisted {
    Draft(Box<SkillDraft>),
    /// What lies in the user's own space, or did.
    Own,
}

impl Service {
    /// The draft at `skill`, if there is one that the reader sees and that has the digest `only`.
    ///
    /// # Errors
    /// `approval_required` if each use of it is approved; `internal` if it is damaged; the store's.
    pub(super) async fn seen_draft(
        &self,
        user: &Id,
        policy: &Policy,
        skill: &SkillPath,
        only: Option<&str>,
        reader: DraftReader<'_>,
    ) -> Result<Option<SkillDraft>> {
        if !reader.sees_some() || !policy.skill(skill).is_visible() {
            return Ok(None);
        }
        let is_wanted = |draft: &SkillDraft| reader.sees(draft) && only.is_none_or(|only| only == draft.digest);
        let draft = self.draft_at(user, skill).await?.filter(is_wanted);
        if draft.is_some() {
            check_content(policy, skill)?;
        }
        Ok(draft)
    }

    /// The page of the version `digest` of a skill that the catalog does not have; `None` if the reader may not know of it.
    ///
    /// # Errors
    /// `version_not_found`; `approval_required` if each use of it is approved; the store's.
    pub(super) async fn unlisted_page(
        &self,
        audience: &Audience,
        policy: &Policy,
        skill: &SkillPath,
        digest: &str,
        reader: DraftReader<'_>,
    ) -> Result<Option<SkillPage>> {
        match self.unlisted(audience, policy, skill, Some(digest), reader).await? {
            None => Ok(None),
            Some(Unlisted::Draft(draft)) => self.page_of_draft(&audience.user, &draft).await.map(Some),
            Some(Unlisted::Own) => {
                let space = self.namespace().user(&audience.user)?;
                let files = self.files_of_version(&space, skill, digest).await?;
                Ok(Some(page_of(document_of_version(skill, digest, &files), &files)))
            }
        }
    }

    /// The archive of a skill that the catalog does not have, or of the version `digest` of it; `None` if there is none that
    /// the reader may know of.
    ///
    /// # Errors
    /// As [`unlisted_page`](Self::unlisted_page).
    pub(super) async fn unlisted_archive(
        &self,
        audience: &Audience,
        policy: &Policy,
        skill: &SkillPath,
        digest: Option<&str>,
        reader: DraftReader<'_>,
    ) -> Result<Option<SkillArchive>> {
        match self.unlisted(audience, policy, skill, digest, reader).await? {
            None => Ok(None),
            Some(Unlisted::Draft(draft)) => self.archive_of_draft(&audience.user, &draft).await.map(Some),
            Some(Unlisted::Own) => self.own_skill_archive(&audience.user, skill, digest).await.map(Some),
        }
    }

    /// What there is of a skill that the catalog does not have. Who knows a digest reads that version, as a load of it does. A
    /// folder inside of a skill is nothing.
    async fn unlisted(
        &self,
        audience: &Audience,
        policy: &Policy,
        skill: &SkillPath,
        digest: Option<&str>,
        reader: DraftReader<'_>,
    ) -> Result<Option<Unlisted>> {
        if !policy.skill(skill).is_visible() {
            return Ok(None);
        }
        if let Some(draft) = self.seen_draft(&audience.user, policy, skill, digest, reader).await? {
            return Ok(Some(Unlisted::Draft(Box::new(draft))));
        }
        let is_left_out = self.catalogs().view(audience.clone(), false).await?.left_out(skill).is_some();
        if digest.is_none() && !is_left_out {
            return Ok(None);
        }
        check_content(policy, skill)?;
        Ok(Some(Unlisted::Own))
    }
}

/// What is known of a skill that is not published now, of which `files` are a version. Its page adds what the files say.
fn document_of_version(skill: &SkillPath, digest: &str, files: &SkillFiles) -> SkillDocument {
    let main = files.snapshot.file(MAIN);
    SkillDocument {
        skill: skill.to_string(),
        name: skill.folder().to_owned(),
        description: String::new(),
        category: skill.category().to_owned(),
        layer: Layer::User,
        frontmatter: serde_json::Map::new(),
        files: 0,
        size: 0,
        updated_at: main.map_or(jiff::Timestamp::UNIX_EPOCH, |main| main.modified_at),
        state: ListedState::Published,
        digest: Some(digest.to_owned()),
        shadows: Vec::new(),
    }
}

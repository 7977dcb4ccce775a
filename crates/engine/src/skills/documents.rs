//! A user's skills as documents, for people and frameworks. Every surface serves and prints the catalog from them.

use super::{
    Library,
    drafts::{listed_drafts, page_of_draft},
    find_error::FindError,
    hidden::{
        KnownSkill, ReadableSkill, document_of_version, find_known, missing_version, readable_skill, visible_draft,
    },
    listing::{Listing, ListingPage},
    page::page_of,
};
use crate::{
    catalog::{Audience, CatalogDiagnostic, CatalogEntry, RefreshResult},
    content::{
        DraftReader, PublishState, ReadError, SkillArchive, SkillContents, archive_of, archive_of_draft,
        archive_of_version, files_of_version, skill_files, standings,
    },
    context::check_content,
    error::{Code, Error, Result},
    limits::PAGE_ENTRIES,
    path::{Id, SkillPath},
    skill::is_version_digest,
    wire::{Policy, RefreshReply, SkillDiagnostic, SkillDocument, SkillList, SkillListRequest, SkillPage},
};

impl Library {
    /// A page of skills and drafts. `audience` decides which skills are visible, and `drafts` which drafts. Omits skills that
    /// `policy`, the user's, hides.
    ///
    /// # Errors
    /// The store's.
    pub async fn list_skills(
        &self,
        audience: impl Into<Audience>,
        policy: &Policy,
        wanted: &SkillListRequest,
        drafts: DraftReader<'_>,
    ) -> Result<SkillList> {
        let audience = audience.into();
        let limit = wanted.limit.unwrap_or(PAGE_ENTRIES).clamp(1, PAGE_ENTRIES);
        let view = self.core.catalogs().view(audience.clone(), wanted.fresh).await?;
        let drafts = listed_drafts(&self.core, &audience, &view, policy, wanted, limit, drafts).await?;
        let (view, drafts, more) = (drafts.view, drafts.shown, drafts.more);
        let listing = Listing::from_view(&view, policy, wanted.category.as_deref());
        let ListingPage { skills, diagnostics, next_cursor } = listing.page(wanted.cursor.as_deref(), limit);
        let shown: Vec<&CatalogEntry> = skills.iter().map(|entry| &***entry).collect();
        let standings = standings(self.core.content(), &audience, &shown).await?;
        let refused = standings.iter().filter(|standing| standing.is_none()).count();
        let document = |(entry, standing): (&CatalogEntry, Option<PublishState>)| {
            let draft = drafts.get(&entry.skill).map(SkillDocument::from);
            draft.or_else(|| Some(document_of(entry, standing?)))
        };
        Ok(SkillList {
            skills: shown.into_iter().zip(standings).filter_map(document).collect(),
            diagnostics: diagnostics.into_iter().map(SkillDiagnostic::from).collect(),
            total: (listing.skills.len() + more).saturating_sub(refused),
            total_diagnostics: listing.diagnostics.len(),
            as_of: view.as_of,
            next_cursor: next_cursor.map(str::to_owned),
        })
    }

    /// Reads the skills of `audience` again, however fresh they are. Skills that `policy`, the user's, hides are not counted.
    ///
    /// # Errors
    /// The store's.
    pub async fn refresh_skills(&self, audience: impl Into<Audience>, policy: &Policy) -> Result<RefreshReply> {
        let RefreshResult { view, difference } = self.core.catalogs().refresh(audience).await?;
        let visible = |skills: &[SkillPath]| skills.iter().filter(|skill| policy.skill(skill).is_visible()).count();
        Ok(RefreshReply {
            skills: view.entries.iter().filter(|entry| policy.skill(&entry.skill).is_visible()).count(),
            changed: visible(&difference.changed),
            removed: visible(&difference.removed),
            as_of: view.as_of,
        })
    }

    /// A skill that `audience` sees, or a draft that `drafts` sees, with instructions, their outline and files.
    ///
    /// # Errors
    /// `skill_not_found` if there is none, if it cannot be read, or if `policy`, the user's, hides it; `approval_required` if
    /// each use of it is approved; the store's.
    pub async fn show_skill(
        &self,
        audience: impl Into<Audience>,
        policy: &Policy,
        skill: &SkillPath,
        drafts: DraftReader<'_>,
    ) -> Result<SkillPage> {
        let audience = audience.into();
        match readable_skill(&self.core, &audience, policy, skill, drafts).await? {
            ReadableSkill::Draft(draft) => page_of_draft(&self.core, &audience.user, &draft).await,
            ReadableSkill::Listed(found, files) => {
                let standing = PublishState::of_files(files.is_published, files.version.clone());
                Ok(page_of(document_of(&found.entry, standing), &files))
            }
        }
    }

    /// One version of a visible skill, in the form of [`show_skill`](Self::show_skill). `audience` decides which skills are
    /// visible. In the user's own layer, the skill may be deleted or a draft by now. Returns the draft itself if `digest` is its digest and `drafts` sees
    /// it.
    ///
    /// # Errors
    /// As [`show_skill`](Self::show_skill); also `version_not_found`, and `invalid_request` for a digest that is none.
    pub async fn show_version(
        &self,
        audience: impl Into<Audience>,
        policy: &Policy,
        skill: &SkillPath,
        digest: &str,
        drafts: DraftReader<'_>,
    ) -> Result<SkillPage> {
        check_digest(digest)?;
        let audience = audience.into();
        match find_known(&self.core, &audience, policy, skill, digest, drafts).await? {
            KnownSkill::Draft(draft) => page_of_draft(&self.core, &audience.user, &draft).await,
            KnownSkill::Own(missing) => {
                let space = self.core.namespace().user(&audience.user)?;
                match files_of_version(self.core.content(), &space, skill, digest).await {
                    Err(ReadError::VersionGone(gone)) => {
                        Err(missing_version(&self.core, &space, skill, gone, missing).await?)
                    }
                    files => {
                        let files = files?;
                        Ok(page_of(document_of_version(skill, digest, &files), &files))
                    }
                }
            }
            KnownSkill::Listed(found) => {
                let files = match files_of_version(self.core.content(), &found.space, skill, digest).await {
                    Err(ReadError::VersionGone(missing)) => {
                        let draft =
                            visible_draft(&self.core, &audience.user, policy, skill, Some(digest), drafts).await?;
                        return page_of_draft(&self.core, &audience.user, &draft.ok_or(missing)?).await;
                    }
                    files => files?,
                };
                let standing = PublishState::of_files(true, Some(digest.to_owned()));
                Ok(page_of(document_of(&found.entry, standing), &files))
            }
        }
    }

    /// A skill that `audience` sees, or a draft that `drafts` sees, as an archive. With `digest`, the archive is of this
    /// version.
    ///
    /// # Errors
    /// As [`show_version`](Self::show_version).
    pub async fn skill_archive(
        &self,
        audience: impl Into<Audience>,
        policy: &Policy,
        skill: &SkillPath,
        digest: Option<&str>,
        drafts: DraftReader<'_>,
    ) -> Result<SkillArchive> {
        let audience = audience.into();
        if let Some(digest) = digest {
            return self.version_archive(&audience, policy, skill, digest, drafts).await;
        }
        match readable_skill(&self.core, &audience, policy, skill, drafts).await {
            Ok(ReadableSkill::Listed(found, files)) => {
                archive_of(self.core.content(), &found.space, skill, &files).await
            }
            Ok(ReadableSkill::Draft(draft)) => Ok(archive_of_draft(self.core.content(), &audience.user, &draft).await?),
            Err(FindError::Unknown(missing)) => {
                // The author reads the files of a skill whose SKILL.md is broken.
                let is_visible = policy.skill(skill).is_visible();
                let view = self.core.catalogs().view(audience.clone(), false).await?;
                if !is_visible || view.left_out(skill).is_none() {
                    return Err(missing);
                }
                check_content(policy, skill)?;
                self.own_skill_archive(&audience.user, skill, None).await
            }
            Err(error) => Err(error.into()),
        }
    }

    /// One version of a visible skill as an archive.
    async fn version_archive(
        &self,
        audience: &Audience,
        policy: &Policy,
        skill: &SkillPath,
        digest: &str,
        drafts: DraftReader<'_>,
    ) -> Result<SkillArchive> {
        check_digest(digest)?;
        let (content, user) = (self.core.content(), &audience.user);
        let (space, missing) = match find_known(&self.core, audience, policy, skill, digest, drafts).await? {
            KnownSkill::Draft(draft) => return Ok(archive_of_draft(content, user, &draft).await?),
            KnownSkill::Own(missing) => (self.core.namespace().user(user)?, Some(missing)),
            KnownSkill::Listed(found) => (found.space, None),
        };
        match (archive_of_version(content, &space, skill, digest).await, missing) {
            (Err(ReadError::VersionGone(gone)), Some(missing)) => {
                Err(missing_version(&self.core, &space, skill, gone, missing).await?)
            }
            (Err(ReadError::VersionGone(gone)), None) => {
                let draft = visible_draft(&self.core, user, policy, skill, Some(digest), drafts).await?;
                Ok(archive_of_draft(content, user, &draft.ok_or(gone)?).await?)
            }
            (archive, _) => Ok(archive?),
        }
    }

    /// One of the user's own skills as an archive, or its version `digest`. The author gets the stored files even if SKILL.md is
    /// broken, and a version even if the skill is deleted.
    ///
    /// # Errors
    /// `skill_not_found` if there is none; `version_not_found`; `invalid_request` for a digest that is none; the store's.
    pub async fn own_skill_archive(&self, user: &Id, skill: &SkillPath, digest: Option<&str>) -> Result<SkillArchive> {
        digest.map_or(Ok(()), check_digest)?;
        let space = self.core.namespace().user(user)?;
        if let Some(digest) = digest {
            return Ok(archive_of_version(self.core.content(), &space, skill, digest).await?);
        }
        match skill_files(self.core.content(), &space, skill).await? {
            SkillContents::Files(files) => archive_of(self.core.content(), &space, skill, &files).await,
            SkillContents::Nothing => Err(Error::new(Code::SkillNotFound, format!("there is no skill {skill}"))),
            SkillContents::Unreadable(error) => Err(error.into()),
        }
    }
}

fn check_digest(digest: &str) -> Result<()> {
    if is_version_digest(digest) {
        return Ok(());
    }
    Err(Error::new(Code::InvalidRequest, "a version is named by `sha256:` and 64 hex digits"))
}

fn document_of(entry: &CatalogEntry, PublishState { state, digest }: PublishState) -> SkillDocument {
    SkillDocument {
        skill: entry.skill.to_string(),
        name: entry.name().to_owned(),
        description: entry.description().to_owned(),
        category: entry.skill.category().to_owned(),
        layer: entry.layer,
        frontmatter: entry.frontmatter.fields.clone(),
        files: entry.files,
        size: entry.size,
        updated_at: entry.updated_at,
        state,
        digest,
        shadows: entry.shadows.clone(),
    }
}

impl From<&CatalogDiagnostic> for SkillDiagnostic {
    fn from(found: &CatalogDiagnostic) -> Self {
        Self { skill: found.skill.clone(), diagnostic: found.diagnostic.clone() }
    }
}

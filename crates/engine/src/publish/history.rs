//! The versions of a skill: their listing, and a rollback to one of them.

use std::{cmp::Reverse, collections::HashMap};

use futures_util::{StreamExt as _, TryFutureExt as _, TryStreamExt as _, stream};
use jiff::Timestamp;

use super::{
    Publisher,
    check_upload::{PublishOptions, provenance, reply},
    draft_change::{change_with_draft, show_change},
    repack::{bytes_to_repack, repack_whole},
};
use crate::{
    content::{
        SkillTarget, VersionRow, archive_size, is_published, listed_versions, read_head, read_record, version_archive,
    },
    error::{Code, Error, Result},
    limits::{PAGE_ENTRIES, PARALLEL_GETS, VERSIONS_LISTED},
    path::{LayerOwner, SkillPath},
    skill::{CheckedSkill, SkillHead, VersionRecord, is_version_digest},
    wire::{PublishReply, VersionChange, VersionDocument, VersionList, VersionListRequest},
};

impl Publisher {
    /// A page of the versions of the owner's skill, newest first by the time that they were first stored. An archive that was
    /// stored and never published is no version.
    ///
    /// # Errors
    /// `skill_not_found` if nothing was ever published there; `invalid_request` for an invalid cursor; the store's.
    pub async fn list_versions(
        &self,
        owner: impl Into<LayerOwner>,
        skill: &SkillPath,
        wanted: &VersionListRequest,
    ) -> Result<VersionList> {
        let place = self.core.content().place(&owner.into(), skill)?;
        let (head, mut listed) = tokio::try_join!(read_head(&place).err_into(), listed_versions(&place))?;
        if head.is_none() && listed.is_empty() {
            let message = format!("{skill} has no versions: it was never published");
            return Err(Error::new(Code::SkillNotFound, message));
        }
        if let Some(known) = &head {
            listed.retain(|one| known.head.numbers.is_version(&one.digest));
        }
        // The times in a store may be whole seconds, and then the numbers say which version is newer.
        let numbered = head.iter().flat_map(|known| known.head.numbers.iter());
        let numbers: HashMap<&str, u64> = numbered.map(|(number, digest)| (digest, number)).collect();
        let number = |one: &VersionRow| numbers.get(one.digest.as_str()).copied();
        listed.sort_by_cached_key(|one| (Reverse(one.entry.modified_at), Reverse(number(one)), one.digest.clone()));
        let begin = match &wanted.cursor {
            None => 0,
            Some(cursor) => {
                let at = listed.iter().position(|one| one.digest == *cursor);
                1 + at.ok_or_else(|| Error::new(Code::InvalidRequest, "the cursor is no version of this skill"))?
            }
        };
        let limit = wanted.limit.unwrap_or(VERSIONS_LISTED).clamp(1, PAGE_ENTRIES);
        let has_more = listed.len() > begin.saturating_add(limit);
        let page = listed.into_iter().skip(begin).take(limit).map(|one| describe_version(&place, one));
        let page: Vec<_> = page.collect();
        let versions: Vec<VersionDocument> = stream::iter(page).buffered(PARALLEL_GETS).try_collect().await?;
        let next_cursor = versions.last().filter(|_| has_more).map(|last| last.digest.clone());
        let last_change = head.as_ref().map(|known| last_change(&known.head));
        let current = head.filter(|known| is_published(Some(known))).and_then(|known| known.head.digest);
        Ok(VersionList { versions, current, last_change, next_cursor })
    }

    /// Publishes an earlier version again, by its digest. An archive whose publish never counted is not listed. A rollback to
    /// such an archive publishes it as if its content were sent once more.
    ///
    /// # Errors
    /// `version_not_found` if no archive has this digest; else as [`publish_skill`](Self::publish_skill).
    pub async fn roll_back_skill(
        &self,
        owner: impl Into<LayerOwner>,
        skill: &SkillPath,
        digest: &str,
        options: PublishOptions,
    ) -> Result<PublishReply> {
        self.roll_back(&owner.into(), skill, digest, options).await.map_err(Error::of_change)
    }

    async fn roll_back(
        &self,
        owner: &LayerOwner,
        skill: &SkillPath,
        digest: &str,
        options: PublishOptions,
    ) -> Result<PublishReply> {
        let (from, condition, note) = provenance(&self.core, options)?;
        if !is_version_digest(digest) {
            return Err(Error::new(Code::InvalidRequest, "a version is named by `sha256:` and 64 hex digits"));
        }
        let place = self.core.content().place(owner, skill)?.noting(note, owner);
        let _room = place.reserve(bytes_to_repack(archive_size(&place, Some(digest)).await?)).await?;
        let archive = version_archive(&place, digest).await?;
        let CheckedSkill { package, findings, quality } = repack_whole(&place, owner, archive, &from).await?;
        let mut changed = change_with_draft(&place, Some(&package), &from, condition).await?;
        show_change(&self.core, &place, owner, &mut changed).await;
        Ok(reply(skill, digest, changed, findings, quality))
    }

    /// Deletes the owner's skill. Its versions stay, and a rollback to a version restores the skill. A draft is gone for good.
    ///
    /// # Errors
    /// `skill_not_found` if there is none; else as [`publish_skill`](Self::publish_skill).
    pub async fn delete_skill(
        &self,
        owner: impl Into<LayerOwner>,
        skill: &SkillPath,
        options: PublishOptions,
    ) -> Result<()> {
        let owner = owner.into();
        let delete = async {
            let (from, condition, note) = provenance(&self.core, options)?;
            let place = self.core.content().place(&owner, skill)?.noting(note, &owner);
            let mut changed = change_with_draft(&place, None, &from, condition).await?;
            show_change(&self.core, &place, &owner, &mut changed).await;
            Ok::<_, Error>(())
        };
        delete.await.map_err(Error::of_change)
    }
}

/// The document of a version. If the archive has no record, the document has only the time.
async fn describe_version(target: &SkillTarget, listed: VersionRow) -> Result<VersionDocument> {
    let VersionRow { digest, entry } = listed;
    let record = read_record(target, &digest, entry.size).await?;
    Ok(document(digest, entry.modified_at, record))
}

/// The change that made this head.
fn last_change(head: &SkillHead) -> VersionChange {
    let SkillHead { digest, previous, published_at, by, source, .. } = head.clone();
    VersionChange { digest, previous, at: published_at, by, source }
}

fn document(digest: String, at: Timestamp, record: Option<VersionRecord>) -> VersionDocument {
    let unknown = VersionDocument { digest, published_at: at, by: None, source: None, files: None, size: None };
    let Some(record) = record else { return unknown };
    VersionDocument {
        published_at: record.published_at,
        by: record.by,
        source: record.source,
        files: Some(record.files),
        size: Some(record.size),
        ..unknown
    }
}

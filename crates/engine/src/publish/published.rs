//! Published skills and their numbered versions, for the routes in the shapes of other services' Skills APIs.
//!
//! These routes know published skills alone: no draft, no folder that another tool put there, no other layer. Deletions
//! are the usual ones: a deleted version loses its number and its place in the listing. The archive stays.

use std::collections::HashMap;

use futures_util::{StreamExt as _, TryStreamExt as _, stream};

use super::{
    Publisher,
    change_error::unknown,
    check_upload::{PublishOptions, check_upload, provenance},
    published_documents::{PageRequest, PublishedPage, PublishedSkill, PublishedVersion, VersionName},
    upload::UploadedSkill,
};
use crate::{
    content::{
        HeadCard, NumberedVersion, SkillTarget, StoredVersion, amend_head, description_of, head_card, heads_of,
        known_head, not_published, put_archive, read_head, read_record, stored_version, stored_versions,
        version_numbers,
    },
    error::{Code, Error, Result},
    limits::PARALLEL_GETS,
    path::{Id, Layer, LayerOwner, SkillPath},
    skill::{CheckedSkill, HeadState, SkillHead, VersionNumbers},
    wire::{Condition, Policy},
};

/// Published skills with numbered versions. Cheap to clone.
#[derive(Clone, Debug)]
pub struct PublishedSkills {
    publisher: Publisher,
}

impl PublishedSkills {
    pub(crate) fn new(publisher: Publisher) -> Self {
        Self { publisher }
    }

    /// A page of the user's published skills, in the order of their paths. Skills that `policy` hides are left out.
    ///
    /// # Errors
    /// The store's.
    pub async fn published_skills(
        &self,
        user: &Id,
        policy: &Policy,
        wanted: &PageRequest<SkillPath>,
    ) -> Result<PublishedPage<PublishedSkill>> {
        let view = self.publisher.core.catalogs().view(user, false).await?;
        let space = self.publisher.core.namespace().user(user)?;
        let heads = heads_of(self.publisher.core.content(), &space, Some(view.as_of)).await?;
        let mut found = Vec::new();
        for entry in view.entries.iter().filter(|entry| entry.layer == Layer::User) {
            let follows = wanted
                .after
                .as_ref()
                .is_none_or(|after| if wanted.descending { entry.skill < *after } else { entry.skill > *after });
            if follows
                && policy.skill(&entry.skill).is_visible()
                && let Some((etag, size)) = heads.heads.get(entry.skill.as_str())
            {
                found.push((self.publisher.core.content().place_in(space.clone(), &entry.skill)?, entry, etag, *size));
            }
        }
        if wanted.descending {
            found.reverse();
        }
        let look = |(place, entry, etag, size): (SkillTarget, _, _, u64)| async move {
            Ok::<_, Error>((known_head(&place, etag, size).await?, entry))
        };
        let known: Vec<_> = found.into_iter().map(look).collect();
        let mut known = stream::iter(known).buffered(PARALLEL_GETS);
        let mut page = Vec::new();
        while page.len() <= wanted.limit
            && let Some((head, entry)) = known.try_next().await?
        {
            let skill = |card| listed(entry.skill.clone(), card, entry.description().to_owned());
            page.extend(head.card.clone().map(skill));
        }
        Ok(PublishedPage::from_items(page, wanted.limit))
    }

    /// One of the user's published skills.
    ///
    /// # Errors
    /// `skill_not_found` if it is not published, or if `policy` hides it; the store's.
    pub async fn published_skill(&self, user: &Id, policy: &Policy, skill: &SkillPath) -> Result<PublishedSkill> {
        let (place, head) = self.published(user, Some(policy), skill).await?;
        describe_skill(&place, &head).await
    }

    /// A page of the versions of a published skill, in the order of their numbers.
    ///
    /// # Errors
    /// As [`published_skill`](Self::published_skill); `version_not_found` if there is no version to begin after.
    pub async fn published_versions(
        &self,
        user: &Id,
        policy: &Policy,
        skill: &SkillPath,
        wanted: &PageRequest<VersionName>,
    ) -> Result<PublishedPage<PublishedVersion>> {
        let (place, head) = self.published(user, Some(policy), skill).await?;
        let (numbers, stored) = tokio::try_join!(version_numbers(&place, &head), stored_by_digest(&place))?;
        let after = wanted.after.as_ref().map(|name| find_named(&place, &head, &numbers, name)).transpose()?;
        let mut found: Vec<_> = numbers.iter().filter(|(_, digest)| stored.contains_key(*digest)).collect();
        if wanted.descending {
            found.reverse();
        }
        found.retain(|(number, _)| match &after {
            None => true,
            Some(after) if wanted.descending => *number < after.number,
            Some(after) => *number > after.number,
        });
        let mut chosen = Vec::new();
        for (number, digest) in found.into_iter().take(wanted.limit + 1) {
            let version = NumberedVersion { number, digest: digest.to_owned() };
            chosen.extend(stored.get(digest).map(|stored| describe_stored(&place, version, *stored)));
        }
        let page = stream::iter(chosen).buffered(PARALLEL_GETS).try_collect().await?;
        Ok(PublishedPage::from_items(page, wanted.limit))
    }

    /// One version of a published skill.
    ///
    /// # Errors
    /// As [`published_skill`](Self::published_skill); `version_not_found`.
    pub async fn published_version(
        &self,
        user: &Id,
        policy: &Policy,
        skill: &SkillPath,
        name: &VersionName,
    ) -> Result<PublishedVersion> {
        let (place, head) = self.published(user, Some(policy), skill).await?;
        let version = find_named(&place, &head, &version_numbers(&place, &head).await?, name)?;
        describe_numbered(&place, version).await
    }

    /// Publishes a skill if there is none, and gives the skill its name for people, if any.
    ///
    /// # Errors
    /// `version_conflict` if there is one; as [`publish_skill`](Publisher::publish_skill).
    pub async fn publish_new(
        &self,
        user: &Id,
        skill: &SkillPath,
        uploaded: UploadedSkill,
        display_name: Option<String>,
        options: PublishOptions,
    ) -> Result<PublishedSkill> {
        let options = PublishOptions { condition: Condition::Nothing, ..options };
        Box::pin(self.publisher.publish_skill(user, skill, uploaded, options)).await?;
        let place = self.publisher.core.content().place(&LayerOwner::from(user), skill)?;
        let named = amend_head(&place, |head| {
            head.display_name.clone_from(&display_name);
            Ok(())
        });
        let head = named.await.map_err(unknown)?;
        describe_skill(&place, &head).await.map_err(unknown)
    }

    /// Adds a version to a published skill, and publishes it if it `is_default`.
    ///
    /// # Errors
    /// `skill_not_found` if nothing is published there; as [`publish_skill`](Publisher::publish_skill).
    pub async fn add_version(
        &self,
        user: &Id,
        skill: &SkillPath,
        uploaded: UploadedSkill,
        is_default: bool,
        options: PublishOptions,
    ) -> Result<PublishedVersion> {
        let (place, _) = self.published(user, None, skill).await?;
        let digest = if is_default {
            Box::pin(self.publisher.publish_skill(user, skill, uploaded, options)).await?.digest
        } else {
            let (from, ..) = provenance(&self.publisher.core, options)?;
            let _room = place.reserve(uploaded.window()).await?;
            let owner = LayerOwner::from(user);
            let CheckedSkill { package, .. } =
                Box::pin(check_upload(&self.publisher.core, &owner, skill, uploaded, &from)).await?;
            let digest = package.version.digest().to_owned();
            put_archive(&place, &place.space.version(skill, &digest)?, &package).await?;
            digest
        };
        let name = VersionName::Digest(digest.clone());
        let numbered = amend_head(&place, |head| {
            head.numbers.add(&digest);
            Ok(())
        });
        let described = async {
            let head = numbered.await?;
            describe_numbered(&place, find_named(&place, &head, &head.numbers, &name)?).await
        };
        Box::pin(described).await.map_err(if is_default { unknown } else { Error::of_change })
    }

    /// Publishes one of the versions of a skill.
    ///
    /// # Errors
    /// `skill_not_found`; `version_not_found`; as [`roll_back_skill`](Publisher::roll_back_skill).
    pub async fn publish_version(
        &self,
        user: &Id,
        skill: &SkillPath,
        name: &VersionName,
        options: PublishOptions,
    ) -> Result<PublishedSkill> {
        let (place, head) = self.published(user, None, skill).await?;
        let version = find_named(&place, &head, &version_numbers(&place, &head).await?, name)?;
        Box::pin(self.publisher.roll_back_skill(user, skill, &version.digest, options)).await?;
        let described = async {
            let (_, head) = self.published(user, None, skill).await?;
            describe_skill(&place, &head).await
        };
        described.await.map_err(unknown)
    }

    /// Takes the number from a version, so listings omit it. If the version is the published one, the newest of the others
    /// is published in its place. If there is no other, the skill is deleted.
    ///
    /// # Errors
    /// `skill_not_found`; `version_not_found`; `edit_conflict` if it is published again meanwhile; as
    /// [`roll_back_skill`](Publisher::roll_back_skill).
    pub async fn remove_version(
        &self,
        user: &Id,
        skill: &SkillPath,
        name: &VersionName,
        options: PublishOptions,
    ) -> Result<NumberedVersion> {
        let (place, head) = self.published(user, None, skill).await?;
        let numbers = version_numbers(&place, &head).await?;
        let version = find_named(&place, &head, &numbers, name)?;
        let is_published = head.digest.as_ref() == Some(&version.digest);
        if is_published {
            let options = PublishOptions { condition: Condition::Version(version.digest.clone()), ..options };
            let Some((_, former)) = numbers.iter().rev().find(|(number, _)| *number != version.number) else {
                self.publisher.delete_skill(user, skill, options).await?;
                return Ok(version);
            };
            Box::pin(self.publisher.roll_back_skill(user, skill, former, options)).await?;
        }
        let removed = amend_head(&place, |head| {
            if head.digest.as_ref() == Some(&version.digest) {
                let message = format!("version {} of {skill} was published again: look at it", version.number);
                return Err(Error::new(Code::EditConflict, message));
            }
            head.numbers.remove(version.number);
            Ok(())
        });
        removed.await.map_err(if is_published { unknown } else { Error::of_change })?;
        Ok(version)
    }

    /// Deletes a published skill. A repeated call changes nothing.
    ///
    /// # Errors
    /// `skill_not_found` if it was never published; as [`delete_skill`](Publisher::delete_skill).
    pub async fn withdraw_skill(&self, user: &Id, skill: &SkillPath, options: PublishOptions) -> Result<()> {
        let place = self.publisher.core.content().place(&LayerOwner::from(user), skill)?;
        match read_head(&place).await? {
            None => Err(not_published(&place)),
            Some(known) if known.head.state == HeadState::Deleted => Ok(()),
            Some(_) => self.publisher.delete_skill(user, skill, options).await,
        }
    }

    /// The head of a published skill that `policy` does not hide.
    async fn published(
        &self,
        user: &Id,
        policy: Option<&Policy>,
        skill: &SkillPath,
    ) -> Result<(SkillTarget, SkillHead)> {
        let place = self.publisher.core.content().place(&LayerOwner::from(user), skill)?;
        if policy.is_some_and(|policy| !policy.skill(skill).is_visible()) {
            return Err(not_published(&place));
        }
        let head = read_head(&place).await?.map(|known| known.head).filter(|head| head.state == HeadState::Published);
        let head = head.ok_or_else(|| not_published(&place))?;
        Ok((place, head))
    }
}

async fn describe_skill(target: &SkillTarget, head: &SkillHead) -> Result<PublishedSkill> {
    let card = head_card(target, head).await?.ok_or_else(|| not_published(target))?;
    let description = describe_numbered(target, card.current.clone()).await?.description;
    Ok(listed(target.skill.clone(), card, description))
}

/// The version that `name` means.
fn find_named(
    target: &SkillTarget,
    head: &SkillHead,
    numbers: &VersionNumbers,
    name: &VersionName,
) -> Result<NumberedVersion> {
    let found = match name {
        VersionName::Number(number) => numbers.digest_of(*number).map(|digest| (*number, digest)),
        VersionName::Digest(digest) => numbers.number_of(digest).map(|number| (number, digest.as_str())),
        VersionName::Current => head.digest.as_deref().and_then(|digest| Some((numbers.number_of(digest)?, digest))),
    };
    let (number, digest) = found.ok_or_else(|| {
        Error::new(Code::VersionNotFound, format!("{} has no such version; list its versions", target.skill))
    })?;
    Ok(NumberedVersion { number, digest: digest.to_owned() })
}

/// The versions that are stored, by their digests.
async fn stored_by_digest(target: &SkillTarget) -> Result<HashMap<String, StoredVersion>> {
    Ok(stored_versions(target).await?.into_iter().collect())
}

async fn describe_numbered(target: &SkillTarget, version: NumberedVersion) -> Result<PublishedVersion> {
    let stored = stored_version(target, &version.digest).await?;
    describe_stored(target, version, stored).await
}

async fn describe_stored(
    target: &SkillTarget,
    version: NumberedVersion,
    stored: StoredVersion,
) -> Result<PublishedVersion> {
    let record = read_record(target, &version.digest, stored.size).await?;
    let created_at = record.as_ref().map_or(stored.modified_at, |record| record.published_at);
    let description = match record.and_then(|record| record.description) {
        Some(description) => description,
        None => description_of(target, &version.digest).await?,
    };
    Ok(PublishedVersion { version, created_at, description })
}

fn listed(skill: SkillPath, card: HeadCard, description: String) -> PublishedSkill {
    let HeadCard { created_at, updated_at, display_name, current, latest } = card;
    PublishedSkill { skill, display_name, description, created_at, updated_at, current, latest }
}

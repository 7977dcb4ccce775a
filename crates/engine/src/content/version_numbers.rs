//! Versions by their numbers, and changes of a head that leave its files as they are.

use super::{
    checked_archive::version_archive,
    head_cache::{HeadCard, NumberedVersion},
    heads::{StoredHead, put_head},
    materialise::contested,
    memory::owner_below,
    settle::settled_head,
    stored_versions::{StoredVersion, archive_size, stored_digests, stored_versions},
    target::SkillTarget,
};
use crate::{
    error::{Code, Error, Result},
    limits::{PUBLISH_ATTEMPTS, SKILL_FILE_BYTES},
    skill::{HeadState, MAIN, SkillHead, Version, VersionNumbers, described},
    store::StoreError,
};

/// The numbers of the versions that `head` knows. If an earlier version of this program wrote the head, versions are counted
/// in the order in which they were stored.
///
/// # Errors
/// The store's.
pub(crate) async fn version_numbers(target: &SkillTarget, head: &SkillHead) -> Result<VersionNumbers> {
    let mut numbers = head.numbers.clone();
    if numbers.is_unused() {
        for (digest, _) in stored_versions(target).await? {
            numbers.add(&digest);
        }
    }
    match &head.digest {
        Some(digest) => {
            numbers.add(digest);
        }
        None => numbers.clear(),
    }
    Ok(numbers)
}

/// The numbers before a change of `head` from the version `before`, with which versions had a number.
///
/// # Errors
/// The store's.
pub(crate) async fn numbers_before(
    target: &SkillTarget,
    head: Option<&StoredHead>,
    before: Option<&str>,
) -> Result<VersionNumbers> {
    let mut numbers = match head {
        Some(known) => version_numbers(target, &known.head).await?,
        None => VersionNumbers::default(),
    };
    keep_former(target, &mut numbers).await?;
    if let Some(digest) = before {
        numbers.add(digest);
    }
    Ok(numbers)
}

/// The numbers after a change to the version `after`, or to none.
pub(crate) fn numbers_after(mut numbers: VersionNumbers, after: Option<&Version>) -> VersionNumbers {
    match after {
        Some(version) => {
            numbers.add(version.digest());
        }
        None => numbers.clear(),
    }
    numbers
}

/// Begins to keep which versions had a number, if no head says so or if there are too many to keep. A first publish asks too,
/// because the head of archives that lie there may be gone. Then no record says whether they were published.
async fn keep_former(target: &SkillTarget, numbers: &mut VersionNumbers) -> Result<()> {
    if numbers.lacks_former() {
        numbers.keep_former(stored_digests(target).await?);
    }
    Ok(())
}

/// The times, the name and the version numbers in `head`; `None` if nothing is published.
pub(crate) async fn head_card(target: &SkillTarget, head: &SkillHead) -> Result<Option<HeadCard>> {
    let Some(digest) = head.digest.clone() else { return Ok(None) };
    let numbers = version_numbers(target, head).await?;
    let (Some(number), Some((latest, _))) = (numbers.number_of(&digest), numbers.iter().next_back()) else {
        return Ok(None);
    };
    Ok(Some(HeadCard {
        created_at: head.since(),
        updated_at: head.published_at,
        display_name: head.display_name.clone(),
        current: NumberedVersion { number, digest },
        latest,
    }))
}

/// Changes the head of a published skill beside its files, and returns the head with the numbers of all versions.
///
/// # Errors
/// `skill_not_found` if nothing is published; the errors of `change`; `edit_conflict` if others keep publishing; the store's.
pub(crate) async fn amend_head(
    target: &SkillTarget,
    change: impl Fn(&mut SkillHead) -> Result<()> + Send,
) -> Result<SkillHead> {
    let _turn = target.content.changes().lock(target.folder.as_str()).await;
    for _ in 0..PUBLISH_ATTEMPTS {
        let known = settled_head(target).await?.filter(|known| known.head.state == HeadState::Published);
        let Some(known) = known else { return Err(not_published(target)) };
        let numbers = version_numbers(target, &known.head).await?;
        let mut head = known.head.clone();
        head.numbers = numbers;
        change(&mut head)?;
        if head.numbers != known.head.numbers {
            keep_former(target, &mut head.numbers).await?;
        }
        if head == known.head || put_head(target, Some(&known), head.clone()).await?.is_some() {
            return Ok(head);
        }
    }
    Err(contested(target))
}

/// The archive of a version.
///
/// # Errors
/// `version_not_found` if it is gone; the store's.
pub(crate) async fn stored_version(target: &SkillTarget, digest: &str) -> Result<StoredVersion> {
    match target.content.store().head(&target.space.version(&target.skill, digest)?).await {
        Ok(meta) => Ok(StoredVersion { size: meta.size, modified_at: meta.modified_at }),
        Err(StoreError::NotFound) => {
            let message = format!("the archive of a version of {} is gone: list its versions", target.skill);
            Err(Error::new(Code::VersionNotFound, message))
        }
        Err(error) => Err(error.into()),
    }
}

/// The description in the SKILL.md of a version, for a version without a description in its record.
pub(crate) async fn description_of(target: &SkillTarget, digest: &str) -> Result<String> {
    let _room = target.reserve(2 * archive_size(target, Some(digest)).await?).await?;
    let mut archive = version_archive(target, digest).await?;
    let skill = target.skill.clone();
    let errand = target.content.workers().errand(&owner_below(target.space.root()), SKILL_FILE_BYTES);
    let read = move |_: &_| {
        let main = archive.read(MAIN, SKILL_FILE_BYTES).map_err(Error::internal)?.unwrap_or_default();
        Ok(described(&main, &skill).unwrap_or_default())
    };
    errand.run(read).await
}

/// The error if nothing is published here.
pub(crate) fn not_published(target: &SkillTarget) -> Error {
    Error::new(Code::SkillNotFound, format!("there is no published skill {}", target.skill))
}

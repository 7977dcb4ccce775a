//! Makes drafts and changes them, and turns a draft into a published skill or back.

use futures_util::TryFutureExt as _;

use super::{
    Publisher,
    change::{ChangeResult, PublishedNow, WantedChange, change_head, published_now},
    change_error::{ChangeError, unknown},
    check_upload::{PublishOptions, check_upload, provenance, reply},
    conflict::{draft_conflict, hidden_conflict, version_conflict},
    draft_change::{complete_deletion, replaced_draft, show_change},
    repack::{TextChange, bytes_to_repack, repack_rewritten},
    upload::UploadedSkill,
};
use crate::{
    content::{
        DraftSlot, MemoryPermit, PlainFiles, SkillTarget, StoredHead, archive_bytes, draft_archive, draft_contested,
        draft_slot, is_newest, is_published, list_folder, place_conflict, put_archive, put_draft, read_draft,
        read_head, settled_files, settled_head, settled_state,
    },
    error::{Code, Error, Result},
    limits::PUBLISH_ATTEMPTS,
    path::{Id, LayerOwner, SkillPath},
    skill::{CheckedSkill, DraftChange, MAIN, Package, Provenance, Quality, SkillDraft, VersionArchive, read_document},
    wire::{ChangeSkillRequest, Condition, PublishReply, PublishRequest, PublishStatus, SkillState},
};

/// A draft that a session asks for.
#[derive(Clone, Debug)]
pub(crate) struct DraftAsked {
    /// The session.
    pub(crate) session: Id,
    /// The path of the draft.
    pub(crate) skill: SkillPath,
    /// The name of the caller's key.
    pub(crate) by: Option<String>,
    /// The text of the draft.
    pub(crate) text: PublishRequest,
}

/// Which draft may be replaced.
enum Replaces {
    /// The draft that the condition names.
    If(Condition),
    /// The draft of this digest, which the same call has read.
    Read(String),
    /// Only an equal draft of this session, left by an earlier call.
    OwnTwin(Id),
}

/// A skill as it is now.
struct Current {
    archive: VersionArchive,
    digest: String,
    is_published: bool,
    /// The draft, if the skill is one.
    draft: Option<SkillDraft>,
    /// The digest of a draft in whose folder other tools put a skill.
    hidden: Option<String>,
    /// The memory permit of a folder that was packed.
    room: Option<MemoryPermit>,
}

impl Publisher {
    /// Makes `uploaded` the draft of the user's skill.
    ///
    /// # Errors
    /// `already_exists` if a skill is published there, or around it or in it; `version_conflict` with `current` if the draft is
    /// another; else as [`publish_skill`](Self::publish_skill).
    pub async fn draft_skill(
        &self,
        owner: impl Into<LayerOwner>,
        skill: &SkillPath,
        uploaded: UploadedSkill,
        options: PublishOptions,
    ) -> Result<PublishReply> {
        let draft = async {
            let (from, condition, note) = provenance(&self.core, options)?;
            let owner = owner.into();
            check_users_own(&owner)?;
            let place = self.core.content().place(&owner, skill)?.noting(note, &owner);
            let _room = place.reserve(uploaded.window()).await?;
            let CheckedSkill { package, findings, quality } =
                check_upload(&self.core, &owner, skill, uploaded, &from).await?;
            let (change, replaces) = (made(&from, None), Replaces::If(condition));
            let (status, _) = Box::pin(save_draft(&place, &package, change, &replaces)).await?;
            Ok(drafted(skill, package.version.digest(), status, findings, quality))
        };
        draft.await.map_err(Error::of_change)
    }

    /// Makes the draft that a session asks for. A repeated call changes nothing.
    ///
    /// # Errors
    /// `already_exists` if there is another draft, or a skill; `invalid_skill` with `findings`; the store's.
    pub(crate) async fn create_draft(&self, user: &Id, asked: DraftAsked) -> Result<(SkillDraft, CheckedSkill)> {
        let DraftAsked { session, skill, by, text } = asked;
        let source = Some(format!("the session {session}"));
        let from = Provenance { at: self.core.clock().now(), by, source };
        let owner = LayerOwner::from(user);
        let place = self.core.content().place(&owner, &skill)?;
        let uploaded = UploadedSkill::from_text(&skill, text)?;
        let _room = place.reserve(uploaded.window()).await?;
        let checked = check_upload(&self.core, &owner, &skill, uploaded, &from).await?;
        let change = made(&from, Some(session.clone()));
        let (_, draft) = save_draft(&place, &checked.package, change, &Replaces::OwnTwin(session)).await?;
        Ok((draft, checked))
    }

    /// Changes the state, the description or the body of the user's skill.
    ///
    /// # Errors
    /// `invalid_request` if nothing is asked for, or the SKILL.md cannot be changed in place; `skill_not_found`;
    /// `version_conflict` with `current`; else as [`publish_skill`](Self::publish_skill).
    pub async fn change_skill(
        &self,
        owner: impl Into<LayerOwner>,
        skill: &SkillPath,
        wanted: ChangeSkillRequest,
        options: PublishOptions,
    ) -> Result<PublishReply> {
        let owner = owner.into();
        Box::pin(self.change_state_or_text(&owner, skill, wanted, options)).await.map_err(Error::of_change)
    }

    async fn change_state_or_text(
        &self,
        owner: &LayerOwner,
        skill: &SkillPath,
        wanted: ChangeSkillRequest,
        options: PublishOptions,
    ) -> Result<PublishReply> {
        let (from, condition, note) = provenance(&self.core, options)?;
        let ChangeSkillRequest { state, description, body } = wanted;
        if state.is_none() && description.is_none() && body.is_none() {
            let message = "nothing is to be changed: give `state`, `description` or `body`";
            return Err(Error::new(Code::InvalidRequest, message));
        }
        if state == Some(SkillState::Draft) {
            check_users_own(owner)?;
        }
        let place = self.core.content().place(owner, skill)?.noting(note, owner);
        let change = TextChange { description, body };
        let mut refused_before = None;
        for _ in 0..PUBLISH_ATTEMPTS {
            let _room = place.reserve(bytes_to_change(&place).await? + change.bytes()).await?;
            let Current { archive, digest, is_published, draft, hidden, room } = current_version(&place, &from).await?;
            if condition == Condition::Nothing || condition.digest().is_some_and(|only| only != digest) {
                return Err(version_conflict(&place, &digest, is_published));
            }
            let (source, session) = draft.map(|draft| (draft.source, draft.session)).unwrap_or_default();
            let from = Provenance { source, ..from.clone() };
            let checked = repack_rewritten(&place, owner, archive, change.clone(), &from).await?;
            drop(room);
            // An interrupted attempt of this call may have left its draft, which does not count as another draft.
            let is_other = |hidden: &String| *hidden != digest && *hidden != checked.package.version.digest();
            let is_named = condition != Condition::Any && state != Some(SkillState::Draft);
            if let Some(hidden) = hidden.filter(is_other).filter(|_| !is_named) {
                return Err(hidden_conflict(&place, &digest, &hidden));
            }
            let was = if is_published { SkillState::Published } else { SkillState::Draft };
            let is_to_be = state.unwrap_or(was);
            let before = if is_published { Condition::Version(digest.clone()) } else { Condition::Nothing };
            let changed = match is_to_be {
                SkillState::Published => {
                    Box::pin(publish_draft(&place, &checked.package, &from, &before, &digest)).await
                }
                SkillState::Draft => {
                    let made = made(&from, session);
                    Box::pin(replace_with_draft(&place, &checked.package, made, &before, &digest)).await
                }
            };
            match changed {
                // The next round reads what is there by now, and checks the condition against it.
                Err(ChangeError::Conflict(_) | ChangeError::Undone(_)) => {}
                // The place counts as taken if the skill is the same in the next round.
                Err(ChangeError::Taken(error)) => {
                    if refused_before.replace(digest.clone()) == Some(digest) {
                        return Err(error);
                    }
                }
                Err(error) => return Err(error.into()),
                Ok(mut changed) => {
                    show_change(&self.core, &place, owner, &mut changed).await;
                    let reply =
                        reply(skill, checked.package.version.digest(), changed, checked.findings, checked.quality);
                    return Ok(PublishReply { state: is_to_be, ..reply });
                }
            }
        }
        Err(draft_contested(&place))
    }
}

/// The memory that a change of the skill takes: the archive, the archive packed again, and the largest file.
async fn bytes_to_change(target: &SkillTarget) -> Result<u64> {
    let (head, draft) = tokio::try_join!(read_head(target), read_draft(target))?;
    let of_head = head.map_or(0, |known| known.head.files.iter().map(|one| one.file.size).sum());
    Ok(bytes_to_repack(archive_bytes(of_head.max(draft.map_or(0, |draft| draft.size)))))
}

/// The skill as it is now: the published version, or else the draft.
async fn current_version(target: &SkillTarget, from: &Provenance) -> Result<Current> {
    for _ in 0..PUBLISH_ATTEMPTS {
        let (head, slot) = settled_state(target).await?;
        let draft = slot.draft(head.as_ref().map(|known| &known.head)).map(|known| known.draft.clone());
        let published = match published_now(target, head.clone(), from).await {
            Err(ChangeError::Undone(_)) => continue,
            published => published?,
        };
        // A folder that was packed, or that has no skill, is the work of another tool, or of a newer head.
        let is_doubtful = published.as_ref().map_or(draft.is_none(), |now| now.room.is_some());
        if is_doubtful && !is_newest(target, head.as_ref()).await? {
            continue;
        }
        if let Some(PublishedNow { archive, digest, room, took }) = published {
            let hidden = draft.map(|draft| draft.digest).filter(|draft| took.as_ref() != Some(draft));
            return Ok(Current { archive, digest, is_published: true, draft: None, hidden, room });
        }
        let Some(draft) = draft else {
            return Err(Error::new(Code::SkillNotFound, format!("there is no skill {} to change", target.skill)));
        };
        let (archive, digest) = (draft_archive(target, &draft.digest).await?, draft.digest.clone());
        return Ok(Current { archive, digest, is_published: false, draft: Some(draft), hidden: None, room: None });
    }
    Err(draft_contested(target))
}

/// Publishes a package in the place of the version in `before`, or of the draft `digest`.
async fn publish_draft(
    target: &SkillTarget,
    package: &Package,
    from: &Provenance,
    before: &Condition,
    digest: &str,
) -> Result<ChangeResult, ChangeError> {
    let _turn = target.content.changes().lock(target.folder.as_str()).await;
    let (head, slot) = settled_state(target).await?;
    // This draft was made beside a newer head, so the skill did not take its place.
    if slot.is_after(head.as_ref().map(|known| &known.head)) && !is_newest(target, head.as_ref()).await? {
        return Err(ChangeError::Undone(draft_contested(target)));
    }
    let draft = slot.draft(head.as_ref().map(|known| &known.head)).cloned();
    let is_other = draft.as_ref().is_none_or(|known| known.draft.digest != digest);
    if *before == Condition::Nothing && is_other {
        return Err(draft_conflict(target, draft.as_ref().map_or("", |known| &known.draft.digest)));
    }
    let takes = draft.as_ref().filter(|_| *before == Condition::Nothing);
    let changed = change_head(target, head, &WantedChange::Published(package, takes), from, before).await?;
    if changed.status != PublishStatus::Unchanged {
        let was = if *before == Condition::Nothing { SkillState::Draft } else { SkillState::Published };
        target.noted(Some((digest, was)), Some((package.version.digest(), SkillState::Published)));
    }
    // Until the plain files are there, listings show the draft and not the published skill.
    let replaced = draft.filter(|_| changed.complete).and_then(|draft| replaced_draft(draft, &changed));
    Ok(ChangeResult { replaced, ..changed })
}

/// Makes a draft of a package, in the place of the draft `digest` or of the published version.
async fn replace_with_draft(
    target: &SkillTarget,
    package: &Package,
    change: DraftChange,
    before: &Condition,
    digest: &str,
) -> Result<ChangeResult, ChangeError> {
    if *before == Condition::Nothing {
        let status = save_draft(target, package, change, &Replaces::Read(digest.to_owned())).await?.0;
        let before = Some(digest.to_owned());
        return Ok(ChangeResult { status, before, complete: true, kept: Vec::new(), took: None, replaced: None });
    }
    let from = Provenance { at: change.at, by: change.by.clone(), source: change.source.clone() };
    let draft = draft_from_package(target, package, change).await?;
    let _turn = target.content.changes().lock(target.folder.as_str()).await;
    let head = settled_head(target).await?;
    // The head holds the draft until its object is stored, so both change at one moment.
    let changed = change_head(target, head, &WantedChange::Draft(Box::new(draft)), &from, before).await?;
    target.noted(Some((digest, SkillState::Published)), Some((package.version.digest(), SkillState::Draft)));
    Ok(ChangeResult { status: PublishStatus::Updated, ..changed })
}

/// Puts a draft where no skill is published.
async fn save_draft(
    target: &SkillTarget,
    package: &Package,
    change: DraftChange,
    replaces: &Replaces,
) -> Result<(PublishStatus, SkillDraft), ChangeError> {
    let digest = package.version.digest();
    for _ in 0..PUBLISH_ATTEMPTS {
        let head = settled_head(target).await?;
        let (slot, folder) = tokio::try_join!(draft_slot(target).err_into(), list_folder(target))?;
        let Some(folder) = settled_files(target, head.as_ref(), folder).await? else { continue };
        let before = match draft_to_replace(target, head.as_ref(), &slot, &folder, (replaces, digest)).await {
            // The head, the draft and the folder may be of different moments.
            Err(_) if !is_newest(target, head.as_ref()).await? => continue,
            before => before?,
        };
        // A draft beside an old head does not count, and may not replace the draft of a newer head.
        if slot.is_after(head.as_ref().map(|known| &known.head)) && !is_newest(target, head.as_ref()).await? {
            continue;
        }
        if let Some(head) = &head
            && complete_deletion(target, head, &slot).await?
        {
            continue;
        }
        if let Some(same) = before.filter(|draft| draft.digest == digest && draft.session == change.session) {
            return Ok((PublishStatus::Unchanged, same.clone()));
        }
        let generation = head.as_ref().map_or(0, |known| known.head.generation);
        let draft = draft_from_package(target, package, change.clone()).await?.at(generation);
        if !put_draft(target, &slot, &draft).await? {
            continue;
        }
        let has_counted = has_counted(target, head.as_ref(), &draft).await;
        // The draft is there, whether this call can see that it counts or not.
        if has_counted.map_err(unknown)? {
            let status = if before.is_some() { PublishStatus::Updated } else { PublishStatus::Created };
            let before = before.map(|before| (before.digest.as_str(), SkillState::Draft));
            target.noted(before, Some((digest, SkillState::Draft)));
            return Ok((status, draft));
        }
    }
    Err(draft_contested(target).into())
}

/// The draft that a new one may replace. The new draft has the digest `digest`.
///
/// # Errors
/// `version_conflict` with `current` if the draft or the skill is another; `already_exists` if a skill is published there, or around it
/// or in it, or if a session may not replace the draft; the store's.
async fn draft_to_replace<'slot>(
    target: &SkillTarget,
    head: Option<&StoredHead>,
    slot: &'slot DraftSlot,
    folder: &PlainFiles,
    (replaces, digest): (&Replaces, &str),
) -> Result<Option<&'slot SkillDraft>, ChangeError> {
    if matches!(replaces, Replaces::Read(_)) && is_published(head) {
        let current = head.and_then(|known| known.head.digest.as_deref()).unwrap_or_default();
        return Err(ChangeError::Conflict(version_conflict(target, current, true)));
    }
    if folder.contains_key(MAIN) {
        let message = format!("there is a skill {} already: give this one another name", target.skill);
        return Err(ChangeError::Taken(Error::new(Code::AlreadyExists, message)));
    }
    if let Some(conflict) = place_conflict(target, head, folder).await? {
        return Err(ChangeError::Taken(conflict));
    }
    let before = slot.draft(head.map(|known| &known.head)).map(|known| &known.draft);
    let is_refused = match replaces {
        Replaces::If(Condition::Version(only)) | Replaces::Read(only) => {
            before.is_none_or(|draft| draft.digest != *only)
        }
        Replaces::If(Condition::Nothing) => before.is_some(),
        Replaces::If(_) => false,
        Replaces::OwnTwin(session) => {
            let is_twin = |draft: &SkillDraft| draft.digest == digest && draft.session.as_ref() == Some(session);
            if before.is_some_and(|draft| !is_twin(draft)) {
                return Err(taken(&target.skill).into());
            }
            false
        }
    };
    if is_refused {
        return Err(draft_conflict(target, before.map_or("", |draft| &draft.digest)));
    }
    Ok(before)
}

/// Whether a draft that was put beside `head` counts, or has counted. If another call has replaced or deleted the draft since, the
/// draft comes before this call, and a publish comes after both.
async fn has_counted(target: &SkillTarget, head: Option<&StoredHead>, draft: &SkillDraft) -> Result<bool> {
    Ok(is_still_draft(target, head, draft).await? || !draft_slot(target).await?.holds(draft))
}

/// Whether a draft that was put beside `head` counts: no publish came first, or that publish took the place of this draft.
async fn is_still_draft(target: &SkillTarget, head: Option<&StoredHead>, draft: &SkillDraft) -> Result<bool> {
    let now = settled_head(target).await?;
    let Some(known) = now.filter(|now| Some(now.etag()) != head.map(StoredHead::etag)) else { return Ok(true) };
    let is_taken = is_published(Some(&known)) && known.head.took.as_ref() == Some(&draft.digest);
    Ok(is_taken || (!is_published(Some(&known)) && draft.counts(known.head.drafts_since)))
}

/// The draft of a package. The archive of the package is stored first.
async fn draft_from_package(target: &SkillTarget, package: &Package, change: DraftChange) -> Result<SkillDraft> {
    let key = target.space.draft_version(&target.skill, package.version.digest())?;
    put_archive(target, &key, package).await?;
    let frontmatter = read_document(&package.main, target.skill.folder()).0.map(|document| document.frontmatter);
    Ok(SkillDraft::new(&target.skill, &package.version, frontmatter.unwrap_or_default(), change))
}

/// The error for a name that is not free.
pub(crate) fn taken(skill: &SkillPath) -> Error {
    Error::new(Code::AlreadyExists, format!("the name {skill} is taken: give the skill another one"))
}

fn made(from: &Provenance, session: Option<Id>) -> DraftChange {
    DraftChange { at: from.at, by: from.by.clone(), source: from.source.clone(), session }
}

fn drafted(
    skill: &SkillPath,
    digest: &str,
    status: PublishStatus,
    lint: Vec<crate::skill::Diagnostic>,
    quality: Quality,
) -> PublishReply {
    let changed = ChangeResult { status, before: None, complete: true, kept: Vec::new(), took: None, replaced: None };
    PublishReply { state: SkillState::Draft, ..reply(skill, digest, changed, lint, quality) }
}

/// Checks that the skill is a user's own.
fn check_users_own(owner: &LayerOwner) -> Result<()> {
    if matches!(owner, LayerOwner::User(_)) {
        return Ok(());
    }
    let message = "drafts are a user's own: publish the skill in that layer, or make a draft without `layer`";
    Err(Error::new(Code::InvalidRequest, message))
}

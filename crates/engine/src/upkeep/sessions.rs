//! Sessions, and the snapshots beside them.

use std::collections::{BTreeMap, BTreeSet};

use super::survey::OwnerObjects;
use crate::{
    context::Core,
    error::Result,
    limits::SNAPSHOT_OBJECT_BYTES,
    path::{Id, Layer, LayerOwner, ObjectKey},
    session::{LoadedSkill, Session, SessionError, is_sound_snapshot, read_stored_session},
    store::{CachePolicy, GetOptions, ListEntry, StoreError},
    wire::FindingCode,
};

/// Checks every session and every snapshot of one user. Returns the digests of the snapshots that sessions have loaded; `None` if
/// not every session can be read.
pub(super) async fn check(core: &Core, survey: &mut OwnerObjects, user: &Id) -> Result<Option<BTreeSet<String>>> {
    let (mut referred, mut are_all_read) = (BTreeSet::new(), true);
    let (mut loaded, mut are_missing) = (BTreeSet::new(), BTreeMap::new());
    for (name, entry) in survey.of_area("sessions/") {
        let Some(session) = name.strip_suffix(".json").and_then(|name| Id::parse(name).ok()) else {
            are_all_read = false;
            survey.find(FindingCode::UnknownObject, entry.key, "its name is not that of a session");
            continue;
        };
        match read_stored_session(core.sessions(), user, &session).await {
            Ok(None) => {}
            Ok(Some(stored)) => {
                check_session(core, survey, &entry.key, &stored).await?;
                check_versions(core, survey, (user, &entry.key), &stored, &mut are_missing).await?;
                loaded.extend(stored.loaded_skills.iter().map(|loaded| loaded.digest.clone()));
                referred.extend(snapshots_of(&stored).map(str::to_owned));
            }
            Err(SessionError::Damaged(damage)) => {
                are_all_read = false;
                survey.find(FindingCode::DamagedSession, entry.key, damage.message().to_owned());
            }
            Err(error) => return Err(error.into()),
        }
    }
    for (name, entry) in survey.of_area("snapshots/") {
        let Some(digest) = name.strip_suffix(".json").map(|name| format!("sha256:{name}")) else {
            survey.find(FindingCode::UnknownObject, entry.key, "its name is not that of a snapshot");
            continue;
        };
        check_snapshot(core, survey, &digest, &entry, are_all_read && !referred.contains(&digest)).await?;
    }
    Ok(are_all_read.then_some(loaded))
}

/// The digests of the snapshots that lie beside a session.
fn snapshots_of(stored: &Session) -> impl Iterator<Item = &str> {
    stored.loaded_skills.iter().filter(|loaded| loaded.snapshot.is_none()).map(|loaded| loaded.digest.as_str())
}

/// Checks a session and the snapshots that it refers to.
async fn check_session(core: &Core, survey: &mut OwnerObjects, key: &str, stored: &Session) -> Result<()> {
    if core.clock().now() >= stored.expires_at() {
        survey.find(FindingCode::ExpiredSession, key, "it was idle for too long");
    }
    for digest in snapshots_of(stored) {
        if survey.is_missing(core, &survey.space.snapshot(hex_of(digest))?).await? {
            let detail = format!("a loaded skill of it has its file list in {digest}, which is not there");
            survey.find(FindingCode::MissingSnapshot, key, detail);
        }
    }
    for LoadedSkill { skill, snapshot, digest, .. } in &stored.loaded_skills {
        if snapshot.as_ref().is_some_and(|inline| inline.digest() != *digest || !inline.is_sound()) {
            let detail = format!("its list of the files of {skill} is not what its digest says");
            survey.find(FindingCode::DamagedSnapshot, key, detail);
        }
    }
    Ok(())
}

/// Checks the versions and the drafts that a session has loaded. `are_missing` caches the results of earlier sessions.
async fn check_versions(
    core: &Core,
    survey: &mut OwnerObjects,
    (user, key): (&Id, &str),
    stored: &Session,
    are_missing: &mut BTreeMap<ObjectKey, bool>,
) -> Result<()> {
    for loaded in &stored.loaded_skills {
        let (Some(owner), Some(digest)) = (owner_of(loaded, user), &loaded.version) else { continue };
        let version = owner.space(core.namespace())?.version(&loaded.skill, digest)?;
        let is_missing = match are_missing.get(&version) {
            Some(known) => *known,
            None => survey.is_missing(core, &version).await?,
        };
        if is_missing {
            let whose = if owner.layer() == Layer::User { String::new() } else { format!(" of {owner}") };
            let detail = format!("it has loaded version {digest} of {}{whose}, which is not there", loaded.skill);
            survey.find(FindingCode::MissingVersion, key, detail);
        }
        are_missing.insert(version, is_missing);
    }
    for LoadedSkill { skill, draft, .. } in &stored.loaded_skills {
        let Some(digest) = draft else { continue };
        if survey.is_missing(core, &survey.space.draft_version(skill, digest)?).await? {
            let detail = format!("it has loaded the draft {digest} of {skill}, whose files are not there");
            survey.find(FindingCode::MissingDraftFiles, key, detail);
        }
    }
    Ok(())
}

/// Whose skill it is; `None` if it is a team's and does not say which.
fn owner_of(loaded: &LoadedSkill, user: &Id) -> Option<LayerOwner> {
    match loaded.layer {
        Layer::User => Some(LayerOwner::User(user.clone())),
        Layer::Team => loaded.team.clone().map(LayerOwner::Team),
        Layer::Org => Some(LayerOwner::Org),
    }
}

async fn check_snapshot(
    core: &Core,
    survey: &mut OwnerObjects,
    digest: &str,
    entry: &ListEntry,
    is_orphan: bool,
) -> Result<()> {
    let key = survey.space.snapshot(hex_of(digest))?;
    if is_orphan && survey.is_old(entry) {
        // A session that begins meanwhile writes an old snapshot again before the session names it.
        let now = if survey.repair { core.store().head(&key).await.ok() } else { None };
        let is_still_old = now.is_some_and(|meta| survey.is_older(meta.modified_at));
        let repaired = is_still_old && survey.delete(core, &key, entry).await?;
        survey.find_repaired(
            FindingCode::OrphanSnapshot,
            &entry.key,
            "no session has loaded a skill of these files",
            repaired,
        );
        return Ok(());
    }
    let options = GetOptions::range(0..SNAPSHOT_OBJECT_BYTES).with_keep(CachePolicy::Not);
    let is_sound = match core.store().get(&key, options).await {
        Ok(object) => object.is_whole() && is_sound_snapshot(&object.bytes, digest),
        Err(StoreError::NotFound) => return Ok(()),
        Err(error) => return Err(error.into()),
    };
    if !is_sound {
        survey.find(FindingCode::DamagedSnapshot, entry.key.clone(), "its content is not what its name says");
    }
    Ok(())
}

fn hex_of(digest: &str) -> &str {
    digest.strip_prefix("sha256:").unwrap_or(digest)
}

//! Looking at a session as it is stored: for checks of a store.

use super::{LoadedSkill, Sessions};
use crate::{
    error::Result,
    json,
    path::{Id, Layer, LayerOwner, SkillPath},
    skill::Snapshot,
};

/// What a stored session refers to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredSession {
    /// Whether it was idle too long.
    pub is_expired: bool,
    /// The digests of the snapshots that lie beside it.
    pub snapshots: Vec<String>,
    /// The digests of all its snapshots.
    pub loaded: Vec<String>,
    /// The skills whose file list in the session itself is not what its digest says.
    pub damaged: Vec<SkillPath>,
    /// The published versions that it has loaded, by whose they are and by their digests.
    pub versions: Vec<(LayerOwner, SkillPath, String)>,
    /// The drafts of the user that it has loaded, by their digests.
    pub drafts: Vec<(SkillPath, String)>,
}

impl Sessions {
    /// A session as it is in the store; `None` if there is none. Nothing of it is kept in memory.
    ///
    /// # Errors
    /// `internal` if its object is damaged; the store's.
    pub async fn stored(&self, user: &Id, session: &Id) -> Result<Option<StoredSession>> {
        let seen = self.records.pass(&self.namespace.user(user)?.session(session)?).await?;
        let Some(found) = seen.value()? else { return Ok(None) };
        let aside = found.loaded_skills.iter().filter(|loaded| loaded.snapshot.is_none());
        let snapshots = aside.map(|loaded| loaded.digest.clone()).collect();
        let loaded = found.loaded_skills.iter().map(|loaded| loaded.digest.clone()).collect();
        let is_damaged = |loaded: &&LoadedSkill| {
            let inline = loaded.snapshot.as_ref();
            inline.is_some_and(|snapshot| snapshot.digest() != loaded.digest || !snapshot.is_sound())
        };
        let damaged = found.loaded_skills.iter().filter(is_damaged).map(|loaded| loaded.skill.clone()).collect();
        let version = |one: &LoadedSkill| Some((owner_of(one, user)?, one.skill.clone(), one.version.clone()?));
        let versions = found.loaded_skills.iter().filter_map(version).collect();
        let draft = |one: &LoadedSkill| Some((one.skill.clone(), one.draft.clone()?));
        let drafts = found.loaded_skills.iter().filter_map(draft).collect();
        let is_expired = self.clock.now() >= found.expires_at();
        Ok(Some(StoredSession { is_expired, snapshots, loaded, damaged, versions, drafts }))
    }

    /// Whether the bytes of a snapshot beside sessions are what its name says.
    #[must_use]
    pub fn is_snapshot(bytes: &[u8], digest: &str) -> bool {
        let read: Option<Snapshot> = json::from_slice(bytes).ok();
        read.is_some_and(|snapshot| snapshot.digest() == digest && snapshot.is_sound())
    }
}

/// Whose skill it is; `None` if it is a team's and does not say which.
fn owner_of(loaded: &LoadedSkill, user: &Id) -> Option<LayerOwner> {
    match loaded.layer {
        Layer::User => Some(LayerOwner::User(user.clone())),
        Layer::Team => loaded.team.clone().map(LayerOwner::Team),
        Layer::Org => Some(LayerOwner::Org),
    }
}

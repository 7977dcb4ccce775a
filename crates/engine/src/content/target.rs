//! One skill of one owner.

use super::{
    Content,
    memory::{MemoryPermit, owner_below},
};
use crate::{
    error::{Code, Error, Result},
    observer::EffectsRecorder,
    path::{KeyPrefix, Layer, LayerOwner, SkillPath, UserSpace},
    wire::SkillState,
};

/// One skill of one owner, as a target of publishing. It borrows nothing, so work on it can outlive a call.
#[derive(Clone, Debug)]
pub(crate) struct SkillTarget {
    pub(crate) content: Content,
    pub(crate) space: UserSpace,
    pub(crate) skill: SkillPath,
    /// The folder of its plain files.
    pub(crate) folder: KeyPrefix,
    /// The recorder of its changes, for an observer.
    note: EffectsRecorder,
}

impl SkillTarget {
    /// The same target with `note` as the recorder of its changes.
    pub(crate) fn noting(self, note: EffectsRecorder, owner: &LayerOwner) -> Self {
        note.owner(owner);
        Self { note, ..self }
    }

    /// Records a change of the skill from the version `before` to `after`; `None` stands for no skill.
    pub(crate) fn noted(&self, before: Option<(&str, SkillState)>, after: Option<(&str, SkillState)>) {
        self.note.version(&self.skill, before, after);
    }

    /// Waits for the room to have `bytes` of archives and unpacked files of this owner in memory.
    pub(crate) async fn reserve(&self, bytes: u64) -> Result<MemoryPermit> {
        self.content.versions().rooms.reserve(&owner_below(self.space.root()), bytes).await
    }
}

impl Content {
    /// Checks that this service shows skills of the layer.
    ///
    /// # Errors
    /// `invalid_request` for a layer of others if layers are off.
    pub fn check_layer(&self, layer: Layer) -> Result<()> {
        if layer == Layer::User || self.catalogs().has_layers() {
            return Ok(());
        }
        let message = "layers are off, so this service shows no skills of teams and of the organisation: an operator starts \
                       it with --layers";
        Err(Error::new(Code::InvalidRequest, message))
    }

    /// A skill of a layer's owner.
    ///
    /// # Errors
    /// `invalid_request` if this service does not show the layer; `invalid_path` if the key would be too long.
    pub(crate) fn place(&self, owner: &LayerOwner, skill: &SkillPath) -> Result<SkillTarget> {
        self.check_layer(owner.layer())?;
        self.place_in(owner.space(self.namespace())?, skill)
    }

    pub(crate) fn place_in(&self, space: UserSpace, skill: &SkillPath) -> Result<SkillTarget> {
        let folder = space.skill(skill)?;
        Ok(SkillTarget { content: self.clone(), space, skill: skill.clone(), folder, note: EffectsRecorder::default() })
    }
}

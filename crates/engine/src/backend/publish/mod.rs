//! Publishing skills: versions that never change, a head that says which of them counts, and plain files that follow it.
//!
//! One compare-and-swap of the head publishes. All else can be repeated by anybody: the archive of the version is there
//! before the head names it, and the plain files are brought up to it afterwards, by whoever finds them behind. So a crash
//! at any point leaves the old version or the new one, and never a part of either.
//!
//! Files belong to whoever wrote them last. A plain file is replaced or deleted only in the very version that was there
//! when the head was written; if another tool wrote since, its file stays, and the folder differs from its head. Such a
//! folder is what the skill is, until the next publish, which first keeps it as a version of its own.
//!
//! A draft is an archive too, and a small object that names it, replaced by compare-and-swap. A path is published or a draft:
//! if a crash leaves both, the published skill counts, and the next publish or delete takes the draft away.

mod archive;
mod change;
mod difference;
mod drafting;
mod drafts;
mod export;
mod files;
mod folder;
mod heads;
mod history;
mod inspect;
mod intake;
mod known_heads;
mod listed;
mod materialise;
mod numbered;
mod published;
mod repack;
mod rooms;
mod served;
mod uploaded;
mod versions;
mod waiting;

pub(super) use archive::{Archive, ArchiveKind, ArchivedFile};
pub use change::Condition;
pub(super) use drafting::{DraftAsked, taken};
pub use drafts::DraftReader;
pub use export::SkillArchive;
pub(super) use files::{SkillContents, SkillFiles};
pub(super) use inspect::InspectedHead;
pub use intake::PublishOptions;
pub(super) use known_heads::HeadCache;
pub use known_heads::NumberedVersion;
pub(super) use listed::PublishState;
pub use published::{PageRequest, PublishedPage, PublishedSkill, PublishedVersion, VersionName};
pub use uploaded::UploadedSkill;
pub(super) use versions::VersionCache;
pub use waiting::SpooledBody;

use rooms::MemoryPermit;
pub(super) use rooms::owner_below;

use super::{EffectsRecorder, Service};
use crate::{
    error::{Code, Error, Result},
    path::{KeyPrefix, Layer, LayerOwner, SkillPath, UserSpace},
    wire::SkillState,
};

/// One skill of one owner, as far as publishing goes. It borrows nothing, so that work on it can outlive a call.
#[derive(Clone, Debug)]
struct SkillTarget {
    service: Service,
    space: UserSpace,
    skill: SkillPath,
    /// Where its plain files lie.
    folder: KeyPrefix,
    /// Where a change is noted, for whoever keeps account of it.
    note: EffectsRecorder,
}

impl SkillTarget {
    /// The same place, whose changes are noted there.
    fn noting(self, note: EffectsRecorder, owner: &LayerOwner) -> Self {
        note.layer(owner.layer());
        Self { note, ..self }
    }

    /// Notes that the skill is the version `after` now, where it was `before`; `None` for no skill.
    fn noted(&self, before: Option<(&str, SkillState)>, after: Option<(&str, SkillState)>) {
        self.note.version(&self.skill, before, after);
    }

    /// Waits for the room to have `bytes` of archives and unpacked files of this owner in memory.
    async fn enter(&self, bytes: u64) -> Result<MemoryPermit> {
        self.service.shared.versions.rooms.enter(&owner_below(self.space.root()), bytes).await
    }
}

impl Service {
    /// Checks that skills of this layer are shown to anybody.
    ///
    /// # Errors
    /// `invalid_request` for a layer of others where layers are off.
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
    /// `invalid_request` if nobody would see that layer; `invalid_path` if the key would be too long.
    fn place(&self, owner: &LayerOwner, skill: &SkillPath) -> Result<SkillTarget> {
        self.check_layer(owner.layer())?;
        self.place_in(owner.space(self.namespace())?, skill)
    }

    fn place_in(&self, space: UserSpace, skill: &SkillPath) -> Result<SkillTarget> {
        let folder = space.skill(skill)?;
        Ok(SkillTarget { service: self.clone(), space, skill: skill.clone(), folder, note: EffectsRecorder::default() })
    }
}

//! Publishing skills: versions that never change, a head that says which of them counts, and plain files that follow it.
//!
//! One compare-and-swap of the head publishes. All else can be repeated by anybody: the archive of the version is there
//! before the head names it, and the plain files are brought up to it afterwards, by whoever finds them behind. So a crash
//! at any point leaves the old version or the new one, and never a part of either.
//!
//! Files belong to whoever wrote them last. A plain file is replaced or deleted only in the very version that was there
//! when the head was written; if another tool wrote since, its file stays, and the folder differs from its head. Such a
//! folder is what the skill is, until the next publish, which first keeps it as a version of its own.

mod change;
mod files;
mod folder;
mod heads;
mod history;
mod intake;
mod materialise;
mod served;
mod versions;

pub(super) use files::{Found, SkillFiles};
pub use intake::{PublishOptions, UploadedSkill};
pub(super) use versions::{ArchivedFile, Versions};

use super::Service;
use crate::{
    error::Result,
    path::{Id, KeyPrefix, SkillPath, UserSpace},
};

/// One skill of one owner, as far as publishing goes. It borrows nothing, so that work on it can outlive a call.
#[derive(Clone, Debug)]
struct Place {
    service: Service,
    space: UserSpace,
    skill: SkillPath,
    /// Where its plain files lie.
    folder: KeyPrefix,
}

impl Service {
    fn place(&self, user: &Id, skill: &SkillPath) -> Result<Place> {
        self.place_in(self.namespace().user(user)?, skill)
    }

    fn place_in(&self, space: UserSpace, skill: &SkillPath) -> Result<Place> {
        let folder = space.skill(skill)?;
        Ok(Place { service: self.clone(), space, skill: skill.clone(), folder })
    }
}

//! What a session sees: its two folders, its loaded skills, and, if its policy shows them, all others.

use std::collections::HashSet;

use futures_util::future::try_join_all;

use super::{
    SkillBackend,
    tree::{Kind, Pinned, Tree, archive_of, skill_mount},
};
use crate::{
    error::Result,
    path::{Layer, Mount, MountName, MountTemplate, UserSpace, VirtualPath},
    session::{EffectivePolicy, LoadedSkill, Session, SkillRule, SkillsAccess, Visibility},
};

impl SkillBackend {
    /// The tree of `session` under `policy`.
    pub(super) async fn tree(&self, session: &Session, policy: &EffectivePolicy) -> Result<Tree> {
        let space = self.space()?;
        let templates = &self.shared.templates;
        let own = |at: &str, template: &MountTemplate| -> Result<(Mount, Kind)> {
            let prefix = template.prefix(&space, session.files_id(), &session.vars)?;
            Ok((Mount { at: VirtualPath::parse(at)?, prefix }, Kind::Fresh))
        };
        let mut mounts = vec![own("/workspace", templates.workspace())?, own("/ticket", templates.ticket())?];
        let visible = session.loaded_skills.iter().filter(|loaded| policy.skill(&loaded.skill).is_visible());
        let homes = visible.filter_map(|loaded| Some(self.home(loaded).transpose()?.map(|home| (loaded, home))));
        let homes = homes.collect::<Result<Vec<_>>>()?;
        // At once, because a session made from another one may have all its file lists beside it.
        let pinned = try_join_all(homes.iter().map(|(loaded, home)| self.pinned(loaded, home, policy))).await?;
        for ((loaded, home), pinned) in homes.iter().zip(pinned) {
            let mount = Mount { at: skill_mount(&loaded.mount)?, prefix: home.skill(&loaded.skill)? };
            mounts.push((mount, Kind::Pinned(pinned)));
        }
        if policy.visibility() == Visibility::All {
            let mut taken: HashSet<MountName> =
                session.loaded_skills.iter().map(|loaded| loaded.mount.clone()).collect();
            for entry in &self.catalog(false).await?.entries {
                let Some(home) = self.layer(entry.layer)? else { continue };
                // What asks first is there once it is loaded: nothing of it may be read before.
                if policy.skill(&entry.skill) == SkillRule::AutoApprove && taken.insert(entry.mount_name()) {
                    let mount = Mount { at: skill_mount(&entry.mount_name())?, prefix: home.skill(&entry.skill)? };
                    mounts.push((mount, Kind::Shown));
                }
            }
        }
        Ok(Tree::new(mounts))
    }

    async fn pinned(&self, loaded: &LoadedSkill, home: &UserSpace, policy: &EffectivePolicy) -> Result<Pinned> {
        let snapshot = self.shared.sessions.snapshot(self.user(), loaded).await?;
        Ok(Pinned {
            skill: loaded.skill.clone(),
            layer: loaded.layer,
            archive: archive_of(loaded, &snapshot, home)?,
            snapshot,
            // What is shared is not one session's to change, and plain files of a draft would publish it.
            writable: policy.skills_access() == SkillsAccess::Write
                && loaded.layer == Layer::User
                && loaded.draft.is_none(),
        })
    }
}

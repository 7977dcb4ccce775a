//! Layers: the skills of a user, of the team and of the organisation, seen as one catalog.
//!
//! The nearest layer wins, skill by skill: a skill of one path never combines two layers. The entry that wins lists the
//! layers it hides.

use std::sync::Arc;

use super::{duplicates::duplicates, entry::CatalogEntry, view::CatalogView};
use crate::path::{Id, LayerOwner, SkillPath};

/// The reader of skills, which decides the layers. The team comes from the caller's key, never from a request.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Audience {
    /// The user.
    pub user: Id,
    /// The team the caller belongs to, if any.
    pub team: Option<Id>,
}

impl From<&Id> for Audience {
    /// A user who is in no team.
    fn from(user: &Id) -> Self {
        Self { user: user.clone(), team: None }
    }
}

impl Audience {
    /// The owners of the layers that it sees, nearest first. Layers above the user only if `with_layers`.
    pub(super) fn owners(&self, with_layers: bool) -> Vec<LayerOwner> {
        let above = self.team.iter().cloned().map(LayerOwner::Team).chain([LayerOwner::Org]).filter(|_| with_layers);
        [LayerOwner::User(self.user.clone())].into_iter().chain(above).collect()
    }
}

/// Merges several layers, given nearest first.
pub(super) fn merge(parts: &[Arc<CatalogView>]) -> CatalogView {
    let mut all: Vec<&Arc<CatalogEntry>> = parts.iter().flat_map(|part| &part.entries).collect();
    // The sort is stable, so among equals the nearest stays first.
    all.sort_by(|one, two| one.skill.cmp(&two.skill));
    let entries: Vec<_> = all.chunk_by(|one, two| one.skill == two.skill).filter_map(nearest).collect();
    let mut diagnostics = duplicates(&entries);
    for (distance, part) in parts.iter().enumerate() {
        let nearer = parts.get(..distance).unwrap_or_default();
        let shown = part.diagnostics.iter().filter(|finding| {
            // Skills can have one name in a layer and not in the whole, and the other way round.
            !finding.compares_skills() && !is_hidden(&finding.skill, nearer)
        });
        diagnostics.extend(shown.cloned());
    }
    diagnostics.sort_by(|one, two| one.skill.cmp(&two.skill));
    CatalogView {
        entries,
        diagnostics,
        unnameable_keys: parts.iter().map(|part| part.unnameable_keys).sum(),
        as_of: parts.iter().map(|part| part.as_of).min().unwrap_or_default(),
    }
}

/// The first of the entries of one skill. It lists the layers of the others.
fn nearest(same: &[&Arc<CatalogEntry>]) -> Option<Arc<CatalogEntry>> {
    let (nearest, shadowed) = same.split_first()?;
    let mut entry = Arc::clone(nearest);
    if !shadowed.is_empty() {
        Arc::make_mut(&mut entry).shadows = shadowed.iter().map(|entry| entry.layer).collect();
    }
    Some(entry)
}

/// Whether one of the `nearer` layers has the skill.
fn is_hidden(skill: &str, nearer: &[Arc<CatalogView>]) -> bool {
    SkillPath::parse(skill).is_ok_and(|skill| nearer.iter().any(|part| part.entry(&skill).is_some()))
}

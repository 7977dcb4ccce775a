//! A policy as different readers of it, and of the catalog, may see it.

use std::collections::BTreeMap;

use super::{Policy, REST};

impl Policy {
    /// The same policy without the rules that name hidden skills, for a reader who may not see those.
    #[must_use]
    pub fn without_hidden(&self) -> Self {
        let mut shown = self.clone();
        shown.skills.retain(|pattern, rule| pattern == REST || rule.is_visible());
        shown.preload.retain(|skill| self.skill(skill).is_visible());
        // `escrituras/*` is looked up as a skill in that folder would be.
        let names_visible = |pattern: &String| self.folder(pattern).is_visible();
        for skills in shown.agents.values_mut() {
            skills.retain(|pattern| pattern == REST || names_visible(pattern));
        }
        shown
    }

    /// The same policy without its rules for skills, for a reader of scope `control`, who sees every skill of the catalog.
    #[must_use]
    pub fn for_control(&self) -> Self {
        Self { skills: BTreeMap::new(), ..self.clone() }
    }
}

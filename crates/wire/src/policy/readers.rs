//! A policy as different readers of it, and of the catalog, may see it.

use std::collections::BTreeMap;

use super::{Policy, REST};

impl Policy {
    /// The same policy without the rules that name a skill or a folder of skills, for a reader of scope `agent`. Such a rule may
    /// outlive its skill or the reader's right to see the skill.
    #[must_use]
    pub fn for_agent(&self) -> Self {
        let mut shown = self.clone();
        shown.skills.retain(|pattern, _| pattern == REST);
        shown.preload.retain(|_| false);
        for skills in shown.agents.values_mut() {
            skills.retain(|pattern| pattern == REST);
        }
        shown
    }

    /// The same policy without its rules for skills, for a reader of scope `control`, who sees every skill of the catalog.
    #[must_use]
    pub fn for_control(&self) -> Self {
        Self { skills: BTreeMap::new(), ..self.clone() }
    }
}

//! Sessions that have some skills and find no others: forks without the right to load.

use std::{collections::BTreeSet, sync::Arc};

use super::{EffectivePolicy, Policy, REST, SkillRule};
use skillmount_base::path::SkillPath;

impl EffectivePolicy {
    /// The same policy for a session that has these skills and finds no others. Every other skill is blocked there.
    #[must_use]
    pub fn limited_to(self, skills: BTreeSet<SkillPath>) -> Self {
        Self { limit: Some(Arc::new(skills)), ..self }
    }

    /// The rule that the policies have for a skill, whether the session finds the skill or not. The name of a new skill is held to
    /// it.
    #[must_use]
    pub fn rule(&self, skill: &SkillPath) -> SkillRule {
        self.session.skill(skill).max(self.user.skill(skill))
    }

    pub(super) fn limit_of(&self, path: &str) -> SkillRule {
        let is_outside = |limit: &BTreeSet<SkillPath>| !limit.iter().any(|skill| skill.as_str() == path);
        if self.limit.as_deref().is_some_and(is_outside) { SkillRule::Blocked } else { SkillRule::AutoApprove }
    }
}

impl Policy {
    /// The same policy for readers of the catalog who may see these skills and no others.
    #[must_use]
    pub fn limited_to<'skill>(&self, skills: impl IntoIterator<Item = &'skill SkillPath>) -> Self {
        let rules = skills.into_iter().map(|skill| (skill.to_string(), self.skill(skill)));
        Self { skills: rules.chain([(REST.to_owned(), SkillRule::Blocked)]).collect(), ..self.clone() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(text: &str) -> SkillPath {
        SkillPath::parse(text).unwrap()
    }

    #[test]
    fn a_limit_blocks_every_other_skill_and_loosens_no_rule() {
        let hidden = Policy { skills: [("a/x".to_owned(), SkillRule::Disabled)].into(), ..Policy::default() };
        let skills = BTreeSet::from([path("a/x"), path("a/y")]);
        let limited = hidden.under(&Policy::default()).limited_to(skills.clone());
        let reader = hidden.limited_to(&skills);
        for (skill, expected) in [
            ("a/x", SkillRule::Disabled),
            ("a/y", SkillRule::AutoApprove),
            ("a/z", SkillRule::Blocked),
            ("a", SkillRule::Blocked),
            ("a/y/in", SkillRule::Blocked),
        ] {
            assert_eq!(limited.skill(&path(skill)), expected, "{skill}");
            assert_eq!(limited.folder(skill), expected, "{skill}");
            assert_eq!(reader.skill(&path(skill)), expected, "{skill}");
        }
        assert_eq!(limited.rule(&path("a/z")), SkillRule::AutoApprove);
    }
}

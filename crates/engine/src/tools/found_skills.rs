//! The text of the skills that a search found.

use super::lines::list;
use crate::{
    skill::shown::{SafeText, one_line, removed_note},
    wire::{DiscoverReply, DiscoveredSkill, SearchConfidence},
};

/// The parts of a skill that the result of a search shows.
struct SkillLine {
    skill: SafeText,
    name: SafeText,
    description: SafeText,
    /// Its confidence, if it differs from the best skill's confidence. The message speaks for the best skill.
    confidence: Option<SearchConfidence>,
}

impl SkillLine {
    fn new(found: &DiscoveredSkill, best: &DiscoveredSkill) -> Self {
        Self {
            skill: one_line(&found.skill),
            name: one_line(&found.name),
            description: one_line(&found.description),
            confidence: Some(found.confidence).filter(|own| *own != best.confidence),
        }
    }

    /// The path to load the skill by and its description. The name and the confidence are added only if they differ.
    fn line(&self) -> String {
        let is_named = self.skill.plain().rsplit('/').next() == Some(self.name.plain());
        let name = if is_named { String::new() } else { format!(" ({})", self.name.inline()) };
        let confidence = self.confidence.map(|own| format!(" ({} confidence)", own.as_str())).unwrap_or_default();
        format!("- {}{name}: {}{confidence}", self.skill.at_line_start(), self.description.inline())
    }

    fn removed(&self) -> usize {
        self.name.removed() + self.description.removed()
    }
}

/// The skills that a search found, best first.
pub(super) fn discover(reply: &DiscoverReply, room: usize) -> String {
    let best = reply.skills.first();
    let skills: Vec<_> =
        best.iter().flat_map(|best| reply.skills.iter().map(|one| SkillLine::new(one, best))).collect();
    // The message names categories where nothing was found.
    let message = one_line(&reply.message).inline().into_owned();
    let lines = std::iter::once(message).chain(skills.iter().map(SkillLine::line));
    let removed: usize = skills.iter().map(SkillLine::removed).sum();
    let removed = removed_note(removed);
    list(lines, "", removed.as_deref(), room, "ask more narrowly, or with a smaller limit")
}

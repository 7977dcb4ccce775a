//! The texts of skills in a prompt, safe to show. The prompt is written from these texts alone.

use super::request::{CurrentSkill, PromptInput};
use crate::{
    catalog::{CatalogEntry, Categories},
    limits::{SKILL_DESCRIPTION_CHARS, TOOL_RESULT_BYTES},
    path::SkillPath,
    session::Ranks,
    skill::shown::{SafeText, ShownBlock, block, one_line},
    wire::{InstructionsWindow, Operation, PromptRequest, ToolRule},
};

/// One skill of a listing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Item {
    pub(super) name: SafeText,
    pub(super) description: SafeText,
    pub(super) category: SafeText,
    /// The argument that `load_skill` takes.
    pub(super) location: SafeText,
    pub(super) rank: u64,
}

impl Item {
    /// Whether the location already says the name.
    pub(super) fn is_named_by_location(&self) -> bool {
        self.location.plain().rsplit('/').next() == Some(self.name.plain())
    }

    /// This detail; if it cuts nothing of the item, all there is.
    pub(super) fn shown_at(&self, detail: Detail) -> Detail {
        match detail {
            Detail::Full(chars) if self.description.plain().chars().nth(chars).is_none() => Detail::WHOLE,
            _ => detail,
        }
    }
}

/// How much of a skill a listing shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Detail {
    /// Everything, and at most so many characters of its description.
    Full(usize),
    /// The name alone.
    Name,
    /// Nothing.
    Hidden,
}

impl Detail {
    /// All there is to show.
    pub(super) const WHOLE: Self = Self::Full(SKILL_DESCRIPTION_CHARS);
}

/// The skills that a prompt may name, in the order of their paths: none where the session may not load any.
pub(super) fn visible<'a>(scene: &PromptInput<'a>, request: &PromptRequest) -> Vec<&'a CatalogEntry> {
    if scene.policy.tool(Operation::LoadSkill) == ToolRule::Blocked {
        return Vec::new();
    }
    let seen = |entry: &&CatalogEntry| {
        is_wanted(&entry.skill, scene, request) && scene.policy.offers(&entry.skill, &entry.frontmatter)
    };
    scene.view.entries.iter().map(|entry| &**entry).filter(seen).collect()
}

/// Whether a prompt may speak of a skill at all.
fn is_wanted(skill: &SkillPath, scene: &PromptInput<'_>, request: &PromptRequest) -> bool {
    request.category.as_deref().is_none_or(|category| skill.is_in(category)) && scene.policy.skill(skill).is_visible()
}

/// The items of a listing. Thousands of skills are much work, so this is made only for a prompt with a listing.
#[derive(Debug, Default)]
pub(super) struct ListingItems {
    pub(super) items: Vec<Item>,
    /// Characters that were taken out because a reader would not see them.
    pub(super) removed: usize,
}

impl ListingItems {
    /// Of the skills that are [`visible`].
    pub(super) fn from_input(scene: &PromptInput<'_>, visible: &[&CatalogEntry]) -> Self {
        let mut found = Self::default();
        for entry in visible {
            found.push(entry, &scene.session.ranks);
        }
        found
    }

    fn push(&mut self, entry: &CatalogEntry, ranks: &Ranks) {
        let mut clean = |text: &str| {
            let shown = one_line(text);
            self.removed += shown.removed();
            shown
        };
        let item = Item {
            name: clean(entry.name()),
            description: clean(entry.description()).shortened(SKILL_DESCRIPTION_CHARS),
            category: clean(entry.skill.category()),
            location: clean(entry.skill.as_str()),
            rank: ranks.get(&entry.skill).copied().unwrap_or_default(),
        };
        self.items.push(item);
    }

    /// The categories of these skills.
    pub(super) fn categories(&self) -> Categories<'_> {
        Categories::from_skills(self.items.iter().map(|item| &item.category))
    }
}

/// The skill whose instructions a prompt holds.
#[derive(Debug)]
pub(super) struct Current {
    pub(super) skill: SafeText,
    pub(super) name: SafeText,
    pub(super) mount: SafeText,
    /// As many of its instructions as the result of a load has.
    pub(super) body: ShownBlock,
    /// How to get the rest of them, if they are cut.
    pub(super) cut: Option<String>,
    /// Characters that no reader sees and that were removed from all of them.
    pub(super) removed: usize,
}

impl From<&CurrentSkill> for Current {
    fn from(current: &CurrentSkill) -> Self {
        let whole = block(&current.body);
        let window = InstructionsWindow { skill: current.skill.as_str(), skipped: 0, next: None };
        let page = window.fit(&whole, TOOL_RESULT_BYTES);
        Self {
            skill: one_line(current.skill.as_str()),
            name: one_line(&current.name),
            mount: one_line(current.mount.as_str()),
            body: block(page.body()),
            cut: Some(page.note()).filter(|note| !note.is_empty()).map(str::to_owned),
            removed: whole.removed(),
        }
    }
}

/// A skill that is loaded.
#[derive(Debug)]
pub(super) struct LoadedItem {
    pub(super) skill: SafeText,
    pub(super) mount: SafeText,
}

impl LoadedItem {
    /// The loaded skills that the policy shows, without the skill whose instructions the prompt holds.
    pub(super) fn beside(current: Option<&CurrentSkill>, scene: &PromptInput<'_>) -> Vec<Self> {
        let loaded = scene.session.loaded_skills.iter();
        let visible = loaded.filter(|loaded| scene.policy.skill(&loaded.skill).is_visible());
        let others = visible.filter(|loaded| current.is_none_or(|current| current.skill != loaded.skill));
        others
            .map(|loaded| Self { skill: one_line(loaded.skill.as_str()), mount: one_line(loaded.mount.as_str()) })
            .collect()
    }
}

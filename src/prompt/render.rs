//! From a scene to a prompt.

use super::{
    fit::{Detail, Fitting},
    items::{Candidates, line, visible},
    request::{CurrentSkill, PromptRequest, Rendering, Scene},
    tokens,
    write::{Parts, Writer},
};
use crate::{
    path::SkillPath,
    session::{PromptMode, ToolRule},
    skill::sanitize,
    wire::Operation,
};

/// Categories named where not every skill is.
const CATEGORIES: usize = 20;
/// How often a listing is fitted anew because the sentences around it turned out longer than thought.
const ATTEMPTS: usize = 8;

/// The prompt of `scene`, as `request` wants it.
///
/// The whole text keeps to `max_tokens`, but for the instructions of the current skill, which come on top: half of a
/// skill would be worse than none. A budget too small for the sentences alone gets these, and no skill.
#[must_use]
pub fn render(scene: &Scene<'_>, request: &PromptRequest) -> Rendering {
    let mode = request.mode.unwrap_or(scene.policy.session().prompt_mode);
    let visible = visible(scene, request);
    let current = scene.current.filter(|current| scene.policy.skill(&current.skill).is_visible());
    let current = current.filter(|_| matches!(mode, PromptMode::TwoState | PromptMode::Combined));
    let listed = match mode {
        // Where there is nothing to search with, the listing is how skills are found.
        PromptMode::Discover => !may(scene, Operation::DiscoverSkills),
        PromptMode::TwoState => current.is_none(),
        PromptMode::Listing | PromptMode::Combined => true,
    };
    let items = if listed { Candidates::of(scene, request, &visible) } else { Candidates::default() };
    let words = Words { scene, request, total: visible.len(), items: &items, current };
    let details = if listed { words.fitted() } else { Vec::new() };
    let parts = if listed { words.listing(&details) } else { words.without_listing(mode) };
    let prompt = Writer(request.format).write(&parts);
    Rendering {
        tokens: tokens::count(&prompt),
        tokenizer: tokens::TOKENIZER.to_owned(),
        shown: details.iter().filter(|detail| **detail != Detail::Hidden).count(),
        total: visible.len(),
        mode,
        format: request.format,
        prompt,
    }
}

/// The sentences of a prompt.
#[derive(Clone, Copy)]
struct Words<'a> {
    scene: &'a Scene<'a>,
    request: &'a PromptRequest,
    /// Skills that could be named.
    total: usize,
    /// Those skills, where they are listed.
    items: &'a Candidates,
    current: Option<&'a CurrentSkill>,
}

impl<'a> Words<'a> {
    /// How much of each skill fits: the budget is what the sentences leave of it, and they depend on what is left out.
    fn fitted(self) -> Vec<Detail> {
        let writer = Writer(self.request.format);
        let items = &self.items.items;
        let tokens = |parts: Parts<'_>| tokens::count(&writer.write(&Parts { current: None, ..parts }));
        let frame = Parts { listing: Vec::new(), ..self.listing(&vec![Detail::WHOLE; items.len()]) };
        let mut room = self.request.max_tokens.saturating_sub(tokens(frame));
        let mut details = Vec::new();
        let mut fitting = Fitting::new(items, writer);
        for _ in 0..ATTEMPTS {
            let fitted = fitting.fit(room);
            details = fitted.details;
            match tokens(self.listing(&details)).saturating_sub(self.request.max_tokens) {
                0 => break,
                over => room = fitted.tokens.saturating_sub(over),
            }
        }
        details
    }

    fn listing(self, details: &[Detail]) -> Parts<'a> {
        let shown = self.items.items.iter().zip(details.iter().copied());
        Parts {
            guidance: self.listing_guidance(),
            listing: shown.filter(|(_, detail)| *detail != Detail::Hidden).collect(),
            notes: self.notes(details),
            current: self.current,
        }
    }

    fn notes(self, details: &[Detail]) -> Vec<String> {
        let Candidates { findings, removed, .. } = self.items;
        let findings = (*findings > 0).then(|| format!("Findings in skill files: {findings} (see `skillmount lint`)."));
        let removed = removed_note(removed + self.removed_from_body());
        [self.cut_note(details), self.loaded_note(), findings, removed].into_iter().flatten().collect()
    }

    fn without_listing(self, mode: PromptMode) -> Parts<'a> {
        let guidance = match self.current {
            Some(current) => current_guidance(current),
            None if mode == PromptMode::Discover => self.discover_guidance(),
            None => self.listing_guidance(),
        };
        let notes = [self.loaded_note(), removed_note(self.removed_from_body())].into_iter().flatten().collect();
        Parts { guidance, listing: Vec::new(), notes, current: self.current }
    }

    fn listing_guidance(self) -> String {
        let current = self.current.map(|current| format!(" {}", current_guidance(current))).unwrap_or_default();
        if self.total == 0 {
            return format!("{}{current}", self.no_skills());
        }
        format!(
            "Skills hold instructions for particular tasks. When a request matches one of these, call {} with its \
             location before you answer; never mention a skill without loading it. If it is already loaded, follow it. \
             Ask the user for parameters it needs and does not have.{current}",
            self.load_tool()
        )
    }

    fn discover_guidance(self) -> String {
        if self.total == 0 {
            return self.no_skills();
        }
        format!(
            "Skills hold instructions for particular tasks. Before you answer a request that one may match, call \
             discover_skills with what it is about, then {} with what it finds; never mention a skill without loading \
             it. If it is already loaded, follow it. Ask the user for parameters it needs and does not have.",
            self.load_tool()
        )
    }

    fn no_skills(self) -> String {
        if !may(self.scene, Operation::LoadSkill) {
            return "Skills cannot be loaded in this session.".to_owned();
        }
        match &self.request.category {
            None => "No skills are available.".to_owned(),
            Some(category) => format!("No skills are available in the category {}.", line(category).0),
        }
    }

    /// What a listing leaves out and how to find it.
    fn cut_note(self, details: &[Detail]) -> Option<String> {
        let total = details.len();
        let shown = details.iter().filter(|detail| **detail != Detail::Hidden).count();
        let named = details.iter().filter(|detail| **detail == Detail::Name).count();
        let searchable = may(self.scene, Operation::DiscoverSkills);
        if shown == total {
            let search = if searchable { "; discover_skills searches them in full" } else { "" };
            return (named > 0).then(|| format!("{shown} of {total} skills shown, {named} by name only{search}."));
        }
        let search = if searchable { " Find the others with discover_skills." } else { "" };
        Some(format!("{shown} of {total} skills shown.{search}{}", self.categories()))
    }

    fn categories(self) -> String {
        let categories = self.items.categories();
        if categories.is_empty() {
            return String::new();
        }
        // A quarter of the budget at most: a token has about four bytes.
        let mut room = self.request.max_tokens;
        let named = categories.iter().take(CATEGORIES).map(|(category, count)| format!("{category} ({count})"));
        let named: Vec<_> = named
            .take_while(|name| {
                let left = room.checked_sub(name.len() + 2);
                room = left.unwrap_or_default();
                left.is_some()
            })
            .collect();
        match categories.len().saturating_sub(named.len()) {
            0 => format!(" Categories: {}.", named.join(", ")),
            more if named.is_empty() => format!(" Categories: {more}."),
            more => format!(" Categories: {} and {more} more.", named.join(", ")),
        }
    }

    /// Which skills are loaded, the current one apart.
    fn loaded_note(self) -> Option<String> {
        let current = self.current.map(|current| &current.skill);
        let visible = |skill: &SkillPath| self.scene.policy.skill(skill).is_visible();
        let loaded = self.scene.session.loaded_skills.iter().filter(|loaded| visible(&loaded.skill));
        let others = loaded.filter(|loaded| Some(&loaded.skill) != current);
        let others: Vec<_> = others
            .map(|loaded| format!("{} in /skills/{}", line(loaded.skill.as_str()).0, line(loaded.mount.as_str()).0))
            .collect();
        let also = if current.is_some() { "Also loaded" } else { "Already loaded" };
        (!others.is_empty()).then(|| format!("{also}: {}.", others.join(", ")))
    }

    fn removed_from_body(self) -> usize {
        self.current.map_or(0, |current| sanitize(&current.body).1)
    }

    fn load_tool(self) -> &'static str {
        self.scene.policy.session().load_tool.name()
    }
}

/// Whether the session has the tool.
fn may(scene: &Scene<'_>, tool: Operation) -> bool {
    scene.policy.tool(tool) != ToolRule::Blocked
}

fn current_guidance(current: &CurrentSkill) -> String {
    format!(
        "The skill {} is loaded: follow its instructions below. Its files are in /skills/{}. Ask the user for \
         parameters it needs and does not have.",
        line(&current.name).0,
        line(current.mount.as_str()).0
    )
}

/// Says that text is not quite as its author wrote it.
fn removed_note(removed: usize) -> Option<String> {
    (removed > 0).then(|| format!("Invisible characters removed from what skills say: {removed}."))
}

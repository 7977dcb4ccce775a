//! From a scene to a prompt.

use super::{
    explain::{RenderResult, explain},
    fit::Fitting,
    items::{Current, Detail, ListingItems, LoadedItem, visible},
    request::PromptInput,
    tokens,
    write::{PromptParts, Writer},
};
use crate::{
    skill::shown::{SafeText, one_line, removed_note},
    wire::{EffectivePolicy, Operation, PromptMode, PromptRequest, Rendering, ToolRule},
};

/// How often a listing is fitted again because the sentences around it turned out longer than thought.
const ATTEMPTS: usize = 8;

/// The prompt of `scene`, as `request` wants it.
///
/// The whole text keeps to `max_tokens`, but for the instructions of the current skill, which come on top: half of a
/// skill would be worse than none. A budget too small for the sentences alone gets these, and no skill.
#[must_use]
pub fn render(scene: &PromptInput<'_>, request: &PromptRequest) -> Rendering {
    let mode = request.mode.unwrap_or(scene.policy.session().prompt_mode);
    let visible = visible(scene, request);
    let current = scene.current.filter(|current| scene.policy.skill(&current.skill).is_visible());
    let current = current.filter(|_| matches!(mode, PromptMode::TwoState | PromptMode::Combined));
    let listed = match mode {
        // Where there is nothing to search with, the listing is how skills are found.
        PromptMode::Discover => !may(scene.policy, Operation::DiscoverSkills),
        PromptMode::TwoState => current.is_none(),
        PromptMode::Listing | PromptMode::Combined => true,
    };
    let items = if listed { ListingItems::from_input(scene, &visible) } else { ListingItems::default() };
    let loaded = LoadedItem::beside(current, scene);
    let category = request.category.as_deref().map(one_line);
    let current = current.map(Current::from);
    let words = Words {
        writer: Writer(request.format),
        max_tokens: request.max_tokens,
        policy: scene.policy,
        total: visible.len(),
        items: &items,
        current: current.as_ref(),
        loaded: &loaded,
        category: category.as_ref(),
    };
    let details = if listed { words.fitted() } else { Vec::new() };
    let parts = if listed { words.listing(&details) } else { words.without_listing(mode) };
    let prompt = words.writer.write(&parts);
    let tokens = tokens::count(&prompt);
    let outcome = RenderResult {
        writer: words.writer,
        mode,
        max_tokens: request.max_tokens,
        tokens,
        items: &items.items,
        details: &details,
        current: current.as_ref(),
    };
    Rendering {
        explain: request.explain.then(|| explain(scene, request, &visible, &outcome)),
        tokens,
        tokenizer: tokens::TOKENIZER.to_owned(),
        shown: details.iter().filter(|detail| **detail != Detail::Hidden).count(),
        total: visible.len(),
        truncated: details.iter().any(|detail| matches!(detail, Detail::Hidden | Detail::Name)),
        mode,
        format: request.format,
        prompt,
    }
}

/// The sentences of a prompt. Texts of skills are within reach only as [`SafeText`].
#[derive(Clone, Copy)]
struct Words<'a> {
    writer: Writer,
    max_tokens: usize,
    policy: &'a EffectivePolicy,
    /// Skills that could be named.
    total: usize,
    /// Those skills, where they are listed.
    items: &'a ListingItems,
    current: Option<&'a Current>,
    /// The loaded skills beside the current one.
    loaded: &'a [LoadedItem],
    /// The category that was asked for.
    category: Option<&'a SafeText>,
}

impl<'a> Words<'a> {
    /// How much of each skill fits. The sentences take a part of the budget, and they depend on the skills that are
    /// left out.
    fn fitted(self) -> Vec<Detail> {
        let writer = self.writer;
        let items = &self.items.items;
        let tokens = |parts: PromptParts<'_>| tokens::count(&writer.write(&PromptParts { current: None, ..parts }));
        let frame = PromptParts { listing: Vec::new(), ..self.listing(&vec![Detail::WHOLE; items.len()]) };
        let mut room = self.max_tokens.saturating_sub(tokens(frame));
        let mut details = Vec::new();
        let mut fitting = Fitting::new(items, writer);
        for _ in 0..ATTEMPTS {
            let fitted = fitting.fit(room);
            details = fitted.details;
            match tokens(self.listing(&details)).saturating_sub(self.max_tokens) {
                0 => break,
                over => room = fitted.tokens.saturating_sub(over),
            }
        }
        details
    }

    fn listing(self, details: &[Detail]) -> PromptParts<'a> {
        let shown = self.items.items.iter().zip(details.iter().copied());
        PromptParts {
            guidance: self.listing_guidance(),
            listing: shown.filter(|(_, detail)| *detail != Detail::Hidden).collect(),
            notes: self.notes(details),
            current: self.current,
        }
    }

    fn notes(self, details: &[Detail]) -> Vec<String> {
        let removed = removed_note(self.items.removed + self.removed_from_body());
        [self.cut_note(details), self.loaded_note(), self.body_cut(), removed].into_iter().flatten().collect()
    }

    fn without_listing(self, mode: PromptMode) -> PromptParts<'a> {
        let guidance = match self.current {
            Some(current) => self.current_guidance(current),
            None if mode == PromptMode::Discover => self.discover_guidance(),
            None => self.listing_guidance(),
        };
        let removed = removed_note(self.removed_from_body());
        let notes = [self.loaded_note(), self.body_cut(), removed].into_iter().flatten().collect();
        PromptParts { guidance, listing: Vec::new(), notes, current: self.current }
    }

    fn listing_guidance(self) -> String {
        let current = self.current.map(|current| format!(" {}", self.current_guidance(current))).unwrap_or_default();
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
        if !may(self.policy, Operation::LoadSkill) {
            return "Skills cannot be loaded in this session.".to_owned();
        }
        match self.category {
            None => "No skills are available.".to_owned(),
            Some(category) => format!("No skills are available in the category {}.", self.writer.quote(category)),
        }
    }

    /// How many skills and descriptions a listing leaves out, and how to find them.
    fn cut_note(self, details: &[Detail]) -> Option<String> {
        let total = details.len();
        let shown = details.iter().filter(|detail| **detail != Detail::Hidden).count();
        let named = details.iter().filter(|detail| **detail == Detail::Name).count();
        let searchable = may(self.policy, Operation::DiscoverSkills);
        if shown == total {
            let search = if searchable { "; discover_skills searches them in full" } else { "" };
            return (named > 0).then(|| format!("{shown} of {total} skills shown, {named} by name only{search}."));
        }
        let by_name = if named > 0 { format!(", {named} by name only") } else { String::new() };
        let search = if searchable { " Find the others with discover_skills, which searches all in full." } else { "" };
        Some(format!("{shown} of {total} skills shown{by_name}.{search}{}", self.categories()))
    }

    fn categories(self) -> String {
        // A quarter of the budget at most: a token has about four bytes.
        let room = self.max_tokens;
        let write = |category: &SafeText, count| format!("{} ({count})", self.writer.quote(category));
        let summary = self.items.categories().summary(room, write);
        summary.map(|categories| format!(" Categories: {categories}.")).unwrap_or_default()
    }

    /// Which skills are loaded, the current one apart.
    fn loaded_note(self) -> Option<String> {
        let write = |LoadedItem { skill, mount }: &LoadedItem| {
            format!("{} in /skills/{}", self.writer.quote(skill), self.writer.quote(mount))
        };
        let others: Vec<_> = self.loaded.iter().map(write).collect();
        let also = if self.current.is_some() { "Also loaded" } else { "Already loaded" };
        (!others.is_empty()).then(|| format!("{also}: {}.", others.join(", ")))
    }

    fn current_guidance(self, current: &Current) -> String {
        format!(
            "The skill {} is loaded: follow its instructions below. Its files are in /skills/{}. Ask the user for \
             parameters it needs and does not have.",
            self.writer.quote(&current.name),
            self.writer.quote(&current.mount)
        )
    }

    /// How much of the instructions the prompt has, if not all.
    fn body_cut(self) -> Option<String> {
        self.current?.cut.clone()
    }

    fn removed_from_body(self) -> usize {
        self.current.map_or(0, |current| current.removed)
    }

    fn load_tool(self) -> &'static str {
        self.policy.session().load_tool.name()
    }
}

/// Whether the session has the tool.
pub(super) fn may(policy: &EffectivePolicy, tool: Operation) -> bool {
    policy.tool(tool) != ToolRule::Blocked
}

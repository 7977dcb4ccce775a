//! The skills a prompt may name, cleaned of everything that is not text.

use std::collections::BTreeMap;

use super::request::{PromptRequest, Scene};
use crate::{
    catalog::CatalogEntry,
    limits::SKILL_DESCRIPTION_CHARS,
    path::SkillPath,
    session::{Ranks, ToolRule},
    skill::sanitize,
    wire::Operation,
};

/// One skill of a listing: one line each, nothing hidden, not yet escaped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Item {
    pub(super) name: String,
    pub(super) description: String,
    pub(super) category: String,
    /// What `load_skill` takes.
    pub(super) location: String,
    pub(super) rank: u64,
}

impl Item {
    /// Whether the location already says the name.
    pub(super) fn is_named_by_location(&self) -> bool {
        self.location.rsplit('/').next() == Some(&self.name)
    }
}

/// The skills that a prompt may name, in the order of their paths: none where the session may not load any.
pub(super) fn visible<'a>(scene: &Scene<'a>, request: &PromptRequest) -> Vec<&'a CatalogEntry> {
    if scene.policy.tool(Operation::LoadSkill) == ToolRule::Blocked {
        return Vec::new();
    }
    let seen = |entry: &&CatalogEntry| is_wanted(&entry.skill, scene, request) && scene.policy.offers(entry);
    scene.view.entries.iter().map(|entry| &**entry).filter(seen).collect()
}

/// Whether a prompt may speak of a skill at all.
fn is_wanted(skill: &SkillPath, scene: &Scene<'_>, request: &PromptRequest) -> bool {
    request.category.as_deref().is_none_or(|category| skill.is_in(category)) && scene.policy.skill(skill).is_visible()
}

/// What a listing is made of: of thousands of skills this is work, so it is done where there is a listing.
#[derive(Debug, Default)]
pub(super) struct Candidates {
    pub(super) items: Vec<Item>,
    /// Characters that were taken out because a reader would not see them.
    pub(super) removed: usize,
    /// Diagnostics of skills that may be seen.
    pub(super) findings: usize,
}

impl Candidates {
    /// Of the skills that are [`visible`].
    pub(super) fn of(scene: &Scene<'_>, request: &PromptRequest, visible: &[&CatalogEntry]) -> Self {
        let mut found = Self::default();
        for entry in visible {
            found.push(entry, &scene.session.ranks);
        }
        let seen = |skill: &str| match SkillPath::parse(skill) {
            Ok(skill) => is_wanted(&skill, scene, request),
            Err(_) => request.category.is_none(),
        };
        let told = scene.view.diagnostics_seen(|folder| scene.policy.folder(folder).is_visible());
        found.findings = told.iter().filter(|finding| seen(&finding.skill)).count();
        found
    }

    fn push(&mut self, entry: &CatalogEntry, ranks: &Ranks) {
        let mut clean = |text: &str| {
            let (text, removed) = line(text);
            self.removed += removed;
            text
        };
        let item = Item {
            name: clean(entry.name()),
            description: shorten(&clean(entry.description()), SKILL_DESCRIPTION_CHARS),
            category: clean(entry.skill.category()),
            location: clean(entry.skill.as_str()),
            rank: ranks.get(&entry.skill).copied().unwrap_or_default(),
        };
        self.items.push(item);
    }

    /// Categories and how many skills each has, the fullest first.
    pub(super) fn categories(&self) -> Vec<(&str, usize)> {
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for item in self.items.iter().filter(|item| !item.category.is_empty()) {
            *counts.entry(&item.category).or_default() += 1;
        }
        let mut counts: Vec<_> = counts.into_iter().collect();
        counts.sort_by(|one, two| two.1.cmp(&one.1).then(one.0.cmp(two.0)));
        counts
    }
}

/// `text` on one line, without characters that a reader would not see, and how many of those there were.
pub(super) fn line(text: &str) -> (String, usize) {
    if is_line(text) {
        return (text.to_owned(), 0);
    }
    let (clean, removed) = sanitize(text);
    (clean.split_whitespace().collect::<Vec<_>>().join(" "), removed)
}

/// Whether a text is one already, as nearly all are: words of ASCII with one space between them.
fn is_line(text: &str) -> bool {
    let spaced = text.starts_with(' ') || text.ends_with(' ') || text.contains("  ");
    text.bytes().all(|byte| matches!(byte, b' '..=b'~')) && !spaced
}

/// The first `most` characters of `text`, cut at a word where one ends near, with `…` in place of the rest.
pub(super) fn shorten(text: &str, most: usize) -> String {
    if text.len() <= most {
        return text.to_owned();
    }
    let Some((end, _)) = text.char_indices().nth(most) else { return text.to_owned() };
    // Room for the ellipsis, which is a character too.
    let kept = text.get(..end).and_then(|kept| kept.char_indices().next_back().map(|(last, _)| &kept[..last]));
    let kept = kept.unwrap_or_default();
    let word = kept.rsplit_once(' ').map_or(kept, |(words, _)| words);
    let kept = if word.len() * 2 >= kept.len() { word } else { kept };
    format!("{}…", kept.trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_becomes_one_line_without_what_no_reader_sees() {
        for (text, expected) in [
            ("", ("", 0)),
            ("one two", ("one two", 0)),
            (" one", ("one", 0)),
            ("one ", ("one", 0)),
            ("one  two", ("one two", 0)),
            ("one\n\ttwo", ("one two", 0)),
            ("uñó\u{3000}dos", ("uñó dos", 0)),
            ("o\u{200b}ne\u{7f}", ("one", 2)),
        ] {
            let (text, removed) = line(text);
            assert_eq!((text.as_str(), removed), expected);
        }
    }

    #[test]
    fn a_text_is_left_at_the_limit_and_shortened_beyond_it() {
        assert_eq!(shorten("uno dos tres", 12), "uno dos tres");
        assert_eq!(shorten("uno dos tres", 11), "uno dos…");
        assert_eq!(shorten("ñandúñandú", 5), "ñand…");
        assert_eq!(shorten("", 0), "");
    }
}

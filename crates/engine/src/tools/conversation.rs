//! The notes at the end of results: how skills are found, and which ones changed.
//!
//! Several hosts drop the instructions of a server, and ignore that its lists changed. So the first result says how skills are
//! found, and later ones name the skills that changed. All of it comes from memory and costs no request.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, PoisonError},
};

use super::definitions::{load_rule, search_rule};
use crate::{
    catalog::{Audience, CatalogEntry, CatalogView},
    handle::SessionBackend,
    limits::{CHANGED_SKILL_CHARS, CHANGED_SKILLS},
    path::SkillPath,
    skill::shown::one_line,
    wire::{EffectivePolicy, Operation, ToolRule},
};

/// One conversation of a host, as this process remembers it. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub struct Conversation(Arc<Mutex<State>>);

#[derive(Debug, Default)]
struct State {
    /// Whether a result has said how skills are found.
    has_rule: bool,
    /// The catalog that the model knows; `None` if this process has not read it.
    known: Option<KnownCatalog>,
}

/// A catalog in its layers, as an audience saw it.
#[derive(Debug)]
struct KnownCatalog {
    audience: Audience,
    layers: Vec<Arc<CatalogView>>,
}

impl KnownCatalog {
    /// The catalog that the process has in memory now.
    fn cached(backend: &SessionBackend) -> Option<Self> {
        let (audience, layers) = backend.cached_layers()?;
        Some(Self { audience, layers })
    }
}

impl Conversation {
    /// Remembers that the model knows the skills that the process knows now.
    pub fn record_listing(&self, backend: &SessionBackend) {
        let known = KnownCatalog::cached(backend);
        self.state(|state| state.known = known);
    }

    /// The lines for the end of the next result; empty if there are none. Each is returned once.
    pub(super) fn notes(&self, backend: &SessionBackend, policy: &EffectivePolicy) -> String {
        let Some(KnownCatalog { audience, layers: now }) = KnownCatalog::cached(backend) else { return String::new() };
        let known = KnownCatalog { audience: audience.clone(), layers: now.clone() };
        let (is_first, before) =
            self.state(|state| (!std::mem::replace(&mut state.has_rule, true), state.known.replace(known)));
        let after = offered(&now, policy);
        let rule = (is_first && !after.is_empty()).then(|| rule(policy)).flatten();
        // A key of another team may have seen skills that this one does not.
        let before = before.filter(|before| before.audience == audience && !are_same(&before.layers, &now));
        let changes = before.and_then(|before| changes(&offered(&before.layers, policy), &after));
        [rule, changes].into_iter().flatten().flat_map(|line| ["\n\n[".to_owned(), line, "]".to_owned()]).collect()
    }

    fn state<T>(&self, work: impl FnOnce(&mut State) -> T) -> T {
        work(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// How to find and to load a skill; `None` if the session may not load one.
fn rule(policy: &EffectivePolicy) -> Option<String> {
    let load = load_rule(policy)?;
    Some(search_rule(policy).map_or_else(|| load.clone(), |search| format!("{search} {load}")))
}

type SkillMap<'a> = BTreeMap<&'a SkillPath, &'a CatalogEntry>;

/// The skills that the session may load, by path. Of two layers with one path the nearer counts.
fn offered<'a>(layers: &'a [Arc<CatalogView>], policy: &EffectivePolicy) -> SkillMap<'a> {
    if policy.tool(Operation::LoadSkill) == ToolRule::Blocked {
        return SkillMap::new();
    }
    let entries = layers.iter().rev().flat_map(|view| &view.entries).map(AsRef::as_ref);
    let entries = entries.filter(|entry| policy.offers(&entry.skill, &entry.frontmatter));
    entries.map(|entry| (&entry.skill, entry)).collect()
}

fn are_same(before: &[Arc<CatalogView>], now: &[Arc<CatalogView>]) -> bool {
    before.len() == now.len() && before.iter().zip(now).all(|(before, now)| Arc::ptr_eq(before, now))
}

/// The skills that a listing would show in another way; `None` if there is none.
fn changes(before: &SkillMap<'_>, after: &SkillMap<'_>) -> Option<String> {
    let with_text = |entry: &&CatalogEntry| {
        let description = one_line(entry.description()).shortened(CHANGED_SKILL_CHARS);
        format!("{} ({})", one_line(entry.skill.as_str()).inline(), description.inline())
    };
    let reads_alike =
        |old: &CatalogEntry, new: &CatalogEntry| (old.name(), old.description()) == (new.name(), new.description());
    let new: Vec<_> =
        after.iter().filter(|(path, _)| !before.contains_key(*path)).map(|(_, entry)| with_text(entry)).collect();
    let other = after.iter().filter(|(path, new)| before.get(*path).is_some_and(|old| !reads_alike(old, new)));
    let other: Vec<_> = other.map(|(_, entry)| with_text(entry)).collect();
    let gone = before.keys().filter(|path| !after.contains_key(*path));
    let gone: Vec<_> = gone.map(|path| one_line(path.as_str()).inline().into_owned()).collect();
    let lists = [("New skills", new), ("Skills with another description", other), ("Skills that are gone", gone)];
    let lists: Vec<_> = lists.into_iter().filter_map(|(what, skills)| named(what, &skills)).collect();
    (!lists.is_empty()).then(|| lists.join(" "))
}

/// The first skills of a list, and the number of the others.
fn named(what: &str, skills: &[String]) -> Option<String> {
    let first = skills.get(..skills.len().min(CHANGED_SKILLS))?.join(", ");
    let others = skills.len().saturating_sub(CHANGED_SKILLS);
    let others = if others > 0 { format!(" and {others} others") } else { String::new() };
    (!skills.is_empty()).then(|| format!("{what}: {first}{others}."))
}

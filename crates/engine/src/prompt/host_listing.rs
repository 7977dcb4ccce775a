//! The listing of skills for a host that shows its model only the beginning of a text.
//!
//! The text begins with how to find and load a skill. The skills used most come next, with their descriptions. Names of the
//! others follow only if all of them fit. Otherwise categories with counts end the text.

use std::cmp::Reverse;

use super::{
    items::{Detail, Item, ListingItems, LoadedItem, visible},
    render::may,
    request::PromptInput,
    write::Writer,
};
use crate::{
    budget::WorkBudget,
    context::SessionState,
    error::Result,
    handle::SessionBackend,
    skill::shown::{SafeText, removed_note},
    skills::with_drafts,
    wire::{EffectivePolicy, Format, Operation, PromptRequest},
};

/// Characters of each description, the longest first. The first that fits counts, if every skill has a description.
const DESCRIPTIONS: [usize; 7] = [600, 400, 280, 200, 150, 110, 80];
/// Characters of a description if not every skill keeps one.
const DESCRIPTION: usize = 150;
/// The part of the room that categories may take.
const CATEGORIES_PART: usize = 4;
/// Rough size of a skill in the work of a listing.
const STEPS_PER_SKILL: usize = 4 << 10;

/// How long a text may be: both limits hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TextRoom {
    /// Characters at most.
    pub characters: usize,
    /// Bytes at most.
    pub bytes: usize,
}

/// A listing within a limit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostListing {
    /// The text, in Markdown.
    pub text: String,
    /// Skills that it names.
    pub shown: usize,
    /// Skills that it names with a description.
    pub described: usize,
    /// Skills that it could have named.
    pub total: usize,
}

impl TextRoom {
    /// The room that is left beside `text`.
    #[must_use]
    pub fn beside(self, text: &str) -> Self {
        let characters = self.characters.saturating_sub(text.chars().count());
        Self { characters, bytes: self.bytes.saturating_sub(text.len()) }
    }

    fn holds(self, text: &str) -> bool {
        text.len() <= self.bytes && (text.len() <= self.characters || text.chars().count() <= self.characters)
    }
}

/// The listing of the skills of the session behind `backend`, which fits into `room`.
///
/// # Errors
/// The store's.
pub async fn host_listing(backend: &SessionBackend, room: TextRoom) -> Result<HostListing> {
    let (SessionState { session, policy, .. }, view) =
        tokio::try_join!(backend.ranked_state(), backend.catalog(false))?;
    let view = with_drafts(&view, &session);
    let steps = STEPS_PER_SKILL * view.entries.len();
    let job = move |_: &WorkBudget| {
        let input = PromptInput { view: &view, session: &session, policy: &policy, current: None };
        Ok(render_host_listing(&input, room))
    };
    backend.errand().run_sized(steps as u64, job).await
}

/// The listing of the skills of `input`, which fits into `room`.
#[must_use]
pub fn render_host_listing(input: &PromptInput<'_>, room: TextRoom) -> HostListing {
    let visible = visible(input, &PromptRequest::default());
    let mut items = ListingItems::from_input(input, &visible);
    items.items.sort_by_key(|item| Reverse(item.rank));
    let parts = Parts {
        policy: input.policy,
        head: head(input, visible.len()),
        note: removed_note(items.removed).map(|note| format!("\n\n{note}")).unwrap_or_default(),
        items: &items,
        room,
    };
    parts.whole().or_else(|| parts.with_names()).unwrap_or_else(|| parts.with_categories())
}

/// How to find and load a skill, and which are loaded.
fn head(input: &PromptInput<'_>, total: usize) -> String {
    let policy = input.policy;
    if !may(policy, Operation::LoadSkill) {
        return "Skills cannot be loaded in this session.".to_owned();
    }
    if total == 0 {
        return "No skills are available.".to_owned();
    }
    let load = policy.session().load_tool.name();
    let how = if may(policy, Operation::DiscoverSkills) {
        let all = if total == 1 { "the one skill".to_owned() } else { format!("all {total} skills") };
        format!(
            "Before you answer a request that a skill may match, call discover_skills with what the request is about: it \
             searches {all}. Then call {load} with the location of the skill that fits, and follow it."
        )
    } else {
        format!("When a request matches a skill, call {load} with its location before you answer, and follow it.")
    };
    let head = format!(
        "Skills hold instructions for particular tasks. {how} Never mention a skill without loading it. Ask the user for \
         parameters it needs and does not have."
    );
    let loaded: Vec<_> = LoadedItem::beside(None, input)
        .iter()
        .map(|LoadedItem { skill, mount }| format!("{} in /skills/{}", skill.inline(), mount.inline()))
        .collect();
    if loaded.is_empty() { head } else { format!("{head}\n\nAlready loaded: {}.", loaded.join(", ")) }
}

/// The parts of a listing that do not depend on how much of each skill it shows.
struct Parts<'a> {
    policy: &'a EffectivePolicy,
    head: String,
    /// That characters of skills were taken out.
    note: String,
    /// The skills, those used most first.
    items: &'a ListingItems,
    room: TextRoom,
}

impl Parts<'_> {
    /// Every skill with a description; `None` if they do not fit.
    fn whole(&self) -> Option<HostListing> {
        let details = std::iter::once(Detail::WHOLE).chain(DESCRIPTIONS.map(Detail::Full));
        details.into_iter().find_map(|detail| self.listing(self.items.items.len(), detail, true, ""))
    }

    /// Every skill, as many as possible with a description; `None` if their names do not fit.
    fn with_names(&self) -> Option<HostListing> {
        let total = self.items.items.len();
        let searches = if self.may_search() { "; discover_skills searches them in full" } else { "" };
        self.most(|described| {
            let footer = format!("\n\n{total} of {total} skills shown, {} by name only{searches}.", total - described);
            self.listing(described, Detail::Full(DESCRIPTION), true, &footer)
        })
    }

    /// As many skills with a description as fit, and the categories of all.
    fn with_categories(&self) -> HostListing {
        let total = self.items.items.len();
        let search = if self.may_search() { " Find the others with discover_skills." } else { "" };
        let write = |category: &SafeText, count| format!("{} ({count})", category.inline());
        let categories = self.items.categories().summary(self.room.bytes / CATEGORIES_PART, write);
        let categories = categories.map(|categories| format!(" Categories: {categories}.")).unwrap_or_default();
        let found = self.most(|described| {
            let footer = format!("\n\n{described} of {total} skills shown.{search}{categories}");
            self.listing(described, Detail::Full(DESCRIPTION), false, &footer)
        });
        found.unwrap_or_else(|| HostListing { text: self.cut_head(), shown: 0, described: 0, total })
    }

    /// The listing of most descriptions that `listing` makes, by bisection: each description makes it longer.
    fn most(&self, listing: impl Fn(usize) -> Option<HostListing>) -> Option<HostListing> {
        let mut found = listing(0)?;
        let (mut fits, mut over) = (0, self.items.items.len());
        while over - fits > 1 {
            let middle = fits.midpoint(over);
            match listing(middle) {
                Some(more) => (found, fits) = (more, middle),
                None => over = middle,
            }
        }
        Some(found)
    }

    /// The listing with the first `described` skills in `detail`, and names of the others if `has_names`; `None` if it does not
    /// fit.
    fn listing(&self, described: usize, detail: Detail, has_names: bool, footer: &str) -> Option<HostListing> {
        let writer = Writer(Format::Markdown);
        let line = |(place, item): (usize, &Item)| match (place < described, has_names) {
            (true, _) => writer.line(item, detail),
            (false, true) => writer.line(item, Detail::Name),
            (false, false) => String::new(),
        };
        let lines: String = self.items.items.iter().enumerate().map(line).collect();
        let gap = if lines.is_empty() { "" } else { "\n\n" };
        let text = format!("{}{gap}{}{footer}{}", self.head, lines.trim_end(), self.note);
        let total = self.items.items.len();
        let shown = if has_names { total } else { described };
        self.room.holds(&text).then_some(HostListing { text, shown, described, total })
    }

    /// The beginning of the head that fits.
    fn cut_head(&self) -> String {
        let mut text: String = self.head.chars().take(self.room.characters).collect();
        text.truncate(text.floor_char_boundary(self.room.bytes));
        text
    }

    fn may_search(&self) -> bool {
        may(self.policy, Operation::DiscoverSkills)
    }
}

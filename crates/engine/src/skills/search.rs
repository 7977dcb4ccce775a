//! A question, and the search for skills that answer it.
//!
//! A question may be a whole turn of a conversation, asked of thousands of skills. A long one is therefore answered by a worker:
//! the threads that serve requests do not wait for it.

use std::sync::Arc;

use super::with_drafts::search_with_drafts;
use crate::{
    catalog::{CatalogEntry, CatalogView, Searchable},
    context::Context,
    error::Result,
    limits::SEARCH_PART_BYTES,
    path::SkillPath,
    wire::{DiscoverRequest, EffectivePolicy},
    words::{SearchIndex, SearchResults, Similarity, VisibleSkills},
};

/// The bytes of a question to one skill that take a step, at most: a word of some letters is compared with a few words of it.
const BYTES_PER_STEP: u64 = 8;
/// The steps that the rule for one skill takes: some lookups in the rules of user and session.
const STEPS_PER_RULE: u64 = 16;

/// A question and where its answers are looked for.
#[derive(Debug)]
pub(crate) struct SearchRequest {
    pub(crate) request: DiscoverRequest,
    pub(crate) policy: EffectivePolicy,
    /// The catalog that is indexed.
    pub(crate) catalog: Searchable,
    /// That catalog with the drafts of the session.
    pub(crate) view: Arc<CatalogView>,
    /// The skills of the index that the policy does not hide.
    pub(crate) visible: VisibleSkills,
    /// How near the skills are in meaning, if that counts.
    pub(crate) nearness: Option<Similarity>,
}

/// How near the skills of `catalog` are to a question in meaning; `None` without an encoder, and while it is away.
///
/// # Errors
/// Those of the search.
pub(crate) async fn nearness(
    context: &Context,
    catalog: &Searchable,
    visible: &VisibleSkills,
    query: &str,
) -> Result<Option<Similarity>> {
    if catalog.meaning.is_none() {
        return Ok(None);
    }
    let (index, visible, text) = (catalog.index.clone(), visible.clone(), query.to_owned());
    // A short question is one part, and no word of it is looked up.
    let steps = if query.len() <= SEARCH_PART_BYTES { 0 } else { about(query, &catalog.index, &catalog.view) };
    let parts = context.errand().run_sized(steps, move |_| index.telling_parts(&text, &visible)).await?;
    context.core.catalogs().nearness(context.user().as_str(), catalog, &parts).await
}

/// The skills of the index that `policy` does not hide.
///
/// # Errors
/// Those of a worker.
pub(crate) async fn visible_skills(
    context: &Context,
    catalog: &Searchable,
    policy: &EffectivePolicy,
) -> Result<VisibleSkills> {
    if !policy.may_hide_skills() {
        return Ok(VisibleSkills::ALL);
    }
    let (index, policy) = (catalog.index.clone(), policy.clone());
    let steps = STEPS_PER_RULE * catalog.view.entries.len() as u64;
    context.errand().run_sized(steps, move |_| Ok(index.visible(|skill| policy.skill(skill).is_visible()))).await
}

/// The estimated number of steps of a search in `view`. Each word of the question is looked up in the skills, and an unknown word
/// is compared with all known words.
fn about(query: &str, index: &SearchIndex, view: &CatalogView) -> u64 {
    query.len() as u64 * view.entries.len() as u64 / BYTES_PER_STEP + index.known_words() as u64
}

impl SearchRequest {
    /// The best skills of the category and the level that are asked for, at most `limit`.
    ///
    /// # Errors
    /// Those of the search.
    pub(crate) async fn search(self: &Arc<Self>, context: &Context, limit: usize) -> Result<SearchResults> {
        self.search_among(context, Self::is_wanted, limit).await
    }

    /// The best skills of any category and level, at most `limit`.
    ///
    /// # Errors
    /// Those of the search.
    pub(crate) async fn search_anywhere(self: &Arc<Self>, context: &Context, limit: usize) -> Result<SearchResults> {
        self.search_among(context, Self::is_offered, limit).await
    }

    async fn search_among(
        self: &Arc<Self>,
        context: &Context,
        among: fn(&Self, &CatalogEntry) -> bool,
        limit: usize,
    ) -> Result<SearchResults> {
        let this = Arc::clone(self);
        let job = move |_: &_| {
            let asked = (this.request.query.as_str(), this.nearness.as_ref(), &this.visible);
            let is_among = |skill: &SkillPath| this.view.entry(skill).is_some_and(|entry| among(&this, entry));
            search_with_drafts(&this.catalog, &this.view, asked, is_among, limit)
        };
        context.errand().run_sized(about(&self.request.query, &self.catalog.index, &self.view), job).await
    }

    /// Whether the session may hear of a skill at all.
    pub(crate) fn is_offered(&self, entry: &CatalogEntry) -> bool {
        self.policy.offers(&entry.skill, &entry.frontmatter)
    }

    pub(super) fn is_wanted(&self, entry: &CatalogEntry) -> bool {
        let category = self.request.category.as_deref().unwrap_or_default();
        entry.skill.is_in(category) && self.is_offered(entry) && entry.is_of_level(&self.request.level())
    }
}

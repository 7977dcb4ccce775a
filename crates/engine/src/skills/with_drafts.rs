//! The drafts of a session among the skills that the session may know of. The session object notes the drafts, so no request is
//! needed.

use std::sync::Arc;

use jiff::Timestamp;

use crate::{
    catalog::{CatalogEntry, CatalogView, Searchable},
    context::Context,
    error::Result,
    path::{ETag, Layer, SkillPath},
    session::{Change, Session, SessionDraft},
    skill::Frontmatter,
    words::{SearchIndex, SearchResults, Similarity, VisibleSkills},
};

/// The catalog with the drafts that `session` made. If a skill is published, its draft is not seen.
#[must_use]
pub fn with_drafts(view: &Arc<CatalogView>, session: &Session) -> Arc<CatalogView> {
    if session.drafts.is_empty() {
        return Arc::clone(view);
    }
    Arc::new(view.with(session.drafts.iter().map(entry)))
}

/// Searches a catalog and the drafts among the skills of `view`, which is that catalog with drafts. The index has no drafts, so
/// these few are searched beside it, by their words alone.
pub(crate) fn search_with_drafts(
    catalog: &Searchable,
    view: &CatalogView,
    (query, nearness, visible): (&str, Option<&Similarity>, &VisibleSkills),
    wanted: impl Fn(&SkillPath) -> bool,
    limit: usize,
) -> Result<SearchResults> {
    let found = catalog.index.search_near(query, nearness, visible, &wanted, limit)?;
    let Some(index) = index_of_drafts(&catalog.view, view) else { return Ok(found) };
    Ok(found.with_words_of(index.search(query, &wanted, limit)?, limit))
}

/// An index of the drafts that `all` has beside the skills of `view`; `None` if there are none.
#[must_use]
pub fn index_of_drafts(view: &CatalogView, all: &CatalogView) -> Option<SearchIndex> {
    let drafts: Vec<_> = all.entries.iter().filter(|entry| view.entry(&entry.skill).is_none()).collect();
    (!drafts.is_empty()).then(|| SearchIndex::build(drafts.iter().map(|entry| entry.search_document())))
}

/// Removes a draft that is gone from the session's notes. If that fails, the next load of the draft tries again.
pub(crate) async fn forget_draft(context: &Context, skill: &SkillPath) {
    let forget = |session: &mut Session| {
        let before = session.drafts.len();
        session.drafts.retain(|draft| draft.skill != *skill);
        Ok(if session.drafts.len() < before { Change::Save(()) } else { Change::None(()) })
    };
    if let Err(error) = context.change(forget).await {
        tracing::warn!(user = %context.user(), %skill, cause = %error.chain(), "a session still notes a draft that is gone");
    }
}

/// A draft as a skill of the catalog, as far as the session knows it.
fn entry(draft: &SessionDraft) -> CatalogEntry {
    let SessionDraft { skill, name, description, digest, made_at, .. } = draft;
    entry_of(skill, name, description, digest, *made_at)
}

/// A draft as a skill of the catalog.
pub(crate) fn entry_of(
    skill: &SkillPath,
    name: &str,
    description: &str,
    digest: &str,
    made_at: Timestamp,
) -> CatalogEntry {
    CatalogEntry {
        skill: skill.clone(),
        layer: Layer::User,
        frontmatter: Frontmatter {
            name: Some(name.to_owned()),
            description: description.to_owned(),
            user_invocable: true,
            ..Frontmatter::default()
        },
        opening: String::new(),
        headings: String::new(),
        etag: ETag::new(digest),
        fingerprint: None,
        files: 1,
        size: 0,
        updated_at: made_at,
        shadows: Vec::new(),
    }
}

//! Drafts among a user's skills as documents, for those who may see them.

use std::{collections::BTreeMap, sync::Arc};

use super::{page::page_of, with_drafts::entry_of};
use crate::{
    access::{SessionPattern, SessionScope},
    catalog::{Audience, CatalogEntry, CatalogView},
    content::{DraftReader, content_of_draft, draft_paths, drafts_at},
    context::Core,
    error::Result,
    path::{Id, Layer, SkillPath},
    session::SessionError,
    skill::SkillDraft,
    wire::{Policy, SessionVersion, SkillDocument, SkillListRequest, SkillPage},
};

/// A catalog with the drafts of one page.
pub(crate) struct ListedDrafts {
    pub(crate) view: Arc<CatalogView>,
    /// Those drafts.
    pub(crate) shown: BTreeMap<SkillPath, SkillDraft>,
    /// How many others there are.
    pub(crate) more: usize,
}

/// The drafts that a page of `limit` skills may show.
pub(crate) async fn listed_drafts(
    core: &Core,
    audience: &Audience,
    view: &Arc<CatalogView>,
    policy: &Policy,
    wanted: &SkillListRequest,
    limit: usize,
    reader: DraftReader<'_>,
) -> Result<ListedDrafts> {
    if !reader.sees_some() {
        return Ok(ListedDrafts { view: Arc::clone(view), shown: BTreeMap::new(), more: 0 });
    }
    let user = &audience.user;
    let category = wanted.category.as_deref().unwrap_or_default();
    let mut paths = match reader {
        DraftReader::Control => draft_paths(core.content(), user).await?,
        DraftReader::Agent(reach) => drafts_within(core, user, reach).await?,
    };
    // A draft that became a skill meanwhile is in the catalog of now. A skill that became a draft meanwhile is in none of the two.
    let now = core.catalogs().view(audience.clone(), false).await?;
    if !Arc::ptr_eq(view, &now) {
        let is_own = |entry: &&Arc<CatalogEntry>| entry.layer == Layer::User && now.entry(&entry.skill).is_none();
        paths.extend(view.entries.iter().filter(is_own).map(|entry| entry.skill.clone()));
        paths.sort_unstable();
        paths.dedup();
    }
    paths.retain(|path| path.is_in(category) && policy.skill(path).is_visible() && now.entry(path).is_none());
    let before = wanted.cursor.as_deref().map_or(0, |cursor| paths.partition_point(|path| path.as_str() <= cursor));
    // An agent sees few of them, which only they themselves say.
    let (begin, end) = match reader {
        DraftReader::Control => (before, paths.len().min(before + limit)),
        DraftReader::Agent(_) => (0, paths.len()),
    };
    let (mut drafts, is_any_published) =
        drafts_at(core.content(), user, paths.get(begin..end).unwrap_or_default()).await?;
    let more = paths.len() - (end - begin);
    drafts.retain(|draft| reader.sees(draft));
    // The catalog is older than the publish of a draft, perhaps by another server.
    let view = &if is_any_published { core.catalogs().view(audience.clone(), true).await? } else { now };
    let view = view.with(
        drafts
            .iter()
            .map(|draft| entry_of(&draft.skill, &draft.name, &draft.description, &draft.digest, draft.made_at)),
    );
    let shown = drafts.into_iter().map(|draft| (draft.skill.clone(), draft)).collect();
    Ok(ListedDrafts { view: Arc::new(view), shown, more })
}

/// The paths of the drafts that an agent of this reach may see, in byte order. These are the drafts that its sessions note. If
/// the beginning of ids binds the agent, these are all drafts.
async fn drafts_within(core: &Core, user: &Id, reach: &SessionScope) -> Result<Vec<SkillPath>> {
    let mut paths = Vec::new();
    for pattern in reach.sessions() {
        let SessionPattern::One(session) = pattern else { return draft_paths(core.content(), user).await };
        match core.sessions().get(user, session, SessionVersion::default()).await {
            Ok(session) => paths.extend(session.drafts.iter().map(|draft| draft.skill.clone())),
            // A session that is damaged costs its own drafts and no listing.
            Err(SessionError::Damaged(_)) => {}
            Err(error) => return Err(error.into()),
        }
    }
    paths.sort_unstable();
    paths.dedup();
    Ok(paths)
}

pub(crate) async fn page_of_draft(core: &Core, user: &Id, draft: &SkillDraft) -> Result<SkillPage> {
    let files = content_of_draft(core.content(), user, draft).await?;
    Ok(page_of(SkillDocument::from(draft), &files))
}

//! Finding skills for a task. Discovering tells what there is; only loading makes a skill available.
//!
//! A session remembers its last discoveries. They ride with its next change, or are written together some seconds after
//! the first, so that no search costs a write.

use std::sync::Arc;

use crate::{
    backend::{SessionState, SkillBackend},
    catalog::{CatalogEntry, CatalogView, Categories, search::SearchHit},
    error::{Code, Error, Result},
    limits::{NOTE_FLUSH, SEARCH_RESULTS, SEARCH_RESULTS_MOST},
    path::SkillPath,
    session::{EffectivePolicy, PastDiscovery, PromptMode, ToolRule},
    skill::shown::one_line,
    wire::{DiscoverReply, DiscoverRequest, DiscoveredSkill, Operation},
};

pub(in crate::backend) async fn discover_skills(
    backend: &SkillBackend,
    request: DiscoverRequest,
) -> Result<DiscoverReply> {
    check_limit(request.limit)?;
    let (SessionState { session, policy }, catalog) =
        tokio::try_join!(backend.admit(Operation::DiscoverSkills), backend.searchable_catalog())?;
    let view = &*catalog.view;
    let category = request.category.as_deref().unwrap_or_default();
    let level = request.level.as_deref().unwrap_or_default().trim().to_lowercase();
    let wanted = |skill: &SkillPath| {
        let is_wanted =
            |entry: &Arc<CatalogEntry>| policy.offers(&entry.skill, &entry.frontmatter) && is_of_level(entry, &level);
        skill.is_in(category) && view.entry(skill).is_some_and(is_wanted)
    };
    let found = catalog.index.search(&request.query, wanted, request.limit)?;
    backend.note(&request.query, &found.hits, found.total)?;
    // Where tools come as skills are found, any replica may be asked for those of the next turn.
    let brings_tools = policy.session().prompt_mode == PromptMode::Discover && !session.has_found;
    if found.total > 0 && brings_tools {
        backend.save_notes().await;
    }
    let skills: Vec<_> =
        found.hits.iter().filter_map(|hit| Some(discovered(view.entry(&hit.skill)?, hit.score))).collect();
    let message = match skills.len() {
        0 => nothing_found(view, &policy),
        shown => what_was_found(shown, found.total, &policy),
    };
    Ok(DiscoverReply { skills, total: found.total, message })
}

impl SkillBackend {
    /// Notes the discovery in the session, where this service writes at all.
    fn note(&self, query: &str, hits: &[SearchHit], total: usize) -> Result<()> {
        if self.shared.sessions.check_writable().is_err() {
            return Ok(());
        }
        let skills = hits.iter().take(SEARCH_RESULTS).map(|hit| hit.skill.clone()).collect();
        let past = PastDiscovery::new(query, skills, total, self.shared.clock.now());
        if self.shared.sessions.note(self.user(), &self.session, past)? {
            let this = self.clone();
            tokio::spawn(async move {
                tokio::time::sleep(NOTE_FLUSH).await;
                this.save_notes().await;
            });
        }
        Ok(())
    }

    /// Writes what is noted of this session; where that fails it is lost, and nothing else is.
    async fn save_notes(&self) {
        if let Err(error) = self.shared.sessions.flush(self.user(), &self.session).await {
            let (user, session) = (self.user(), &self.session);
            tracing::warn!(%user, %session, error = %error.chain(), "discoveries of a session were not written");
        }
    }
}

fn check_limit(limit: usize) -> Result<()> {
    if (1..=SEARCH_RESULTS_MOST).contains(&limit) {
        return Ok(());
    }
    Err(Error::new(Code::InvalidRequest, format!("limit is {limit}; ask for 1 to {SEARCH_RESULTS_MOST} skills")))
}

/// Whether a skill names `level`, which is in lower case; every skill where that is empty.
fn is_of_level(entry: &CatalogEntry, level: &str) -> bool {
    level.is_empty() || entry.frontmatter.level.as_deref().is_some_and(|own| own.trim().to_lowercase() == level)
}

fn discovered(entry: &CatalogEntry, score: f32) -> DiscoveredSkill {
    DiscoveredSkill {
        skill: entry.skill.to_string(),
        name: entry.name().to_owned(),
        description: entry.description().to_owned(),
        category: entry.skill.category().to_owned(),
        layer: entry.layer,
        // Three digits tell two skills apart; more would only look exact.
        score: (score * 1000.0).round() / 1000.0,
    }
}

fn what_was_found(shown: usize, total: usize, policy: &EffectivePolicy) -> String {
    let next = match policy.tool(Operation::LoadSkill) {
        ToolRule::Blocked => String::new(),
        ToolRule::Auto | ToolRule::Ask => format!(" Call {} to use one.", policy.session().load_tool.name()),
    };
    let cut = match total.saturating_sub(shown) {
        0 => String::new(),
        _ => format!(" The best {shown} are shown; ask more narrowly, or with a larger limit, for others."),
    };
    format!("Found {total} skill(s).{next}{cut}")
}

/// Says so and names the categories there are, those with most skills first.
fn nothing_found(view: &CatalogView, policy: &EffectivePolicy) -> String {
    let offered = view.entries.iter().filter(|entry| policy.offers(&entry.skill, &entry.frontmatter));
    let categories: Vec<_> = offered.map(|entry| one_line(entry.skill.category())).collect();
    match Categories::of(&categories).summary(usize::MAX, |category, _| category.plain().to_owned()) {
        None => "No matching skills found.".to_owned(),
        Some(categories) => format!("No matching skills found. Try: {categories}."),
    }
}

//! Finding skills for a task. Discovery lists skills; only a load makes a skill available.
//!
//! A session remembers its last discoveries. The next change of the session writes them. If none comes within some seconds of the
//! first, one write stores them all. So no search costs a write.

use std::sync::Arc;

use super::{
    explain::{ExplainRequest, explained},
    feedback::raises,
    search::{SearchRequest, nearness, visible_skills},
    with_drafts::with_drafts,
};
use crate::{
    catalog::{CatalogEntry, Categories},
    context::{CallInput, Context, OperationSpan, record_found},
    error::{Code, Error, Result},
    files::Files,
    limits::{FEEDBACK_REACH, NOTE_FLUSH, SEARCH_RESULTS, SEARCH_RESULTS_MOST},
    session::SearchRecord,
    skill::shown::one_line,
    wire::{
        DiscoverReply, DiscoverRequest, DiscoveredSkill, EffectivePolicy, Operation, PromptMode, SearchConfidence,
        SearchRanking, ToolRule,
    },
    words::{SearchHit, SearchResults},
};

/// As few skills as this are too few for a sure score.
const FEW_SKILLS: usize = 5;

pub(crate) async fn discover_skills(
    _: &Files,
    span: &OperationSpan,
    request: DiscoverRequest,
) -> Result<DiscoverReply> {
    check_limit(request.limit)?;
    let context = span.context();
    let admitted = async { Ok(span.check().await?.admit(CallInput::from_request(&request)).await?) };
    let raises = async { Ok(raises(context, &request.query).await) };
    let (admission, catalog, raises) = tokio::try_join!(admitted, context.searchable_catalog(), raises)?;
    let (session, policy) = (Arc::clone(admission.session()), admission.policy().clone());
    let view = with_drafts(&catalog.view, &session);
    let visible = visible_skills(context, &catalog, &policy).await?;
    let nearness = nearness(context, &catalog, &visible, &request.query).await?;
    let asked = Arc::new(SearchRequest { request, policy, catalog, view, visible, nearness });
    let SearchRequest { request, policy, view, nearness, .. } = &*asked;
    // The place of a skill that is asked about is among all that are found.
    let most = if request.why.is_some() { usize::MAX } else { request.limit };
    let reach = request.limit.max(FEEDBACK_REACH);
    let mut results = asked.search(context, if raises.is_empty() { most } else { most.max(reach) }).await?;
    raises.apply(&mut results, reach);
    results.hits.truncate(most);
    let (all, total) = (&results.hits, results.total);
    let hits = all.get(..request.limit).unwrap_or(all);
    // Who wants an explanation looks into the search. An agent's next turn has nothing to do with it.
    if !request.explain && request.why.is_none() {
        record_search(context, &request.query, hits, total)?;
        record_found(context, total);
        // If tools come as skills are found, any replica may be asked for those of the next turn.
        let brings_tools = policy.session().prompt_mode == PromptMode::Discover && !session.has_found;
        if total > 0 && brings_tools {
            save_notes(context).await;
        }
    }
    let skills: Vec<_> = hits.iter().filter_map(|hit| Some(discovered(view.entry(&hit.skill)?, hit))).collect();
    let ranking = if nearness.is_some() { SearchRanking::Fused } else { SearchRanking::Lexical };
    let mut reply =
        DiscoverReply { skills, total, ranking, message: String::new(), doubt: None, words: Vec::new(), why: None };
    reply.doubt =
        doubt(&reply, || view.entries.iter().filter(|entry| asked.is_wanted(entry)).take(FEW_SKILLS + 1).count());
    reply.message = match reply.skills.len() {
        0 => nothing_found(context, &asked, &results).await?,
        _ => what_was_found(&reply, policy),
    };
    explained(context, &ExplainRequest { asked, results, raises, reach }, reply).await
}

/// Notes the discovery in the session, if this service may write.
fn record_search(context: &Context, query: &str, hits: &[SearchHit], total: usize) -> Result<()> {
    if context.core.sessions().check_writable().is_err() {
        return Ok(());
    }
    let skills = hits.iter().take(SEARCH_RESULTS).map(|hit| hit.skill.clone()).collect();
    let past = SearchRecord::new(query, skills, total, context.core.clock().now());
    if context.core.sessions().record_discovery(context.user(), &context.session, past)? {
        let this = context.clone();
        tokio::spawn(async move {
            tokio::time::sleep(NOTE_FLUSH).await;
            save_notes(&this).await;
        });
    }
    Ok(())
}

/// Writes the noted discoveries of this session. If the write fails, only these notes are lost.
async fn save_notes(context: &Context) {
    match context.core.sessions().flush_discoveries(context.user(), &context.session).await {
        Ok(session) => session.iter().for_each(|session| context.record_seen(session)),
        Err(error) => {
            let (user, session) = (context.user(), &context.session);
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

fn discovered(entry: &CatalogEntry, hit: &SearchHit) -> DiscoveredSkill {
    DiscoveredSkill {
        skill: entry.skill.to_string(),
        name: entry.name().to_owned(),
        description: entry.description().to_owned(),
        category: entry.skill.category().to_owned(),
        layer: entry.layer,
        // Three digits are enough to compare two skills; more would only look exact.
        score: (hit.score * 1000.0).round() / 1000.0,
        confidence: hit.confidence,
        explain: None,
    }
}

/// The meaning of a low confidence in the best skill, as a sentence; `None` if the confidence is high or nothing was found.
/// `searched` counts the skills among which the search looked. Among few of them no word is rare, and a score by words is low
/// even if a skill fits.
fn doubt(reply: &DiscoverReply, searched: impl FnOnce() -> usize) -> Option<String> {
    let best = reply.skills.first().filter(|best| best.confidence == SearchConfidence::Low)?;
    if reply.ranking == SearchRanking::Fused {
        let why = "neither words nor meaning are near to the question";
        return Some(format!("Confidence is low: {why}, so perhaps none fits."));
    }
    let searched = searched();
    if searched > FEW_SKILLS {
        let why = "only everyday words match, or a small part of the question";
        return Some(format!("Confidence is low: {why}, so perhaps none fits."));
    }
    let skills = if searched == 1 { "1 skill was".to_owned() } else { format!("{searched} skills were") };
    let best = one_line(&best.skill);
    Some(format!(
        "Only {skills} searched, too few for a sure score: the description of {} says whether it fits.",
        best.inline()
    ))
}

fn what_was_found(reply: &DiscoverReply, policy: &EffectivePolicy) -> String {
    let (shown, total) = (reply.skills.len(), reply.total);
    let doubt = reply.doubt.as_ref().map(|doubt| format!(" {doubt}")).unwrap_or_default();
    let next = match policy.tool(Operation::LoadSkill) {
        ToolRule::Blocked => String::new(),
        ToolRule::Auto | ToolRule::Ask => format!(" Call {} to use one.", policy.session().load_tool.name()),
    };
    let cut = match total.saturating_sub(shown) {
        0 => String::new(),
        _ => format!(" The best {shown} are shown; ask more narrowly, or with a larger limit, for others."),
    };
    format!("Found {total} skill(s).{next}{cut}{doubt}")
}

/// Returns the message of a search without results. It names the categories nearest to the question, then those with most skills.
/// The nearest are the categories of skills that answer the question outside its category or level. Categories with a name like a
/// word of the question follow.
async fn nothing_found(context: &Context, asked: &Arc<SearchRequest>, results: &SearchResults) -> Result<String> {
    // A question that may be asked only once names the categories by its words alone.
    let elsewhere = if results.leave_room_for(2) {
        asked.search_anywhere(context, SEARCH_RESULTS_MOST).await?
    } else {
        SearchResults::default()
    };
    let offered = asked.view.entries.iter().filter(|entry| asked.is_offered(entry));
    let categories: Vec<_> = offered.map(|entry| one_line(entry.skill.category())).collect();
    let answering = elsewhere.hits.iter().map(|hit| one_line(hit.skill.category()).plain().to_owned());
    let nearest: Vec<String> = answering.collect();
    let categories = Categories::from_skills(&categories).nearest_first(&nearest, &asked.request.query);
    Ok(match categories.summary(usize::MAX, |category, _| category.plain().to_owned()) {
        None => "No matching skills found.".to_owned(),
        Some(_) if categories.are_all_alike() => format!(
            "No matching skills found. None of the {} categories is near to the question: ask in other words, or list the \
             skills to see them.",
            categories.count()
        ),
        Some(categories) => format!("No matching skills found. Try: {categories}."),
    })
}

//! How a search explains itself: the words behind each score, and the rank of one skill.

use std::sync::Arc;

use super::{
    naming::{NamedSkill, skill_named},
    search::SearchRequest,
    with_drafts::index_of_drafts,
};
use crate::{
    catalog::{CatalogEntry, CatalogView},
    context::Context,
    error::{Code, Error, Result},
    path::SkillPath,
    skill::{Severity, shown::one_line},
    wire::{
        DiscoverReply, EffectivePolicy, ExplainedSkill, QuestionWord, SearchMatch, SearchNearness, SearchRaise,
        SkillStanding, Standing,
    },
    words::{Boost, ExplainedScore, Raises, SearchResults, VisibleSkills},
};

/// The estimated number of bytes that a search reads of a skill.
const SKILL_BYTES: u64 = 4 << 10;
/// Steps for each byte of a skill: most go into the stems of its words.
const STEPS_PER_BYTE: u64 = 64;

/// Advice for the author of a skill that a search does not find.
const ADVICE: &str = "put words that people ask with into its description or triggers.";

/// A search that is to be explained.
pub(crate) struct ExplainRequest {
    pub(crate) asked: Arc<SearchRequest>,
    /// The skills that the search found, best first.
    pub(crate) results: SearchResults,
    /// The raises of scores by past loads of the user.
    pub(crate) raises: Raises,
    /// How many of the best they can raise.
    pub(crate) reach: usize,
}

/// Adds to `reply` what its request wants explained.
pub(crate) async fn explained(
    context: &Context,
    search: &ExplainRequest,
    mut reply: DiscoverReply,
) -> Result<DiscoverReply> {
    let SearchRequest { view, policy, request, .. } = &*search.asked;
    let all = &search.results.hits;
    let why = request.why.as_deref().map(|name| asked_about(name, view, policy)).transpose()?;
    let shown = if request.explain { reply.skills.len() } else { 0 };
    let skills = all.iter().take(shown).map(|hit| hit.skill.clone()).chain(why.clone()).collect::<Vec<_>>();
    if skills.is_empty() && !request.explain {
        return Ok(reply);
    }
    let (words, mut scores) = scores(context, search, skills).await?;
    reply.words = words;
    reply.why = why.map(|skill| {
        let at = all.iter().position(|hit| hit.skill == skill);
        let raise = search.raises.of_skill(&skill).filter(|_| at.is_some_and(|at| at < search.reach));
        let inquiry = Inquiry { asked: &search.asked, total: reply.total, raise };
        let found = at.and_then(|at| Some((at + 1, all.get(at)?.score)));
        inquiry.standing(&skill, found, scores.pop().flatten())
    });
    for ((skill, score), hit) in reply.skills.iter_mut().zip(scores).zip(all) {
        skill.explain = score.map(|score| document(score, search.raises.of_skill(&hit.skill)));
    }
    Ok(reply)
}

/// The skill that `name` means, even if the skill cannot be read.
fn asked_about(name: &str, view: &CatalogView, policy: &EffectivePolicy) -> Result<SkillPath> {
    let errors = view.diagnostics.iter().filter(|found| found.diagnostic.severity == Severity::Error);
    let unreadable: Vec<_> = errors
        .filter_map(|found| SkillPath::parse(&found.skill).ok())
        .filter(|skill| view.entry(skill).is_none())
        .collect();
    let unreadable = unreadable.iter().map(|skill| NamedSkill { skill, name: skill.folder() });
    let readable = view.entries.iter().map(|entry| NamedSkill { skill: &entry.skill, name: entry.name() });
    let visible: Vec<_> = readable.chain(unreadable).filter(|known| policy.skill(known.skill).is_visible()).collect();
    skill_named(name, &visible).cloned()
}

/// The words of a question, and the scores of skills in their order. A draft's score is of the index of the drafts, as it was
/// when the draft was found.
async fn scores(
    context: &Context,
    search: &ExplainRequest,
    skills: Vec<SkillPath>,
) -> Result<(Vec<QuestionWord>, Vec<Option<ExplainedScore>>)> {
    // The search, that for categories if nothing was found, and this one.
    if !search.results.leave_room_for(3) {
        return Err(Error::new(
            Code::TooExpensive,
            "the question is too long to be explained; ask with a sentence or two",
        ));
    }
    let (asked, results) = (Arc::clone(&search.asked), search.results.clone());
    let steps = STEPS_PER_BYTE * (SKILL_BYTES * skills.len() as u64 + asked.request.query.len() as u64);
    let job = move |_: &_| {
        let SearchRequest { request, catalog, view, visible, nearness, .. } = &*asked;
        let question = catalog.index.question(&request.query, visible)?.as_found(nearness.as_ref(), &results);
        let drafts = index_of_drafts(&catalog.view, view);
        let beside = drafts.as_ref().map(|index| index.question(&request.query, &VisibleSkills::ALL)).transpose()?;
        let beside = beside.map(|question| question.as_found_beside(&results));
        let is_heard_of = |skill: &SkillPath| view.entry(skill).is_some_and(|entry| asked.is_offered(entry));
        let rounded_word = |word: QuestionWord| QuestionWord { share: rounded(word.share), ..word };
        let words = question.words(is_heard_of).into_iter().map(rounded_word);
        let explain = |skill| {
            let document = CatalogEntry::search_document(view.entry(skill)?);
            question.explain(&document).or_else(|| beside.as_ref()?.explain(&document))
        };
        Ok((words.collect(), skills.iter().map(explain).collect()))
    };
    context.errand().run_sized(steps, job).await
}

/// A question about one skill.
struct Inquiry<'a> {
    asked: &'a SearchRequest,
    /// How many skills were found.
    total: usize,
    /// By how much it was raised.
    raise: Option<Boost>,
}

impl Inquiry<'_> {
    /// `found` is the place and the score, if the search found the skill.
    fn standing(&self, skill: &SkillPath, found: Option<(usize, f32)>, score: Option<ExplainedScore>) -> SkillStanding {
        let rank = found.map(|(rank, _)| rank);
        let view = &self.asked.view;
        let (standing, message) = match (view.entry(skill), rank) {
            (None, _) => {
                let why = view.left_out(skill).map_or("it cannot be read", |found| found.message.as_str());
                (Standing::Unreadable, format!("No search finds it: {}", one_line(why).plain()))
            }
            (Some(_), Some(rank)) => self.found(rank),
            (Some(entry), None) => self.not_found(entry, score.as_ref()),
        };
        SkillStanding {
            skill: skill.to_string(),
            standing,
            rank,
            score: rounded(
                found.map(|(_, score)| score).or(score.as_ref().map(|score| score.score)).unwrap_or_default(),
            ),
            message,
            explain: score.map(|score| document(score, self.raise)),
        }
    }

    fn found(&self, rank: usize) -> (Standing, String) {
        let place = format!("It is number {rank} of the {} that are found", self.total);
        let limit = self.asked.request.limit;
        if rank <= limit {
            return (Standing::Found, format!("{place}."));
        }
        let message = format!(
            "{place}, and the limit is {limit}. Ask with a larger limit, or put more of the question's words into its \
             description or triggers."
        );
        (Standing::BeyondLimit, message)
    }

    fn not_found(&self, entry: &CatalogEntry, score: Option<&ExplainedScore>) -> (Standing, String) {
        let request = &self.asked.request;
        let category = request.category.as_deref().unwrap_or_default();
        if !self.asked.is_offered(entry) {
            let message =
                "Its frontmatter has `disable-model-invocation`: only people may call for it, and no search finds it.";
            return (Standing::PeopleOnly, message.to_owned());
        }
        if !entry.skill.is_in(category) {
            let message = format!("It does not lie in the category {}.", one_line(category).plain());
            return (Standing::OtherCategory, message);
        }
        let level = request.level();
        if !entry.is_of_level(&level) {
            let message = format!("Its frontmatter does not name the level {}.", one_line(&level).plain());
            return (Standing::OtherLevel, message);
        }
        match score.filter(|score| !score.is_enough) {
            None => {
                let message =
                    "It is not in the search index yet, because it changed a moment ago; ask again in some seconds.";
                (Standing::NotIndexed, message.to_owned())
            }
            Some(score) => {
                let nearer = match self.asked.nearness {
                    Some(_) => ", and other skills are nearer to it in meaning",
                    None => "",
                };
                if score.matches.is_empty() {
                    (Standing::NoMatch, format!("It contains no word of the question{nearer}: {ADVICE}"))
                } else {
                    (Standing::TooLittle, format!("It contains too little of the question{nearer}: {ADVICE}"))
                }
            }
        }
    }
}

fn document(score: ExplainedScore, raise: Option<Boost>) -> ExplainedSkill {
    let raised = raise.map(|raise| SearchRaise { loads: raise.loads, weight: rounded(raise.apply(score.score)) });
    let nearness =
        score.nearness.map(|near| SearchNearness { cosine: rounded(near.cosine), weight: rounded(near.weight) });
    let rounded_match = |found: SearchMatch| SearchMatch { weight: rounded(found.weight), ..found };
    let matches = score.matches.into_iter().map(rounded_match).collect();
    ExplainedSkill { matches, nearness, raised, more: score.more }
}

/// Rounds to four digits, so that the weights of a score still add up to the score shown.
fn rounded(share: f32) -> f32 {
    (share * 10_000.0).round() / 10_000.0
}

//! Finding skills for a task; finding one does not load it.

use serde::{Deserialize, Serialize};
use skillmount_base::{error::Result, limits::SEARCH_RESULTS, path::Layer};
use skillmount_skill::shown::{SafeText, one_line, removed_note};
use utoipa::ToSchema;

use super::{
    Access, CallOutline, Operation, Reply, Request, TextFormat, TextPage, absent_if_empty,
    explained::{ExplainedSkill, QuestionWord, SkillStanding},
    left_out,
    lines::ListNotes,
};

/// Find skills for a task.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct DiscoverRequest {
    /// What the task is about: a few words, a sentence or a message of up to 16 KiB and 2,500 words.
    pub query: String,
    /// Only this category and those below it.
    #[serde(default, deserialize_with = "absent_if_empty")]
    pub category: Option<String>,
    /// Only this level, in whatever case.
    #[serde(default, deserialize_with = "absent_if_empty")]
    pub level: Option<String>,
    /// 10 by default.
    #[serde(default = "default_results")]
    #[schema(minimum = 1, maximum = 100)]
    pub limit: usize,
    /// Say of each skill which words made its score. The session does not remember a search that asks for this.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub explain: bool,
    /// A skill of which to say where it stands, or why it was not found: a skill path, a folder or a name. The session does
    /// not remember a search that asks for this.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
}

impl DiscoverRequest {
    /// Finds the ten best skills for this task.
    #[must_use]
    pub fn new(query: impl Into<String>) -> Self {
        let (category, level, why) = (None, None, None);
        Self { query: query.into(), category, level, limit: SEARCH_RESULTS, explain: false, why }
    }

    /// The level in lower case; empty if none is asked for.
    #[must_use]
    pub fn level(&self) -> String {
        self.level.as_deref().unwrap_or_default().trim().to_lowercase()
    }
}

impl Request for DiscoverRequest {
    const OPERATION: Operation = Operation::DiscoverSkills;
    const FOR_MODELS: &'static str = "Search all skills. Finding one does not load it.";
    // People look into the search; a model needs what it finds.
    const NOT_FOR_MODELS: &'static [&'static str] = &["explain", "why"];
    type Reply = DiscoverReply;

    fn outline(&self) -> CallOutline {
        let Self { query, category, level, limit, explain, why } = self;
        let asked =
            CallOutline::default().other("query", left_out(query)).other("category", category).skill("why", why);
        asked.other("level", level).other("limit", limit).other("explain", explain)
    }

    fn touches(&self) -> Vec<Access<'_>> {
        Vec::new()
    }

    fn subject(&self) -> String {
        self.query.clone()
    }
}

/// A skill that answers a question.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct DiscoveredSkill {
    /// What `load_skill` takes.
    pub skill: String,
    /// Its name.
    pub name: String,
    /// What it is for.
    pub description: String,
    /// The part of `skill` before the last slash; empty at the top.
    pub category: String,
    /// Whose folder it lies in.
    pub layer: Layer,
    /// How much of the question it answers, from 0 to 1; in a `fused` ranking, how good it is beside the best.
    pub score: f32,
    /// Whether it is likely to answer the question.
    pub confidence: SearchConfidence,
    /// The words that made the score, if the request asks for them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub explain: Option<ExplainedSkill>,
}

/// Whether a skill that was found is likely to answer the question.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum SearchConfidence {
    /// The matching part of the question is telling, or the meanings are near.
    High,
    /// The matching part of the question is not telling: everyday words, a mention in passing or a small part. Most small talk
    /// finds nothing else.
    Low,
}

/// What skills are ranked by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum SearchRanking {
    /// By the words that they share with the question.
    Lexical,
    /// By these words, and by how near they are to the question in meaning.
    Fused,
}

/// The skills that answer a question, best first.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct DiscoverReply {
    /// The best of them.
    pub skills: Vec<DiscoveredSkill>,
    /// How many there are, those beyond the limit included.
    pub total: usize,
    /// What they are ranked by.
    pub ranking: SearchRanking,
    /// What was found and what to do next, in a sentence or two.
    pub message: String,
    /// Why the best of them may not fit, as a sentence, which the message has too. Absent if its confidence is high or nothing
    /// was found.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub doubt: Option<String>,
    /// The words of the question that count, if the request asks for an explanation.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub words: Vec<QuestionWord>,
    /// Where the skill stands that the request asks about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<SkillStanding>,
}

impl SearchConfidence {
    /// The word that is written for it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::High => "high",
            Self::Low => "low",
        }
    }
}

fn default_results() -> usize {
    SEARCH_RESULTS
}

/// The skills that a search found, best first.
impl Reply for DiscoverReply {
    fn page(&self, form: TextFormat) -> Result<TextPage> {
        let best = self.skills.first();
        let skills: Vec<_> =
            best.iter().flat_map(|best| self.skills.iter().map(|one| SkillLine::new(one, best))).collect();
        // The message names categories where nothing was found.
        let message = one_line(&self.message).inline().into_owned();
        let removed = removed_note(skills.iter().map(SkillLine::removed).sum()).map(|note| format!("[{note}]"));
        let lines = std::iter::once(message).chain(skills.iter().map(SkillLine::line)).chain(removed);
        let notes = ListNotes { empty: "", omitted: None, more: "ask more narrowly, or with a smaller limit" };
        Ok(TextPage::list(lines.collect(), 1, form.room, notes))
    }

    fn cut(&mut self, page: &TextPage) {
        // The first line is the message.
        self.skills.truncate(page.shown.saturating_sub(1));
    }
}

/// The parts of a skill that the result of a search shows.
struct SkillLine {
    skill: SafeText,
    name: SafeText,
    description: SafeText,
    /// Its confidence, if it differs from the best skill's confidence. The message speaks for the best skill.
    confidence: Option<SearchConfidence>,
}

impl SkillLine {
    fn new(found: &DiscoveredSkill, best: &DiscoveredSkill) -> Self {
        Self {
            skill: one_line(&found.skill),
            name: one_line(&found.name),
            description: one_line(&found.description),
            confidence: Some(found.confidence).filter(|own| *own != best.confidence),
        }
    }

    /// The path to load the skill by and its description. The name and the confidence are added only if they differ.
    fn line(&self) -> String {
        let is_named = self.skill.plain().rsplit('/').next() == Some(self.name.plain());
        let name = if is_named { String::new() } else { format!(" ({})", self.name.inline()) };
        let confidence = self.confidence.map(|own| format!(" ({} confidence)", own.as_str())).unwrap_or_default();
        format!("- {}{name}: {}{confidence}", self.skill.at_line_start(), self.description.inline())
    }

    fn removed(&self) -> usize {
        self.name.removed() + self.description.removed()
    }
}

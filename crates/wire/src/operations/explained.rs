//! Why a search found what it found.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A word of a question. Articles, prepositions and the like are none.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct QuestionWord {
    /// In lower case.
    pub word: String,
    /// The share of the question's information that it has, from 0 to 1: the fewer skills contain it, the more.
    pub share: f32,
    /// Whether any skill contains it, or what it can mean.
    pub known: bool,
}

/// What a score is made of.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ExplainedSkill {
    /// The words that made it, heaviest first: 32 at most. Their weights and those of `nearness` and `raised` add up to the score.
    pub matches: Vec<SearchMatch>,
    /// How near the skill is to the question in meaning: by its vector, if the ranking is `fused`, and by what the words of both mean in
    /// general, if it is `lexical`. It is absent if too few words of the question have such a meaning, and for a draft in a `fused` ranking.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nearness: Option<SearchNearness>,
    /// What the user's own loads after like questions add, if there are any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub raised: Option<SearchRaise>,
    /// How many more there are.
    #[serde(default, skip_serializing_if = "super::is_zero")]
    pub more: usize,
}

/// How near a skill is to a question in meaning.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct SearchNearness {
    /// The cosine of the angle between the vectors of question and skill. What is nothing to an encoder depends on the encoder; in a
    /// `lexical` ranking it lies between 0 and 1.
    pub cosine: f32,
    /// What it adds to the score.
    pub weight: f32,
}

/// By how much a skill is raised by the user's own loads.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct SearchRaise {
    /// How often the user's sessions loaded it after like questions.
    pub loads: usize,
    /// What that adds to the score.
    pub weight: f32,
}

/// A word of a skill that answers a word of the question.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct SearchMatch {
    /// The part of the skill that contains it.
    pub field: SearchField,
    /// The word of the question, in lower case.
    pub word: String,
    /// The word of the skill, in lower case.
    pub matched: String,
    /// How the two go together.
    pub by: SearchMatchKind,
    /// What it adds to the score.
    pub weight: f32,
}

/// A part of a skill that is searched.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum SearchField {
    /// Its folder, and its name if that differs.
    Name,
    /// Its description.
    Description,
    /// The situations to use it in.
    WhenToUse,
    /// Its triggers, tags and keywords.
    Keywords,
    /// Its category.
    Category,
    /// The headings of its body.
    Headings,
    /// The beginning of its body.
    Body,
}

/// How a word of a skill answers a word of a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum SearchMatchKind {
    /// It is the same word.
    Exact,
    /// It differs in accents.
    Accent,
    /// It is another form of the word, such as its plural.
    Stem,
    /// It begins or ends with the word.
    Part,
    /// It is a few keystrokes away from the word, which no skill contains.
    Typo,
    /// It means the same in the other language.
    Translation,
    /// It means the same in the other language as a word that is a few keystrokes away.
    TypoAndTranslation,
}

impl SearchField {
    /// All of them.
    pub const ALL: [Self; 7] =
        [Self::Name, Self::Description, Self::WhenToUse, Self::Keywords, Self::Category, Self::Headings, Self::Body];
}

impl SearchMatchKind {
    /// In words.
    #[must_use]
    pub const fn in_words(self) -> &'static str {
        match self {
            Self::Exact => "the same word",
            Self::Accent => "another accent",
            Self::Stem => "another form",
            Self::Part => "part of the word",
            Self::Typo => "a typo",
            Self::Translation => "a translation",
            Self::TypoAndTranslation => "a typo and a translation",
        }
    }
}

/// Where a skill stands in a search.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct SkillStanding {
    /// Its path.
    pub skill: String,
    /// Whether it was found, and if not, why.
    pub standing: Standing,
    /// Its place among all skills that were found, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rank: Option<usize>,
    /// Its score, whether it was found or not.
    pub score: f32,
    /// The same in a sentence, with what to do about it.
    pub message: String,
    /// The words that made its score.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub explain: Option<ExplainedSkill>,
}

/// Whether a skill was found, and if not, why.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = SearchStanding)]
pub enum Standing {
    /// It is among the skills of the reply.
    Found,
    /// It was found, and others come before it up to the limit.
    BeyondLimit,
    /// It contains too little of the question.
    TooLittle,
    /// It contains no word of the question.
    NoMatch,
    /// It lies outside the category that the request names.
    OtherCategory,
    /// It does not name the level that the request names.
    OtherLevel,
    /// Its author reserves it for people.
    PeopleOnly,
    /// It cannot be read, so that no search finds it.
    Unreadable,
    /// It changed a moment ago, and the search index does not contain it yet.
    NotIndexed,
}

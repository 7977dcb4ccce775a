//! The parts of a skill that search looks at, and their weights.

use skillmount_base::path::SkillPath;
use skillmount_wire::SearchField;

/// A skill as search sees it. Parts that the skill does not have are empty.
#[derive(Clone, Debug)]
pub struct SearchDocument<'a> {
    /// Its identity. The folder and the categories above it are searched too.
    pub skill: &'a SkillPath,
    /// Its name; empty if it is the folder's.
    pub name: &'a str,
    /// Its purpose.
    pub description: &'a str,
    /// The situations to use it in.
    pub when_to_use: &'a str,
    /// Phrases that trigger it.
    pub triggers: &'a [String],
    /// Its tags.
    pub tags: &'a [String],
    /// Its keywords.
    pub keywords: &'a [String],
    /// The headings of its body.
    pub headings: &'a str,
    /// The text of its body, as far as it was read.
    pub body: &'a str,
}

impl<'a> SearchDocument<'a> {
    /// The bytes of all its texts.
    pub(super) fn bytes(&self) -> u64 {
        let bytes: usize = SearchField::ALL.into_iter().flat_map(|field| self.texts(field)).map(str::len).sum();
        u64::try_from(bytes).unwrap_or(u64::MAX)
    }

    /// The texts of one field.
    pub(super) fn texts(&self, field: SearchField) -> impl Iterator<Item = &'a str> {
        let (texts, lists): ([&str; 2], [&[String]; 3]) = match field {
            // A name that repeats the folder's adds no information.
            SearchField::Name => {
                ([self.skill.folder(), if self.name == self.skill.folder() { "" } else { self.name }], [&[]; 3])
            }
            SearchField::Description => ([self.description, ""], [&[]; 3]),
            SearchField::WhenToUse => ([self.when_to_use, ""], [&[]; 3]),
            SearchField::Keywords => ([""; 2], [self.triggers, self.tags, self.keywords]),
            SearchField::Category => ([self.skill.category(), ""], [&[]; 3]),
            SearchField::Headings => ([self.headings, ""], [&[]; 3]),
            SearchField::Body => ([self.body, ""], [&[]; 3]),
        };
        texts.into_iter().chain(lists.into_iter().flatten().map(String::as_str))
    }
}

/// The worth of one occurrence in a field of `length` words, where it has `mean` words in the mean. Both count words of the
/// same [`Spacing`](super::word_split::Spacing).
pub(super) fn worth(field: SearchField, length: f32, mean: f32) -> f32 {
    let (weight, strictness) = weight(field);
    weight / (1.0 - strictness + strictness * length / mean.max(1.0))
}

/// The weight of one occurrence, and the strength of length normalisation (0 none, 1 full).
const fn weight(field: SearchField) -> (f32, f32) {
    match field {
        SearchField::Name => (2.0, 0.3),
        SearchField::Description | SearchField::WhenToUse => (1.5, 0.5),
        // A list of triggers that is longer than others buys nothing.
        SearchField::Keywords => (0.5, 0.75),
        SearchField::Category => (0.5, 0.0),
        SearchField::Headings => (0.1, 0.7),
        SearchField::Body => (0.56, 0.6),
    }
}

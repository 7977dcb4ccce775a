//! The search in the book: which sections have the words of a question.
//!
//! A section that has more of the words comes first. Of equals the sections of the book come before those of the documents beside
//! it. Then a section comes first whose heading or page has a word as its name, then the section with more occurrences. A word of
//! the question finds longer words that begin with it.

use std::{cmp::Reverse, collections::BTreeMap};

use unicode_normalization::{UnicodeNormalization as _, char::is_combining_mark};

use super::{
    book::Book,
    markdown::{Section, sections},
};
use crate::limits::{GUIDE_EXCERPT_CHARS, GUIDE_QUESTION_WORDS, GUIDE_RESULTS};

/// Words of a question that say nothing about its subject.
const STOP_WORDS: [&str; 27] = [
    "a", "an", "and", "are", "be", "can", "do", "does", "for", "from", "how", "i", "in", "is", "it", "my", "of", "on",
    "or", "the", "to", "what", "when", "which", "why", "with", "you",
];
/// The worth of a word in a heading, and in the title of the page. An occurrence in the text is worth one.
const IN_HEADING: u32 = 12;
const IN_TITLE: u32 = 6;
/// Further occurrences in one section count for nothing.
const OCCURRENCES: u32 = 4;

/// The sections of the book by their words.
#[derive(Debug)]
pub(super) struct SearchIndex {
    sections: Vec<(usize, Section)>,
    /// How many of the sections are in the book. They come first.
    sections_of_book: usize,
    /// The numbers of the sections that have a word, each with the word's worth there.
    words: BTreeMap<String, BTreeMap<usize, u32>>,
}

/// A section that answers a question.
#[derive(Debug)]
pub(super) struct SearchResult<'index> {
    /// The number of its page.
    pub(super) page: usize,
    pub(super) section: &'index Section,
    /// The text around the first word of the question.
    pub(super) excerpt: String,
}

impl SearchIndex {
    pub(super) fn build(book: &Book) -> Self {
        let mut index = Self { sections: Vec::new(), sections_of_book: 0, words: BTreeMap::new() };
        for (number, page) in book.pages().iter().enumerate() {
            for section in sections(page.source) {
                index.add(number, &page.title, section);
            }
            if page.is_in_book() {
                index.sections_of_book = index.sections.len();
            }
        }
        index
    }

    fn add(&mut self, page: usize, title: &str, section: Section) {
        let at = self.sections.len();
        let mut worths = BTreeMap::<String, u32>::new();
        for word in words(&section.text) {
            let worth = worths.entry(word).or_default();
            *worth = OCCURRENCES.min(*worth + 1);
        }
        for (text, worth) in [(section.heading.as_str(), IN_HEADING), (title, IN_TITLE)] {
            for word in words(text) {
                *worths.entry(word).or_default() += worth;
            }
        }
        for (word, worth) in worths {
            self.words.entry(word).or_default().insert(at, worth);
        }
        self.sections.push((page, section));
    }

    /// The sections with the most words of the question, best first.
    pub(super) fn find(&self, question: &str) -> Vec<SearchResult<'_>> {
        let asked = asked_words(question);
        let mut found = BTreeMap::<usize, (usize, u32)>::new();
        for word in &asked {
            for (section, worth) in self.sections_with(word) {
                let (count, sum) = found.entry(section).or_default();
                *count += 1;
                *sum += worth;
            }
        }
        let most = found.values().map(|(count, _)| *count).max().unwrap_or_default();
        let mut best: Vec<_> = found.into_iter().filter(|(_, (count, _))| *count == most).collect();
        best.sort_by_key(|(section, (_, sum))| (*section >= self.sections_of_book, Reverse(*sum), *section));
        best.truncate(GUIDE_RESULTS);
        let result = |(at, _): (usize, _)| {
            let (page, section) = self.sections.get(at)?;
            Some(SearchResult { page: *page, section, excerpt: excerpt(&section.text, &asked) })
        };
        best.into_iter().filter_map(result).collect()
    }

    /// The sections with words that begin with `word`. Each has the worth of the best of them.
    fn sections_with(&self, word: &str) -> BTreeMap<usize, u32> {
        let mut found = BTreeMap::new();
        let same = self.words.range(word.to_owned()..).take_while(|(known, _)| known.starts_with(word));
        for (section, worth) in same.flat_map(|(_, sections)| sections) {
            let best = found.entry(*section).or_default();
            *best = (*worth).max(*best);
        }
        found
    }
}

/// The words of a text in small letters without accents.
fn words(text: &str) -> impl Iterator<Item = String> {
    let is_inside = |char: char| char.is_alphanumeric() || is_combining_mark(char);
    let bare = |word: &str| word.nfkd().filter(|char| !is_combining_mark(*char)).flat_map(char::to_lowercase).collect();
    text.split(move |char| !is_inside(char)).filter(|word| !word.is_empty()).map(bare)
}

/// The words of a question that are looked for. Stop words count if there are no others, and a plural finds the singular.
fn asked_words(question: &str) -> Vec<String> {
    let all: Vec<_> = words(question).take(GUIDE_QUESTION_WORDS).collect();
    let telling: Vec<_> = all.iter().filter(|word| !STOP_WORDS.contains(&word.as_str())).cloned().collect();
    let mut asked = if telling.is_empty() { all } else { telling };
    for word in asked.iter_mut().filter(|word| word.len() > 3 && word.ends_with('s') && !word.ends_with("ss")) {
        word.pop();
    }
    asked.sort();
    asked.dedup();
    asked
}

/// The part of a text around the first of the words, from the beginning of a sentence near it.
fn excerpt(text: &str, asked: &[String]) -> String {
    let begins = |rest: &str| {
        let word = words(rest).next().unwrap_or_default();
        asked.iter().any(|asked| word.starts_with(asked.as_str()))
    };
    let mut starts = text.char_indices().zip([' '].into_iter().chain(text.chars()));
    let hit = starts.find(|((at, char), before)| {
        char.is_alphanumeric() && !before.is_alphanumeric() && text.get(*at..).is_some_and(begins)
    });
    let hit = hit.map_or(0, |((at, _), _)| at);
    let before = text.get(..hit).unwrap_or_default();
    let from = before.rfind(". ").map_or(0, |stop| stop + 2);
    let rest = text.get(from..).unwrap_or_default();
    let mut excerpt: String = rest.chars().take(GUIDE_EXCERPT_CHARS).collect();
    if excerpt.len() < rest.len() {
        excerpt.truncate(excerpt.rfind(' ').unwrap_or(excerpt.len()));
        excerpt.push_str(" …");
    }
    excerpt
}

#[cfg(test)]
mod tests {
    use super::*;

    fn index() -> SearchIndex {
        SearchIndex::build(&Book::from_files(&[
            ("DECISIONS.md", "# Approvals of calls\nWhy an approval waits: its host forgets.\n"),
            ("book/SUMMARY.md", "# Summary\n[Start](start.md)\n- [Approvals](approvals.md)\n"),
            (
                "book/approvals.md",
                "# Approvals\nA person decides.\n## Who decides\nA key of scope `control`. Keys are secret.\n",
            ),
            ("book/start.md", "# Start\nPush a skill. Each approval waits. Then load_skill runs.\n"),
        ]))
    }

    fn found(question: &str) -> Vec<String> {
        let index = index();
        index.find(question).into_iter().map(|result| format!("{}#{}", result.page, result.section.id)).collect()
    }

    #[test]
    fn a_section_with_the_word_as_its_name_comes_first() {
        assert_eq!(found("approval"), ["1#approvals", "1#who-decides", "0#start", "2#approvals-of-calls"]);
        assert_eq!(found("approval host"), ["2#approvals-of-calls"]);
        assert_eq!(found("How do I push skills?"), ["0#start"]);
        assert_eq!(found("who decides"), ["1#who-decides"]);
        assert_eq!(found("load_skill"), ["0#start"]);
        assert_eq!((found("décides"), found("de\u{301}cides")), (found("decides"), found("decides")));
        assert_eq!(found("bucket"), [""; 0]);
        assert_eq!(found(" ?! "), [""; 0]);
    }

    #[test]
    fn an_excerpt_begins_with_the_sentence_of_the_word() {
        let index = index();
        let results = index.find("secret");
        assert_eq!(results[0].excerpt.trim(), "Keys are secret.");
        let long = format!("é {}", "wörd ".repeat(GUIDE_EXCERPT_CHARS));
        let cut = excerpt(&long, &["word".to_owned()]);
        assert!(cut.starts_with("é wörd") && cut.ends_with("wörd …") && cut.chars().count() <= GUIDE_EXCERPT_CHARS + 2);
    }
}

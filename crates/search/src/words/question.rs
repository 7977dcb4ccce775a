//! A question as words: which of them count, and what each can mean.
//!
//! Stop words and small numbers say nothing beside other words. They count in a question without other words, and in the name of a
//! skill.

use std::collections::HashSet;

use super::{
    RankingStep,
    cost::SearchCost,
    index::{SearchIndex, VisibleSkills},
    language::Language,
    query::{QueryWord, Reading, quieten},
    word_forms::{FormKind, WordForm, forms},
    word_split::{fold, words},
};
use skillmount_base::{
    error::{Code, Error, Result},
    limits::{SEARCH_QUERY_BYTES, SEARCH_QUERY_WORDS, SEARCH_REPAIRS},
};

/// A question as an index understands it.
#[derive(Debug)]
pub(super) struct Question {
    /// Its words, each once, in alphabetical order. Stop words and small numbers are among them only if they count.
    pub(super) words: Vec<QueryWord>,
    /// Whether a skill must contain every word: the question has only stop words and small numbers. If no skill contains one
    /// of them, there are no words.
    pub(super) needs_all: bool,
    /// The numbers of the skills whose name is the question.
    pub(super) named: Vec<u32>,
}

impl Question {
    /// The information of all its words.
    pub(super) fn information(&self) -> f32 {
        self.words.iter().map(|word| word.information).sum()
    }

    /// The information of the words that the index contains.
    pub(super) fn known(&self) -> f32 {
        self.words.iter().filter(|word| word.is_known()).map(|word| word.information).sum()
    }
}

/// Reads a question. Its stop words and small numbers count if it has no other words, or if it is the name of a skill.
pub(super) fn read(
    index: &SearchIndex,
    visible: &VisibleSkills,
    query: &str,
    spent: &mut SearchCost,
) -> Result<Question> {
    if query.len() > SEARCH_QUERY_BYTES {
        return Err(refused(&format!("{} bytes long; the limit is {SEARCH_QUERY_BYTES}", query.len())));
    }
    let folded = fold(query);
    let language = Language::guess(words(&folded));
    let spoken: Vec<WordForm<'_>> = forms(&folded).collect();
    let mut named = index.named(&words(&folded).collect::<Vec<_>>().join(" "));
    named.retain(|document| visible.has(*document as usize));
    let needs_all = !spoken.iter().any(|form| tells(index, *form, language));
    // The language of a few words is not certain, so the stop words of every language may be meant.
    let counts_stop_words = needs_all || !named.is_empty() || spoken.iter().all(|form| is_small_anywhere(form.word));
    let mut known = HashSet::new();
    let asked = spoken.into_iter().map(|form| (form, tells(index, form, language)));
    let asked = asked.filter(|(_, is_telling)| *is_telling || needs_all || !named.is_empty());
    let asked: Vec<_> = asked.filter(|(form, _)| known.insert(form.word)).collect();
    let number = asked.iter().filter(|(form, _)| form.kind == FormKind::Word).count();
    if number > SEARCH_QUERY_WORDS {
        return Err(refused(&format!("{number} different words long; the limit is {SEARCH_QUERY_WORDS}")));
    }
    let mut meanings = read_forms((index, visible), &asked, language, counts_stop_words, spent)?;
    if needs_all && !meanings.iter().all(QueryWord::is_known) {
        meanings.clear();
    }
    meanings.sort_by(|one: &QueryWord, two| one.word.cmp(&two.word));
    let mut seen = HashSet::new();
    // Two forms of one word count once.
    meanings.retain(|meaning| {
        let first = meaning.senses.first().map(|sense| (sense.term, sense.factor.to_bits()));
        first.is_none_or(|first| seen.insert(first))
    });
    if index.steps.has(RankingStep::Chat) {
        quieten(&mut meanings, &folded, spent)?;
    }
    Ok(Question { words: meanings, needs_all, named })
}

/// Reads the words that are asked for. The parts of a glued word are read if no skill contains the whole. An unknown form beside
/// other words is omitted: one word is not unknown in part.
fn read_forms(
    (index, visible): (&SearchIndex, &VisibleSkills),
    asked: &[(WordForm<'_>, bool)],
    language: Option<Language>,
    counts_stop_words: bool,
    spent: &mut SearchCost,
) -> Result<Vec<QueryWord>> {
    // The repairs are for the first words of the text: a message states its subject before it quotes a log.
    let mut repairs = SEARCH_REPAIRS;
    let (mut known, mut in_parts) = (HashSet::new(), HashSet::new());
    let mut meanings = Vec::with_capacity(asked.len());
    for (form, is_telling) in asked {
        if form.kind.whole().is_some_and(|whole| known.contains(whole)) {
            continue;
        }
        let mut reading = Reading::new((index, visible), language, &mut repairs);
        if counts_stop_words {
            reading.take_stop_word(form.word);
        }
        let meaning = if *is_telling { reading.meaning(form.word) } else { reading.small(form.word) };
        spent.take(reading.steps)?;
        if meaning.is_known() {
            known.insert(form.word);
            in_parts.extend(form.kind.whole());
        }
        meanings.push((form, meaning));
    }
    let has_others = meanings.len() > 1;
    let is_spare = |form: &WordForm<'_>| match form.kind {
        FormKind::Word => in_parts.contains(form.word),
        FormKind::PartOf(_) => true,
        FormKind::Version => has_others,
    };
    meanings.retain(|(form, meaning)| meaning.is_known() || !is_spare(form));
    Ok(meanings.into_iter().map(|(_, meaning)| meaning).collect())
}

/// Whether a word counts beside others. Numbers that are glued to letters do.
fn tells(index: &SearchIndex, form: WordForm<'_>, language: Option<Language>) -> bool {
    let is_small = || match form.kind {
        FormKind::Word => {
            is_small_number(form.word) || Language::likely(language).any(|language| language.is_stop_word(form.word))
        }
        FormKind::PartOf(_) => Language::likely(language).any(|language| language.is_stop_word(form.word)),
        FormKind::Version => false,
    };
    !index.steps.has(RankingStep::StopWords) || !is_small()
}

/// Whether a word is a stop word of any language, or a small number.
fn is_small_anywhere(word: &str) -> bool {
    is_small_number(word) || Language::is_stop_word_of_any(word)
}

/// Days, hours and amounts do not describe a skill; `13485` may.
fn is_small_number(word: &str) -> bool {
    word.len() <= 2 && word.bytes().all(|byte| byte.is_ascii_digit())
}

fn refused(what: &str) -> Error {
    Error::new(Code::InvalidRequest, format!("the query is {what}; ask with the part that says what the task is"))
}

#[cfg(test)]
mod tests {
    use super::super::{SearchIndex, VisibleSkills, tests::document};
    use skillmount_base::path::SkillPath;
    use skillmount_wire::SearchConfidence;

    const SKILLS: [(&str, &str); 8] = [
        ("music/the-who", "Songs of a band."),
        ("music/records", "Prints covers for the records of bands."),
        ("help/it-support", "Repairs printers."),
        ("law/leases", "Prüft Mietverträge und Kündigungen. Verwenden, wenn Häuser vermietet werden."),
        ("phone/seventeen", "Moves apps to iOS17."),
        ("phone/sixteen", "Moves apps to iOS 16 or iOS 17."),
        ("router/new", "Upgrades RouterOS to 7.23 and later."),
        ("router/old", "Keeps RouterOS at v6.49 or 6.48."),
    ];

    fn with_index<T>(check: impl FnOnce(&SearchIndex) -> T) -> T {
        let paths = SKILLS.map(|(path, _)| SkillPath::parse(path).unwrap());
        let documents = paths.iter().zip(SKILLS).map(|(path, (_, description))| document(path, description));
        check(&SearchIndex::build(documents))
    }

    fn found(question: &str) -> Vec<String> {
        let hits = with_index(|index| index.search(question, |_| true, 10).unwrap().hits);
        hits.into_iter().map(|hit| hit.skill.to_string()).collect()
    }

    // S-SEARCH-23: A question of stop words and short numbers alone finds the skills that contain each of them.
    #[test]
    fn a_question_of_stop_words_finds_what_contains_each_of_them() {
        assert_eq!(found("the who"), ["music/the-who"]);
        assert_eq!(found("the"), ["music/the-who", "music/records"], "a name counts for more");
        assert_eq!(found("IT"), ["help/it-support"]);
        assert_eq!(found("wenn"), ["law/leases"]);
        assert!(found("the with").is_empty() && found("for who").is_empty());
    }

    // S-SEARCH-23: A question of stop words and short numbers alone finds the skills that contain each of them.
    #[test]
    fn a_question_that_is_a_name_is_trusted_and_its_stop_words_count() {
        for name in ["the who", "The-Who", "it support"] {
            let hits = with_index(|index| index.search(name, |_| true, 10).unwrap().hits);
            assert_eq!(hits[0].confidence, SearchConfidence::High, "{name}: {hits:?}");
        }
        let hits = with_index(|index| index.search("the", |_| true, 10).unwrap().hits);
        assert!(hits.iter().all(|hit| hit.confidence == SearchConfidence::Low), "{hits:?}");
        let words =
            |question| with_index(|index| index.question(question, &VisibleSkills::ALL).unwrap().words(|_| true).len());
        assert_eq!((words("it support"), words("it supports")), (2, 1));
    }

    #[test]
    fn a_word_is_looked_up_as_it_is_and_by_the_stems_of_every_language_unless_the_language_is_certain() {
        for question in ["Kündigungen", "Kündigung", "kundigungen", "Mietvertrag"] {
            assert_eq!(found(question), ["law/leases"], "{question}");
        }
        let spanish = |word| found(&format!("necesito ayuda con los {word} por favor"));
        assert_eq!(spanish("mietvertrage"), ["law/leases"], "the word as it is");
    }

    // S-SEARCH-27: Versions and identifiers are words: `v7.23` finds `7.23`, and in names and descriptions `iOS 17` and
    // `iOS17` find each other.
    #[test]
    fn numbers_versions_and_glued_words_are_found_apart_and_together() {
        for question in ["7.23", "v7.23", "RouterOS 7.23", "RouterOS7"] {
            assert_eq!(found(question)[0], "router/new", "{question}");
        }
        assert_eq!(found("6.49"), ["router/old"]);
        assert_eq!(found("7.24"), Vec::<String>::new(), "no part of a version is the version");
        for question in ["iOS17", "iOS 17"] {
            let mut both = found(question);
            both.sort();
            assert_eq!(both, ["phone/seventeen", "phone/sixteen"], "{question}");
        }
        assert_eq!(found("ios99").len(), 2, "the parts of a word that no skill contains");
        assert_eq!(found("17").len(), 2);
    }
}

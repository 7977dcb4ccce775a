//! Which skills a text calls for without a search: by their names, the triggers that their authors wrote, or words of
//! their descriptions.
//!
//! A search answers a question with the nearest skills. Here only the words of the text count: no word is repaired,
//! translated or completed. Each match has the words that made the match, so that a caller can quote them and claim no
//! more.
//!
//! A phrase is a trigger or a name. It matches if its words follow each other in the text, stop words left out. A word
//! of a description counts only if few skills contain the word. Two such words near each other call for the skill. A
//! single word does so only if the caller allows the word: the program of a command, or the type of a file.

use std::{
    cmp::Reverse,
    collections::{BTreeSet, HashSet},
};

use super::{
    SearchDocument, SearchIndex,
    build::language_of,
    index::postings,
    language::Language,
    query::information,
    word_split::{fold, words},
};
use skillmount_base::{
    budget::{StopReason, WorkBudget},
    limits::{TRIGGER_CANDIDATES, TRIGGER_REACH, TRIGGER_TEXT_BYTES},
    path::SkillPath,
};
use skillmount_wire::SearchField;

/// Up to so many skills may contain a word that counts, even in a small catalog.
const FEW_SKILLS: usize = 3;
/// The part of a larger catalog that may contain such a word: an eighth.
const FEW_OF: usize = 8;

/// A text that skills may be called for by, and the words of it that do so alone.
#[derive(Clone, Debug, Default)]
pub struct TriggerText {
    folded: String,
    alone: HashSet<String>,
}

/// A skill that a text calls for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TriggerMatch {
    /// Its path.
    pub skill: SkillPath,
    /// The words of the text that call for it, each once, in the order of the text and in lower case without accents.
    pub words: Vec<String>,
}

impl TriggerText {
    /// The first [`TRIGGER_TEXT_BYTES`] of `text`. Words in `alone` call for a skill by themselves.
    #[must_use]
    pub fn new<'word>(text: &str, alone: impl IntoIterator<Item = &'word str>) -> Self {
        let text = text.get(..text.floor_char_boundary(TRIGGER_TEXT_BYTES)).unwrap_or_default();
        let alone = alone.into_iter().flat_map(|word| words(&fold(word)).map(str::to_owned).collect::<Vec<_>>());
        Self { folded: fold(text).into_owned(), alone: alone.collect() }
    }

    /// The bytes that are looked at.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.folded.len()
    }

    /// The skills of `index` that the text calls for: those by a name or a trigger first, then those by most words. `document` returns a
    /// skill as it is now, and nothing if it may not be called for. Each word of the text costs a step of the allowance, and
    /// each skill that contains it another.
    ///
    /// # Errors
    /// The reason why the work ended early.
    pub fn called_skills<'a>(
        &self,
        index: &SearchIndex,
        document: impl Fn(&SkillPath) -> Option<SearchDocument<'a>>,
        limit: usize,
        work: &WorkBudget,
    ) -> Result<Vec<TriggerMatch>, StopReason> {
        let read = ReadText::new(index, self);
        let candidates = read.candidates(work)?.into_iter().filter_map(document).take(TRIGGER_CANDIDATES);
        let mut found: Vec<_> = candidates.filter_map(|document| read.held_against(&document)).collect();
        // The sort is stable, and the skills that share most with the text come first.
        found.sort_by_key(|(is_named, found)| Reverse((*is_named, found.words.len())));
        Ok(found.into_iter().take(limit).map(|(_, found)| found).collect())
    }
}

/// One word of a text, and its stem in each language.
struct Token<'text> {
    word: &'text str,
    stems: [String; Language::ALL.len()],
}

impl Token<'_> {
    fn stem(&self, language: Language) -> &str {
        self.stems.get(language as usize).map_or(self.word, String::as_str)
    }
}

/// A text and the index of the skills that it may call for.
struct ReadText<'text> {
    index: &'text SearchIndex,
    alone: &'text HashSet<String>,
    tokens: Vec<Token<'text>>,
}

impl<'text> ReadText<'text> {
    fn new(index: &'text SearchIndex, text: &'text TriggerText) -> Self {
        let language = Language::guess(words(&text.folded));
        let tells = |word: &&str| !Language::likely(language).any(|language| language.is_stop_word(word));
        let token = |word| Token { word, stems: Language::ALL.map(|language| language.stem(word)) };
        Self { index, alone: &text.alone, tokens: words(&text.folded).filter(tells).map(token).collect() }
    }

    /// The skills that share words with the text, ordered by the information that they share, most first.
    fn candidates(&self, work: &WorkBudget) -> Result<Vec<&'text SkillPath>, StopReason> {
        let skills = &self.index.skills;
        let mut shared = vec![0.0_f32; skills.len()];
        let stems: BTreeSet<&str> = self.tokens.iter().flat_map(|token| &token.stems).map(String::as_str).collect();
        for term in stems.into_iter().filter_map(|stem| self.index.terms.find(stem)) {
            let postings = postings(self.index, term);
            work.spend(1 + postings.len() as u64)?;
            let gain = information(postings.len(), skills.len());
            for posting in postings {
                if let Some(shared) = shared.get_mut(posting.document as usize) {
                    *shared += gain;
                }
            }
        }
        let mut found: Vec<_> = skills.iter().zip(shared).filter(|(_, shared)| *shared > 0.0).collect();
        found.sort_by(|(_, one), (_, two)| two.total_cmp(one));
        Ok(found.into_iter().map(|(skill, _)| skill).collect())
    }

    /// The match of one skill, and whether a name or a trigger made it.
    fn held_against(&self, document: &SearchDocument<'_>) -> Option<(bool, TriggerMatch)> {
        let language = language_of(document);
        let triggers = document.triggers.iter().filter_map(|trigger| self.phrase(trigger, language, |_| true));
        let names =
            document.texts(SearchField::Name).filter_map(|name| self.phrase(name, language, |stem| self.tells(stem)));
        let mut at: BTreeSet<usize> = triggers.chain(names).flatten().collect();
        let is_named = !at.is_empty();
        at.extend(self.described(document, language));
        let mut seen = HashSet::new();
        let words = at.into_iter().filter_map(|at| self.tokens.get(at)).map(|token| token.word);
        let words: Vec<_> = words.filter(|word| seen.insert(*word)).map(str::to_owned).collect();
        (!words.is_empty()).then(|| (is_named, TriggerMatch { skill: document.skill.clone(), words }))
    }

    /// Where the words of a phrase follow each other in the text. A phrase of a single word counts if it is `enough`.
    fn phrase(&self, phrase: &str, language: Language, enough: impl Fn(&str) -> bool) -> Option<Vec<usize>> {
        let stems = stems_of(phrase, language);
        if stems.is_empty() || matches!(stems.as_slice(), [only] if !enough(only)) {
            return None;
        }
        let is_here =
            |window: &[Token<'_>]| window.iter().zip(&stems).all(|(token, stem)| token.stem(language) == stem);
        let at = self.tokens.windows(stems.len()).position(is_here)?;
        Some((at..at + stems.len()).collect())
    }

    /// Where words of the skill's own description stand in the text, if they call for the skill.
    fn described(&self, document: &SearchDocument<'_>, language: Language) -> BTreeSet<usize> {
        let fields = [SearchField::Description, SearchField::WhenToUse, SearchField::Keywords];
        let texts = fields.into_iter().flat_map(|field| document.texts(field));
        let own: HashSet<String> =
            texts.flat_map(|text| stems_of(text, language)).filter(|stem| self.tells(stem)).collect();
        let mut found = BTreeSet::new();
        let mut last: Option<(usize, &str)> = None;
        for (at, token) in self.tokens.iter().enumerate() {
            let stem = token.stem(language);
            if !own.contains(stem) {
                continue;
            }
            if self.alone.contains(token.word) {
                found.insert(at);
            }
            if let Some((before, _)) = last.filter(|(before, other)| at - before <= TRIGGER_REACH && *other != stem) {
                found.extend([before, at]);
            }
            last = Some((at, stem));
        }
        found
    }

    /// Whether few enough skills contain a word.
    fn tells(&self, stem: &str) -> bool {
        let most = FEW_SKILLS.max(self.index.skills.len() / FEW_OF);
        self.index.terms.find(stem).is_some_and(|term| postings(self.index, term).len() <= most)
    }
}

/// The stems of the words of a text of a skill, without stop words.
fn stems_of(text: &str, language: Language) -> Vec<String> {
    let folded = fold(text);
    words(&folded).filter(|word| !language.is_stop_word(word)).map(|word| language.stem(word)).collect()
}

#[cfg(test)]
mod tests {
    use super::{super::tests::document, *};
    use skillmount_base::limits::WORK_STEPS;

    struct Skill {
        path: SkillPath,
        description: &'static str,
        triggers: Vec<String>,
    }

    fn skill(path: &str, description: &'static str, triggers: &[&str]) -> Skill {
        let triggers = triggers.iter().map(|trigger| (*trigger).to_owned()).collect();
        Skill { path: SkillPath::parse(path).unwrap(), description, triggers }
    }

    impl Skill {
        fn document(&self) -> SearchDocument<'_> {
            SearchDocument { triggers: &self.triggers, ..document(&self.path, self.description) }
        }
    }

    fn office() -> Vec<Skill> {
        vec![
            skill("office/pdf", "Fills forms and merges pages with ReportLab.", &["create pdf"]),
            skill("office/xlsx", "Reads spreadsheets and draws charts of them.", &[]),
            skill("media/video", "Cuts and converts films with ffmpeg.", &[]),
            skill("code/pull-request", "Looks at changes before they are merged.", &[]),
            skill("escrituras/hipoteca", "Calcula la cuota de un préstamo hipotecario.", &["firmar la hipoteca"]),
        ]
    }

    fn called(skills: &[Skill], text: &str, alone: &[&str]) -> Vec<String> {
        let index = SearchIndex::build(skills.iter().map(Skill::document));
        let document = |path: &SkillPath| skills.iter().find(|skill| skill.path == *path).map(Skill::document);
        let text = TriggerText::new(text, alone.iter().copied());
        let found = text.called_skills(&index, document, 10, &WorkBudget::of_steps(WORK_STEPS)).unwrap();
        found.into_iter().map(|found| format!("{}: {}", found.skill, found.words.join(" "))).collect()
    }

    // S-HOOK-17: A message with an entry of a skill's `triggers` or the skill's name, word after word, calls for the
    // skill.
    #[test]
    fn a_trigger_a_name_or_two_words_that_stand_together_call_for_a_skill() {
        for (text, expected) in [
            ("Please create a PDF of this", "office/pdf: create pdf"),
            ("is that pull request ready?", "code/pull-request: pull request"),
            ("draw me some charts", "office/xlsx: draw charts"),
            ("Quiero firmar la hipoteca mañana", "escrituras/hipoteca: firmar hipoteca"),
            ("¿qué cuota tendrá el préstamo?", "escrituras/hipoteca: cuota prestamo"),
        ] {
            assert_eq!(called(&office(), text, &[]), [expected], "{text}");
        }
    }

    #[test]
    fn what_is_not_in_the_text_calls_for_nothing() {
        for text in [
            "",
            "hello, how are you?",
            // One word of a description, a word of a name of two, and a misspelt one.
            "the pages are here",
            "please pull the rope",
            "create a pfd",
            // Two words of a description that have nothing to do with each other.
            "the forms lie on the table, and one two three four five six seven eight nine ten eleven pages on the floor",
        ] {
            assert_eq!(called(&office(), text, &[]), [""; 0], "{text}");
        }
    }

    #[test]
    fn one_word_is_enough_if_the_caller_says_so() {
        let command = "ffmpeg -i a.mov b.mp4";
        assert_eq!(called(&office(), command, &[]), [""; 0]);
        assert_eq!(called(&office(), command, &["ffmpeg", "mov"]), ["media/video: ffmpeg"]);
        assert_eq!(called(&office(), "FFMPEG", &["FFmpeg"]), ["media/video: ffmpeg"]);
    }

    #[test]
    fn a_word_that_many_skills_contain_calls_for_none_of_them_by_itself() {
        let paths: Vec<String> = (0..40).map(|number| format!("reports/report-{number}")).collect();
        let mut skills: Vec<_> = paths.iter().map(|path| skill(path, "Writes reports on sales.", &[])).collect();
        skills.push(skill("report", "Writes the report.", &[]));
        assert_eq!(called(&skills, "write a report on sales", &["report"]), [""; 0]);
        assert_eq!(called(&skills, "write report 7", &[]), ["reports/report-7: report 7"]);
    }

    // S-LIMIT-1: Every limit stands in `crates/base/src/limits/`; the service takes n and refuses n + 1.
    #[test]
    fn a_text_is_read_up_to_its_limit_and_words_as_far_apart_as_theirs() {
        let before = |bytes: usize| format!("{} pdf", "x".repeat(bytes - " pdf".len()));
        assert_eq!(called(&office(), &before(TRIGGER_TEXT_BYTES), &[]).len(), 1);
        assert_eq!(called(&office(), &before(TRIGGER_TEXT_BYTES + 1), &[]).len(), 0);
        let apart = |many: usize| format!("forms {} pages", vec!["x"; many - 1].join(" "));
        assert_eq!(called(&office(), &apart(TRIGGER_REACH), &[]), ["office/pdf: forms pages"]);
        assert_eq!(called(&office(), &apart(TRIGGER_REACH + 1), &[]), [""; 0]);
    }

    #[test]
    fn work_that_costs_too_much_ends() {
        let skills = office();
        let index = SearchIndex::build(skills.iter().map(Skill::document));
        let text = TriggerText::new("create a pdf", []);
        assert_eq!(text.called_skills(&index, |_| None, 1, &WorkBudget::of_steps(1)), Err(StopReason::Spent));
    }
}

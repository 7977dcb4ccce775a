//! Why a skill has its score: the words and fields that made the score.

use std::collections::{BTreeMap, HashMap};

use super::{
    cost::SearchCost,
    document::SearchDocument,
    fusion::{Scale, Similarity},
    gist::QuestionGist,
    index::{SearchIndex, VisibleSkills, postings},
    matches::{FieldMatch, WordHit, as_written, places, shared},
    passage::{PART, parts},
    query::{MatchRoute, QueryWord},
    question::{self, Question},
    score::{LeastAnswer, SearchResults, gist, share_of, tallies},
    word_forms::forms,
    word_split::fold,
};
use skillmount_base::{error::Result, limits::SEARCH_EXPLAINED_WORDS, path::SkillPath};
use skillmount_wire::{QuestionWord, SearchMatch, SearchMatchKind, SearchNearness};

/// A score and what it is made of.
#[derive(Clone, Debug, PartialEq)]
pub struct ExplainedScore {
    /// The score of a [`SearchHit`](super::SearchHit): the weights of all matches, and what nearness adds.
    pub score: f32,
    /// The nearness to the question in meaning, if nearness counts: by vector, or by gist.
    pub nearness: Option<SearchNearness>,
    /// Whether the skill contains enough of the question to be found. Only the part that any skill can answer counts.
    pub is_enough: bool,
    /// The matches that count, heaviest first: at most `SEARCH_EXPLAINED_WORDS`.
    pub matches: Vec<SearchMatch>,
    /// How many more there are.
    pub more: usize,
}

/// A question as an index understands it.
#[derive(Debug)]
#[must_use]
pub struct ParsedQuestion<'index> {
    index: &'index SearchIndex,
    /// Its words in lower case by their folded forms. It is made once: a long question is looked at for each of its words.
    written: BTreeMap<String, String>,
    question: Question,
    /// The information of all words.
    information: f32,
    /// The scale of the scores.
    scale: Scale,
    /// The nearness from which on a skill is found by its meaning alone.
    nearest: f32,
    nearness: Option<&'index Similarity>,
    /// The gist of the question, if no encoder counts.
    gist: Option<QuestionGist>,
}

impl SearchIndex {
    /// Reads a question, to explain the scores that it gives.
    ///
    /// # Errors
    /// As [`search`](Self::search).
    pub fn question(&self, query: &str, visible: &VisibleSkills) -> Result<ParsedQuestion<'_>> {
        let mut spent = SearchCost::default();
        let question = question::read(self, visible, query, &mut spent)?;
        let information = question.information();
        let tallies = tallies(self, &question.words, &mut spent)?;
        let tallies = tallies.into_iter().enumerate().filter(|(document, _)| visible.has(*document));
        let best = tallies.map(|(_, tally)| tally.score).fold(0.0, f32::max);
        let gist = gist(self, &question.words, None, &mut spent)?;
        let weight = gist.as_ref().map_or(0.0, |gist| gist.weight);
        let scale = Scale { best, best_share: share_of(best, information), gist: weight, ..Scale::default() };
        let written = written(query);
        Ok(ParsedQuestion { index: self, written, question, information, scale, nearest: 0.0, nearness: None, gist })
    }

    /// The parts of `query` to encode: a short query as a whole. Of a long query the beginning, and the part with most
    /// information by the words of the index.
    ///
    /// # Errors
    /// As [`search`](Self::search).
    pub fn telling_parts(&self, query: &str, visible: &VisibleSkills) -> Result<Vec<String>> {
        let query = query.trim();
        if query.len() <= PART {
            return Ok(vec![query.to_owned()]);
        }
        let question = question::read(self, visible, query, &mut SearchCost::default())?;
        let known = question.words.iter().filter(|meaning| meaning.is_known());
        let told: HashMap<&str, f32> = known.map(|meaning| (meaning.word.as_str(), meaning.information)).collect();
        let parts = parts(query, |word| told.get(word).copied().unwrap_or_default());
        Ok(parts.into_iter().map(str::to_owned).collect())
    }
}

impl<'index> ParsedQuestion<'index> {
    /// The same question where nearness in meaning counts too, with the results that are to be explained: the best of them is
    /// what the others are judged by.
    pub fn as_found(self, nearness: Option<&'index Similarity>, results: &SearchResults) -> Self {
        Self { nearness, scale: results.scale, nearest: results.nearest, ..self }
    }

    /// The same question to the index of skills that were put beside these results: each has the part of the best there that its
    /// words make.
    pub fn as_found_beside(self, results: &SearchResults) -> Self {
        if results.scale.nearness.is_none() {
            return self;
        }
        let scale = Scale { best: self.scale.best, ..results.scale };
        Self { scale, ..self }
    }

    /// The words, in alphabetical order; stop words only if they count. A word counts as unknown if only skills that `is_heard_of`
    /// refuses contain it.
    #[must_use]
    pub fn words(&self, is_heard_of: impl Fn(&SkillPath) -> bool) -> Vec<QuestionWord> {
        let is_known: Vec<bool> =
            self.question.words.iter().map(|meaning| self.is_known(meaning, &is_heard_of)).collect();
        let known = || self.question.words.iter().zip(&is_known);
        let information: f32 = known().filter(|(_, known)| **known).map(|(meaning, _)| meaning.information).sum();
        let asked = known().map(|(meaning, known)| QuestionWord {
            word: self.written(&meaning.word),
            share: if *known && information > 0.0 { meaning.information / information } else { 0.0 },
            known: *known,
        });
        asked.collect()
    }

    fn is_known(&self, meaning: &QueryWord, is_heard_of: impl Fn(&SkillPath) -> bool) -> bool {
        let postings = meaning.senses.iter().flat_map(|sense| postings(self.index, sense.term));
        let mut holders = postings.filter_map(|posting| self.index.skills.get(posting.document as usize));
        holders.any(is_heard_of)
    }

    /// Explains the score of a skill; `None` if the index does not contain it. `skill` is the document that was indexed:
    /// of words that are no longer there nothing is said.
    #[must_use]
    pub fn explain(&self, skill: &SearchDocument<'_>) -> Option<ExplainedScore> {
        let number = u32::try_from(self.index.skills.binary_search(skill.skill).ok()?).ok()?;
        let answered: Vec<WordHit<'_>> =
            self.question.words.iter().filter_map(|meaning| self.answered(meaning, number)).collect();
        let covered: f32 = answered.iter().map(|one| one.meaning.information).sum();
        let share: f32 = answered.iter().map(|one| one.gain).sum();
        let (lexical, nearness) = match self.nearness {
            None if self.scale.nearness.is_some() => (self.scale.of_words(share), None),
            None => self.by_words(number as usize, share),
            Some(near) => {
                let near_part = self.scale.near_part(near.score_for(number as usize));
                let explained = SearchNearness { cosine: near.cosine(number as usize), weight: near_part };
                (self.scale.lexical_part(share * self.information), Some(explained))
            }
        };
        let (matches, more) = self.heaviest(skill, &answered, if share > 0.0 { lexical / share } else { 1.0 });
        let is_near = self.nearness.is_some_and(|near| near.score_for(number as usize) >= self.nearest);
        let least = LeastAnswer::new(&self.question, self.scale.best);
        let has_words = !answered.is_empty() && least.has(covered, share * self.information);
        Some(ExplainedScore {
            score: lexical + nearness.map_or(0.0, |nearness| nearness.weight),
            nearness,
            is_enough: is_near || has_words,
            matches,
            more,
        })
    }

    /// The additions of words and of gist to the score of a skill, if no encoder counts.
    fn by_words(&self, skill: usize, share: f32) -> (f32, Option<SearchNearness>) {
        let Some(gist) = &self.gist else { return (share, None) };
        let cosine = gist.cosine(self.index, skill);
        let [lexical, weight] = self.scale.parts_of_words(share, cosine);
        (lexical, Some(SearchNearness { cosine, weight }))
    }

    /// The sense of a word that counts for a skill: the best of the senses that the skill contains.
    fn answered<'a>(&self, meaning: &'a QueryWord, skill: u32) -> Option<WordHit<'a>> {
        let gains = meaning.senses.iter().filter_map(|sense| {
            let postings = postings(self.index, sense.term);
            let at = postings.binary_search_by_key(&skill, |posting| posting.document).ok()?;
            Some((sense, postings.get(at)?.strength * sense.factor))
        });
        let (sense, gain) = gains.reduce(|best, other| if other.1 > best.1 { other } else { best })?;
        Some(WordHit { meaning, sense, gain: gain * meaning.information / self.information })
    }

    /// The matches that weigh most, heaviest first, and how many more there are. `scale` is what a gain of one weighs.
    fn heaviest(&self, skill: &SearchDocument<'_>, answered: &[WordHit<'_>], scale: f32) -> (Vec<SearchMatch>, usize) {
        let mut places: Vec<_> = answered.iter().zip(places(self.index, skill, answered)).flat_map(shared).collect();
        places.sort_by(|(.., one), (.., two)| two.total_cmp(one));
        let more = places.len().saturating_sub(SEARCH_EXPLAINED_WORDS);
        // A word of the skill is looked for in its text only if it is shown.
        let shown = places.iter().take(SEARCH_EXPLAINED_WORDS);
        (shown.map(|(one, place, gain)| self.matched(one, place, skill, gain * scale)).collect(), more)
    }

    fn matched(
        &self,
        answered: &WordHit<'_>,
        place: &FieldMatch,
        skill: &SearchDocument<'_>,
        weight: f32,
    ) -> SearchMatch {
        let word = self.written(&answered.meaning.word);
        let found = skill.texts(place.field).find_map(|text| as_written(text, &place.form));
        let matched = found.unwrap_or_else(|| place.form.clone());
        let by = match answered.sense.way {
            MatchRoute::Itself if place.form != answered.meaning.word => SearchMatchKind::Stem,
            MatchRoute::Itself if matched != word => SearchMatchKind::Accent,
            MatchRoute::Itself => SearchMatchKind::Exact,
            MatchRoute::Compound => SearchMatchKind::Part,
            MatchRoute::Translation => SearchMatchKind::Translation,
            MatchRoute::Repair => SearchMatchKind::Typo,
            MatchRoute::TranslatedRepair => SearchMatchKind::TypoAndTranslation,
        };
        SearchMatch { field: place.field, word, matched, by, weight }
    }

    /// A folded word as the question has it, in lower case; folded if it stands there in pieces.
    fn written(&self, word: &str) -> String {
        self.written.get(word).map_or(word, String::as_str).to_owned()
    }
}

/// The words of a text in lower case, by their folded forms. If several fold alike, the first counts.
fn written(text: &str) -> BTreeMap<String, String> {
    let mut written = BTreeMap::new();
    for form in forms(&text.to_lowercase()) {
        written.entry(fold(form.word).into_owned()).or_insert_with(|| form.word.to_owned());
    }
    written
}

#[cfg(test)]
mod tests {
    use super::{super::tests::document, *};
    use skillmount_base::{limits::SEARCH_RESULTS_MOST, path::SkillPath};
    use skillmount_wire::SearchField;

    const SKILLS: &[(&str, &str, &str)] = &[
        ("escrituras/compraventa", "Redacta la escritura de compraventa de un inmueble.", "Simulación. Escrituras."),
        ("informes/simulacion", "Simulaciones de escenarios financieros.", "Ejecuta la simulación de la empresa."),
        ("office/invoices", "Create an invoice for a customer and send it by email.", "The customer pays."),
        ("office/letters", "Write letters to customers.", ""),
    ];

    fn with_documents<T>(check: impl FnOnce(&SearchIndex, &[SearchDocument<'_>]) -> T) -> T {
        let paths: Vec<SkillPath> = SKILLS.iter().map(|(path, ..)| SkillPath::parse(path).unwrap()).collect();
        let documents: Vec<_> = paths
            .iter()
            .zip(SKILLS)
            .map(|(path, (_, text, body))| SearchDocument { body, ..document(path, text) })
            .collect();
        check(&SearchIndex::build(documents.clone()), &documents)
    }

    #[test]
    fn the_weights_of_all_matches_add_up_to_the_score() {
        with_documents(|index, documents| {
            for query in ["escritura de compraventa", "simulaciones finansieras", "facutra para el cliente", "venta"] {
                let question = index.question(query, &VisibleSkills::ALL).unwrap();
                let hits = index.search(query, |_| true, SEARCH_RESULTS_MOST).unwrap().hits;
                assert!(!hits.is_empty(), "{query}");
                for document in documents {
                    let explained = question.explain(document).unwrap();
                    let hit = hits.iter().find(|hit| hit.skill == *document.skill);
                    assert_eq!(hit.is_some(), explained.is_enough, "{query}: {explained:?}");
                    let words: f32 = explained.matches.iter().map(|one| one.weight).sum();
                    let sum = words + explained.nearness.map_or(0.0, |near| near.weight);
                    assert!((sum - explained.score).abs() < 1e-5, "{query}: {sum}, {explained:?}");
                    assert!(hit.is_none_or(|hit| (hit.score - sum).abs() < 1e-5), "{query}: {hit:?}, {explained:?}");
                }
            }
        });
    }

    #[test]
    fn a_match_says_by_what_two_words_go_together() {
        with_documents(|index, documents| {
            for (query, skill, field, matched, by) in [
                ("compraventa", 0, SearchField::Name, "compraventa", SearchMatchKind::Exact),
                ("SIMULACIÓN", 1, SearchField::Body, "simulación", SearchMatchKind::Exact),
                ("simulacion", 1, SearchField::Body, "simulación", SearchMatchKind::Accent),
                ("simulación", 1, SearchField::Name, "simulacion", SearchMatchKind::Accent),
                ("escrituras", 0, SearchField::Description, "escritura", SearchMatchKind::Stem),
                ("venta", 0, SearchField::Name, "compraventa", SearchMatchKind::Part),
                ("compravetna", 0, SearchField::Description, "compraventa", SearchMatchKind::Typo),
                ("factura", 2, SearchField::Description, "invoice", SearchMatchKind::Translation),
                ("facutra", 2, SearchField::Name, "invoices", SearchMatchKind::TypoAndTranslation),
                ("escritura", 0, SearchField::Category, "escrituras", SearchMatchKind::Stem),
            ] {
                let explained = index.question(query, &VisibleSkills::ALL).unwrap().explain(&documents[skill]).unwrap();
                let right = explained.matches.iter().find(|one| one.field == field);
                let right = right.unwrap_or_else(|| panic!("{query}: {explained:?}"));
                assert_eq!((right.matched.as_str(), right.by), (matched, by), "{query}");
                assert_eq!(right.word, query.to_lowercase());
            }
        });
    }

    #[test]
    fn words_that_no_skill_contains_are_said_and_a_skill_that_is_not_indexed_has_no_score() {
        with_documents(|index, documents| {
            let question = index.question("the customer of Reykjavik", &VisibleSkills::ALL).unwrap();
            let known: Vec<_> = question.words(|_| true).into_iter().map(|word| (word.word, word.known)).collect();
            assert_eq!(known, [("customer".to_owned(), true), ("reykjavik".to_owned(), false)]);
            assert!((question.words(|_| true).iter().map(|word| word.share).sum::<f32>() - 1.0).abs() < 1e-5);
            let nothing = question.explain(&documents[0]).unwrap();
            assert!(!nothing.is_enough && nothing.matches.is_empty());
            let other = SkillPath::parse("new/one").unwrap();
            assert_eq!(question.explain(&document(&other, "A customer.")), None);
            assert!(index.question("the of", &VisibleSkills::ALL).unwrap().words(|_| true).is_empty());
        });
    }

    #[test]
    fn a_skill_beyond_those_that_are_nearest_is_explained_as_not_found() {
        let paths: Vec<_> = (0..150).map(|number| SkillPath::parse(&format!("x/s{number:03}")).unwrap()).collect();
        let documents: Vec<_> = paths.iter().map(|path| document(path, "Folds paper.")).collect();
        let index = SearchIndex::build(documents.clone());
        #[expect(clippy::cast_precision_loss, reason = "the numbers are small")]
        let cosines = paths.iter().enumerate().map(|(at, path)| (path, 0.9 - at as f32 / 1000.0));
        let nearness = Similarity::new(&index, 0, cosines);
        let results = index.search_near("origami", Some(&nearness), &VisibleSkills::ALL, |_| true, usize::MAX).unwrap();
        assert!(results.total < paths.len(), "{}", results.total);
        let question = index.question("origami", &VisibleSkills::ALL).unwrap().as_found(Some(&nearness), &results);
        for document in &documents {
            let is_found = results.hits.iter().any(|hit| hit.skill == *document.skill);
            assert_eq!(question.explain(document).unwrap().is_enough, is_found, "{}", document.skill);
        }
    }

    // S-SEARCH-29: An explanation names the 32 heaviest words of a skill, and counts the others.
    #[test]
    fn an_explanation_holds_the_heaviest_matches_up_to_the_limit_and_counts_the_others() {
        let path = SkillPath::parse("a/b").unwrap();
        for words in [SEARCH_EXPLAINED_WORDS, SEARCH_EXPLAINED_WORDS + 1] {
            let text = (0..words).map(|number| format!("w{number}x")).collect::<Vec<_>>().join(" ");
            let document = document(&path, &text);
            let index = SearchIndex::build([document.clone()]);
            let explained = index.question(&text, &VisibleSkills::ALL).unwrap().explain(&document).unwrap();
            assert_eq!(explained.matches.len(), SEARCH_EXPLAINED_WORDS);
            assert_eq!(explained.more, words - SEARCH_EXPLAINED_WORDS);
        }
    }
}

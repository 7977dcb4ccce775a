//! The subject of a text: the sum of the vectors of its words.
//!
//! A question and the skill that answers it share few words, and often not the important ones:
//! `my page takes ages to open` and `web performance`. So the gist of a skill counts beside its words. It orders the
//! skills that share a word with the question and finds no others: a sum of words is near to too much.

use super::{
    gists::Gists,
    index::{SearchIndex, postings},
    query::{MatchRoute, QueryWord, information},
    word_vectors::{NUMBERS, WordVector},
};
use crate::words::QuantizedVector;

/// The weight of a gist that is the question's, where the best lexical score has 1.
const GIST: f32 = 0.75;

/// The gists of the skills of `index`. A word counts by its information in the index and by its weight for the skill.
/// `go_on` is called before each word.
pub(super) fn of_skills<E>(index: &SearchIndex, mut go_on: impl FnMut() -> Result<(), E>) -> Result<Gists, E> {
    let mut sums = vec![[0.0; NUMBERS]; index.skills.len()];
    for (term, vector) in (0..).zip(&index.vectors) {
        let Some(vector) = vector else { continue };
        go_on()?;
        let postings = postings(index, term);
        let mut told = [0.0; NUMBERS];
        vector.add_to(&mut told, information(postings.len(), index.skills.len()));
        for posting in postings {
            if let Some(sum) = sums.get_mut(posting.document as usize) {
                sum.iter_mut().zip(&told).for_each(|(sum, number)| *sum += posting.strength * number);
            }
        }
    }
    Ok(Gists::from_sums(&sums))
}

/// The gist of a question.
#[derive(Debug)]
pub(super) struct QuestionGist {
    direction: QuantizedVector,
    /// The weight of a cosine of 1, where the best lexical score has 1.
    pub(super) weight: f32,
}

impl QuestionGist {
    /// The gist of the words that a skill of `index` contains, and of the everyday words that no skill contains. Each
    /// word counts by the part of its information that the message leaves. Names and dates that no skill contains are
    /// part of no gist. The result is `None` if the words with vectors have less than half of the information. A
    /// question about a product whose name has no vector is not about the everyday words beside the name.
    pub(super) fn from_words(index: &SearchIndex, meanings: &[QueryWord]) -> Option<Self> {
        let (mut sum, mut known, mut all) = ([0.0; NUMBERS], 0.0, 0.0);
        for meaning in meanings.iter().filter(|meaning| meaning.is_known() || meaning.vector.is_some()) {
            let vectors = vectors(index, meaning);
            all += meaning.general;
            known += if vectors.is_empty() { 0.0 } else { meaning.general };
            // A word that may mean several things means a little of each.
            let several: f32 = vectors.iter().map(|_| 1.0).sum();
            for (vector, factor) in &vectors {
                vector.add_to(&mut sum, meaning.kept * factor / several);
            }
        }
        let weight = GIST * (2.0 * known / all - 1.0);
        Some(Self { direction: QuantizedVector::quantize(&sum)?, weight }).filter(|gist| gist.weight > 0.0)
    }

    /// The cosine of the angle to the gist of a skill, from 0 to 1.
    pub(super) fn cosine(&self, index: &SearchIndex, skill: usize) -> f32 {
        index.gists.cosine(skill, &self.direction)
    }
}

/// The vectors of the meanings of a word of a question, each with its weight. A guessed meaning counts for the word and
/// not for the gist: of a misspelt word, or of a part of a longer word.
fn vectors(index: &SearchIndex, meaning: &QueryWord) -> Vec<(WordVector, f32)> {
    if let Some(vector) = meaning.vector {
        return vec![(vector, 1.0)];
    }
    let senses =
        meaning.senses.iter().filter(|sense| matches!(sense.way, MatchRoute::Itself | MatchRoute::Translation));
    let vector = |term: u32| index.vectors.get(term as usize).copied().flatten();
    senses.filter_map(|sense| Some((vector(sense.term)?, sense.factor))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::words::{RankingStep, SearchIndex, Steps, tests::document};
    use skillmount_base::path::SkillPath;

    /// The skills of these descriptions that a question finds.
    fn found(skills: &[(&str, &str)], question: &str, steps: Steps) -> Vec<String> {
        let paths: Vec<_> = skills.iter().map(|(path, _)| SkillPath::parse(path).unwrap()).collect();
        let documents = paths.iter().zip(skills).map(|(path, (_, description))| document(path, description));
        let hits = SearchIndex::build_with(documents, steps).search(question, |_| true, 10).unwrap().hits;
        hits.into_iter().map(|hit| hit.skill.folder().to_owned()).collect()
    }

    const PAGES: &[(&str, &str)] = &[
        ("a/binding", "Binds the pages of a diary in leather."),
        ("b/latency", "Measures latency, caching and bandwidth of web pages."),
        ("c/garden", "Prunes apple trees in winter."),
    ];

    #[test]
    fn of_skills_that_share_as_much_with_a_question_the_one_about_its_topic_is_first() {
        let question = "my pages are so slow to load";
        assert_eq!(found(PAGES, question, Steps::ALL), ["latency", "binding"]);
        let without = found(PAGES, question, Steps::ALL.without(RankingStep::Gists));
        assert_eq!(without, ["binding", "latency"], "they share one word with it");
    }

    #[test]
    fn a_skill_that_shares_no_word_is_not_found_by_its_topic() {
        assert_eq!(found(PAGES, "horticulture", Steps::ALL), Vec::<String>::new());
    }

    #[test]
    fn what_an_english_skill_means_by_a_word_is_english_whichever_skill_comes_first() {
        let spanish = "Mide la velocidad de la red de la empresa y de su trafico.";
        for [red, net] in [["a/red", "b/red"], ["b/red", "a/red"]] {
            let paths = [red, net].map(|path| SkillPath::parse(path).unwrap());
            let documents =
                || [document(&paths[0], "Paints the walls of the house red."), document(&paths[1], spanish)];
            let meaning = |index: &SearchIndex| index.vectors[index.terms.find("red").unwrap() as usize];
            assert_eq!(meaning(&SearchIndex::build(documents())), WordVector::from_stem("red", []));
            let alone = SearchIndex::build(documents().into_iter().skip(1));
            assert_eq!(meaning(&alone), WordVector::from_stem("red", ["network"]));
        }
        assert_ne!(WordVector::from_stem("red", []), WordVector::from_stem("red", ["network"]));
    }

    #[test]
    fn a_skill_in_another_language_is_about_what_its_words_mean_in_english() {
        let skills = [
            ("a/encuadernacion", "Encuaderna con piel las paginas del diario de la familia."),
            ("b/rendimiento", "Mide con cuidado la velocidad de carga de las paginas de la empresa y de su red."),
        ];
        let question = "mis paginas van muy lentas con el trafico";
        assert_eq!(found(&skills, question, Steps::ALL), ["rendimiento", "encuadernacion"]);
        assert_eq!(found(&skills, question, Steps::ALL.without(RankingStep::Gists)), ["encuadernacion", "rendimiento"]);
    }
}

//! A plain BM25 to compare with, which shares no code with the search: English stems, folding, stop lists, repair of one slip,
//! and one text a skill, of its name, description, lists and the first four kilobytes of its body.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use rapidfuzz::distance::osa;
use rust_stemmers::{Algorithm, Stemmer};
use unicode_normalization::{UnicodeNormalization, char::is_combining_mark};

const K1: f64 = 1.2;
const B: f64 = 0.75;
/// The shortest word that is repaired, in characters.
const REPAIRED: usize = 4;

/// Small words of English. Those of Spanish come from the data file of that language.
const STOP: &str = "a about after all also am an and any are as at be because been before but by can could did do does doing \
    don for from get give had has have he hello help her here hey hi him his how i if in into is it its just let like m may me \
    might more most must my need needs no not of off on only or other our out over own please she should so some something such \
    than thanks that the their them then there these they this those through to too under until up us use used user using very \
    want was we were what when where whether which while who why will with would you your";

/// Texts of skills, ready to be searched.
pub(crate) struct PlainBm25 {
    skills: Vec<String>,
    lengths: Vec<f64>,
    /// For each stem the skills that have it, with the number of its occurrences.
    postings: HashMap<String, Vec<(usize, f64)>>,
    /// The words of all texts, for repair.
    words: BTreeSet<String>,
    stop: BTreeSet<&'static str>,
    stemmer: Stemmer,
}

impl PlainBm25 {
    /// `texts` are paths of skills with all that is searched of each.
    pub(crate) fn new(texts: impl IntoIterator<Item = (String, String)>) -> Self {
        let spanish = include_str!("../../crates/search/src/words/lexicon/es.txt").lines();
        let spanish = spanish.filter_map(|line| line.strip_prefix("stop ")).flat_map(|line| line.split(' '));
        let mut index = Self {
            skills: Vec::new(),
            lengths: Vec::new(),
            postings: HashMap::new(),
            words: BTreeSet::new(),
            stop: STOP.split_whitespace().chain(spanish).collect(),
            stemmer: Stemmer::create(Algorithm::English),
        };
        for (skill, text) in texts {
            let words: Vec<_> = words(&text).filter(|word| !index.stop.contains(word.as_str())).collect();
            let mut counts = BTreeMap::<String, f64>::new();
            for word in &words {
                *counts.entry(index.stemmer.stem(word).into_owned()).or_default() += 1.0;
            }
            for (stem, count) in counts {
                index.postings.entry(stem).or_default().push((index.skills.len(), count));
            }
            index.skills.push(skill);
            index.lengths.push(words.len() as f64);
            index.words.extend(words);
        }
        index
    }

    /// The best skills, best first; equals in the order in which they came.
    pub(crate) fn search(&self, question: &str, most: usize) -> Vec<String> {
        let stems: BTreeSet<_> = words(question)
            .filter(|word| !self.stop.contains(word.as_str()))
            .flat_map(|word| self.known(&word))
            .map(|word| self.stemmer.stem(&word).into_owned())
            .collect();
        let mean = self.lengths.iter().sum::<f64>() / self.lengths.len() as f64;
        let mut scores = vec![0.0; self.skills.len()];
        for holders in stems.iter().filter_map(|stem| self.postings.get(stem)) {
            let held = holders.len() as f64;
            let information = (1.0 + (self.skills.len() as f64 - held + 0.5) / (held + 0.5)).ln();
            for (skill, count) in holders {
                let length = 1.0 - B + B * self.lengths[*skill] / mean;
                scores[*skill] += information * count * (K1 + 1.0) / (count + K1 * length);
            }
        }
        let mut found: Vec<usize> = (0..scores.len()).filter(|skill| scores[*skill] > 0.0).collect();
        found.sort_by(|one, two| scores[*two].total_cmp(&scores[*one]));
        found.into_iter().take(most).map(|skill| self.skills[skill].clone()).collect()
    }

    /// The word, or the known words of its first letter that are one slip away if nothing has its stem.
    fn known(&self, word: &str) -> Vec<String> {
        if word.chars().count() < REPAIRED || self.postings.contains_key(&*self.stemmer.stem(word)) {
            return vec![word.to_owned()];
        }
        let same_letter = self.words.iter().filter(|other| other.chars().next() == word.chars().next());
        same_letter.filter(|other| osa::distance(word.chars(), other.chars()) == 1).cloned().collect()
    }
}

/// Runs of letters and digits, in lower case and without accents.
fn words(text: &str) -> impl Iterator<Item = String> {
    let folded: String = text.nfkd().filter(|c| !is_combining_mark(*c)).flat_map(char::to_lowercase).collect();
    let words: Vec<_> =
        folded.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).map(str::to_owned).collect();
    words.into_iter()
}

//! Which words of a skill answer those of a question, and where they stand.

use std::collections::BTreeMap;

use super::{
    RankingStep,
    build::language_of,
    document::SearchDocument,
    factor::count,
    index::SearchIndex,
    lengths::FieldNumbers,
    query::{QueryWord, TermWeight},
    word_split::{fold, words},
};
use skillmount_wire::SearchField;

/// A word of a question that a skill answers.
pub(super) struct WordHit<'a> {
    pub(super) meaning: &'a QueryWord,
    pub(super) sense: &'a TermWeight,
    /// The addition to the score.
    pub(super) gain: f32,
}

/// A word in a field of a skill.
pub(super) struct FieldMatch {
    pub(super) field: SearchField,
    /// The word, folded.
    pub(super) form: String,
    pub(super) worth: f32,
}

/// Where the answered words stand in the skill, for each of them.
pub(super) fn places(
    index: &SearchIndex,
    skill: &SearchDocument<'_>,
    answered: &[WordHit<'_>],
) -> Vec<Vec<FieldMatch>> {
    let mut asking = BTreeMap::<u32, Vec<usize>>::new();
    for (at, one) in answered.iter().enumerate() {
        asking.entry(one.sense.term).or_default().push(at);
    }
    let mut places: Vec<Vec<FieldMatch>> = answered.iter().map(|_| Vec::new()).collect();
    let language = language_of(skill);
    let forms = SearchField::ALL.map(|field| {
        let mut forms = BTreeMap::<String, usize>::new();
        for text in skill.texts(field) {
            for word in words(&fold(text)).filter(|word| !language.is_stop_word(word)) {
                *forms.entry(word.to_owned()).or_default() += 1;
            }
        }
        forms
    });
    let mut lengths = FieldNumbers::default();
    for (field, forms) in SearchField::ALL.into_iter().zip(&forms) {
        for (form, times) in forms {
            lengths.add(field, index.steps.spacing(form), count(*times));
        }
    }
    let worths = lengths.worths(&index.mean_lengths);
    for (field, forms) in SearchField::ALL.into_iter().zip(forms) {
        for (form, times) in forms {
            let stem = if index.steps.has(RankingStep::Stems) { language.stem(&form) } else { form.clone() };
            let worth = worths.get(field, index.steps.spacing(&form)) * count(times);
            let asking = index.terms.find(&stem).and_then(|term| asking.get(&term));
            for at in asking.into_iter().flatten() {
                if let Some(places) = places.get_mut(*at) {
                    places.push(FieldMatch { field, form: form.clone(), worth });
                }
            }
        }
    }
    places
}

/// The gain of an answered word, shared among its places by their worth.
pub(super) fn shared<'a>(
    (answered, places): (&'a WordHit<'a>, Vec<FieldMatch>),
) -> impl Iterator<Item = (&'a WordHit<'a>, FieldMatch, f32)> {
    let whole: f32 = places.iter().map(|place| place.worth).sum();
    places.into_iter().map(move |place| {
        let gain = answered.gain * place.worth / whole;
        (answered, place, gain)
    })
}

/// A folded word as a text has it, in lower case.
pub(super) fn as_written(text: &str, word: &str) -> Option<String> {
    let text = text.to_lowercase();
    words(&text).find(|written| fold(written) == word).map(str::to_owned)
}

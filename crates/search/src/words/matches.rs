//! Which words of a skill answer those of a question, and where they stand.

use std::collections::BTreeMap;

use super::{
    build::language_of,
    document::SearchDocument,
    factor::count,
    index::{SearchIndex, other_forms, term_of},
    lengths::FieldNumbers,
    query::{QueryWord, TermWeight},
    word_forms::forms,
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
    let mut lengths = FieldNumbers::default();
    let counted = SearchField::ALL.map(|field| {
        let mut counted = BTreeMap::<String, usize>::new();
        for text in skill.texts(field) {
            let folded = fold(text);
            for word in words(&folded) {
                *counted.entry(word.to_owned()).or_default() += 1;
                if term_of(index.steps, word, language, field).is_some_and(|(_, is_stop_word)| !is_stop_word) {
                    lengths.add(field, index.steps.spacing(word), 1.0);
                }
            }
            for form in other_forms(&folded, field) {
                *counted.entry(form).or_default() += 1;
            }
        }
        counted
    });
    let worths = lengths.worths(&index.mean_lengths);
    for (field, counted) in SearchField::ALL.into_iter().zip(counted) {
        for (form, times) in counted {
            let Some((term, _)) = term_of(index.steps, &form, language, field) else { continue };
            let worth = worths.get(field, index.steps.spacing(&form)) * count(times);
            let asking = index.terms.find(&term).and_then(|term| asking.get(&term));
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
    forms(&text).find(|written| fold(written.word) == word).map(|written| written.word.to_owned())
}

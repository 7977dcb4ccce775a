//! How many words the fields of skills have, and what an occurrence of a word is worth by that.
//!
//! A text in two scripts, of which one has no spaces between words, is two texts here. A Chinese one has more than twice as many pairs of
//! characters as an English one has words, and beside them the names and commands in it would count for half.

use super::{document::worth, word_split::Spacing};
use skillmount_wire::SearchField;

/// Two numbers for each field: for the words of scripts with spaces, and for all other words. The numbers are lengths,
/// mean lengths, or the worth of an occurrence.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct FieldNumbers([[f32; Spacing::ALL.len()]; SearchField::ALL.len()]);

impl FieldNumbers {
    fn from_fn(number: impl Fn(SearchField, Spacing) -> f32) -> Self {
        Self(SearchField::ALL.map(|field| Spacing::ALL.map(|spacing| number(field, spacing))))
    }

    /// The means over the `lengths` of skills. Each mean is over the skills with such words.
    pub(super) fn means<'a, L: Iterator<Item = &'a Self>>(lengths: impl Fn() -> L) -> Self {
        Self::from_fn(|field, spacing| {
            let own = lengths().map(|one| one.get(field, spacing)).filter(|length| *length > 0.0);
            let (sum, having) = own.fold((0.0, 0.0_f32), |(sum, having), length| (sum + length, having + 1.0));
            sum / having.max(1.0)
        })
    }

    /// The worth of one occurrence in a skill of these lengths.
    pub(super) fn worths(&self, means: &Self) -> Self {
        Self::from_fn(|field, spacing| worth(field, self.get(field, spacing), means.get(field, spacing)))
    }

    /// The number for these words.
    pub(super) fn get(&self, field: SearchField, spacing: Spacing) -> f32 {
        let of_field = self.0.get(field as usize);
        of_field.and_then(|of_field| of_field.get(spacing as usize)).copied().unwrap_or_default()
    }

    /// Counts `more` words.
    pub(super) fn add(&mut self, field: SearchField, spacing: Spacing, more: f32) {
        let of_field = self.0.get_mut(field as usize);
        if let Some(number) = of_field.and_then(|of_field| of_field.get_mut(spacing as usize)) {
            *number += more;
        }
    }
}

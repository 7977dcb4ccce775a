//! The weight of each term for each skill.

use super::{index::Posting, lengths::FieldNumbers, score::saturated, word_split::Spacing};
use skillmount_wire::SearchField;

/// A term in a field, and how it is written: `term * 32 + has_length * 16 + spacing * 8 + field`. There is one for each word of each
/// document, so it is small; a catalog has fewer words than a hundred million.
pub(super) type TermUse = u32;

/// A document as terms.
pub(super) struct DocumentTerms {
    /// The terms of its words, in the order of its fields.
    pub(super) found: Box<[TermUse]>,
    pub(super) lengths: FieldNumbers,
}

/// BM25F: the occurrences of a term in a document are added up over its fields, each with the weight and length
/// normalisation of the field. Only the sum saturates. Returns the postings of all terms, in the order of their `places`, and
/// the end of each term's.
pub(super) fn strengths<E>(
    documents: &[DocumentTerms],
    places: &[u32],
    mean_lengths: FieldNumbers,
    mut go_on: impl FnMut() -> Result<(), E>,
) -> Result<(Vec<Posting>, Vec<u32>), E> {
    let place = |term: u32| places.get(term as usize).copied().unwrap_or_default();
    let mut sums = Sums { of: vec![0.0; places.len()], touched: Vec::new() };
    let (mut next, end) = beginnings(documents, place, &mut sums);
    let mut postings = vec![Posting { document: 0, strength: 0.0 }; end as usize];
    for (document, DocumentTerms { found, lengths }) in (0_u32..).zip(documents) {
        go_on()?;
        let worths = lengths.worths(&mean_lengths);
        for TermPlace { term, field, spacing, .. } in found.iter().filter_map(|one| parts(*one)) {
            sums.add(place(term), worths.get(field, spacing));
        }
        for (place, sum) in sums.take() {
            let Some(next) = next.get_mut(place as usize) else { continue };
            if let Some(posting) = postings.get_mut(*next as usize) {
                *posting = Posting { document, strength: saturated(sum) };
            }
            *next += 1;
        }
    }
    // After the last posting of a term, its next place is the beginning of the next term.
    Ok((postings, next))
}

/// Where the postings of each term begin, in the order of places, and where the last ones end.
fn beginnings(documents: &[DocumentTerms], place: impl Fn(u32) -> u32, sums: &mut Sums) -> (Vec<u32>, u32) {
    let mut held = vec![0_u32; sums.of.len()];
    for document in documents {
        for TermPlace { term, .. } in document.found.iter().filter_map(|one| parts(*one)) {
            sums.add(place(term), 1.0);
        }
        for (place, _) in sums.take() {
            if let Some(held) = held.get_mut(place as usize) {
                *held += 1;
            }
        }
    }
    let mut end = 0;
    for held in &mut held {
        (*held, end) = (end, end + *held);
    }
    (held, end)
}

/// The sums of the words of one document, by the places of their terms. The sums are cleared after each document, so
/// that no document costs a look at every term.
struct Sums {
    of: Vec<f32>,
    /// The places that something was added to.
    touched: Vec<u32>,
}

impl Sums {
    /// Adds something, which is more than nothing.
    fn add(&mut self, place: u32, worth: f32) {
        let Some(sum) = self.of.get_mut(place as usize) else { return };
        if *sum == 0.0 {
            self.touched.push(place);
        }
        *sum += worth;
    }

    /// The sums of a document, after which there are none.
    fn take(&mut self) -> impl Iterator<Item = (u32, f32)> {
        let Self { of, touched } = self;
        touched.drain(..).filter_map(|place| Some((place, std::mem::take(of.get_mut(place as usize)?))))
    }
}

/// An occurrence of a term.
#[derive(Clone, Copy)]
pub(super) struct TermPlace {
    pub(super) term: u32,
    pub(super) field: SearchField,
    pub(super) spacing: Spacing,
    /// Whether it is part of the length of the field: stop words and further forms of a word are not.
    pub(super) has_length: bool,
}

pub(super) fn whole(place: TermPlace) -> TermUse {
    let TermPlace { term, field, spacing, has_length } = place;
    term * 32 + TermUse::from(has_length) * 16 + spacing as TermUse * 8 + field as TermUse
}

pub(super) fn parts(found: TermUse) -> Option<TermPlace> {
    let field = *SearchField::ALL.get(usize::try_from(found % 8).ok()?)?;
    let spacing = *Spacing::ALL.get(usize::try_from(found / 8 % 2).ok()?)?;
    Some(TermPlace { term: found / 32, field, spacing, has_length: found / 16 % 2 == 1 })
}

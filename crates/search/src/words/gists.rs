//! The gists of the skills of an index, a vector in bytes for each.

use super::word_vectors::NUMBERS;
use crate::words::{NUMBERS_PER_STEP, QuantizedVector, length};

/// The gists of skills, in their order.
#[derive(Debug, Default)]
pub(super) struct Gists {
    numbers: Vec<i8>,
    /// Those of the vectors; 0 for a skill no word of which has one.
    lengths: Vec<f32>,
}

impl Gists {
    /// Those with the directions of these sums.
    pub(super) fn from_sums(sums: &[[f32; NUMBERS]]) -> Self {
        let mut numbers = Vec::with_capacity(sums.len() * NUMBERS);
        for sum in sums {
            match QuantizedVector::quantize(sum) {
                Some(gist) => numbers.extend(gist.numbers),
                None => numbers.extend([0; NUMBERS]),
            }
        }
        let lengths = numbers.chunks_exact(NUMBERS).map(length).collect();
        Self { numbers, lengths }
    }

    /// The cosine of the angle between the gist of a skill and that of a question; 0 if it is negative, or the skill has none.
    pub(super) fn cosine(&self, skill: usize, question: &QuantizedVector) -> f32 {
        let (numbers, length) = (self.numbers.chunks_exact(NUMBERS).nth(skill), self.lengths.get(skill));
        let cosine = numbers.zip(length).map(|(numbers, length)| question.cosine(numbers, *length));
        cosine.unwrap_or_default().clamp(0.0, 1.0)
    }

    /// The steps that it takes to add or to compare so many vectors.
    pub(super) fn steps(vectors: usize) -> usize {
        vectors * NUMBERS.div_ceil(NUMBERS_PER_STEP)
    }

    pub(super) fn memory_bytes(&self) -> usize {
        self.numbers.capacity() + size_of::<f32>() * self.lengths.capacity()
    }
}

//! The vectors of one layer's skills.

use std::collections::BTreeMap;

use crate::{
    catalog::CatalogEntry,
    path::{ETag, SkillPath},
    words::{QuantizedVector, length},
};

/// The vectors of a layer: an immutable value, replaced whole.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::catalog) struct LayerVectors {
    /// The encoder that made them.
    pub(super) encoder: String,
    /// The mean cosine that the encoder gives to unrelated texts, in ten-thousandths.
    pub(super) background: i32,
    /// How many numbers a vector has.
    pub(super) dimensions: usize,
    /// In byte order of the skills.
    pub(super) skills: Vec<EncodedSkill>,
    /// The vectors, one after the other in the order of the skills.
    pub(super) numbers: Vec<i8>,
    pub(super) lengths: Vec<f32>,
}

/// A skill that has a vector.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(super) struct EncodedSkill {
    pub(super) skill: SkillPath,
    /// The version of SKILL.md that was encoded.
    pub(super) etag: ETag,
}

impl LayerVectors {
    /// The vectors of an encoder with this background. All of `directions` have `dimensions` numbers.
    pub(super) fn new(
        encoder: &str,
        background: i32,
        dimensions: usize,
        directions: BTreeMap<SkillPath, (ETag, Box<[i8]>)>,
    ) -> Self {
        let mut made = Self {
            encoder: encoder.to_owned(),
            background,
            dimensions,
            skills: Vec::with_capacity(directions.len()),
            numbers: Vec::with_capacity(directions.len() * dimensions),
            lengths: Vec::with_capacity(directions.len()),
        };
        for (skill, (etag, numbers)) in directions {
            made.lengths.push(length(&numbers));
            made.numbers.extend_from_slice(&numbers);
            made.skills.push(EncodedSkill { skill, etag });
        }
        made
    }

    /// The place of the vector of this version of a skill.
    pub(super) fn place(&self, entry: &CatalogEntry) -> Option<usize> {
        let at = self.skills.binary_search_by(|known| known.skill.cmp(&entry.skill)).ok()?;
        self.skills.get(at).filter(|known| known.etag == entry.etag).map(|_| at)
    }

    /// The vector at `place`.
    pub(super) fn numbers(&self, place: usize) -> &[i8] {
        let from = place.saturating_mul(self.dimensions);
        self.numbers.get(from..from.saturating_add(self.dimensions)).unwrap_or_default()
    }

    /// The cosine of the angle between the vector at `place` and `question`.
    pub(super) fn cosine(&self, place: usize, question: &QuantizedVector) -> f32 {
        question.cosine(self.numbers(place), self.lengths.get(place).copied().unwrap_or_default())
    }

    /// The bytes that it takes.
    pub(super) fn memory_bytes(&self) -> usize {
        let names: usize = self
            .skills
            .iter()
            .map(|one| one.skill.as_str().len() + one.etag.as_str().len() + 4 * size_of::<usize>())
            .sum();
        names
            + self.skills.capacity() * size_of::<EncodedSkill>()
            + self.numbers.capacity()
            + self.lengths.capacity() * size_of::<f32>()
    }
}

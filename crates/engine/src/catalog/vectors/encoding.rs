//! Encoding the skills of one layer, a few at a time.
//!
//! One skill does not keep the others from their vectors: if the encoder refuses a few together, or fails twice at the
//! same few while it takes another text, it is asked about each alone. A skill that the encoder does not take alone
//! gets a vector without a direction. Such a skill is tried again when it changes.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use tokio::time::{sleep, timeout};

use super::{
    knowledge::EncoderTraits,
    layer::LayerVectors,
    pace::EncodingPriority,
    skill_text::skill_text,
    vector_store::{KeptVectors, VectorStore},
};
use crate::{
    catalog::CatalogEntry,
    encoder::{EncoderError, TextRole},
    limits::{ENCODED_AT_ONCE, ENCODER_DELAY, ENCODER_DELAYS, VECTORS_SAVED_EVERY},
    path::{ETag, LayerOwner, ObjectKey, SkillPath},
    words::QuantizedVector,
};

/// The vectors so far, by skill, with the version of its SKILL.md.
pub(super) type VectorsBySkill = BTreeMap<SkillPath, (ETag, Box<[i8]>)>;

/// The encoding of one layer's skills.
pub(super) struct Encoding<'a> {
    pub(super) meanings: &'a VectorStore,
    pub(super) key: &'a ObjectKey,
    pub(super) owner: &'a LayerOwner,
    pub(super) kept: &'a Arc<KeptVectors>,
    pub(super) kind: EncoderTraits,
    pub(super) made: VectorsBySkill,
    /// How many of them are made since they were last kept.
    pub(super) unsaved: usize,
}

impl Encoding<'_> {
    pub(super) async fn encode_all(
        &mut self,
        missing: &[&Arc<CatalogEntry>],
        pace: EncodingPriority<'_>,
    ) -> Result<(), EncoderError> {
        let all = self.made.len() + missing.len();
        for entries in missing.chunks(ENCODED_AT_ONCE) {
            let clock = &self.meanings.clock;
            let began = clock.uptime();
            self.encode_patiently(entries, pace).await?;
            if self.unsaved >= VECTORS_SAVED_EVERY {
                self.keep().await;
            }
            match pace {
                EncodingPriority::Behind => sleep(clock.uptime().saturating_sub(began)).await,
                EncodingPriority::Awaited { told, .. } => told(self.made.len(), all),
            }
        }
        Ok(())
    }

    /// Encodes some skills. An encoder that is busy is asked again after its delay, as long as the catalog or a caller needs them.
    async fn encode_patiently(
        &mut self,
        entries: &[&Arc<CatalogEntry>],
        pace: EncodingPriority<'_>,
    ) -> Result<(), EncoderError> {
        let mut waited = Duration::ZERO;
        loop {
            let encoded = match pace.time_left(self.meanings) {
                None => self.encode(entries).await,
                Some(left) => timeout(left, self.encode(entries)).await.unwrap_or_else(|_| Err(too_slow())),
            };
            let Err(error) = encoded else { return Ok(()) };
            let Some(delay) = error.delay().map(|delay| delay.min(ENCODER_DELAY)) else { return Err(error) };
            waited += delay;
            let is_late = pace.time_left(self.meanings).is_some_and(|left| delay >= left);
            // The catalog holds the vectors too, until it is forgotten.
            let is_forgotten = matches!(pace, EncodingPriority::Behind) && Arc::strong_count(self.kept) == 1;
            if waited > ENCODER_DELAYS || is_late || is_forgotten {
                return Err(error);
            }
            if self.unsaved > 0 {
                self.keep().await;
            }
            sleep(delay).await;
        }
    }

    /// Encodes some skills, each alone if the encoder does not take them together.
    pub(super) async fn encode(&mut self, entries: &[&Arc<CatalogEntry>]) -> Result<(), EncoderError> {
        match self.vectors(entries).await {
            Ok(vectors) => {
                entries.iter().zip(vectors).for_each(|(entry, vector)| self.add(entry, &vector));
                return Ok(());
            }
            Err(error) => {
                let is_at_fault = error.delay().is_none()
                    && entries.first().is_some_and(|first| self.kept.stumbles_together(&first.skill, &first.etag));
                if !(error.is_refusal() || is_at_fault) {
                    return Err(error);
                }
            }
        }
        // An encoder that takes no text, for example because its key has expired, says nothing about a skill.
        self.meanings.probe().await?;
        for entry in entries {
            self.encode_alone(entry).await?;
        }
        Ok(())
    }

    async fn encode_alone(&mut self, entry: &Arc<CatalogEntry>) -> Result<(), EncoderError> {
        let error = match self.vectors(&[entry]).await {
            Ok(vectors) => {
                for vector in &vectors {
                    self.add(entry, vector);
                }
                return Ok(());
            }
            Err(error) => error,
        };
        if !error.is_refusal() {
            if error.delay().is_some() {
                return Err(error);
            }
            // A text at which the encoder breaks down leaves it away for a while. It is at fault if that happens twice.
            if !self.kept.stumbles_alone(&entry.skill, &entry.etag) {
                self.meanings.probe().await?;
            }
        }
        let (skill, error) = (&entry.skill, error.chain());
        tracing::warn!(%skill, error, "a skill is found by its words alone, because the encoder does not take it");
        self.add(entry, &[]);
        Ok(())
    }

    async fn vectors(&self, entries: &[&Arc<CatalogEntry>]) -> Result<Vec<Vec<f32>>, EncoderError> {
        let texts: Vec<_> = entries.iter().map(|entry| skill_text(entry)).collect();
        let vectors = self.meanings.encoder.encode(texts, TextRole::Skill).await?;
        if vectors.len() != entries.len() {
            let message = format!("it gave {} vectors for {} texts", vectors.len(), entries.len());
            return Err(EncoderError::new(message).of_these_texts());
        }
        if let Some(other) = vectors.iter().find(|vector| vector.len() != self.kind.dimensions) {
            self.meanings.doubt();
            let message = format!("it gave a vector of {} numbers, and not {}", other.len(), self.kind.dimensions);
            return Err(EncoderError::new(message));
        }
        Ok(vectors)
    }

    /// Adds the vector of a skill. One without a direction is near to nothing.
    fn add(&mut self, entry: &CatalogEntry, vector: &[f32]) {
        let none = || vec![0; self.kind.dimensions].into();
        let numbers = QuantizedVector::quantize(vector).map_or_else(none, |one| one.numbers);
        self.made.insert(entry.skill.clone(), (entry.etag.clone(), numbers));
        self.unsaved += 1;
    }

    pub(super) fn vectors_so_far(&self) -> LayerVectors {
        let (EncoderTraits { background, dimensions }, made) = (self.kind, self.made.clone());
        LayerVectors::new(self.meanings.encoder.identity(), background, dimensions, made)
    }

    /// Keeps the vectors so far, so that no failure loses them.
    pub(super) async fn keep(&mut self) {
        self.unsaved = 0;
        let vectors = self.vectors_so_far();
        self.kept.replace(vectors.clone());
        self.meanings.save(self.key, self.owner, vectors).await;
    }
}

/// The failure of an encoder that is waited for no longer.
pub(super) fn too_slow() -> EncoderError {
    EncoderError::new("it takes too long")
}

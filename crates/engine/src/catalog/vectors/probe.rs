//! Checks whether an encoder answers, and whether it still makes the same vectors as before.
//!
//! The identity of an encoder on a server is its address and the name of its model, and the model behind them may
//! change. So each process compares vectors from the bucket once with new vectors of the encoder. The process compares
//! again in doubt: when a vector has another number of dimensions.

use super::{
    background::{background, unrelated_skill},
    knowledge::EncoderTraits,
    layer::LayerVectors,
    skill_text::skill_text,
    vector_store::{KeptVectors, VectorStore},
};
use crate::{
    catalog::view::CatalogView,
    encoder::{EncoderError, TextRole},
    limits::VECTOR_DIMENSIONS,
    words::QuantizedVector,
};

/// From this cosine on, two vectors of a text come from the same model: the rest is rounding.
const SAME: f32 = 0.9;
/// Skills that are tried until the encoder takes one.
const WITNESSES: usize = 3;

impl VectorStore {
    /// Notes that the encoder makes vectors of another size than it did. All that are known are compared with it again.
    pub(in crate::catalog) fn doubt(&self) {
        self.knowledge.doubt(self.clock.uptime());
    }

    /// Whether the encoder takes a text now.
    pub(super) async fn probe(&self) -> Result<(), EncoderError> {
        self.encoder.encode(vec![unrelated_skill()], TextRole::Skill).await.map(drop)
    }

    /// The common traits of the encoder's vectors, measured once.
    pub(super) async fn kind(&self) -> Result<EncoderTraits, EncoderError> {
        if let Some(kind) = self.knowledge.kind() {
            return Ok(kind);
        }
        let doubts = self.knowledge.doubts();
        let (background, dimensions) = background(&*self.encoder).await?;
        if !(1..=VECTOR_DIMENSIONS).contains(&dimensions) {
            return Err(EncoderError::new(format!(
                "its vectors have {dimensions} numbers, and not 1 to {VECTOR_DIMENSIONS}"
            )));
        }
        let kind = EncoderTraits { background, dimensions };
        self.knowledge.measured(kind, doubts);
        Ok(kind)
    }

    /// Whether `view` is known to have too many skills for vectors of this encoder.
    pub(super) fn is_too_large(&self, view: &CatalogView, kept: &KeptVectors) -> bool {
        let kind = kept.cached().map(|known| EncoderTraits::from_layer(&known)).or_else(|| self.knowledge.kind());
        kind.is_some_and(|kind| kind.is_too_large_for(view))
    }

    /// Whether the known vectors of a layer are such as the encoder makes. If not they are forgotten, so that they are made again.
    pub(super) async fn trusts(&self, kept: &KeptVectors, view: &CatalogView) -> Result<bool, EncoderError> {
        let _turn = kept.turn_of_trust.lock().await;
        let doubts = self.knowledge.doubts();
        let Some(known) = kept.cached() else { return Ok(false) };
        if kept.is_trusted(doubts) {
            return Ok(true);
        }
        let is_same = self.makes_such(&known, view).await?;
        if is_same {
            kept.trust(doubts);
        } else {
            let encoder = self.encoder.identity();
            tracing::warn!(encoder, "the encoder is another than the one that made the vectors: they are made again");
            kept.forget();
        }
        Ok(is_same)
    }

    /// Has the encoder encode a skill whose vector is known, and compares the two.
    async fn makes_such(&self, known: &LayerVectors, view: &CatalogView) -> Result<bool, EncoderError> {
        let witnesses = view.entries.iter().filter_map(|entry| {
            let place = known.place(entry)?;
            known.lengths.get(place).is_some_and(|length| *length > 0.0).then_some((entry, place))
        });
        for (entry, place) in witnesses.take(WITNESSES) {
            match self.encoder.encode(vec![skill_text(entry)], TextRole::Skill).await {
                Ok(vectors) => {
                    if let Some(made) = vectors.first().and_then(|vector| QuantizedVector::quantize(vector)) {
                        return Ok(made.numbers.len() == known.dimensions && known.cosine(place, &made) >= SAME);
                    }
                }
                Err(error) if !error.is_refusal() => return Err(error),
                // An encoder whose key does not hold any more is not another one.
                Err(_) => self.probe().await?,
            }
        }
        // There is none to compare, but the size.
        Ok(self.kind().await?.dimensions == known.dimensions)
    }
}

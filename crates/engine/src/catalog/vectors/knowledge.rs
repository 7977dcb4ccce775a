//! The knowledge of a process about its encoder: the common traits of all vectors, and the number of doubts.

use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use super::layer::LayerVectors;
use crate::{
    catalog::view::CatalogView,
    limits::{ENCODER_REST, VECTORS_BYTES},
};

/// The common traits of all vectors of an encoder.
#[derive(Clone, Copy, Debug)]
pub(super) struct EncoderTraits {
    pub(super) background: i32,
    pub(super) dimensions: usize,
}

impl EncoderTraits {
    pub(super) fn from_layer(vectors: &LayerVectors) -> Self {
        Self { background: vectors.background, dimensions: vectors.dimensions }
    }

    pub(super) fn is_too_large_for(self, view: &CatalogView) -> bool {
        view.entries.len().saturating_mul(self.dimensions) > VECTORS_BYTES
    }
}

/// The knowledge of this process about the encoder's kind.
#[derive(Clone, Debug, Default)]
pub(super) struct Knowledge(Arc<Mutex<VectorState>>);

#[derive(Debug, Default)]
struct VectorState {
    /// How often the encoder was doubted.
    doubts: u64,
    /// The uptime before which it is not doubted again.
    settled_until: Duration,
    kind: Option<EncoderTraits>,
}

impl Knowledge {
    /// How often the encoder was doubted. Vectors that were compared since then need no new comparison.
    pub(super) fn doubts(&self) -> u64 {
        self.known().doubts
    }

    /// The common traits of the encoder's vectors, if measured since the last doubt.
    pub(super) fn kind(&self) -> Option<EncoderTraits> {
        self.known().kind
    }

    pub(super) fn doubt(&self, now: Duration) {
        let mut known = self.known();
        if now >= known.settled_until {
            *known = VectorState { doubts: known.doubts + 1, settled_until: now + ENCODER_REST, kind: None };
        }
    }

    pub(super) fn measured(&self, kind: EncoderTraits, doubts: u64) {
        let mut known = self.known();
        if known.doubts == doubts {
            known.kind = Some(kind);
        }
    }

    fn known(&self) -> MutexGuard<'_, VectorState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

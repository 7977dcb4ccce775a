//! What a process knows of its encoder: what all its vectors have in common, and how often it was doubted.

use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use super::layer::LayerVectors;
use crate::{
    catalog::view::CatalogView,
    limits::{ENCODER_REST, VECTORS_BYTES},
};

/// What all vectors of an encoder have in common.
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

/// What this process knows of the encoder's kind.
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
    /// How often the encoder was doubted. What was compared with it since then need not be compared again.
    pub(super) fn doubts(&self) -> u64 {
        self.known().doubts
    }

    /// What the encoder's vectors have in common, if that was measured since the last doubt.
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

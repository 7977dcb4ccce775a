//! The meaning of skills: vectors that an encoder made of them.
//!
//! The vectors of a layer lie in one object beside its index. They are derived: if the object is deleted, damaged or of
//! another encoder, it counts as absent, and they are made again. They are made behind the requests, one layer at a
//! time and at half the encoder's speed. A question waits only for the vectors of a few changed skills. A process that
//! ends with its answer waits too. Until each skill has its vector, the search is lexical.

mod background;
mod encoding;
mod format;
mod knowledge;
mod layer;
mod making;
mod meaning;
mod pace;
mod probe;
mod skill_text;
mod state;
#[cfg(test)]
mod tests;
mod vector_store;

pub use meaning::CatalogVectors;
pub(super) use pace::EncodingPriority;
pub use pace::EncodingProgress;
pub use state::{StoredVectors, VectorsState};
pub(super) use vector_store::{KeptVectors, VectorStore};

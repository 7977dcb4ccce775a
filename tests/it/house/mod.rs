//! The house: its rooms and doors, its documents, what it offers, and the limits it states.

mod adapters;
mod architecture;
mod circles;
mod decisions;
mod documents;
mod fixtures;
mod glossary;
mod limits;
mod process;
mod prose;
mod public_api;
mod readability;
mod rust_docs;
mod semantics;
mod sentences;
mod shape;

//! Catalogs: discovery, its index, layers, search, and skills that cannot be read.

mod discover;
mod discovery;
mod embeddings;
#[cfg(feature = "encoder")]
mod encoders;
mod every_word;
mod explained;
mod feedback;
mod feedback_month;
mod index;
mod languages;
mod layers;
mod long_messages;
pub(crate) mod meaning;
mod sabotage;
mod unreadable;

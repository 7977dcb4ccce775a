//! Catalogs: discovery, its index, layers, search, and skills that cannot be read.

mod discover;
mod discovery;
mod explained;
mod index;
mod layers;
mod meaning;
mod sabotage;
mod unreadable;

//! What skills a user has, own and shared: read from the bucket by the service, never by an agent's file operations.
//!
//! A catalog is an immutable value, replaced whole. What tells an unchanged skill from a changed one is the `ETag` of its
//! SKILL.md, so keeping a catalog current costs one listing and the files that changed.

mod categories;
mod change;
mod discover;
mod entry;
mod index;
mod kept;
mod layers;
mod layout;
mod outlook;
mod refresh;
mod registry;
mod saved;
pub mod search;
mod slot;
mod unreadable;
mod weight;

pub use categories::Categories;
pub use change::{CatalogChange, Difference};
pub use discover::{Discovery, discover};
pub use entry::{CatalogDiagnostic, CatalogEntry, CatalogView};
pub use layers::Audience;
pub use outlook::Searchable;
pub use refresh::Refreshed;
pub use registry::Catalogs;
pub use saved::IndexState;
pub use unreadable::why_unreadable;

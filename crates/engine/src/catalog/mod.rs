//! The skills of a user, own and shared. The service reads them from the bucket; an agent's file operations never do.
//!
//! A catalog is an immutable value, replaced whole. The `ETag` of a SKILL.md shows whether a skill changed, so keeping
//! a catalog current costs one listing and the files that changed.

mod cache;
mod categories;
mod change;
mod discover;
mod duplicates;
mod entry;
mod forget;
mod index;
mod known_tag;
mod layers;
mod layout;
mod outlook;
mod reading;
mod refresh;
mod registry;
mod saved;
mod searching;
mod slot;
mod studio;
mod unreadable;
mod vectors;
mod view;
mod weight;

pub use categories::Categories;
pub use change::{CatalogChange, Difference};
pub use discover::{Discovery, discover};
pub use entry::{CatalogDiagnostic, CatalogEntry};
pub use layers::Audience;
pub use outlook::Searchable;
pub use refresh::RefreshResult;
pub use registry::Catalogs;
pub use saved::IndexState;
pub use unreadable::why_unreadable;
pub use vectors::{CatalogVectors, StoredVectors, Told, VectorsState};
pub use view::CatalogView;

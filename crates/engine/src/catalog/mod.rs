//! The skills of a user, own and shared. The service reads them from the bucket; an agent's file operations never do.
//!
//! A catalog is an immutable value, replaced whole. The `ETag` of a SKILL.md shows whether a skill changed, so keeping
//! a catalog current costs one listing and the files that changed.

mod audience_view;
mod cache;
mod catalog_json;
mod categories;
mod change;
mod discover;
mod duplicates;
mod entry;
mod index_builder;
mod layer_state;
mod layers;
mod layout;
mod persisted;
mod reading;
mod refresh;
mod registry;
mod searching;
mod unreadable;
mod vectors;
mod view;
mod weight;

pub use audience_view::Searchable;
pub use categories::Categories;
pub use change::{CatalogChange, Difference};
pub use discover::{Discovery, discover};
pub use entry::{CatalogDiagnostic, CatalogEntry};
pub use layers::Audience;
pub use persisted::IndexState;
pub use refresh::RefreshResult;
pub use registry::Catalogs;
pub use unreadable::why_unreadable;
pub use vectors::{CatalogVectors, EncodingProgress, StoredVectors, VectorsState};
pub use view::CatalogView;

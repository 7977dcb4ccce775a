//! What skills a user has: read from the bucket by the service, never by an agent's file operations.

mod entry;
pub mod search;

pub use entry::{CatalogDiagnostic, CatalogEntry, CatalogView, Layer};

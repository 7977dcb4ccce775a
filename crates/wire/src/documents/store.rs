//! The documents about the store below the skills: the stored state of a catalog, and checks of the store.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// What the catalog of a user contains, and what the store keeps of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct CatalogStatus {
    /// How many skills there are.
    pub skills: usize,
    /// Findings that leave a skill out.
    pub errors: usize,
    /// Findings that a skill survives.
    pub warnings: usize,
    /// When the skills were read.
    #[schema(value_type = String, format = DateTime)]
    pub as_of: Timestamp,
    /// The `catalog.json`, if there is one. Null for a key of an agent.
    pub index: Option<IndexStatus>,
}

/// A `catalog.json` in the store.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct IndexStatus {
    /// Its key.
    pub key: String,
    /// Its size in bytes.
    pub size: u64,
    /// When it was written, by the store's clock.
    #[schema(value_type = String, format = DateTime)]
    pub modified_at: Timestamp,
    /// The time since then.
    pub age_seconds: u64,
    /// When the skills in it were read; null if it is not used.
    #[schema(value_type = Option<String>, format = DateTime)]
    pub as_of: Option<Timestamp>,
    /// Why it is not used.
    pub problem: Option<String>,
}

/// How one check of a store went.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct StoreCheck {
    /// What was checked.
    pub name: String,
    /// How it went.
    pub status: CheckStatus,
    /// What was found.
    pub detail: String,
    /// The fix.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fix: Option<String>,
}

impl StoreCheck {
    /// A check of `name` that found nothing wrong.
    #[must_use]
    pub fn passed(name: &str, detail: impl Into<String>) -> Self {
        Self { name: name.to_owned(), status: CheckStatus::Ok, detail: detail.into(), fix: None }
    }
}

/// The outcome of a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum CheckStatus {
    /// Nothing is wrong.
    Ok,
    /// It works, and something should be fixed.
    Warn,
    /// It does not work.
    Fail,
}

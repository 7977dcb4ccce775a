//! What the authors of skills do, on any surface: list and read the files of stored skills, push new versions of them,
//! and look after the catalog.
//!
//! A surface gives plain data, and words the typed answers for its readers.

mod catalog_state;
mod lint;
mod pull;
mod push;
mod stored;

pub use lint::{lint_content, lint_skill};
pub use pull::PulledFile;
pub use push::{PushListing, PushPlan, SkillSource};
pub use stored::{StoredFile, StoredSkill, StoredSkills};

use crate::{
    error::Result,
    path::ObjectKey,
    store::{GetOptions, Object, SharedStore, StoreError},
};

/// The whole object; `None` if it is gone.
async fn fetch(store: &SharedStore, key: &ObjectKey) -> Result<Option<Object>> {
    match store.get(key, GetOptions::default()).await {
        Ok(object) => Ok(Some(object)),
        Err(StoreError::NotFound) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

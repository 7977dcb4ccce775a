//! The contents of a user's catalog, and its stored index.

use std::time::Duration;

use jiff::Timestamp;

use super::Authoring;
use crate::{
    catalog::{CatalogView, IndexState, discover},
    context::Core,
    error::Result,
    path::{Id, SkillPath, UserSpace},
    skill::Severity,
    wire::{CatalogStatus, IndexStatus, Policy},
};

impl Authoring {
    /// Reads every skill of the user and says how many there are, and what the store keeps of them. Changes nothing.
    ///
    /// # Errors
    /// The store's.
    pub async fn catalog_status(&self, user: &Id) -> Result<CatalogStatus> {
        let space = self.core.namespace().user(user)?;
        let discovery = discover(&**self.core.store(), &space, &**self.core.clock(), None).await?;
        status_of(&self.core, &space, discovery.view()).await
    }

    /// As [`catalog_status`](Self::catalog_status), for an agent. Omits skills that `policy`, the user's, hides, and the stored
    /// index.
    ///
    /// # Errors
    /// The store's.
    pub async fn visible_catalog_status(&self, user: &Id, policy: &Policy) -> Result<CatalogStatus> {
        let space = self.core.namespace().user(user)?;
        let discovery = discover(&**self.core.store(), &space, &**self.core.clock(), None).await?;
        let view = discovery.view();
        let is_shown = |skill: &str| SkillPath::parse(skill).is_ok_and(|skill| policy.skill(&skill).is_visible());
        let found = view.diagnostics.iter().filter(|found| is_shown(&found.skill));
        let skills = view.entries.iter().filter(|entry| policy.skill(&entry.skill).is_visible()).count();
        Ok(counted(skills, found.map(|found| found.diagnostic.severity), view.as_of))
    }

    /// Deletes what the store keeps of the user's catalog and reads every skill again.
    ///
    /// # Errors
    /// The store's.
    pub async fn rebuild_catalog(&self, user: &Id) -> Result<CatalogStatus> {
        let view = self.core.catalogs().rebuild(user).await?;
        status_of(&self.core, &self.core.namespace().user(user)?, &view).await
    }
}

async fn status_of(core: &Core, space: &UserSpace, view: &CatalogView) -> Result<CatalogStatus> {
    let index = IndexState::read(&**core.store(), space).await?.map(|found| {
        // A clock that runs behind the store's makes what was written just now no older than that.
        let age = Duration::try_from(core.clock().now().duration_since(found.modified_at)).unwrap_or_default();
        IndexStatus {
            key: found.key.to_string(),
            size: found.size,
            modified_at: found.modified_at,
            age_seconds: age.as_secs(),
            as_of: found.as_of.as_ref().ok().copied(),
            problem: found.as_of.err(),
        }
    });
    let found = view.diagnostics.iter().map(|found| found.diagnostic.severity);
    Ok(CatalogStatus { index, ..counted(view.entries.len(), found, view.as_of) })
}

/// The counts of skills and of findings of these severities.
fn counted(skills: usize, found: impl Iterator<Item = Severity>, as_of: Timestamp) -> CatalogStatus {
    let (errors, warnings): (Vec<_>, Vec<_>) = found.partition(|severity| *severity == Severity::Error);
    CatalogStatus { skills, errors: errors.len(), warnings: warnings.len(), as_of, index: None }
}

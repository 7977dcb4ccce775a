//! What the catalog of a user contains, and what the store keeps of it.

use std::time::Duration;

use crate::{
    backend::Service,
    catalog::{CatalogView, IndexState, discover},
    error::Result,
    path::{Id, UserSpace},
    skill::Severity,
    wire::{CatalogStatus, IndexStatus},
};

impl Service {
    /// Reads every skill of the user and says how many there are, and what the store keeps of them. Changes nothing.
    ///
    /// # Errors
    /// The store's.
    pub async fn catalog_status(&self, user: &Id) -> Result<CatalogStatus> {
        let space = self.namespace().user(user)?;
        let discovery = discover(&**self.store(), &space, &*self.shared.clock, None).await?;
        self.status_of(&space, discovery.view()).await
    }

    /// Deletes what the store keeps of the user's catalog and reads every skill again.
    ///
    /// # Errors
    /// The store's.
    pub async fn rebuild_catalog(&self, user: &Id) -> Result<CatalogStatus> {
        let view = self.catalogs().rebuild(user).await?;
        self.status_of(&self.namespace().user(user)?, &view).await
    }

    async fn status_of(&self, space: &UserSpace, view: &CatalogView) -> Result<CatalogStatus> {
        let index = IndexState::look(&**self.store(), space).await?.map(|found| {
            // A clock that runs behind the store's makes what was written just now no older than that.
            let age = Duration::try_from(self.shared.clock.now().duration_since(found.modified_at)).unwrap_or_default();
            IndexStatus {
                key: found.key.to_string(),
                size: found.size,
                modified_at: found.modified_at,
                age_seconds: age.as_secs(),
                as_of: found.as_of.as_ref().ok().copied(),
                problem: found.as_of.err(),
            }
        });
        let errors = view.diagnostics.iter().filter(|found| found.diagnostic.severity == Severity::Error).count();
        let warnings = view.diagnostics.len() - errors;
        Ok(CatalogStatus { skills: view.entries.len(), errors, warnings, as_of: view.as_of, index })
    }
}

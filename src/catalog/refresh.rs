//! Reading a catalog anew because somebody asks, and telling what became of it.

use std::sync::Arc;

use super::{
    change::Difference,
    entry::{CatalogEntry, CatalogView},
    layers::Audience,
    registry::Catalogs,
};
use crate::error::Result;

/// A new reading, beside what this process knew before.
#[derive(Clone, Debug)]
pub struct Refreshed {
    /// The catalog as it is now.
    pub view: Arc<CatalogView>,
    /// How it differs from what was known.
    pub difference: Difference,
}

impl Catalogs {
    /// Reads what `audience` sees anew. To a process that has read nothing yet, everything has changed.
    ///
    /// # Errors
    /// As [`view`](Self::view).
    pub async fn refresh(&self, audience: impl Into<Audience>) -> Result<Refreshed> {
        let audience = audience.into();
        let before = self.known_entries(&audience)?;
        let view = self.view(audience, true).await?;
        let difference = Difference::between(&before, &view.entries);
        Ok(Refreshed { view, difference })
    }

    /// What this process knows of the skills `audience` sees, layer by layer, the nearest first.
    fn known_entries(&self, audience: &Audience) -> Result<Vec<Arc<CatalogEntry>>> {
        let mut known = Vec::new();
        for (layer, _) in self.layers(audience)? {
            let view = self.known(audience.clone(), layer);
            known.extend(view.iter().flat_map(|view| &view.entries).cloned());
        }
        Ok(known)
    }
}

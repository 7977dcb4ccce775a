//! The owner of documents of skills.

use std::sync::Arc;

use crate::{
    context::{Caller, Core, catalog_policy},
    error::Result,
    path::Layer,
    wire::Policy,
};

/// The documents and files of skills, without a session. Cheap to clone.
///
/// ```
/// use std::sync::Arc;
///
/// use skillmount_base::{clock::SystemClock, path::Id};
/// use skillmount_engine::handle::{Service, ServiceOptions};
/// use skillmount_store::MemoryStore;
/// use skillmount_engine::content::DraftReader;
/// use skillmount_wire::{Policy, SkillListRequest};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> skillmount_base::Result<()> {
/// let store = Arc::new(MemoryStore::new());
/// store.put_raw("anna/skills/minutes/SKILL.md", "---\nname: minutes\ndescription: Writes minutes.\n---\nBegin.\n");
/// let service = Service::new(store, ServiceOptions::default(), Arc::new(SystemClock::new()));
/// let (anna, wanted) = (Id::parse("anna")?, SkillListRequest::default());
/// let page = service.library().list_skills(&anna, &Policy::default(), &wanted, DraftReader::Control).await?;
/// assert_eq!(page.skills.len(), 1);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Library {
    pub(super) core: Arc<Core>,
}

impl Library {
    pub(crate) fn new(core: Arc<Core>) -> Self {
        Self { core }
    }

    /// The policy for an agent's key on the routes of the catalog: the user's. A key for forks alone that may load no skills
    /// reads the skills that they have loaded.
    ///
    /// # Errors
    /// `object_damaged` if the policy or such a fork cannot be read; the store's.
    pub async fn catalog_policy(&self, caller: &Caller) -> Result<Arc<Policy>> {
        catalog_policy(&self.core, caller).await
    }

    /// Checks that skills of this layer are shown to callers.
    ///
    /// # Errors
    /// `invalid_request` for a layer of others if layers are off.
    pub fn check_layer(&self, layer: Layer) -> Result<()> {
        self.core.content().check_layer(layer)
    }
}

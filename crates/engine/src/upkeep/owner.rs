//! The owner of checks.

use std::sync::Arc;

use crate::context::Core;

/// Checks what is in the store. Cheap to clone.
///
/// ```
/// use std::sync::Arc;
///
/// use skillmount_base::{clock::SystemClock, path::Id};
/// use skillmount_engine::handle::{Service, ServiceOptions};
/// use skillmount_store::MemoryStore;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> skillmount_base::Result<()> {
/// let store = Arc::new(MemoryStore::new());
/// store.put_raw("anna/skills/minutes/SKILL.md", "---\nname: minutes\ndescription: Writes minutes.\n---\nBegin.\n");
/// let service = Service::new(store, ServiceOptions::default(), Arc::new(SystemClock::new()));
/// // `true` would also repair what is wrong.
/// let report = service.upkeep().check_user(&Id::parse("anna")?, false).await?;
/// assert!(report.clean && report.findings.is_empty());
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Upkeep {
    pub(super) core: Arc<Core>,
}

impl Upkeep {
    pub(crate) fn new(core: Arc<Core>) -> Self {
        Self { core }
    }
}

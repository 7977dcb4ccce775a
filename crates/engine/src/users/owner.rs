//! The owner of users.

use std::sync::Arc;

use crate::context::Core;

/// The users, and everything that one has. Cheap to clone.
///
/// ```
/// use std::sync::Arc;
///
/// use skillmount_base::{clock::SystemClock, path::Id};
/// use skillmount_engine::handle::{Service, ServiceOptions};
/// use skillmount_store::MemoryStore;
/// use skillmount_wire::UserListRequest;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> skillmount_base::Result<()> {
/// let store = Arc::new(MemoryStore::new());
/// store.put_raw("anna/skills/minutes/SKILL.md", "---\nname: minutes\ndescription: Writes minutes.\n---\nBegin.\n");
/// let service = Service::new(store, ServiceOptions::default(), Arc::new(SystemClock::new()));
/// let page = service.users().list_users(&UserListRequest::default()).await?;
/// assert_eq!((page.users.len(), page.next_cursor), (1, None));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Users {
    pub(super) core: Arc<Core>,
}

impl Users {
    pub(crate) fn new(core: Arc<Core>) -> Self {
        Self { core }
    }
}

//! The owner of users.

use std::sync::Arc;

use crate::context::Core;

/// The users, and everything that one has. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Users {
    pub(super) core: Arc<Core>,
}

impl Users {
    pub(crate) fn new(core: Arc<Core>) -> Self {
        Self { core }
    }
}

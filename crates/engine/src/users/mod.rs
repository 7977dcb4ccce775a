//! Users as a whole: the list of them, everything that one has as an archive, and sessions that are forgotten.

mod archive;
mod export;
mod forget;
mod list;

pub use export::Export;
pub(crate) use forget::forget_with_workspace;

use std::sync::Arc;

use crate::context::Core;

/// The users, and everything that one has. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Users {
    core: Arc<Core>,
}

impl Users {
    pub(crate) fn new(core: Arc<Core>) -> Self {
        Self { core }
    }
}

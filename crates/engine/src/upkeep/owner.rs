//! The owner of checks.

use std::sync::Arc;

use crate::context::Core;

/// Checks what is in the store. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Upkeep {
    pub(super) core: Arc<Core>,
}

impl Upkeep {
    pub(crate) fn new(core: Arc<Core>) -> Self {
        Self { core }
    }
}

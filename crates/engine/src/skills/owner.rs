//! The owner of documents of skills.

use std::sync::Arc;

use crate::{context::Core, error::Result, path::Layer};

/// The documents and files of skills, without a session. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Library {
    pub(super) core: Arc<Core>,
}

impl Library {
    pub(crate) fn new(core: Arc<Core>) -> Self {
        Self { core }
    }

    /// Checks that skills of this layer are shown to callers.
    ///
    /// # Errors
    /// `invalid_request` for a layer of others if layers are off.
    pub fn check_layer(&self, layer: Layer) -> Result<()> {
        self.core.content().check_layer(layer)
    }
}

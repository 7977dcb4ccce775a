//! Vectors for the skills of a caller whose process ends with its answer.

use super::SessionBackend;
use crate::{catalog::Told, error::Result};

impl SessionBackend {
    /// Makes the vectors that the skills of this session's caller lack and waits for them, for
    /// [`VECTORS_AWAITED`](crate::limits::VECTORS_AWAITED) at most. A process that serves on needs no such call: it makes them
    /// behind its answers. `told` is called with how many skills of how many were encoded. What cannot be made is logged, and
    /// searches are lexical.
    ///
    /// # Errors
    /// The store's.
    pub async fn encode_skills(&self, told: &Told) -> Result<()> {
        self.context.shared.catalogs.encode_skills(self.context.caller.audience().clone(), told).await
    }
}

//! A tag for all that prompt and tools of a session depend on, from memory alone.
//!
//! A framework renders the prompt before each call of a model. With the tag of the reply before, it knows without a request that
//! the prompt is still the same.

use sha2::{Digest as _, Sha256};

use super::SessionBackend;

impl SessionBackend {
    /// A hash of session, policies and catalog. It is the same on every replica. `None` unless this process has recent versions of them
    /// all in memory. Does not ask the store.
    pub async fn known_tag(&self) -> Option<String> {
        let catalog = self.shared.catalogs.known_tag(&self.audience)?;
        let session = self.shared.sessions.known_tag(self.user(), &self.session).await?;
        Some(hex::encode(Sha256::digest(format!("{session}\n{catalog}"))))
    }
}

//! A conversation of a host, as this process remembers it.

use std::sync::{Arc, OnceLock};

use super::refusal::McpContext;
use crate::{
    limits::{HostLimits, UNKNOWN_HOST},
    tools::Conversation,
};

/// One conversation, with its host and the notes of results. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub(super) struct HostConversation {
    host: Arc<OnceLock<&'static HostLimits>>,
    pub(super) told: Conversation,
}

impl HostConversation {
    /// Remembers the host by the name that its client gives itself.
    pub(super) fn record_host(&self, client: &str) {
        // The first name of a client counts.
        let _ = self.host.set(HostLimits::of_client(client));
    }

    /// The limits of the host behind a request.
    pub(super) fn host(&self, context: &McpContext) -> &'static HostLimits {
        // Over HTTP the library knows no client behind a request of an older version, and puts in a name of its own.
        let in_request = context.meta.client_info();
        let named = || Some(HostLimits::of_client(&in_request.or_else(|| context.client_info())?.name));
        self.host.get().copied().or_else(named).unwrap_or(&UNKNOWN_HOST)
    }
}

//! The sizes and forms of answers to a host.

use crate::limits::{HostLimits, MCP_RESULT_BYTES_LEAST, UNKNOWN_HOST};

/// The member of a request's `_meta` that asks for the reply as a document in its own result.
const STRUCTURED: &str = "skillmount/structured";

/// The choices of an operator for hosts of the Model Context Protocol. An absent choice follows the host.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct McpOptions {
    /// Characters of the instructions at most.
    pub instruction_chars: Option<usize>,
    /// Bytes of one result at most. Fewer than [`MCP_RESULT_BYTES_LEAST`] count as these.
    pub result_bytes: Option<usize>,
    /// Whether tools declare the schema of their replies, and results hold the reply as a document beside the text.
    pub structured: bool,
}

impl McpOptions {
    /// Characters of the instructions at most. The host is not known yet when they are written.
    pub(super) fn instruction_chars(self) -> usize {
        self.instruction_chars.unwrap_or(UNKNOWN_HOST.instruction_chars)
    }

    /// Bytes of one result for this host at most.
    pub(super) fn result_bytes(self, host: &HostLimits) -> usize {
        self.result_bytes.map_or(host.result_bytes, |bytes| bytes.max(MCP_RESULT_BYTES_LEAST))
    }

    /// Whether a result has the reply as a document, for a request with this `_meta`.
    pub(super) fn is_structured(self, meta: &serde_json::Map<String, serde_json::Value>) -> bool {
        self.structured || meta.get(STRUCTURED).and_then(serde_json::Value::as_bool) == Some(true)
    }
}

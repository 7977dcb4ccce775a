//! The names of the service's own headers.

/// Carries the id of a request, both ways.
#[cfg(feature = "server")]
pub(crate) const REQUEST_ID: &str = "x-request-id";
/// Carries the version of a session, both ways.
#[cfg(any(feature = "server", feature = "client"))]
pub(crate) const SESSION_VERSION: &str = "x-skillmount-session-version";
/// Carries a hash of all that the prompt of a session depends on.
#[cfg(feature = "server")]
pub(crate) const PROMPT_TAG: &str = "x-skillmount-prompt-tag";
/// Carries a hash of all that the tools of a session depend on.
#[cfg(feature = "server")]
pub(crate) const TOOLS_TAG: &str = "x-skillmount-tools-tag";

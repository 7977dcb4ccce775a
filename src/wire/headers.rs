//! The names of the service's own headers.

/// Carries the id of a request, both ways.
pub(crate) const REQUEST_ID: &str = "x-request-id";
/// Carries the version of a session, both ways.
pub(crate) const SESSION_VERSION: &str = "x-skillmount-session-version";

//! The names of the service's own headers.

/// Carries the id of a request, both ways.
pub const REQUEST_ID: &str = "x-request-id";
/// Carries the version of a session, both ways.
pub const SESSION_VERSION: &str = "x-skillmount-session-version";
/// Carries a hash of all that the prompt of a session depends on.
pub const PROMPT_TAG: &str = "x-skillmount-prompt-tag";
/// Carries a hash of all that the tools of a session depend on.
pub const TOOLS_TAG: &str = "x-skillmount-tools-tag";
/// Carries the id that a model gave to a call.
pub const CALL_ID: &str = "x-skillmount-call-id";
/// Asks for the code of each failed call of a turn, and for the id under which a call waits.
pub const RESULT_DETAILS: &str = "x-skillmount-result-details";

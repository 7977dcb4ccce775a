//! Whose shape an answer has.

use axum::{extract::Request, http::HeaderMap};

use crate::http::door::is_of_skills_api;

/// Every client of that API sends it.
const ANTHROPIC_VERSION: &str = "anthropic-version";

/// The API in whose shape a caller is answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::http) enum ApiShape {
    Anthropic,
    OpenAi,
}

impl ApiShape {
    /// The shape for a caller that sends these headers.
    pub(super) fn from_headers(headers: &HeaderMap) -> Self {
        if headers.contains_key(ANTHROPIC_VERSION) { Self::Anthropic } else { Self::OpenAi }
    }

    /// The shape for a request to these routes; `None` for any other.
    pub(in crate::http) fn of_request(request: &Request) -> Option<Self> {
        is_of_skills_api(request.uri().path()).then(|| Self::from_headers(request.headers()))
    }
}

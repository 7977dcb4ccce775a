//! The route that a request has matched.

use axum::{
    extract::{MatchedPath, Request},
    http::Method,
};

pub(super) const SKILL_ROUTE: &str = "/v1/users/{user}/skills/{*skill}";
pub(super) const DOWNLOAD_ROUTE: &str = "/v1/users/{user}/skills/download";

/// Whether a request is for this method and this route. A HEAD counts as a GET.
pub(super) fn is_route(request: &Request, method: &Method, route: &str) -> bool {
    let asked = if *request.method() == Method::HEAD { &Method::GET } else { request.method() };
    asked == method && template(request) == route
}

/// The template of the route that was matched. A skill may be called as the download is, which alone is a POST.
pub(super) fn template(request: &Request) -> &str {
    match request.extensions().get::<MatchedPath>().map_or("", MatchedPath::as_str) {
        DOWNLOAD_ROUTE if *request.method() != Method::POST => SKILL_ROUTE,
        matched => matched,
    }
}

//! Which form of a reply a client wants.

use axum::http::{HeaderMap, header};

/// Whether a client names the media type `wanted`, and not `usual`, which it gets otherwise.
pub(crate) fn prefers(headers: &HeaderMap, wanted: &str, usual: &str) -> bool {
    let accepted = headers.get(header::ACCEPT).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let mut named = accepted.split([',', ';']).map(str::trim);
    named.clone().any(|name| name.eq_ignore_ascii_case(wanted)) && !named.any(|name| name.eq_ignore_ascii_case(usual))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_form_is_preferred_that_is_named_without_the_usual_one() {
        let prefers_text = |accept: &str| {
            prefers(
                &HeaderMap::from_iter([(header::ACCEPT, accept.parse().unwrap())]),
                "text/plain",
                "application/json",
            )
        };
        assert!(prefers_text("text/plain") && prefers_text("Text/Plain; q=0.5, */*"));
        assert!(!prefers_text("text/plain, application/json") && !prefers_text("*/*") && !prefers_text("text/plainer"));
        assert!(!prefers(&HeaderMap::new(), "text/plain", "application/json"));
    }
}

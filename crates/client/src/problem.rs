//! Turns the problems that a server sends, and failures of the connection, into errors.

use reqwest::{Response, StatusCode};
use serde_json::{Map, Value};

use crate::{
    error::{Code, Error, Outcome, Parts},
    proxy::ProxyInUse,
    wire::Effect,
};

/// Members of a problem document that have a place of their own, or none, in an [`Error`].
const KNOWN_MEMBERS: [&str; 10] =
    ["type", "title", "status", "detail", "code", "request_id", "retryable", "outcome", "parts", "instance"];

/// The error of a request that got no answer, or half of one.
pub(super) fn unreachable(cause: reqwest::Error, effect: Effect, proxy: Option<&ProxyInUse>) -> Error {
    let never_sent = cause.is_connect() || cause.is_builder();
    let message = match (never_sent, proxy) {
        (true, None) => "the server cannot be reached; check its address and that it is running".to_owned(),
        (true, Some(proxy)) => {
            format!("the server cannot be reached through {proxy}; correct that, or except the server with no_proxy")
        }
        (false, None) => "the server's answer did not come; try again".to_owned(),
        (false, Some(proxy)) => format!("the server's answer did not come through {proxy}; try again"),
    };
    let error = Error::new(Code::StoreUnavailable, message).with_source(cause.without_url());
    match effect {
        Effect::Reads => error,
        _ if never_sent => error.with_outcome(Outcome::NotApplied),
        _ => error.with_outcome(Outcome::Unknown),
    }
}

/// The error a reply reports.
pub(super) async fn read(response: Response, effect: Effect, proxy: Option<&ProxyInUse>) -> Error {
    let status = response.status();
    match response.bytes().await {
        Ok(bytes) => from_document(status, serde_json::from_slice(&bytes).unwrap_or_default(), effect, proxy),
        Err(cause) => unreachable(cause, effect, proxy),
    }
}

fn from_document(
    status: StatusCode,
    mut document: Map<String, Value>,
    effect: Effect,
    proxy: Option<&ProxyInUse>,
) -> Error {
    let text = |name: &str| document.get(name).and_then(Value::as_str);
    let code = text("code").and_then(Code::parse);
    let message = text("detail").map_or_else(|| by_another(status, proxy), str::to_owned);
    let told = document.get("outcome").and_then(|outcome| serde_json::from_value(outcome.clone()).ok());
    let parts = document.get("parts").and_then(|parts| serde_json::from_value::<Parts>(parts.clone()).ok());
    // Without the service's own word, something before it failed, and the request may have been passed on.
    let outcome =
        told.or((code.is_none() && status.is_server_error() && effect != Effect::Reads).then_some(Outcome::Unknown));
    // A file that is not found is found out by the service; another program knows none.
    let is_anothers = code.is_none() && document.is_empty() && [404, 405, 501].contains(&status.as_u16());
    let by_status = || if is_anothers { Code::InvalidRequest } else { by_status(status) };
    let mut error = Error::new(code.unwrap_or_else(by_status), message);
    if let Some(parts) = parts {
        error = error.with_parts(parts);
    }
    if let Some(outcome) = outcome {
        error = error.with_outcome(outcome);
    }
    document.retain(|name, _| !KNOWN_MEMBERS.contains(&name.as_str()));
    document.into_iter().fold(error, |error, (name, value)| error.with_detail(&name, value))
}

/// The message for a reply that is not the service's.
fn by_another(status: StatusCode, proxy: Option<&ProxyInUse>) -> String {
    let answered = format!("the server answered {status}, and not as skillmount does");
    match proxy {
        None => format!("{answered}: another program listens there, or a proxy stands before it; check the address"),
        Some(proxy) => format!(
            "{answered}: another program listens there, or it is the answer of {proxy}; check the address, or except the server with \
             no_proxy"
        ),
    }
}

/// The nearest code to a status, for codes newer than this client and replies that are not the service's.
fn by_status(status: StatusCode) -> Code {
    match status.as_u16() {
        401 => Code::Unauthenticated,
        403 => Code::Denied,
        404 => Code::FileNotFound,
        409 => Code::EditConflict,
        412 => Code::PreconditionFailed,
        413 => Code::FileTooLarge,
        429 => Code::RateLimited,
        502..=504 => Code::StoreUnavailable,
        500.. => Code::Internal,
        _ => Code::InvalidRequest,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn error(status: u16, document: &Value) -> Error {
        let document = document.as_object().cloned().unwrap_or_default();
        from_document(StatusCode::from_u16(status).unwrap(), document, Effect::Writes, None)
    }

    #[test]
    fn an_error_comes_back_as_it_left() {
        let error = error(
            409,
            &json!({"type": "urn:x", "title": "Conflict", "status": 409, "detail": "twice", "code": "old_string_not_unique",
                "request_id": "r", "retryable": false, "outcome": "not_applied", "occurrences": 2}),
        );
        assert_eq!(error.parts(), None);
        assert_eq!((error.code(), error.message()), (Code::OldStringNotUnique, "twice"));
        assert_eq!(error.outcome(), Some(Outcome::NotApplied));
        assert_eq!(Value::Object(error.details().clone()), json!({"occurrences": 2}));
    }

    #[test]
    fn the_parts_of_a_change_come_back_and_the_outcome_is_what_the_server_said() {
        let parts = json!({"file": "applied", "session": "not_applied", "audit": "unknown", "later": "applied"});
        let error = error(503, &json!({"code": "store_unavailable", "outcome": "partial", "parts": parts}));
        let (file, session) = (Some(Outcome::Applied), Some(Outcome::NotApplied));
        let expected = Parts { file, session, audit: Some(Outcome::Unknown) };
        assert_eq!((error.parts(), error.outcome()), (Some(expected), Some(Outcome::Partial)));
        assert!(error.details().is_empty());
    }

    #[test]
    fn an_unknown_code_goes_by_its_status_and_keeps_its_words() {
        let error = error(429, &json!({"code": "brand_new", "detail": "wait"}));
        assert_eq!((error.code(), error.message()), (Code::RateLimited, "wait"));
    }

    #[test]
    fn another_program_is_neither_a_missing_file_nor_a_bug() {
        for status in [404, 405, 501] {
            let error = error(status, &Value::Null);
            assert_eq!(error.code(), Code::InvalidRequest, "{status}");
            assert!(error.message().contains("not as skillmount does"), "{error}");
        }
    }

    #[test]
    fn a_reply_of_something_in_between_leaves_a_change_in_doubt() {
        let error = error(502, &Value::Null);
        assert_eq!((error.code(), error.outcome()), (Code::StoreUnavailable, Some(Outcome::Unknown)));
    }
}

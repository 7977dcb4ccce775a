//! Errors as the protocol has them.

use rmcp::{ErrorData, model::ErrorCode};
use serde_json::{Value, json};

use crate::error::Error;

/// An error of this crate as one of the protocol.
pub(super) fn refusal(error: &Error) -> ErrorData {
    let details = Value::Object(error.details().clone());
    let mut data = json!({ "code": error.code().as_str(), "retryable": error.retryable() });
    if let (Some(data), Value::Object(details)) = (data.as_object_mut(), details) {
        data.extend(details);
    }
    ErrorData::new(ErrorCode(error.kind().mcp_code()), error.message().to_owned(), Some(data))
}

/// The answer to an address that names nothing.
pub(super) fn unknown(uri: &str) -> ErrorData {
    ErrorData::invalid_params("there is nothing at this address: skills/list has the skills that there are", {
        Some(json!({ "uri": uri }))
    })
}

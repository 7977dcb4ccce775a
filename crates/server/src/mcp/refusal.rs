//! Errors as the protocol has them.

use rmcp::{ErrorData, RoleServer, model::ErrorCode, service::RequestContext};
use serde_json::{Value, json};

use crate::error::Error;

/// The result of a request of the protocol.
pub(super) type McpResult<T> = Result<T, ErrorData>;

/// The facts that a host sends with a request, and the way back to the host.
pub(super) type McpContext = RequestContext<RoleServer>;

/// An error of this crate as one of the protocol.
pub(super) fn refusal(error: &Error) -> ErrorData {
    let details = Value::Object(error.details().clone());
    let mut data = json!({ "code": error.name(), "retryable": error.retryable() });
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

/// The answer to a cursor that no listing of this user gave.
pub(super) fn no_such_cursor() -> ErrorData {
    ErrorData::invalid_params("there is no such cursor: list again from the beginning", None)
}

/// The methods that are served. The `rmcp` crate treats a request with wrong parameters as a custom request, so these
/// names show which methods exist. A request for `initialize` comes first, or from a host whose protocol version does
/// not have it.
const METHODS: [&str; 12] = [
    "completion/complete",
    "prompts/get",
    "prompts/list",
    "resources/directory/read",
    "resources/list",
    "resources/read",
    "resources/templates/list",
    "server/discover",
    "skills/get",
    "skills/list",
    "tools/call",
    "tools/list",
];

/// The answer to a request that the protocol does not have: the method is unknown, or its parameters are wrong.
pub(super) fn unlike_the_protocol(method: &str) -> ErrorData {
    if METHODS.contains(&method) {
        let message = format!("the parameters of {method} are not as the protocol has them: send each, of its type");
        return ErrorData::invalid_params(message, None);
    }
    ErrorData::new(ErrorCode::METHOD_NOT_FOUND, format!("there is no method {method:?}"), None)
}

//! An example for every operation, from one conversation: `examples.json` has its calls in their order, and a test plays
//! them on a server.

use std::{collections::BTreeMap, sync::LazyLock};

use serde::Deserialize;
use serde_json::Value;
use utoipa::openapi::{Content, RefOr, path::Operation};

/// The conversation.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Conversation {
    /// The values of the parameters in the paths.
    parameters: BTreeMap<String, Value>,
    /// The calls.
    calls: Vec<Call>,
}

/// One call and its answer.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Call {
    operation: String,
    #[serde(default)]
    request: Option<Value>,
    status: u16,
    #[serde(default)]
    reply: Option<Value>,
}

/// The place of an operation in the conversation. An example may need the effects of earlier ones.
const ORDER: &str = "x-example-order";

/// A document that does not parse is a document without examples; a test finds it.
static CONVERSATION: LazyLock<Conversation> =
    LazyLock::new(|| serde_json::from_str(include_str!("examples.json")).unwrap_or_default());

/// The value of a parameter of a path in the examples.
pub(super) fn of_parameter(name: &str) -> Option<Value> {
    CONVERSATION.parameters.get(name).cloned()
}

/// The body of the example of an operation.
pub(super) fn request_of(operation: &str) -> Option<&'static Value> {
    CONVERSATION.calls.iter().find(|call| call.operation == operation)?.request.as_ref()
}

/// Adds the example of an operation to its request and its reply, and the place of the operation in the conversation.
pub(super) fn add(operation: &mut Operation) {
    let mut calls = CONVERSATION.calls.iter().enumerate();
    let Some((order, call)) = calls.find(|(_, call)| operation.operation_id.as_ref() == Some(&call.operation)) else {
        return;
    };
    operation.extensions.get_or_insert_default().insert(ORDER.to_owned(), order.into());
    if let (Some(RefOr::T(body)), Some(request)) = (&mut operation.request_body, &call.request)
        && let Some(content) = body.content.values_mut().next()
    {
        set(content, request);
    }
    if let (Some(RefOr::T(response)), Some(reply)) =
        (operation.responses.responses.get_mut(&call.status.to_string()), &call.reply)
    {
        // A reply as JSON is that of the JSON form, if there are several; another is the text of the first.
        let json = response.content.contains_key("application/json").then_some("application/json");
        let form = json.or_else(|| response.content.keys().next().map(String::as_str)).map(str::to_owned);
        if let Some(content) = form.and_then(|form| response.content.get_mut(&form)) {
            set(content, reply);
        }
    }
}

fn set(content: &mut RefOr<Content>, example: &Value) {
    if let RefOr::T(content) = content {
        content.example = Some(example.clone());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_conversation_parses() {
        let conversation: Conversation = serde_json::from_str(include_str!("examples.json")).unwrap();
        assert!(!conversation.calls.is_empty());
    }
}

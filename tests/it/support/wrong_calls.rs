//! What hosts ask for that is not there or not meant so, whatever they speak through.

use serde_json::{Value, json};

/// Methods with parameters that the protocol has an error for, and its code.
pub(crate) fn wrong_calls() -> [(&'static str, Value, i32); 8] {
    [
        ("no/such", json!({}), -32601),
        ("tools/call", json!({"name": "fly", "arguments": {}}), -32602),
        ("prompts/get", json!({"name": "none"}), -32602),
        ("resources/read", json!({"uri": "file:///etc/passwd"}), -32602),
        ("skills/get", json!({"uri": "skill://none/SKILL.md"}), -32602),
        ("skills/list", json!({"cursor": "of somebody else"}), -32602),
        ("resources/list", json!({"cursor": "of somebody else"}), -32602),
        ("resources/directory/read", json!({"uri": "skill://notas/SKILL.md"}), -32602),
    ]
}

/// Arguments of `read` that are for the model to mend.
pub(crate) fn wrong_inputs() -> [Value; 3] {
    [json!({"path": 3}), json!({"file_path": "/a", "more": 1}), json!({"file_path": "x".repeat(100_000)})]
}

//! A SKILL.md from its parts.
//!
//! JSON is YAML as well, in a form that every reader takes the same way, so values are written as JSON.

use std::fmt::Write as _;

use serde_json::{Map, Value};

/// The SKILL.md with this name, description, further fields and body.
#[must_use]
pub fn compose(name: &str, description: &str, fields: &Map<String, Value>, body: &str) -> String {
    let mut text = "---\n".to_owned();
    let own = [("name", Value::from(name)), ("description", Value::from(description))];
    let own = own.iter().map(|(key, value)| (*key, value));
    for (key, value) in own.chain(fields.iter().map(|(key, value)| (key.as_str(), value))) {
        let is_plain = key.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'));
        let key = if is_plain && !key.is_empty() { key.to_owned() } else { escaped(&Value::from(key)) };
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{key}: {}", escaped(value));
    }
    text.push_str("---\n");
    push_body(&mut text, body);
    text
}

/// Adds a body to a text that ends with the line that closes the frontmatter.
pub(super) fn push_body(text: &mut String, body: &str) {
    if !body.starts_with('\n') {
        text.push('\n');
    }
    text.push_str(body);
    if !text.ends_with('\n') {
        text.push('\n');
    }
}

/// A value as JSON without the characters that YAML takes for ends of lines or does not take at all.
pub(super) fn escaped(value: &Value) -> String {
    let mut text = String::new();
    for letter in value.to_string().chars() {
        if letter.is_control() || matches!(letter, '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}') {
            let _ = write!(text, "\\u{:04x}", u32::from(letter));
        } else {
            text.push(letter);
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;
    use crate::read_document;

    #[test]
    fn a_composed_file_says_what_it_was_made_of() {
        let fields = json!({"license": "MIT", "metadata": {"a": "b: c"}, "odd key": ["x"]});
        let text = compose("demo", "Says: \"this\"\nand # that", fields.as_object().unwrap(), "# Body");
        let (document, findings) = read_document(text.as_bytes(), "demo");
        let document = document.unwrap();
        assert_eq!(findings, []);
        assert_eq!(document.frontmatter.name.as_deref(), Some("demo"));
        for (key, value) in fields.as_object().unwrap() {
            assert_eq!(document.frontmatter.fields.get(key), Some(value));
        }
        assert_eq!(document.body, "\n# Body\n");
    }

    proptest! {
        #[test]
        fn whatever_stands_in_a_field_is_read_again(text in "\\PC{1,40}|[\\x00-\\u{2fff}]{1,20}") {
            let fields = json!({"metadata": {"k": text.clone()}});
            let composed = compose("demo", "d", fields.as_object().unwrap(), "Body");
            let (document, _) = read_document(composed.as_bytes(), "demo");
            let fields = document.unwrap().frontmatter.fields;
            prop_assert_eq!(fields["metadata"]["k"].as_str(), Some(text.as_str()));
        }
    }
}

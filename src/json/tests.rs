//! An array is no object, and what a document may hold is bounded.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::json;

use super::*;

#[derive(Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
struct Inner {
    #[serde(default)]
    n: u32,
}

#[derive(Debug, PartialEq, Deserialize)]
enum Choice {
    Named { n: u32 },
    Pair(u32, u32),
}

#[derive(Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
struct Outer {
    one: Option<Inner>,
    list: Vec<Inner>,
    map: BTreeMap<String, Inner>,
    choice: Option<Choice>,
    free: Value,
}

// S-ERROR-4: An array never stands for an object, in a request or in an object of the service's own.
#[test]
fn an_array_is_no_object_at_any_depth() {
    for bad in [
        "[]",
        "[null, []]",
        r#"{"one": []}"#,
        r#"{"one": [1]}"#,
        r#"{"list": [{}, [1]]}"#,
        r#"{"map": []}"#,
        r#"{"map": {"a": [1]}}"#,
        r#"{"choice": {"Named": [1]}}"#,
    ] {
        for fault in [
            from_slice::<Outer>(bad.as_bytes()).unwrap_err().to_string(),
            from_value::<Outer>(serde_json::from_str(bad).unwrap()).unwrap_err().to_string(),
            from_request::<Outer>(bad.as_bytes()).unwrap_err().to_string(),
        ] {
            assert!(fault.contains("invalid type: sequence"), "{bad}: {fault}");
        }
    }
    let good = r#"{"one": {"n": 1}, "list": [{}], "map": {"a": {"n": 2}}, "choice": {"Pair": [1, 2]}, "free": [[{}]]}"#;
    let read = from_slice::<Outer>(good.as_bytes()).unwrap();
    assert_eq!((&read.choice, &read.free), (&Some(Choice::Pair(1, 2)), &json!([[{}]])));
    assert_eq!(from_request::<Outer>(good.as_bytes()).unwrap(), read);
}

#[test]
fn what_follows_the_document_is_a_fault() {
    assert!(from_slice::<Outer>(b"{} {}").is_err() && from_slice::<Outer>(b"{} \n").is_ok());
}

#[test]
fn values_are_taken_at_the_limit_and_refused_beyond_it() {
    // The list is a value itself.
    let body = |values: usize| format!(r#"{{"free": [{}0]}}"#, "0,".repeat(values - 2));
    assert!(from_request::<Outer>(body(JSON_VALUES).as_bytes()).is_ok());
    let error = from_request::<Outer>(body(JSON_VALUES + 1).as_bytes()).unwrap_err();
    assert_eq!(error.code(), Code::TooExpensive, "{error}");
    // Counting stops there: the fault in what follows is never met.
    let endless = format!(r#"{{"free": [{}"#, r#"{"":0},"#.repeat(JSON_VALUES));
    assert_eq!(from_request::<Outer>(endless.as_bytes()).unwrap_err().code(), Code::TooExpensive);
}

#[test]
fn nesting_is_taken_at_the_limit_and_refused_beyond_it() {
    // The body itself is one level.
    let body = |depth: usize| format!(r#"{{"free": {}{}}}"#, "[".repeat(depth - 1), "]".repeat(depth - 1));
    assert!(from_request::<Outer>(body(JSON_DEPTH).as_bytes()).is_ok());
    assert_eq!(from_request::<Outer>(body(JSON_DEPTH + 1).as_bytes()).unwrap_err().code(), Code::TooExpensive);
}

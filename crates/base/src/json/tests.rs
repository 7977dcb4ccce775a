//! An array is no object, and what a document may hold is bounded.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::json;

use super::*;
use crate::limits::JSON_DEPTH;

#[derive(Debug, Default, PartialEq, Deserialize)]
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
    // Counting stops there, so the later fault is never met.
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

/// Fields that do not take `null`, a field that does, and a field for which `null` has a meaning.
#[derive(Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Fields {
    flag: bool,
    number: u64,
    text: String,
    list: Vec<Inner>,
    map: BTreeMap<String, u32>,
    pair: (u32, u32),
    object: Inner,
    choice: Pick,
    transparent: Wrapped,
    letter: char,
    share: f32,
    option: Option<u32>,
    #[serde(deserialize_with = "only_null")]
    cleared: bool,
}

#[derive(Debug, PartialEq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Pick {
    One,
    Two,
}

#[derive(Debug, PartialEq, Deserialize)]
struct Wrapped(u32);

impl Default for Fields {
    fn default() -> Self {
        Self {
            flag: true,
            number: 7,
            text: "x".to_owned(),
            list: vec![Inner { n: 1 }],
            map: BTreeMap::from([("a".to_owned(), 1)]),
            pair: (1, 2),
            object: Inner { n: 3 },
            choice: Pick::Two,
            transparent: Wrapped(4),
            letter: 'z',
            share: 0.5,
            option: None,
            cleared: false,
        }
    }
}

fn only_null<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<bool, D::Error> {
    <()>::deserialize(deserializer).map(|()| true)
}

/// The result of reading a document as a request. Both ways of reading must agree.
fn requested<T: DeserializeOwned + std::fmt::Debug + PartialEq>(text: &str) -> Result<T, String> {
    let read = from_request(text.as_bytes()).map_err(|error| error.message().to_owned());
    let value = from_value::<T>(serde_json::from_str(text).unwrap());
    assert_eq!(value.as_ref().ok(), read.as_ref().ok(), "{text}: {value:?}");
    read
}

// S-ERROR-6: In a request, `null` for an optional member means that the member is absent.
#[test]
fn null_is_the_default_of_each_field_alone_and_of_all_together() {
    let names = [
        "flag",
        "number",
        "text",
        "list",
        "map",
        "pair",
        "object",
        "choice",
        "transparent",
        "letter",
        "share",
        "option",
    ];
    let members: Vec<_> = names.iter().map(|name| format!("{name:?}: null")).collect();
    for text in members.iter().cloned().chain([members.join(",")]) {
        assert_eq!(requested::<Fields>(&format!("{{{text}}}")), Ok(Fields::default()), "{text}");
    }
    let mixed =
        r#"{"number": 1, "flag": null, "object": {"n": null}, "list": [{"n": null}, {"n": 2}], "choice": "one"}"#;
    let wanted = Fields {
        number: 1,
        object: Inner::default(),
        list: vec![Inner::default(), Inner { n: 2 }],
        choice: Pick::One,
        ..Fields::default()
    };
    assert_eq!(requested::<Fields>(mixed), Ok(wanted));
}

#[test]
fn null_stays_where_it_says_something_whatever_else_is_null() {
    #[derive(Debug, PartialEq, Deserialize)]
    struct Free {
        value: Value,
        unit: (),
    }
    for text in [r#"{"cleared": null}"#, r#"{"flag": null, "cleared": null, "text": null}"#] {
        assert!(requested::<Fields>(text).unwrap().cleared, "{text}");
    }
    let free = requested::<Free>(r#"{"value": {"a": null}, "unit": null}"#).unwrap();
    assert_eq!(free.value, json!({ "a": null }));
}

#[test]
fn null_is_refused_for_what_must_be_there_for_unknown_names_in_lists_and_in_maps() {
    #[derive(Debug, PartialEq, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Needed {
        path: String,
    }
    assert!(requested::<Needed>(r#"{"path": null}"#).unwrap_err().contains("missing field `path`"));
    assert!(requested::<Fields>(r#"{"flga": null}"#).unwrap_err().contains("unknown field `flga`"));
    assert!(requested::<Fields>(r#"{"flag": null, "flga": null}"#).unwrap_err().contains("unknown field `flga`"));
    for text in [r#"{"list": [null]}"#, r#"{"map": {"a": null}}"#, r#"{"pair": [1, null]}"#] {
        assert!(requested::<Fields>(text).unwrap_err().contains("invalid type: null"), "{text}");
    }
}

#[test]
fn objects_at_rest_hold_no_null_for_a_value() {
    let fault = from_slice::<Fields>(br#"{"flag": null}"#).unwrap_err().to_string();
    assert!(fault.contains("invalid type: null"), "{fault}");
}

#[test]
fn nulls_are_passed_over_up_to_the_limit_and_refused_beyond_it() {
    let body = |nulls: usize| format!(r#"{{"list": [{}]}}"#, vec![r#"{"n": null}"#; nulls].join(","));
    assert_eq!(requested::<Fields>(&body(JSON_NULLS)).unwrap().list.len(), JSON_NULLS);
    assert!(requested::<Fields>(&body(JSON_NULLS + 1)).unwrap_err().contains("null"));
}

#[test]
fn a_fault_is_named_with_its_place_though_a_null_was_passed_over() {
    let fault = from_request::<Fields>(br#"{"flag": null, "number": "x"}"#).unwrap_err();
    assert!(fault.message().contains("at line 1 column 28"), "{fault}");
}

// S-ERROR-8: A member that stands twice in one object of a request is an error, at any depth.
#[test]
fn a_repeated_member_is_refused_in_a_request_at_any_depth_and_read_in_a_stored_object() {
    for (twice, member) in [
        (r#"{"map": {"a": {"n": 1}, "a": {"n": 2}}}"#, "a"),
        (r#"{"map": {"\u0061": {}, "b": {}, "a": {}}}"#, "a"),
        (r#"{"free": {"x": 1, "x": 1}}"#, "x"),
        (r#"{"free": [{"deep": [{"y": 1, "y": null}]}]}"#, "y"),
        (r#"{"list": [], "list": []}"#, "list"),
        (r#"{"one": {"n": 1, "n": 2}}"#, "n"),
    ] {
        let refused = from_request::<Outer>(twice.as_bytes()).unwrap_err();
        assert_eq!(refused.code(), Code::InvalidRequest, "{twice}");
        assert!(refused.message().contains(member), "{twice}: {refused}");
    }
    let once = r#"{"map": {"a": {}, "A": {}, "á": {}}, "free": [{"x": 1}, {"x": 1}]}"#;
    assert_eq!(from_request::<Outer>(once.as_bytes()).unwrap().map.len(), 3);
    let stored = from_slice::<Outer>(br#"{"map": {"a": {"n": 1}, "a": {"n": 2}}}"#).unwrap();
    assert_eq!(stored.map["a"].n, 2, "an object of the service's own costs nobody a call");
}

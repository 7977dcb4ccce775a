//! The page on HTTP, from the OpenAPI document.

use std::{collections::BTreeMap, fmt::Write as _};

use serde_json::{Map, Value};

use super::page::{check, code, table};

const BEGINNING: &str = "# HTTP

This page lists each call of the service by subject, then the bodies by name. `/openapi.json` is the same contract for machines, and the
page `/docs` of a service sends calls. A key travels as `authorization: Bearer KEY`.
";
const METHODS: [&str; 7] = ["get", "put", "post", "patch", "delete", "head", "options"];

/// A call of the document.
struct Call<'a> {
    path: &'a str,
    method: &'a str,
    item: &'a Value,
    operation: &'a Value,
}

#[test]
fn the_page_on_http_is_generated() {
    let document = serde_json::to_value(skillmount::http::openapi()).unwrap();
    let calls = calls(&document);
    let shared = shared_answers(&calls);
    let mut text = BEGINNING.to_owned();
    let _ = write!(text, "\n{}\n", document["info"]["description"].as_str().unwrap());
    let _ = write!(text, "\n## Every call\n\n{}", parameters_of_every_call(&document));
    let rows = shared.iter().map(|(status, meaning)| [code(status), (*meaning).to_owned()]);
    let _ = write!(
        text,
        "\nA failure is a [Problem](#problem). The same statuses mean the same in every call.\n\n{}",
        table(["status", "meaning"], rows)
    );
    let headers = headers(&document, &calls);
    let _ = write!(text, "\nAnswers have these headers if they apply.\n\n{}", table(["header", "meaning"], headers));
    for tag in document["tags"].as_array().unwrap() {
        let name = tag["name"].as_str().unwrap();
        let (first, rest) = name.split_at(1);
        let about = tag["description"].as_str().unwrap();
        let _ = write!(text, "\n## {}{rest}\n\n{about}\n", first.to_uppercase());
        for call in calls.iter().filter(|call| call.operation["tags"][0] == name) {
            text.push_str(&section(call, &document, &shared));
        }
    }
    text.push_str("\n## Bodies\n");
    for (name, schema) in document["components"]["schemas"].as_object().unwrap() {
        let _ = write!(text, "\n### {name}\n\n{}", body(schema));
    }
    check("http.md", &text);
}

fn calls(document: &Value) -> Vec<Call<'_>> {
    let items = document["paths"].as_object().unwrap().iter();
    let calls = items.flat_map(|(path, item)| {
        let operations = METHODS.iter().filter_map(|method| Some((*method, item.get(*method)?)));
        operations.map(move |(method, operation)| Call { path, method, item, operation })
    });
    calls.collect()
}

/// The failures that most calls answer in the same words.
fn shared_answers<'a>(calls: &[Call<'a>]) -> BTreeMap<&'a str, &'a str> {
    let mut counts = BTreeMap::<(&str, &str), usize>::new();
    for call in calls {
        for (status, answer) in call.operation["responses"].as_object().unwrap() {
            if status.starts_with(['4', '5']) {
                *counts.entry((status, answer["description"].as_str().unwrap())).or_default() += 1;
            }
        }
    }
    counts.into_iter().filter(|(_, count)| *count > calls.len() / 2).map(|(answer, _)| answer).collect()
}

fn resolved<'a>(value: &'a Value, document: &'a Value) -> &'a Value {
    match value["$ref"].as_str() {
        Some(reference) => document.pointer(reference.trim_start_matches('#')).unwrap(),
        None => value,
    }
}

/// The user, the session, and the headers that every call takes.
fn parameters_of_every_call(document: &Value) -> String {
    let calls = calls(document);
    let in_session = calls.iter().find(|call| call.path.ends_with("/sessions/{session}/read")).unwrap();
    parameters(in_session.item["parameters"].as_array().unwrap(), document)
}

fn parameters(list: &[Value], document: &Value) -> String {
    let row = |one: &Value| {
        let one = resolved(one, document);
        let required = if one["required"] == true { ", required" } else { "" };
        let place = format!("{}{required}", one["in"].as_str().unwrap());
        [code(one["name"].as_str().unwrap()), place, kind(&one["schema"], ""), about(one)]
    };
    table(["name", "in", "type", "meaning"], list.iter().map(row))
}

/// The headers of answers by their names.
fn headers(document: &Value, calls: &[Call<'_>]) -> Vec<[String; 2]> {
    let mut found = BTreeMap::new();
    for answer in calls.iter().flat_map(|call| call.operation["responses"].as_object().unwrap().values()) {
        for (name, header) in answer["headers"].as_object().into_iter().flatten() {
            found.insert(name.to_lowercase(), about(resolved(header, document)));
        }
    }
    found.into_iter().map(|(name, about)| [code(name), about]).collect()
}

/// The section of a call.
fn section(call: &Call<'_>, document: &Value, shared: &BTreeMap<&str, &str>) -> String {
    let Call { path, method, item, operation } = call;
    let mut text =
        format!("\n### {}\n\n`{} {path}`\n", operation["operationId"].as_str().unwrap(), method.to_uppercase());
    for part in ["summary", "description"] {
        if let Some(words) = operation[part].as_str() {
            let _ = write!(text, "\n{words}\n");
        }
    }
    let of_item = item["parameters"].as_array().into_iter().flatten();
    let of_item = of_item.filter(|one| one.get("$ref").is_none() && one["name"] != "user" && one["name"] != "session");
    let own = operation["parameters"].as_array().into_iter().flatten();
    let own: Vec<_> = of_item.chain(own).cloned().collect();
    if !own.is_empty() {
        let _ = write!(text, "\n{}", parameters(&own, document));
    }
    for (media, content) in operation["requestBody"]["content"].as_object().into_iter().flatten() {
        let _ = write!(text, "\nBody: `{media}`, {}\n", kind(&content["schema"], ""));
        if let Some(example) = content.get("example") {
            let _ = write!(text, "\n```json\n{}\n```\n", serde_json::to_string_pretty(example).unwrap());
        }
    }
    let answers = operation["responses"].as_object().unwrap().iter();
    let own = answers
        .filter(|(status, answer)| shared.get(status.as_str()).is_none_or(|known| answer["description"] != *known));
    let row = |(status, answer): (&String, &Value)| [code(status), contents(answer), about(answer)];
    let _ = write!(text, "\n{}", table(["answer", "body", "meaning"], own.map(row)));
    text
}

/// The bodies that an answer may have.
fn contents(answer: &Value) -> String {
    let contents = answer["content"].as_object().into_iter().flatten();
    let one = |(media, content): (&String, &Value)| match content["schema"]["$ref"].as_str() {
        Some(_) => kind(&content["schema"], ""),
        None => code(media),
    };
    contents.map(one).collect::<Vec<_>>().join(", ")
}

/// A schema below its heading.
fn body(schema: &Value) -> String {
    let mut text = about(schema);
    if !text.is_empty() {
        text.push_str("\n\n");
    }
    if schema["properties"].is_object() {
        text.push_str(&fields(schema, ""));
    } else if let Some(choices) = schema["oneOf"].as_array() {
        let row = |one: &Value| [kind(one, ""), about(one)];
        text.push_str(&table(["value", "meaning"], choices.iter().map(row)));
    } else {
        let _ = writeln!(text, "Type: {}", kind(schema, ""));
    }
    text
}

/// The members of an object. Links to other bodies lead to `page`, or to the same page if it is empty.
pub(super) fn fields(schema: &Value, page: &str) -> String {
    let none = Map::new();
    let properties = schema["properties"].as_object().unwrap_or(&none);
    let required: Vec<_> = schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let row = |(name, property): (&String, &Value)| {
        let mut kind = kind(property, page);
        if required.contains(&name.as_str()) {
            kind.push_str(", required");
        }
        if let Some(default) = schema["x-defaults"].get(name).filter(|default| !default.is_null()) {
            let _ = write!(kind, ", `{default}` by default");
        }
        [code(name), kind, about(property)]
    };
    if properties.is_empty() {
        "It has no members.\n".to_owned()
    } else {
        table(["member", "type", "meaning"], properties.iter().map(row))
    }
}

/// The description of a schema, a parameter or an answer, or of the one choice that has a description.
fn about(value: &Value) -> String {
    let own = value["description"].as_str();
    let mut choices = value["oneOf"].as_array().into_iter().flatten();
    own.or_else(|| choices.find_map(|one| one["description"].as_str())).unwrap_or_default().to_owned()
}

/// The type of a schema in words, with its bounds.
fn kind(schema: &Value, page: &str) -> String {
    if let Some(reference) = schema["$ref"].as_str() {
        let name = reference.rsplit('/').next().unwrap();
        return format!("[{name}]({page}#{})", name.to_lowercase());
    }
    for (choice, word) in [("oneOf", " or "), ("anyOf", " or "), ("allOf", " and ")] {
        if let Some(parts) = schema[choice].as_array() {
            return parts.iter().map(|part| kind(part, page)).collect::<Vec<_>>().join(word);
        }
    }
    if let Some(values) = schema["enum"].as_array() {
        return values
            .iter()
            .map(|value| code(value.as_str().map_or_else(|| value.to_string(), str::to_owned)))
            .collect::<Vec<_>>()
            .join(", ");
    }
    if let Some(value) = schema.get("const") {
        return code(value);
    }
    let types = match &schema["type"] {
        Value::String(one) => vec![one.as_str()],
        Value::Array(several) => several.iter().filter_map(Value::as_str).collect(),
        _ => vec!["any"],
    };
    let shown = types.iter().map(|one| match *one {
        "array" => format!("array of {}", kind(&schema["items"], page)),
        "object" if schema["additionalProperties"].is_object() => {
            format!("map of {}", kind(&schema["additionalProperties"], page))
        }
        other => other.to_owned(),
    });
    let mut text = shown.collect::<Vec<_>>().join(" or ");
    text.push_str(&bounds(schema));
    text
}

/// The bounds of a schema, each behind a comma.
fn bounds(schema: &Value) -> String {
    let names = [
        ("minimum", "≥ ", ""),
        ("maximum", "≤ ", ""),
        ("minLength", "≥ ", " characters"),
        ("maxLength", "≤ ", " characters"),
        ("minItems", "≥ ", " items"),
        ("maxItems", "≤ ", " items"),
    ];
    let given = names.iter().filter_map(|(name, sign, unit)| Some((schema.get(*name)?.as_u64()?, sign, unit)));
    given
        .filter(|(value, sign, _)| *value > 0 || **sign == "≤ ")
        .flat_map(|(value, sign, unit)| [", ".to_owned(), (*sign).to_string(), value.to_string(), (*unit).to_string()])
        .collect()
}

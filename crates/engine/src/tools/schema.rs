//! The input of each tool, as it is described to a model, made from the request of its operation.
//!
//! The schema of a request is written for every language; a model gets less of it: no format and no reference.
//! A member that is not among the required ones is optional.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};
use utoipa::ToSchema;

use super::{input::wrong, tool::Tool};
use crate::{
    error::Result,
    wire::{self, Operation, Request as _, with_operations},
};

/// The name of a skill's arguments in `Skill`.
const ARGS: &str = "args";
/// The same in the request.
const ARGUMENTS: &str = "arguments";
/// `Skill` accepts these members, because errors and results mention them, and does not describe them.
const UNDESCRIBED: [&str; 2] = ["mount_as", "offset"];

/// Characters of a wrong value in an error.
const QUOTED: usize = 60;

macro_rules! facts {
    ($(
        $(#[doc = $doc:literal])*
        $variant:ident $method:ident($request:ident) -> $reply:ident $facts:tt
    )* ; $($also:tt)*) => {
        impl Tool {
            /// The description for a model: effect and use.
            pub(super) const fn description(self) -> &'static str {
                match self.operation() {
                    $(Operation::$variant => wire::$request::FOR_MODELS,)*
                    _ => "",
                }
            }

            /// The schema of the request, and the members that are not a model's to say.
            fn request(self) -> (Value, &'static [&'static str]) {
                match self.operation() {
                    $(Operation::$variant => (schema_of::<wire::$request>(), wire::$request::NOT_FOR_MODELS),)*
                    _ => (Value::Null, &[]),
                }
            }

            /// The JSON Schema of its reply, whole and in one document.
            pub(super) fn output_schema(self) -> Value {
                match self.operation() {
                    $(Operation::$variant => whole_schema_of::<wire::$reply>(),)*
                    _ => Value::Null,
                }
            }
        }
    };
}

with_operations!(facts);

impl Tool {
    /// The JSON Schema of its input.
    pub(super) fn input_schema(self) -> Value {
        json!({
            "type": "object",
            "properties": self.properties(),
            "required": self.required(),
            "additionalProperties": false,
        })
    }

    /// The input in one line: `file_path (string), offset (integer, optional)`.
    pub(super) fn expected(self) -> String {
        let required = self.required();
        let say = |(name, property): (&String, &Value)| {
            let kind = property.get("type").and_then(Value::as_str).unwrap_or("string");
            let optional = if required.contains(name) { "" } else { ", optional" };
            let choices = property.get("enum").and_then(Value::as_array).map(|choices| {
                let choices: Vec<_> = choices.iter().filter_map(Value::as_str).collect();
                format!(": {}", choices.join(" or "))
            });
            format!("{name} ({kind}{}{optional})", choices.unwrap_or_default())
        };
        self.properties().iter().map(say).collect::<Vec<_>>().join(", ")
    }

    /// The members of `input` under the names that the request has for them.
    ///
    /// A text that is exactly the JSON of a value that a member wants counts as this value.
    ///
    /// # Errors
    /// `invalid_request` if a member is not a model's to say, or is of another type. The message names the member.
    pub(super) fn spelled(self, mut input: Map<String, Value>) -> Result<Map<String, Value>> {
        let (schema, hidden) = self.request();
        let hidden = hidden.iter().copied().chain(self.is_skill_tool().then_some(ARGUMENTS));
        if let Some(name) = hidden.into_iter().find(|name| input.contains_key(*name)) {
            return Err(wrong(self, &format!("unknown field `{name}`")));
        }
        if self.is_skill_tool()
            && let Some(arguments) = input.remove(ARGS)
        {
            input.insert(ARGUMENTS.to_owned(), arguments);
        }
        let properties = schema.get("properties").and_then(Value::as_object);
        for (name, value) in &mut input {
            let Some(property) = properties.and_then(|properties| properties.get(name)) else { continue };
            if let Some(meant) = MemberKind::of_property(property).and_then(|kind| kind.unquoted(value)) {
                *value = meant;
            }
            if let Some(fault) = fault(property, value) {
                let name = if self.is_skill_tool() && name == ARGUMENTS { ARGS } else { name.as_str() };
                return Err(wrong(self, &format!("{name}{fault}")));
            }
        }
        Ok(input)
    }

    fn required(self) -> Vec<String> {
        let (schema, _) = self.request();
        let names = schema.get("required").and_then(Value::as_array);
        names.into_iter().flatten().filter_map(|name| name.as_str().map(str::to_owned)).collect()
    }

    fn properties(self) -> Map<String, Value> {
        let (mut schema, hidden) = self.request();
        let Some(Value::Object(members)) = schema.get_mut("properties").map(Value::take) else { return Map::new() };
        let is_shown = |name: &str| !(hidden.contains(&name) || self.is_skill_tool() && UNDESCRIBED.contains(&name));
        let spelled = |name: String| if self.is_skill_tool() && name == ARGUMENTS { ARGS.to_owned() } else { name };
        let shown = members.into_iter().filter(|(name, _)| is_shown(name));
        shown.map(|(name, property)| (spelled(name), simplified(property))).collect()
    }
}

/// The fault of the value of a member, as the words behind its name.
fn fault(property: &Value, value: &Value) -> Option<String> {
    if value.is_null() {
        return None;
    }
    let kind = MemberKind::of_property(property)?;
    if !kind.holds(value) {
        return Some(format!(" must be {}, not {}", kind.as_words(), quoted(value)));
    }
    let choices = property.get("enum").and_then(Value::as_array).filter(|choices| !choices.contains(value));
    if let Some(choices) = choices {
        let choices: Vec<_> = choices.iter().filter_map(Value::as_str).collect();
        return Some(format!(" must be {}, not {}", choices.join(" or "), quoted(value)));
    }
    let inner = property.get("additionalProperties").or_else(|| property.get("items"))?;
    let members = value.as_object().into_iter().flatten().map(|(name, value)| (format!(" {name:?}"), value));
    let items = value.as_array().into_iter().flatten().enumerate().map(|(at, value)| (format!("[{at}]"), value));
    members.chain(items).find_map(|(place, value)| Some(format!("{place}{}", fault(inner, value)?)))
}

/// The JSON type of a member.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum MemberKind {
    Text,
    WholeNumber,
    Number,
    Switch,
    List,
    Object,
}

impl MemberKind {
    /// The type in the schema of a property; `None` if it has none or several.
    fn of_property(property: &Value) -> Option<Self> {
        let kinds: Vec<&str> = match property.get("type")? {
            Value::Array(kinds) => kinds.iter().filter_map(Value::as_str).filter(|kind| *kind != "null").collect(),
            kind => kind.as_str().into_iter().collect(),
        };
        let [kind] = kinds[..] else { return None };
        match kind {
            "string" => Some(Self::Text),
            "integer" => Some(Self::WholeNumber),
            "number" => Some(Self::Number),
            "boolean" => Some(Self::Switch),
            "array" => Some(Self::List),
            "object" => Some(Self::Object),
            _ => None,
        }
    }

    /// The value that a text stands for, if it is exactly the JSON of a value of this type: some models quote every value.
    fn unquoted(self, value: &Value) -> Option<Value> {
        let text = value.as_str().filter(|text| self != Self::Text && text.trim() == *text)?;
        serde_json::from_str(text).ok().filter(|meant| self.holds(meant))
    }

    fn holds(self, value: &Value) -> bool {
        match self {
            Self::Text => value.is_string(),
            Self::WholeNumber => value.is_u64(),
            Self::Number => value.is_number(),
            Self::Switch => value.is_boolean(),
            Self::List => value.is_array(),
            Self::Object => value.is_object(),
        }
    }

    const fn as_words(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::WholeNumber => "a whole number",
            Self::Number => "a number",
            Self::Switch => "true or false",
            Self::List => "a list",
            Self::Object => "an object",
        }
    }
}

/// The beginning of a value that does not fit.
fn quoted(value: &Value) -> String {
    let text = value.to_string();
    let begin: String = text.chars().take(QUOTED).collect();
    if begin.len() < text.len() { begin + "…" } else { begin }
}

/// The schema of a document. The schemas that it refers to lie below `$defs`.
fn whole_schema_of<T: ToSchema>() -> Value {
    let mut others = Vec::new();
    T::schemas(&mut others);
    let others: BTreeMap<String, Value> =
        others.into_iter().filter_map(|(name, schema)| Some((name, serde_json::to_value(schema).ok()?))).collect();
    let mut schema = serde_json::to_value(T::schema()).unwrap_or_default();
    if let (Some(members), false) = (schema.as_object_mut(), others.is_empty()) {
        members.insert("$defs".to_owned(), others.into_iter().collect::<Map<_, _>>().into());
    }
    repoint(&mut schema);
    schema
}

/// Points the references of an OpenAPI document to `$defs`.
fn repoint(schema: &mut Value) {
    match schema {
        Value::Object(members) => {
            if let Some(Value::String(reference)) = members.get_mut("$ref") {
                *reference = reference.replace("#/components/schemas/", "#/$defs/");
            }
            members.values_mut().for_each(repoint);
        }
        Value::Array(parts) => parts.iter_mut().for_each(repoint),
        _ => {}
    }
}

/// The schema of a document. Each reference is replaced by its schema.
fn schema_of<T: ToSchema>() -> Value {
    let mut others = Vec::new();
    T::schemas(&mut others);
    let others: Map<String, Value> =
        others.into_iter().filter_map(|(name, schema)| Some((name, serde_json::to_value(schema).ok()?))).collect();
    let mut schema = serde_json::to_value(T::schema()).unwrap_or_default();
    for property in schema.get_mut("properties").and_then(Value::as_object_mut).into_iter().flat_map(Map::values_mut) {
        if let Some(referred) = reference(property).and_then(|name| others.get(name)).and_then(Value::as_object) {
            let description = property.get("description").or_else(|| referred.get("description")).cloned();
            let mut resolved = referred.clone();
            resolved.insert("description".to_owned(), description.unwrap_or_default());
            *property = Value::Object(resolved);
        }
    }
    schema
}

/// The name of the schema that a property refers to, alone or beside its own words.
fn reference(property: &Value) -> Option<&str> {
    let parts = ["allOf", "oneOf"].iter().find_map(|many| property.get(*many)?.as_array());
    let named = parts.into_iter().flatten().chain([property]).find_map(|part| part.get("$ref")?.as_str());
    named?.rsplit('/').next()
}

/// A property as it is described to a model.
fn simplified(property: Value) -> Value {
    let Value::Object(mut property) = property else { return property };
    for needless in ["format", "default"] {
        property.remove(needless);
    }
    if let Some(Value::Array(kinds)) = property.get("type") {
        let kind = kinds.iter().find(|kind| kind.as_str() != Some("null")).cloned();
        property.insert("type".to_owned(), kind.unwrap_or_default());
    }
    Value::Object(property)
}

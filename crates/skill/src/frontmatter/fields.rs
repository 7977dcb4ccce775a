//! The fields and their meaning.
//!
//! Every field may have the wrong type: text as a number, a list as a comma string. Only a missing description is an
//! error. Other unusable values are reported and stay readable in `fields`.

use std::collections::{BTreeMap, HashSet};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use unicode_normalization::UnicodeNormalization;

use super::{source::FieldText, yaml::Node};
use crate::{Diagnostic, FindingCode};
use skillmount_base::limits::{SKILL_FINDINGS, SKILL_PARAMETERS};

/// The frontmatter of a SKILL.md, leniently read.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Frontmatter {
    /// The skill's name; `None` if it gives none and the folder's name is used.
    pub name: Option<String>,
    /// The purpose of the skill and when to use it; empty if it gives none.
    pub description: String,
    /// The license, as free text.
    pub license: Option<String>,
    /// The requirements of the skill.
    pub compatibility: Option<String>,
    /// Further facts, as text.
    pub metadata: BTreeMap<String, String>,
    /// Tools that its author expects, in any of the three written forms. Advice, never a grant.
    pub allowed_tools: Vec<String>,
    /// When to use it, in addition to the description.
    pub when_to_use: Option<String>,
    /// Phrases that trigger it.
    pub triggers: Vec<String>,
    /// Words to find it by.
    pub tags: Vec<String>,
    /// More words to find it by.
    pub keywords: Vec<String>,
    /// Its level, in the author's words.
    pub level: Option<String>,
    /// Whether only a person may call the skill (`/name`), so that no listing for a model shows the skill.
    pub disable_model_invocation: bool,
    /// Whether a person may call it as `/name`; true by default.
    pub user_invocable: bool,
    /// The hint for a person who types `/name`.
    pub argument_hint: Option<String>,
    /// Parameters of its body.
    pub parameters: Vec<Parameter>,
    /// Every field as written, known and unknown, in order.
    pub fields: Map<String, Value>,
}

/// A parameter that the body of a skill takes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Parameter {
    /// Its name in `{{name}}`.
    pub name: String,
    /// The question to the user.
    #[serde(default)]
    pub description: String,
    /// Whether the skill needs it.
    #[serde(default)]
    pub required: bool,
    /// The default value.
    pub default: Option<String>,
}

/// Reads the fields of a parsed block. Without a description, `description` is empty and the findings have an error.
pub(super) fn read(node: Node, source: &FieldText<'_>, folder: &str) -> (Frontmatter, Vec<Diagnostic>) {
    let pairs = match node {
        Node::Map(pairs) => pairs,
        _ => Vec::new(),
    };
    let mut fields = Fields { pairs, source, found: Vec::new() };
    fields.duplicates();
    let frontmatter = Frontmatter {
        name: fields.name(folder),
        description: fields.description(),
        license: fields.text("license"),
        compatibility: fields.text("compatibility"),
        metadata: fields.metadata(),
        allowed_tools: fields.list("allowed-tools", words),
        when_to_use: fields.text("when-to-use"),
        triggers: fields.list_anywhere("triggers"),
        tags: fields.list_anywhere("tags"),
        keywords: fields.list_anywhere("keywords"),
        level: fields.text("level").or_else(|| fields.in_metadata("level").and_then(plain_text)),
        disable_model_invocation: fields.flag("disable-model-invocation", false),
        user_invocable: fields.flag("user-invocable", true),
        argument_hint: fields.in_either("argument-hint").and_then(Node::to_text),
        parameters: fields.parameters(),
        fields: fields.pairs.iter().map(|(key, node)| (key.clone(), node.to_json())).collect(),
    };
    (frontmatter, fields.found)
}

struct Fields<'a> {
    pairs: Vec<(String, Node)>,
    source: &'a FieldText<'a>,
    found: Vec<Diagnostic>,
}

impl Fields<'_> {
    /// The value of `key`, whether `-` or `_` joins its words. The last of several counts.
    fn get(&self, key: &str) -> Option<&Node> {
        find(&self.pairs, key)
    }

    fn in_metadata(&self, key: &str) -> Option<&Node> {
        match self.get("metadata")? {
            Node::Map(pairs) => find(pairs, key),
            _ => None,
        }
    }

    fn in_either(&self, key: &str) -> Option<&Node> {
        self.get(key).or_else(|| self.in_metadata(key))
    }

    fn warn(&mut self, code: FindingCode, key: &str, message: impl Into<String>) {
        let finding = self.source.place(Diagnostic::new(code, message), key);
        self.found.push(finding);
    }

    /// One finding for each repeated key, at its second place.
    fn duplicates(&mut self) {
        let mut seen = BTreeMap::new();
        for (key, _) in &self.pairs {
            *seen.entry(key.as_str()).or_insert(0_usize) += 1;
        }
        let doubled = seen.iter().filter(|(_, count)| **count > 1).map(|(key, _)| *key);
        // One more than are shown, so that the surplus is reported.
        for key in doubled.take(SKILL_FINDINGS + 1) {
            let message = format!("{key} stands more than once and the last one counts: keep one");
            let finding = Diagnostic::new(FindingCode::DuplicateKey, message);
            self.found.push(match self.source.line_of(key, 1) {
                Some(line) => finding.at(line, 1),
                None => finding,
            });
        }
    }

    fn name(&mut self, folder: &str) -> Option<String> {
        let Some(name) = self.text("name") else {
            let message = format!("the skill has no name, so its folder's is used: add `name: {folder}`");
            self.warn(FindingCode::NameMissing, "name", message);
            return None;
        };
        if !name.nfkc().eq(folder.nfkc()) {
            let message = format!("the name {name:?} differs from the folder {folder:?}: make them the same");
            self.warn(FindingCode::NameDiffers, "name", message);
        }
        Some(name)
    }

    fn description(&mut self) -> String {
        let text = self.text("description").unwrap_or_default();
        if text.is_empty() {
            let message = "the skill has no description, so nothing can tell when to use it: add `description: …`";
            self.warn(FindingCode::DescriptionMissing, "description", message);
        }
        text
    }

    /// A field of text. Blank text counts as missing. A list or map is reported.
    fn text(&mut self, key: &str) -> Option<String> {
        let node = self.get(key)?;
        if let Node::Sequence(_) | Node::Map(_) = node {
            self.warn(FindingCode::FieldNotText, key, format!("{key} must be text: it was left out"));
            return None;
        }
        plain_text(node)
    }

    fn flag(&mut self, key: &str, default: bool) -> bool {
        let Some(node) = self.get(key) else { return default };
        boolean(node).unwrap_or_else(|| {
            self.warn(FindingCode::FieldNotBoolean, key, format!("{key} must be true or false: {default} was taken"));
            default
        })
    }

    fn list(&self, key: &str, cut: fn(&str) -> Vec<String>) -> Vec<String> {
        self.get(key).map_or_else(Vec::new, |node| items(node, cut))
    }

    /// A list that the specification has no field for: from a field of its own, or from the same name under `metadata`.
    fn list_anywhere(&self, key: &str) -> Vec<String> {
        self.in_either(key).map_or_else(Vec::new, |node| items(node, commas))
    }

    fn metadata(&mut self) -> BTreeMap<String, String> {
        match self.get("metadata") {
            Some(Node::Map(pairs)) => {
                pairs.iter().map(|(key, node)| (key.clone(), node.to_text().unwrap_or_default())).collect()
            }
            None | Some(Node::Null) => BTreeMap::new(),
            Some(_) => {
                self.warn(FindingCode::MetadataNotAMap, "metadata", "metadata must be a map: it was left out");
                BTreeMap::new()
            }
        }
    }

    /// `parameters`, or the named `arguments` of Claude Code. Unusable ones are reported and left out.
    fn parameters(&mut self) -> Vec<Parameter> {
        let mut declared = self.declared();
        let key = self.parameters_key();
        let mut seen = HashSet::new();
        declared.retain(|(one, _)| {
            let (code, message) = match (one.name.is_empty(), seen.insert(one.name.clone())) {
                (true, _) => {
                    (FindingCode::ParameterUnnamed, "a parameter has no name and was left out: give it one".to_owned())
                }
                (false, false) => {
                    let message =
                        format!("the parameter {} is declared more than once and the first counts: keep one", one.name);
                    (FindingCode::ParameterDuplicate, message)
                }
                (false, true) => return true,
            };
            self.found.push(self.source.place(Diagnostic::new(code, message), key));
            false
        });
        if declared.len() > SKILL_PARAMETERS {
            let message = format!("more than {SKILL_PARAMETERS} parameters are declared: the rest was left out");
            self.warn(FindingCode::TooManyParameters, key, message);
            declared.truncate(SKILL_PARAMETERS);
        }
        for (one, _) in declared.iter().filter(|(_, is_clear)| !is_clear) {
            let message = format!("`required` of the parameter {} must be true or false: false was taken", one.name);
            self.warn(FindingCode::FieldNotBoolean, key, message);
        }
        declared.into_iter().map(|(one, _)| one).collect()
    }

    /// The top-level field that contains the parameters.
    fn parameters_key(&self) -> &'static str {
        match (self.get("parameters"), self.in_metadata("parameters")) {
            (Some(_), _) => "parameters",
            (None, Some(_)) => "metadata",
            (None, None) => "arguments",
        }
    }

    /// Every declaration, and whether its `required` is clear.
    fn declared(&self) -> Vec<(Parameter, bool)> {
        match (self.in_either("parameters"), self.get("arguments")) {
            (Some(Node::Map(pairs)), _) => pairs.iter().map(|(name, node)| parameter(Some(name), node)).collect(),
            (Some(Node::Sequence(items)), _) | (None, Some(Node::Sequence(items))) => {
                items.iter().map(|node| parameter(None, node)).collect()
            }
            (Some(node), _) | (None, Some(node)) => {
                items(node, words).into_iter().map(|name| (Parameter { name, ..Parameter::default() }, true)).collect()
            }
            (None, None) => Vec::new(),
        }
    }
}

fn find<'a>(pairs: &'a [(String, Node)], key: &str) -> Option<&'a Node> {
    pairs.iter().rev().find(|(name, _)| name == key || name.replace('_', "-") == key).map(|(_, node)| node)
}

/// One declaration: a name alone, a map with a name, or the value beside a name (a map, or the description alone). Also
/// returns whether its `required` is clear.
fn parameter(name: Option<&str>, node: &Node) -> (Parameter, bool) {
    let own = name.map(str::to_owned);
    let Node::Map(pairs) = node else {
        let text = plain_text(node).unwrap_or_default();
        let declared = match own {
            Some(name) => Parameter { name, description: text, ..Parameter::default() },
            None => Parameter { name: text, ..Parameter::default() },
        };
        return (declared, true);
    };
    let text = |key| find(pairs, key).and_then(plain_text);
    let required = find(pairs, "required").map_or(Some(false), boolean);
    let declared = Parameter {
        name: own.or_else(|| text("name")).unwrap_or_default(),
        description: text("description").unwrap_or_default(),
        required: required.unwrap_or_default(),
        default: find(pairs, "default").and_then(Node::to_text),
    };
    (declared, required.is_some())
}

/// A scalar as a boolean, in any of the words that YAML readers take for true and false.
fn boolean(node: &Node) -> Option<bool> {
    match node.to_text()?.to_lowercase().as_str() {
        "true" | "yes" | "on" | "1" => Some(true),
        "false" | "no" | "off" | "0" => Some(false),
        _ => None,
    }
}

/// The trimmed text of a scalar; `None` for blank text and for anything else.
fn plain_text(node: &Node) -> Option<String> {
    match node {
        Node::Scalar { text, .. } if !text.trim().is_empty() => Some(text.trim().to_owned()),
        _ => None,
    }
}

/// A list in any of its forms. An item that YAML reads as `key: value` was meant as text.
fn items(node: &Node, cut: fn(&str) -> Vec<String>) -> Vec<String> {
    match node {
        Node::Null => Vec::new(),
        Node::Scalar { text, .. } => cut(text.trim().trim_start_matches('[').trim_end_matches(']')),
        Node::Sequence(nodes) => nodes.iter().filter_map(item).collect(),
        Node::Map(pairs) => pairs.iter().map(|(key, _)| key.clone()).collect(),
    }
}

fn item(node: &Node) -> Option<String> {
    match node {
        Node::Map(pairs) => match pairs.as_slice() {
            [(key, value)] => Some(value.to_text().map_or_else(|| key.clone(), |text| format!("{key}: {text}"))),
            _ => node.to_text(),
        },
        Node::Sequence(_) => node.to_text(),
        scalar => plain_text(scalar),
    }
}

fn commas(text: &str) -> Vec<String> {
    text.split([',', '\n']).map(str::trim).filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

/// Words between spaces or commas, but never cut inside parentheses: `Bash(git add:*), Read`.
fn words(text: &str) -> Vec<String> {
    let mut depth = 0_usize;
    let cut = |c: char| {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth == 0 && (c == ',' || c.is_whitespace())
    };
    text.split(cut).filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

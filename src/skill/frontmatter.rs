//! The YAML block at the head of a SKILL.md.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// What the frontmatter of a SKILL.md says, leniently read.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Frontmatter {
    /// The skill's name; `None` where it gives none and the folder's name stands in.
    pub name: Option<String>,
    /// What the skill is for and when to use it; empty where it gives none.
    pub description: String,
    /// Free text.
    pub license: Option<String>,
    /// What it needs to run.
    pub compatibility: Option<String>,
    /// Further facts, all as text.
    pub metadata: BTreeMap<String, String>,
    /// Tools its author expects, whichever of the three forms they were written in. Advice, never a grant.
    pub allowed_tools: Vec<String>,
    /// When to use it, beside the description.
    pub when_to_use: Option<String>,
    /// Phrases that call for it.
    pub triggers: Vec<String>,
    /// Words to find it by.
    pub tags: Vec<String>,
    /// More words to find it by.
    pub keywords: Vec<String>,
    /// How advanced it is, in the author's words.
    pub level: Option<String>,
    /// Whether only a person may call it (`/name`), so that no listing for a model shows it.
    pub disable_model_invocation: bool,
    /// Whether a person may call it as `/name`; true unless it says otherwise.
    pub user_invocable: bool,
    /// What to show a person who types `/name`.
    pub argument_hint: Option<String>,
    /// Parameters of its body.
    pub parameters: Vec<Parameter>,
    /// Every field as it was written, known and unknown, in order.
    pub fields: Map<String, Value>,
}

/// A parameter that the body of a skill takes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Parameter {
    /// Its name in `{{name}}`.
    pub name: String,
    /// What to ask the user for.
    #[serde(default)]
    pub description: String,
    /// Whether the skill cannot be followed without it.
    #[serde(default)]
    pub required: bool,
    /// The value where none is given.
    #[serde(default)]
    pub default: Option<String>,
}

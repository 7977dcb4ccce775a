//! The YAML block at the head of a SKILL.md.
//!
//! Four steps, each of its own file: `split` finds the block, `guard` refuses what would be slow to parse, `yaml` parses
//! (the only code that speaks to the YAML engine) and `fields` gives meaning to what was parsed. `repair` stands beside
//! `yaml`: where the block does not parse, values that are not YAML on their own are quoted and it is parsed again.

mod fields;
mod guard;
mod repair;
mod split;
mod yaml;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use self::repair::Repairs;
pub(super) use self::split::{Split, decode, saturating, split};
use super::{Diagnostic, diagnostic::first_few};

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

/// A frontmatter block as it was read, and what had to be done to read it.
#[derive(Debug)]
pub(super) struct Parsed {
    /// What it says.
    pub frontmatter: Frontmatter,
    /// What was found on the way, repairs included.
    pub diagnostics: Vec<Diagnostic>,
    /// The block as its author should have written it, where it needed repairs that are beyond doubt.
    pub repaired: Option<String>,
}

/// Parses the block that `split` found, repairing what can be repaired.
///
/// # Errors
/// The finding that leaves the skill out: `frontmatter_too_large`, `frontmatter_too_deep`, `yaml_invalid` or
/// `frontmatter_not_a_map`.
pub(super) fn parse(split: &Split, folder: &str) -> Result<Parsed, Diagnostic> {
    guard::check(split)?;
    let (node, Repairs { text, mut findings }) = match yaml::parse(&split.yaml) {
        Ok(node) if node.is_fields() => (node, Repairs::default()),
        first => repair::parse_repaired(split, first)?,
    };
    let (frontmatter, found) = fields::read(node, &Source::from(split), folder);
    findings.extend(found);
    Ok(Parsed { frontmatter, diagnostics: first_few(findings), repaired: text })
}

/// The line `name: …` that gives a skill this name, in quotes where some reader would not take it for text.
pub(super) fn name_line(name: &str) -> String {
    // YAML 1.1, which many readers still speak, takes these for booleans.
    let is_boolean = ["y", "yes", "on", "n", "no", "off"].contains(&name);
    let is_text =
        matches!(yaml::parse(name), Ok(yaml::Node::Scalar { value: Value::String(text), .. }) if text == name);
    format!("name: {}\n", if is_text && !is_boolean { name.to_owned() } else { repair::quoted(name) })
}

/// The text a field was read from, to say where it stands.
pub(super) struct Source<'a> {
    yaml: &'a str,
    first_line: u32,
}

impl<'a> From<&'a Split> for Source<'a> {
    fn from(split: &'a Split) -> Self {
        Self { yaml: &split.yaml, first_line: split.yaml_line }
    }
}

impl Source<'_> {
    /// The line of SKILL.md on which the top-level `key` stands for the `nth` time, counted from zero.
    pub(super) fn line_of(&self, key: &str, nth: usize) -> Option<u32> {
        let names_key = |line: &str| {
            let quote = line.chars().next().filter(|c| matches!(c, '"' | '\''));
            let line = quote.map_or(line, |quote| line.trim_start_matches(quote));
            let after = line.strip_prefix(key).map(|rest| quote.map_or(rest, |quote| rest.trim_start_matches(quote)));
            after.is_some_and(|rest| rest.trim_start().starts_with(':'))
        };
        let at = self.yaml.lines().enumerate().filter(|(_, line)| names_key(line)).nth(nth)?.0;
        u32::try_from(at).ok().map(|at| self.first_line.saturating_add(at))
    }

    /// `finding`, placed at the top-level `key` where that can be told.
    pub(super) fn place(&self, finding: Diagnostic, key: &str) -> Diagnostic {
        match self.line_of(key, 0) {
            Some(line) => finding.at(line, 1),
            None => finding,
        }
    }
}

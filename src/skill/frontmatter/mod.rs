//! The YAML block at the head of a SKILL.md.
//!
//! Four steps have a file each: `split` finds the block, `guard` refuses blocks that are slow to parse, `yaml` parses
//! (the only code that uses the YAML engine) and `fields` interprets the result. If the block does not parse, `repair`
//! quotes the values that are not YAML on their own and parses it again.

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
    /// Whether only a person may call it (`/name`), so that no listing for a model shows it.
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
    #[serde(default)]
    pub default: Option<String>,
}

/// A frontmatter block and its repairs.
#[derive(Debug)]
pub(super) struct ParsedFrontmatter {
    /// The frontmatter.
    pub frontmatter: Frontmatter,
    /// The findings, repairs included.
    pub diagnostics: Vec<Diagnostic>,
    /// The block as its author should have written it, if it needed repairs and none of them is in doubt.
    pub repaired: Option<String>,
}

/// Parses the block that `split` found, with repairs if necessary.
///
/// # Errors
/// The finding that leaves the skill out: `frontmatter_too_large`, `frontmatter_too_deep`, `yaml_invalid` or
/// `frontmatter_not_a_map`.
pub(super) fn parse(split: &Split, folder: &str) -> Result<ParsedFrontmatter, Diagnostic> {
    guard::check(split)?;
    let (node, Repairs { text, mut findings }) = match yaml::parse(&split.yaml) {
        Ok(node) if node.is_fields() => (node, Repairs::default()),
        first => repair::parse_repaired(split, first)?,
    };
    let (frontmatter, found) = fields::read(node, &Source::from(split), folder);
    findings.extend(found);
    Ok(ParsedFrontmatter { frontmatter, diagnostics: first_few(findings), repaired: text })
}

/// The line `name: …` that gives a skill this name, in quotes if some reader would not read it as text.
pub(super) fn name_line(name: &str) -> String {
    // YAML 1.1, which many readers still use, reads these as booleans.
    let is_boolean = ["y", "yes", "on", "n", "no", "off"].contains(&name);
    let is_text =
        matches!(yaml::parse(name), Ok(yaml::Node::Scalar { value: Value::String(text), .. }) if text == name);
    format!("name: {}\n", if is_text && !is_boolean { name.to_owned() } else { repair::quoted(name) })
}

/// The text of the fields, to find the line of each.
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
    /// The line of SKILL.md with the `nth` occurrence of the top-level `key`, counted from zero.
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

    /// `finding`, placed at the top-level `key` if its line is known.
    pub(super) fn place(&self, finding: Diagnostic, key: &str) -> Diagnostic {
        match self.line_of(key, 0) {
            Some(line) => finding.at(line, 1),
            None => finding,
        }
    }
}

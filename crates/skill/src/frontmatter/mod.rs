//! The YAML block at the head of a SKILL.md.
//!
//! Four steps have a file each: `split` finds the block, `guard` refuses blocks that are slow to parse, `yaml` parses
//! (the only code that uses the YAML engine) and `fields` interprets the result. If the block does not parse, `repair`
//! quotes the values that are not YAML on their own and parses it again.

mod fields;
mod guard;
mod headed;
mod known;
mod repair;
mod source;
mod split;
mod yaml;

use serde_json::Value;

pub use self::fields::{Frontmatter, Parameter};
use self::repair::Repairs;
pub(super) use self::{
    known::KNOWN_FIELDS,
    source::FieldText,
    split::{Delimiter, Split, decode, is_delimiter, split},
};
use super::{Diagnostic, FindingCode, diagnostic::first_few};

/// A frontmatter block and its repairs.
#[derive(Debug)]
pub(super) struct ParsedFrontmatter {
    /// The frontmatter.
    pub frontmatter: Frontmatter,
    /// The findings, repairs included.
    pub diagnostics: Vec<Diagnostic>,
    /// The block as its author should have written it, if the block needed repairs and none of the repairs is in doubt.
    pub repaired: Option<String>,
}

/// Parses the block that `split` found, with repairs if necessary.
///
/// # Errors
/// The finding that leaves the skill out: `frontmatter_too_large`, `frontmatter_too_deep`, `yaml_invalid` or
/// `frontmatter_not_a_map`.
pub(super) fn parse(split: &Split, folder: &str) -> Result<ParsedFrontmatter, Diagnostic> {
    if let Delimiter::Absent(description) = &split.form {
        return Ok(derived(description, folder));
    }
    guard::check(split)?;
    let (node, Repairs { text, mut findings }) = match yaml::parse(&split.yaml) {
        Ok(node) if node.is_fields() => (node, Repairs::default()),
        first => repair::parse_repaired(split, first)?,
    };
    let (frontmatter, found) = fields::read(node, &FieldText::from(split), folder);
    findings.extend(found);
    if let Delimiter::Glued(line) = split.form {
        let message = "text stands on the line that ends the frontmatter: put it on a line of its own below `---`";
        findings.push(Diagnostic::new(FindingCode::FrontmatterGlued, message).at(line, 1));
    }
    Ok(ParsedFrontmatter { frontmatter, diagnostics: first_few(findings), repaired: text })
}

/// The frontmatter of a file that has none.
fn derived(description: &str, folder: &str) -> ParsedFrontmatter {
    let message = format!(
        "SKILL.md has no frontmatter, so its folder's name and its first paragraph are used: begin it with a `---` line, \
         `name: {folder}`, `description: …` and a `---` line"
    );
    let frontmatter =
        Frontmatter { description: description.to_owned(), user_invocable: true, ..Frontmatter::default() };
    let found = Diagnostic::new(FindingCode::FrontmatterAbsent, message).at(1, 1);
    ParsedFrontmatter { frontmatter, diagnostics: vec![found], repaired: None }
}

/// The value of a YAML document that is no frontmatter, as JSON. JSON is YAML too.
///
/// # Errors
/// Why the text cannot be read, with line and column.
pub fn yaml_value(text: &str) -> Result<Value, String> {
    if let Some((line, column)) = guard::too_deep(text) {
        return Err(format!("line {}, column {column}: too many `[` or `{{` are open here", line + 1));
    }
    // A node costs a byte or more, so that only aliases and keys can need more than this.
    let node = yaml::parse_within(text, text.len().saturating_mul(2).saturating_add(1)).map_err(|fault| match fault
        .place
    {
        Some((line, column)) => format!("line {line}, column {column}: {}", fault.message),
        None => fault.message,
    })?;
    Ok(node.to_json())
}

/// The line `name: …` that gives a skill this name, in quotes if some reader would not read it as text.
pub(super) fn name_line(name: &str) -> String {
    // YAML 1.1, which many readers still use, reads these as booleans.
    let is_boolean = ["y", "yes", "on", "n", "no", "off"].contains(&name);
    let is_text =
        matches!(yaml::parse(name), Ok(yaml::Node::Scalar { value: Value::String(text), .. }) if text == name);
    format!("name: {}\n", if is_text && !is_boolean { name.to_owned() } else { repair::quoted(name) })
}

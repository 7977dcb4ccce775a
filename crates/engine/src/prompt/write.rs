//! The parts of a prompt as text, in each format.
//!
//! Every skill is one line, and no line depends on another: so the tokens of a listing are the sum of its lines', and a
//! budget can be met by choosing lines.

use std::{borrow::Cow, fmt::Write as _};

use serde_json::{Value, json};

use super::items::{Current, Detail, Item};
use crate::{skill::shown::SafeText, wire::Format};

/// A prompt before it is text.
#[derive(Debug, Default)]
pub(super) struct PromptParts<'a> {
    /// How to use the listing: sentences of ours, with texts of skills as [`Writer::quote`] writes them.
    pub(super) guidance: String,
    /// The skills, and how much to show of each.
    pub(super) listing: Vec<(&'a Item, Detail)>,
    /// Other sentences for the reader, written in the same way.
    pub(super) notes: Vec<String>,
    /// The skill whose instructions follow.
    pub(super) current: Option<&'a Current>,
}

/// Writes one format.
#[derive(Clone, Copy, Debug)]
pub(super) struct Writer(pub(super) Format);

impl Writer {
    /// The whole prompt.
    pub(super) fn write(self, parts: &PromptParts<'_>) -> String {
        if self.0 == Format::Json {
            return json_document(self, parts);
        }
        let mut sections = vec![self.prose(&parts.guidance)];
        sections.extend(self.listing(&parts.listing));
        if !parts.notes.is_empty() {
            sections.push(self.prose(&parts.notes.join("\n")));
        }
        if let Some(current) = parts.current {
            sections.push(self.prose(&format!("Instructions of {}:", self.quote(&current.skill))));
            sections.push(current.body.fenced());
        }
        sections.join("\n\n")
    }

    /// One skill; empty where it is hidden. Ends with a line end.
    pub(super) fn line(self, item: &Item, detail: Detail) -> String {
        match (detail, self.0) {
            (Detail::Hidden, _) => String::new(),
            (Detail::Full(chars), format) => full_line(format, item, &item.description.shortened(chars)),
            (Detail::Name, format) => name_line(format, item),
        }
    }

    /// The lines around skills of one category; `None` if each line names its own category.
    pub(super) fn group(self, category: &SafeText) -> Option<(String, String)> {
        (self.0 == Format::Xml && !category.is_empty())
            .then(|| (format!("<category name=\"{}\">\n", category.xml()), "</category>\n".to_owned()))
    }

    /// Text of a skill within a sentence of ours.
    pub(super) fn quote(self, text: &SafeText) -> Cow<'_, str> {
        match self.0 {
            Format::Xml => text.xml(),
            Format::Markdown => text.inline(),
            // A comment ends with its line, and a document of JSON escapes the whole sentence.
            Format::Yaml | Format::Json => Cow::Borrowed(text.plain()),
        }
    }

    /// Sentences where the format has a place for them.
    fn prose(self, text: &str) -> String {
        match self.0 {
            Format::Yaml => text.lines().map(|line| format!("# {line}")).collect::<Vec<_>>().join("\n"),
            Format::Xml | Format::Markdown | Format::Json => text.to_owned(),
        }
    }

    fn listing(self, items: &[(&Item, Detail)]) -> Option<String> {
        let lines = self.lines(items);
        if lines.is_empty() {
            return None;
        }
        Some(match self.0 {
            Format::Xml => format!("<available_skills>\n{lines}</available_skills>"),
            Format::Yaml => format!("{lines}---"),
            Format::Markdown | Format::Json => lines.trim_end().to_owned(),
        })
    }

    /// The lines in order; in YAML, which has no line for a name alone, those names come last, in one block.
    fn lines(self, items: &[(&Item, Detail)]) -> String {
        let mut text = String::new();
        let mut open: Option<(&SafeText, String)> = None;
        let mut names = String::new();
        for (item, detail) in items {
            if self.0 == Format::Yaml && *detail == Detail::Name {
                names.push_str(&self.line(item, *detail));
                continue;
            }
            if open.as_ref().is_none_or(|(category, _)| category.plain() != item.category.plain()) {
                text.push_str(&open.take().map(|(_, close)| close).unwrap_or_default());
                let (opening, close) = self.group(&item.category).unwrap_or_default();
                text.push_str(&opening);
                open = Some((&item.category, close));
            }
            text.push_str(&self.line(item, *detail));
        }
        text.push_str(&open.map(|(_, close)| close).unwrap_or_default());
        if !names.is_empty() {
            text.push_str("---\nlocations:\n");
            text.push_str(&names);
        }
        text
    }
}

fn full_line(format: Format, item: &Item, description: &SafeText) -> String {
    let Item { name, category, location, .. } = item;
    match format {
        Format::Xml => {
            let (name, location, description) = (name.xml(), location.xml(), description.xml());
            format!("<skill name=\"{name}\" location=\"{location}\">{description}</skill>\n")
        }
        Format::Yaml => {
            let mut block = "---\n".to_owned();
            let fields = [("name", name), ("description", description), ("category", category), ("location", location)];
            for (field, value) in fields {
                // Writing to a string cannot fail; a JSON string is a YAML scalar.
                let _ = writeln!(block, "{field}: {}", json!(value));
            }
            block
        }
        Format::Markdown => format!("{}: {}\n", markdown_name(item), description.inline()),
        Format::Json => {
            let object =
                json!({ "name": name, "description": description, "category": category, "location": location });
            format!("{object},\n")
        }
    }
}

fn name_line(format: Format, item: &Item) -> String {
    let location = &item.location;
    let name = (!item.is_named_by_location()).then_some(&item.name);
    match (format, name) {
        (Format::Xml, None) => format!("<skill location=\"{}\"/>\n", location.xml()),
        (Format::Xml, Some(name)) => format!("<skill name=\"{}\" location=\"{}\"/>\n", name.xml(), location.xml()),
        (Format::Yaml, None) => format!("- {}\n", json!(location)),
        (Format::Yaml, Some(name)) => format!("- {}\n", json!({ "name": name, "location": location })),
        (Format::Markdown, _) => format!("{}\n", markdown_name(item)),
        (Format::Json, None) => format!("{},\n", json!(location)),
        (Format::Json, Some(name)) => format!("{},\n", json!({ "name": name, "location": location })),
    }
}

fn markdown_name(item: &Item) -> String {
    if item.is_named_by_location() {
        return format!("- {}", item.location.at_line_start());
    }
    format!("- {} ({})", item.location.at_line_start(), item.name.inline())
}

/// One JSON object, with one skill a line. Skills of which only the name fits stand in a member of their own.
fn json_document(writer: Writer, parts: &PromptParts<'_>) -> String {
    let mut members = vec![format!("\"instructions\":{}", Value::from(parts.guidance.as_str()))];
    let (named, full): (Vec<_>, Vec<_>) = parts.listing.iter().partition(|(_, detail)| *detail == Detail::Name);
    for (member, listing) in [("available_skills", full), ("available_by_name", named)] {
        let lines: String = listing.iter().map(|(item, detail)| writer.line(item, *detail)).collect();
        if !lines.is_empty() {
            members.push(format!("\"{member}\":[\n{}\n]", lines.trim_end_matches(",\n")));
        }
    }
    if !parts.notes.is_empty() {
        members.push(format!("\"notes\":{}", json!(parts.notes)));
    }
    if let Some(current) = parts.current {
        let Current { skill, name, mount, body, .. } = current;
        let files = format!("/skills/{}", mount.plain());
        let object = json!({ "skill": skill, "name": name, "files": files, "body": body });
        members.push(format!("\"current_skill\":{object}"));
    }
    format!("{{{}}}", members.join(",\n"))
}

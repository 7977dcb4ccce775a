//! The parts of a prompt as text, in each format.
//!
//! Every skill is one line, and no line depends on another: so the tokens of a listing are the sum of its lines', and a
//! budget can be met by choosing lines.

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::{
    fit::Detail,
    items::{Item, line, shorten},
    request::{CurrentSkill, Format},
};
use crate::skill::{fence, sanitize, xml_escape};

/// A prompt before it is text: nothing in it is escaped.
#[derive(Debug, Default)]
pub(super) struct Parts<'a> {
    /// What to do with what follows.
    pub(super) guidance: String,
    /// The skills, and how much to show of each.
    pub(super) listing: Vec<(&'a Item, Detail)>,
    /// What the reader should know besides.
    pub(super) notes: Vec<String>,
    /// The skill whose instructions follow.
    pub(super) current: Option<&'a CurrentSkill>,
}

/// Writes one format.
#[derive(Clone, Copy, Debug)]
pub(super) struct Writer(pub(super) Format);

impl Writer {
    /// The whole prompt.
    pub(super) fn write(self, parts: &Parts<'_>) -> String {
        if self.0 == Format::Json {
            return json_document(self, parts);
        }
        let mut sections = vec![self.prose(&parts.guidance)];
        sections.extend(self.listing(&parts.listing));
        if !parts.notes.is_empty() {
            sections.push(self.prose(&parts.notes.join("\n")));
        }
        if let Some(current) = parts.current {
            sections.push(self.prose(&format!("Instructions of {}:", line(current.skill.as_str()).0)));
            sections.push(fence(&sanitize(&current.body).0));
        }
        sections.join("\n\n")
    }

    /// One skill; empty where it is hidden. Ends with a line end.
    pub(super) fn line(self, item: &Item, detail: Detail) -> String {
        match (detail, self.0) {
            (Detail::Hidden, _) => String::new(),
            (Detail::Full(chars), format) => full_line(format, item, &shorten(&item.description, chars.0)),
            (Detail::Name, format) => name_line(format, item),
        }
    }

    /// The lines around skills of one category; `None` where each line tells its own.
    pub(super) fn group(self, category: &str) -> Option<(String, String)> {
        (self.0 == Format::Xml && !category.is_empty())
            .then(|| (format!("<category name=\"{}\">\n", xml_escape(category)), "</category>\n".to_owned()))
    }

    /// Sentences of ours, which may quote names of skills.
    fn prose(self, text: &str) -> String {
        match self.0 {
            Format::Xml => xml_escape(text).into_owned(),
            Format::Yaml => text.lines().map(|line| format!("# {line}")).collect::<Vec<_>>().join("\n"),
            Format::Markdown => text.replace('<', "\\<"),
            Format::Json => text.to_owned(),
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
        let mut open: Option<(&str, String)> = None;
        let mut names = String::new();
        for (item, detail) in items {
            if self.0 == Format::Yaml && *detail == Detail::Name {
                names.push_str(&self.line(item, *detail));
                continue;
            }
            if open.as_ref().is_none_or(|(category, _)| *category != item.category) {
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

fn full_line(format: Format, item: &Item, description: &str) -> String {
    let Item { name, category, location, .. } = item;
    match format {
        Format::Xml => format!(
            "<skill name=\"{}\" location=\"{}\">{}</skill>\n",
            xml_escape(name),
            xml_escape(location),
            xml_escape(description)
        ),
        Format::Yaml => {
            let mut block = "---\n".to_owned();
            let fields =
                [("name", name.as_str()), ("description", description), ("category", category), ("location", location)];
            for (field, value) in fields {
                // Writing to a string cannot fail; a JSON string is a YAML scalar.
                let _ = writeln!(block, "{field}: {}", Value::from(value));
            }
            block
        }
        Format::Markdown => format!("{}: {}\n", markdown_name(item), markdown(description)),
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
        (Format::Xml, None) => format!("<skill location=\"{}\"/>\n", xml_escape(location)),
        (Format::Xml, Some(name)) => {
            format!("<skill name=\"{}\" location=\"{}\"/>\n", xml_escape(name), xml_escape(location))
        }
        (Format::Yaml, None) => format!("- {}\n", Value::from(location.as_str())),
        (Format::Yaml, Some(name)) => format!("- {}\n", json!({ "name": name, "location": location })),
        (Format::Markdown, _) => format!("{}\n", markdown_name(item)),
        (Format::Json, None) => format!("{},\n", Value::from(location.as_str())),
        (Format::Json, Some(name)) => format!("{},\n", json!({ "name": name, "location": location })),
    }
}

fn markdown_name(item: &Item) -> String {
    if item.is_named_by_location() {
        return format!("- {}", markdown(&item.location));
    }
    format!("- {} ({})", markdown(&item.location), markdown(&item.name))
}

/// Text that stays in its line of a list, and opens no tag.
fn markdown(text: &str) -> String {
    text.replace('<', "\\<")
}

/// One object; skills are one to a line, and those of which only the name fits come apart.
fn json_document(writer: Writer, parts: &Parts<'_>) -> String {
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
        let CurrentSkill { skill, name, mount, body } = current;
        let object = json!({
            "skill": line(skill.as_str()).0,
            "name": line(name).0,
            "files": format!("/skills/{mount}"),
            "body": sanitize(body).0,
        });
        members.push(format!("\"current_skill\":{object}"));
    }
    format!("{{{}}}", members.join(",\n"))
}

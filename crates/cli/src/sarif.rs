//! Findings in SARIF 2.1.0, the form that code hosts and editors read.

use std::{
    collections::BTreeSet,
    path::{Component, Path},
};

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde::Serialize;

use super::findings::file;
use crate::{
    skill::{FindingCode, Severity, shown::one_line},
    wire::{LintFinding, LintedSkill},
};

const SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";
const VERSION: &str = "2.1.0";

/// Characters of a file name that a URI does not take as they are.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// The document: one run of lint.
#[derive(Debug, Serialize)]
pub(super) struct Sarif {
    #[serde(rename = "$schema")]
    schema: &'static str,
    version: &'static str,
    runs: [Run; 1],
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Run {
    tool: Tool,
    /// Columns are counted in characters.
    column_kind: &'static str,
    results: Vec<Finding>,
}

#[derive(Debug, Serialize)]
struct Tool {
    driver: Driver,
}

#[derive(Debug, Serialize)]
struct Driver {
    name: &'static str,
    version: &'static str,
    rules: Vec<Rule>,
}

/// A kind of finding.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Rule {
    id: &'static str,
    short_description: Message,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Finding {
    rule_id: String,
    rule_index: usize,
    level: Severity,
    message: Message,
    locations: [Location; 1],
}

#[derive(Debug, Serialize)]
struct Message {
    text: String,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Location {
    physical_location: PhysicalLocation,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct PhysicalLocation {
    artifact_location: ArtifactLocation,
    #[serde(skip_serializing_if = "Option::is_none")]
    region: Option<Region>,
}

#[derive(Debug, Serialize)]
struct ArtifactLocation {
    uri: String,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Region {
    start_line: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    start_column: Option<u32>,
}

impl Sarif {
    /// The findings on these skills. Only rules with findings are listed.
    pub(super) fn from_skills(linted: &[LintedSkill]) -> Self {
        let findings = || linted.iter().flat_map(|skill| skill.findings.iter().map(move |finding| (skill, finding)));
        let codes: BTreeSet<&'static str> =
            findings().filter_map(|(_, finding)| Some(finding.diagnostic.finding()?.as_str())).collect();
        let rules: Vec<_> = codes.iter().filter_map(|id| Some(rule(FindingCode::parse(id)?))).collect();
        let result = |(skill, finding): (&LintedSkill, &LintFinding)| {
            let rule_index = rules.iter().position(|rule| rule.id == finding.diagnostic.code)?;
            Some(result(skill, finding, rule_index))
        };
        let results = findings().filter_map(result).collect();
        let driver = Driver { name: "skillmount", version: env!("CARGO_PKG_VERSION"), rules };
        let run = Run { tool: Tool { driver }, column_kind: "unicodeCodePoints", results };
        Self { schema: SCHEMA, version: VERSION, runs: [run] }
    }
}

fn rule(code: FindingCode) -> Rule {
    Rule { id: code.as_str(), short_description: Message { text: code.summary().to_owned() } }
}

fn result(skill: &LintedSkill, finding: &LintFinding, rule_index: usize) -> Finding {
    let diagnostic = &finding.diagnostic;
    let region = diagnostic.line.map(|start_line| Region { start_line, start_column: diagnostic.column });
    let artifact_location = ArtifactLocation { uri: uri(Path::new(&file(skill, finding))) };
    Finding {
        rule_id: diagnostic.code.clone(),
        rule_index,
        level: diagnostic.severity,
        message: Message { text: one_line(&diagnostic.message).plain().to_owned() },
        locations: [Location { physical_location: PhysicalLocation { artifact_location, region } }],
    }
}

/// The address of a file: relative to where lint ran, as code hosts want it, unless it was named by a whole path.
fn uri(path: &Path) -> String {
    let names = path.components().filter_map(|part| match part {
        Component::Normal(_) | Component::ParentDir => Some(part.as_os_str().to_string_lossy()),
        _ => None,
    });
    let names: Vec<_> = names.map(|name| utf8_percent_encode(&name, ENCODED).to_string()).collect();
    format!("{}{}", if path.is_absolute() { "file:///" } else { "" }, names.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_relative_where_the_path_is_and_have_no_character_that_a_uri_lacks() {
        for (path, expected) in [
            ("./skills/a b/é#1%.md", "skills/a%20b/%C3%A9%231%25.md"),
            ("../x/SKILL.md", "../x/SKILL.md"),
            ("/srv/x_y-z~/SKILL.md", "file:///srv/x_y-z~/SKILL.md"),
        ] {
            assert_eq!(uri(Path::new(path)), expected);
        }
    }
}

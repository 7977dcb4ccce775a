//! Findings in SARIF 2.1.0, the form that code hosts and editors read.

use std::{
    collections::BTreeSet,
    path::{Component, Path},
};

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::{Map, Value, json};

use crate::{
    findings::file,
    screen::plain,
    skill::{Diagnostic, FindingCode},
    wire::{LintFinding, LintedSkill},
};

const SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";
const VERSION: &str = "2.1.0";

/// Characters of a file name that a URI does not take as they are.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// The document: one run of lint on these skills. Only rules with findings are listed.
pub(super) fn sarif(linted: &[LintedSkill]) -> Value {
    let findings = || linted.iter().flat_map(|skill| skill.findings.iter().map(move |finding| (skill, finding)));
    let codes: BTreeSet<&'static str> =
        findings().filter_map(|(_, finding)| Some(finding.diagnostic.finding()?.as_str())).collect();
    let rules: Vec<_> = codes.iter().filter_map(|id| FindingCode::parse(id)).collect();
    let results = findings().filter_map(|(skill, finding)| {
        let rule = rules.iter().position(|rule| rule.as_str() == finding.diagnostic.code)?;
        Some(result(skill, finding, rule))
    });
    let results: Vec<_> = results.collect();
    let rule = |code: &FindingCode| json!({ "id": code.as_str(), "shortDescription": { "text": code.summary() } });
    let rules: Vec<_> = rules.iter().map(rule).collect();
    let driver = json!({ "name": "skillmount", "version": env!("CARGO_PKG_VERSION"), "rules": rules });
    // Columns are counted in characters.
    let run = json!({ "tool": { "driver": driver }, "columnKind": "unicodeCodePoints", "results": results });
    json!({ "$schema": SCHEMA, "version": VERSION, "runs": [run] })
}

fn result(skill: &LintedSkill, finding: &LintFinding, rule: usize) -> Value {
    let Diagnostic { code, severity, message, line, column, .. } = &finding.diagnostic;
    let mut location = json!({ "artifactLocation": { "uri": uri(Path::new(&file(skill, finding))) } });
    let region = [("startLine", *line), ("startColumn", line.and(*column))];
    let region: Map<_, _> = region.into_iter().filter_map(|(name, at)| Some((name.to_owned(), at?.into()))).collect();
    if let Some(members) = location.as_object_mut().filter(|_| !region.is_empty()) {
        members.insert("region".to_owned(), region.into());
    }
    json!({
        "ruleId": code, "ruleIndex": rule, "level": severity, "message": { "text": plain(message) },
        "locations": [{ "physicalLocation": location }]
    })
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

//! Placeholders of a body that no parameter fills.

use std::collections::BTreeSet;

use super::places::Places;
use crate::{Diagnostic, FindingCode, Parameter, frontmatter::Split};
use skillmount_base::limits::{PARAMETER_REACH, SKILL_FINDINGS};

/// A warning for each `{{name}}` that is not among the `declared`, at its first place, up to one more than are shown.
/// If the skill declares nothing, braces belong to an example.
pub(super) fn undeclared(split: &Split, declared: &[Parameter]) -> Vec<Diagnostic> {
    let mut seen: BTreeSet<&str> = declared.iter().map(|one| one.name.as_str()).collect();
    let mut places = Places::from_split(split);
    let mut found = Vec::new();
    let marks = split.body.match_indices("{{").filter(|_| !declared.is_empty());
    for (at, _) in marks {
        let (before, from) = split.body.split_at(at);
        // `${{ … }}` belongs to a workflow, and a backslash makes it text.
        let Some(name) = name(from).filter(|_| !before.ends_with(['$', '\\', '{'])) else { continue };
        if seen.insert(name) {
            let message =
                format!("no parameter {name} is declared for {{{{{name}}}}}: declare it, or write \\{{{{{name}}}}}");
            found.push(places.place(Diagnostic::new(FindingCode::ParameterUndeclared, message), at));
        }
        if found.len() > SKILL_FINDINGS {
            break;
        }
    }
    found
}

/// The name in the `{{name}}` at the beginning of `text`.
fn name(text: &str) -> Option<&str> {
    let inside = text.strip_prefix("{{")?;
    let (name, _) = inside.get(..inside.floor_char_boundary(PARAMETER_REACH))?.split_once("}}")?;
    let name = name.trim();
    let is_name = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
    (!name.is_empty() && name.chars().all(is_name)).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frontmatter::Delimiter;

    #[test]
    fn placeholders_without_a_parameter_are_told_once_with_their_place() {
        let body = "{{x}} {{y}}\n{{ y }} ${{z}} \\{{z}} {{a.b}} {{}} {{{z}}}\né {{z-1}} {{";
        let split = Split {
            yaml: String::new(),
            yaml_line: 2,
            body: body.to_owned(),
            body_line: 5,
            form: Delimiter::Delimited,
        };
        let declared = [Parameter { name: "x".to_owned(), ..Parameter::default() }];
        let found = undeclared(&split, &declared);
        let found: Vec<_> = found
            .iter()
            .map(|one| (one.message.split(' ').nth(2).unwrap(), one.line.unwrap(), one.column.unwrap()))
            .collect();
        assert_eq!(found, [("y", 5, 7), ("z-1", 7, 3)]);
        assert_eq!(undeclared(&split, &[]), []);
    }
}

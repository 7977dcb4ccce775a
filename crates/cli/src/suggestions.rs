//! The tips of a line that does not parse: only names that are near, the nearest first.

use clap::{
    Error,
    error::{ContextKind, ContextValue},
};

use crate::path::distance;

/// The kinds of tips, each with the kind of the word that it corrects.
const TIPS: &[(ContextKind, ContextKind)] = &[
    (ContextKind::SuggestedSubcommand, ContextKind::InvalidSubcommand),
    (ContextKind::SuggestedArg, ContextKind::InvalidArg),
];

/// Words that name no command, each with the commands that may be meant.
const MEANT: &[(&str, &[&str])] = &[("find", &["search", "glob"])];

/// The same error without tips that are far from the typed word.
pub(super) fn with_near_suggestions(mut refusal: Error) -> Error {
    for (tip, typed) in TIPS {
        let Some(ContextValue::String(typed)) = refusal.get(*typed).cloned() else { continue };
        let nearest = match refusal.get(*tip) {
            Some(ContextValue::String(name)) if near(&typed, std::slice::from_ref(name)).is_empty() => None,
            Some(ContextValue::Strings(names)) => {
                Some(near(&typed, names)).filter(|near| !near.is_empty()).map(ContextValue::Strings)
            }
            other => other.cloned(),
        };
        let meant = MEANT.iter().find(|(word, _)| *word == typed);
        let meant =
            meant.map(|(_, names)| ContextValue::Strings(names.iter().map(|name| (*name).to_owned()).collect()));
        refusal.remove(*tip);
        if let Some(names) = meant.or(nearest) {
            refusal.insert(*tip, names);
        }
    }
    // An empty list of other tips prints an empty line.
    if matches!(refusal.get(ContextKind::Suggested), Some(ContextValue::StyledStrs(tips)) if tips.is_empty()) {
        refusal.remove(ContextKind::Suggested);
    }
    refusal
}

/// The names near the typed word, the nearest first. The beginning of a name is near it.
fn near(typed: &str, names: &[String]) -> Vec<String> {
    let mut near: Vec<_> = names
        .iter()
        .map(|name| (if name.starts_with(typed) { 0 } else { distance(typed, name) }, name))
        .filter(|(distance, _)| *distance <= (typed.chars().count() / 3).max(1))
        .collect();
    near.sort();
    near.into_iter().map(|(_, name)| name.clone()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_near_names_are_suggested_and_the_nearest_comes_first() {
        let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        let known = names(&["search", "users", "user", "serve"]);
        assert_eq!(near("serv", &known), ["serve"]);
        assert_eq!(near("frob", &names(&["rollback"])), Vec::<String>::new());
        assert_eq!(near("usr", &known), ["user"]);
    }
}

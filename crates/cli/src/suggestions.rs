//! The tips of a line that does not parse: only names that are near, the nearest first.

use clap::{
    Command, Error,
    builder::StyledStr,
    error::{ContextKind, ContextValue, ErrorKind},
};

use crate::path::distance;

/// The kinds of tips, each with the kind of the word that it corrects.
const TIPS: &[(ContextKind, ContextKind)] = &[
    (ContextKind::SuggestedSubcommand, ContextKind::InvalidSubcommand),
    (ContextKind::SuggestedArg, ContextKind::InvalidArg),
];

/// Words that name no command, each with the commands that may be meant.
const MEANT: &[(&str, &[&str])] = &[("find", &["search", "glob"])];

/// Commands about one user. People write the user behind them.
const OF_ONE_USER: &[&str] = &["audit", "usage", "approvals", "session list"];

/// The same error without tips that are far from the typed word, and with the commands below others that have this
/// name. `above` are the commands that the line names before the error.
pub(super) fn with_near_suggestions(mut refusal: Error, command: &Command, above: &[String]) -> Error {
    for (tip, typed) in TIPS {
        let Some(ContextValue::String(typed)) = refusal.get(*typed).cloned() else { continue };
        let nearest = match refusal.get(*tip) {
            Some(ContextValue::String(name)) if near(&typed, std::slice::from_ref(name)).is_empty() => None,
            Some(ContextValue::Strings(names)) => {
                Some(near(&typed, names)).filter(|near| !near.is_empty()).map(ContextValue::Strings)
            }
            other => other.cloned(),
        };
        let is_first = *tip == ContextKind::SuggestedSubcommand && above.is_empty();
        let meant = if is_first { meant(&typed, command) } else { Vec::new() };
        let meant = Some(meant).filter(|names| !names.is_empty()).map(ContextValue::Strings);
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

/// Adds the flag for a user to the error of a command about one user, if the line has an unexpected word.
pub(super) fn with_user_tip(mut refusal: Error, named: &[String]) -> Error {
    let typed = match refusal.get(ContextKind::InvalidArg) {
        Some(ContextValue::String(typed)) if !typed.starts_with('-') => typed.clone(),
        _ => return refusal,
    };
    if refusal.kind() == ErrorKind::UnknownArgument && OF_ONE_USER.contains(&named.join(" ").as_str()) {
        let tip = StyledStr::from(format!("to name a user, write '--user {typed}'"));
        refusal.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip]));
    }
    refusal
}

/// The commands that an unknown first word may mean: its row in [`MEANT`], or the commands of this name in groups.
fn meant(typed: &str, command: &Command) -> Vec<String> {
    if let Some((_, names)) = MEANT.iter().find(|(word, _)| *word == typed) {
        return names.iter().map(|name| (*name).to_owned()).collect();
    }
    let below = command.get_subcommands().filter_map(|group| Some((group, group.find_subcommand(typed)?)));
    below.map(|(group, below)| format!("{} {}", group.get_name(), below.get_name())).collect()
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

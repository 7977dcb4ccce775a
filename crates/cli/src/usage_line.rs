//! The usage beside the error of a line that does not parse.
//!
//! For an unknown flag, clap shows the usage with the nearest known flag, however far that is. For a wrong value, it shows no
//! usage. The usage of the typed command says more.

use std::ffi::OsString;

use clap::{
    Arg, Command, Error,
    error::{ContextKind, ContextValue, ErrorKind},
};

/// The same error with the usage of the command that `typed`, the whole line, names.
pub(super) fn with_usage(mut refusal: Error, command: &mut Command, typed: &[OsString]) -> Error {
    let is_vague =
        matches!(refusal.kind(), ErrorKind::UnknownArgument | ErrorKind::InvalidValue | ErrorKind::ValueValidation);
    if is_vague {
        // Only now does each command below know its whole name.
        command.build();
        let names = named_command(command, typed);
        if let Some(named) = names.iter().try_fold(command, |command, name| command.find_subcommand_mut(name)) {
            refusal.insert(ContextKind::Usage, ContextValue::StyledStr(named.render_usage()));
        }
    }
    refusal
}

/// The names of the commands that the words of a line name, the outermost first.
pub(super) fn named_command(mut command: &Command, typed: &[OsString]) -> Vec<String> {
    let (mut names, mut is_value) = (Vec::new(), false);
    for word in typed.iter().skip(1).filter_map(|word| word.to_str()) {
        if std::mem::take(&mut is_value) {
            continue;
        }
        if word.starts_with('-') {
            is_value = command.get_arguments().any(|flag| takes_next(flag, word));
            continue;
        }
        // Behind the value of a command, no command follows.
        let Some(below) = command.find_subcommand(word) else { break };
        names.push(below.get_name().to_owned());
        command = below;
    }
    names
}

/// Whether `word` is this flag, and the next word is its value.
fn takes_next(flag: &Arg, word: &str) -> bool {
    let is_long = |name: &str| word.strip_prefix("--") == Some(name);
    let names = flag.get_long_and_visible_aliases().unwrap_or_default();
    let is_flag = names.into_iter().any(is_long)
        || flag.get_short().is_some_and(|short| word.strip_prefix('-') == Some(short.encode_utf8(&mut [0; 4])));
    is_flag && flag.get_action().takes_values()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::command_line;

    #[test]
    fn the_usage_is_that_of_the_typed_command_whatever_flags_stand_before_it() {
        let mut command = command_line();
        command.build();
        for (line, names) in [
            ("skillmount push --frob", "push"),
            ("skillmount --user push skills list --frob", "skills list"),
            ("skillmount --user=ana -q keys new --frob", "keys new"),
            ("skillmount skills ls --frob", "skills list"),
            ("skillmount --frob", ""),
            ("skillmount frob push --frob", ""),
            ("skillmount grep skills list", "grep"),
        ] {
            let typed: Vec<_> = line.split(' ').map(OsString::from).collect();
            assert_eq!(named_command(&command, &typed).join(" "), names, "{line}");
        }
    }
}

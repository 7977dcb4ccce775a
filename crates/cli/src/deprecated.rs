//! Earlier names on the command line. Flags follow the table of settings, and commands have a table here.
//!
//! The parser has a hidden argument for each earlier flag, so the settings learn the name that was typed.

use clap::{Arg, ArgMatches, Command, parser::ValueSource};

use crate::settings::{Setting, earlier_name, remark};

/// Each earlier name of a command, with its name.
const COMMANDS: &[(&str, &str)] = &[("link", "share"), ("session gc", "session prune")];

/// `command` with the earlier flags of its settings, and so for the commands below it.
pub(super) fn with_earlier_flags(command: Command) -> Command {
    let earlier: Vec<_> = command.get_arguments().filter_map(earlier_flag).collect();
    command.args(earlier).mut_subcommands(with_earlier_flags)
}

/// The hidden argument for the earlier flag of `argument`.
fn earlier_flag(argument: &Arg) -> Option<Arg> {
    let flag = format!("--{}", argument.get_long()?);
    let setting = Setting::ALL.iter().find(|setting| setting.flag() == flag)?;
    let earlier = earlier_name(*setting)?;
    // No flag with an earlier name has several words, so its flag is the name.
    Some(argument.clone().id(earlier).long(earlier).hide(true))
}

/// The values of earlier flags on the line, each by the earlier name of its setting.
pub(super) fn earlier_flags(matches: &ArgMatches) -> Vec<(&'static str, String)> {
    let mut last = matches;
    while let Some((_, below)) = last.subcommand() {
        last = below;
    }
    let typed = |name: &'static str| {
        last.try_contains_id(name).ok()?;
        let is_typed = last.value_source(name) == Some(ValueSource::CommandLine);
        let text = last.get_raw(name).filter(|_| is_typed)?.next()?;
        Some((name, text.to_string_lossy().into_owned()))
    };
    Setting::ALL.iter().filter_map(|setting| earlier_name(*setting)).filter_map(typed).collect()
}

/// The remark on a command that was called by its earlier name.
pub(super) fn command_remark(called: &str) -> Option<String> {
    let written = |name: &str| format!("`skillmount {name}`");
    let (earlier, now) = COMMANDS.iter().find(|(earlier, _)| *earlier == called)?;
    Some(remark(&written(earlier), &written(now)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{args::command_line, settings::flag_of};

    #[test]
    fn every_earlier_flag_is_one_word_and_stands_beside_its_flag() {
        let mut found = Vec::new();
        let mut commands = vec![command_line()];
        while let Some(command) = commands.pop() {
            let flags: Vec<_> = command.get_arguments().filter_map(Arg::get_long).map(str::to_owned).collect();
            for setting in Setting::ALL {
                let Some(earlier) = earlier_name(*setting) else { continue };
                let has = |flag: &str| flags.iter().any(|known| format!("--{known}") == flag);
                assert_eq!(has(&setting.flag()), has(&flag_of(earlier)), "{} {earlier}", command.get_name());
                if has(&setting.flag()) {
                    found.push(earlier);
                }
            }
            commands.extend(command.get_subcommands().cloned());
        }
        found.sort_unstable();
        assert_eq!(found, ["encoder", "encoder", "memory", "spool", "write"]);
    }

    #[test]
    fn every_renamed_command_works_by_both_names_and_only_one_is_shown() {
        for (earlier, now) in COMMANDS {
            let below = |name: &str| {
                name.split(' ').fold(command_line(), |above, word| above.find_subcommand(word).unwrap().clone())
            };
            assert!(below(earlier).is_hide_set() && !below(now).is_hide_set(), "{earlier}");
            assert!(command_remark(earlier).unwrap().ends_with(&format!("use `skillmount {now}`")));
            assert_eq!(command_remark(now), None);
        }
    }
}

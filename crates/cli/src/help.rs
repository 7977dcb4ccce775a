//! The first help: the commands in groups, by task.

use std::fmt::Write as _;

use anstyle::Style;
use clap::Command;

/// The usage of the program, which every error of its first level repeats.
const USAGE: &str = "skillmount [OPTIONS] <COMMAND>";
/// Headings and names look as in the help of clap.
const HEADING: Style = Style::new().bold().underline();
const NAME: Style = Style::new().bold();
/// The columns of the names.
const NAME_COLUMNS: usize = 10;

/// The tasks with their commands, in the order of a first day. The commands `hook`, `openapi`, `man` and `completions` are left
/// out: programs call them, and the last lines of the help name the ones for people.
const GROUPS: &[(&str, &[&str])] = &[
    ("Start", &["demo", "serve", "connect", "doctor"]),
    ("Write skills", &["new", "lint", "test", "push", "pull"]),
    ("Install and share skills", &["add", "update", "share", "plugin"]),
    ("Find and load skills", &["search", "skills", "prompt"]),
    ("Work on files as an agent does", &["ls", "cat", "grep", "glob", "write", "edit", "mv", "rm"]),
    ("Watch agents", &["session", "approvals", "audit", "usage"]),
    ("Run a service", &["mcp", "keys", "user", "config", "encoder", "catalog", "fsck"]),
];

/// `command` with a first help that shows its commands in groups.
pub(super) fn grouped(command: Command) -> Command {
    let groups: String = GROUPS.iter().map(|(task, names)| group(&command, task, names)).collect();
    // The list of clap is flat, and hiding every command is the way to leave it out.
    command.mut_subcommands(|below| below.hide(true)).override_usage(USAGE).help_template(format!(
        "{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n{groups}{{all-args}}{{after-help}}"
    ))
}

fn group(command: &Command, task: &str, names: &[&str]) -> String {
    let mut text = format!("{HEADING}{task}:{HEADING:#}\n");
    for below in names.iter().filter_map(|name| command.find_subcommand(name)) {
        let (name, about) = (below.get_name(), below.get_about().map(ToString::to_string).unwrap_or_default());
        // Writing to a text does not fail.
        let _ = writeln!(text, "  {NAME}{name:<NAME_COLUMNS$}{NAME:#}  {about}");
    }
    text + "\n"
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::args::command_line;

    #[test]
    fn every_command_is_in_one_group_except_those_for_programs() {
        let grouped: Vec<_> = GROUPS.iter().flat_map(|(_, names)| *names).copied().collect();
        let distinct: BTreeSet<_> = grouped.iter().copied().collect();
        assert_eq!(grouped.len(), distinct.len());
        let command = command_line();
        let shown = command.get_subcommands().filter(|below| !below.is_hide_set()).map(Command::get_name);
        let left_out: BTreeSet<_> = shown.filter(|name| !distinct.contains(name)).collect();
        assert_eq!(left_out, BTreeSet::from(["completions", "hook", "man", "openapi"]));
        assert!(grouped.iter().all(|name| command.find_subcommand(name).is_some()));
    }

    #[test]
    fn a_line_of_the_first_help_fits_eighty_columns() {
        let command = command_line();
        for name in GROUPS.iter().flat_map(|(_, names)| *names) {
            let about = command.find_subcommand(name).unwrap().get_about().unwrap().to_string();
            assert!(about.chars().count() + NAME_COLUMNS + 4 <= 80, "{name}: {about}");
        }
    }
}

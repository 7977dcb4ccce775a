//! `skillmount man`

use std::{io, path::PathBuf};

use clap::{Args, Command};
use clap_mangen::{
    Man as Page,
    roff::{Roff, roman},
};
use serde_json::json;

use crate::{
    app::App,
    error::{Error, Result},
    folder::PullFolder,
    settings::Setting,
};

/// The line before the examples in a help text.
const EXAMPLES: &str = "Examples:\n";

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  skillmount man | man -l -
  skillmount man ~/.local/share/man/man1        one page for each command")]
pub(crate) struct Man {
    /// The folder to write the pages of all commands to [default: print the page of skillmount itself]
    dir: Option<PathBuf>,
}

/// One page of the manual.
struct ManPage {
    file: String,
    text: Vec<u8>,
}

impl Man {
    pub(crate) fn run(self, app: &App, command: Command) -> Result<()> {
        let mut command = command.disable_help_subcommand(true);
        command.build();
        let Some(dir) = self.dir else {
            return app.out.bytes(&page(&command, None).map_err(Error::internal)?.text);
        };
        let mut pages = Vec::new();
        collect(&command, None, &mut pages).map_err(Error::internal)?;
        let target = PullFolder::new(app.process.local(&dir));
        for page in &pages {
            target.write(&page.file, &page.text, app.clock.random())?;
        }
        let files: Vec<_> = pages.iter().map(|page| &page.file).collect();
        app.out.reply(&json!({ "pages": files }), |out, _| {
            out.line(format_args!("wrote {} pages to {}", files.len(), dir.display()))
        })
    }
}

/// The pages of a command and of those below it.
fn collect(command: &Command, above: Option<&str>, pages: &mut Vec<ManPage>) -> io::Result<()> {
    pages.push(page(command, above)?);
    let name = page_name(command);
    command
        .get_subcommands()
        .filter(|below| !below.is_hide_set())
        .try_for_each(|below| collect(below, Some(&name), pages))
}

/// The page of one command. The flags that every command takes are on the page of skillmount itself.
fn page(command: &Command, above: Option<&str>) -> io::Result<ManPage> {
    let own = match above {
        None => command.clone(),
        Some(_) => command.clone().mut_args(|argument| {
            let is_global = argument.is_global_set();
            if is_global { argument.hide(true) } else { argument }
        }),
    };
    let manual = Page::new(own);
    let mut text = Vec::new();
    manual.render_title(&mut text)?;
    manual.render_name_section(&mut text)?;
    manual.render_synopsis_section(&mut text)?;
    manual.render_description_section(&mut text)?;
    manual.render_options_section(&mut text)?;
    let below: Vec<_> = command.get_subcommands().filter(|below| !below.is_hide_set()).collect();
    if !below.is_empty() {
        manual.render_subcommands_section(&mut text)?;
    }
    let help = command.get_after_help().map(ToString::to_string).unwrap_or_default();
    let mut rest = Roff::default();
    if above.is_none() {
        section(&mut rest, "EXIT STATUS", EXIT_STATUS);
        section(&mut rest, "ENVIRONMENT", &environment());
        section(&mut rest, "FILES", FILES);
    }
    let (examples, notes) = parts(&help);
    section(&mut rest, "NOTES", notes);
    section(&mut rest, "EXAMPLES", examples);
    let related = above.map(str::to_owned).into_iter().chain(below.iter().map(|below| page_name(below)));
    let related: Vec<_> = related.map(|name| format!("{name}(1)")).collect();
    section(&mut rest, "SEE ALSO", &related.join(", "));
    rest.to_writer(&mut text)?;
    Ok(ManPage { file: manual.get_filename(), text })
}

fn page_name(command: &Command) -> String {
    command.get_display_name().unwrap_or_else(|| command.get_name()).to_owned()
}

/// The examples at the beginning of a help text, and the text after them.
fn parts(help: &str) -> (&str, &str) {
    let help = help.strip_prefix(EXAMPLES).unwrap_or(help);
    help.split_once("\n\n").unwrap_or((help, ""))
}

/// A section whose lines stay as they are; nothing if there is none.
fn section(roff: &mut Roff, title: &str, text: &str) {
    if text.is_empty() {
        return;
    }
    roff.control("SH", [title]).control("nf", []);
    for line in text.lines() {
        roff.text([roman(line)]);
    }
    roff.control("fi", []);
}

const EXIT_STATUS: &str = "\
0  done
1  grep found nothing, fsck something wrong, or a question of test not its skills;
   or, with a message on standard error, a bug
2  wrong input
3  push published some skills and refused others for wrong input
4  not allowed, or no valid key
5  not found
6  conflict: something is otherwise than the command assumed
7  too large, too much at once, or the store or server is not available";

const FILES: &str = "\
./skillmount.toml
       settings, by the names of the flags with _ for -
~/.config/skillmount/skillmount.toml
       the same, if there is none in the working folder
~/.local/share/skillmount
       the store, if no other is named";

/// The variables that are read.
fn environment() -> String {
    let own = Setting::ALL.iter().map(|setting| setting.env_name());
    let names: Vec<_> = own.chain(["SKILLMOUNT_CONFIG".to_owned()]).collect();
    format!(
        "{}\n       as the flag or setting of that name; `skillmount config show` says which are in force\n\
         NO_COLOR, CLICOLOR, CLICOLOR_FORCE, TERM\n       whether there are colours",
        names.join("\n")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_help_text_is_examples_and_notes() {
        assert_eq!(parts("Examples:\n  a\n  b\n\nOne.\n\nTwo."), ("  a\n  b", "One.\n\nTwo."));
        assert_eq!(parts("Examples:\n  a"), ("  a", ""));
        assert_eq!(parts("A first session:\n  a\n\nOne."), ("A first session:\n  a", "One."));
    }
}

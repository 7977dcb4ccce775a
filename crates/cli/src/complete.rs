//! Completion at a shell: every word that can be typed, and the names of skills and sessions that there are.
//!
//! The script that `skillmount completions` prints calls the program again for each completion, with the line so far. The names
//! come from the store or the server that this line names. Where they cannot be had, or not soon, there are none: a shell has no
//! place for an error.

use std::{
    ffi::{OsStr, OsString},
    path::Path,
    sync::Arc,
};

use clap::{Command, FromArgMatches as _};
use clap_complete::{
    CompleteEnv,
    engine::{ArgValueCompleter, CompletionCandidate, PathCompleter, ValueCompleter as _},
};
use tokio::{runtime, time::timeout};

use crate::{
    app::App,
    args::{GlobalArgs, command_line},
    error::Result,
    limits::COMPLETION_PATIENCE,
    screen::plain,
};

/// The kind of name that a word is.
#[derive(Clone, Copy, Debug)]
enum WordKind {
    /// A skill of the user.
    Skill,
    /// A skill of the user, or a path on this machine.
    SkillOrPath,
    /// A skill that the session has loaded.
    LoadedSkill,
    /// A session of the user.
    Session,
    /// A user of the store.
    User,
    /// A call that waits for approval in the session.
    Approval,
}

/// The words that are names: the command, the argument and the kind of name.
const NAMES: &[(&[&str], &str, WordKind)] = &[
    (&[], "session", WordKind::Session),
    (&["approvals", "allow"], "approval_id", WordKind::Approval),
    (&["approvals", "deny"], "approval_id", WordKind::Approval),
    (&["skills", "show"], "skill", WordKind::Skill),
    (&["skills", "discover"], "why", WordKind::Skill),
    (&["search"], "why", WordKind::Skill),
    (&["skills", "load"], "skill", WordKind::Skill),
    (&["skills", "history"], "skill", WordKind::Skill),
    (&["skills", "diff"], "skill", WordKind::Skill),
    (&["skills", "rollback"], "skill", WordKind::Skill),
    (&["skills", "rm"], "skill", WordKind::Skill),
    (&["skills", "mv"], "from", WordKind::Skill),
    (&["skills", "unload"], "skill", WordKind::LoadedSkill),
    (&["lint"], "target", WordKind::SkillOrPath),
    (&["pull"], "places", WordKind::SkillOrPath),
    (&["user", "export"], "id", WordKind::User),
    (&["user", "delete"], "id", WordKind::User),
];

/// The line before the word at the cursor, and the function that opens the store or the server of the line.
struct Line {
    words: Vec<OsString>,
    open: Box<Open>,
}

/// The function that opens the app for these flags.
type Open = dyn Fn(&GlobalArgs) -> Result<App> + Send + Sync;

/// Completes a line in the folder `current_dir`, if a shell called the program for that. Returns whether a shell did.
/// The variables of the shell are read, and its answer is written, by the crate that knows the shells.
///
/// # Errors
/// If the shell is none that can be served, or standard output is closed.
pub(super) fn answered(
    arguments: &[OsString],
    current_dir: Option<&Path>,
    open: impl Fn(&GlobalArgs) -> Result<App> + Send + Sync + 'static,
) -> Result<bool, clap::Error> {
    let mut words: Vec<_> = arguments.iter().skip_while(|word| *word != "--").skip(1).cloned().collect();
    // The last one is what is being typed, and names nothing yet.
    words.pop();
    let line = Arc::new(Line { words, open: Box::new(open) });
    CompleteEnv::with_factory(|| with_names(command_line(), &line)).try_complete(arguments.iter().cloned(), current_dir)
}

/// The command line, whose words of [`NAMES`] are completed with names.
fn with_names(command: Command, line: &Arc<Line>) -> Command {
    NAMES.iter().fold(command, |command, (words, argument, kind)| {
        let (line, kind) = (Arc::clone(line), *kind);
        let completer = ArgValueCompleter::new(move |current: &OsStr| candidates(&line, kind, current));
        with_completer(command, words, argument, completer)
    })
}

fn with_completer(command: Command, words: &[&str], argument: &str, completer: ArgValueCompleter) -> Command {
    match words.split_first() {
        None => command.mut_arg(argument, |argument| argument.add(completer)),
        Some((name, below)) => {
            command.mut_subcommand(name, |command| with_completer(command, below, argument, completer))
        }
    }
}

/// The names that begin with the typed text.
fn candidates(line: &Line, kind: WordKind, current: &OsStr) -> Vec<CompletionCandidate> {
    let begun = current.to_string_lossy();
    let found = line.names(kind).unwrap_or_default();
    let fitting = found.into_iter().filter(|(name, _)| name.starts_with(&*begun));
    let names = fitting.map(|(name, about)| CompletionCandidate::new(name).help(about.map(Into::into)));
    let paths = if matches!(kind, WordKind::SkillOrPath) { PathCompleter::any().complete(current) } else { Vec::new() };
    names.chain(paths).collect()
}

impl Line {
    /// Each name there is, and what a shell may show beside it; nothing if they cannot be had.
    fn names(&self, kind: WordKind) -> Option<Vec<(String, Option<String>)>> {
        let mut command = command_line().ignore_errors(true);
        let matches = command.try_get_matches_from_mut(&self.words).ok()?;
        let app = (self.open)(&GlobalArgs::from_arg_matches(&matches).ok()?).ok()?;
        let runtime = runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().ok()?;
        let found = runtime.block_on(async { timeout(COMPLETION_PATIENCE, names(&app, kind)).await });
        // A store that does not answer is not waited for.
        runtime.shutdown_background();
        found.ok()?.ok()
    }
}

async fn names(app: &App, kind: WordKind) -> Result<Vec<(String, Option<String>)>> {
    let control = app.control().await?;
    Ok(match kind {
        WordKind::Skill | WordKind::SkillOrPath => {
            let skills = control.skills(None, false).await?.skills.into_iter();
            skills.map(|skill| (skill.skill, Some(plain(&skill.description)))).collect()
        }
        WordKind::LoadedSkill => {
            let loaded = control.session().await?.loaded_skills.into_iter();
            loaded.map(|loaded| (loaded.skill.to_string(), None)).collect()
        }
        WordKind::Approval => {
            let waiting = control.waiting_calls().await?.approvals.into_iter();
            waiting.map(|call| (call.approval_id, Some(plain(&call.tool)))).collect()
        }
        WordKind::Session => {
            let sessions = control.sessions().await?.sessions.into_iter();
            sessions.map(|session| (session.session_id.to_string(), None)).collect()
        }
        WordKind::User => {
            control.users().await?.users.into_iter().map(|user| (user.user_id.to_string(), None)).collect()
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_that_names_something_is_one_that_can_be_typed() {
        for (words, argument, _) in NAMES {
            let mut command = command_line();
            let found = words.iter().try_fold(&mut command, |command, name| command.find_subcommand_mut(name));
            let found = found.unwrap_or_else(|| panic!("{words:?}"));
            assert!(found.get_arguments().any(|known| known.get_id() == argument), "{words:?} {argument}");
        }
    }
}

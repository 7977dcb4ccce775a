//! The command line: one file per command below `commands`, and what they share here.
//!
//! `App` gives a command the agent's operations (over a store or a server alike), the bare store, or the
//! service. The caller hands in environment, streams, folders and clock as one [`Process`]. The kind of an error is the
//! exit status.

// Each module has one name in all crates, so a path says what is imported and not where that is built.
use skillmount_base::{clock, error, limits, path};
use skillmount_client as client;
use skillmount_engine::{
    access, audit, authoring, content, context, handle, hooks, observer, prompt, session, skills, tools, users,
};
use skillmount_search::encoder;
use skillmount_server::{http, mcp};
use skillmount_skill as skill;
use skillmount_store as store;
use skillmount_wire as wire;

/// The error of wrong input, with a message as in `format!`.
macro_rules! invalid {
    ($($message:tt)+) => {
        $crate::error::Error::new($crate::error::Code::InvalidRequest, std::fmt::format(format_args!($($message)+)))
    };
}

mod app;
mod args;
mod blocking;
mod callers;
mod commands;
mod complete;
mod connect;
mod control;
mod counts;
mod deprecated;
mod descriptors;
mod each;
mod encoders;
mod encoding;
mod expiry;
mod failure;
mod findings;
mod folder;
mod help;
mod input;
mod keys_file;
mod local_path;
mod logs;
mod output;
mod plugin;
mod process;
mod sarif;
mod screen;
mod settings;
mod shell;
mod signals;
mod sources;
mod status;
mod streams;
mod suggestions;
mod transfer;
mod usage_line;

use std::{
    ffi::{OsStr, OsString},
    iter::successors,
    sync::Arc,
    time::Duration,
};

use clap::FromArgMatches as _;
use tokio::{runtime, time::Instant};
use tracing::dispatcher;

pub use process::{Folders, Process};
pub use streams::{Input, Stream};

use self::{
    app::App,
    args::{Cli, CliCommand, GlobalArgs, command_line},
    deprecated::{command_remark, earlier_flags},
    help::grouped,
    output::Output,
    settings::{Setting, Sources, misspelt_variables},
    signals::CommandEnd,
    status::{ExitStatus, exit_code},
    suggestions::{with_near_suggestions, with_user_tip},
    usage_line::{named_command, with_usage},
};
use crate::{
    error::{Code, Error, Kind, Result, result_name},
    limits::SHUTDOWN_END,
};

/// The variable that names the configuration file.
const CONFIG: &str = "SKILLMOUNT_CONFIG";

/// Runs the command named by `arguments` (the program's name first) in `process` to its end, or completes it if a shell
/// asks. Returns the exit status.
#[must_use]
pub fn run(arguments: Vec<OsString>, process: Process) -> u8 {
    let process = Arc::new(process);
    match completed(&arguments, &process) {
        Ok(false) => {}
        Ok(true) => return 0,
        Err(refusal) => return refused(&process, &refusal, false),
    }
    let json = arguments.iter().any(|argument| argument == "--json");
    let invocation = match parsed(arguments, process.help_columns) {
        Ok(invocation) => invocation,
        Err(refusal) => return refused(&process, &refusal, json),
    };
    let (json, name) = (invocation.cli.global.json, invocation.name.clone());
    match run_to_end(invocation, &process) {
        Ok(status) => status.exit_code(),
        Err(error) => {
            failure::show(&process.stderr, &error, &name, json);
            exit_code(&error)
        }
    }
}

/// Completes a line, if a shell called the program for that; returns whether it did.
fn completed(arguments: &[OsString], process: &Arc<Process>) -> Result<bool, clap::Error> {
    // The question of a shell and the way of the answer belong to the process as a whole.
    if !process.is_whole {
        return Ok(false);
    }
    let (current_dir, process) = (process.whole_current_dir(), Arc::clone(process));
    complete::answered(arguments, current_dir.as_deref(), move |global| open(global, Vec::new(), Vec::new(), &process))
}

/// A command that parses.
struct Invocation {
    cli: Cli,
    /// Its name behind the names of the commands above it.
    name: String,
    /// The values of flags by the earlier name of their setting.
    earlier: Vec<(&'static str, String)>,
}

fn parsed(arguments: Vec<OsString>, help_columns: Option<usize>) -> Result<Invocation, clap::Error> {
    let mut command = grouped(command_line());
    if let Some(columns) = help_columns {
        command = command.term_width(columns);
    }
    let typed = arguments.clone();
    let matches = command.try_get_matches_from_mut(arguments).map_err(|refusal| {
        let refusal = with_usage(refusal, &mut command, &typed);
        let named = named_command(&command, &typed);
        with_user_tip(with_near_suggestions(refusal, &command, &named), &named)
    })?;
    let names = successors(matches.subcommand(), |(_, below)| below.subcommand()).map(|(name, _)| name);
    let name = names.collect::<Vec<_>>().join(" ");
    let cli = Cli::from_arg_matches(&matches).map_err(|refusal| refusal.format(&mut command))?;
    Ok(Invocation { cli, name, earlier: earlier_flags(&matches) })
}

/// Runs the command. Tasks that do not end within the [`patience`] of the command are left behind.
fn run_to_end(invocation: Invocation, process: &Arc<Process>) -> Result<ExitStatus> {
    let Invocation { cli, name, earlier } = invocation;
    let patience = patience(&cli.command);
    let app = open(&cli.global, flags(&cli.command), earlier, process)?;
    let log = logs::log(cli.global.verbose, &app.settings, usual_log(&cli.command), &process.stderr)?;
    let mut builder = runtime::Builder::new_multi_thread();
    if let Some(log) = log.clone() {
        if process.is_whole {
            dispatcher::set_global_default(log).map_err(Error::internal)?;
        } else {
            // A log for each thread of this run, and for no other.
            builder.on_thread_start(move || std::mem::forget(dispatcher::set_default(&log)));
        }
    }
    let runtime = builder.enable_all().build().map_err(Error::internal)?;
    let run = || runtime.block_on(start(cli, &name, &app));
    let outcome = match log.filter(|_| !process.is_whole) {
        Some(log) => dispatcher::with_default(&log, run),
        None => run(),
    };
    runtime.shutdown_timeout(patience);
    outcome
}

/// The longest wait for tasks at the end of a command. A hook waits for none, because a host waits for the hook.
const fn patience(command: &CliCommand) -> Duration {
    match command {
        CliCommand::Hook(_) => Duration::ZERO,
        _ => SHUTDOWN_END,
    }
}

/// Help and version are answers; everything else that does not parse is wrong input.
fn refused(process: &Process, refusal: &clap::Error, json: bool) -> u8 {
    let rendered = refusal.render();
    if json && refusal.use_stderr() {
        failure::show(&process.stderr, &Error::new(Code::InvalidRequest, rendered.to_string()), "", json);
    } else {
        let stream = if refusal.use_stderr() { &process.stderr } else { &process.stdout };
        // Ignore the error: stdout may be closed.
        let _ = stream.write_styled(&rendered.ansi().to_string());
    }
    if refusal.use_stderr() { Kind::InvalidInput.exit_code() } else { 0 }
}

/// The settings that were given as flags of this command alone.
fn flags(command: &CliCommand) -> Vec<(Setting, String)> {
    match command {
        CliCommand::Serve(serve) => serve.settings(),
        CliCommand::Mcp(mcp) => mcp.settings(),
        CliCommand::Keys(keys) => keys.settings().into_iter().collect(),
        CliCommand::Hook(hook) => hook.settings(),
        _ => Vec::new(),
    }
}

const fn usual_log(command: &CliCommand) -> logs::Usual {
    match command {
        CliCommand::Serve(_) => logs::Usual::Requests,
        CliCommand::Mcp(_) => logs::Usual::Warnings,
        _ => logs::Usual::Nothing,
    }
}

async fn start(cli: Cli, name: &str, app: &App) -> Result<ExitStatus> {
    let is_server = matches!(cli.command, CliCommand::Serve(_));
    remark_on_variables(app, is_server);
    remark_on_earlier_names(app, name);
    let began = Instant::now();
    let writes_files = matches!(
        cli.command,
        CliCommand::Add(_)
            | CliCommand::Encoder(_)
            | CliCommand::Update(_)
            | CliCommand::Push(_)
            | CliCommand::Pull(_)
            | CliCommand::Plugin(_)
            | CliCommand::Lint(_)
            | CliCommand::New(_)
    );
    let work = Box::pin(cli.command.run(app));
    // A signal must not leave a file half written. It ends other commands wherever they are.
    let hears = writes_files && app.process.is_whole;
    let ended = if hears { signals::until_stopped(work).await? } else { CommandEnd::Done(work.await) };
    app.end().await;
    let outcome = match ended {
        CommandEnd::Done(outcome) => outcome,
        CommandEnd::Stopped(status) => {
            app.out.note("stopped; what was done stays, and the same command does the rest");
            Ok(ExitStatus::Stopped(status))
        }
    };
    let result = result_name(&outcome);
    tracing::debug!(command = name, result, ms = (began.elapsed().as_secs_f64() * 1e6).round() / 1e3, "command");
    outcome
}

/// Says which variables of the environment are nearly settings.
fn remark_on_variables(app: &App, is_server: bool) {
    for remark in misspelt_variables(app.process.variables.keys()) {
        // Stderr belongs to the log of a server, and to the problem document of a script.
        if is_server {
            tracing::warn!("{remark}");
        } else if !app.out.is_json() {
            app.out.note(remark);
        }
    }
}

/// Says to a person which names that are in use are deprecated. A script or a host could do nothing about it.
fn remark_on_earlier_names(app: &App, name: &str) {
    if app.out.progress_is_seen() {
        let remarks = app.settings.deprecated().iter().cloned().chain(command_remark(name));
        remarks.for_each(|remark| app.out.note(remark));
    }
}

/// The app of a command with these flags, some of them by the `earlier` name of their setting.
fn open(
    global: &GlobalArgs,
    flags: Vec<(Setting, String)>,
    earlier: Vec<(&'static str, String)>,
    process: &Arc<Process>,
) -> Result<App> {
    let file = global.config.clone().or_else(|| process.variables.get(OsStr::new(CONFIG)).map(Into::into));
    let default_store =
        process.folders.data.as_ref().map(|folder| format!("file:{}", folder.join("skillmount").display()));
    let named = global.settings().into_iter().chain(flags).map(|(setting, text)| (setting.name(), text));
    let flags = named.chain(earlier).collect();
    let sources = Sources::new(flags, file, default_store, Arc::clone(process));
    let settings = sources.settings()?;
    let out = Output::new(global.json, process.stdout.clone(), process.stderr.clone()).with_detail(global.detail());
    Ok(App::new(sources, settings, out, Arc::clone(process)))
}

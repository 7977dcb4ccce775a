//! The command line: one file per command below `commands`, and what they share here.
//!
//! A command asks [`App`](app::App) for what it works on: the agent's operations (over a store or a server alike), the
//! bare store, or the service. What belongs to the HTTP interface is handed in as [`Edges`], because the surfaces never
//! import each other. Errors are those of the crate; their kind is the exit status.

mod app;
mod args;
mod blocking;
mod callers;
mod commands;
mod complete;
mod connect;
mod control;
mod counts;
mod each;
mod edges;
mod encoders;
mod encoding;
mod expiry;
mod failure;
mod findings;
mod folder;
mod input;
mod keys_file;
mod logs;
mod output;
mod plugin;
mod sarif;
mod screen;
mod settings;
mod shell;
mod signals;
mod sources;
mod status;
mod transfer;

use std::{ffi::OsString, iter::successors, process::ExitCode, sync::Arc};

use clap::{CommandFactory as _, FromArgMatches as _};
use tokio::time::Instant;

pub use edges::{Edges, Future, Serving};

use self::{
    app::App,
    args::{Cli, Command, GlobalArgs},
    output::Output,
    settings::{Setting, Sources, misspelt_variables},
    signals::Ended,
    status::Status,
};
use crate::{
    clock::SystemClock,
    error::{Code, Error, Kind, Result},
    limits::SHUTDOWN_END,
};

/// Runs the command named by `arguments` (the program's name first) to its end, or completes it if a shell asks for that.
#[must_use]
pub fn run(arguments: Vec<OsString>, edges: Edges) -> ExitCode {
    match complete::answered(&arguments, move |global| open(global, Vec::new(), edges)) {
        Ok(false) => {}
        Ok(true) => return ExitCode::SUCCESS,
        Err(refusal) => return refused(&refusal, false),
    }
    let json = arguments.iter().any(|argument| argument == "--json");
    let (cli, name) = match parsed(arguments) {
        Ok(parsed) => parsed,
        Err(refusal) => return refused(&refusal, json),
    };
    let json = cli.global.json;
    match run_to_end(cli, &name, edges) {
        Ok(status) => status.exit_code(),
        Err(error) => {
            failure::show(&error, &name, json);
            ExitCode::from(error.kind().exit_code())
        }
    }
}

/// The command, and its name with those of the commands above it.
fn parsed(arguments: Vec<OsString>) -> Result<(Cli, String), clap::Error> {
    let mut command = Cli::command();
    let matches = command.try_get_matches_from_mut(arguments)?;
    let names = successors(matches.subcommand(), |(_, below)| below.subcommand()).map(|(name, _)| name);
    let name = names.collect::<Vec<_>>().join(" ");
    Ok((Cli::from_arg_matches(&matches).map_err(|refusal| refusal.format(&mut command))?, name))
}

/// Runs the command, and leaves behind after [`SHUTDOWN_END`] whatever it has started and does not end.
fn run_to_end(cli: Cli, name: &str, edges: Edges) -> Result<Status> {
    let runtime = tokio::runtime::Runtime::new().map_err(Error::internal)?;
    let outcome = runtime.block_on(start(cli, name, edges));
    runtime.shutdown_timeout(SHUTDOWN_END);
    outcome
}

/// Help and version are answers; everything else that does not parse is wrong input.
fn refused(refusal: &clap::Error, json: bool) -> ExitCode {
    if json && refusal.use_stderr() {
        failure::show(&Error::new(Code::InvalidRequest, refusal.render().to_string()), "", json);
    } else {
        // Ignore the error: stdout may be closed.
        let _ = refusal.print();
    }
    if refusal.use_stderr() { ExitCode::from(Kind::InvalidInput.exit_code()) } else { ExitCode::SUCCESS }
}

async fn start(cli: Cli, name: &str, edges: Edges) -> Result<Status> {
    let flags = match &cli.command {
        Command::Serve(serve) => serve.settings(),
        Command::Mcp(mcp) => mcp.settings(),
        Command::Keys(keys) => keys.settings().into_iter().collect(),
        _ => Vec::new(),
    };
    let app = open(&cli.global, flags, edges)?;
    let is_server = matches!(cli.command, Command::Serve(_));
    let usual = match &cli.command {
        Command::Serve(_) => logs::Usual::Requests,
        Command::Mcp(_) => logs::Usual::Warnings,
        _ => logs::Usual::Nothing,
    };
    logs::start(cli.global.verbose, &app.settings, usual)?;
    remark_on_variables(is_server, cli.global.json);
    let began = Instant::now();
    let writes_files = matches!(
        cli.command,
        Command::Add(_)
            | Command::Encoder(_)
            | Command::Update(_)
            | Command::Push(_)
            | Command::Pull(_)
            | Command::Plugin(_)
            | Command::Lint(_)
            | Command::New(_)
    );
    let work = Box::pin(cli.command.run(&app));
    // A signal must not leave a file half written. It ends other commands wherever they are.
    let ended = if writes_files { signals::until_stopped(work).await? } else { Ended::Done(work.await) };
    app.end().await;
    let outcome = match ended {
        Ended::Done(outcome) => outcome,
        Ended::Stopped(status) => {
            output::note("stopped; what was done stays, and the same command does the rest");
            Ok(Status::Stopped(status))
        }
    };
    let result = outcome.as_ref().map_or_else(|error| error.code().as_str(), |_| "ok");
    tracing::debug!(command = name, result, ms = (began.elapsed().as_secs_f64() * 1e6).round() / 1e3, "command");
    outcome
}

/// Says which variables of the environment are nearly settings.
fn remark_on_variables(is_server: bool, json: bool) {
    for remark in misspelt_variables(std::env::vars_os()) {
        // Stderr belongs to the log of a server, and to the problem document of a script.
        if is_server {
            tracing::warn!("{remark}");
        } else if !json {
            output::note(remark);
        }
    }
}

/// What a command with these flags works on.
fn open(global: &GlobalArgs, flags: Vec<(Setting, String)>, edges: Edges) -> Result<App> {
    let file = global.config.clone().or_else(|| std::env::var_os("SKILLMOUNT_CONFIG").map(Into::into));
    let default_store = dirs::data_dir().map(|folder| format!("file:{}", folder.join("skillmount").display()));
    let sources = Sources::new(global.settings().into_iter().chain(flags).collect(), file, default_store);
    let settings = sources.settings()?;
    Ok(App::new(sources, settings, Output::new(global.json), Arc::new(SystemClock::new()), edges))
}

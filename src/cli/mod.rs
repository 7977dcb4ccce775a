//! The command line: one file per command below `commands`, and what they share here.
//!
//! A command asks [`App`](app::App) for what it works on: the agent's operations (over a store or a server alike), the
//! bare store, or the service. What belongs to the HTTP interface is handed in as [`Edges`], because the surfaces never
//! import each other. Errors are those of the crate; their kind is the exit status.

mod app;
mod args;
mod callers;
mod commands;
mod control;
mod edges;
mod findings;
mod folder;
mod input;
mod keys_file;
mod logs;
mod output;
mod settings;
mod signals;
mod transfer;

use std::{ffi::OsString, process::ExitCode, sync::Arc};

use clap::Parser as _;

pub use edges::{Edges, Future, Serving};

use self::{
    app::App,
    args::{Cli, Command},
    output::Output,
    settings::{Sources, misspelt_variables},
};
use crate::{
    clock::SystemClock,
    error::{Code, Error, Kind, Result},
    limits::SHUTDOWN_END,
};

/// Runs the command named by `arguments` (the program's name first) to its end.
#[must_use]
pub fn run(arguments: Vec<OsString>, edges: Edges) -> ExitCode {
    let json = arguments.iter().any(|argument| argument == "--json");
    let cli = match Cli::try_parse_from(arguments) {
        Ok(cli) => cli,
        Err(refusal) => return refused(&refusal, json),
    };
    let json = cli.global.json;
    match run_to_end(cli, edges) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            output::failure(&error, json);
            ExitCode::from(error.kind().exit_code())
        }
    }
}

/// Runs the command, and leaves behind after [`SHUTDOWN_END`] whatever it has started and does not end.
fn run_to_end(cli: Cli, edges: Edges) -> Result<()> {
    let runtime = tokio::runtime::Runtime::new().map_err(Error::internal)?;
    let outcome = runtime.block_on(start(cli, edges));
    runtime.shutdown_timeout(SHUTDOWN_END);
    outcome
}

/// Help and version are answers; everything else that does not parse is wrong input.
fn refused(refusal: &clap::Error, json: bool) -> ExitCode {
    if json && refusal.use_stderr() {
        output::failure(&Error::new(Code::InvalidRequest, refusal.render().to_string()), json);
    } else {
        // Ignore the error: stdout may be closed.
        let _ = refusal.print();
    }
    if refusal.use_stderr() { ExitCode::from(Kind::InvalidInput.exit_code()) } else { ExitCode::SUCCESS }
}

async fn start(cli: Cli, edges: Edges) -> Result<()> {
    let file = cli.global.config.clone().or_else(|| std::env::var_os("SKILLMOUNT_CONFIG").map(Into::into));
    let default_store = dirs::data_dir().map(|folder| format!("file:{}", folder.join("skillmount").display()));
    let mut flags = cli.global.settings();
    match &cli.command {
        Command::Serve(serve) => flags.extend(serve.settings()),
        Command::Keys(keys) => flags.extend(keys.settings()),
        _ => {}
    }
    let sources = Sources { flags, file, default_store };
    let settings = sources.settings()?;
    let is_server = matches!(cli.command, Command::Serve(_));
    logs::start(cli.global.verbose, &settings, is_server)?;
    for remark in misspelt_variables(std::env::vars_os()) {
        // Stderr belongs to the log of a server, and to the problem document of a script.
        if is_server {
            tracing::warn!("{remark}");
        } else if !cli.global.json {
            output::note(remark);
        }
    }
    let app = App::new(sources, settings, Output::new(cli.global.json), Arc::new(SystemClock::new()), edges);
    let outcome = cli.command.run(&app).await;
    app.end().await;
    outcome
}

//! Logs, always on stderr: text where a person watches, JSON lines elsewhere.

use std::io::{self, IsTerminal};

use anstream::{AutoStream, ColorChoice};
use tracing_subscriber::{EnvFilter, fmt};

use crate::error::{Code, Error, Result};

/// Starts logging. `-v` beats the setting `log`, which beats the default: a server logs what it does, a command that
/// works is silent. Operations are at the level `debug` and requests to the store at `trace`; neither shows a secret or what a
/// file contains.
///
/// # Errors
/// `invalid_request` where the setting is not a filter.
pub(super) fn start(verbose: u8, setting: Option<&str>, is_server: bool) -> Result<()> {
    let directives = match (verbose, setting) {
        (0, Some(setting)) => setting,
        (0, None) if is_server => "info",
        (0, None) => return Ok(()),
        (1, _) => "skillmount=debug",
        (_, _) => "skillmount=trace",
    };
    let filter = EnvFilter::try_new(directives).map_err(|error| {
        Error::new(
            Code::InvalidRequest,
            format!("the setting log is not a filter such as info or skillmount=debug: {error}"),
        )
    })?;
    let colour = AutoStream::choice(&io::stderr()) != ColorChoice::Never;
    let builder = fmt().with_env_filter(filter).with_writer(io::stderr).with_ansi(colour);
    let started = if io::stderr().is_terminal() { builder.try_init() } else { builder.json().try_init() };
    started.map_err(Error::internal)
}

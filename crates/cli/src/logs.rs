//! Logs, always on stderr: text where a person watches, JSON lines elsewhere, or as a setting says.

use tracing::Dispatch;
use tracing_subscriber::{EnvFilter, fmt};

use crate::{
    error::Result,
    settings::{Setting, Settings},
    streams::Stream,
};

/// Put before every filter. The crate of the Model Context Protocol logs the words of a host about itself, in up to
/// three lines for each request. The service already writes one line for each request. The AWS SDK writes whole
/// structures of its own as warnings, such as six of 900 characters if there are no credentials. Failures of a store
/// are reported by the service, with their cause in a sentence. `aws` is how the names of all its crates begin.
const WITHOUT_SDKS: &str = "aws=off,rmcp=warn,";

/// How lines are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Format {
    Json,
    Text,
}

/// The usual log of a command, if no setting or flag chooses another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Usual {
    /// A service logs what it does.
    Requests,
    /// A program that a host started logs warnings for its operator. The host keeps them for a person who looks.
    Warnings,
    /// A command that works is silent.
    Nothing,
}

/// The writer of the log to `stderr`; `None` if nothing is logged. `-v` beats the setting `log`, and the setting beats
/// the usual level of the command. Operations are at the level `debug` and requests to the store at `trace`. Neither
/// level shows a secret or the contents of a file.
///
/// # Errors
/// `invalid_request` if the setting `log` is not a filter, or `log_format` not a format.
pub(super) fn log(verbose: u8, settings: &Settings, usual: Usual, stderr: &Stream) -> Result<Option<Dispatch>> {
    let asked = settings.parsed(Setting::LogFormat, format)?;
    let directives = match (verbose, settings.get(Setting::Log)) {
        (0, Some(setting)) => setting,
        (0, None) => match usual {
            Usual::Requests => "info",
            Usual::Warnings => "warn",
            Usual::Nothing => return Ok(None),
        },
        (1, _) => "skillmount=debug",
        (_, _) => "skillmount=trace",
    };
    let filter = EnvFilter::try_new(format!("{WITHOUT_SDKS}{directives}"))
        .map_err(|error| invalid!("the setting log is not a filter such as info or skillmount=debug: {error}"))?;
    let stream = stderr.clone();
    let builder = fmt().with_env_filter(filter).with_writer(move || stream.clone());
    let usual = if stderr.is_terminal() { Format::Text } else { Format::Json };
    Ok(Some(match asked.unwrap_or(usual) {
        Format::Json => builder.json().into(),
        Format::Text => builder.with_ansi(stderr.has_colour()).into(),
    }))
}

fn format(text: &str) -> Result<Format> {
    match text {
        "json" => Ok(Format::Json),
        "text" => Ok(Format::Text),
        other => Err(invalid!("{other:?} is no format of the log; give json or text")),
    }
}

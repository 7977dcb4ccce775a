//! `skillmount cat`

use clap::Args;
use memchr::memchr;

use crate::{
    app::App,
    error::{Code, Error, Result},
    limits::{BINARY_PROBE_BYTES, READ_LINES},
    wire::{BackendProtocol, ReadRequest},
};

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  skillmount cat /skills/compraventa/SKILL.md
  skillmount cat /workspace/log.txt --offset 1000 --limit 20     lines 1001 to 1020
  skillmount cat /skills/compraventa/resources/plantilla.pdf > plantilla.pdf

Without --offset and --limit the bytes are printed as they are, whatever they are.
With --json the answer is that of the agent's `read`.")]
pub(crate) struct Cat {
    /// The files, printed one after the other
    #[arg(required = true)]
    paths: Vec<String>,
    /// Lines to skip
    #[arg(long, value_name = "LINES")]
    offset: Option<u64>,
    /// Lines to print
    #[arg(long, value_name = "LINES")]
    limit: Option<u64>,
}

impl Cat {
    pub(crate) async fn run(self, app: &App) -> Result<()> {
        let backend = app.backend().await?;
        let windowed = app.out.is_json() || self.offset.is_some() || self.limit.is_some();
        for path in &self.paths {
            if windowed {
                self.window(app, &*backend, path).await?;
            } else {
                whole(app, &*backend, path).await?;
            }
        }
        Ok(())
    }

    async fn window(&self, app: &App, backend: &dyn BackendProtocol, path: &str) -> Result<()> {
        let request = ReadRequest {
            file_path: path.to_owned(),
            offset: self.offset.unwrap_or(0),
            limit: self.limit.unwrap_or(READ_LINES),
        };
        let reply = backend.read(request).await?;
        app.out.reply(&reply, |out, reply| {
            out.bytes(reply.content.as_bytes())?;
            if let Some(next) = reply.next_offset {
                out.note(format_args!("{path} goes on: --offset {next}"));
            }
            Ok(())
        })
    }
}

async fn whole(app: &App, backend: &dyn BackendProtocol, path: &str) -> Result<()> {
    for outcome in backend.download(vec![path.to_owned()]).await? {
        let bytes = outcome.result?;
        let probe = bytes.get(..BINARY_PROBE_BYTES).unwrap_or(&bytes);
        if app.out.screen().is_terminal && memchr(0, probe).is_some() {
            return Err(Error::new(
                Code::BinaryFile,
                format!("{path} is binary and would garble the terminal; send it to a file with > NAME"),
            ));
        }
        app.out.bytes(&bytes)?;
    }
    Ok(())
}

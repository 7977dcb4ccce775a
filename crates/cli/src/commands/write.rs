//! `skillmount write`

use std::path::PathBuf;

use bytes::Bytes;
use clap::Args;

use crate::{
    app::App,
    error::Result,
    input,
    wire::{UploadFile, WriteRequest},
};

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  skillmount write /workspace/notes.md 'first line'
  skillmount write /workspace/report.md --file report.md
  make report | skillmount write /workspace/report.md --overwrite
  skillmount write /workspace/logo.png --file logo.png --overwrite     any bytes")]
pub(crate) struct Write {
    /// The file to make
    path: String,
    /// Its content [default: from --file, or standard input]
    content: Option<String>,
    /// Take the content from this file; - is standard input
    #[arg(short, long, value_name = "FILE", conflicts_with = "content")]
    file: Option<PathBuf>,
    /// Replace what is there
    #[arg(long)]
    overwrite: bool,
}

impl Write {
    pub(crate) async fn run(self, app: &App) -> Result<()> {
        let bytes = input::bytes(app, self.content, self.file.as_deref())?;
        let backend = app.backend().await?;
        let content = match String::from_utf8(bytes) {
            Ok(content) => content,
            Err(binary) if self.overwrite => {
                let file = UploadFile { path: self.path, bytes: Bytes::from(binary.into_bytes()) };
                for outcome in backend.upload(vec![file]).await? {
                    let etag = outcome.result?;
                    let reply = serde_json::json!({ "path": outcome.path, "etag": etag });
                    app.out.reply(&reply, |out, _| out.line(format_args!("wrote {}", outcome.path)))?;
                }
                return Ok(());
            }
            Err(_) => {
                return Err(invalid!("the content is not UTF-8 text; give --overwrite to store it as bytes"));
            }
        };
        let request = WriteRequest { file_path: self.path, content, overwrite: self.overwrite };
        let reply = backend.write(request).await?;
        app.out.reply(&reply, |out, reply| out.line(format_args!("wrote {} ({} bytes)", reply.path, reply.bytes)))
    }
}

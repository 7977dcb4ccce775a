//! `skillmount prompt`

use clap::Args;

use super::super::{app::App, output::note};
use crate::{
    error::Result,
    limits::PROMPT_TOKENS,
    prompt::{Format, PromptRequest, Rendering},
    session::PromptMode,
};

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  skillmount prompt                                   what the agent of this session is told now
  skillmount prompt --mode listing --format markdown
  skillmount prompt --category escrituras --max-tokens 500
  skillmount prompt --json | jq .tokens")]
pub(in super::super) struct Prompt {
    /// What it holds [default: as the session's policy says]
    #[arg(long, value_enum)]
    mode: Option<PromptMode>,
    /// How the listing is written
    #[arg(long, value_enum, default_value = "xml")]
    format: Format,
    /// Only skills of this category
    #[arg(long)]
    category: Option<String>,
    /// How many tokens the prompt may take; the sentences around the listing and the instructions of a loaded skill are never cut
    #[arg(long, default_value_t = PROMPT_TOKENS)]
    max_tokens: usize,
}

impl Prompt {
    pub(in super::super) async fn run(self, app: &App) -> Result<()> {
        let Self { mode, format, category, max_tokens } = self;
        let wanted = PromptRequest { mode, format, category, max_tokens };
        let reply = app.control().await?.prompt(&wanted).await?;
        app.out.reply(&reply, |out, reply| {
            out.bytes(reply.prompt.as_bytes())?;
            if !reply.prompt.is_empty() && !reply.prompt.ends_with('\n') {
                out.line("")?;
            }
            if reply.truncated {
                let Rendering { shown, total, .. } = reply;
                note(format_args!("{shown} of {total} skills shown; --max-tokens gives room for more"));
            }
            Ok(())
        })
    }
}

//! `skillmount prompt`

use clap::Args;

use crate::{
    app::App,
    error::Result,
    limits::PROMPT_TOKENS,
    output::Output,
    screen::{Cell, LastColumn, plain},
    wire::{Format, PromptExplanation, PromptMode, PromptRequest, Rendering},
};

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  skillmount prompt                                   what the agent of this session reads now
  skillmount prompt --mode listing --format markdown
  skillmount prompt --category escrituras --max-tokens 500
  skillmount prompt --json | jq .tokens
  skillmount prompt --explain                         why each skill is in it, shortened or out")]
pub(crate) struct Prompt {
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
    /// Print what of each skill is in the prompt and why, in place of the prompt
    #[arg(long)]
    explain: bool,
}

impl Prompt {
    pub(crate) async fn run(self, app: &App) -> Result<()> {
        let Self { mode, format, category, max_tokens, explain } = self;
        let wanted = PromptRequest { mode, format, category, max_tokens, explain };
        let reply = app.control().await?.prompt(&wanted).await?;
        app.out.reply(&reply, |out, reply| {
            if let Some(explanation) = &reply.explain {
                return explained(out, reply, explanation);
            }
            out.bytes(reply.prompt.as_bytes())?;
            if !reply.prompt.is_empty() && !reply.prompt.ends_with('\n') {
                out.line("")?;
            }
            if reply.truncated {
                let Rendering { shown, total, .. } = reply;
                out.note(format_args!("{shown} of {total} skills shown; --max-tokens gives room for more"));
            }
            Ok(())
        })
    }
}

/// The part of each skill in the prompt, and the reason.
fn explained(out: &Output, reply: &Rendering, explanation: &PromptExplanation) -> Result<()> {
    let rows = explanation.skills.iter().map(|one| {
        let tokens = Cell::number(one.tokens.to_string());
        [one.status.as_str().into(), tokens, plain(&one.skill).into(), plain(&one.reason).into()]
    });
    out.list(["PART", "TOKENS", "SKILL", "REASON"], LastColumn::Wrapped, rows)?;
    if explanation.more > 0 {
        out.note(format_args!("{} more skills are out", explanation.more));
    }
    let Rendering { tokens, tokenizer, shown, total, .. } = reply;
    let frame = explanation.frame_tokens;
    out.line(format_args!("{tokens} tokens ({tokenizer}), {frame} of them around the skills; {shown} of {total} shown"))
}

//! `skillmount prompt`

use clap::{Args, ValueEnum};
use serde_json::Value;

use super::super::{app::App, output::note};
use crate::{
    error::Result,
    limits::PROMPT_TOKENS,
    prompt::{Format, PromptRequest},
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
    #[arg(long)]
    mode: Option<Mode>,
    /// How the listing is written
    #[arg(long, default_value = "xml")]
    format: ListingFormat,
    /// Only skills of this category
    #[arg(long)]
    category: Option<String>,
    /// How many tokens the prompt may take; the sentences around the listing and the instructions of a loaded skill are never cut
    #[arg(long, default_value_t = PROMPT_TOKENS)]
    max_tokens: usize,
}

/// [`PromptMode`] as it is typed.
#[derive(Clone, Copy, Debug, ValueEnum)]
#[value(rename_all = "snake_case")]
enum Mode {
    TwoState,
    Listing,
    Combined,
    Discover,
}

/// [`Format`] as it is typed.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum ListingFormat {
    Xml,
    Yaml,
    Markdown,
    Json,
}

impl Prompt {
    pub(in super::super) async fn run(self, app: &App) -> Result<()> {
        let request = PromptRequest {
            mode: self.mode.map(PromptMode::from),
            format: self.format.into(),
            category: self.category,
            max_tokens: self.max_tokens,
        };
        let reply = app.control().await?.prompt(request).await?;
        app.out.reply(&reply, |out, reply| {
            let prompt = reply.get("prompt").and_then(Value::as_str).unwrap_or_default();
            out.bytes(prompt.as_bytes())?;
            if !prompt.is_empty() && !prompt.ends_with('\n') {
                out.line("")?;
            }
            if let Some([shown, total]) =
                ["shown", "total"].iter().map(|name| reply.get(*name)?.as_u64()).collect::<Option<Vec<_>>>().as_deref()
                && prompt.contains(&format!("{shown} of {total} skills shown"))
            {
                note(format_args!("{shown} of {total} skills shown; --max-tokens gives room for more"));
            }
            Ok(())
        })
    }
}

impl From<Mode> for PromptMode {
    fn from(mode: Mode) -> Self {
        match mode {
            Mode::TwoState => Self::TwoState,
            Mode::Listing => Self::Listing,
            Mode::Combined => Self::Combined,
            Mode::Discover => Self::Discover,
        }
    }
}

impl From<ListingFormat> for Format {
    fn from(format: ListingFormat) -> Self {
        match format {
            ListingFormat::Xml => Self::Xml,
            ListingFormat::Yaml => Self::Yaml,
            ListingFormat::Markdown => Self::Markdown,
            ListingFormat::Json => Self::Json,
        }
    }
}

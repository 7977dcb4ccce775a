//! `skillmount hook`
//!
//! A host that runs a command takes exit status 2 for "stop what you are doing". So a hook that fails still answers:
//! the person reads why, and the conversation goes on.

use clap::Args;

use crate::{
    app::App,
    error::Result,
    input,
    wire::{HookInput, HookOutput},
};

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  echo '{\"hook_event_name\": \"SessionStart\"}' | skillmount hook
  skillmount --server http://127.0.0.1:8787 --session chat-7 hook < input.json")]
pub(crate) struct Hook {}

impl Hook {
    pub(crate) async fn run(self, app: &App) -> Result<()> {
        let output = answer(app).await.unwrap_or_else(|error| HookOutput::failed(&error));
        app.out.document(&output)
    }
}

async fn answer(app: &App) -> Result<HookOutput> {
    let input = HookInput::parse(&input::bytes(app, None, None)?)?;
    app.control().await?.hook(&input).await
}

//! `skillmount hook`
//!
//! Exit status 2 orders the host to stop. So a hook that fails still answers with status 0: the person reads why, and the
//! conversation goes on. The host waits for the answer, so a hook gives up after a limit. It creates
//! no store, because a host calls it in every folder.

use std::{fs::OpenOptions, io, thread, time::Duration};

use clap::Args;
use serde::Deserialize;
use sha2::{Digest as _, Sha256};
use tokio::{sync::oneshot, time::timeout};

use crate::{
    app::App,
    control::Control,
    error::{Code, Error, Result},
    input,
    limits::HOOK_TIMEOUT_MOST,
    settings::Setting,
    wire::{HookEvent, HookInput, HookOutput},
};

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  echo '{\"hook_event_name\": \"SessionStart\"}' | skillmount hook
  skillmount --server http://127.0.0.1:8787 --session chat-7 hook < input.json

The exit status is 0. A hook that fails or gives up says why, once in a session of the host.")]
pub(crate) struct Hook {
    /// Give up after this many seconds, up to 600 [default: 5]
    #[arg(long, value_name = "SECONDS")]
    timeout: Option<String>,
}

/// The member of the input that names the conversation of the host.
#[derive(Deserialize)]
struct HostConversation {
    session_id: String,
}

impl Hook {
    /// The settings that were given as flags.
    pub(crate) fn settings(&self) -> Vec<(Setting, String)> {
        self.timeout.iter().map(|timeout| (Setting::HookTimeout, timeout.clone())).collect()
    }

    pub(crate) async fn run(self, app: &App) -> Result<()> {
        let mut bytes = Vec::new();
        let output = match answer_in_time(app, &mut bytes).await {
            Ok(output) => output,
            Err(error) if is_new(app, &bytes, &error) => HookOutput::failed(&error),
            Err(_) => HookOutput::default(),
        };
        app.out.document(&output)
    }
}

/// The answer to the input, which is left in `bytes`, unless the two take longer than the setting allows.
async fn answer_in_time(app: &App, bytes: &mut Vec<u8>) -> Result<HookOutput> {
    let limit = app.settings.seconds(Setting::HookTimeout, Duration::from_secs(1), HOOK_TIMEOUT_MOST)?;
    let answer = async {
        *bytes = read_input(app).await?;
        answer(app, &HookInput::parse(bytes)?).await
    };
    let in_time = timeout(limit, Box::pin(answer)).await;
    in_time.unwrap_or_else(|_| Err(too_late(app, bytes, limit)))
}

/// The input of the hook, up to its end. The process would wait for a task that reads, but not for a thread.
async fn read_input(app: &App) -> Result<Vec<u8>> {
    if app.process.stdin.is_terminal() {
        return input::bytes(app, None, None);
    }
    let stdin = app.process.stdin.clone();
    let (sender, receiver) = oneshot::channel();
    // The receiver is gone if the limit is over.
    thread::spawn(move || sender.send(stdin.rest()).ok());
    let read = receiver.await.map_err(Error::internal)?;
    read.map_err(input::unreadable)
}

/// The answer. An event without context needs neither store nor server.
async fn answer(app: &App, input: &HookInput) -> Result<HookOutput> {
    if input.event()? == HookEvent::Other {
        return Ok(HookOutput::default());
    }
    app.check_store_exists()?;
    let control = app.control().await?;
    let output = control.hook(input).await?;
    if output == HookOutput::default() {
        check_has_skills(&control).await?;
    }
    Ok(output)
}

/// Checks that a store has skills for the session. A server is not asked.
///
/// # Errors
/// `skill_not_found` if there are none; the store's.
async fn check_has_skills(control: &Control) -> Result<()> {
    let Control::Local { backend, user, .. } = control else { return Ok(()) };
    if !backend.catalog(false).await?.entries.is_empty() || !backend.session().await?.drafts.is_empty() {
        return Ok(());
    }
    let message = format!("the store is empty: user {user} has no skills; `skillmount push FOLDER` brings some");
    Err(Error::new(Code::SkillNotFound, message))
}

/// The server or store that the settings name.
fn asked(app: &App) -> &str {
    let server = app.settings.server().ok().flatten();
    server.or_else(|| app.settings.get(Setting::Store)).unwrap_or_default()
}

/// The error of a hook that gives up. The input is empty if the host has not ended it.
fn too_late(app: &App, bytes: &[u8], limit: Duration) -> Error {
    let (asked, seconds) = (asked(app), limit.as_secs());
    if bytes.is_empty() {
        return invalid!("the host did not end the input of the hook within {seconds} s: it must close standard input");
    }
    let message =
        format!("{asked} did not answer within {seconds} s; `hook --timeout` or hook_timeout sets another limit");
    Error::new(Code::StoreUnavailable, message)
}

/// Whether no hook reported the error in this conversation of the host before. Each hook is a process of its own, so an empty file
/// in the folder for temporary files is the note. If the input names no conversation or the file cannot be made, the error is new.
fn is_new(app: &App, bytes: &[u8], error: &Error) -> bool {
    let Ok(HostConversation { session_id }) = serde_json::from_slice(bytes) else { return true };
    let parts = [&session_id, asked(app), error.message()];
    let digest = parts.iter().fold(Sha256::new(), |hash, part| hash.chain_update(part).chain_update([0])).finalize();
    let file = app.process.folders.temporary.join(format!("skillmount-hook-{}", hex::encode(digest)));
    let made = OpenOptions::new().write(true).create_new(true).open(file);
    !made.is_err_and(|error| error.kind() == io::ErrorKind::AlreadyExists)
}

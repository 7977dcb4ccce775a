//! `skillmount session`

use std::{fmt::Display, time::Duration};

use clap::{Args, Subcommand};
use serde_json::json;

use crate::{
    app::App,
    control::{CollectedOfAll, Control, DamagedOf},
    error::{Error, Kind, Result},
    output::Output,
    screen::{LastColumn, plain},
    shell::quoted,
    wire::{ExpiryReport, SessionSummary},
};

/// How long to leave a server alone that ended a stream of events.
const TAIL_PAUSE: Duration = Duration::from_secs(1);
/// The remedy for a session that cannot be read.
const DAMAGED: &str = "damaged; remove it with session delete";

/// The sessions that are forgotten.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  skillmount session prune
  skillmount --store s3://bucket/prefix --user ana session prune
  skillmount --store s3://bucket/prefix session prune --all
  skillmount --server http://127.0.0.1:8787 session prune --all

With --all, the sessions that stay also get the tag skillmount=session, by
which a rule of the bucket expires them: sessions of an earlier version have
none. The key for --all at a server has the scope control and belongs to
all users. A server also deletes audit records that are older than it keeps them.")]
pub(crate) struct PruneArgs {
    /// Prune the sessions of every user, and tag the sessions that stay
    #[arg(long)]
    all: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum SessionArgs {
    /// Show the session and its loaded skills
    #[command(after_help = "\
Examples:
  skillmount session show
  skillmount --session s-42 session show --json")]
    Show,
    /// List the user's sessions
    #[command(after_help = "\
Examples:
  skillmount session list
  skillmount --user ana session list --json | jq -r '.sessions[].session_id'")]
    #[command(alias = "ls")]
    List,
    /// Print what happens in the session as it happens, until it is interrupted
    #[command(after_help = "\
Examples:
  skillmount --server http://127.0.0.1:8787 --session s-42 session tail
  skillmount --server http://127.0.0.1:8787 session tail --json | jq -r 'select(.event == \"file_changed\").data.path'

A server sends its own events at once. Events from a store or of other servers come up to
65 seconds late. --json prints a document per line.")]
    Tail {
        /// Begin after this event, whose id --json shows
        #[arg(long, value_name = "ID")]
        after: Option<String>,
    },
    /// Forget sessions that have been idle for 30 days; their files stay
    Prune(PruneArgs),
    /// The earlier name of `prune`
    #[command(hide = true)]
    Gc(PruneArgs),
    /// Forget the session; its files stay
    #[command(after_help = "\
Examples:
  skillmount --session s-42 session delete
  skillmount --session s-42 session delete --workspace   unless other sessions share it")]
    #[command(alias = "rm")]
    Delete {
        /// Delete the files in its workspace as well
        #[arg(long)]
        workspace: bool,
    },
}

impl SessionArgs {
    pub(crate) async fn run(self, app: &App) -> Result<()> {
        let control = app.control().await?;
        match self {
            Self::Show => app.out.reply(&control.session().await?, show),
            Self::List => {
                let user = app.user()?;
                app.out.reply(&control.sessions().await?, |out, page| {
                    let now = app.clock.now();
                    let sessions = page.sessions.iter().map(|session| {
                        let (loaded, changed) =
                            (session.loaded_skills.len(), out.screen().time(session.updated_at, now));
                        [session.session_id.to_string().into(), format!("{loaded} loaded, changed {changed}").into()]
                    });
                    let damaged = page.damaged.iter().map(|one| [one.session_id.to_string().into(), DAMAGED.into()]);
                    out.list(["SESSION", "STATE"], LastColumn::Wrapped, sessions.chain(damaged))?;
                    if page.sessions.is_empty() && page.damaged.is_empty() {
                        out.note(format_args!(
                            "user {user} has no sessions yet; `skillmount skills load SKILL` begins one, as does an agent"
                        ));
                    }
                    Ok(())
                })
            }
            Self::Tail { after } => tail(app, &control, after).await,
            Self::Prune(PruneArgs { all: false }) | Self::Gc(PruneArgs { all: false }) => {
                let ExpiryReport { removed, damaged, .. } = control.collect_garbage().await?;
                let names: Vec<&str> = damaged.iter().map(|damaged| damaged.session_id.as_str()).collect();
                app.out.reply(&json!({ "removed": removed, "damaged": names }), |out, _| {
                    out.line(format_args!("{removed} removed"))?;
                    names.iter().try_for_each(|name| out.line(format_args!("{name}  {DAMAGED}")))
                })
            }
            Self::Prune(PruneArgs { all: true }) | Self::Gc(PruneArgs { all: true }) => {
                app.out.reply(&control.collect_all_garbage().await?, collected)
            }
            Self::Delete { workspace } => {
                control.delete_session(workspace).await?;
                let session = app.session()?;
                app.out.reply(&json!({ "deleted": session }), |out, _| out.line(format_args!("deleted {session}")))
            }
        }
    }
}

fn collected(out: &Output, all: &CollectedOfAll) -> Result<()> {
    let CollectedOfAll { users, removed, damaged, tagged, untagged } = all;
    out.line(format_args!("{removed} removed, {tagged} tagged, of {users} user(s)"))?;
    for DamagedOf { user_id, session_id } in damaged {
        out.line(format_args!("{user_id} {session_id}  {DAMAGED}"))?;
    }
    if let Some(why) = untagged {
        out.note(format_args!("sessions are untagged, and no rule by tag expires them: {}", plain(why)));
    }
    Ok(())
}

/// Prints events until the reader of the output is gone. A server that ends the stream is asked again, from the last
/// event on.
async fn tail(app: &App, control: &Control, mut last: Option<String>) -> Result<()> {
    loop {
        let mut events =
            control.events(&app.clock, last.as_deref()).await.map_err(|error| broken_off(error, last.as_deref()))?;
        while let Some(event) = events.next().await.map_err(|error| broken_off(error, last.as_deref()))? {
            last = event.id.clone().or(last);
            if app.out.is_json() {
                app.out.document(&event)?;
            } else {
                app.out.line(format_args!("{:<18} {}", event.event, plain(&event.data.to_string())))?;
            }
            if app.out.is_closed() {
                return Ok(());
            }
        }
        tokio::time::sleep(TAIL_PAUSE).await;
    }
}

/// The error of a server that went away, with the command that goes on after the last event.
fn broken_off(error: Error, last: Option<&str>) -> Error {
    match last {
        Some(last) if error.kind() == Kind::Unavailable => {
            let message =
                format!("{}; `skillmount session tail --after {}` goes on from here", error.message(), quoted(last));
            Error::new(error.code(), message).with_source(error)
        }
        _ => error,
    }
}

fn show(out: &Output, session: &SessionSummary) -> Result<()> {
    let current = session.current_skill.as_ref().map_or("null", |skill| skill.as_str());
    let facts: [(&str, &dyn Display); 7] = [
        ("user_id", &session.user_id),
        ("session_id", &session.session_id),
        ("version", &session.version),
        ("current_skill", &plain(current)),
        ("created_at", &session.created_at),
        ("updated_at", &session.updated_at),
        ("expires_at", &session.expires_at),
    ];
    for (name, fact) in facts {
        out.line(format_args!("{name:<14} {fact}"))?;
    }
    for loaded in &session.loaded_skills {
        let [skill, mount] = [loaded.skill.as_str(), loaded.mount.as_str()].map(plain);
        out.line(format_args!("loaded         {skill} as /skills/{mount}"))?;
    }
    Ok(())
}

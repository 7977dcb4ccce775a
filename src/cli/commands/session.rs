//! `skillmount session`

use std::fmt::Display;

use clap::{Args, Subcommand};
use jiff::Timestamp;
use serde_json::json;

use super::super::{
    app::App,
    output::{Output, note},
    screen::{LastColumn, Screen, Table},
};
use crate::{
    error::Result,
    session::{Collected, SessionPage, SessionSummary},
    skill::shown::{Shown, one_line},
};

/// What to do about a session that cannot be read.
const DAMAGED: &str = "damaged; remove it with session delete";

#[derive(Debug, Args)]
pub(in super::super) struct Session {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Show the session: what is loaded and what it may do
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
    /// Forget sessions that have been idle for 30 days; their files stay
    #[command(after_help = "\
Examples:
  skillmount session gc
  skillmount --store s3://bucket/prefix --user ana session gc")]
    Gc,
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

impl Session {
    pub(in super::super) async fn run(self, app: &App) -> Result<()> {
        let control = app.control().await?;
        match self.action {
            Action::Show => app.out.reply(&control.session().await?, show),
            Action::List => {
                let user = app.user()?;
                app.out.reply(&control.sessions().await?, |out, page| {
                    out.table(&table(out.screen(), page, app.clock.now()))?;
                    if page.sessions.is_empty() && page.damaged.is_empty() {
                        note(format_args!(
                            "user {user} has no sessions yet; `skillmount skills load SKILL` begins one, as does an agent"
                        ));
                    }
                    Ok(())
                })
            }
            Action::Gc => {
                let Collected { removed, damaged } = control.collect_garbage().await?;
                let names: Vec<&str> = damaged.iter().map(|damaged| damaged.session_id.as_str()).collect();
                app.out.reply(&json!({ "removed": removed, "damaged": names }), |out, _| {
                    out.line(format_args!("{removed} removed"))?;
                    for name in &names {
                        out.line(format_args!("{name}  {DAMAGED}"))?;
                    }
                    Ok(())
                })
            }
            Action::Delete { workspace } => {
                control.delete_session(workspace).await?;
                let session = app.session()?;
                app.out.reply(&json!({ "deleted": session }), |out, _| out.line(format_args!("deleted {session}")))
            }
        }
    }
}

fn show(out: &Output, session: &SessionSummary) -> Result<()> {
    let current = session.current_skill.as_ref().map(|skill| one_line(skill.as_str()));
    let facts: [(&str, &dyn Display); 7] = [
        ("user_id", &session.user_id),
        ("session_id", &session.session_id),
        ("version", &session.version),
        ("current_skill", &current.as_ref().map_or("null", Shown::plain)),
        ("created_at", &session.created_at),
        ("updated_at", &session.updated_at),
        ("expires_at", &session.expires_at),
    ];
    for (name, fact) in facts {
        out.line(format_args!("{name:<14} {fact}"))?;
    }
    for loaded in &session.loaded_skills {
        let (skill, mount) = (one_line(loaded.skill.as_str()), one_line(loaded.mount.as_str()));
        out.line(format_args!("loaded         {} as /skills/{}", skill.plain(), mount.plain()))?;
    }
    Ok(())
}

/// Every session with what it has loaded and when it was changed.
fn table(screen: Screen, page: &SessionPage, now: Timestamp) -> Table {
    let mut table = Table::new(LastColumn::Wrapped);
    for session in &page.sessions {
        let (loaded, changed) = (session.loaded_skills.len(), screen.time(session.updated_at, now));
        let about = format!("{loaded} loaded, changed {changed}");
        table.row([session.session_id.to_string().into(), about.into()]);
    }
    for damaged in &page.damaged {
        table.row([damaged.session_id.to_string().into(), DAMAGED.into()]);
    }
    table
}

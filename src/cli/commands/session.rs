//! `skillmount session`

use std::fmt::Display;

use clap::{Args, Subcommand};
use serde_json::json;

use super::super::{app::App, output::Output};
use crate::{
    error::Result,
    session::{Collected, SessionPage, SessionSummary},
    skill::shown::{Shown, one_line},
};

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
  skillmount --user ana session list --json       a JSON document a line")]
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
                let SessionPage { sessions, damaged, .. } = control.sessions().await?;
                for session in &sessions {
                    app.out.reply(session, |out, session| out.line(line(session)))?;
                }
                for session in &damaged {
                    app.out.reply(session, |out, session| {
                        let name = session.session_id.as_str();
                        out.line(format_args!("{name:<24} damaged; remove it with session delete"))
                    })?;
                }
                Ok(())
            }
            Action::Gc => {
                let Collected { removed, damaged } = control.collect_garbage().await?;
                let names: Vec<&str> = damaged.iter().map(|damaged| damaged.session_id.as_str()).collect();
                app.out.reply(&json!({ "removed": removed, "damaged": names }), |out, _| {
                    out.line(format_args!("{removed} removed"))?;
                    for name in &names {
                        out.line(format_args!("{name:<24} damaged; remove it with session delete"))?;
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

fn line(session: &SessionSummary) -> String {
    let (name, loaded) = (session.session_id.as_str(), session.loaded_skills.len());
    format!("{name:<24} {loaded} loaded, changed {}", session.updated_at)
}

//! `skillmount session`

use clap::{Args, Subcommand};
use serde_json::{Value, json};

use super::super::{
    app::App,
    output::{Output, member},
};
use crate::{error::Result, session::Collected};

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
                for session in control.sessions().await? {
                    app.out.reply(&session, |out, session| out.line(line(session)))?;
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

fn show(out: &Output, session: &Value) -> Result<()> {
    for name in ["user_id", "session_id", "version", "current_skill", "created_at", "updated_at", "expires_at"] {
        out.line(format_args!("{name:<14} {}", member(session, name).plain()))?;
    }
    for loaded in session.get("loaded_skills").and_then(Value::as_array).into_iter().flatten() {
        out.line(format_args!(
            "loaded         {} as {}",
            member(loaded, "skill").plain(),
            member(loaded, "mount").plain()
        ))?;
    }
    Ok(())
}

fn line(session: &Value) -> String {
    if session.get("message").is_some() {
        return format!("{:<24} damaged; remove it with session delete", member(session, "session_id").plain());
    }
    let loaded = session.get("loaded_skills").and_then(Value::as_array).map_or(0, Vec::len);
    format!(
        "{:<24} {} loaded, changed {}",
        member(session, "session_id").plain(),
        loaded,
        member(session, "updated_at").plain()
    )
}

//! `skillmount keys`

use std::collections::BTreeMap;

use clap::{Args, Subcommand};
use jiff::{Span, SpanRelativeTo, Timestamp};
use serde_json::json;

use super::super::{app::App, edges::NewKey, output::note, settings::Setting};
use crate::{
    error::{Code, Error, Result},
    path::Id,
};

#[derive(Debug, Args)]
pub(in super::super) struct Keys {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Make a key: the key for the client, and its entry for the keys file of `serve --keys`
    #[command(after_help = "\
Examples:
  skillmount --user ana keys new >> keys.toml      the key itself is told once, on stderr
  skillmount keys new --all-users --control --json
  skillmount --user ana keys new --name desk --expires 90d --only-var ticket_id=T-7

A key without --only-session and --only-var reaches every session and every ticket
of its user. The entry holds only a hash: whoever reads the keys file learns no key.")]
    New(New),
}

#[derive(Debug, Args)]
struct New {
    /// For every user, not only the one named by --user
    #[arg(long)]
    all_users: bool,
    /// Also allow changing policy and variables, and forgetting sessions
    #[arg(long)]
    control: bool,
    /// What it is called in the file, for people
    #[arg(long, value_name = "TEXT")]
    name: Option<String>,
    /// When it stops working: a time like 2027-01-31T00:00:00Z, or from now on like 90d or 12h
    #[arg(long, value_name = "WHEN")]
    expires: Option<String>,
    /// The team whose skills its user sees, where layers are on
    #[arg(long, value_name = "ID")]
    team: Option<String>,
    /// Bind it to this session and its forks; chat-* to all that begin so. Can be given several times
    #[arg(long, value_name = "ID")]
    only_session: Vec<String>,
    /// Bind it to sessions with this value, which those it makes are given. Can be given several times
    #[arg(long, value_name = "NAME=VALUE")]
    only_var: Vec<String>,
}

impl Keys {
    pub(in super::super) fn run(self, app: &App) -> Result<()> {
        let Action::New(new) = self.action;
        let (key, entry) = (app.edges.new_key)(&*app.clock, &new.wanted(app)?)?;
        if app.out.is_json() {
            return app.out.document(&json!({ "key": key, "entry": entry }));
        }
        app.out.line(entry.trim_end())?;
        note(format_args!("the key, which is kept nowhere: {key}"));
        Ok(())
    }
}

impl New {
    fn wanted(self, app: &App) -> Result<NewKey> {
        let user = if self.all_users { None } else { Some(app.settings.id(Setting::User)?) };
        Ok(NewKey {
            user,
            control: self.control,
            name: self.name,
            expires: self.expires.map(|text| expiry(&text, app.clock.now())).transpose()?,
            team: self.team.map(|text| Id::parse(&text)).transpose()?,
            sessions: self.only_session,
            vars: self.only_var.iter().map(|text| variable(text)).collect::<Result<BTreeMap<_, _>>>()?,
        })
    }
}

/// A time, or how long from `now`; a day has 24 hours.
fn expiry(text: &str, now: Timestamp) -> Result<Timestamp> {
    let refused = || {
        let message =
            format!("{text:?} is not a time to come: use one like 2027-01-31T00:00:00Z, or how long, like 90d");
        Error::new(Code::InvalidRequest, message)
    };
    let later = || {
        let span: Span = text.parse().ok()?;
        now.checked_add(span.to_duration(SpanRelativeTo::days_are_24_hours()).ok()?).ok()
    };
    let time = text.parse().ok().or_else(later).ok_or_else(refused)?;
    if time > now { Ok(time) } else { Err(refused()) }
}

fn variable(text: &str) -> Result<(String, Id)> {
    let (name, value) = text.split_once('=').ok_or_else(|| {
        Error::new(
            Code::InvalidRequest,
            format!("{text:?} is no variable: write its name and value, like ticket_id=T-7"),
        )
    })?;
    Ok((name.to_owned(), Id::parse(value)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_ends_at_a_time_or_after_one() {
        let now: Timestamp = "2026-11-22T10:00:00Z".parse().unwrap();
        let ends = |text| expiry(text, now).map(|time| time.to_string()).ok();
        assert_eq!(ends("2027-01-31T00:00:00Z").as_deref(), Some("2027-01-31T00:00:00Z"));
        assert_eq!(ends("90d").as_deref(), Some("2027-02-20T10:00:00Z"));
        assert_eq!(ends("12h").as_deref(), Some("2026-11-22T22:00:00Z"));
        for wrong in ["", "soon", "2020-01-01T00:00:00Z", "-1d", "90"] {
            assert_eq!(ends(wrong), None, "{wrong}");
        }
    }
}

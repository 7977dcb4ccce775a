//! `skillmount audit`

use std::{collections::BTreeSet, num::NonZeroUsize};

use clap::Args;
use jiff::{Span, Timestamp, tz::TimeZone};

use crate::{
    app::App,
    context::Action,
    error::Result,
    path::Layer,
    screen::{Cell, LastColumn, Terminal, plain},
    settings::Setting,
    wire::{AuditRecord, AuditRequest, Operation},
};

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  skillmount audit                                  what was done in the last day
  skillmount audit --since 2h --operation write
  skillmount --user ana --session s-42 audit --since 2026-01-31T08:00:00Z
  skillmount --server URL audit --layer team        changes of the team's skills
  skillmount audit --json | jq -r '.records[] | [.time, .operation, .subject] | @tsv'

Services write records up to a minute late, and at once if they end or are asked themselves.
With --session, only records of that session.")]
pub(crate) struct Audit {
    /// From when on: a time, or how long ago (30m, 2h, 7d)
    #[arg(long, value_name = "TIME", default_value = "1d", value_parser = parse_since)]
    since: Since,
    /// Only this operation, by the name that the list has
    #[arg(long, value_name = "NAME")]
    operation: Option<String>,
    /// Changes of shared skills by all users: team or org
    #[arg(long, value_name = "LAYER", value_parser = parse_layer)]
    layer: Option<Layer>,
    /// Records at most
    #[arg(long, value_name = "N", default_value = "1000")]
    limit: NonZeroUsize,
}

/// A time, or how long ago it is.
#[derive(Clone, Copy, Debug)]
pub(super) enum Since {
    Time(Timestamp),
    Ago(Span),
}

pub(super) fn parse_since(text: &str) -> Result<Since, String> {
    let time = text.parse().map(Since::Time);
    time.or_else(|_| text.parse().map(Since::Ago))
        .map_err(|_| format!("{text:?} is no time such as 2026-01-31T08:00:00Z, and no span such as 30m, 2h or 7d"))
}

impl Since {
    /// The time itself, as seen at `now`.
    ///
    /// # Errors
    /// `invalid_request` if it is before all times.
    pub(super) fn at(self, now: Timestamp) -> Result<Timestamp> {
        match self {
            Self::Time(time) => Ok(time),
            Self::Ago(span) => {
                let then = now.to_zoned(TimeZone::UTC).checked_sub(span);
                let then = then.map_err(|error| invalid!("--since is too long ago; give less").with_source(error))?;
                Ok(then.timestamp())
            }
        }
    }
}

fn parse_layer(text: &str) -> Result<Layer, String> {
    match text {
        "team" => Ok(Layer::Team),
        "org" => Ok(Layer::Org),
        _ => Err("the layers above the user are team and org".to_owned()),
    }
}

/// The headings of the list.
const HEADINGS: [&str; 6] = ["TIME", "OPERATION", "OUTCOME", "SESSION", "BY", "SUBJECT"];

impl Audit {
    pub(crate) async fn run(self, app: &App) -> Result<()> {
        self.operation.as_deref().map_or(Ok(()), check_operation)?;
        let is_any = app.settings.is_default(Setting::Session);
        let wanted = AuditRequest {
            session: app.settings.get(Setting::Session).filter(|_| !is_any).map(str::to_owned),
            operation: self.operation,
            since: Some(self.since.at(app.clock.now())?),
            layer: self.layer,
            ..AuditRequest::default()
        };
        let page = app.control().await?.audit(wanted, self.limit.get()).await?;
        app.out.reply(&page, |out, page| {
            let now = app.clock.now();
            out.list(HEADINGS, LastColumn::Cut, page.records.iter().map(|record| row(out.screen(), record, now)))?;
            if page.records.is_empty() {
                out.note(
                    "no records; --since reaches further back. `serve --audit async` writes them, up to a minute late",
                );
            } else if page.next_cursor.is_some() {
                out.note(format_args!(
                    "there are more; --limit {} shows twice as many",
                    self.limit.get().saturating_mul(2)
                ));
            }
            Ok(())
        })
    }
}

/// Refuses a name that no record has.
fn check_operation(named: &str) -> Result<()> {
    let operations = Operation::ALL.iter().map(|operation| operation.name());
    let known: BTreeSet<_> = operations.chain(Action::ALL.iter().map(|action| action.name())).collect();
    if known.contains(named) {
        return Ok(());
    }
    let known: Vec<_> = known.into_iter().collect();
    Err(invalid!("there is no operation {named:?}; records name {}", known.join(", ")))
}

fn row(screen: Terminal, record: &AuditRecord, now: Timestamp) -> [Cell; 6] {
    let AuditRecord { operation, outcome, session, by, subject, layer, user, .. } = record;
    let who = |text: &Option<String>| text.as_deref().map_or_else(|| "-".to_owned(), plain);
    let layer = layer.map(|layer| format!(" ({layer})")).unwrap_or_default();
    let user = user.as_deref().map(|user| format!(" for {}", plain(user))).unwrap_or_default();
    let subject = plain(subject) + &layer + &user;
    [screen.time(record.time, now), plain(operation), plain(outcome), who(session), who(by), subject].map(Cell::from)
}

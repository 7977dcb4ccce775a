//! `skillmount usage`

use clap::Args;

use super::audit::{Since, parse_since};
use crate::{
    app::App,
    error::Result,
    output::Output,
    screen::{Cell, LastColumn, plain},
    wire::{AuditRequest, Usage as Figures, UsageRequest},
};

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  skillmount usage                                  of the last 30 days
  skillmount --user ana usage --since 7d
  skillmount usage --json | jq '.default_candidates'

The figures are made from the records that `serve --audit async` or `sync` writes.")]
pub(crate) struct UsageArgs {
    /// From when on: a time, or how long ago (2h, 7d)
    #[arg(long, value_name = "TIME", default_value = "30d", value_parser = parse_since)]
    since: Since,
}

impl UsageArgs {
    pub(crate) async fn run(self, app: &App) -> Result<()> {
        let wanted = UsageRequest { since: Some(self.since.at(app.clock.now())?) };
        let control = app.control().await?;
        let figures = control.usage(&wanted).await?;
        // Records that are no conversation's are those of changes beside sessions.
        let since = AuditRequest { since: wanted.since, ..AuditRequest::default() };
        let has_records =
            figures.conversations > 0 || control.audit(since, 1).await.is_ok_and(|page| !page.records.is_empty());
        let now = app.clock.now();
        app.out.reply(&figures, |out, figures| {
            print(out, figures, has_records)?;
            if !figures.skills.is_empty() {
                out.line("\nskills: share of conversations, conversations, loads, last used")?;
            }
            let rows = figures.skills.iter().map(|used| {
                let [conversations, loads] =
                    [used.conversations, used.loads].map(|count| Cell::number(count.to_string()));
                let last = out.screen().time(used.last_used, now);
                [percent(Some(used.rate)), conversations, loads, last.into(), plain(&used.skill).into()]
            });
            out.table(LastColumn::Whole, rows)
        })
    }
}

/// Prints the figures. `has_records` says whether they are made from any record.
fn print(out: &Output, figures: &Figures, has_records: bool) -> Result<()> {
    let number = |figure: Option<String>| Cell::number(figure.unwrap_or_else(|| "-".to_owned()));
    let Figures { conversations, searches, unanswered, .. } = figures;
    let rows = [
        (number(Some(conversations.to_string())), "conversations"),
        (percent(figures.discovery_rate), "of them searched for skills"),
        (number(Some(searches.to_string())), "searches"),
        (number(Some(unanswered.to_string())), "of them found nothing"),
        (percent(figures.discovery_success), "of searches led to a load"),
        (number(figures.discovery_to_use_turns.map(|turns| format!("{turns:.1}"))), "calls from search to load"),
        (percent(figures.approval_rate), "of calls that had to be approved were"),
        (percent(figures.completion_rate), "of calls succeeded"),
        (number(figures.context_saved_tokens.map(|tokens| tokens.to_string())), "tokens saved in a conversation"),
    ];
    out.table(LastColumn::Whole, rows.map(|(figure, what)| [figure, what.into()]))?;
    if *conversations == 0 {
        let lacking = if has_records { "no conversations in the records" } else { "no records" };
        out.note(format_args!("{lacking}; --since reaches further back, and `serve --audit async` writes them"));
    }
    if !figures.default_candidates.is_empty() {
        let candidates: Vec<_> = figures.default_candidates.iter().map(|skill| plain(skill)).collect();
        out.line(format_args!("\nworth loading from the start: {}", candidates.join(", ")))?;
    }
    if figures.truncated {
        out.note("there are more records than are looked at: the figures are of the latest; a later --since has fewer");
    }
    Ok(())
}

fn percent(share: Option<f64>) -> Cell {
    Cell::number(share.map_or_else(|| "-".to_owned(), |share| format!("{:.1}%", share * 100.0)))
}

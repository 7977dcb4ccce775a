//! `skillmount usage`

use clap::Args;
use jiff::Timestamp;

use super::audit::{Since, parse_since};
use crate::{
    app::App,
    error::Result,
    output::Output,
    screen::{Cell, LastColumn, plain},
    wire::{AuditRequest, SkillUsage, Usage as Figures, UsageRequest},
};

/// The columns of the table of skills.
const HEADINGS: [&str; 5] = ["SHARE", "CONVERSATIONS", "LOADS", "LAST LOAD", "SKILL"];

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  skillmount usage                                  of the last 30 days
  skillmount --user ana usage --since 7d
  skillmount usage --json | jq '.default_candidates'

The figures are made from the records that `serve --audit async` or `sync` writes.")]
pub(crate) struct UsageArgs {
    /// Count from then on: a time, or how long ago (2h, 7d)
    #[arg(long, value_name = "TIME", default_value = "30d", value_parser = parse_since)]
    since: Since,
}

impl UsageArgs {
    pub(crate) async fn run(self, app: &App) -> Result<()> {
        let now = app.clock.now();
        let wanted = UsageRequest { since: Some(self.since.at(now)?) };
        let control = app.control().await?;
        let figures = control.usage(&wanted).await?;
        // Records that are no conversation's are those of changes beside sessions.
        let since = AuditRequest { since: wanted.since, ..AuditRequest::default() };
        let has_records =
            figures.conversations > 0 || control.audit(since, 1).await.is_ok_and(|page| !page.records.is_empty());
        app.out.reply(&figures, |out, figures| {
            if figures.conversations == 0 {
                return nothing_to_count(out, has_records);
            }
            out.table(LastColumn::Whole, rows(figures).map(|(label, figure)| [label.into(), figure.into()]))?;
            skills(out, &figures.skills, now)?;
            remarks(out, figures)
        })
    }
}

/// Says that there is no conversation to count. `has_records` says whether there are other records.
fn nothing_to_count(out: &Output, has_records: bool) -> Result<()> {
    out.line(if has_records {
        "nothing to count: no conversation has a record in this time"
    } else {
        "nothing to count: there are no audit records of this time"
    })?;
    out.note("--since reaches further back, and `serve --audit async` writes records");
    Ok(())
}

/// Each figure behind its label. Labels are short enough for the first column of a narrow terminal.
fn rows(figures: &Figures) -> [(&'static str, String); 9] {
    let Figures { conversations, searches, unanswered, .. } = figures;
    let turns = figures.discovery_to_use_turns.map(|turns| format!("{turns:.1} on average"));
    let saved = figures.context_saved_tokens.map(|tokens| format!("{tokens} on average"));
    [
        ("conversations", conversations.to_string()),
        ("  that searched for skills", percent(figures.discovery_rate, "unknown")),
        ("searches", searches.to_string()),
        ("  that found nothing", unanswered.to_string()),
        ("  that led to a load", percent(figures.discovery_success, "no searches")),
        ("  calls from search to load", turns.unwrap_or_else(|| "no loads".to_owned())),
        ("approvals that were granted", percent(figures.approval_rate, "no decisions")),
        ("calls that succeeded", percent(figures.completion_rate, "no calls")),
        ("tokens saved by a conversation", saved.unwrap_or_else(|| "unknown".to_owned())),
    ]
}

/// A share, or `none` if there is nothing to divide.
fn percent(share: Option<f64>, none: &str) -> String {
    share.map_or_else(|| none.to_owned(), |share| format!("{:.1}%", share * 100.0))
}

/// The used skills in a table with headings.
fn skills(out: &Output, skills: &[SkillUsage], now: Timestamp) -> Result<()> {
    if skills.is_empty() {
        return out.line("\nno conversation used a skill");
    }
    out.line("")?;
    let row = |used: &SkillUsage| {
        let [conversations, loads] = [used.conversations, used.loads].map(|count| Cell::number(count.to_string()));
        let share = Cell::number(percent(Some(used.rate), ""));
        let last = out.screen().time(used.last_used, now);
        [share, conversations, loads, last.into(), plain(&used.skill).into()]
    };
    out.headed(HEADINGS, LastColumn::Whole, skills.iter().map(row))
}

/// Says which skills are worth loading from the start, and whether figures are incomplete.
fn remarks(out: &Output, figures: &Figures) -> Result<()> {
    if !figures.default_candidates.is_empty() {
        let candidates: Vec<_> = figures.default_candidates.iter().map(|skill| plain(skill)).collect();
        out.line(format_args!("\nworth loading from the start: {}", candidates.join(", ")))?;
    }
    if figures.truncated {
        out.note("there are more records than are looked at: the figures are of the latest; a later --since has fewer");
    }
    Ok(())
}

//! `skillmount approvals`

use std::{collections::BTreeSet, thread};

use clap::{Args, Subcommand};
use serde_json::json;
use tokio::{sync::mpsc, time::sleep};

use crate::{
    app::App,
    control::Control,
    error::{Code, Result},
    limits::APPROVALS_LOOK,
    screen::{Cell, LastColumn, plain},
    streams::Input,
    wire::{DecideApproval, Decision, WaitingCall},
};

#[derive(Debug, Args)]
#[command(
    args_conflicts_with_subcommands = true,
    after_help = "\
Examples:
  skillmount approvals                              what waits in the session
  skillmount --session chat-7 approvals --watch     asks about each, as it comes
  skillmount approvals --json | jq -r '.approvals[].approval_id'
  skillmount approvals allow 5f0c2b7d9e3a41c6b8d7e0f1a2b3c4d5"
)]
pub(crate) struct ApprovalsArgs {
    #[command(subcommand)]
    action: Option<Action>,
    /// Show each call as it comes, and ask whether to allow it
    #[arg(long)]
    watch: bool,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Let the call run when the agent makes it again
    #[command(after_help = "\
Examples:
  skillmount approvals allow 5f0c2b7d9e3a41c6b8d7e0f1a2b3c4d5
  skillmount approvals allow 5f0c2b7d9e3a41c6b8d7e0f1a2b3c4d5 --remember")]
    Allow(Choice),
    /// Refuse the call when the agent makes it again
    #[command(after_help = "\
Examples:
  skillmount approvals deny 5f0c2b7d9e3a41c6b8d7e0f1a2b3c4d5
  skillmount approvals deny 5f0c2b7d9e3a41c6b8d7e0f1a2b3c4d5 --message 'archive it instead'
  skillmount approvals deny 5f0c2b7d9e3a41c6b8d7e0f1a2b3c4d5 --remember")]
    Deny(Denial),
}

#[derive(Debug, Args)]
struct Choice {
    /// Which call: its id in the list
    #[arg(value_name = "ID")]
    approval_id: String,
    /// Decide so for every call of this tool, or every load of this skill, in this session
    #[arg(long)]
    remember: bool,
}

#[derive(Debug, Args)]
struct Denial {
    #[command(flatten)]
    choice: Choice,
    /// A text for the model, up to 1,000 characters: the model receives it if it makes the call again
    #[arg(long, value_name = "TEXT")]
    message: Option<String>,
}

/// The headings of the list.
const HEADINGS: [&str; 5] = ["APPROVAL", "TOOL", "TIME", "SKILL", "INPUT"];

impl ApprovalsArgs {
    pub(crate) async fn run(self, app: &App) -> Result<()> {
        let control = app.control().await?;
        match self.action {
            Some(Action::Allow(choice)) => choice.decide(app, &control, Decision::Allow, None).await,
            Some(Action::Deny(Denial { choice, message })) => {
                choice.decide(app, &control, Decision::Deny, message).await
            }
            None if self.watch => watch(app, &control).await,
            None => app.out.reply(&control.waiting_calls().await?, |out, waiting| {
                let row = |call: &WaitingCall| {
                    [call.approval_id.clone(), plain(&call.tool), time_left(call), load_of(call), input_of(call)]
                        .map(Cell::from)
                };
                out.list(HEADINGS, LastColumn::Wrapped, waiting.approvals.iter().map(row))?;
                if waiting.approvals.is_empty() {
                    out.note(format_args!("nothing waits for approval in session {}", app.session()?));
                }
                Ok(())
            }),
        }
    }
}

impl Choice {
    async fn decide(self, app: &App, control: &Control, decision: Decision, message: Option<String>) -> Result<()> {
        let Self { approval_id, remember } = self;
        if approval_id.is_empty() {
            return Err(invalid!(
                "the id of the call is empty; `skillmount approvals` lists the calls that wait, with their ids"
            ));
        }
        control.decide_approval(&approval_id, DecideApproval { decision, remember, message }).await?;
        let done = json!({ "approval_id": approval_id, "decision": decision, "remember": remember });
        app.out.reply(&done, |out, _| out.line(format_args!("{} {approval_id}", past(decision))))
    }
}

const fn past(decision: Decision) -> &'static str {
    match decision {
        Decision::Allow => "allowed",
        Decision::Deny => "denied",
    }
}

/// The input of a call on one line, without anything that could drive a terminal.
fn input_of(call: &WaitingCall) -> String {
    let part = if call.input_cut { " (long texts are cut)" } else { "" };
    plain(&call.input.to_string()) + part
}

fn time_left(call: &WaitingCall) -> String {
    format!("{} s left", call.seconds_left)
}

/// The skill that a call loads, and the version of it, also the version that was allowed before; empty if the call loads none.
fn load_of(call: &WaitingCall) -> String {
    let skill = call.skill.iter().map(|skill| plain(skill.as_str()));
    let changed = call.allowed_digest.iter().map(|allowed| format!("(changed since {allowed} was allowed)"));
    skill.chain(call.digest.clone()).chain(changed).collect::<Vec<_>>().join(" ")
}

/// Asks the person at the terminal about each call, until standard input ends.
async fn watch(app: &App, control: &Control) -> Result<()> {
    if app.out.is_json() || !app.process.stdin.is_terminal() {
        let message = "--watch asks a person at a terminal; a script reads `skillmount approvals --json`, and decides \
                       with `skillmount approvals allow ID` or `deny ID`";
        return Err(invalid!("{message}"));
    }
    app.out.note(format_args!("waiting for calls in session {}; Ctrl-C ends", app.session()?));
    let (mut typed, mut left) = (typed_lines(app.process.stdin.clone()), BTreeSet::new());
    loop {
        for call in control.waiting_calls().await?.approvals {
            if left.contains(&call.approval_id) {
                continue;
            }
            // A line typed before the question is no answer; the first line typed after it is.
            while typed.try_recv().is_ok() {}
            show(app, &call)?;
            let Some(answer) = typed.recv().await else { return Ok(()) };
            match meant(&answer) {
                None => drop(left.insert(call.approval_id)),
                Some(decided) => match control.decide_approval(&call.approval_id, decided.clone()).await {
                    Ok(_) => app.out.line(past(decided.decision))?,
                    Err(error) if error.code() == Code::ApprovalNotFound => app.out.note("it waits no longer"),
                    Err(error) => return Err(error),
                },
            }
        }
        if typed.is_closed() {
            return Ok(());
        }
        sleep(APPROVALS_LOOK).await;
    }
}

fn show(app: &App, call: &WaitingCall) -> Result<()> {
    let load = load_of(call);
    let load = if load.is_empty() { load } else { load + "  " };
    app.out.line(format_args!("{}  {load}{}  {}", plain(&call.tool), input_of(call), time_left(call)))?;
    let whole = plain(call.skill.as_ref().map_or(&call.tool, |skill| skill.as_str()));
    app.out.line(format_args!("allow it? y: yes, n: no, a: always, {whole} for this session; Enter leaves it"))
}

fn meant(answer: &str) -> Option<DecideApproval> {
    let (decision, remember) = match answer.trim().to_lowercase().as_str() {
        "y" | "yes" => (Decision::Allow, false),
        "a" | "always" => (Decision::Allow, true),
        "n" | "no" => (Decision::Deny, false),
        _ => return None,
    };
    Some(DecideApproval { remember, ..DecideApproval::new(decision) })
}

/// The lines that are typed. They are read on a thread of their own, which ends with the process.
fn typed_lines(stdin: Input) -> mpsc::UnboundedReceiver<String> {
    let (send, lines) = mpsc::unbounded_channel();
    thread::spawn(move || {
        while let Some(line) = stdin.line().ok().filter(|line| !line.is_empty()) {
            if send.send(line).is_err() {
                break;
            }
        }
    });
    lines
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;

    use super::*;

    #[test]
    fn only_a_plain_yes_or_no_decides() {
        let said = |answer| meant(answer).map(|meant| (meant.decision, meant.remember));
        assert_eq!(said("y\n"), Some((Decision::Allow, false)));
        assert_eq!(said(" YES "), Some((Decision::Allow, false)));
        assert_eq!(said("a"), Some((Decision::Allow, true)));
        assert_eq!(said("n"), Some((Decision::Deny, false)));
        for unclear in ["", "yn", "maybe", "ye"] {
            assert_eq!(said(unclear), None, "{unclear}");
        }
    }

    #[test]
    fn what_an_agent_asks_for_cannot_drive_the_terminal() {
        let call = WaitingCall {
            approval_id: "1".to_owned(),
            tool: "write".to_owned(),
            input: json!({ "content": "a\u{1b}[2J\u{202e}b\nc" }),
            input_cut: false,
            skill: None,
            digest: None,
            allowed_digest: None,
            expires_at: Timestamp::UNIX_EPOCH,
            seconds_left: 1,
        };
        let text = input_of(&call);
        assert!(!text.chars().any(|char| char.is_control() || char == '\u{202e}'), "{text:?}");
    }
}

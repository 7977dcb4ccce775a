//! Calls that a person approves first: asking, waiting, deciding.
//!
//! `PendingAdmission::admit` asks here, so an operation that forgets to ask does not run.

use std::sync::Arc;

use super::{
    author::{Action, author_of_call},
    call::Context,
    call_input::CallInput,
    effects::record_approval,
    refusal::Refusal,
};
use crate::{
    error::{Code, Error, Result},
    path::SkillPath,
    session::{CallDecision, Change, PendingCall, Session, SkillToLoad},
    skill::shown::one_line,
    wire::{
        ApprovalList, DecideApproval, Decision, EffectivePolicy, Operation, Policy, SkillRule, ToolRule, WaitingCall,
    },
};

/// Uses up the approval of the call, and returns the session as it is then. Listeners receive the outline in the place of
/// the input.
///
/// # Errors
/// `NeedsApproval` while the call waits, `Denied` if a person denied it; the session's.
pub(super) async fn ask(
    (context, session): (&Context, &Session),
    operation: Operation,
    CallInput { input, outline }: CallInput,
    load: Option<&SkillToLoad>,
    asks: (bool, bool),
) -> Result<Arc<Session>, Refusal> {
    let loaded = load.cloned();
    // A long input takes a while to hash.
    let asked = move |_: &_| Ok(PendingCall::new(operation.name(), input, loaded.as_ref(), asks)?.outlined(&outline));
    let call = context.errand().run(asked).await?;
    if session.approvals.may_be_behind(&call) {
        // The decision may have been made at another replica.
        context.core.sessions().refresh(context.user(), &context.session).await?;
    }
    let clock = &context.core.clock();
    let random = clock.random();
    let ask = |session: &mut Session| {
        let (decision, is_change) = session.approvals.ask(&call, clock.now(), random)?;
        Ok(if is_change { Change::Save(decision) } else { Change::None(decision) })
    };
    let what = what(operation, load.map(|load| &load.skill));
    let (session, decision) = context.change(ask).await?;
    match decision {
        CallDecision::Allowed => Ok(session),
        CallDecision::Denied { message } => Err(Refusal::Denied { what, message }),
        CallDecision::Waits { call, is_new } => {
            if is_new {
                approval_was_asked_for(context, &call);
            }
            let changed = call.allowed_digest.map_or("", |_| ", which has changed since a person allowed it,");
            Err(Refusal::NeedsApproval { what: what + changed, approval_id: call.approval_id })
        }
    }
}

/// Reports that a call has begun to wait for a person, once for each call.
fn approval_was_asked_for(context: &Context, call: &WaitingCall) {
    tracing::info!(
        user = %context.user(), session = %context.session, tool = call.tool, approval = call.approval_id,
        "a call waits for approval"
    );
    record_approval(context, &call.approval_id);
}

/// The calls of one session that wait for a decision.
///
/// ```
/// use std::sync::Arc;
///
/// use skillmount_base::{clock::SystemClock, path::Id};
/// use skillmount_engine::handle::{Service, ServiceOptions};
/// use skillmount_store::MemoryStore;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> skillmount_base::Result<()> {
/// let store = Arc::new(MemoryStore::new());
/// store.put_raw("anna/skills/minutes/SKILL.md", "---\nname: minutes\ndescription: Writes minutes.\n---\nBegin.\n");
/// let service = Service::new(store, ServiceOptions::default(), Arc::new(SystemClock::new()));
/// let agent = service.session(Id::parse("anna")?, Id::parse("chat-7")?);
/// let waiting = agent.approvals().waiting_calls().await?;
/// assert!(waiting.approvals.is_empty(), "no policy asks for approval");
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Approvals {
    context: Context,
}

impl Approvals {
    pub(crate) fn new(context: Context) -> Self {
        Self { context }
    }

    /// The calls of this session that wait for a decision, as the store has them now.
    ///
    /// # Errors
    /// As `SessionBackend::session`.
    pub async fn waiting_calls(&self) -> Result<ApprovalList> {
        let session = self.context.refresh().await?;
        Ok(session.approvals.waiting(self.context.core.clock().now()))
    }

    /// Decides about a call that waits, and returns the session as it is then. The decision has its audit record,
    /// whichever surface it came from.
    ///
    /// # Errors
    /// `approval_not_found` if no such call waits in this session; `invalid_request` for a text that
    /// [`DecideApproval::checked_message`] refuses; as `SessionBackend::session`; `store_unavailable` with `parts` if it was
    /// decided and has no record.
    pub async fn decide_approval(&self, id: &str, decision: DecideApproval) -> Result<Arc<Session>> {
        let subject = match decision.decision {
            Decision::Allow => format!("allow {id}"),
            Decision::Deny => format!("deny {id}"),
        };
        let work = Box::pin(self.decide(id, decision));
        author_of_call(&self.context).perform((Action::DecideApproval, &subject), work).await
    }

    async fn decide(&self, id: &str, decision: DecideApproval) -> Result<Arc<Session>> {
        // Another replica may have been asked, and memory may be 30 seconds behind.
        self.context.refresh().await?;
        let decide = |session: &mut Session| {
            session.approvals.decide(id, &decision, self.context.core.clock().now()).map(Change::Save)
        };
        Ok(self.context.change(decide).await.map_err(Error::of_change)?.0)
    }
}

/// Checks that a reader held to `policy` may read the content of a skill outside of a session. If each use of the skill is
/// approved, that happens in a session, where it is loaded.
///
/// # Errors
/// `approval_required`, without an id.
pub fn check_content(policy: &Policy, skill: &SkillPath) -> Result<()> {
    if policy.skill(skill) != SkillRule::AskFirst {
        return Ok(());
    }
    let shown = one_line(skill.as_str());
    let message =
        format!("{} needs a person's approval for each use; load it in a session, which asks", shown.inline());
    Err(Error::new(Code::ApprovalRequired, message))
}

/// Checks that a skill may be loaded before there is a session to ask in.
///
/// # Errors
/// `approval_required`, without an id.
pub(crate) fn check_preload(policy: &EffectivePolicy, skill: &SkillPath) -> Result<()> {
    if policy.tool(Operation::LoadSkill) != ToolRule::Ask && policy.skill(skill) != SkillRule::AskFirst {
        return Ok(());
    }
    let message = format!(
        "{} needs a person's approval, so it cannot be preloaded; load it in the session",
        what(Operation::LoadSkill, Some(skill))
    );
    Err(Error::new(Code::ApprovalRequired, message))
}

fn what(operation: Operation, skill: Option<&SkillPath>) -> String {
    match skill {
        Some(skill) => format!("loading {}", one_line(skill.as_str()).inline()),
        None => format!("the tool {operation}"),
    }
}

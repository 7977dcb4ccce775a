//! Calls that a person approves first: asking, waiting, deciding.
//!
//! An operation asks here before it enters the gate, with its whole request. The handle that comes back is approved for that one
//! call. The gate refuses what asks and has no such handle, so an operation that forgets to ask is closed.

use std::sync::Arc;

use bytes::Bytes;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use super::{Action, Actor, Effects, SessionBackend, SessionState, gate::permit};
use crate::{
    error::{Code, Error, Result},
    path::{SkillPath, VirtualPath},
    session::{
        ApprovalList, AskedCall, CallDecision, Change, DecideApproval, Decision, EffectivePolicy, Policy, Session,
        SkillRule, ToolRule, WaitingCall,
    },
    skill::shown::one_line,
    wire::{CallOutline, Operation, Request, WriteCondition},
};

impl SessionBackend {
    /// The calls of this session that wait for a decision, as the store has them now.
    ///
    /// # Errors
    /// As [`session`](Self::session).
    pub async fn waiting_calls(&self) -> Result<ApprovalList> {
        self.session().await?;
        let session = self.shared.sessions.look(self.user(), &self.session).await?;
        Ok(session.approvals.waiting(self.shared.clock.now()))
    }

    /// Decides about a call that waits, and returns the session as it is then. The decision has its audit record, whoever asked
    /// for it.
    ///
    /// # Errors
    /// `approval_not_found` if no such call waits in this session; as [`session`](Self::session); `store_unavailable` with `parts`
    /// if it was decided and has no record.
    pub async fn decide_approval(&self, id: &str, decision: DecideApproval) -> Result<Arc<Session>> {
        let subject = match decision.decision {
            Decision::Allow => format!("allow {id}"),
            Decision::Deny => format!("deny {id}"),
        };
        let who = Actor { user: self.user(), session: Some(&self.session), by: self.by.as_deref() };
        let work = Box::pin(self.decide(id, decision));
        self.service().observed(who, Action::DecideApproval, &subject, |_| Effects::default(), work).await
    }

    async fn decide(&self, id: &str, decision: DecideApproval) -> Result<Arc<Session>> {
        self.session().await?;
        let sessions = &self.shared.sessions;
        // Another replica may have been asked, and memory may be 30 seconds behind.
        sessions.look(self.user(), &self.session).await?;
        let decide =
            |session: &mut Session| session.approvals.decide(id, decision, self.shared.clock.now()).map(Change::Save);
        Ok(sessions.update(self.user(), &self.session, decide).await.map_err(Error::of_change)?.0)
    }

    /// This handle, approved for `request` if the policy asks about it.
    ///
    /// # Errors
    /// `approval_required` while the call waits, and `tool_blocked` if a person denied it; those of the policy.
    pub(super) async fn approved<R: Request + Sync>(&self, request: &R) -> Result<Self> {
        if !self.asks(R::OPERATION).await? {
            return Ok(self.clone());
        }
        let input = serde_json::to_value(request).map_err(Error::internal)?;
        self.ask_tool(R::OPERATION, input, request.outline()).await
    }

    /// This handle, approved for a download of `path`. Both looks of a conditional read are one call, so they share it.
    ///
    /// # Errors
    /// As of a download: `invalid_path`, `approval_required`, `tool_blocked`.
    pub async fn approved_to_read(&self, path: &str) -> Result<Self> {
        let path = VirtualPath::parse(path)?;
        if !self.asks(Operation::Download).await? {
            return Ok(self.clone());
        }
        let outline = CallOutline::of_files([path.as_str()]);
        self.ask_tool(Operation::Download, json!({ "path": path.as_str() }), outline).await
    }

    /// This handle, approved for the deletion of `path` and for a look at its version before.
    ///
    /// # Errors
    /// As of a deletion: `invalid_path`, `approval_required`, `tool_blocked`.
    pub async fn approved_to_delete(&self, path: &str) -> Result<Self> {
        let path = VirtualPath::parse(path)?;
        self.approved(&crate::wire::DeleteRequest { path: path.to_string() }).await
    }

    /// This handle, approved for `operation` to store these bytes.
    pub(super) async fn approved_to_store(
        &self,
        operation: Operation,
        path: &VirtualPath,
        bytes: &Bytes,
        condition: &WriteCondition,
    ) -> Result<Self> {
        if !self.asks(operation).await? {
            return Ok(self.clone());
        }
        let (size, bytes) = (bytes.len(), bytes.clone());
        let sha256 = self.errand().run(move |_| Ok(hex::encode(Sha256::digest(&bytes)))).await?;
        let input = json!({
            "path": path.as_str(), "bytes": size, "sha256": sha256, "condition": in_words(condition)
        });
        let outline = match operation {
            Operation::Upload => CallOutline::of_files([path.as_str()]),
            _ => CallOutline::default().path("file_path", path.as_str()).other("content", json!({ "bytes": size })),
        };
        self.ask_tool(operation, input, outline).await
    }

    /// Asks about a load of `skill`, if the policy asks about it or about the tool. One approval is for both.
    ///
    /// # Errors
    /// As [`approved`](Self::approved).
    pub(super) async fn approve_load(
        &self,
        request: &crate::wire::LoadSkillRequest,
        skill: &SkillPath,
        policy: &EffectivePolicy,
    ) -> Result<()> {
        let asks = (policy.tool(Operation::LoadSkill) == ToolRule::Ask, policy.skill(skill) == SkillRule::AskFirst);
        if asks == (false, false) {
            return Ok(());
        }
        let input = serde_json::to_value(request).map_err(Error::internal)?;
        self.ask(Operation::LoadSkill, (input, request.outline()), Some(skill), asks).await
    }

    /// Whether a call of `operation` has to be approved.
    async fn asks(&self, operation: Operation) -> Result<bool> {
        if self.is_approved {
            return Ok(false);
        }
        let SessionState { policy, .. } = self.state().await?;
        permit(&policy, operation)?;
        Ok(policy.tool(operation) == ToolRule::Ask)
    }

    async fn ask_tool(&self, operation: Operation, input: Value, outline: CallOutline) -> Result<Self> {
        self.ask(operation, (input, outline), None, (true, false)).await?;
        Ok(Self { is_approved: true, ..self.clone() })
    }

    /// Uses up the approval of the call, and returns if the call may run now. Listeners receive the outline in the place of the input.
    async fn ask(
        &self,
        operation: Operation,
        (input, outline): (Value, CallOutline),
        skill: Option<&SkillPath>,
        asks: (bool, bool),
    ) -> Result<()> {
        let loaded = skill.cloned();
        // A long input takes a while to hash.
        let asked = move |_: &_| Ok(AskedCall::new(operation.name(), input, loaded.as_ref(), asks)?.outlined(&outline));
        let call = self.errand().run(asked).await?;
        let (sessions, clock) = (&self.shared.sessions, &self.shared.clock);
        if self.session().await?.approvals.may_be_behind(&call) {
            // The decision may have been made at another replica.
            sessions.look(self.user(), &self.session).await?;
        }
        let random = clock.random();
        let ask = |session: &mut Session| {
            let (standing, is_change) = session.approvals.ask(&call, clock.now(), random)?;
            Ok(if is_change { Change::Save(standing) } else { Change::None(standing) })
        };
        let what = what(operation, skill);
        match sessions.update(self.user(), &self.session, ask).await?.1 {
            CallDecision::Allowed => Ok(()),
            CallDecision::Denied => {
                let message = format!("a person denied {what}; do not make this call again, go on without it");
                Err(Error::new(Code::ToolBlocked, message))
            }
            CallDecision::Waits { call, is_new } => {
                if is_new {
                    self.approval_was_asked_for(&call);
                }
                let message = format!(
                    "{what} needs a person's approval, which was asked for; wait, then make the identical call again"
                );
                Err(Error::new(Code::ApprovalRequired, message).with_detail("approval_id", call.approval_id))
            }
        }
    }

    /// Reports that a call has begun to wait for a person, once for each call.
    fn approval_was_asked_for(&self, call: &WaitingCall) {
        tracing::info!(
            user = %self.user(), session = %self.session, tool = call.tool, approval = call.approval_id,
            "a call waits for approval"
        );
        self.note_approval(&call.approval_id);
    }
}

/// Checks that a reader held to `policy` may read the content of a skill outside of a session. If each use of the skill is
/// approved, that happens in a session, where it is loaded.
///
/// # Errors
/// `approval_required`, without an id.
pub(crate) fn check_content(policy: &Policy, skill: &SkillPath) -> Result<()> {
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
pub(super) fn check_preload(policy: &EffectivePolicy, skill: &SkillPath) -> Result<()> {
    if policy.tool(Operation::LoadSkill) != ToolRule::Ask && policy.skill(skill) != SkillRule::AskFirst {
        return Ok(());
    }
    let message = format!(
        "{} needs a person's approval, so it cannot be preloaded; load it in the session",
        what(Operation::LoadSkill, Some(skill))
    );
    Err(Error::new(Code::ApprovalRequired, message))
}

fn in_words(condition: &WriteCondition) -> Value {
    match condition {
        WriteCondition::Always => "always".into(),
        WriteCondition::IfAbsent => "if_absent".into(),
        WriteCondition::IfPresent => "if_present".into(),
        WriteCondition::IfMatch(etags) => etags.iter().map(|etag| Value::from(etag.as_str())).collect(),
    }
}

fn what(operation: Operation, skill: Option<&SkillPath>) -> String {
    match skill {
        Some(skill) => format!("loading {}", one_line(skill.as_str()).inline()),
        None => format!("the tool {operation}"),
    }
}

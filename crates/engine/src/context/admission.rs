//! The one door of the operations: an operation goes on only with an [`Admission`], which no other file can make.
//!
//! Session and policies are read once, so one policy decides about the approval and governs the operation.

use std::{future::Future, sync::Arc};

use super::{
    approval::ask, call::Context, call_input::CallInput, operation_span::OperationSpan, refusal::Refusal,
    state::SessionState,
};
use crate::{
    error::Result,
    path::SkillPath,
    session::{Session, SkillToLoad},
    wire::{Effect, EffectivePolicy, Operation, Policy, SkillRule, ToolRule},
};

/// An operation that its session and policies allow. If the policy asks for an approval, that is still to be decided.
#[derive(Clone, Debug)]
pub(crate) struct PendingAdmission<'call> {
    pub(crate) context: &'call Context,
    pub(crate) operation: Operation,
    pub(crate) state: SessionState,
    /// The policy of the user.
    pub(crate) user: Arc<Policy>,
    /// The skill that the call loads, which the policy may ask about.
    pub(crate) load: Option<SkillToLoad>,
    /// Whether the session made the call before, with all its effects.
    is_repeated: bool,
}

/// An operation that may run: its call, the session, and the policies in effect.
#[derive(Clone, Debug)]
pub(crate) struct Admission<'call> {
    context: &'call Context,
    operation: Operation,
    state: SessionState,
}

impl OperationSpan {
    /// Reads session and policies, and checks that they let the operation run, or ask.
    ///
    /// # Errors
    /// Why it may not run.
    pub(crate) async fn check(&self) -> Result<PendingAdmission<'_>, Refusal> {
        let (context, operation) = (self.context(), self.operation());
        let (session, user) = context.session_and_policy().await?;
        PendingAdmission::new(context, operation, (session, user))
    }
}

impl<'call> PendingAdmission<'call> {
    fn new(
        context: &'call Context,
        operation: Operation,
        (session, user): (Arc<Session>, Arc<Policy>),
    ) -> Result<Self, Refusal> {
        let state = context.state_of(session, &user);
        permit(&state.policy, operation)?;
        if operation.effect() != Effect::Reads {
            context.core.sessions().check_writable()?;
        }
        Ok(Self { context, operation, state, user, load: None, is_repeated: false })
    }

    /// The call.
    pub(crate) fn context(&self) -> &'call Context {
        self.context
    }

    /// The session.
    pub(crate) fn session(&self) -> &Arc<Session> {
        &self.state.session
    }

    /// The policies in effect.
    pub(crate) fn policy(&self) -> &EffectivePolicy {
        &self.state.policy
    }

    /// The same operation on the session as the store has it: another replica may have changed it.
    ///
    /// # Errors
    /// Why it may not run.
    pub(crate) async fn refresh(&self) -> Result<Self, Refusal> {
        let session = self.context.refresh().await?;
        Self::new(self.context, self.operation, (session, Arc::clone(&self.user)))
    }

    /// The same operation, which loads these files of a skill. The policy may ask about the tool and the skill: one approval is for
    /// both.
    pub(crate) fn loading(self, skill: &SkillPath, digest: &str) -> Self {
        Self { load: Some(SkillToLoad { skill: skill.clone(), digest: digest.to_owned() }), ..self }
    }

    /// Whether the policy asks about the tool or the skill of the call.
    pub(crate) fn asks(&self) -> bool {
        let (about_tool, about_skill) = self.asked_about();
        about_tool || about_skill
    }

    fn asked_about(&self) -> (bool, bool) {
        let policy = self.policy();
        let about_skill = self.load.as_ref().is_some_and(|load| policy.skill(&load.skill) == SkillRule::AskFirst);
        (policy.tool(self.operation) == ToolRule::Ask, about_skill)
    }

    /// The same operation. If `is_repeated`, the session made this call before, with all its effects: the call changes nothing, so
    /// nobody is asked again.
    pub(crate) fn repeated(self, is_repeated: bool) -> Self {
        Self { is_repeated, ..self }
    }

    /// Admits the operation. If the policy asks about it, this uses up the approval of the call with `input`, which is
    /// awaited only then.
    ///
    /// # Errors
    /// `NeedsApproval` while the call waits, `Denied` if a person denied it; those of `input`; why the operation may not
    /// run any more.
    pub(crate) async fn admit(
        &self,
        input: impl Future<Output = Result<CallInput>>,
    ) -> Result<Admission<'call>, Refusal> {
        if self.is_repeated || !self.asks() {
            return Ok(self.admitted());
        }
        let (call, load) = ((self.context, &*self.state.session), self.load.as_ref());
        let session = ask(call, self.operation, input.await?, load, self.asked_about()).await?;
        Ok(Self::new(self.context, self.operation, (session, Arc::clone(&self.user)))?.admitted())
    }

    fn admitted(&self) -> Admission<'call> {
        Admission { context: self.context, operation: self.operation, state: self.state.clone() }
    }
}

impl<'call> Admission<'call> {
    /// The call.
    pub(crate) fn context(&self) -> &'call Context {
        self.context
    }

    /// The operation that may run.
    pub(crate) fn operation(&self) -> Operation {
        self.operation
    }

    /// The session and the policies in effect.
    pub(crate) fn state(&self) -> &SessionState {
        &self.state
    }

    /// The session as it was read.
    pub(crate) fn session(&self) -> &Arc<Session> {
        &self.state.session
    }

    /// The policies in effect.
    pub(crate) fn policy(&self) -> &EffectivePolicy {
        &self.state.policy
    }

    /// The same admission on the session as it is now. A change to a loaded skill calls this while it holds the skill's
    /// lock, because the change before it moved the snapshot.
    ///
    /// # Errors
    /// Why the operation may not run any more.
    pub(crate) async fn read_again(&self) -> Result<Self, Refusal> {
        let read = self.context.read_again().await?;
        Ok(PendingAdmission::new(self.context, self.operation, read)?.admitted())
    }

    /// Checks that the policies let the call do `operation` too, or ask. The approval of the call is for all that it does.
    ///
    /// # Errors
    /// Why it may not.
    pub(crate) fn check(&self, operation: Operation) -> Result<(), Refusal> {
        permit(&self.state.policy, operation)
    }
}

/// Checks that `policy` lets `operation` run now, or ask.
///
/// # Errors
/// Why it does not.
pub(crate) fn permit(policy: &EffectivePolicy, operation: Operation) -> Result<(), Refusal> {
    if policy.tool(operation) == ToolRule::Blocked {
        return Err(Refusal::Blocked(operation));
    }
    if operation.changes_files() && !policy.is_understood() {
        return Err(Refusal::NotUnderstood(operation));
    }
    if operation.changes_files() && policy.plan_mode() {
        return Err(Refusal::PlanMode(operation));
    }
    Ok(())
}

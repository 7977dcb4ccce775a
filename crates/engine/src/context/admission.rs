//! The one door of the operations: an operation goes on only with an [`Admission`], which no other file can make.
//!
//! Session and policies are read once, so one policy decides about the approval and governs the operation.

use std::sync::Arc;

use super::{
    call::Context, call_input::CallInput, operation_span::OperationSpan, refusal::Refusal, state::SessionState,
};
use crate::{
    session::{EffectivePolicy, Policy, Session, ToolRule},
    wire::{Effect, Operation, Request},
};

/// An operation that its session and policies allow. If the policy asks for an approval, that is still to be decided.
#[derive(Clone, Debug)]
pub(crate) struct PendingAdmission<'call> {
    pub(crate) context: &'call Context,
    pub(crate) operation: Operation,
    pub(crate) state: SessionState,
    /// The policy of the user.
    pub(crate) user: Arc<Policy>,
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
    pub(crate) async fn enter(&self) -> Result<PendingAdmission<'_>, Refusal> {
        let (context, operation) = (self.context(), self.operation());
        let (session, user) = context.session_and_policy().await?;
        PendingAdmission::of(context, operation, (session, user))
    }

    /// Admits the operation. If the policy asks for an approval, this takes the approval of `request`.
    ///
    /// # Errors
    /// Why it may not run.
    pub(crate) async fn admit<R: Request + Sync>(&self, request: &R) -> Result<Admission<'_>, Refusal> {
        self.enter().await?.approve(async { CallInput::from_request(request) }).await
    }
}

impl<'call> PendingAdmission<'call> {
    fn of(
        context: &'call Context,
        operation: Operation,
        (session, user): (Arc<Session>, Arc<Policy>),
    ) -> Result<Self, Refusal> {
        let state = context.state_of(session, &user);
        permit(&state.policy, operation)?;
        if operation.effect() != Effect::Reads {
            context.core.sessions().check_writable()?;
        }
        Ok(Self { context, operation, state, user })
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
    pub(crate) async fn look_again(&self) -> Result<Self, Refusal> {
        let session = self.context.look().await?;
        Self::of(self.context, self.operation, (session, Arc::clone(&self.user)))
    }

    /// The operation, once nothing more has to be decided. Only `approval` calls this.
    pub(crate) fn admitted(&self) -> Admission<'call> {
        Admission { context: self.context, operation: self.operation, state: self.state.clone() }
    }

    /// The operation after its approval was taken from `session`.
    ///
    /// # Errors
    /// Why it may not run any more.
    pub(crate) fn admitted_in(&self, session: Arc<Session>) -> Result<Admission<'call>, Refusal> {
        let pending = Self::of(self.context, self.operation, (session, Arc::clone(&self.user)))?;
        Ok(pending.admitted())
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
        Ok(PendingAdmission::of(self.context, self.operation, read)?.admitted())
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
    if operation.changes_files() && policy.plan_mode() {
        return Err(Refusal::PlanMode(operation));
    }
    Ok(())
}

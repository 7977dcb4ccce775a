//! The gate: every operation enters here and gets one view of session, policy and tree, which it keeps to its end.
//!
//! The view is made for each operation from the session as it is then, and the session is asked for once, so that an
//! operation never sees two versions of it.

use std::sync::Arc;

use super::{SessionBackend, tree::Tree};
use crate::{
    access::out_of_reach,
    error::{Code, Error, Result},
    path::VirtualPath,
    session::{EffectivePolicy, Policy, Session, ToolRule},
    wire::Operation,
};

/// A session and what it may do, read at once.
#[derive(Clone, Debug)]
pub struct SessionState {
    /// The session.
    pub session: Arc<Session>,
    /// Its own policy and its user's, of which the stricter holds everywhere.
    pub policy: EffectivePolicy,
}

impl SessionBackend {
    /// The session as it is now; a fresh one if there is none.
    ///
    /// # Errors
    /// `store_unavailable` if the store is down and the session is not in memory; `denied` if the caller is bound and
    /// does not reach it.
    pub async fn session(&self) -> Result<Arc<Session>> {
        self.reached(self.shared.sessions.get(self.user(), &self.session, &self.at_least).await?).await
    }

    /// The session and what it may do: its own policy and its user's, asked for at once.
    ///
    /// # Errors
    /// As [`session`](Self::session).
    pub async fn state(&self) -> Result<SessionState> {
        let sessions = &self.shared.sessions;
        let (session, user) = tokio::try_join!(self.session(), sessions.user_policy(self.user()))?;
        Ok(self.state_of(session, &user))
    }

    /// As [`state`](Self::state), and a fresh session has the ranks it would begin with now.
    ///
    /// # Errors
    /// As [`session`](Self::session).
    pub async fn ranked_state(&self) -> Result<SessionState> {
        let sessions = &self.shared.sessions;
        let ranked = sessions.get_ranked(self.user(), &self.session, &self.at_least);
        let (session, user) = tokio::try_join!(ranked, sessions.user_policy(self.user()))?;
        Ok(self.state_of(self.reached(session).await?, &user))
    }

    fn state_of(&self, session: Arc<Session>, user: &Policy) -> SessionState {
        let policy = session.policy.under(user).in_mode(self.mode);
        SessionState { session, policy }
    }

    /// The state of the session, if `operation` may run now.
    pub(super) async fn admit(&self, operation: Operation) -> Result<SessionState> {
        let state = self.state().await?;
        permit(&state.policy, operation)?;
        if !self.is_approved && state.policy.tool(operation) == ToolRule::Ask {
            let message = format!("the tool {operation} needs a person's approval, and this way to it cannot ask");
            return Err(Error::new(Code::ApprovalRequired, message));
        }
        if operation.changes_files() {
            self.shared.sessions.check_writable()?;
        }
        Ok(state)
    }

    /// The files that `operation` sees, if it may run now.
    pub(super) async fn enter(&self, operation: Operation) -> Result<Tree> {
        let SessionState { session, policy } = self.admit(operation).await?;
        self.tree(&session, &policy).await
    }

    /// As [`enter`](Self::enter), for an operation that looks into the folder or file at `path`.
    pub(super) async fn enter_at(&self, operation: Operation, path: &VirtualPath) -> Result<Tree> {
        self.settle(self.enter(operation).await?, path).await
    }

    /// Every operation asks for the session first, so this is the one place where a bound caller meets its bounds.
    async fn reached(&self, session: Arc<Session>) -> Result<Arc<Session>> {
        let is_reached = !self.reach.is_bound() || self.shared.sessions.lies_within(&*session, &self.reach).await?;
        if is_reached { Ok(session) } else { Err(out_of_reach()) }
    }
}

/// Checks that `policy` lets `operation` run now, or ask.
pub(super) fn permit(policy: &EffectivePolicy, operation: Operation) -> Result<()> {
    if policy.tool(operation) == ToolRule::Blocked {
        return Err(Error::new(
            Code::ToolBlocked,
            format!("the tool {operation} is blocked by policy; go on without it"),
        ));
    }
    if operation.changes_files() && policy.plan_mode() {
        let message = format!("{operation} is not possible in plan mode: read and plan; changes come after approval");
        return Err(Error::new(Code::PlanMode, message));
    }
    Ok(())
}

//! The session of a call and the policies in effect there: read, and changed.

use std::sync::Arc;

use super::{
    ahead::{ReadAhead, SessionAndPolicy},
    call::Context,
    may_see::visible_session,
    refusal::Refusal,
};
use crate::{
    error::Result,
    path::MountName,
    session::{Change, Session, is_session_within},
    wire::{EffectivePolicy, Policy},
};

/// A session and what it may do, read at once.
#[derive(Clone, Debug)]
pub struct SessionState {
    /// The session, with the loaded skills that the caller may see now, and no others.
    pub session: Arc<Session>,
    /// The policies of the session and of its user. The stricter of the two holds everywhere.
    pub policy: EffectivePolicy,
    /// The folders below `/skills` of loaded skills that the caller may not see now. They stay taken.
    pub(crate) hidden_mounts: Vec<MountName>,
}

impl Context {
    /// The session as it is now; a fresh one if there is none.
    ///
    /// # Errors
    /// `store_unavailable` if the store is down and the session is not in memory; `denied` if the caller is bound and
    /// does not reach it.
    pub(crate) async fn session(&self) -> Result<Arc<Session>, Refusal> {
        let session = match self.ahead.take(self.core.clock().uptime()) {
            Some((session, _)) => session,
            None => self.read_session().await?,
        };
        Ok(see(self, session))
    }

    /// The session and the policies in effect: its own and its user's, read at once.
    ///
    /// # Errors
    /// As [`session`](Self::session).
    pub(crate) async fn state(&self) -> Result<SessionState, Refusal> {
        let (session, user) = self.session_and_policy().await?;
        Ok(self.state_of(session, &user))
    }

    /// As [`state`](Self::state), and a fresh session has the ranks it would begin with now.
    ///
    /// # Errors
    /// As [`session`](Self::session).
    pub(crate) async fn ranked_state(&self) -> Result<SessionState> {
        let sessions = &self.core.sessions();
        if let Some((session, user)) = self.ahead.take(self.core.clock().uptime())
            && session.version > 0
        {
            return Ok(self.state_of(see(self, session), &user));
        }
        let ranked = sessions.get_ranked(self.user(), &self.session, &self.options.at_least);
        let (session, user) = tokio::try_join!(ranked, sessions.user_policy(self.user()))?;
        let session = see(self, check_reach(self, session).await?);
        Ok(self.state_of(session, &user))
    }

    /// As [`state`](Self::state). The next call with this context, or with a clone, takes that state and reads none.
    ///
    /// # Errors
    /// As [`session`](Self::session).
    pub(crate) async fn read_ahead(&mut self) -> Result<SessionState, Refusal> {
        let found = taken_or_read(self).await?;
        let state = self.state_of(found.0.clone(), &found.1);
        self.ahead = ReadAhead::new(found, self.core.clock().uptime());
        Ok(state)
    }

    /// The session and its user's policy, from the reading ahead if there is a recent one.
    pub(crate) async fn session_and_policy(&self) -> Result<SessionAndPolicy, Refusal> {
        let (session, user) = taken_or_read(self).await?;
        Ok((see(self, session), user))
    }

    /// The session and its user's policy as they are now.
    pub(crate) async fn read_again(&self) -> Result<SessionAndPolicy, Refusal> {
        let (session, user) = read_session_and_policy(self).await?;
        Ok((see(self, session), user))
    }

    /// The session as the store has it: another replica may have changed it.
    ///
    /// # Errors
    /// As [`session`](Self::session).
    pub(crate) async fn refresh(&self) -> Result<Arc<Session>, Refusal> {
        let session = self.core.sessions().refresh(self.user(), &self.session).await?;
        Ok(see(self, check_reach(self, session).await?))
    }

    /// The state that `session` and the policy of its user make for this caller.
    pub(crate) fn state_of(&self, session: Arc<Session>, user: &Policy) -> SessionState {
        let policy = session.policy_under(user).in_mode(self.options.mode);
        let (session, hidden_mounts) = visible_session(self, session, &policy);
        SessionState { session, policy, hidden_mounts }
    }

    /// Changes the session by `change`, which can run several times, once on each version that was read.
    ///
    /// # Errors
    /// Those of `change`; `read_only` if nothing can be written; the store's, with the outcome.
    pub(crate) async fn change<T>(
        &self,
        change: impl FnMut(&mut Session) -> Result<Change<T>>,
    ) -> Result<(Arc<Session>, T)> {
        let (session, done) = self.core.sessions().update(self.user(), &self.session, change).await?;
        Ok((see(self, session), done))
    }

    /// Notes that the caller sees this version of the session.
    pub(crate) fn record_seen(&self, session: &Session) {
        self.seen.follow(session);
    }

    /// The session as it is now.
    ///
    /// # Errors
    /// As [`session`](Self::session).
    pub(crate) async fn read_session(&self) -> Result<Arc<Session>, Refusal> {
        check_reach(self, self.core.sessions().get(self.user(), &self.session, &self.options.at_least).await?).await
    }
}

fn see(context: &Context, session: Arc<Session>) -> Arc<Session> {
    context.record_seen(&session);
    session
}

async fn taken_or_read(context: &Context) -> Result<SessionAndPolicy, Refusal> {
    match context.ahead.take(context.core.clock().uptime()) {
        Some(found) => Ok(found),
        None => read_session_and_policy(context).await,
    }
}

async fn read_session_and_policy(context: &Context) -> Result<SessionAndPolicy, Refusal> {
    tokio::try_join!(context.read_session(), read_user_policy(context))
}

async fn read_user_policy(context: &Context) -> Result<Arc<Policy>, Refusal> {
    Ok(context.core.sessions().user_policy(context.user()).await?)
}

/// Every call reads the session first, so this is the one place that checks the bounds of a caller.
async fn check_reach(context: &Context, session: Arc<Session>) -> Result<Arc<Session>, Refusal> {
    let scope = context.caller.sessions();
    let is_reached = !scope.is_bound() || is_session_within(context.core.sessions(), &*session, scope).await?;
    if is_reached { Ok(session) } else { Err(Refusal::OutOfScope) }
}

//! Sessions as they are shown: naming no skill that the reader may not see.
//!
//! A session goes on holding a skill that policy has hidden since, or that belongs to a team its caller is not in: another
//! caller may see it, and the policy may change back. Its files are out of reach then, and so is its name.

use std::sync::Arc;

use super::{Caller, Service, SessionBackend, SessionState};
use crate::{
    error::Result,
    limits::PAGE_ENTRIES,
    session::{EffectivePolicy, LoadedSummary, Policy, Session, SessionListRequest, SessionPage, SessionSummary},
};

impl SessionBackend {
    /// The session as it is now, as this caller may see it.
    ///
    /// # Errors
    /// As [`session`](Self::session).
    pub async fn summary(&self) -> Result<SessionSummary> {
        let SessionState { session, policy } = self.state().await?;
        Ok(self.shown(SessionSummary::from(&*session), &policy))
    }

    /// What a change of this session led to, as this caller may see it. The `user`'s policy is read before the change, so
    /// that no change that was made ends as an error.
    #[must_use]
    pub fn summary_of(&self, session: &Session, user: &Policy) -> SessionSummary {
        self.shown(SessionSummary::from(session), &session.policy.under(user))
    }

    fn shown(&self, summary: SessionSummary, policy: &EffectivePolicy) -> SessionSummary {
        let has_home = |loaded: &LoadedSummary| self.context.layer(loaded.layer).is_ok_and(|home| home.is_some());
        summary.naming(|loaded| {
            policy.skill(&loaded.skill).is_visible()
                && self.context.is_in(loaded.layer, loaded.team.as_ref())
                && has_home(loaded)
        })
    }
}

impl Service {
    /// A page of the sessions of the user of `caller`, as `caller` may see them.
    ///
    /// # Errors
    /// As [`Sessions::list`](crate::session::Sessions::list).
    pub async fn list_sessions(&self, caller: &Arc<Caller>, wanted: &SessionListRequest) -> Result<SessionPage> {
        let (limit, cursor) = (wanted.limit.unwrap_or(PAGE_ENTRIES), wanted.cursor.as_deref());
        let sessions = self.sessions();
        let (mut page, user) =
            tokio::try_join!(sessions.list(caller.user(), limit, cursor), sessions.user_policy(caller.user()))?;
        let show = |summary: SessionSummary| {
            let reader = self.session_of(Arc::clone(caller), summary.session_id.clone());
            let policy = summary.policy.under(&user);
            reader.shown(summary, &policy)
        };
        page.sessions = page.sessions.into_iter().map(show).collect();
        Ok(page)
    }
}

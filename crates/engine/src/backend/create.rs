//! Making sessions, with the skills that they begin with.

use std::sync::Arc;

use super::{
    Service,
    bundles::note_load,
    context::{Caller, Context},
    ops::load_skill::{find_preloads, mount_in},
};
use crate::{
    error::{Error, Result},
    path::Id,
    session::{CreateSession, CreatedSession, Preload, Session},
};

impl Service {
    /// Creates a session of the user of `caller`, or returns the existing one. A new session begins with the skills that
    /// its policy preloads, if `caller` sees them.
    ///
    /// # Errors
    /// As [`Sessions::create`]; that of a preload that fails, with the skill's name: then no session is created.
    pub async fn create_session(
        &self,
        caller: impl Into<Caller>,
        session: &Id,
        wanted: CreateSession,
    ) -> Result<CreatedSession> {
        self.create_by(&Arc::new(caller.into()), session, wanted).await
    }

    /// As [`create_session`](Self::create_session).
    pub(super) async fn create_by(
        &self,
        caller: &Arc<Caller>,
        session: &Id,
        wanted: CreateSession,
    ) -> Result<CreatedSession> {
        self.create_for(caller, session, wanted).await.map_err(Error::of_change)
    }

    async fn create_for(&self, caller: &Arc<Caller>, session: &Id, wanted: CreateSession) -> Result<CreatedSession> {
        self.check_writable()?;
        let context = Context::new(Arc::clone(&self.shared), Arc::clone(caller), session.clone());
        self.begin_parent(caller, &wanted).await?;
        let draft = self.sessions().draft(caller.user(), session, &wanted).await?;
        // All of them are found before anything is written, and the session is written once, with them in it.
        let has_none = draft.version > 0 || draft.policy.preload.is_empty();
        let preloads = if has_none { None } else { Some(find_preloads(&context, &draft).await?) };
        let furnish = |state: &mut Session| match &preloads {
            None => Ok(()),
            Some((skills, policy)) => {
                skills.iter().try_for_each(|skill| match mount_in(&context, state, skill, policy, None, None) {
                    // Nobody named this skill: it is left out, and not the session.
                    Err(_) if draft.policy.preload == Preload::Auto => Ok(()),
                    mounted => mounted.map(drop),
                })
            }
        };
        let created = self.sessions().create_with(caller.user(), session, wanted, furnish).await?;
        for fetched in preloads.iter().flat_map(|(skills, _)| skills) {
            if let Some(loaded) = created.session.loaded(&fetched.skill).filter(|_| created.is_new) {
                note_load(&context, loaded, &fetched.snapshot).await;
            }
        }
        Ok(created)
    }
}

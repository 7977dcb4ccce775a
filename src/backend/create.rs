//! Making sessions, with the skills that they begin with.

use super::Service;
use crate::{
    catalog::Audience,
    error::{Error, Result},
    path::Id,
    session::{CreateSession, CreatedSession, Preload, Session},
};

impl Service {
    /// Creates a session of the user of `audience`, or returns the existing one. A new session begins with the skills that
    /// its policy preloads, if `audience` sees them.
    ///
    /// # Errors
    /// As [`Sessions::create`]; that of a preload that fails, with the skill's name: then no session is created.
    pub async fn create_session(
        &self,
        audience: impl Into<Audience>,
        session: &Id,
        wanted: CreateSession,
    ) -> Result<CreatedSession> {
        let Audience { user, team } = audience.into();
        self.create_for(user, team, session, wanted).await.map_err(Error::of_change)
    }

    async fn create_for(
        &self,
        user: Id,
        team: Option<Id>,
        session: &Id,
        wanted: CreateSession,
    ) -> Result<CreatedSession> {
        self.check_writable()?;
        let backend = self.session(user.clone(), session.clone()).in_team(team);
        self.begin_parent(&user, &wanted).await?;
        let draft = self.sessions().draft(&user, session, &wanted).await?;
        // All of them are found before anything is written, and the session is written once, with them in it.
        let has_none = draft.version > 0 || draft.policy.preload.is_empty();
        let preloads = if has_none { None } else { Some(backend.find_preloads(&draft).await?) };
        let furnish = |state: &mut Session| match &preloads {
            None => Ok(()),
            Some((skills, policy)) => {
                skills.iter().try_for_each(|skill| match backend.mount_in(state, skill, policy, None, None) {
                    // Nobody named this skill: it is left out, and not the session.
                    Err(_) if draft.policy.preload == Preload::Auto => Ok(()),
                    mounted => mounted.map(drop),
                })
            }
        };
        self.sessions().create_with(&user, session, wanted, furnish).await
    }
}

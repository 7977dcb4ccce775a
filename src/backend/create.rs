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
        self.create_by(None, audience.into(), session, wanted).await
    }

    /// As [`create_session`](Self::create_session), for a caller whose key has the name `by`.
    pub(super) async fn create_by(
        &self,
        by: Option<&str>,
        audience: Audience,
        session: &Id,
        wanted: CreateSession,
    ) -> Result<CreatedSession> {
        self.create_for(by, audience, session, wanted).await.map_err(Error::of_change)
    }

    async fn create_for(
        &self,
        by: Option<&str>,
        Audience { user, team }: Audience,
        session: &Id,
        wanted: CreateSession,
    ) -> Result<CreatedSession> {
        self.check_writable()?;
        let backend = self.session(user.clone(), session.clone()).in_team(team);
        self.begin_parent(by, &user, &wanted).await?;
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
        let created = self.sessions().create_with(&user, session, wanted, furnish).await?;
        for fetched in preloads.iter().flat_map(|(skills, _)| skills) {
            if let Some(loaded) = created.session.loaded(&fetched.skill).filter(|_| created.is_new) {
                backend.note_load(loaded, &fetched.snapshot).await;
            }
        }
        Ok(created)
    }
}

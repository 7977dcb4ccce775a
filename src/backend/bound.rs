//! Making sessions for callers that are bound to some of them.
//!
//! Files outlive sessions, and the id of a session chooses its files. So a bound caller, who may give a fork any id, must
//! not come by files that are there already: under an id that its bounds do not name it makes a session only where nothing
//! lies, and the variables are those its parent has in effect.

use std::{collections::BTreeMap, sync::Arc};

use super::Service;
use crate::{
    access::{Reach, out_of_reach},
    catalog::Audience,
    error::Result,
    path::Id,
    session::{CreateSession, Session, SessionVersion},
    store::ListOptions,
};

impl Service {
    /// As [`create_session`](Self::create_session), for a caller of this reach. `is_taken` says whether others are bound to
    /// that id.
    ///
    /// # Errors
    /// `denied` for a session, or a parent, beyond the reach; as [`create_session`](Self::create_session).
    pub async fn create_session_within(
        &self,
        reach: &Reach,
        audience: Audience,
        session: &Id,
        mut wanted: CreateSession,
        is_taken: bool,
    ) -> Result<(Arc<Session>, bool)> {
        if !reach.is_bound() {
            return self.create_session(audience, session, wanted).await;
        }
        let (sessions, user) = (self.sessions(), audience.user.clone());
        let parent = match &wanted.parent {
            None => None,
            Some(parent) => Some(sessions.get(&user, parent, &SessionVersion::default()).await?),
        };
        if let Some(parent) = &parent
            && !sessions.lies_within(&**parent, reach).await?
        {
            return Err(out_of_reach());
        }
        wanted.vars.extend(reach.vars().clone());
        if !reach.names(session) {
            match &parent {
                None if !reach.sessions().is_empty() => return Err(out_of_reach()),
                None => {}
                Some(parent) => self.inherit(&mut wanted.vars, parent),
            }
            let is_new = sessions.get(&user, session, &SessionVersion::default()).await?.version == 0;
            if is_new && (is_taken || !self.is_untouched(&user, session).await?) {
                return Err(out_of_reach());
            }
        }
        let (session, made) = self.create_session(audience, session, wanted).await?;
        if sessions.lies_within(&*session, reach).await? { Ok((session, made)) } else { Err(out_of_reach()) }
    }

    /// Sets what `parent` has in effect: where it has no value, the id that chooses its files stands in.
    fn inherit(&self, vars: &mut BTreeMap<String, Id>, parent: &Session) {
        for name in self.templates().variables() {
            let value = parent.vars.get(name).unwrap_or(parent.files_id());
            vars.entry(name.to_owned()).or_insert_with(|| value.clone());
        }
    }

    /// Whether nothing lies where a session of this id has its files as long as no variable says otherwise.
    async fn is_untouched(&self, user: &Id, session: &Id) -> Result<bool> {
        let (space, vars) = (self.namespace().user(user)?, BTreeMap::new());
        for template in [self.templates().workspace(), self.templates().ticket()] {
            if !template.is_of_one_session() {
                continue;
            }
            let first = ListOptions { max_entries: Some(1), ..ListOptions::default() };
            let found = self.store().list(&template.prefix(&space, session, &vars)?, first).await?;
            if !found.objects.is_empty() {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

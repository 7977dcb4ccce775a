//! Who calls: found out once, at the door of a surface.

use std::sync::Arc;

use crate::{access::SessionScope, catalog::Audience, path::Id};

/// A caller: user, team, key, and the sessions that the key reaches. It stays the same for all that the call does.
#[derive(Clone, Debug)]
pub struct Caller {
    audience: Audience,
    key: Option<Arc<str>>,
    sessions: Arc<SessionScope>,
}

impl Caller {
    /// The caller of a service without keys: it is in no team and reaches every session of `user`.
    #[must_use]
    pub fn new(user: Id) -> Self {
        Self { audience: Audience { user, team: None }, key: None, sessions: Arc::default() }
    }

    /// The same caller in this team: it sees the skills of the team if layers are on. The team comes from the caller's key,
    /// never from a request.
    #[must_use]
    pub fn in_team(mut self, team: Option<Id>) -> Self {
        self.audience.team = team;
        self
    }

    /// The same caller with a key of this name. Audit records and versions keep the name.
    #[must_use]
    pub fn with_key(mut self, name: Option<&str>) -> Self {
        self.key = name.map(Arc::from);
        self
    }

    /// The same caller, bound to these sessions: in any other its calls are `denied`.
    #[must_use]
    pub fn within(mut self, sessions: Arc<SessionScope>) -> Self {
        self.sessions = sessions;
        self
    }

    /// Whose data it calls on.
    #[must_use]
    pub fn user(&self) -> &Id {
        &self.audience.user
    }

    /// Whose skills the caller sees: the skills of the user and of the team.
    #[must_use]
    pub fn audience(&self) -> &Audience {
        &self.audience
    }

    /// The name of its key; `None` if the service has no keys.
    #[must_use]
    pub fn key(&self) -> Option<&str> {
        self.key.as_deref()
    }

    /// Which sessions of the user it reaches.
    #[must_use]
    pub fn sessions(&self) -> &SessionScope {
        &self.sessions
    }
}

impl From<Audience> for Caller {
    fn from(audience: Audience) -> Self {
        Self { audience, key: None, sessions: Arc::default() }
    }
}

impl From<Id> for Caller {
    fn from(user: Id) -> Self {
        Self::new(user)
    }
}

impl From<&Id> for Caller {
    fn from(user: &Id) -> Self {
        Self::new(user.clone())
    }
}

//! Which of its user's sessions a caller reaches.
//!
//! A user is a wall. Inside one user a caller may name any session, and the session's id and variables choose the files
//! behind it, unless the caller is bound: to sessions, to values of variables, or to both. What a session is, its own object
//! says, and never a request: it lies within the bounds where its id or that of a session it was forked from is named, and
//! where it has the values.

use std::collections::BTreeMap;

use super::{Session, SessionSummary, SessionVersion, Sessions};
use crate::{
    error::{Code, Error, Result},
    limits::FORK_DEPTH,
    path::{Id, check_variable_name},
};

/// Sessions by id: one, or all whose ids begin alike.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SessionPattern {
    /// This one: `chat-7`.
    One(Id),
    /// Those whose ids begin so: `chat-*`.
    Beginning(String),
}

impl SessionPattern {
    /// Checks `text`: an id, or the beginning of ids with `*` behind it.
    ///
    /// # Errors
    /// `invalid_request` where it is neither; `*` alone, which binds to nothing, is neither.
    pub fn parse(text: &str) -> Result<Self> {
        let wrong = || {
            let message = format!("{text:?} names no sessions: use an id like chat-7, or how ids begin, like chat-*");
            Error::new(Code::InvalidRequest, message)
        };
        match text.strip_suffix('*') {
            // What ids begin with is an id itself.
            Some(beginning) => Id::parse(beginning).map(|beginning| Self::Beginning(beginning.to_string())),
            None => Id::parse(text).map(Self::One),
        }
        .map_err(|_| wrong())
    }

    /// Whether `session` is one of them.
    #[must_use]
    pub fn covers(&self, session: &Id) -> bool {
        match self {
            Self::One(id) => id == session,
            Self::Beginning(beginning) => session.as_str().starts_with(beginning),
        }
    }
}

/// The bounds of a caller; none by default.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reach {
    sessions: Vec<SessionPattern>,
    vars: BTreeMap<String, Id>,
}

impl Reach {
    /// The reach of a caller that is bound to these sessions and values; an empty list binds to nothing.
    ///
    /// # Errors
    /// `invalid_request` for what names no session or no variable.
    pub fn new(sessions: &[String], vars: &BTreeMap<String, Id>) -> Result<Self> {
        let sessions = sessions.iter().map(|text| SessionPattern::parse(text)).collect::<Result<_>>()?;
        vars.keys().try_for_each(|name| check_variable_name(name))?;
        Ok(Self { sessions, vars: vars.clone() })
    }

    /// Whether there is anything it does not reach.
    #[must_use]
    pub fn is_bound(&self) -> bool {
        !self.sessions.is_empty() || !self.vars.is_empty()
    }

    /// The sessions it is bound to; empty where it is bound to none.
    #[must_use]
    pub fn sessions(&self) -> &[SessionPattern] {
        &self.sessions
    }

    /// The values it is bound to.
    #[must_use]
    pub fn vars(&self) -> &BTreeMap<String, Id> {
        &self.vars
    }

    /// Whether it is bound to `session` by its id.
    #[must_use]
    pub fn names(&self, session: &Id) -> bool {
        self.sessions.iter().any(|pattern| pattern.covers(session))
    }
}

/// What says whether a session lies within bounds.
#[derive(Clone, Copy, Debug)]
pub struct Whereabouts<'session> {
    user: &'session Id,
    session: &'session Id,
    vars: &'session BTreeMap<String, Id>,
    parent: Option<&'session Id>,
}

impl<'session> From<&'session Session> for Whereabouts<'session> {
    fn from(session: &'session Session) -> Self {
        let Session { user_id: user, session_id, vars, parent, .. } = session;
        Self { user, session: session_id, vars, parent: parent.as_ref() }
    }
}

impl<'session> From<&'session SessionSummary> for Whereabouts<'session> {
    fn from(session: &'session SessionSummary) -> Self {
        let SessionSummary { user_id: user, session_id, vars, parent, .. } = session;
        Self { user, session: session_id, vars, parent: parent.as_ref() }
    }
}

impl Sessions {
    /// Whether `session` lies within `reach`.
    ///
    /// # Errors
    /// The store's, where a session it was forked from is not in memory.
    pub async fn lies_within(&self, session: impl Into<Whereabouts<'_>>, reach: &Reach) -> Result<bool> {
        let Whereabouts { user, session, vars, parent } = session.into();
        if reach.vars.iter().any(|(name, value)| vars.get(name) != Some(value)) {
            return Ok(false);
        }
        if reach.sessions.is_empty() || reach.names(session) {
            return Ok(true);
        }
        let mut parent = parent.cloned();
        for _ in 0..FORK_DEPTH {
            let Some(above) = parent.take() else { return Ok(false) };
            if reach.names(&above) {
                return Ok(true);
            }
            parent.clone_from(&self.get(user, &above, &SessionVersion::default()).await?.parent);
        }
        Ok(false)
    }
}

/// What is said of every session beyond the bounds, be it there or not.
#[must_use]
pub fn out_of_reach() -> Error {
    Error::new(Code::Denied, "this API key does not reach that session; it is bound to others, or to other variables")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_is_an_id_or_the_beginning_of_ids() {
        let covers = |pattern: &str, id: &str| SessionPattern::parse(pattern).unwrap().covers(&Id::parse(id).unwrap());
        assert!(covers("chat-1", "chat-1") && !covers("chat-1", "chat-10") && !covers("chat-10", "chat-1"));
        assert!(covers("chat-*", "chat-1") && covers("chat-*", "chat-") && !covers("chat-*", "chat"));
        for bad in ["", "*", "**", "a*b", "*a", "a**", "../a", "a b", "-a*"] {
            assert!(SessionPattern::parse(bad).is_err(), "{bad}");
        }
    }
}

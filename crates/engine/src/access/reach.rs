//! Which of its user's sessions a caller reaches.
//!
//! A user is a wall. Inside one user a caller may name any session, and the session's id and variables choose the files
//! behind it, unless the caller is bound: to sessions, to values of variables, or to both. Whether a session lies within
//! these bounds is found out in `session`.

use std::collections::BTreeMap;

use crate::{
    error::{Code, Error, Result},
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
    /// `invalid_request` if it is neither; `*` alone, which binds to nothing, is neither.
    pub fn parse(text: &str) -> Result<Self> {
        let wrong = || {
            let message = format!("{text:?} names no sessions: use an id like chat-7, or how ids begin, like chat-*");
            Error::new(Code::InvalidRequest, message)
        };
        match text.strip_suffix('*') {
            // The beginning of ids is an id itself.
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
pub struct SessionScope {
    sessions: Vec<SessionPattern>,
    vars: BTreeMap<String, Id>,
}

impl SessionScope {
    /// The reach of a caller that is bound to these sessions and values; an empty list binds to nothing.
    ///
    /// # Errors
    /// `invalid_request` for a text that is no pattern of sessions, or a name that is no variable.
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

    /// The sessions it is bound to, if it names each of them; `None` if it is bound to no ids, or to the beginning of ids.
    #[must_use]
    pub fn single_sessions(&self) -> Option<Vec<&Id>> {
        let single = self.sessions.iter().map(|pattern| match pattern {
            SessionPattern::One(id) => Some(id),
            SessionPattern::Beginning(_) => None,
        });
        let sessions: Option<Vec<_>> = single.collect();
        sessions.filter(|sessions| !sessions.is_empty())
    }

    /// The sessions it is bound to; empty if it is bound to none.
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

/// The error for every session beyond the bounds, whether it exists or not.
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

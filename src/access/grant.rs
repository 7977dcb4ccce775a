//! What a caller may do: the only place where it is decided.

use std::{collections::BTreeMap, sync::Arc};

use serde::{Deserialize, Serialize};

use super::{Reach, taken::TakenSessions};
use crate::{
    budget::Owner,
    error::{Code, Error, Result},
    path::Id,
};

/// What a key may be used for. `Control` includes everything `Agent` may.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Scope {
    /// Run an agent's operations.
    Agent,
    /// Also change policy and variables, and forget sessions.
    Control,
}

/// What a caller may do: of a key, or of everybody if the service has no keys and listens on loopback only.
#[derive(Clone, Debug)]
pub struct Grant {
    /// What the key is called: the beginning of its digest. `None` if there are no keys.
    pub(super) key: Option<Owner>,
    pub(super) user: Option<Id>,
    pub(super) scope: Scope,
    pub(super) team: Option<Id>,
    pub(super) reach: Arc<Reach>,
    /// The sessions that any key is bound to, and whose they are.
    pub(super) taken: Arc<TakenSessions>,
}

impl Grant {
    /// Everything, for all users and in no team.
    pub(super) fn of_everybody() -> Self {
        Self { key: None, user: None, scope: Scope::Control, team: None, reach: Arc::default(), taken: Arc::default() }
    }

    /// What the key is called, for shares and logs.
    #[must_use]
    pub const fn key(&self) -> Option<&Owner> {
        self.key.as_ref()
    }

    /// Which of the user's sessions the caller reaches.
    #[must_use]
    pub const fn reach(&self) -> &Arc<Reach> {
        &self.reach
    }

    /// Whether a key, this or another, is bound to `session` of `user` by its id.
    #[must_use]
    pub fn is_taken(&self, user: &Id, session: &Id) -> bool {
        self.taken.covers(user, session)
    }

    /// The team whose skills the caller sees: what the key says, for a request is never asked.
    #[must_use]
    pub const fn team(&self) -> Option<&Id> {
        self.team.as_ref()
    }

    /// Whether a call on `user`'s data that needs `scope` may go on.
    ///
    /// # Errors
    /// `denied`, saying which of the two is missing.
    pub fn allows(&self, user: &Id, scope: Scope) -> Result<()> {
        if self.user.as_ref().is_some_and(|own| own != user) {
            return Err(Error::new(
                Code::Denied,
                "this API key belongs to another user; call with that user in the address, or with another key",
            ));
        }
        if self.scope < scope {
            return Err(Error::new(Code::Denied, "this call needs an API key with scope control"));
        }
        Ok(())
    }

    /// Whether a call that is about more than one session may go on.
    ///
    /// # Errors
    /// `denied` if the key is bound.
    pub fn reaches_all_sessions(&self) -> Result<()> {
        if !self.reach.is_bound() {
            return Ok(());
        }
        let message = "this API key is bound to some sessions, and this call is about all; use one that is not bound";
        Err(Error::new(Code::Denied, message))
    }

    /// Whether the caller may set these variables of a session of `user`, which choose what lies behind the mounts.
    /// `agents_may_set` says of a variable whether the mount templates leave it to agents.
    ///
    /// # Errors
    /// `denied` if the key is bound to other values, if it is bound and has no business with the variable, or if it lacks
    /// scope `control` and the variable is not left to agents.
    pub fn may_set(&self, user: &Id, vars: &BTreeMap<String, Id>, agents_may_set: impl Fn(&str) -> bool) -> Result<()> {
        for (name, value) in vars {
            match self.reach.vars().get(name) {
                Some(bound) if bound == value => {}
                None if agents_may_set(name) => {}
                None if !self.reach.is_bound() => self.allows(user, Scope::Control)?,
                _ => {
                    let message = format!("this API key is bound and does not set the variable {name:?} to {value}");
                    return Err(Error::new(Code::Denied, message));
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(text: &str) -> Id {
        Id::parse(text).unwrap()
    }

    fn bound(sessions: &[&str], vars: &[(&str, &str)]) -> Grant {
        let sessions: Vec<_> = sessions.iter().map(|text| (*text).to_owned()).collect();
        let vars = vars.iter().map(|(name, value)| ((*name).to_owned(), id(value))).collect();
        Grant { reach: Arc::new(Reach::new(&sessions, &vars).unwrap()), ..Grant::of_everybody() }
    }

    #[test]
    fn what_is_bound_is_denied_calls_about_all_sessions() {
        assert!(Grant::of_everybody().reaches_all_sessions().is_ok());
        for grant in [bound(&["chat-*"], &[]), bound(&[], &[("ticket_id", "t1")])] {
            assert_eq!(grant.reaches_all_sessions().unwrap_err().code(), Code::Denied);
        }
    }

    #[test]
    fn a_variable_is_set_by_control_by_agents_it_is_left_to_or_to_the_value_a_key_is_bound_to() {
        let sets = |grant: &Grant, name: &str, value: &str| {
            let vars = BTreeMap::from([(name.to_owned(), id(value))]);
            grant.may_set(&id("u1"), &vars, |name| name == "open").is_ok()
        };
        let control = Grant::of_everybody();
        let agent = Grant { scope: Scope::Agent, ..Grant::of_everybody() };
        assert!(sets(&control, "ticket_id", "t1") && !sets(&agent, "ticket_id", "t1") && sets(&agent, "open", "x"));
        let ticket = bound(&[], &[("ticket_id", "t1")]);
        assert!(sets(&ticket, "ticket_id", "t1") && !sets(&ticket, "ticket_id", "t2"));
        assert!(!sets(&ticket, "other", "x") && sets(&ticket, "open", "x"));
        assert!(!sets(&bound(&["s"], &[]), "ticket_id", "t1"), "a bound key chooses no files, whatever its scope");
    }
}

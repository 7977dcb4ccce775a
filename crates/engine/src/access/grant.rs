//! The rights of a caller. No other place decides them.

use std::{collections::BTreeMap, sync::Arc};

use serde::{Deserialize, Serialize};

use super::{SessionScope, digest::Digest, taken::BoundSessions};
use crate::{
    budget::Owner,
    error::{Code, Error, Result},
    path::{Id, Layer, LayerOwner},
};

/// The uses of a key. `Control` includes everything `Agent` may.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Scope {
    /// Run an agent's operations.
    Agent,
    /// Also change policy and variables, and forget sessions.
    Control,
}

/// The rights of a caller: of a key, or of everybody if the service has no keys and listens on loopback only.
#[derive(Clone, Debug)]
pub struct Grant {
    /// The digest of the key; `None` if there are no keys.
    pub(super) digest: Option<Digest>,
    /// The name of the key in logs and shares: the beginning of its digest. `None` if there are no keys.
    pub(super) key: Option<Owner>,
    /// The name of the key in records.
    pub(super) called: Option<Owner>,
    pub(super) user: Option<Id>,
    pub(super) scope: Scope,
    pub(super) team: Option<Id>,
    pub(super) reach: Arc<SessionScope>,
    /// The sessions that any key is bound to, and whose they are.
    pub(super) taken: Arc<BoundSessions>,
}

impl Grant {
    /// Everything, for all users and in no team.
    pub(super) fn of_everybody() -> Self {
        let (reach, taken) = (Arc::default(), Arc::default());
        let (digest, key, called) = (None, None, None);
        Self { digest, key, called, user: None, scope: Scope::Control, team: None, reach, taken }
    }

    /// The name of the key, for shares and logs.
    #[must_use]
    pub const fn key(&self) -> Option<&Owner> {
        self.key.as_ref()
    }

    /// Whether the key names one user.
    #[must_use]
    pub const fn is_of_one_user(&self) -> bool {
        self.user.is_some()
    }

    /// The name of the key in records and versions: its own name and the beginning of its digest, or only the latter
    /// without a name. `None` if there are no keys.
    #[must_use]
    pub const fn called(&self) -> Option<&Owner> {
        self.called.as_ref()
    }

    /// The one user of the key; `None` if the key is for all users.
    #[must_use]
    pub const fn user(&self) -> Option<&Id> {
        self.user.as_ref()
    }

    /// Which of the user's sessions the caller reaches.
    #[must_use]
    pub const fn reach(&self) -> &Arc<SessionScope> {
        &self.reach
    }

    /// Whether a key, this or another, is bound to `session` of `user` by its id.
    #[must_use]
    pub fn is_taken(&self, user: &Id, session: &Id) -> bool {
        self.taken.covers(user, session)
    }

    /// The team whose skills the caller sees. The key names it; the request has no say.
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

    /// Whether a call that is about all users may go on.
    ///
    /// # Errors
    /// `denied` if the key is one user's, is bound, or lacks scope `control`.
    pub fn reaches_all_users(&self) -> Result<()> {
        if self.user.is_none() && self.scope >= Scope::Control && !self.reach.is_bound() {
            return Ok(());
        }
        let message = "this call is about all users: it needs an API key of scope control that belongs to no one user";
        Err(Error::new(Code::Denied, message))
    }

    /// Whose skills a call publishes that asks for this layer: those of `user`, of the key's team or of the organisation.
    ///
    /// # Errors
    /// `denied` without scope `control`, for a team if the key is in none, and for the organisation if the key is one user's.
    pub fn publishes(&self, user: &Id, layer: Layer) -> Result<LayerOwner> {
        self.allows(user, Scope::Control)?;
        match (layer, &self.team) {
            (Layer::User, _) => Ok(LayerOwner::User(user.clone())),
            (Layer::Team, Some(team)) => Ok(LayerOwner::Team(team.clone())),
            (Layer::Team, None) => {
                Err(Error::new(Code::Denied, "this API key is in no team; use a control key of the team"))
            }
            (Layer::Org, _) if self.user.is_none() => Ok(LayerOwner::Org),
            (Layer::Org, _) => {
                let message = "this API key is one user's, and skills of the organisation are everybody's: use a control key \
                               of all users";
                Err(Error::new(Code::Denied, message))
            }
        }
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
        Grant { reach: Arc::new(SessionScope::new(&sessions, &vars).unwrap()), ..Grant::of_everybody() }
    }

    #[test]
    fn what_is_bound_is_denied_calls_about_all_sessions() {
        assert!(Grant::of_everybody().reaches_all_sessions().is_ok());
        for grant in [bound(&["chat-*"], &[]), bound(&[], &[("ticket_id", "t1")])] {
            assert_eq!(grant.reaches_all_sessions().unwrap_err().code(), Code::Denied);
        }
    }

    // S-VERSION-5: A control key of a team publishes the skills of that team, and a control key of all users the skills
    // of the organisation.
    #[test]
    fn a_layer_is_published_by_who_may_change_all_of_it() {
        let all = Grant::of_everybody();
        let own = Grant { user: Some(id("u1")), ..all.clone() };
        let team = Grant { team: Some(id("t")), ..own.clone() };
        let may = |grant: &Grant, layer| grant.publishes(&id("u1"), layer).ok();
        let user = Some(LayerOwner::User(id("u1")));
        assert_eq!(
            [may(&all, Layer::User), may(&own, Layer::User), may(&team, Layer::User)],
            [user.clone(), user.clone(), user]
        );
        assert_eq!([may(&all, Layer::Team), may(&own, Layer::Team)], [None, None]);
        assert_eq!(may(&team, Layer::Team), Some(LayerOwner::Team(id("t"))));
        assert_eq!(
            [may(&all, Layer::Org), may(&own, Layer::Org), may(&team, Layer::Org)],
            [Some(LayerOwner::Org), None, None]
        );
        for layer in [Layer::User, Layer::Team, Layer::Org] {
            let agent = Grant { scope: Scope::Agent, user: None, ..team.clone() };
            assert_eq!((may(&agent, layer), own.publishes(&id("u2"), layer).is_err()), (None, true));
        }
    }

    #[test]
    fn only_unbound_control_of_no_one_user_reaches_all_users() {
        let all = Grant::of_everybody();
        assert!(all.reaches_all_users().is_ok());
        let of_one = Grant { user: Some(id("u1")), ..all.clone() };
        let agent = Grant { scope: Scope::Agent, ..all };
        for grant in [of_one, agent, bound(&["chat-*"], &[])] {
            assert_eq!(grant.reaches_all_users().unwrap_err().code(), Code::Denied);
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

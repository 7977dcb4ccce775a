//! One key as people and files name it.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::{Scope, SessionScope, digest::Digest};
use crate::{
    budget::Owner,
    clock::Clock,
    error::{Code, Error, Result},
    limits::KEY_NAME_BYTES,
    path::Id,
};

/// Stands for all users.
const EVERY_USER: &str = "*";

/// One key as the keys file holds it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KeyEntry {
    /// `sha256:` and the digest of the key in lower-case hex.
    pub hash: String,
    /// The user it is bound to, or `*` for all.
    pub user: String,
    /// The scopes of the key.
    pub scopes: Vec<Scope>,
    /// When it was made, in RFC 3339. Entries of earlier versions have none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub created: Option<Timestamp>,
    /// When it stops working, in RFC 3339.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires: Option<Timestamp>,
    /// The team whose skills its user sees.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub team: Option<Id>,
    /// The name of the key, for people who read the file, audit records and versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The sessions it is bound to: ids, or beginnings of ids with `*` behind them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sessions: Option<Vec<String>>,
    /// The values of session variables it is bound to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub vars: Option<BTreeMap<String, Id>>,
}

impl KeyEntry {
    /// Returns a new random key for `user`, or for all users, and its entry. The key itself is shown once and kept nowhere.
    #[must_use]
    pub fn generate(clock: &dyn Clock, user: Option<&Id>, scopes: Vec<Scope>) -> (String, Self) {
        let key = format!("smk_{:032x}{:032x}", clock.random(), clock.random());
        let (user, hash) = (user.map_or(EVERY_USER, Id::as_str).to_owned(), Digest::from_key(&key).to_string());
        // The second is exact enough for the age of a key.
        let created = Timestamp::from_second(clock.now().as_second()).ok();
        let entry =
            Self { hash, user, scopes, created, expires: None, team: None, name: None, sessions: None, vars: None };
        (key, entry)
    }

    /// The name of the key in logs: the first digits of its hash. `None` if the hash is not one.
    #[must_use]
    pub fn short_hash(&self) -> Option<Owner> {
        self.digest().map(|digest| digest.name())
    }

    /// The name of the key in records and versions: the first [`KEY_NAME_BYTES`] of its own name and the first digits
    /// of its hash. Without a name, only the digits. Names may change and be given twice, and the digits say which key
    /// it was. `None` if the hash is not one.
    pub(super) fn called(&self) -> Option<Owner> {
        let hash = self.short_hash()?;
        let mut name = self.name.as_deref().unwrap_or_default().trim().to_owned();
        name.truncate(name.floor_char_boundary(KEY_NAME_BYTES));
        Some(if name.is_empty() { hash } else { format!("{name} ({hash})").into() })
    }

    /// Whether the key has stopped working by `now`.
    #[must_use]
    pub fn is_expired(&self, now: Timestamp) -> bool {
        is_over(self.expires, now)
    }

    pub(super) fn digest(&self) -> Option<Digest> {
        Digest::parse(&self.hash)
    }

    /// The user it is for; `None` for all.
    pub(super) fn owner(&self) -> Result<Option<Id>> {
        if self.user == EVERY_USER { Ok(None) } else { Id::parse(&self.user).map(Some) }
    }

    /// The bounds that the entry sets for its key. An empty list is a slip: it would bind the key to nothing, so the
    /// key would reach everything.
    pub(super) fn reach(&self) -> Result<SessionScope> {
        let is_slip =
            self.sessions.as_ref().is_some_and(Vec::is_empty) || self.vars.as_ref().is_some_and(BTreeMap::is_empty);
        if is_slip {
            let message = "has empty sessions or vars; name some, or leave the line out";
            return Err(Error::new(Code::InvalidRequest, message));
        }
        let (sessions, vars) = (self.sessions.as_deref().unwrap_or_default(), self.vars.clone().unwrap_or_default());
        SessionScope::new(sessions, &vars).map_err(|why| {
            let message = format!("is bound to something that is not there: {}", why.message());
            Error::new(Code::InvalidRequest, message)
        })
    }
}

/// Whether a key that stops working at `expires` has done so by `now`.
pub(super) fn is_over(expires: Option<Timestamp>, now: Timestamp) -> bool {
    expires.is_some_and(|expires| expires <= now)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::SystemClock;

    // S-KEY-9: Records and versions call a key by its name and the first 16 digits of its hash.
    #[tokio::test]
    async fn a_key_is_called_by_its_name_and_the_beginning_of_its_hash() {
        let (key, entry) = KeyEntry::generate(&SystemClock::new(), None, vec![Scope::Agent]);
        let hash = entry.short_hash().unwrap();
        let called = |name: Option<&str>| {
            let entry = KeyEntry { name: name.map(str::to_owned), ..entry.clone() };
            entry.called().unwrap().to_string()
        };
        assert_eq!(called(Some("desk")), format!("desk ({hash})"));
        assert_eq!((called(None), called(Some(" "))), (hash.to_string(), hash.to_string()));
        assert!(!key.contains(&*hash) && hash.len() == 16);
        let longest = "é".repeat(KEY_NAME_BYTES / 2);
        assert_eq!(called(Some(&longest)), format!("{longest} ({hash})"));
        assert_eq!(called(Some(&format!("{longest}a"))), format!("{longest} ({hash})"));
    }
}

//! The sessions that any key is bound to.

use std::collections::{HashMap, HashSet};

use super::SessionPattern;
use crate::path::Id;

/// The sessions that keys are bound to, by the user of the key. Sessions are found by hash: the cost of one question
/// depends on the length of the session's id, and not on the number of keys.
#[derive(Debug, Default)]
pub(super) struct BoundSessions(HashMap<Option<Id>, Patterns>);

#[derive(Debug, Default)]
struct Patterns {
    ids: HashSet<Id>,
    beginnings: HashSet<String>,
}

impl BoundSessions {
    /// Adds what a key of `user`, or of every user, is bound to.
    pub(super) fn insert(&mut self, user: Option<&Id>, pattern: &SessionPattern) {
        let patterns = self.0.entry(user.cloned()).or_default();
        match pattern {
            SessionPattern::One(id) => patterns.ids.insert(id.clone()),
            SessionPattern::Beginning(beginning) => patterns.beginnings.insert(beginning.clone()),
        };
    }

    /// Whether a key of `user`, or of every user, is bound to `session` by its id.
    pub(super) fn covers(&self, user: &Id, session: &Id) -> bool {
        let covered = |owner: Option<Id>| self.0.get(&owner).is_some_and(|patterns| patterns.cover(session));
        covered(None) || covered(Some(user.clone()))
    }
}

impl Patterns {
    fn cover(&self, session: &Id) -> bool {
        self.ids.contains(session) || beginnings(session).any(|beginning| self.beginnings.contains(beginning))
    }
}

/// Everything that `session` begins with, itself included: as many as its id has characters.
fn beginnings(session: &Id) -> impl Iterator<Item = &str> {
    let text = session.as_str();
    (1..=text.len()).filter_map(|end| text.get(..end))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::ID_BYTES;

    fn id(text: &str) -> Id {
        Id::parse(text).unwrap()
    }

    #[test]
    fn a_session_is_taken_by_its_id_or_by_how_it_begins_of_that_user_or_of_all() {
        let mut taken = BoundSessions::default();
        for (user, pattern) in [(Some("u1"), "chat-*"), (Some("u2"), "desk"), (None, "all-*")] {
            taken.insert(user.map(id).as_ref(), &SessionPattern::parse(pattern).unwrap());
        }
        for (user, session) in [("u1", "chat-1"), ("u1", "chat-"), ("u2", "desk"), ("u1", "all-1"), ("u3", "all-1")] {
            assert!(taken.covers(&id(user), &id(session)), "{user} {session}");
        }
        for (user, session) in [("u2", "chat-1"), ("u1", "chat"), ("u1", "desk"), ("u2", "desk1"), ("u1", "xall-1")] {
            assert!(!taken.covers(&id(user), &id(session)), "{user} {session}");
        }
    }

    #[test]
    fn a_question_costs_as_many_lookups_as_the_id_has_characters() {
        assert_eq!(beginnings(&id("abc")).collect::<Vec<_>>(), ["a", "ab", "abc"]);
        assert_eq!(beginnings(&id(&"a".repeat(ID_BYTES))).count(), ID_BYTES);
    }
}

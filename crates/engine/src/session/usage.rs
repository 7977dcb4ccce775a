//! How many of a user's sessions loaded each skill. Prompts shorten the descriptions of the least used first.
//!
//! The counts are hints. They are added up in memory and written some seconds after the first, so that no load costs a
//! write. A crash or an outage can lose some, and unreadable counts count as none.

use std::{
    cmp::Reverse,
    collections::{BTreeMap, HashMap},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use serde::{Deserialize, Serialize};

use super::objects::{CasObjects, StoredValue};
use crate::{
    budget::weight,
    clock::Clock,
    error::{Code, Error, Outcome, Result},
    json::UnknownMembers,
    limits::{RANKED_SKILLS, SESSION_ATTEMPTS, USED_SKILLS, USES_CACHE_BYTES},
    path::{Id, Namespace, ObjectKey, SkillPath},
    store::{SharedStore, StoreError},
    wire::SessionVersion,
};

/// Skills with the number of their uses. An absent skill was used less than all present ones.
pub type Ranks = BTreeMap<SkillPath, u64>;

/// The counts of one user, as stored.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Counts {
    /// The number of changes of this object.
    version: u64,
    /// The number of sessions that loaded each skill.
    sessions: Ranks,
    /// The members of a newer version.
    #[serde(flatten)]
    unknown: UnknownMembers,
}

impl StoredValue for Counts {
    type Shared = ();

    fn weight(&self) -> usize {
        weight_of_ranks(&self.sessions) + self.unknown.weight()
    }

    /// The counts are hints, so counting begins again.
    fn in_place_of_damaged(_: &ObjectKey) -> Result<Self> {
        Ok(Self::default())
    }
}

/// The bytes of ranks in memory.
pub(super) fn weight_of_ranks(ranks: &Ranks) -> usize {
    let names: usize = ranks.keys().map(|skill| weight::text(skill.as_str())).sum();
    names + weight::tree(ranks.len(), size_of::<(SkillPath, u64)>())
}

/// The counts of every user, and the counts that wait to be written.
#[derive(Debug)]
pub struct UsageCounts {
    namespace: Namespace,
    objects: CasObjects<Counts>,
    waiting: Mutex<HashMap<Id, Ranks>>,
}

impl UsageCounts {
    pub(super) fn new(store: SharedStore, namespace: Namespace, clock: Arc<dyn Clock>) -> Self {
        Self { namespace, objects: CasObjects::new(store, clock, USES_CACHE_BYTES), waiting: Mutex::default() }
    }

    /// Forgets the counts of a user, written or not.
    pub(super) async fn forget(&self, user: &Id) {
        self.waiting().remove(user);
        if let Ok(key) = self.namespace.user(user).and_then(|space| space.uses()) {
            self.objects.forget(&key).await;
        }
    }

    /// The [`RANKED_SKILLS`] that most sessions of the user loaded, as far as the counts can be read.
    pub(super) async fn ranks(&self, user: &Id) -> Ranks {
        let asked = async { self.objects.get(&self.namespace.user(user)?.uses()?, &SessionVersion::default()).await };
        match asked.await {
            Ok(seen) => match seen.value() {
                Ok(Some(counts)) => most(&counts.sessions, RANKED_SKILLS),
                Ok(None) | Err(_) => Ranks::new(),
            },
            Err(error) => {
                let error = Error::from(error).chain();
                tracing::warn!(%user, %error, "which skills are used most is not known");
                Ranks::new()
            }
        }
    }

    /// A text that changes when the counts in the bucket do, from memory alone.
    pub(super) async fn cached_tag(&self, user: &Id) -> Option<String> {
        self.objects.cached_tag(&self.namespace.user(user).ok()?.uses().ok()?).await
    }

    /// Counts one more session that loaded `skill`. Returns true for the first unwritten count: the caller must then
    /// schedule a [`flush`](Self::flush).
    pub fn record(&self, user: &Id, skill: &SkillPath) -> bool {
        let mut waiting = self.waiting();
        let is_first = !waiting.contains_key(user);
        *waiting.entry(user.clone()).or_default().entry(skill.clone()).or_default() += 1;
        is_first
    }

    /// The users with unwritten counts.
    pub(super) fn waiting_users(&self) -> Vec<Id> {
        self.waiting().keys().cloned().collect()
    }

    /// Writes the unwritten counts. If that fails, they are dropped.
    ///
    /// # Errors
    /// `edit_conflict` if other replicas kept winning; the store's.
    pub async fn flush(&self, user: &Id) -> Result<()> {
        let Some(added) = self.waiting().remove(user) else { return Ok(()) };
        let key = self.namespace.user(user)?.uses()?;
        let mut seen = self.objects.get(&key, &SessionVersion::default()).await?;
        for _ in 0..SESSION_ATTEMPTS {
            let mut next = seen.value()?.map(|counts| Counts::clone(counts)).unwrap_or_default();
            next.version = next.version.saturating_add(1);
            for (skill, times) in &added {
                let count = next.sessions.entry(skill.clone()).or_default();
                *count = count.saturating_add(*times);
            }
            next.sessions = most(&next.sessions, USED_SKILLS);
            match self.objects.put(&key, &seen, next).await {
                Ok(_) => return Ok(()),
                Err(StoreError::PreconditionFailed | StoreError::NotFound) => seen = self.objects.refresh(&key).await?,
                Err(error) => return Err(error.into()),
            }
        }
        Err(Error::new(Code::EditConflict, "others kept counting uses at the same time")
            .with_outcome(Outcome::NotApplied))
    }

    fn waiting(&self) -> MutexGuard<'_, HashMap<Id, Ranks>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The `number` skills with the highest counts. Among equals, the first in byte order.
fn most(counts: &Ranks, number: usize) -> Ranks {
    if counts.len() <= number {
        return counts.clone();
    }
    let mut skills: Vec<_> = counts.iter().collect();
    skills.sort_by_key(|(_, times)| Reverse(**times));
    skills.into_iter().take(number).map(|(skill, times)| (skill.clone(), *times)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_many_skills_as_the_limit_are_kept_and_those_used_least_go_first() {
        let skill = |name: &str| SkillPath::parse(name).unwrap();
        let counts = Ranks::from([(skill("a"), 1), (skill("b"), 3), (skill("c"), 1), (skill("d"), 2)]);
        assert_eq!(most(&counts, 4), counts);
        assert_eq!(most(&counts, 3), Ranks::from([(skill("a"), 1), (skill("b"), 3), (skill("d"), 2)]));
        assert_eq!(most(&counts, 0), Ranks::new());
    }
}

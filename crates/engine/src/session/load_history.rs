//! Which skills the sessions of a user loaded after which questions: searches raise a skill a little for the like questions of
//! the same user.
//!
//! Of a question only the fingerprints of its words are kept. Loads are added up in memory and written some seconds
//! after the first, so that no load costs a write. Loads are hints: a crash or an outage can lose some, and unreadable
//! loads count as none. Deleting the object loses nothing else.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use serde::{Deserialize, Serialize};

use super::objects::{CachedObject, CasObjects, StoredValue};
use crate::{
    budget::weight,
    clock::Clock,
    error::{Code, Error, Outcome, Result},
    json::UnknownMembers,
    limits::{FEEDBACK_CACHE_BYTES, FEEDBACK_DAYS, FEEDBACK_LOADS, FEEDBACK_LOOK, SESSION_ATTEMPTS},
    path::{Id, Namespace, ObjectKey, SkillPath},
    store::{SharedStore, StoreError},
    wire::SessionVersion,
};

/// A load that followed a question.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FollowedLoad {
    /// The loaded skill.
    pub skill: SkillPath,
    /// The fingerprints of the question's words, in order.
    pub words: Vec<u32>,
    /// The general information of these words, in hundredths.
    pub told: u32,
    /// The day of the load, counted from 1970.
    pub day: i64,
}

/// The loads of one user, as stored.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct FollowedLoads {
    /// The last [`FEEDBACK_LOADS`] of [`FEEDBACK_DAYS`] days, oldest first.
    loads: Arc<Vec<FollowedLoad>>,
    /// The members of a newer version.
    #[serde(flatten)]
    unknown: UnknownMembers,
}

impl StoredValue for FollowedLoads {
    type Shared = ();

    fn weight(&self) -> usize {
        let of =
            |load: &FollowedLoad| weight::text(load.skill.as_str()) + weight::list(load.words.len(), size_of::<u32>());
        let loads =
            self.loads.iter().map(of).sum::<usize>() + weight::list(self.loads.len(), size_of::<FollowedLoad>());
        loads + self.unknown.weight()
    }

    /// The loads are hints, so learning begins again.
    fn in_place_of_damaged(_: &ObjectKey) -> Result<Self> {
        Ok(Self::default())
    }
}

/// The loads of every user, and the loads that wait to be written.
#[derive(Debug)]
pub struct LoadHistory {
    namespace: Namespace,
    objects: CasObjects<FollowedLoads>,
    waiting: Mutex<HashMap<Id, Vec<FollowedLoad>>>,
}

impl LoadHistory {
    pub(super) fn new(store: SharedStore, namespace: Namespace, clock: Arc<dyn Clock>) -> Self {
        Self { namespace, objects: CasObjects::new(store, clock, FEEDBACK_CACHE_BYTES), waiting: Mutex::default() }
    }

    /// The loads of a user that followed questions, oldest first: from memory, or else from the bucket. Also returns
    /// true if it is time to [`refresh`](Self::refresh) them.
    pub async fn loads(&self, user: &Id) -> (Arc<Vec<FollowedLoad>>, bool) {
        let asked = async {
            let key = self.namespace.user(user)?.feedback()?;
            if let Some(known) = self.objects.cached(&key).await {
                return Ok((loads(&known)?, self.objects.is_older(&known, FEEDBACK_LOOK)));
            }
            let seen = self.objects.refresh(&key).await?;
            Ok((loads(&seen)?, false))
        };
        let found: Result<_> = asked.await;
        found.unwrap_or_else(|error| {
            tracing::warn!(%user, error = %error.chain(), "what was loaded after questions is not known");
            (Arc::default(), false)
        })
    }

    /// Reads the loads from the bucket again, because other replicas record loads too.
    ///
    /// # Errors
    /// The store's.
    pub async fn refresh(&self, user: &Id) -> Result<()> {
        self.objects.refresh(&self.namespace.user(user)?.feedback()?).await.map(drop)
    }

    /// Forgets the loads of a user, written or not.
    pub(super) async fn forget(&self, user: &Id) {
        self.waiting().remove(user);
        if let Ok(key) = self.namespace.user(user).and_then(|space| space.feedback()) {
            self.objects.forget(&key).await;
        }
    }

    /// Adds a load. Returns true for the first unwritten one: the caller must then schedule a [`flush`](Self::flush).
    pub fn record(&self, user: &Id, load: FollowedLoad) -> bool {
        let mut waiting = self.waiting();
        let is_first = !waiting.contains_key(user);
        let own = waiting.entry(user.clone()).or_default();
        own.push(load);
        own.drain(..own.len().saturating_sub(FEEDBACK_LOADS));
        is_first
    }

    /// The users with unwritten loads.
    pub(super) fn waiting_users(&self) -> Vec<Id> {
        self.waiting().keys().cloned().collect()
    }

    /// Writes the unwritten loads. If that fails, they are dropped.
    ///
    /// # Errors
    /// `edit_conflict` if other replicas kept winning; the store's.
    pub async fn flush(&self, user: &Id) -> Result<()> {
        let Some(added) = self.waiting().remove(user) else { return Ok(()) };
        let key = self.namespace.user(user)?.feedback()?;
        let mut seen = self.objects.get(&key, &SessionVersion::default()).await?;
        for _ in 0..SESSION_ATTEMPTS {
            let before = seen.value()?.map(|loads| FollowedLoads::clone(loads)).unwrap_or_default();
            let next = FollowedLoads { loads: Arc::new(joined(&before.loads, &added)), ..before };
            match self.objects.put(&key, &seen, next).await {
                Ok(_) => return Ok(()),
                Err(StoreError::PreconditionFailed | StoreError::NotFound) => seen = self.objects.refresh(&key).await?,
                Err(error) => return Err(error.into()),
            }
        }
        Err(Error::new(Code::EditConflict, "others kept noting loads at the same time")
            .with_outcome(Outcome::NotApplied))
    }

    fn waiting(&self) -> MutexGuard<'_, HashMap<Id, Vec<FollowedLoad>>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn loads(seen: &CachedObject<FollowedLoads>) -> Result<Arc<Vec<FollowedLoad>>> {
    Ok(seen.value()?.map(|value| value.loads.clone()).unwrap_or_default())
}

/// The last loads of both, without loads that are too old beside the newest. Loads of one day are sorted by skill and
/// words, so the result does not depend on which replica wrote first.
fn joined(known: &[FollowedLoad], added: &[FollowedLoad]) -> Vec<FollowedLoad> {
    let mut all: Vec<_> = known.iter().chain(added).cloned().collect();
    all.sort_by(|one, two| (one.day, &one.skill, &one.words).cmp(&(two.day, &two.skill, &two.words)));
    let oldest = all.last().map_or(i64::MIN, |newest| newest.day.saturating_sub(i64::from(FEEDBACK_DAYS)));
    all.retain(|load| load.day > oldest);
    all.drain(..all.len().saturating_sub(FEEDBACK_LOADS));
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn load(skill: &str, day: i64) -> FollowedLoad {
        FollowedLoad { skill: SkillPath::parse(skill).unwrap(), words: vec![1, 2], told: 700, day }
    }

    #[test]
    fn as_many_loads_as_the_limits_say_are_kept_whoever_wrote_first() {
        let days = i64::from(FEEDBACK_DAYS);
        let (one, two) = ([load("b", 5), load("a", 7)], [load("c", 5), load("a", 5)]);
        let all = joined(&one, &two);
        assert_eq!(all, joined(&two, &one));
        assert_eq!(all, [load("a", 5), load("b", 5), load("c", 5), load("a", 7)]);
        assert_eq!(joined(&all, &[load("d", 4 + days)]).len(), 5);
        assert_eq!(joined(&all, &[load("d", 5 + days)]), [load("a", 7), load("d", 5 + days)]);
        let many: Vec<_> = (0..FEEDBACK_LOADS).map(|number| load(&format!("s{number:04}"), 5)).collect();
        assert_eq!(joined(&many, &[]).len(), FEEDBACK_LOADS);
        let more = joined(&many, &[load("z", 6)]);
        assert_eq!((more.len(), &more[0].skill), (FEEDBACK_LOADS, &many[1].skill));
    }

    #[test]
    fn a_user_who_never_pauses_has_as_many_unwritten_loads_as_the_limit() {
        let store: SharedStore = Arc::new(crate::store::MemoryStore::new());
        let history = LoadHistory::new(store, Namespace::default(), Arc::new(crate::clock::SystemClock::new()));
        let user = Id::parse("u").unwrap();
        let firsts = (0..=FEEDBACK_LOADS).filter(|_| history.record(&user, load("a", 1))).count();
        assert_eq!((firsts, history.waiting()[&user].len()), (1, FEEDBACK_LOADS));
    }
}

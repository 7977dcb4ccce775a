//! A layer that sends no requests to a failed store, so that callers fail at once and not after every deadline.
//!
//! A store is down if two different users met connection failures or timeouts and nothing was answered in between. One
//! user's requests, whatever is wrong with them, never close the store to the others. Any answer, even a refusal, shows
//! that the store is up. While the store is down, one request passes after each pause and tries the store. If that
//! request hangs, a request of another user passes after the next pause, so neither can keep the store closed.

use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use tokio::time::Instant;

use super::{Cause, SharedStore, StoreError, StoreResult, Verb, layer::impl_layer};
use skillmount_base::{
    limits::{BREAKER_PAUSE, BREAKER_WINDOW},
    path::KeyPrefix,
};

/// Trials under way at once, each of a different user.
const TRIALS: usize = 2;

/// The user whose objects the request is for; `None` if the service asks for itself.
type Owner = Option<Arc<str>>;

/// A layer that sends no requests while the store is down.
///
/// ```
/// use std::sync::Arc;
///
/// use skillmount_base::path::KeyPrefix;
/// use skillmount_store::{CircuitBreaker, GetOptions, MemoryStore, Store, Verb, testing::Faulty};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let below = Arc::new(Faulty::new(Arc::new(MemoryStore::new())));
/// let store = CircuitBreaker::new(below.clone(), KeyPrefix::all());
///
/// below.set_down(true);
/// for user in ["anna", "otto", "eva"] {
///     let key = KeyPrefix::all().key(&format!("{user}/notes.md"))?;
///     assert!(store.get(&key, GetOptions::default()).await.is_err());
/// }
/// assert_eq!(below.seen(Verb::Get), 2, "after two users the store is left alone");
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct CircuitBreaker {
    inner: SharedStore,
    root: KeyPrefix,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// The user who last met an outage, with the time, if nothing was answered since.
    met: Option<(Arc<str>, Instant)>,
    down: Option<OpenState>,
}

#[derive(Debug)]
struct OpenState {
    /// When the next request may try the store.
    trial_at: Instant,
    /// The users whose requests are trying it.
    trials: Vec<Owner>,
}

/// A request that passed while the store is down. Dropping it frees its place.
struct Trial<'breaker> {
    breaker: &'breaker CircuitBreaker,
    owner: Owner,
}

impl Drop for Trial<'_> {
    fn drop(&mut self) {
        if let Some(down) = &mut self.breaker.lock().down {
            down.trials.retain(|owner| *owner != self.owner);
        }
    }
}

impl CircuitBreaker {
    /// A layer over `inner`, in which users' objects lie below `root`, each user's in a folder of its own.
    #[must_use]
    pub fn new(inner: SharedStore, root: KeyPrefix) -> Self {
        Self { inner, root, state: Mutex::default() }
    }

    async fn around<T>(
        &self,
        _verb: Verb,
        key: &str,
        request: impl Future<Output = StoreResult<T>> + Send,
        _bytes: impl FnOnce(&T) -> usize + Send,
    ) -> StoreResult<T> {
        let owner = self.owner(key);
        let trial = self.admit(&owner)?;
        let answer = request.await;
        let met_outage = answer.as_ref().err().and_then(StoreError::cause).is_some_and(Cause::is_outage);
        if met_outage {
            self.record_outage(owner, trial.is_some());
        } else {
            self.record_answer();
        }
        answer
    }

    /// The user who owns `key`. Keys of the service, a team or the organisation begin with a sign that no id begins
    /// with.
    fn owner(&self, key: &str) -> Owner {
        let user = self.root.relative(key)?.split('/').next()?;
        user.starts_with(|c: char| c.is_ascii_alphanumeric()).then(|| Arc::from(user))
    }

    /// Lets a request pass, as a trial if the store is down.
    fn admit(&self, owner: &Owner) -> StoreResult<Option<Trial<'_>>> {
        let mut state = self.lock();
        let Some(down) = &mut state.down else { return Ok(None) };
        let now = Instant::now();
        if now < down.trial_at || down.trials.len() >= TRIALS || down.trials.contains(owner) {
            return Err(StoreError::not_applied("the store was not asked").because(Cause::Resting));
        }
        down.trial_at = now + BREAKER_PAUSE;
        down.trials.push(owner.clone());
        Ok(Some(Trial { breaker: self, owner: owner.clone() }))
    }

    fn record_answer(&self) {
        let mut state = self.lock();
        state.met = None;
        if state.down.take().is_some() {
            tracing::info!("the store answers again");
        }
    }

    fn record_outage(&self, owner: Owner, was_trial: bool) {
        let (mut state, now) = (self.lock(), Instant::now());
        if let Some(down) = &mut state.down {
            if was_trial {
                down.trial_at = now + BREAKER_PAUSE;
            }
            return;
        }
        let Some(owner) = owner else { return };
        let is_second = |(first, at): &(Arc<str>, Instant)| *first != owner && within(*at, now, BREAKER_WINDOW);
        if state.met.as_ref().is_some_and(is_second) {
            tracing::warn!("the store did not answer two users and is left alone until it answers a trial");
            state.down = Some(OpenState { trial_at: now + BREAKER_PAUSE, trials: Vec::new() });
            state.met = None;
        } else {
            state.met = Some((owner, now));
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // Every change under the lock is complete, so a panic elsewhere leaves nothing half done.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn within(earlier: Instant, now: Instant, window: Duration) -> bool {
    now.saturating_duration_since(earlier) <= window
}

impl_layer!(CircuitBreaker);

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use bytes::Bytes;

    use super::*;
    use crate::{
        CachingStore, Committer, ExpectedVersion, GetOptions, MemoryStore, PutOptions, Store, Verb,
        testing::{Fault, Faulty},
    };
    use skillmount_base::{clock::SystemClock, error::Outcome, path::ObjectKey};

    /// Faults below a breaker, in which users lie below `team/agents`.
    fn guarded() -> (Arc<Faulty>, Arc<CircuitBreaker>) {
        let faulty = Arc::new(Faulty::new(Arc::new(MemoryStore::new())));
        let root = KeyPrefix::all().folder("team/agents").unwrap();
        (faulty.clone(), Arc::new(CircuitBreaker::new(faulty, root)))
    }

    fn key(name: &str) -> ObjectKey {
        KeyPrefix::all().key(&format!("team/agents/{name}")).unwrap()
    }

    /// The cause of the failure that a request of `user` meets. A missing object counts as an answer.
    async fn ask(store: &dyn Store, user: &str) -> Option<Cause> {
        store.head(&key(&format!("{user}/a"))).await.unwrap_err().cause().cloned()
    }

    async fn open(faulty: &Faulty, breaker: &CircuitBreaker) {
        faulty.set_down(true);
        for user in ["u1", "u2"] {
            assert_eq!(ask(breaker, user).await, Some(Cause::Unreachable));
        }
        assert_eq!(ask(breaker, "u3").await, Some(Cause::Resting));
    }

    // S-STORE-7: While the store is down, which two users must have met, the service answers at once with
    // `store_unavailable` and `not_applied`.
    #[tokio::test(start_paused = true)]
    async fn a_store_that_two_users_found_down_is_not_asked_until_a_trial_is_answered() {
        let (faulty, breaker) = guarded();
        faulty.set_latency(Duration::from_secs(5));
        open(&faulty, &breaker).await;
        let (asked, began) = (faulty.seen(Verb::Head), Instant::now());
        let committer = Committer::new(breaker.clone(), Arc::new(SystemClock::new()));
        for user in ["u1", "u2", "u3"] {
            assert_eq!(ask(&*breaker, user).await, Some(Cause::Resting));
            let error =
                committer.commit(&key(&format!("{user}/a")), Bytes::new(), &ExpectedVersion::Absent).await.unwrap_err();
            assert!(matches!(error, StoreError::Unavailable { outcome: Outcome::NotApplied, .. }), "{error:?}");
        }
        assert!(began.elapsed() <= Duration::from_millis(100), "{:?}", began.elapsed());
        assert_eq!((faulty.seen(Verb::Head), faulty.seen(Verb::Put)), (asked, 0));

        tokio::time::advance(BREAKER_PAUSE).await;
        assert_eq!(ask(&*breaker, "u1").await, Some(Cause::Unreachable), "the trial");
        assert_eq!(ask(&*breaker, "u2").await, Some(Cause::Resting), "it failed, so there is another pause");
        tokio::time::advance(BREAKER_PAUSE).await;
        faulty.set_down(false);
        assert_eq!(ask(&*breaker, "u2").await, None, "the trial");
        assert_eq!(ask(&*breaker, "u1").await, None);
    }

    #[tokio::test(start_paused = true)]
    async fn one_user_never_closes_the_store_nor_keeps_it_closed() {
        let (faulty, breaker) = guarded();
        faulty.script(Verb::Head, [Fault::LoseRequest; 50]);
        for _ in 0..50 {
            assert_eq!(ask(&*breaker, "u1").await, Some(Cause::Timeout));
        }
        assert_eq!(ask(&*breaker, "u2").await, None);

        open(&faulty, &breaker).await;
        faulty.set_down(false);
        tokio::time::advance(BREAKER_PAUSE).await;
        faulty.script(Verb::Head, [Fault::SlowRequest(Duration::from_hours(1))]);
        let hanging = tokio::spawn({
            let breaker = breaker.clone();
            async move { ask(&*breaker, "u1").await }
        });
        tokio::time::sleep(BREAKER_PAUSE / 2).await;
        assert_eq!(ask(&*breaker, "u2").await, Some(Cause::Resting), "one trial at a time");
        tokio::time::sleep(BREAKER_PAUSE).await;
        assert_eq!(ask(&*breaker, "u1").await, Some(Cause::Resting), "u1's trial still hangs");
        assert_eq!(ask(&*breaker, "u2").await, None);
        hanging.abort();
    }

    #[tokio::test(start_paused = true)]
    async fn a_trial_whose_caller_left_makes_room_for_another() {
        let (faulty, breaker) = guarded();
        open(&faulty, &breaker).await;
        faulty.set_down(false);
        tokio::time::advance(BREAKER_PAUSE).await;
        faulty.script(Verb::Head, [Fault::SlowRequest(Duration::from_hours(1))]);
        let left = tokio::time::timeout(Duration::from_secs(1), ask(&*breaker, "u1")).await;
        assert!(left.is_err());
        tokio::time::advance(BREAKER_PAUSE).await;
        assert_eq!(ask(&*breaker, "u1").await, None);
    }

    #[tokio::test(start_paused = true)]
    async fn throttling_denials_and_failures_with_answers_in_between_never_close_it() {
        for fault in [Fault::SlowDown, Fault::Deny, Fault::Busy] {
            let (faulty, breaker) = guarded();
            faulty.every(Verb::Head, 1, fault);
            for user in ["u1", "u2", "u3", "u4"] {
                assert_ne!(ask(&*breaker, user).await, Some(Cause::Resting), "{fault:?}");
            }
            assert_eq!(faulty.seen(Verb::Head), 4);
        }
        let (faulty, breaker) = guarded();
        faulty.every(Verb::Head, 2, Fault::LoseReply);
        for user in ["u1", "u2", "u3", "u4", "u5", "u6"] {
            assert_ne!(ask(&*breaker, user).await, Some(Cause::Resting));
        }
        let (faulty, breaker) = guarded();
        faulty.set_down(true);
        ask(&*breaker, "u1").await;
        tokio::time::advance(BREAKER_WINDOW + Duration::from_secs(1)).await;
        assert_eq!(ask(&*breaker, "u2").await, Some(Cause::Unreachable));
        assert_eq!(ask(&*breaker, "u2").await, Some(Cause::Unreachable), "the failures were too far apart");
    }

    #[tokio::test(start_paused = true)]
    async fn the_service_its_teams_and_its_organisation_are_no_users() {
        let (faulty, breaker) = guarded();
        faulty.set_down(true);
        for owner in ["u1", "_org", "_teams", ".skillmount", "u1"] {
            assert_eq!(ask(&*breaker, owner).await, Some(Cause::Unreachable), "{owner}");
        }
        let elsewhere = KeyPrefix::all().key("u2/a").unwrap();
        breaker.head(&elsewhere).await.unwrap_err();
        assert_eq!(ask(&*breaker, "u1").await, Some(Cause::Unreachable));
    }

    #[tokio::test(start_paused = true)]
    async fn what_is_cached_is_read_while_the_store_is_down() {
        let (faulty, breaker) = guarded();
        let cached = CachingStore::new(breaker.clone(), 1 << 20, Arc::new(SystemClock::new()));
        let put = cached.put(&key("u1/pinned"), Bytes::from_static(b"x"), PutOptions::default()).await.unwrap();
        open(&faulty, &breaker).await;
        assert_eq!(cached.get(&key("u1/pinned"), GetOptions::pinned(put.etag)).await.unwrap().bytes, "x");
    }
}

//! A layer that fails on purpose, for tests and benchmarks.
//!
//! Faults are scripted by verb, count and key, so a run can be repeated exactly; nothing here uses time or chance of
//! the machine. Delays use tokio's clock: under a paused clock they cost nothing, and the time that passed counts the
//! round trips. The layer never lies: an error may hide the outcome, but no answer is made up.

use std::{
    collections::{HashMap, VecDeque},
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use tokio::time::sleep;

use crate::{Cause, SharedStore, StoreError, StoreResult, Verb, layer::impl_layer};

/// The fault of one request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Fault {
    /// None: lets a request of a script pass.
    None,
    /// No connection is made, and the caller knows: `Unavailable`, not applied.
    Refuse,
    /// The request is lost, and the caller cannot know: `Unavailable`, outcome unknown.
    LoseRequest,
    /// The request is carried out and the reply is lost: `Unavailable`, outcome unknown.
    LoseReply,
    /// The request meets another write: `Busy`.
    Busy,
    /// The store asks for fewer requests: `Unavailable`, not applied.
    SlowDown,
    /// A policy forbids it: `Denied`.
    Deny,
    /// The request meets another version than it names: `PreconditionFailed`.
    Disprove,
    /// The request is carried out and the reply comes this much later.
    SlowReply(Duration),
    /// The request reaches the store this much later.
    SlowRequest(Duration),
}

/// A store with scripted faults.
///
/// ```
/// use std::sync::Arc;
///
/// use skillmount_base::path::KeyPrefix;
/// use skillmount_store::{ MemoryStore, PutOptions, Store, StoreExt, Verb, testing::{Fault, Faulty}, };
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let store = Faulty::new(Arc::new(MemoryStore::new()));
/// store.script(Verb::Put, [Fault::LoseReply]);
///
/// let key = KeyPrefix::all().key("u1/notes.md")?;
/// assert!(store.put(&key, "text".into(), PutOptions::default()).await.is_err());
/// let (entries, _) = store.list_all(&KeyPrefix::all(), 10).await?;
/// assert_eq!(entries.len(), 1, "the put was carried out, and only its reply was lost");
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Faulty {
    inner: SharedStore,
    plan: Mutex<Plan>,
}

#[derive(Debug, Default)]
struct Plan {
    down: bool,
    latency: Duration,
    verbs: HashMap<Verb, VerbPlan>,
}

#[derive(Debug, Default)]
struct VerbPlan {
    seen: u64,
    script: VecDeque<Fault>,
    rules: Vec<(Rule, Fault)>,
}

/// The requests that a standing fault affects: by their number (from 1), or by their key.
#[derive(Debug)]
enum Rule {
    Every(u64),
    Keys(String),
    Random { seed: u64, percent: u8 },
}

impl Faulty {
    /// A layer over `inner` without faults.
    #[must_use]
    pub fn new(inner: SharedStore) -> Self {
        Self { inner, plan: Mutex::default() }
    }

    /// Gives the next requests of this verb these faults, one each, after those already scripted.
    pub fn script(&self, verb: Verb, faults: impl IntoIterator<Item = Fault>) {
        self.plan().verbs.entry(verb).or_default().script.extend(faults);
    }

    /// Gives every `n`-th request of this verb, counted from the first ever, this fault; 0 means none.
    pub fn every(&self, verb: Verb, n: u64, fault: Fault) {
        self.plan().verbs.entry(verb).or_default().rules.push((Rule::Every(n), fault));
    }

    /// Gives every request of this verb for a key (or a listing of a prefix) that contains `part` this fault.
    pub fn for_keys(&self, verb: Verb, part: &str, fault: Fault) {
        self.plan().verbs.entry(verb).or_default().rules.push((Rule::Keys(part.to_owned()), fault));
    }

    /// Gives `percent` of the requests of this verb, chosen by `seed`, this fault.
    pub fn randomly(&self, verb: Verb, seed: u64, percent: u8, fault: Fault) {
        self.plan().verbs.entry(verb).or_default().rules.push((Rule::Random { seed, percent }, fault));
    }

    /// From now on every request first takes this long.
    pub fn set_latency(&self, latency: Duration) {
        self.plan().latency = latency;
    }

    /// While down, every request is refused.
    pub fn set_down(&self, down: bool) {
        self.plan().down = down;
    }

    /// Removes scripts and rules. The counts continue.
    pub fn clear(&self) {
        for plan in self.plan().verbs.values_mut() {
            plan.script.clear();
            plan.rules.clear();
        }
    }

    /// The number of requests of this verb.
    pub fn seen(&self, verb: Verb) -> u64 {
        self.plan().verbs.get(&verb).map_or(0, |plan| plan.seen)
    }

    fn plan(&self) -> MutexGuard<'_, Plan> {
        self.plan.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Carries `request` out, or not, as the plan says.
    async fn around<T>(
        &self,
        verb: Verb,
        key: &str,
        request: impl Future<Output = StoreResult<T>> + Send,
        _bytes: impl FnOnce(&T) -> usize + Send,
    ) -> StoreResult<T> {
        let (latency, fault) = self.plan().next(verb, key);
        if latency > Duration::ZERO {
            sleep(latency).await;
        }
        match fault {
            Fault::None => request.await,
            Fault::Refuse => Err(StoreError::not_applied("scripted: refused").because(Cause::Unreachable)),
            Fault::Busy => Err(StoreError::Busy),
            Fault::SlowDown => Err(StoreError::not_applied("scripted: slow down").because(Cause::Throttled)),
            Fault::Deny => {
                Err(StoreError::denied(Cause::AccessDenied { action: "scripted".to_owned() }, "scripted: denied"))
            }
            Fault::Disprove => Err(StoreError::PreconditionFailed),
            Fault::LoseRequest => Err(lost(verb, "scripted: request lost")),
            Fault::LoseReply => {
                // The lost reply is that of the store, success or not.
                let _reply = request.await;
                Err(lost(verb, "scripted: reply lost"))
            }
            Fault::SlowReply(delay) => {
                let reply = request.await;
                sleep(delay).await;
                reply
            }
            Fault::SlowRequest(delay) => {
                sleep(delay).await;
                request.await
            }
        }
    }
}

impl Plan {
    fn next(&mut self, verb: Verb, key: &str) -> (Duration, Fault) {
        let plan = self.verbs.entry(verb).or_default();
        plan.seen += 1;
        let fault = if self.down { Fault::Refuse } else { plan.fault(key) };
        (self.latency, fault)
    }
}

impl VerbPlan {
    fn fault(&mut self, key: &str) -> Fault {
        if let Some(scripted) = self.script.pop_front() {
            return scripted;
        }
        let seen = self.seen;
        let struck = self.rules.iter().find(|(rule, _)| rule.strikes(seen, key));
        struck.map_or(Fault::None, |(_, fault)| *fault)
    }
}

impl Rule {
    fn strikes(&self, number: u64, key: &str) -> bool {
        match self {
            Self::Every(n) => *n > 0 && number.is_multiple_of(*n),
            Self::Keys(part) => key.contains(part.as_str()),
            Self::Random { seed, percent } => mix(seed ^ mix(number)) % 100 < u64::from(*percent),
        }
    }
}

/// The finaliser of `SplitMix64`: scatters counts so that their low digits look random.
fn mix(number: u64) -> u64 {
    let number = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let number = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let number = (number ^ (number >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    number ^ (number >> 31)
}

/// The error for a lost message. Only a change can have an unknown outcome.
fn lost(verb: Verb, what: &'static str) -> StoreError {
    let error = match verb {
        Verb::Put | Verb::Delete | Verb::Tag | Verb::Purge => StoreError::unknown(what),
        Verb::Get | Verb::Head | Verb::List => StoreError::not_applied(what),
    };
    error.because(Cause::Timeout)
}

impl_layer!(Faulty);

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use bytes::Bytes;
    use tokio::time::Instant;

    use super::*;
    use crate::{ListOptions, MemoryStore, PutOptions, PutResult, Store};
    use skillmount_base::{error::Outcome, path::KeyPrefix};

    async fn put(store: &Faulty, name: &str) -> StoreResult<PutResult> {
        let key = KeyPrefix::all().key(name).unwrap();
        store.put(&key, Bytes::from_static(b"x"), PutOptions::default()).await
    }

    async fn names(store: &Faulty) -> Vec<String> {
        let page = store.list(&KeyPrefix::all(), ListOptions::default()).await.unwrap();
        page.objects.into_iter().map(|entry| entry.key).collect()
    }

    fn outcome(result: &StoreResult<PutResult>) -> Option<Outcome> {
        match result {
            Err(StoreError::Unavailable { outcome, .. }) => Some(*outcome),
            _ => None,
        }
    }

    #[tokio::test]
    async fn only_a_lost_reply_leaves_its_write_behind() {
        let store = Faulty::new(Arc::new(MemoryStore::new()));
        store.script(Verb::Put, [Fault::Refuse, Fault::LoseRequest, Fault::LoseReply, Fault::Busy, Fault::None]);
        assert_eq!(outcome(&put(&store, "refused").await), Some(Outcome::NotApplied));
        assert_eq!(outcome(&put(&store, "request-lost").await), Some(Outcome::Unknown));
        assert_eq!(outcome(&put(&store, "reply-lost").await), Some(Outcome::Unknown));
        assert!(matches!(put(&store, "busy").await, Err(StoreError::Busy)));
        put(&store, "passed").await.unwrap();
        put(&store, "after-the-script").await.unwrap();
        assert_eq!(names(&store).await, ["after-the-script", "passed", "reply-lost"]);
    }

    #[tokio::test]
    async fn standing_rules_strike_by_count_and_by_seed() {
        let store = Faulty::new(Arc::new(MemoryStore::new()));
        store.every(Verb::Put, 3, Fault::Refuse);
        let mut failed = Vec::new();
        for number in 1..=7 {
            if put(&store, "a").await.is_err() {
                failed.push(number);
            }
        }
        assert_eq!(failed, [3, 6]);
        assert_eq!(store.seen(Verb::Put), 7);
        let rule = Rule::Random { seed: 7, percent: 20 };
        let struck = (1..=10_000).filter(|number| rule.strikes(*number, "")).count();
        assert!((1_800..2_200).contains(&struck), "{struck}");
    }

    #[tokio::test(start_paused = true)]
    async fn a_paused_clock_counts_round_trips_and_down_means_down() {
        let store = Faulty::new(Arc::new(MemoryStore::new()));
        store.set_latency(Duration::from_millis(20));
        let started = Instant::now();
        put(&store, "a").await.unwrap();
        names(&store).await;
        assert_eq!(started.elapsed(), Duration::from_millis(40));
        store.set_down(true);
        assert_eq!(outcome(&put(&store, "b").await), Some(Outcome::NotApplied));
        store.set_down(false);
        assert_eq!(names(&store).await, ["a"]);
    }
}

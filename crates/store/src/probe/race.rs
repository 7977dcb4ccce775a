//! The race: concurrent writes on one object, round after round.

use std::time::Duration;

use bytes::Bytes;
use futures_util::future::join_all;
use tokio::time::sleep;

use super::assessment::{Attempt, Conditions, Content, Contest, RoundResult, assess};
use crate::{
    Cause, DeleteOptions, GetOptions, ListOptions, PutCondition, PutOptions, SharedStore, Store, StoreError,
    StoreResult,
};
use skillmount_base::{
    clock::Clock,
    error::Result,
    path::{ETag, Namespace, ObjectKey},
};

/// The concurrent writes of one round.
const RACERS: usize = 16;
/// How often a round without a result is run.
const TRIES: usize = 4;
/// The pause before it is run again. Some stores accept one write a second to one key.
const PAUSE: Duration = Duration::from_millis(1100);
/// More than the object of a race has. A store that answers with more is not read on.
const OBJECT_BYTES: u64 = 4 << 10;
/// The object outside `_probe/` by which the probe finds out whether the store denies every write.
const OUTSIDE: &str = "probe-outside";

/// Races conditional writes on one object below `_probe/` of `namespace`, and deletes it. 16 writes are concurrent in
/// each of four rounds: creates, and writes with the right etag, with an old one, and on the object after its delete.
///
/// The writes go through `addresses` in turn, one store for each address of the server, or through `store` if there are
/// none. A reply that is lost and a request for fewer writes count as not won. If these credentials may not write or
/// delete below `_probe/`, one small write elsewhere decides between [`Conditions::Unknown`] and
/// [`Conditions::Denied`].
///
/// # Errors
/// The first error of the store if it answers neither a write nor a listing, or refuses for a reason that prevents reads too.
///
/// ```
/// use skillmount_base::{clock::SystemClock, path::Namespace};
/// use skillmount_store::{Conditions, MemoryStore, probe_conditions};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), skillmount_store::StoreError> {
/// let found = probe_conditions(&MemoryStore::new(), &[], &Namespace::default(), &SystemClock::new()).await?;
/// assert!(matches!(found, Conditions::Honoured));
/// # Ok(())
/// # }
/// ```
pub async fn probe_conditions(
    store: &dyn Store,
    addresses: &[SharedStore],
    namespace: &Namespace,
    clock: &dyn Clock,
) -> StoreResult<Conditions> {
    let run = clock.random();
    let key = checked(namespace.probe_key(&format!("race-{run:032x}/object")))?;
    let race = Race { store, addresses, key: &key, run };
    let found = race.run().await;
    if found.is_ok() {
        race.remove_versions(namespace).await;
    }
    let denial = match found {
        Ok(Conditions::Denied(denial)) => denial,
        Ok(found) => return Ok(found),
        Err(error) if prevents_writes_only(&error) => error,
        Err(error) if error.is_transient() && is_listed(store, namespace).await => {
            return Ok(Conditions::Unknown { why: format!("the store did not answer the probe: {}", words(&error)) });
        }
        Err(error) => return Err(error),
    };
    write_outside(store, namespace, denial).await
}

/// Whether the store answers a listing.
async fn is_listed(store: &dyn Store, namespace: &Namespace) -> bool {
    let least = ListOptions { max_entries: Some(1), ..ListOptions::default() };
    store.list(namespace.prefix(), least).await.is_ok()
}

/// Finds out whether the store denies every write, after it denied one below `_probe/`.
async fn write_outside(store: &dyn Store, namespace: &Namespace, denial: StoreError) -> StoreResult<Conditions> {
    if !prevents_writes_only(&denial) {
        return Err(denial);
    }
    match write_once(store, namespace).await {
        Ok(()) => {}
        Err(error) if prevents_writes_only(&error) => return Ok(Conditions::Denied(error)),
        Err(error) => return Err(error),
    }
    let why = format!("the store does not let the probe write and delete below `_probe/`: {}", words(&denial));
    Ok(Conditions::Unknown { why })
}

/// Writes and deletes one small object outside `_probe/`: the cheapest way to find out whether a store denies every write.
///
/// # Errors
/// The store's, for the write.
pub async fn write_once(store: &dyn Store, namespace: &Namespace) -> StoreResult<()> {
    let key = checked(namespace.service_key(OUTSIDE))?;
    store.put(&key, Bytes::from_static(b"probe"), PutOptions::default()).await?;
    // The name never changes, so at most one object stays if it cannot be deleted.
    if let Err(error) = store.delete(&key, DeleteOptions::default()).await {
        tracing::debug!(%error, "the object of the probe outside `_probe/` stays");
    }
    Ok(())
}

/// Whether `error` prevents writes and leaves reads.
fn prevents_writes_only(error: &StoreError) -> bool {
    error.cause().is_some_and(|cause| cause.leaves_reading() || *cause == Cause::DiskFull)
}

fn words(error: &StoreError) -> String {
    error.cause().map_or_else(|| error.to_string(), ToString::to_string)
}

fn checked(key: Result<ObjectKey>) -> StoreResult<ObjectKey> {
    key.map_err(|error| StoreError::Unsupported(error.message().to_owned()))
}

struct Race<'race> {
    store: &'race dyn Store,
    addresses: &'race [SharedStore],
    key: &'race ObjectKey,
    run: u128,
}

/// The object during a race.
#[derive(Default)]
struct State {
    /// Its content; `None` if there is no object.
    content: Option<Bytes>,
    /// The etags it has had.
    etags: Vec<ETag>,
}

impl Race<'_> {
    /// Runs the rounds and deletes the object. The first delete shows that the last one is allowed, before anything is
    /// written.
    async fn run(&self) -> StoreResult<Conditions> {
        self.delete().await?;
        let found = self.rounds().await;
        let deleted = self.delete().await;
        match (found?, deleted) {
            (Conditions::Honoured, Err(error)) => Ok(Conditions::Unknown { why: words(&error) }),
            (found, _) => Ok(found),
        }
    }

    async fn rounds(&self) -> StoreResult<Conditions> {
        let mut state = State::default();
        for contest in Contest::ALL {
            if contest == Contest::MissingObject {
                self.delete().await?;
                state.content = None;
            }
            if let Some(found) = self.settle(contest, &mut state).await? {
                return Ok(found);
            }
        }
        Ok(Conditions::Honoured)
    }

    /// Runs the round of `contest` until it has a result. Returns the end of the race, if it ends.
    async fn settle(&self, contest: Contest, state: &mut State) -> StoreResult<Option<Conditions>> {
        for number in 0..TRIES {
            let answers = self.write(contest, number, state).await;
            let mut attempts: Vec<_> = answers.iter().cloned().map(Attempt::from_answer).collect();
            let stored = self.read(contest, number, state).await;
            match assess(contest, &attempts, stored) {
                RoundResult::Passed(winner) => {
                    let won = winner.and_then(|winner| Some((winner, answers.into_iter().nth(winner)?.ok()?)));
                    if let Some((winner, put)) = won {
                        state.etags.push(put.etag);
                        state.content = Some(self.body(contest, number, winner));
                    }
                    return Ok(None);
                }
                RoundResult::Ended(found) => return Ok(Some(found)),
                RoundResult::Repeat => {
                    let is_lost = |attempt: &Attempt| matches!(attempt, Attempt::Lost(_));
                    if contest == Contest::Create
                        && attempts.iter().all(is_lost)
                        && let Some(Attempt::Lost(error)) = attempts.pop()
                    {
                        return Err(error);
                    }
                    sleep(PAUSE).await;
                }
            }
        }
        let why = format!("the store answered too few concurrent writes of {TRIES} rounds");
        Ok(Some(Conditions::Unknown { why }))
    }

    async fn write(&self, contest: Contest, round: usize, state: &State) -> Vec<StoreResult<crate::PutResult>> {
        let condition = match (contest, state.etags.as_slice()) {
            (Contest::RightTag | Contest::StaleTag, [first, ..]) => PutCondition::IfMatch(first.clone()),
            (Contest::MissingObject, [.., last]) => PutCondition::IfMatch(last.clone()),
            _ => PutCondition::IfAbsent,
        };
        let writes = (0..RACERS).map(|number| {
            let options = PutOptions::default().with_condition(condition.clone());
            self.handle(number).put(self.key, self.body(contest, round, number), options)
        });
        join_all(writes).await
    }

    /// The store of the write `number`.
    fn handle(&self, number: usize) -> &dyn Store {
        let count = self.addresses.len().max(1);
        self.addresses.get(number % count).map_or(self.store, |address| &**address)
    }

    /// The content of one write, which no other has.
    fn body(&self, contest: Contest, round: usize, number: usize) -> Bytes {
        Bytes::from(format!("{:032x} {contest:?} {round} {number}", self.run))
    }

    async fn read(&self, contest: Contest, round: usize, state: &State) -> Content {
        let found = match self.store.get(self.key, GetOptions::range(0..OBJECT_BYTES)).await {
            Ok(object) => Some(object.bytes),
            Err(StoreError::NotFound) => None,
            Err(_) => return Content::Unread,
        };
        if found == state.content {
            return Content::Unchanged;
        }
        let is_written = |number: &usize| found.as_ref() == Some(&self.body(contest, round, *number));
        (0..RACERS).find(is_written).map_or(Content::Other, Content::Written)
    }

    /// Removes the versions that a versioned bucket has of the object. The rule that expires old versions removes the
    /// others.
    async fn remove_versions(&self, namespace: &Namespace) {
        let folder = namespace.prefix().folder(&format!("_probe/race-{:032x}", self.run));
        let Some(folder) = folder.ok().filter(|_| self.store.capabilities().versions) else { return };
        if let Err(error) = self.store.purge(&folder).await {
            tracing::debug!(%error, "versions of the object of the probe stay");
        }
    }

    async fn delete(&self) -> StoreResult<()> {
        self.store.delete(self.key, DeleteOptions::default()).await
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::{
        MemoryStore, StoreExt, Verb,
        testing::{Fault, Faulty, Quirk, Quirky},
    };
    use skillmount_base::{clock::SystemClock, path::KeyPrefix};

    async fn probe(store: &dyn Store, addresses: &[SharedStore]) -> StoreResult<Conditions> {
        let namespace = Namespace::parse("p").unwrap();
        probe_conditions(store, addresses, &namespace, &SystemClock::new()).await
    }

    /// The verdict on a store with this quirk, and its reason. Checks that the probe deleted its object.
    async fn verdict(quirk: Quirk) -> (&'static str, String) {
        let memory = Arc::new(MemoryStore::like_s3());
        let found = probe(&Quirky::new(memory.clone(), quirk), &[]).await.unwrap();
        assert_eq!(memory.list_all(&KeyPrefix::all(), 10).await.unwrap(), (Vec::new(), false), "{quirk:?}");
        match found {
            Conditions::Honoured => ("honoured", String::new()),
            Conditions::Broken { which, how } => ("broken", format!("{which}: {how}")),
            Conditions::Unknown { why } => ("unknown", why),
            Conditions::Denied(error) => ("denied", words(&error)),
        }
    }

    // S-STORE-2: If a bucket does not honour conditional writes, the service finds this out at start and refuses
    // changes with that reason.
    #[tokio::test(start_paused = true)]
    async fn each_quirk_of_a_store_has_its_verdict() {
        for (quirk, expected, reason) in [
            (Quirk::None, "honoured", ""),
            (Quirk::OneWriteASecond, "honoured", ""),
            (Quirk::LosesRaces, "broken", "If-None-Match: *: 16 of 16 concurrent creates succeeded"),
            (Quirk::LosesReplacements, "broken", "If-Match: 16 of 16 concurrent writes with the right etag"),
            (Quirk::IgnoresIfNoneMatch, "broken", "If-None-Match: *: 16 of 16"),
            (Quirk::IgnoresIfMatch, "broken", "If-Match: 16 of 16"),
            (Quirk::CreatesOnIfMatch, "broken", "writes with an etag on a missing object succeeded"),
            (Quirk::InvertsIfNoneMatch, "broken", "If-None-Match: *: the store refused all of 16"),
            (Quirk::HasNoConditions, "broken", "If-None-Match: *: the store does not support it"),
            (Quirk::ReadsOldVersions, "broken", "the content is another one's"),
            (Quirk::WritesAfterRefusal, "broken", "the content is another one's"),
            (Quirk::DeniesProbes, "unknown", "does not let the probe write and delete below `_probe/`"),
            (Quirk::DeniesWrites, "denied", "denies s3:PutObject"),
        ] {
            let (found, why) = verdict(quirk).await;
            assert!(found == expected && why.contains(reason), "{quirk:?}: {found}, {why}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_role_that_may_not_delete_leaves_one_object_however_often_it_starts() {
        let memory = Arc::new(MemoryStore::like_s3());
        let store = Quirky::new(memory.clone(), Quirk::DeniesDeletes);
        for _ in 0..3 {
            assert!(matches!(probe(&store, &[]).await.unwrap(), Conditions::Unknown { .. }));
        }
        assert_eq!(memory.list_all(&KeyPrefix::all(), 10).await.unwrap().0.len(), 1);
    }

    #[tokio::test(start_paused = true)]
    async fn a_versioned_bucket_has_no_version_of_the_object_afterwards() {
        let memory = MemoryStore::versioned();
        assert!(matches!(probe(&memory, &[]).await.unwrap(), Conditions::Honoured));
        assert_eq!(memory.earlier_versions_below(""), 0);
    }

    #[tokio::test(start_paused = true)]
    async fn a_race_between_addresses_shows_what_one_address_hides() {
        let memory = Arc::new(MemoryStore::like_s3());
        let one = Quirky::new(memory.clone(), Quirk::LosesRacesBetweenAddresses);
        assert!(matches!(probe(&one, &[]).await.unwrap(), Conditions::Honoured));
        let addresses: Vec<SharedStore> = (0..2)
            .map(|_| Arc::new(Quirky::new(memory.clone(), Quirk::LosesRacesBetweenAddresses)) as SharedStore)
            .collect();
        let found = probe(&one, &addresses).await.unwrap();
        assert!(matches!(&found, Conditions::Broken { how, .. } if how.starts_with("2 of 16")), "{found:?}");
    }

    /// Public reports of servers that lost conditional writes, each with its quirk.
    const REPORTS: &[(&str, Quirk)] = &[
        ("rustfs/rustfs 1659: creates through several endpoints succeed together", Quirk::LosesRacesBetweenAddresses),
        ("rustfs/rustfs 1321: the condition is checked without a lock", Quirk::LosesRaces),
        ("seaweedfs/seaweedfs 8800: three of three parallel creates succeed", Quirk::LosesRaces),
        ("floci-io/floci 1328: three of 64 parallel creates succeed", Quirk::LosesRaces),
        ("floci-io/floci 565: a create replaces an object", Quirk::IgnoresIfNoneMatch),
        ("ClickHouse/ClickHouse 115266: a create replaces an object", Quirk::IgnoresIfNoneMatch),
        ("localstack/localstack 13294: two writes with one etag succeed", Quirk::LosesReplacements),
        ("pithings/mountx 19: both conditions are parsed and dropped", Quirk::IgnoresIfMatch),
        ("ceph/s3-tests 218: conditions are not implemented", Quirk::HasNoConditions),
    ];

    #[tokio::test(start_paused = true)]
    async fn each_reported_server_is_found_out() {
        for (report, quirk) in REPORTS {
            let memory = Arc::new(MemoryStore::like_s3());
            let addresses: Vec<SharedStore> =
                (0..2).map(|_| Arc::new(Quirky::new(memory.clone(), *quirk)) as SharedStore).collect();
            let found = probe(&*addresses[0], &addresses).await.unwrap();
            assert!(matches!(found, Conditions::Broken { .. }), "{report}: {found:?}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_store_that_answers_no_write_is_an_error_and_lost_replies_prove_nothing() {
        let down = Faulty::new(Arc::new(MemoryStore::new()));
        down.set_down(true);
        assert!(probe(&down, &[]).await.is_err());
        let lossy = Faulty::new(Arc::new(MemoryStore::new()));
        lossy.every(Verb::Put, 1, Fault::LoseReply);
        let found = probe(&lossy, &[]).await.unwrap();
        assert!(matches!(&found, Conditions::Unknown { why } if why.contains("was lost")), "{found:?}");
        let slow = Faulty::new(Arc::new(MemoryStore::new()));
        slow.every(Verb::Put, 1, Fault::SlowDown);
        assert!(matches!(probe(&slow, &[]).await.unwrap(), Conditions::Unknown { .. }));
        // S-STORE-14: If these credentials may not write or delete below `_probe/`, the race proves nothing: the service
        // writes, and `doctor` warns.
        for (verb, fault) in
            [(Verb::Delete, Fault::SlowDown), (Verb::Put, Fault::LoseRequest), (Verb::Put, Fault::Refuse)]
        {
            let failing = Faulty::new(Arc::new(MemoryStore::new()));
            failing.for_keys(verb, "_probe/", fault);
            let found = probe(&failing, &[]).await.unwrap();
            assert!(matches!(&found, Conditions::Unknown { .. }), "{verb:?} {fault:?}: {found:?}");
        }
    }
}

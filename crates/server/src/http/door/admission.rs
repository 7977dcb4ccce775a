//! Fair shares of the service between its callers: connections with a call, streams, calls under way, and memory.
//!
//! Each is shared twice. First the callers of a key share, so that a key leaves room for the other keys of its user, and a key
//! for all users leaves room for other keys. Then all users share, whatever their key. A call takes a connection or the place
//! of a stream, receives its body, takes a place among the calls under way, and then memory. It holds no memory while it waits.
//! The order is the same for all calls, so no two calls wait for each other. A caller that waits too long gets `rate_limited`.

use std::{
    collections::HashMap,
    sync::{Mutex, PoisonError},
    time::Duration,
};

use axum::{
    body::{Body, HttpBody as _},
    http::header,
    response::Response,
};

use super::{
    connections::{BusyConnection, ConnectionHandle},
    response_guard::holding,
};
use crate::{
    access::Grant,
    budget::{Bandwidth, Memory, Owner, Share, Shares},
    error::{Code, Error, Outcome, Result},
    limits::{CONNECTIONS_RESERVED, REQUEST_PATIENCE, REQUESTS_AT_ONCE, UPLOAD_BYTES_PER_SECOND},
};

/// Who calls, as far as shares go.
#[derive(Clone, Debug)]
pub(crate) struct ShareOwner {
    pub(crate) user: Owner,
    /// `None` if the service has no keys.
    pub(crate) key: Option<ShareKey>,
}

/// A key, as far as shares go.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct ShareKey {
    pub(crate) name: Owner,
    pub(crate) is_of_one_user: bool,
}

/// The resources that calls share.
#[derive(Debug)]
pub(crate) struct Admission {
    connections: FairShares,
    streams: FairShares,
    places: FairShares,
    memory: Memory,
    memory_shares: FairShares,
    bandwidth: Bandwidth,
}

/// The use of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ConnectionUse {
    /// A call that is answered soon.
    Call,
    /// A stream that is open for as long as its client listens.
    Stream,
}

/// A call that was let in, with its shares.
#[derive(Debug)]
pub(crate) struct AdmissionPermit {
    place: FairShare,
    held: HeldShares,
}

/// The shares of a call until the last byte of its answer has left this process.
#[derive(Debug)]
pub(crate) struct HeldShares {
    memory: Option<FairShare>,
    _connection: HeldConnection,
}

/// The connection of a call, or the place of a stream.
#[derive(Debug)]
pub(crate) struct HeldConnection {
    _share: FairShare,
    _engaged: Option<BusyConnection>,
}

impl ShareOwner {
    /// A caller on the data of `user` with the key of `grant`.
    pub(crate) fn new(user: &str, grant: &Grant) -> Self {
        let key = |name: &Owner| ShareKey { name: name.clone(), is_of_one_user: grant.is_of_one_user() };
        Self { user: user.into(), key: grant.key().map(key) }
    }
}

impl Admission {
    /// `connections` is the most that are open. [`CONNECTIONS_RESERVED`] of them, or an eighth if that is less, are for probes and
    /// new connections. Half of the others are for streams.
    pub(crate) fn new(memory: &Memory, connections: usize) -> Self {
        let shared = (connections - CONNECTIONS_RESERVED.min(connections / 8)) as u64;
        let (streams, calls) = (shared / 2, shared - shared / 2);
        let places = REQUESTS_AT_ONCE as u64;
        Self {
            connections: FairShares::new(calls, calls / 2),
            streams: FairShares::new(streams, streams / 4),
            places: FairShares::new(places, places / 2),
            memory: memory.clone(),
            memory_shares: FairShares::over(memory.shares().clone()),
            bandwidth: Bandwidth::new(UPLOAD_BYTES_PER_SECOND),
        }
    }

    /// The connection of a call that begins.
    ///
    /// # Errors
    /// `rate_limited` if the caller has too many.
    pub(crate) fn connect(
        &self,
        caller: &ShareOwner,
        line: Option<&ConnectionHandle>,
        used_for: ConnectionUse,
    ) -> Result<HeldConnection> {
        self.bandwidth.serve(&caller.user);
        let share = match used_for {
            ConnectionUse::Call => self.connections.try_acquire(caller, 1).ok_or_else(busy)?,
            ConnectionUse::Stream => self.streams.try_acquire(caller, 1).ok_or_else(too_many_streams)?,
        };
        Ok(HeldConnection { _share: share, _engaged: line.map(ConnectionHandle::engage) })
    }

    /// A place among the calls under way, if one is free.
    pub(crate) fn try_place(&self, caller: &ShareOwner) -> Option<FairShare> {
        self.places.try_acquire(caller, 1)
    }

    /// A place among the calls under way, for a call that holds no memory.
    ///
    /// # Errors
    /// `rate_limited` if there is none in time.
    pub(crate) async fn place(&self, caller: &ShareOwner) -> Result<FairShare> {
        let place = tokio::time::timeout(REQUEST_PATIENCE, self.places.acquire(caller, 1)).await;
        place.ok().flatten().ok_or_else(busy)
    }

    /// Memory, if so much is free.
    pub(crate) fn try_reserve(&self, caller: &ShareOwner, bytes: u64) -> Option<FairShare> {
        self.memory_shares.try_acquire(caller, bytes)
    }

    /// Memory for a call that holds none.
    ///
    /// # Errors
    /// `rate_limited` if there is none in time; `too_expensive` if `bytes` exceed what the budget can ever give.
    pub(crate) async fn reserve(&self, caller: &ShareOwner, bytes: u64, patience: Duration) -> Result<FairShare> {
        self.memory.in_time(bytes, patience, self.memory_shares.acquire(caller, bytes)).await
    }

    /// The bytes per second of large bodies.
    pub(crate) fn bandwidth(&self) -> &Bandwidth {
        &self.bandwidth
    }

    /// Connections with a call now, open streams, and calls under way.
    pub(crate) fn counts(&self) -> [u64; 3] {
        [&self.connections, &self.streams, &self.places].map(|shares| shares.all.held())
    }

    /// How often a caller within its share found none free, because other callers held or awaited them.
    pub(crate) fn contentions(&self) -> u64 {
        let pools = [&self.connections, &self.streams, &self.places, &self.memory_shares];
        pools.into_iter().map(FairShares::contentions).sum()
    }

    /// The memory that is shared.
    pub(crate) fn memory(&self) -> &Memory {
        &self.memory
    }
}

impl AdmissionPermit {
    pub(crate) fn new(connection: HeldConnection, place: FairShare, memory: Option<FairShare>) -> Self {
        Self { place, held: HeldShares { memory, _connection: connection } }
    }

    /// Ends the call. Its place is free now. The memory of its answer is held until the answer is sent.
    pub(crate) fn answered(self, mut response: Response) -> Response {
        let Self { place, mut held } = self;
        drop(place);
        if let (Some(memory), Some(bytes)) = (&mut held.memory, length(&response)) {
            memory.shrink_to(bytes);
        }
        let body = std::mem::replace(response.body_mut(), Body::empty());
        *response.body_mut() = holding(body, held);
        response
    }
}

/// The length of the answer, if it is known.
fn length(response: &Response) -> Option<u64> {
    let announced = || response.headers().get(header::CONTENT_LENGTH)?.to_str().ok()?.parse().ok();
    response.body().size_hint().exact().or_else(announced)
}

/// Units shared among the callers of each key, and then among all users.
#[derive(Debug)]
pub(crate) struct FairShares {
    all: Shares,
    /// There are as many as there are keys.
    of_keys: Mutex<HashMap<ShareKey, Shares>>,
}

/// Units of both.
#[derive(Debug)]
pub(crate) struct FairShare {
    of_key: Option<Share>,
    of_all: Share,
}

impl FairShares {
    /// `units`, of which one user has at most `part`. An eighth is kept for users who hold none.
    pub(crate) fn new(units: u64, part: u64) -> Self {
        Self::over(Shares::new(units, part).keeping(units / 8))
    }

    /// The units of `all`, which also shares them among other callers.
    pub(super) fn over(all: Shares) -> Self {
        Self { all, of_keys: Mutex::default() }
    }

    /// `units`, at once or not at all.
    pub(crate) fn try_acquire(&self, caller: &ShareOwner, units: u64) -> Option<FairShare> {
        let of_key = match self.of_key(caller) {
            Some(shares) => Some(shares.try_acquire(&caller.user, units)?),
            None => None,
        };
        Some(FairShare { of_key, of_all: self.all.try_acquire(&caller.user, units)? })
    }

    /// `units` for the caller, as soon as its turn comes. `None` if there are never so many.
    pub(crate) async fn acquire(&self, caller: &ShareOwner, units: u64) -> Option<FairShare> {
        let of_key = match self.of_key(caller) {
            Some(shares) => Some(shares.acquire(&caller.user, units).await?),
            None => None,
        };
        Some(FairShare { of_key, of_all: self.all.acquire(&caller.user, units).await? })
    }

    /// How often a caller within its share found none free, among the callers of a key or among all users.
    fn contentions(&self) -> u64 {
        let of_keys = self.of_keys.lock().unwrap_or_else(PoisonError::into_inner);
        of_keys.values().chain([&self.all]).map(Shares::contentions).sum()
    }

    /// The units of the caller's key. Of each user's part a key has three quarters, and the user's other keys have the rest. The
    /// users of a key for several users share all common units. Inside the key, a sixteenth of all units is kept for its users
    /// who hold none.
    fn of_key(&self, caller: &ShareOwner) -> Option<Shares> {
        let key = caller.key.as_ref()?;
        let (units, part) = (self.all.capacity(), self.all.part());
        let part = (part * 3 / 4).max(1);
        let new = || {
            if key.is_of_one_user {
                Shares::new(units, part)
            } else {
                Shares::new(units - self.all.kept(), part).keeping(units / 16)
            }
        };
        let mut of_keys = self.of_keys.lock().unwrap_or_else(PoisonError::into_inner);
        Some(of_keys.entry(key.clone()).or_insert_with(new).clone())
    }
}

impl FairShare {
    /// Gives back all but `units`.
    pub(crate) fn shrink_to(&mut self, units: u64) {
        self.of_all.shrink_to(units);
        if let Some(share) = &mut self.of_key {
            share.shrink_to(units);
        }
    }

    /// Takes units up to `units`, at once or not at all, and returns whether it has them now.
    pub(crate) fn try_grow_to(&mut self, units: u64) -> bool {
        let before = self.of_all.units();
        if self.of_key.as_mut().is_some_and(|share| !share.try_grow_to(units)) {
            return false;
        }
        let has_grown = self.of_all.try_grow_to(units);
        if let Some(share) = self.of_key.as_mut().filter(|_| !has_grown) {
            share.shrink_to(before);
        }
        has_grown
    }
}

fn busy() -> Error {
    Error::new(Code::RateLimited, "too many requests are under way; try again in a moment")
        .with_outcome(Outcome::NotApplied)
}

fn too_many_streams() -> Error {
    let message =
        "too many streams of events are open; close some: one stream of the user has the events of all sessions";
    Error::new(Code::RateLimited, message).with_outcome(Outcome::NotApplied)
}

#[cfg(test)]
mod tests {
    use futures_util::{FutureExt as _, poll};

    use super::*;
    use crate::limits::{CONNECTIONS, MEMORY_PATIENCE};

    const MIB: u64 = 1 << 20;

    fn caller(user: &str, key: Option<(&str, bool)>) -> ShareOwner {
        let key = key.map(|(name, is_of_one_user)| ShareKey { name: name.into(), is_of_one_user });
        ShareOwner { user: user.into(), key }
    }

    fn wide(user: &str) -> ShareOwner {
        caller(user, Some(("wide", false)))
    }

    fn admission() -> Admission {
        Admission::new(&Memory::new(160 * MIB, MEMORY_PATIENCE), CONNECTIONS)
    }

    /// As many units as `caller` gets at once.
    fn take_all(shares: &FairShares, caller: &ShareOwner) -> Vec<FairShare> {
        std::iter::from_fn(|| shares.try_acquire(caller, 1)).collect()
    }

    // S-FAIR-1: No user has more than half of the calls under way, or a quarter of memory, of the disk for bodies or of
    // the streams.
    #[test]
    fn no_user_has_more_than_its_part_and_no_key_of_it_more_than_three_quarters_of_that() {
        let admission = admission();
        for (shares, units, part) in [
            (&admission.connections, 1920, 960),
            (&admission.streams, 1920, 480),
            (&admission.places, 1024, 512),
            (&FairShares::new(SPOOL_UNITS, SPOOL_UNITS / 4), SPOOL_UNITS, SPOOL_UNITS / 4),
        ] {
            assert_eq!(shares.all.capacity(), units);
            let agent = take_all(shares, &caller("u", Some(("agent", true))));
            assert_eq!(agent.len() as u64, part * 3 / 4);
            let control = take_all(shares, &caller("u", Some(("control", true))));
            assert_eq!(control.len() as u64, part - part * 3 / 4, "the other key has the rest of the user's part");
            assert!(shares.try_acquire(&caller("u", None), 1).is_none());
            drop((agent, control));
            assert_eq!(take_all(shares, &caller("u", None)).len() as u64, part);
        }
    }

    const SPOOL_UNITS: u64 = 4096;

    // S-FAIR-9: A key of several users has seven eighths of all, and an eighth stays for users who hold nothing.
    #[test]
    fn a_key_of_several_users_leaves_an_eighth_and_users_without_units_get_the_kept_ones() {
        let places = FairShares::new(1024, 512);
        let greedy: Vec<_> = ["a", "b", "c"].map(|user| take_all(&places, &wide(user))).into();
        assert_eq!(greedy[0].len(), 384, "three quarters of the part of a user");
        assert_eq!(greedy.iter().map(Vec::len).sum::<usize>(), 1024 - 128 - 64, "an eighth, and what is kept inside");
        let later: Vec<_> = (0..64).map(|n| places.try_acquire(&wide(&format!("u{n}")), 1).unwrap()).collect();
        assert!(places.try_acquire(&wide("one-more"), 1).is_none(), "the key has its seven eighths");
        let other = take_all(&places, &caller("d", Some(("other", true))));
        assert_eq!(other.len(), 1, "what is left is kept for users without units");
        drop(places.try_acquire(&caller("e", Some(("other", true))), 1).unwrap());
        drop((greedy, later, other));
        assert_eq!(places.all.held(), 0);
    }

    // S-FAIR-11: A call waits up to 5 seconds for its place, users in turn, and is then `rate_limited` with
    // Retry-After.
    #[tokio::test(start_paused = true)]
    async fn calls_wait_for_a_place_in_turn_and_are_refused_after_a_while() {
        let admission = admission();
        let (greedy, honest) = (caller("greedy", None), caller("honest", None));
        let mut half = take_all(&admission.places, &greedy);
        let refused = admission.place(&greedy).await.unwrap_err();
        assert_eq!((refused.code(), refused.outcome()), (Code::RateLimited, Some(Outcome::NotApplied)));
        let mut waiting: Vec<_> = (0..100).map(|_| Box::pin(admission.place(&greedy))).collect();
        for call in &mut waiting {
            assert!(poll!(call).is_pending());
        }
        drop(admission.place(&honest).now_or_never().unwrap().unwrap());
        half.truncate(511);
        assert!(poll!(&mut waiting[0]).is_ready());
    }

    // S-BUDGET-3: A request reserves its memory once its body has come.
    // S-FAIR-10: A call over its share runs once its user holds nothing else.
    #[tokio::test(start_paused = true)]
    async fn a_call_over_its_share_of_memory_waits_until_its_user_holds_nothing_else() {
        let admission = admission();
        let (agent, control) = (caller("u", Some(("agent", true))), caller("u", Some(("control", true))));
        let small = admission.try_reserve(&agent, MIB).unwrap();
        let mut large = Box::pin(admission.reserve(&agent, 80 * MIB, MEMORY_PATIENCE));
        assert!(poll!(&mut large).is_pending());
        drop(small);
        let large = large.now_or_never().unwrap().unwrap();
        let mut next = Box::pin(admission.reserve(&control, MIB, MEMORY_PATIENCE));
        assert!(poll!(&mut next).is_pending(), "its user is over the part");
        assert!(admission.try_reserve(&caller("other", None), 40 * MIB).is_some());
        let mut again = Box::pin(admission.reserve(&agent, 80 * MIB, MEMORY_PATIENCE));
        assert!(poll!(&mut again).is_pending());
        drop(large);
        assert!(poll!(&mut next).is_ready(), "the other key of the user has its turn first");
        assert!(poll!(&mut again).is_ready());
        drop(again);
        let never = admission.reserve(&wide("a"), 141 * MIB, MEMORY_PATIENCE).await.unwrap_err();
        assert_eq!(never.code(), Code::TooExpensive);
        assert_eq!(admission.memory().reserved(), 0);
    }

    #[test]
    fn a_share_of_a_key_grows_in_both_or_in_none() {
        let shares = FairShares::new(32, 8);
        let mut share = shares.try_acquire(&caller("u", Some(("k", true))), 1).unwrap();
        let other = shares.try_acquire(&caller("u", None), 5).unwrap();
        assert!(share.try_grow_to(3) && !share.try_grow_to(4), "the user has eight");
        drop(other);
        assert!(share.try_grow_to(8));
        drop(share);
        assert_eq!(take_all(&shares, &caller("u", Some(("k", true)))).len(), 6, "nothing was lost in the key");
    }
}

//! Fair shares of the service between its callers: connections with a call, calls under way, and memory.
//!
//! Each of the three is shared twice. First the users of a key share, so that a key for all users leaves room for other
//! keys. Then all users share, whatever their key. Each call takes a connection, then a place,
//! then memory, and keeps the earlier shares while it waits. The order is the same for all calls, so no two calls wait for
//! each other. A caller that waits too long gets `rate_limited`.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
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
    budget::{Bandwidth, Memory, Owner, Reservation, Share, Shares},
    error::{Code, Error, Outcome, Result},
    limits::{CONNECTIONS, CONNECTIONS_RESERVED, REQUEST_PATIENCE, REQUESTS_AT_ONCE, UPLOAD_BYTES_PER_SECOND},
};

/// Who calls, as far as shares go.
#[derive(Clone, Debug)]
pub(crate) struct ShareOwner {
    pub(crate) user: Owner,
    /// The name of its key; `None` if the service has no keys.
    pub(crate) key: Option<Owner>,
}

/// The resources that calls share.
#[derive(Debug)]
pub(crate) struct Admission {
    connections: FairShares,
    places: FairShares,
    memory: Memory,
    memory_of_keys: ByKey,
    bandwidth: Bandwidth,
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
    memory: Option<HeldMemory>,
    _connection: FairShare,
    _engaged: Option<BusyConnection>,
}

/// Memory of one call.
#[derive(Debug)]
pub(crate) struct HeldMemory {
    of_key: Option<Share>,
    reserved: Reservation,
}

impl Admission {
    pub(crate) fn new(memory: &Memory) -> Self {
        Self {
            connections: FairShares::new((CONNECTIONS - CONNECTIONS_RESERVED) as u64),
            places: FairShares::new(REQUESTS_AT_ONCE as u64),
            memory: memory.clone(),
            memory_of_keys: ByKey::new(memory.capacity()),
            bandwidth: Bandwidth::new(UPLOAD_BYTES_PER_SECOND),
        }
    }

    /// Lets a call in that may take `bytes` of memory, once there is room for it.
    ///
    /// # Errors
    /// `rate_limited` if there is none in time; `too_expensive` if `bytes` exceed what the budget can ever give.
    pub(crate) async fn admit(
        &self,
        caller: &ShareOwner,
        line: Option<&ConnectionHandle>,
        bytes: u64,
    ) -> Result<AdmissionPermit> {
        self.bandwidth.serve(&caller.user);
        let connection = self.connections.try_acquire(caller).ok_or_else(busy)?;
        let engaged = line.map(ConnectionHandle::engage);
        let place = tokio::time::timeout(REQUEST_PATIENCE, self.places.acquire(caller, 1))
            .await
            .ok()
            .flatten()
            .ok_or_else(busy)?;
        let memory = match bytes {
            0 => None,
            bytes => Some(self.reserve(caller, bytes, crate::limits::MEMORY_PATIENCE).await?),
        };
        Ok(AdmissionPermit { place, held: HeldShares { memory, _connection: connection, _engaged: engaged } })
    }

    /// Memory for a call that holds none.
    ///
    /// # Errors
    /// As [`enter`](Self::enter).
    pub(crate) async fn reserve(&self, caller: &ShareOwner, bytes: u64, patience: Duration) -> Result<HeldMemory> {
        let began = tokio::time::Instant::now();
        let of_key = match self.memory_of_keys.for_owner(caller) {
            // The budget below refuses a request that can never be met, in its own words.
            Some(shares) if bytes <= shares.part() => {
                let share = tokio::time::timeout(patience, shares.acquire(&caller.user, bytes)).await;
                Some(share.ok().flatten().ok_or_else(busy)?)
            }
            _ => None,
        };
        let patience = patience.saturating_sub(began.elapsed());
        let reserved = self.memory.reserve_within(patience, &caller.user, bytes).await?;
        Ok(HeldMemory { of_key, reserved })
    }

    /// The bytes per second of large bodies.
    pub(crate) fn bandwidth(&self) -> &Bandwidth {
        &self.bandwidth
    }

    /// Connections with a call now, and calls under way.
    pub(crate) fn counts(&self) -> (u64, u64) {
        (self.connections.all.held(), self.places.all.held())
    }

    /// The memory that is shared.
    pub(crate) fn memory(&self) -> &Memory {
        &self.memory
    }
}

impl HeldMemory {
    /// Gives back all but `bytes`.
    pub(crate) fn shrink_to(&mut self, bytes: u64) {
        self.reserved.shrink_to(bytes);
        if let Some(share) = &mut self.of_key {
            share.shrink_to(bytes);
        }
    }
}

impl AdmissionPermit {
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

/// Units shared among the users of each key, and then among all users.
#[derive(Debug)]
pub(crate) struct FairShares {
    all: Shares,
    by_key: ByKey,
}

/// Units of both.
#[derive(Debug)]
pub(crate) struct FairShare {
    _of_key: Option<Share>,
    _of_all: Share,
}

impl FairShares {
    pub(crate) fn new(units: u64) -> Self {
        Self { all: Shares::new(units, units / 2), by_key: ByKey::new(units) }
    }

    /// One unit, at once or not at all.
    fn try_acquire(&self, caller: &ShareOwner) -> Option<FairShare> {
        let of_key = match self.by_key.for_owner(caller) {
            Some(shares) => Some(shares.try_acquire(&caller.user, 1)?),
            None => None,
        };
        Some(FairShare { _of_key: of_key, _of_all: self.all.try_acquire(&caller.user, 1)? })
    }

    /// `units` for the caller, as soon as its turn comes. `None` if `units` are more than the caller's part.
    pub(crate) async fn acquire(&self, caller: &ShareOwner, units: u64) -> Option<FairShare> {
        let of_key = match self.by_key.for_owner(caller) {
            Some(shares) => Some(shares.acquire(&caller.user, units).await?),
            None => None,
        };
        Some(FairShare { _of_key: of_key, _of_all: self.all.acquire(&caller.user, units).await? })
    }
}

/// Seven eighths of some units for each key, of which one user has at most half of all.
#[derive(Debug)]
struct ByKey {
    units: u64,
    shares: Mutex<HashMap<Owner, Shares>>,
}

impl ByKey {
    fn new(units: u64) -> Self {
        Self { units, shares: Mutex::default() }
    }

    /// Those of the caller's key. There are as many as there are keys.
    fn for_owner(&self, caller: &ShareOwner) -> Option<Shares> {
        let key = caller.key.as_ref()?;
        let mut shares = self.shares.lock().unwrap_or_else(PoisonError::into_inner);
        let new = || Shares::new(self.units - self.units / 8, self.units / 2);
        Some(shares.entry(Arc::clone(key)).or_insert_with(new).clone())
    }
}

fn busy() -> Error {
    Error::new(Code::RateLimited, "too many requests are under way; try again in a moment")
        .with_outcome(Outcome::NotApplied)
}

#[cfg(test)]
mod tests {
    use futures_util::{FutureExt as _, poll};

    use super::*;

    const MIB: u64 = 1 << 20;

    fn caller(user: &str, key: Option<&str>) -> ShareOwner {
        ShareOwner { user: user.into(), key: key.map(Into::into) }
    }

    fn admission() -> Admission {
        Admission::new(&Memory::new(160 * MIB, Duration::from_secs(10)))
    }

    async fn enter_all(admission: &Admission, caller: &ShareOwner, calls: usize) -> Vec<AdmissionPermit> {
        let mut all = Vec::new();
        for _ in 0..calls {
            all.push(admission.admit(caller, None, 0).await.unwrap());
        }
        all
    }

    // S-FAIR-1: No user has more than half of the calls under way, and no key more than seven eighths.
    #[tokio::test(start_paused = true)]
    async fn no_user_has_more_than_half_of_the_calls_and_no_key_more_than_seven_eighths() {
        let admission = admission();
        let greedy = caller("greedy", None);
        let half = enter_all(&admission, &greedy, REQUESTS_AT_ONCE / 2).await;
        let refused = admission.admit(&greedy, None, 0).await.unwrap_err();
        assert_eq!((refused.code(), refused.outcome()), (Code::RateLimited, Some(Outcome::NotApplied)));
        let mut next = Box::pin(admission.admit(&greedy, None, 0));
        assert!(poll!(&mut next).is_pending());
        drop(admission.admit(&caller("honest", None), None, 0).now_or_never().unwrap().unwrap());
        drop(half);
        drop(next.await.unwrap());

        let of_key: Vec<_> = (0..REQUESTS_AT_ONCE - REQUESTS_AT_ONCE / 8)
            .map(|n| admission.admit(&caller(&format!("u{n}"), Some("wide")), None, 0).now_or_never().unwrap().unwrap())
            .collect();
        assert_eq!(
            admission.admit(&caller("one-more", Some("wide")), None, 0).await.unwrap_err().code(),
            Code::RateLimited
        );
        drop(admission.admit(&caller("one-more", Some("other")), None, 0).now_or_never().unwrap().unwrap());
        drop(of_key);
        assert_eq!(admission.counts(), (0, 0));
    }

    #[tokio::test(start_paused = true)]
    async fn users_of_one_key_are_served_in_turn() {
        let admission = admission();
        let (greedy, honest) = (caller("greedy", Some("wide")), caller("honest", Some("wide")));
        let filler: Vec<_> = (0..384)
            .map(|n| admission.admit(&caller(&format!("u{n}"), Some("wide")), None, 0).now_or_never().unwrap().unwrap())
            .collect();
        let mut half = enter_all(&admission, &greedy, 512).await;
        let mut waiting: Vec<_> = (0..100).map(|_| Box::pin(admission.admit(&greedy, None, 0))).collect();
        for call in &mut waiting {
            assert!(poll!(call).is_pending());
        }
        let mut late = Box::pin(admission.admit(&honest, None, 0));
        assert!(poll!(&mut late).is_pending());
        half.truncate(510);
        assert!(poll!(&mut late).is_ready(), "a hundred calls of another user are not served before");
        drop(filler);
    }

    #[tokio::test(start_paused = true)]
    async fn memory_is_shared_among_keys_too_and_what_never_fits_is_too_expensive() {
        let admission = admission();
        let wide = |user: &str| caller(user, Some("wide"));
        let patience = Duration::from_secs(10);
        let mut a = admission.reserve(&wide("a"), 80 * MIB, patience).await.unwrap();
        let b = admission.reserve(&wide("b"), 60 * MIB, patience).await.unwrap();
        assert_eq!(admission.reserve(&wide("c"), MIB, patience).await.unwrap_err().code(), Code::RateLimited);
        drop(admission.reserve(&caller("c", Some("other")), 20 * MIB, patience).now_or_never().unwrap().unwrap());
        a.shrink_to(79 * MIB);
        drop(admission.reserve(&wide("c"), MIB, patience).now_or_never().unwrap().unwrap());
        drop((a, b));
        let never = admission.admit(&wide("a"), None, 81 * MIB).await.unwrap_err();
        assert_eq!(never.code(), Code::TooExpensive);
        assert_eq!((admission.memory().reserved(), admission.counts()), (0, (0, 0)));
    }
}

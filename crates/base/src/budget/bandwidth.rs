//! Bytes of large bodies per second: unlimited for a user who is alone, a fixed rate for each while several are served.
//!
//! A large body costs not only memory, which is budgeted elsewhere, but also the processor: one user who uploads at the
//! speed of the network would keep every other user's short call waiting. The calls of the last second show whether a
//! user is alone. That takes two entries, however many users there are.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use tokio::time::Instant;

use super::Owner;

/// How long a user counts as served after a call.
const RECENT: Duration = Duration::from_secs(1);

/// The rate and its present users. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Bandwidth {
    bytes_per_second: u64,
    state: Arc<Mutex<State>>,
}

#[derive(Debug, Default)]
struct State {
    /// The last two users served, with the times.
    served: [Option<(Owner, Instant)>; 2],
    /// For each user, the time at which the bytes let through so far are paid for.
    paid_at: HashMap<Owner, Instant>,
}

impl Bandwidth {
    /// `bytes_per_second` for each user while another one is served.
    #[must_use]
    pub fn new(bytes_per_second: u64) -> Self {
        Self { bytes_per_second: bytes_per_second.max(1), state: Arc::default() }
    }

    /// Records a call of this user.
    pub fn serve(&self, owner: &Owner) {
        self.with(|state| state.serve(owner, Instant::now()));
    }

    /// The time at which `bytes` more of this user may pass: at once if it is alone.
    #[must_use]
    pub fn when(&self, owner: &Owner, bytes: u64) -> Instant {
        let now = Instant::now();
        self.with(|state| {
            state.paid_at.retain(|_, paid_at| *paid_at > now);
            if state.is_alone(owner, now) {
                return now;
            }
            let cost = Duration::from_nanos(bytes.saturating_mul(1_000_000_000) / self.bytes_per_second);
            let paid_at = state.paid_at.entry(Arc::clone(owner)).or_insert(now);
            *paid_at += cost;
            *paid_at
        })
    }

    fn with<T>(&self, look: impl FnOnce(&mut State) -> T) -> T {
        look(&mut self.state.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl State {
    fn serve(&mut self, owner: &Owner, now: Instant) {
        let [last, before] = &mut self.served;
        if last.as_ref().is_none_or(|(other, _)| other != owner) {
            *before = last.take();
        }
        *last = Some((Arc::clone(owner), now));
    }

    fn is_alone(&self, owner: &Owner, now: Instant) -> bool {
        let is_recent = |at: Instant| now.saturating_duration_since(at) <= RECENT;
        !self.served.iter().flatten().any(|(other, at)| other != owner && is_recent(*at))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn owner(name: &str) -> Owner {
        name.into()
    }

    // S-FAIR-6: While the service has several users, large uploads of each arrive at 16 MiB a second, four at a time.
    #[tokio::test(start_paused = true)]
    async fn a_user_who_is_alone_is_not_slowed_and_one_beside_others_has_the_rate() {
        let bandwidth = Bandwidth::new(1000);
        let (large, small) = (owner("large"), owner("small"));
        bandwidth.serve(&large);
        assert_eq!(bandwidth.when(&large, 1_000_000), Instant::now());
        bandwidth.serve(&small);
        for seconds in 1..=3 {
            assert_eq!(bandwidth.when(&large, 1000), Instant::now() + Duration::from_secs(seconds));
        }
        assert_eq!(bandwidth.when(&small, 500), Instant::now() + Duration::from_millis(500), "each has its own");
        tokio::time::sleep(RECENT + Duration::from_millis(1)).await;
        assert_eq!(bandwidth.when(&large, 1_000_000), Instant::now(), "alone again");
    }

    #[tokio::test(start_paused = true)]
    async fn many_calls_of_one_user_do_not_hide_another_and_what_is_paid_for_is_forgotten() {
        let bandwidth = Bandwidth::new(1000);
        let (large, small) = (owner("large"), owner("small"));
        bandwidth.serve(&small);
        (0..100).for_each(|_| bandwidth.serve(&large));
        assert_eq!(bandwidth.when(&large, 1000), Instant::now() + Duration::from_secs(1));
        tokio::time::sleep(Duration::from_secs(2)).await;
        assert_eq!(bandwidth.when(&small, 1), Instant::now());
        assert!(bandwidth.with(|state| state.paid_at.is_empty()));
    }
}

//! Units shared by owners: a semaphore in which no owner can crowd out the others.
//!
//! Two rules hold. No owner holds more than its part, even if no other waits: units cannot be taken back, so a later
//! caller would wait for as long as the first one likes. Waiting owners are served in turn, each in its own order. If
//! the next in turn fits its part but not the free units, the others wait too, so that small requests do not overtake a
//! large one for ever.

use std::{
    collections::{HashMap, VecDeque},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use tokio::sync::oneshot;

/// The holder of units: a user or the name of a key.
pub type Owner = Arc<str>;

/// A number of units shared by owners. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Shares {
    capacity: u64,
    part: u64,
    state: Arc<Mutex<State>>,
}

#[derive(Debug, Default)]
struct State {
    held: u64,
    /// The most units ever held at once.
    peak: u64,
    by_owner: HashMap<Owner, u64>,
    waiting: HashMap<Owner, VecDeque<Waiter>>,
    /// The waiting owners, each once, the next in turn first.
    turns: VecDeque<Owner>,
}

#[derive(Debug)]
struct Waiter {
    units: u64,
    granted: oneshot::Sender<()>,
}

/// Held units. Dropping them returns them.
#[derive(Debug)]
#[must_use = "units are held only as long as this lives"]
pub struct Share {
    shares: Shares,
    owner: Owner,
    units: u64,
}

impl Shares {
    /// `capacity` units in all. One owner holds at most `part` of them.
    #[must_use]
    pub fn new(capacity: u64, part: u64) -> Self {
        Self { capacity, part: part.min(capacity), state: Arc::default() }
    }

    /// The most units that one owner can ever hold.
    #[must_use]
    pub fn part(&self) -> u64 {
        self.part
    }

    /// The units held now, by all owners.
    #[must_use]
    pub fn held(&self) -> u64 {
        self.lock().held
    }

    /// The most units ever held at once.
    #[must_use]
    pub fn peak(&self) -> u64 {
        self.lock().peak
    }

    /// The number of all units.
    #[must_use]
    pub fn capacity(&self) -> u64 {
        self.capacity
    }

    /// Units for `owner`, at once or not at all. Also `None` while other owners wait their turn for free units.
    #[must_use]
    pub fn try_acquire(&self, owner: &Owner, units: u64) -> Option<Share> {
        let mut state = self.lock();
        let can = state.turns.is_empty() && self.fits_part(&state, owner, units) && self.is_free(&state, units);
        can.then(|| {
            state.take(owner, units);
            self.share(owner, units)
        })
    }

    /// Units for `owner`, when it is its turn. Returns `None` at once if `units` are more than its part.
    pub async fn acquire(&self, owner: &Owner, units: u64) -> Option<Share> {
        if units > self.part {
            return None;
        }
        if let Some(share) = self.try_acquire(owner, units) {
            return Some(share);
        }
        let granted = self.enqueue(owner, units);
        let waiting = Waiting { shares: self, owner, units, granted };
        waiting.granted().await
    }

    fn enqueue(&self, owner: &Owner, units: u64) -> oneshot::Receiver<()> {
        let (granted, receiver) = oneshot::channel();
        let mut state = self.lock();
        let queue = state.waiting.entry(owner.clone()).or_default();
        queue.push_back(Waiter { units, granted });
        if queue.len() == 1 {
            state.turns.push_back(owner.clone());
        }
        self.grant(&mut state);
        receiver
    }

    /// Grants the free units to the owners whose turn it is.
    fn grant(&self, state: &mut State) {
        let mut turn = 0;
        while let Some(owner) = state.turns.get(turn).cloned() {
            match state.next_of(&owner) {
                None => drop(state.turns.remove(turn)),
                // This owner keeps its turn, and others pass.
                Some(units) if !self.fits_part(state, &owner, units) => turn += 1,
                Some(units) if !self.is_free(state, units) => return,
                Some(_) => {
                    state.turns.remove(turn);
                    state.serve(&owner);
                    turn = 0;
                }
            }
        }
    }

    fn fits_part(&self, state: &State, owner: &Owner, units: u64) -> bool {
        state.by_owner.get(owner).copied().unwrap_or_default().saturating_add(units) <= self.part
    }

    fn is_free(&self, state: &State, units: u64) -> bool {
        state.held.saturating_add(units) <= self.capacity
    }

    fn give_back(&self, owner: &Owner, units: u64) {
        let mut state = self.lock();
        state.held = state.held.saturating_sub(units);
        if let Some(held) = state.by_owner.get_mut(owner) {
            *held = held.saturating_sub(units);
            if *held == 0 {
                state.by_owner.remove(owner);
            }
        }
        self.grant(&mut state);
    }

    fn share(&self, owner: &Owner, units: u64) -> Share {
        Share { shares: self.clone(), owner: owner.clone(), units }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn take(&mut self, owner: &Owner, units: u64) {
        self.held += units;
        self.peak = self.peak.max(self.held);
        *self.by_owner.entry(owner.clone()).or_default() += units;
    }

    /// The units that the first live waiter of `owner` asks for. Dropped waiters are removed, and so is an empty queue.
    fn next_of(&mut self, owner: &Owner) -> Option<u64> {
        let queue = self.waiting.get_mut(owner)?;
        while queue.front().is_some_and(|waiter| waiter.granted.is_closed()) {
            queue.pop_front();
        }
        let units = queue.front().map(|waiter| waiter.units);
        if units.is_none() {
            self.waiting.remove(owner);
        }
        units
    }

    /// Grants the first waiter of `owner`, and moves the owner to the end of the turns if it has more.
    fn serve(&mut self, owner: &Owner) {
        let Some(waiter) = self.waiting.get_mut(owner).and_then(VecDeque::pop_front) else { return };
        if waiter.granted.send(()).is_ok() {
            self.take(owner, waiter.units);
        }
        if self.waiting.get(owner).is_some_and(|queue| !queue.is_empty()) {
            self.turns.push_back(owner.clone());
        } else {
            self.waiting.remove(owner);
        }
    }
}

/// A place in the queue. A place that is dropped before its turn lets the next pass. A place that is dropped after its grant
/// returns the units.
struct Waiting<'shares> {
    shares: &'shares Shares,
    owner: &'shares Owner,
    units: u64,
    granted: oneshot::Receiver<()>,
}

impl Waiting<'_> {
    async fn granted(mut self) -> Option<Share> {
        (&mut self.granted).await.ok()?;
        Some(self.shares.share(self.owner, self.units))
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.granted.close();
        if self.granted.try_recv().is_ok() {
            self.shares.give_back(self.owner, self.units);
        } else {
            let mut state = self.shares.lock();
            self.shares.grant(&mut state);
        }
    }
}

impl Share {
    /// Returns all units over `units`.
    pub fn shrink_to(&mut self, units: u64) {
        if let Some(over) = self.units.checked_sub(units).filter(|over| *over > 0) {
            self.units = units;
            self.shares.give_back(&self.owner, over);
        }
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        self.shares.give_back(&self.owner, self.units);
    }
}

#[cfg(test)]
mod tests {
    use futures_util::{FutureExt as _, poll};

    use super::*;

    fn owner(name: &str) -> Owner {
        name.into()
    }

    #[tokio::test]
    async fn no_owner_holds_more_than_its_part() {
        let shares = Shares::new(10, 5);
        let all = shares.acquire(&owner("a"), 5).await.unwrap();
        assert!(shares.try_acquire(&owner("a"), 1).is_none());
        assert!(shares.acquire(&owner("a"), 6).await.is_none(), "more than a part can never be had");
        let other = shares.acquire(&owner("b"), 5).await.unwrap();
        assert_eq!(shares.held(), 10);
        drop((all, other));
        assert_eq!(shares.held(), 0);
    }

    #[tokio::test]
    async fn owners_that_wait_are_served_in_turn() {
        let shares = Shares::new(1, 1);
        let (a, b) = (owner("a"), owner("b"));
        let first = shares.acquire(&a, 1).await.unwrap();
        let (mut a1, mut a2, mut b1) =
            (Box::pin(shares.acquire(&a, 1)), Box::pin(shares.acquire(&a, 1)), Box::pin(shares.acquire(&b, 1)));
        assert!(poll!(&mut a1).is_pending() && poll!(&mut a2).is_pending() && poll!(&mut b1).is_pending());
        drop(first);
        let a1 = a1.now_or_never().flatten().expect("the first that waited is the first served");
        drop(a1);
        let b1 = b1.now_or_never().flatten().expect("then the other owner, though the first has more waiting");
        drop(b1);
        drop(a2.now_or_never().flatten().expect("and then the rest"));
        assert_eq!(shares.held(), 0);
    }

    #[tokio::test]
    async fn an_owner_at_its_part_holds_up_nobody_and_a_large_wish_is_not_overtaken() {
        let shares = Shares::new(10, 6);
        let (a, b, c) = (owner("a"), owner("b"), owner("c"));
        let held = shares.acquire(&a, 6).await.unwrap();
        let mut over = Box::pin(shares.acquire(&a, 1));
        assert!(poll!(&mut over).is_pending());
        let small = shares.acquire(&b, 1).now_or_never().flatten().expect("others pass an owner that is at its part");
        let mut large = Box::pin(shares.acquire(&b, 5));
        let mut later = Box::pin(shares.acquire(&c, 1));
        assert!(poll!(&mut large).is_pending());
        assert!(poll!(&mut later).is_pending(), "nobody overtakes a wish that waits for room");
        drop(held);
        assert!(poll!(&mut large).is_ready() && poll!(&mut over).is_ready() && poll!(&mut later).is_ready());
        drop(small);
    }

    #[tokio::test]
    async fn who_goes_away_leaves_nothing_behind() {
        let shares = Shares::new(2, 2);
        let (a, b) = (owner("a"), owner("b"));
        let held = shares.acquire(&a, 1).await.unwrap();
        let mut large = Box::pin(shares.acquire(&a, 2));
        let mut small = Box::pin(shares.acquire(&b, 1));
        assert!(poll!(&mut large).is_pending());
        assert!(poll!(&mut small).is_ready(), "what is over its part with what it holds does not hold others up");
        drop(large);
        let mut granted = Box::pin(shares.acquire(&b, 2));
        assert!(poll!(&mut granted).is_pending());
        drop(held);
        drop(granted);
        assert_eq!(shares.held(), 0, "a grant that was not taken is given back");
        let lock = shares.lock();
        assert!(lock.waiting.is_empty() && lock.turns.is_empty() && lock.by_owner.is_empty());
    }

    #[tokio::test]
    async fn a_share_that_shrinks_lets_the_next_in() {
        let shares = Shares::new(4, 4);
        let mut large = shares.acquire(&owner("a"), 4).await.unwrap();
        let b = owner("b");
        let mut next = Box::pin(shares.acquire(&b, 3));
        assert!(poll!(&mut next).is_pending());
        large.shrink_to(1);
        assert!(poll!(&mut next).is_ready());
        assert_eq!(large.units, 1);
    }
}

//! Units shared by owners: a semaphore in which no owner can crowd out the others.
//!
//! Four rules hold.
//!
//! 1. No owner holds more than its part, even if no other waits: units cannot be taken back, so a later caller would wait for as
//!    long as the first one likes. A request over the part is granted if its owner holds nothing else.
//! 2. Waiting owners are served in turn, each in its own order.
//! 3. If the next in turn fits its part but not the free units, the others wait too, so that small requests do not overtake a
//!    large one for ever.
//! 4. Some units are kept for owners that hold none. They do not wait for the turn of others then.

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
    /// The units that all owners take.
    common: u64,
    /// The units that only owners without units take.
    kept: u64,
    part: u64,
    state: Arc<Mutex<State>>,
}

#[derive(Debug, Default)]
struct State {
    /// Common units held now.
    common: u64,
    /// Kept units held now.
    kept: u64,
    /// The most units ever held at once.
    peak: u64,
    /// How often an owner within its part did not get units at once.
    contentions: u64,
    by_owner: HashMap<Owner, u64>,
    waiting: HashMap<Owner, VecDeque<Waiter>>,
    /// The waiting owners, each once, the next in turn first.
    turns: VecDeque<Owner>,
}

#[derive(Debug)]
struct Waiter {
    units: u64,
    granted: oneshot::Sender<Source>,
}

/// Where granted units come from and return to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Source {
    Common,
    Kept,
}

/// Held units. Dropping them returns them.
#[derive(Debug)]
#[must_use = "units are held only as long as this lives"]
pub struct Share {
    shares: Shares,
    owner: Owner,
    units: u64,
    source: Source,
}

impl Shares {
    /// `capacity` units in all. One owner holds at most `part` of them, or a single request for more.
    #[must_use]
    pub fn new(capacity: u64, part: u64) -> Self {
        Self { common: capacity, kept: 0, part: part.min(capacity), state: Arc::default() }
    }

    /// The same number of units, `kept` of which only owners without units get.
    #[must_use]
    pub fn keeping(self, kept: u64) -> Self {
        let kept = kept.min(self.common);
        Self { common: self.common - kept, kept, ..self }
    }

    /// The most units of one owner in several requests.
    #[must_use]
    pub fn part(&self) -> u64 {
        self.part
    }

    /// The most units that one request can get.
    #[must_use]
    pub fn most(&self) -> u64 {
        self.common.max(self.kept)
    }

    /// The units held now, by all owners.
    #[must_use]
    pub fn held(&self) -> u64 {
        self.lock().all()
    }

    /// The most units ever held at once.
    #[must_use]
    pub fn peak(&self) -> u64 {
        self.lock().peak
    }

    /// How often an owner within its part did not get units at once, because others held them or waited for them.
    #[must_use]
    pub fn contentions(&self) -> u64 {
        self.lock().contentions
    }

    /// The units that only owners without units get.
    #[must_use]
    pub fn kept(&self) -> u64 {
        self.kept
    }

    /// The number of all units.
    #[must_use]
    pub fn capacity(&self) -> u64 {
        self.common + self.kept
    }

    /// Units for `owner`, at once or not at all. Also `None` while an owner within its part waits for free units, unless units are
    /// kept for `owner`.
    #[must_use]
    pub fn try_acquire(&self, owner: &Owner, units: u64) -> Option<Share> {
        let mut state = self.lock();
        let is_awaited = self.is_awaited(&mut state);
        let source = self.source(&state, owner, units, is_awaited);
        if source.is_none() && self.fits_part(&state, owner, units) {
            state.contentions += 1;
        }
        let source = source?;
        state.take(owner, units, source);
        drop(state);
        Some(self.share(owner, units, source))
    }

    /// Units for `owner`, when it is its turn. Returns `None` at once if there are never so many.
    pub async fn acquire(&self, owner: &Owner, units: u64) -> Option<Share> {
        if units > self.most() {
            return None;
        }
        if let Some(share) = self.try_acquire(owner, units) {
            return Some(share);
        }
        let granted = self.enqueue(owner, units);
        let waiting = Waiting { shares: self, owner, units, granted };
        waiting.granted().await
    }

    fn enqueue(&self, owner: &Owner, units: u64) -> oneshot::Receiver<Source> {
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
        let mut is_awaited = false;
        while let Some(owner) = state.turns.get(turn).cloned() {
            let Some(units) = state.next_of(&owner) else {
                state.turns.remove(turn);
                continue;
            };
            if let Some(source) = self.source(state, &owner, units, is_awaited) {
                state.turns.remove(turn);
                state.serve(&owner, source);
                (turn, is_awaited) = (0, false);
            } else {
                // An owner at its part keeps its turn, and others pass. Nobody overtakes an owner within its part.
                is_awaited |= self.fits_part(state, &owner, units);
                turn += 1;
            }
        }
    }

    /// The source of units that `owner` can have now. Common units are none if another waits for them.
    fn source(&self, state: &State, owner: &Owner, units: u64, is_awaited: bool) -> Option<Source> {
        if !self.fits_part(state, owner, units) {
            return None;
        }
        let is_free = |source| state.held(source).saturating_add(units) <= self.units(source);
        if !is_awaited && is_free(Source::Common) {
            return Some(Source::Common);
        }
        (state.held_by(owner) == 0 && is_free(Source::Kept)).then_some(Source::Kept)
    }

    /// Whether an owner within its part waits for common units.
    fn is_awaited(&self, state: &mut State) -> bool {
        let turns: Vec<Owner> = state.turns.iter().cloned().collect();
        turns.iter().any(|owner| state.next_of(owner).is_some_and(|units| self.fits_part(state, owner, units)))
    }

    fn fits_part(&self, state: &State, owner: &Owner, units: u64) -> bool {
        let held = state.held_by(owner);
        held == 0 || held.saturating_add(units) <= self.part
    }

    const fn units(&self, source: Source) -> u64 {
        match source {
            Source::Common => self.common,
            Source::Kept => self.kept,
        }
    }

    /// Grows a share of `owner` from `before` to `after` units, if they are free and nobody waits for them. Returns whether it grew.
    fn grow(&self, owner: &Owner, (before, after): (u64, u64), source: Source) -> bool {
        let mut state = self.lock();
        let more = after - before;
        let others = state.held_by(owner).saturating_sub(before);
        let is_within = others == 0 || others.saturating_add(after) <= self.part;
        let is_free = state.held(source).saturating_add(more) <= self.units(source);
        let is_granted = is_within && is_free && (source == Source::Kept || !self.is_awaited(&mut state));
        if is_granted {
            state.take(owner, more, source);
        }
        is_granted
    }

    fn give_back(&self, owner: &Owner, units: u64, source: Source) {
        let mut state = self.lock();
        let held = state.held_mut(source);
        *held = held.saturating_sub(units);
        if let Some(held) = state.by_owner.get_mut(owner) {
            *held = held.saturating_sub(units);
            if *held == 0 {
                state.by_owner.remove(owner);
            }
        }
        self.grant(&mut state);
    }

    fn share(&self, owner: &Owner, units: u64, source: Source) -> Share {
        Share { shares: self.clone(), owner: owner.clone(), units, source }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    const fn held(&self, source: Source) -> u64 {
        match source {
            Source::Common => self.common,
            Source::Kept => self.kept,
        }
    }

    const fn held_mut(&mut self, source: Source) -> &mut u64 {
        match source {
            Source::Common => &mut self.common,
            Source::Kept => &mut self.kept,
        }
    }

    /// Units held now, of both sources.
    const fn all(&self) -> u64 {
        self.common + self.kept
    }

    fn held_by(&self, owner: &Owner) -> u64 {
        self.by_owner.get(owner).copied().unwrap_or_default()
    }

    fn take(&mut self, owner: &Owner, units: u64, source: Source) {
        *self.held_mut(source) += units;
        self.peak = self.peak.max(self.all());
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
    fn serve(&mut self, owner: &Owner, source: Source) {
        let Some(waiter) = self.waiting.get_mut(owner).and_then(VecDeque::pop_front) else { return };
        if waiter.granted.send(source).is_ok() {
            self.take(owner, waiter.units, source);
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
    granted: oneshot::Receiver<Source>,
}

impl Waiting<'_> {
    async fn granted(mut self) -> Option<Share> {
        let source = (&mut self.granted).await.ok()?;
        Some(self.shares.share(self.owner, self.units, source))
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.granted.close();
        if let Ok(source) = self.granted.try_recv() {
            self.shares.give_back(self.owner, self.units, source);
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
            self.shares.give_back(&self.owner, over, self.source);
        }
    }

    /// Takes units up to `units`, at once or not at all, and returns whether it has them now.
    pub fn try_grow_to(&mut self, units: u64) -> bool {
        if units > self.units {
            if !self.shares.grow(&self.owner, (self.units, units), self.source) {
                return false;
            }
            self.units = units;
        }
        true
    }

    /// The units that it holds.
    #[must_use]
    pub fn units(&self) -> u64 {
        self.units
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        self.shares.give_back(&self.owner, self.units, self.source);
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
        assert!(shares.acquire(&owner("a"), 11).await.is_none(), "more than there are can never be had");
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
    async fn a_request_over_the_part_waits_until_its_owner_holds_nothing_else() {
        let shares = Shares::new(16, 4).keeping(2);
        let (a, b) = (owner("a"), owner("b"));
        let small = shares.acquire(&a, 1).await.unwrap();
        let mut large = Box::pin(shares.acquire(&a, 8));
        assert!(poll!(&mut large).is_pending());
        drop(shares.acquire(&b, 4).now_or_never().flatten().expect("it holds nobody else up"));
        drop(small);
        let large = large.now_or_never().flatten().expect("now its owner holds nothing else");
        assert!(shares.try_acquire(&a, 1).is_none());
        let twin = shares.acquire(&b, 8);
        assert!(twin.now_or_never().is_none(), "both do not fit");
        drop(large);
        assert!(shares.acquire(&a, 15).await.is_none(), "the kept units are for small requests");
        drop(shares.acquire(&a, 14).await.unwrap());
        assert_eq!(shares.held(), 0);
    }

    #[tokio::test]
    async fn owners_without_units_get_the_kept_ones_and_wait_for_nobody() {
        let shares = Shares::new(16, 7).keeping(2);
        let held: Vec<_> = ["a", "b"].map(|name| shares.try_acquire(&owner(name), 7).unwrap()).into();
        let [c, d, e, f] = ["c", "d", "e", "f"].map(owner);
        let mut large = Box::pin(shares.acquire(&c, 5));
        assert!(poll!(&mut large).is_pending(), "more than is kept waits for the others");
        let first = shares.try_acquire(&d, 1).expect("a kept unit");
        assert!(shares.try_acquire(&d, 1).is_none(), "it has one now");
        let second = shares.acquire(&e, 1).now_or_never().flatten().expect("the other kept unit");
        let mut third = Box::pin(shares.acquire(&f, 1));
        assert!(poll!(&mut third).is_pending());
        drop(first);
        assert!(poll!(&mut third).is_ready(), "it is kept again, though others have waited longer");
        drop((held, second, third));
        assert!(poll!(&mut large).is_ready());
        drop(large);
        assert_eq!((shares.held(), shares.peak()), (0, 16));
        assert_eq!(shares.contentions(), 3, "the large request, the second of `d` and the last one");
    }

    #[tokio::test]
    async fn a_share_grows_within_its_part_and_the_free_units_and_overtakes_nobody() {
        let shares = Shares::new(10, 6);
        let [a, b, c] = ["a", "b", "c"].map(owner);
        let mut share = shares.try_acquire(&a, 1).unwrap();
        assert!(share.try_grow_to(6) && share.try_grow_to(3) && share.units() == 6);
        let other = shares.try_acquire(&b, 3).unwrap();
        assert!(!share.try_grow_to(8), "one unit is free");
        assert!(share.try_grow_to(7), "its owner holds nothing else");
        share.shrink_to(1);
        let second = shares.try_acquire(&a, 5).unwrap();
        assert!(!share.try_grow_to(2), "its owner is at its part");
        let mut waits = Box::pin(shares.acquire(&b, 3));
        assert!(poll!(&mut waits).is_pending());
        drop(second);
        assert!(poll!(&mut waits).is_ready());
        let mut waits = Box::pin(shares.acquire(&c, 7));
        assert!(poll!(&mut waits).is_pending());
        assert!(!share.try_grow_to(2), "another waits");
        drop((waits, other, share));
        assert_eq!(shares.held(), 0);
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

//! The catalogs in memory, in one budget of bytes: the readings of layers, and the views of audiences.
//!
//! The least recently used leave first. One question uses an audience view and its layers together, so no question evicts its
//! own parts. A group that is larger than the budget by itself stays while it is in use, and the others share a small
//! part of the budget beside it. Otherwise each question would read thousands of skills again.

use std::{
    collections::{BTreeMap, HashMap},
    hash::Hash,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use super::{audience_view::AudienceView, layer_state::LayerState, layers::Audience};
use crate::{
    clock::Clock,
    limits::{CATALOG_BESIDE, CATALOG_STALE},
    path::{Id, LayerOwner},
};

/// The overhead of one layer or audience view: fields, entries here, and a task.
const LEAST: u64 = 2 << 10;

/// All catalogs in memory.
#[derive(Debug)]
pub(super) struct CatalogCache {
    budget: u64,
    clock: Arc<dyn Clock>,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    layers: HashMap<LayerOwner, Arc<LayerState>>,
    audience_views: HashMap<Audience, Arc<AudienceView>>,
    order: Order<CacheKey>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum CacheKey {
    Layer(LayerOwner),
    Audience(Audience),
}

impl CatalogCache {
    pub(super) fn new(budget: u64, clock: Arc<dyn Clock>) -> Self {
        let state = State { layers: HashMap::new(), audience_views: HashMap::new(), order: Order::default() };
        Self { budget, clock, state: Mutex::new(state) }
    }

    /// The layers of `owners` and the view of `audience`, marked as used now. Missing ones are made empty.
    pub(super) fn in_use(
        &self,
        audience: &Audience,
        owners: &[LayerOwner],
    ) -> (Vec<Arc<LayerState>>, Arc<AudienceView>) {
        let mut state = self.lock();
        let layers = owners.iter().map(|owner| state.layers.entry(owner.clone()).or_default().clone()).collect();
        let audience_view = state.audience_views.entry(audience.clone()).or_default().clone();
        // An audience view keeps its readings alive, so it is the first of the group to leave.
        let audience_first = [CacheKey::Audience(audience.clone())].into_iter();
        let group = audience_first.chain(owners.iter().cloned().map(CacheKey::Layer)).collect();
        self.touch(&mut state, group);
        (layers, audience_view)
    }

    /// The layer of `owner`, marked as used now.
    pub(super) fn layer(&self, owner: &LayerOwner) -> Arc<LayerState> {
        let mut state = self.lock();
        let layer = state.layers.entry(owner.clone()).or_default().clone();
        self.touch(&mut state, vec![CacheKey::Layer(owner.clone())]);
        layer
    }

    /// The layer of `owner`, if it is in memory. Does not mark it as used.
    pub(super) fn peek(&self, owner: &LayerOwner) -> Option<Arc<LayerState>> {
        self.lock().layers.get(owner).cloned()
    }

    /// Drops the cached catalog of a user.
    pub(super) fn forget(&self, user: &Id) {
        let mut state = self.lock();
        state.layers.remove(&LayerOwner::User(user.clone()));
        state.audience_views.retain(|audience, _| audience.user != *user);
    }

    /// Whether `slot` is the present slot of `owner`.
    pub(super) fn holds(&self, owner: &LayerOwner, slot: &Arc<LayerState>) -> bool {
        self.lock().layers.get(owner).is_some_and(|kept| Arc::ptr_eq(kept, slot))
    }

    /// Records the present size of a layer.
    pub(super) fn weigh_layer(&self, owner: &LayerOwner, slot: &Arc<LayerState>, bytes: u64) {
        let mut state = self.lock();
        if state.layers.get(owner).is_some_and(|kept| Arc::ptr_eq(kept, slot)) {
            self.weigh(&mut state, &CacheKey::Layer(owner.clone()), bytes);
        }
    }

    /// Records the present size of an audience view.
    pub(super) fn weigh_audience(&self, audience: &Audience, audience_view: &Arc<AudienceView>, bytes: u64) {
        let mut state = self.lock();
        if state.audience_views.get(audience).is_some_and(|kept| Arc::ptr_eq(kept, audience_view)) {
            self.weigh(&mut state, &CacheKey::Audience(audience.clone()), bytes);
        }
    }

    fn touch(&self, state: &mut State, group: Vec<CacheKey>) {
        let now = self.clock.uptime();
        state.order.touch(group, self.budget, now);
        state.evict(self.budget, now);
    }

    fn weigh(&self, state: &mut State, place: &CacheKey, bytes: u64) {
        let now = self.clock.uptime();
        state.order.weigh(place, LEAST + bytes, self.budget, now);
        state.evict(self.budget, now);
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    #[cfg(test)]
    pub(super) fn bytes(&self) -> u64 {
        self.lock().order.total
    }
}

impl State {
    fn evict(&mut self, budget: u64, now: Duration) {
        for place in self.order.evict(budget, now) {
            match place {
                CacheKey::Layer(owner) => drop(self.layers.remove(&owner)),
                CacheKey::Audience(audience) => drop(self.audience_views.remove(&audience)),
            }
        }
    }
}

/// The size and the last use of each place, in the order of use.
#[derive(Debug)]
struct Order<P> {
    places: HashMap<P, Entry>,
    by_use: BTreeMap<u64, P>,
    uses: u64,
    total: u64,
    /// The places used last, together.
    latest: Vec<P>,
    /// A group that is larger than the budget, and the time of its use.
    giant: Option<(Vec<P>, Duration)>,
}

#[derive(Debug)]
struct Entry {
    weight: u64,
    used: u64,
}

impl<P> Default for Order<P> {
    fn default() -> Self {
        Self { places: HashMap::new(), by_use: BTreeMap::new(), uses: 0, total: 0, latest: Vec::new(), giant: None }
    }
}

impl<P: Clone + Eq + Hash> Order<P> {
    /// Marks the places of `group` as used together. The first of them leaves first.
    fn touch(&mut self, group: Vec<P>, budget: u64, now: Duration) {
        for place in &group {
            self.uses += 1;
            let used = self.uses;
            let entry = self.places.entry(place.clone()).or_insert_with(|| {
                self.total += LEAST;
                Entry { weight: LEAST, used }
            });
            self.by_use.remove(&std::mem::replace(&mut entry.used, used));
            self.by_use.insert(used, place.clone());
        }
        self.latest = group;
        self.record_giant(budget, now);
    }

    fn weigh(&mut self, place: &P, weight: u64, budget: u64, now: Duration) {
        let Some(entry) = self.places.get_mut(place) else { return };
        self.total = self.total.saturating_sub(entry.weight).saturating_add(weight);
        entry.weight = weight;
        if self.latest.contains(place) {
            self.record_giant(budget, now);
        } else if weight > budget && !self.giant.as_ref().is_some_and(|(giant, _)| giant.contains(place)) {
            self.giant = Some((vec![place.clone()], now));
        }
    }

    fn record_giant(&mut self, budget: u64, now: Duration) {
        if self.weight_of(&self.latest) > budget {
            self.giant = Some((self.latest.clone(), now));
        }
    }

    /// Forgets places until the rest fits the budget, and returns them.
    fn evict(&mut self, budget: u64, now: Duration) -> Vec<P> {
        let in_use = |(_, used): &(Vec<P>, Duration)| now.saturating_sub(*used) < CATALOG_STALE;
        self.giant = self.giant.take().filter(in_use);
        let giant = self.giant.as_ref().map(|(giant, _)| giant.as_slice()).unwrap_or_default();
        let most = match self.weight_of(giant) {
            weight if weight > budget => weight + budget / CATALOG_BESIDE,
            _ => budget,
        };
        let may_go = |place: &P| !self.latest.contains(place) && !giant.contains(place);
        let mut over = self.total.saturating_sub(most);
        let mut gone = Vec::new();
        for (used, place) in self.by_use.iter().filter(|(_, place)| may_go(place)) {
            if over == 0 {
                break;
            }
            over = over.saturating_sub(self.places.get(place).map_or(0, |entry| entry.weight));
            gone.push((*used, place.clone()));
        }
        gone.into_iter().map(|(used, place)| self.forget(used, place)).collect()
    }

    fn forget(&mut self, used: u64, place: P) -> P {
        self.by_use.remove(&used);
        let weight = self.places.remove(&place).map_or(0, |entry| entry.weight);
        self.total = self.total.saturating_sub(weight);
        place
    }

    fn weight_of(&self, group: &[P]) -> u64 {
        group.iter().filter_map(|place| self.places.get(place)).map(|entry| entry.weight).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BUDGET: u64 = 100 * LEAST;
    const NOW: Duration = Duration::from_secs(1000);

    /// Uses `place` with a weight in hundredths of the budget, and returns the evicted places.
    fn hold(order: &mut Order<&'static str>, place: &'static str, hundredths: u64) -> Vec<&'static str> {
        order.touch(vec![place], BUDGET, NOW);
        order.weigh(&place, hundredths * LEAST, BUDGET, NOW);
        order.evict(BUDGET, NOW)
    }

    #[test]
    fn what_was_used_longest_ago_goes_first_and_only_as_much_as_is_over() {
        let mut order = Order::default();
        for place in ["a", "b", "c"] {
            assert!(hold(&mut order, place, 30).is_empty());
        }
        order.touch(vec!["a"], BUDGET, NOW);
        assert_eq!(hold(&mut order, "d", 20), ["b"]);
        assert_eq!(order.total, 80 * LEAST);
        assert_eq!(hold(&mut order, "a", 70), ["c"], "what grows drives out others too");
        assert_eq!(hold(&mut order, "e", 100), ["d", "a"]);
    }

    #[test]
    fn what_is_used_together_does_not_drive_out_its_own() {
        let mut order = Order::default();
        order.touch(vec!["index", "layer"], BUDGET, NOW);
        order.weigh(&"layer", 80 * LEAST, BUDGET, NOW);
        order.weigh(&"index", 40 * LEAST, BUDGET, NOW);
        assert!(order.evict(BUDGET, NOW).is_empty());
        order.touch(vec!["other"], BUDGET, NOW);
        assert!(order.evict(BUDGET, NOW).is_empty(), "a group over the budget stays while it is in use");
        assert_eq!(order.evict(BUDGET, NOW + CATALOG_STALE), ["index"], "and no longer");
    }

    // S-CATALOG-12: A catalog larger than the whole budget stays while callers use it, and the others share an eighth
    // of the budget beside it.
    #[test]
    fn beside_one_that_is_over_the_budget_others_share_a_small_part() {
        let mut order = Order::default();
        assert!(hold(&mut order, "small", 50).is_empty());
        assert_eq!(hold(&mut order, "giant", 150), ["small"]);
        assert!(hold(&mut order, "a", 6).is_empty() && hold(&mut order, "b", 6).is_empty());
        assert_eq!(hold(&mut order, "c", 6), ["a"]);
        assert_eq!(hold(&mut order, "other giant", 120), ["giant"], "of two the one used last stays");
    }
}

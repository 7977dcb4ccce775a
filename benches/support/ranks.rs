//! The places of right answers, and the shares that are printed of them.

use std::collections::BTreeMap;

use super::{public_skills::Request, ways::Way};

/// For each request the place of the first right skill, the best being 0.
pub(crate) struct Ranks(Vec<Option<usize>>);

impl Ranks {
    pub(crate) fn of(requests: &[Request], way: &Way<'_>) -> Self {
        Self::with(requests, |request| (way.search)(&request.text))
    }

    pub(crate) fn with(requests: &[Request], search: impl Fn(&Request) -> Vec<String>) -> Self {
        let rank = |request: &Request| search(request).iter().position(|skill| request.right.contains(skill));
        Self(requests.iter().map(rank).collect())
    }

    /// Those of the requests at these places.
    pub(crate) fn at(&self, places: &[usize]) -> Self {
        Self(places.iter().map(|place| self.0[*place]).collect())
    }

    /// How many requests are answered among the first so many.
    pub(crate) fn found(&self, first: usize) -> usize {
        self.0.iter().flatten().filter(|rank| **rank < first).count()
    }

    /// The share of the requests that are.
    pub(crate) fn share(&self, first: usize) -> f64 {
        self.found(first) as f64 / self.0.len() as f64
    }

    /// Prints a row. The mean reciprocal rank is that of the first ten.
    pub(crate) fn print(&self, kind: &str, way: &str) {
        let ranks = self.0.iter().flatten().filter(|rank| **rank < 10);
        let mrr = ranks.fold(0.0, |sum, rank| sum + 1.0 / (rank + 1) as f64) / self.0.len() as f64;
        let [one, five, twenty, fifty] = [1, 5, 20, 50].map(|first| self.share(first));
        println!("  {kind:28} {way:26} {one:.3} {five:.3} {twenty:.3} {fifty:.3} {mrr:.3}");
    }
}

/// The places of the requests of each kind.
pub(crate) fn kinds(requests: &[Request]) -> BTreeMap<&str, Vec<usize>> {
    let mut kinds = BTreeMap::<&str, Vec<usize>>::new();
    for (place, request) in requests.iter().enumerate() {
        kinds.entry(&request.kind).or_default().push(place);
    }
    kinds
}

//! The first hits of a search, in the order of paths and lines, whichever file is searched first.
//!
//! A reply has the first hits up to a limit of number and bytes. Files are searched in any order, so a hit of a later file may be
//! known before one of an earlier file. Once the known hits exceed the limit, the last ones cannot be in the reply, and
//! are dropped. So all files together hold little more than one reply.

use std::{
    collections::BTreeMap,
    sync::{Mutex, MutexGuard, PoisonError},
};

use crate::text::{Hit, HitLimit};

/// The first hits of a search up to a limit.
#[derive(Debug)]
pub(super) struct FirstHits {
    limit: HitLimit,
    hits: Mutex<HitsByFile>,
}

#[derive(Debug, Default)]
struct HitsByFile {
    /// By the place of the file, the bytes of its path and its hits.
    files: BTreeMap<usize, (usize, Vec<Hit>)>,
    /// Those of all hits, also of the hits that were taken.
    count: usize,
    bytes: usize,
    /// The last place with hits in the reply, once later hits were dropped.
    last: Option<usize>,
}

impl FirstHits {
    pub(super) fn new(limit: HitLimit) -> Self {
        Self { limit, hits: Mutex::default() }
    }

    /// Whether the reply is full before it reaches the file at this place.
    pub(super) fn is_full_before(&self, place: usize) -> bool {
        self.lock().last.is_some_and(|last| last < place)
    }

    /// Adds the hits of the file at `place`, whose path has so many bytes.
    pub(super) fn put(&self, place: usize, path_bytes: usize, hits: Vec<Hit>) {
        let mut all = self.lock();
        if all.last.is_some_and(|last| last < place) || hits.is_empty() {
            return;
        }
        all.count += hits.len();
        all.bytes += hits.iter().map(|hit| path_bytes + hit.size()).sum::<usize>();
        all.files.insert(place, (path_bytes, hits));
        all.drop_beyond(self.limit);
    }

    /// The hits of the file at `place`. Those of all earlier files were taken before.
    pub(super) fn take(&self, place: usize) -> Vec<Hit> {
        self.lock().files.remove(&place).unwrap_or_default().1
    }

    fn lock(&self) -> MutexGuard<'_, HitsByFile> {
        self.hits.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl HitsByFile {
    /// Drops hits from the end. The last one kept exceeds the limit.
    fn drop_beyond(&mut self, limit: HitLimit) {
        while let Some(mut file) = self.files.last_entry() {
            let (path_bytes, hits) = file.get_mut();
            let size = hits.last().map_or(0, |hit| *path_bytes + hit.size());
            if self.count <= limit.hits && self.bytes - size <= limit.bytes {
                return;
            }
            hits.pop();
            let is_empty = hits.is_empty();
            self.count -= 1;
            self.bytes -= size;
            self.last = Some(*file.key());
            if is_empty {
                file.remove();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use proptest::prelude::*;

    fn hits(sizes: &[usize]) -> Vec<Hit> {
        let hit = |(line, size): (usize, &usize)| Hit {
            line: line as u64,
            text: "x".repeat(*size),
            before: Vec::new(),
            after: Vec::new(),
        };
        sizes.iter().enumerate().map(hit).collect()
    }

    /// The first hits of these files that together just exceed the limit.
    fn expected(files: &[Vec<usize>], limit: HitLimit) -> Vec<Vec<u64>> {
        let (mut count, mut bytes) = (0, 0);
        let mut of_file = |sizes: &Vec<usize>| {
            let mut kept = Vec::new();
            for hit in hits(sizes) {
                if count < limit.hits && bytes <= limit.bytes {
                    (count, bytes) = (count + 1, bytes + 10 + hit.size());
                    kept.push(hit.line);
                }
            }
            kept
        };
        files.iter().map(&mut of_file).collect()
    }

    proptest! {
        #[test]
        fn the_first_hits_stay_in_whatever_order_the_files_come(
            files in prop::collection::vec(prop::collection::vec(0_usize..50, 0..6), 1..8),
            seed in any::<u64>(),
            most in 1_usize..12,
            bytes in 0_usize..600,
        ) {
            let limit = HitLimit { hits: most, bytes };
            let first = FirstHits::new(limit);
            let mut order: Vec<usize> = (0..files.len()).collect();
            order.sort_by_key(|place| (*place as u64 + 1).wrapping_mul(seed | 1).rotate_left(17));
            for place in order {
                first.put(place, 10, hits(&files[place]));
                let held = first.lock();
                let sum = |of: &dyn Fn(&Hit) -> usize| held.files.values().flat_map(|(_, hits)| hits).map(of).sum::<usize>();
                prop_assert!(sum(&|_| 1) <= most && sum(&|hit| 10 + hit.size()) <= bytes + 10 + 49 + 32);
            }
            let expected = expected(&files, limit);
            let last = expected.iter().rposition(|lines| !lines.is_empty());
            for (place, lines) in expected.iter().enumerate() {
                prop_assert_eq!(&first.take(place).iter().map(|hit| hit.line).collect::<Vec<_>>(), lines);
                prop_assert!(!first.is_full_before(place) || last.is_some_and(|last| place > last));
            }
        }
    }
}

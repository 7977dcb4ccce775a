//! Counts of the calls that the service refused because the key does not allow them.
//!
//! A refused call is news for the owner of the key. The first one leaves a record at once. Further calls of the same key at the same
//! route are counted for a minute, and the end of the minute leaves a record of them all.

use std::{
    collections::HashMap,
    sync::{Mutex, PoisonError},
    time::Duration,
};

use crate::{
    budget::Owner,
    limits::{REFUSALS_COUNTED, REFUSALS_KEPT},
};

/// The refused calls of each key at each route since the last record.
#[derive(Debug, Default)]
pub(crate) struct Refusals(Mutex<HashMap<(Owner, String), RefusalCount>>);

/// The refused calls of one key at one route.
#[derive(Clone, Copy, Debug)]
struct RefusalCount {
    /// The time of the last record.
    since: Duration,
    calls: u64,
}

/// When the record of a refused call is due.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RecordDue {
    /// Now, for so many calls.
    Now(u64),
    /// After this time, for the calls until then.
    After(Duration),
    /// A record that is due already will count the call.
    Counted,
}

impl Refusals {
    /// Counts a refused call at `now`.
    pub(super) fn count(&self, key: &Owner, route: &str, now: Duration) -> RecordDue {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if all.len() >= REFUSALS_KEPT {
            all.retain(|_, count| now.saturating_sub(count.since) < REFUSALS_COUNTED);
        }
        let is_full = all.len() >= REFUSALS_KEPT;
        let name = (key.clone(), route.to_owned());
        match all.get_mut(&name) {
            Some(count) if now.saturating_sub(count.since) < REFUSALS_COUNTED => {
                count.calls += 1;
                let left = REFUSALS_COUNTED.saturating_sub(now.saturating_sub(count.since));
                if count.calls == 1 { RecordDue::After(left) } else { RecordDue::Counted }
            }
            Some(count) => {
                let calls = count.calls + 1;
                *count = RefusalCount { since: now, calls: 0 };
                RecordDue::Now(calls)
            }
            // The log and `/metrics` count it all the same.
            None if is_full => RecordDue::Counted,
            None => {
                all.insert(name, RefusalCount { since: now, calls: 0 });
                RecordDue::Now(1)
            }
        }
    }

    /// The number of calls since the last record, for a record at `now`; `None` if there were none.
    pub(super) fn take(&self, key: &Owner, route: &str, now: Duration) -> Option<u64> {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let count = all.get_mut(&(key.clone(), route.to_owned())).filter(|count| count.calls > 0)?;
        let calls = count.calls;
        *count = RefusalCount { since: now, calls: 0 };
        Some(calls)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // S-AUDIT-18: A refused call leaves a record with the user of its key.
    #[test]
    fn a_key_at_a_route_has_one_record_a_minute_with_the_number_of_calls() {
        let refusals = Refusals::default();
        let at =
            |second: u64, key: &str, route: &str| refusals.count(&Owner::from(key), route, Duration::from_secs(second));
        let (one, after) = (RecordDue::Now(1), |second| RecordDue::After(Duration::from_secs(second)));
        assert_eq!(
            [at(0, "a", "GET /x"), at(1, "a", "GET /x"), at(59, "a", "GET /x")],
            [one, after(59), RecordDue::Counted]
        );
        assert_eq!([at(59, "b", "GET /x"), at(59, "a", "GET /y")], [one, one], "another key, another route");
        let take = |second: u64| refusals.take(&Owner::from("a"), "GET /x", Duration::from_secs(second));
        assert_eq!((take(60), take(60)), (Some(2), None));
        assert_eq!([at(61, "a", "GET /x"), at(200, "a", "GET /x")], [after(59), RecordDue::Now(2)]);
        assert_eq!(take(201), None);
    }

    // S-LIMIT-1: Every limit stands in `crates/base/src/limits/`; the service takes n and refuses n + 1.
    #[test]
    fn the_counts_are_bounded_and_give_way_after_a_minute() {
        let refusals = Refusals::default();
        let at = |second: u64, number: usize| {
            refusals.count(&Owner::from(number.to_string().as_str()), "GET /x", Duration::from_secs(second))
        };
        assert!((0..REFUSALS_KEPT).all(|number| at(0, number) == RecordDue::Now(1)));
        assert_eq!(at(1, REFUSALS_KEPT), RecordDue::Counted);
        assert_eq!(at(60, REFUSALS_KEPT), RecordDue::Now(1));
    }
}

//! Discoveries that wait to be written with the next change of their session, so that a search costs no write.
//!
//! They are not durable: a crash or an outage loses them. The notes of a session are written or dropped within seconds
//! of the first. All notes together have [`NOTES_BYTES`]; further ones are dropped.

use std::{
    collections::{HashMap, VecDeque},
    sync::{Mutex, MutexGuard, PoisonError},
};

use super::{SearchRecord, stored::weight_of_discovery};
use crate::{
    budget::weight,
    limits::{DISCOVERIES, NOTES_BYTES},
    path::Id,
};

/// The unwritten discoveries, by user and session.
#[derive(Debug, Default)]
pub(super) struct PendingDiscoveries {
    notes: Mutex<Notes>,
}

#[derive(Debug, Default)]
struct Notes {
    by_session: HashMap<(Id, Id), VecDeque<(u64, SearchRecord)>>,
    /// The number of the last note.
    last: u64,
    /// The bytes of all notes.
    bytes: usize,
}

impl Notes {
    fn drop_if(&mut self, session: &(Id, Id), mut done: impl FnMut(u64) -> bool) {
        let Some(waiting) = self.by_session.get_mut(session) else { return };
        let mut dropped = 0;
        waiting.retain(|(number, past)| {
            let keep = !done(*number);
            dropped += if keep { 0 } else { weigh(session, past) };
            keep
        });
        if waiting.is_empty() {
            self.by_session.remove(session);
        }
        self.bytes -= dropped;
    }
}

/// The bytes of a note. The name of its session counts with each.
fn weigh((user, session): &(Id, Id), past: &SearchRecord) -> usize {
    let names = weight::text(user.as_str()) + weight::text(session.as_str());
    weight::SLOT + names + 2 * size_of::<(u64, SearchRecord)>() + weight_of_discovery(past)
}

impl PendingDiscoveries {
    /// Adds a note, if there is room. Returns true for the first of its session: the caller must then schedule a flush.
    pub(super) fn add(&self, session: &(Id, Id), past: SearchRecord) -> bool {
        let mut notes = self.lock();
        let bytes = weigh(session, &past);
        if notes.bytes + bytes > NOTES_BYTES {
            return false;
        }
        notes.bytes += bytes;
        notes.last += 1;
        let number = notes.last;
        let waiting = notes.by_session.entry(session.clone()).or_default();
        waiting.push_back((number, past));
        let (is_first, oldest) = (waiting.len() == 1, waiting.front().map(|(oldest, _)| *oldest));
        if waiting.len() > DISCOVERIES {
            notes.drop_if(session, |number| Some(number) == oldest);
        }
        is_first
    }

    /// The user and session of all notes.
    pub(super) fn sessions(&self) -> Vec<(Id, Id)> {
        self.lock().by_session.keys().cloned().collect()
    }

    /// The notes of a session, oldest first, and the number of the last.
    pub(super) fn for_session(&self, session: &(Id, Id)) -> (Vec<SearchRecord>, u64) {
        let notes = self.lock();
        let waiting = notes.by_session.get(session);
        let past = waiting.into_iter().flatten().map(|(_, past)| past.clone()).collect();
        (past, waiting.and_then(|waiting| waiting.back()).map_or(0, |(number, _)| *number))
    }

    /// Drops the notes up to number `last`, which are written.
    pub(super) fn drop_through(&self, session: &(Id, Id), last: u64) {
        self.lock().drop_if(session, |number| number <= last);
    }

    fn lock(&self) -> MutexGuard<'_, Notes> {
        self.notes.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;

    use super::*;

    fn name(number: usize) -> (Id, Id) {
        (Id::parse("u").unwrap(), Id::parse(&format!("s{number}")).unwrap())
    }

    fn past(query: &str) -> SearchRecord {
        SearchRecord::new(query, Vec::new(), 0, Timestamp::UNIX_EPOCH)
    }

    #[test]
    fn notes_that_wait_stay_within_their_bytes_and_what_is_written_makes_room() {
        let pending = PendingDiscoveries::default();
        let long = "q".repeat(500);
        let sessions = (0..100_000).map(name).take_while(|session| pending.add(session, past(&long))).count();
        assert!(sessions > 1000 && sessions * 500 < NOTES_BYTES, "{sessions}");
        for number in 0..sessions {
            pending.drop_through(&name(number), u64::MAX);
        }
        assert_eq!(pending.lock().bytes, 0);
        assert!(pending.add(&name(0), past(&long)));
    }

    #[test]
    fn a_session_keeps_its_last_notes_and_only_the_first_of_them_is_told() {
        let pending = PendingDiscoveries::default();
        let firsts = (0..DISCOVERIES + 5).filter(|number| pending.add(&name(0), past(&number.to_string()))).count();
        let (notes, last) = pending.for_session(&name(0));
        assert_eq!((firsts, notes.len(), notes[0].query.as_str()), (1, DISCOVERIES, "5"));
        pending.drop_through(&name(0), last - 1);
        assert_eq!(pending.for_session(&name(0)).0.len(), 1);
        assert_eq!(pending.lock().bytes, weigh(&name(0), &past("24")));
    }
}

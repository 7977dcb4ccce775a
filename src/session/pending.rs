//! Discoveries that wait for a change of their session to ride with, so that a search costs no write of its own.
//!
//! They are notes and not promises: what a crash or an outage takes is lost, and memory stays bounded because every
//! session's notes are fetched or given up within seconds of the first.

use std::{
    collections::{HashMap, VecDeque},
    sync::{Mutex, MutexGuard, PoisonError},
};

use super::PastDiscovery;
use crate::{limits::DISCOVERIES, path::Id};

/// The notes of each session that has any, by user and session.
#[derive(Debug, Default)]
pub(super) struct Pending {
    notes: Mutex<Notes>,
}

#[derive(Debug, Default)]
struct Notes {
    by_session: HashMap<(Id, Id), VecDeque<(u64, PastDiscovery)>>,
    /// The number of the last note.
    last: u64,
}

impl Pending {
    /// Notes one; true where it is the first of its session, so that somebody must see to it that it does not wait for
    /// ever.
    pub(super) fn add(&self, session: &(Id, Id), past: PastDiscovery) -> bool {
        let mut notes = self.lock();
        notes.last += 1;
        let number = notes.last;
        let waiting = notes.by_session.entry(session.clone()).or_default();
        waiting.push_back((number, past));
        if waiting.len() > DISCOVERIES {
            waiting.pop_front();
        }
        waiting.len() == 1
    }

    /// The sessions that have any, each after its user.
    pub(super) fn sessions(&self) -> Vec<(Id, Id)> {
        self.lock().by_session.keys().cloned().collect()
    }

    /// What a session has, oldest first, and the number of the last of them.
    pub(super) fn of(&self, session: &(Id, Id)) -> (Vec<PastDiscovery>, u64) {
        let notes = self.lock();
        let waiting = notes.by_session.get(session);
        let past = waiting.into_iter().flatten().map(|(_, past)| past.clone()).collect();
        (past, waiting.and_then(|waiting| waiting.back()).map_or(0, |(number, _)| *number))
    }

    /// Drops those up to the note `last`, because they are written.
    pub(super) fn drop_through(&self, session: &(Id, Id), last: u64) {
        let mut notes = self.lock();
        if let Some(waiting) = notes.by_session.get_mut(session) {
            waiting.retain(|(number, _)| *number > last);
            if waiting.is_empty() {
                notes.by_session.remove(session);
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, Notes> {
        self.notes.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

//! Records that wait to be written, as a value: which batch they are in, when it is due, and who waits for it.
//!
//! The owner of a trail is a user, a team or the organisation.

use std::{
    collections::{HashMap, HashSet, VecDeque, hash_map::Entry},
    sync::Arc,
    time::Duration,
};

use jiff::{SignedDuration, Timestamp};
use tokio::sync::{Notify, oneshot};

use super::{
    batch::{BatchName, Position},
    waiting::Batch,
};
use crate::{
    error::Result,
    limits::{AUDIT_BATCH_RECORDS, AUDIT_RETRY, AUDIT_WAITING_BYTES},
    path::LayerOwner,
};

/// Receives the result of a batch.
pub(super) type Waiter = oneshot::Sender<Result<()>>;

/// The waiting records of all owners.
#[derive(Debug)]
pub(super) struct RecordBuffers {
    by_owner: HashMap<LayerOwner, Journal>,
    /// How many changes of each owner are under way. A change that is the only one waits for no group.
    under_way: HashMap<LayerOwner, usize>,
    /// The users who are being deleted: nothing of them is written any more.
    left: HashSet<LayerOwner>,
    /// The bytes of all lines.
    bytes: usize,
    /// When the last batch was begun: two never have one name.
    last: Timestamp,
    replica: String,
}

/// The waiting records of one owner.
#[derive(Debug, Default)]
struct Journal {
    wake: Arc<Notify>,
    batches: VecDeque<Batch>,
    /// The batch that is being written, and its bytes.
    writing: Option<(BatchName, usize)>,
    waiters: Vec<(BatchName, Waiter)>,
}

/// A record that was added.
pub(super) struct BufferedRecord {
    pub(super) position: Position,
    /// Whether the writer of this owner has to be begun.
    pub(super) is_first: bool,
}

/// The next step of a writer.
pub(super) enum Next {
    Write(Batch),
    Wait(Duration),
    /// Nothing is left; the next record begins a new writer.
    End,
}

/// The moment at which something happens: the time of day, and the time since the process began.
#[derive(Clone, Copy, Debug)]
pub(super) struct ClockReading {
    pub(super) now: Timestamp,
    pub(super) uptime: Duration,
}

impl RecordBuffers {
    pub(super) fn new(replica: String) -> Self {
        Self {
            by_owner: HashMap::new(),
            under_way: HashMap::new(),
            left: HashSet::new(),
            bytes: 0,
            last: Timestamp::UNIX_EPOCH,
            replica,
        }
    }

    pub(super) fn replica(&self) -> &str {
        &self.replica
    }

    /// The bytes that wait.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    /// A change of `user` has begun.
    pub(super) fn begin_change(&mut self, owner: &LayerOwner) {
        *self.under_way.entry(owner.clone()).or_default() += 1;
    }

    /// A change of `user` has ended. After the last change, a gathering group waits no longer.
    pub(super) fn end_change(&mut self, owner: &LayerOwner) {
        if let Entry::Occupied(mut count) = self.under_way.entry(owner.clone()) {
            *count.get_mut() -= 1;
            if *count.get() == 0 {
                count.remove();
                if let Some(journal) = self.by_owner.get(owner) {
                    journal.wake.notify_one();
                }
            }
        }
    }

    /// Drops what waits of a user who is being deleted, and takes nothing more. Returns those who wait for it.
    pub(super) fn leave(&mut self, owner: &LayerOwner) -> Vec<Waiter> {
        self.left.insert(owner.clone());
        let Some(journal) = self.by_owner.get_mut(owner) else { return Vec::new() };
        let dropped: Vec<Batch> = journal.batches.drain(..).collect();
        journal.wake.notify_one();
        self.bytes -= dropped.iter().map(Batch::record_bytes).sum::<usize>();
        dropped.iter().flat_map(|batch| self.settle(owner, &batch.name)).collect()
    }

    /// Takes records of a user again: the deletion is done.
    pub(super) fn come_back(&mut self, owner: &LayerOwner) {
        self.left.remove(owner);
    }

    /// Whether the user is being deleted.
    pub(super) fn has_left(&self, owner: &LayerOwner) -> bool {
        self.left.contains(owner)
    }

    /// Adds a record; `None` if there is no room. `waiter` learns of its batch, which is then urgent.
    pub(super) fn add(
        &mut self,
        owner: &LayerOwner,
        line: &[u8],
        at: ClockReading,
        is_urgent: bool,
        waiter: Option<Waiter>,
    ) -> Option<BufferedRecord> {
        if self.bytes + line.len() > AUDIT_WAITING_BYTES {
            return None;
        }
        self.bytes += line.len();
        let is_first = !self.by_owner.contains_key(owner);
        let has_open =
            self.by_owner.get(owner).and_then(|journal| journal.batches.back()).is_some_and(|b| b.is_open(at.uptime));
        let fresh = if has_open { None } else { Some(Batch::new(self.new_name(at.now), at.uptime)) };
        let journal = self.by_owner.entry(owner.clone()).or_default();
        journal.batches.extend(fresh);
        let batch = journal.batches.back_mut()?;
        batch.text.extend_from_slice(line);
        batch.records += 1;
        let position = Position { batch: batch.name.clone(), place: batch.records };
        if is_urgent || waiter.is_some() {
            batch.urgent.get_or_insert(at.uptime);
        }
        journal.waiters.extend(waiter.map(|waiter| (position.batch.clone(), waiter)));
        if batch.urgent.is_some() || batch.records >= AUDIT_BATCH_RECORDS {
            journal.wake.notify_one();
        }
        Some(BufferedRecord { position, is_first })
    }

    /// The next step of the writer of an owner. A batch that is to be written is taken out.
    pub(super) fn next(&mut self, owner: &LayerOwner, uptime: Duration) -> Next {
        let gathers = self.under_way.contains_key(owner);
        let Some(journal) = self.by_owner.get_mut(owner) else { return Next::End };
        let soonest = journal.batches.iter().enumerate().map(|(at, batch)| (batch.wait(uptime, gathers), at)).min();
        match soonest {
            None => {
                self.by_owner.remove(owner);
                Next::End
            }
            Some((Duration::ZERO, at)) => match journal.batches.remove(at) {
                None => Next::End,
                Some(batch) => {
                    journal.writing = Some((batch.name.clone(), batch.text.len()));
                    Next::Write(batch)
                }
            },
            Some((wait, _)) => Next::Wait(wait),
        }
    }

    /// A batch was written: those who wait for it.
    pub(super) fn written(&mut self, owner: &LayerOwner, batch: &Batch) -> Vec<Waiter> {
        self.bytes -= batch.record_bytes();
        self.settle(owner, &batch.name)
    }

    /// A batch is not to be written. Returns those who wait for it.
    pub(super) fn discard(&mut self, owner: &LayerOwner, batch: &Batch) -> Vec<Waiter> {
        self.bytes -= batch.record_bytes();
        self.settle(owner, &batch.name)
    }

    /// A batch was not written, and is tried again later. If the store certainly lacks the batch, the batch gets a new
    /// name. So readers that go on from now find it. Returns those who wait for it.
    pub(super) fn failed(
        &mut self,
        owner: &LayerOwner,
        mut batch: Batch,
        is_absent: bool,
        at: ClockReading,
    ) -> Vec<Waiter> {
        if self.has_left(owner) {
            return self.discard(owner, &batch);
        }
        let waiters = self.settle(owner, &batch.name);
        if is_absent && !batch.is_doubtful {
            batch.name = self.new_name(at.now);
        }
        batch.is_doubtful |= !is_absent;
        batch.urgent = None;
        batch.retry = Some(at.uptime + AUDIT_RETRY);
        if let Some(journal) = self.by_owner.get_mut(owner) {
            journal.batches.push_front(batch);
        }
        waiters
    }

    /// Gives a batch that is being written the name of this moment. The waiters of the batch wait for the new name.
    pub(super) fn rename(&mut self, owner: &LayerOwner, batch: &mut Batch, now: Timestamp) {
        let old = std::mem::replace(&mut batch.name, self.new_name(now));
        if let Some(journal) = self.by_owner.get_mut(owner) {
            for (name, _) in journal.waiters.iter_mut().filter(|(name, _)| *name == old) {
                name.clone_from(&batch.name);
            }
            if let Some((name, _)) = journal.writing.as_mut().filter(|(name, _)| *name == old) {
                name.clone_from(&batch.name);
            }
        }
        if std::mem::take(&mut batch.is_doubtful) {
            batch.earlier.push(old);
        }
    }

    fn settle(&mut self, owner: &LayerOwner, name: &BatchName) -> Vec<Waiter> {
        let Some(journal) = self.by_owner.get_mut(owner) else { return Vec::new() };
        journal.writing.take_if(|(writing, _)| writing == name);
        let (done, waiting) = std::mem::take(&mut journal.waiters).into_iter().partition(|(of, _)| of == name);
        journal.waiters = waiting;
        let done: Vec<(BatchName, Waiter)> = done;
        done.into_iter().map(|(_, waiter)| waiter).collect()
    }

    /// Makes all that waits of an owner urgent, and returns what learns of each batch.
    pub(super) fn hurry(&mut self, owner: &LayerOwner) -> Vec<oneshot::Receiver<Result<()>>> {
        let Some(journal) = self.by_owner.get_mut(owner) else { return Vec::new() };
        for batch in &mut journal.batches {
            batch.urgent = Some(Duration::ZERO);
            batch.retry = None;
        }
        journal.wake.notify_one();
        let names = journal.batches.iter().map(|batch| &batch.name).chain(journal.writing.iter().map(|(name, _)| name));
        let names: Vec<BatchName> = names.cloned().collect();
        let wait = |name| {
            let (waiter, done) = oneshot::channel();
            journal.waiters.push((name, waiter));
            done
        };
        names.into_iter().map(wait).collect()
    }

    /// The owners of whom something waits.
    pub(super) fn owners(&self) -> Vec<LayerOwner> {
        self.by_owner.keys().cloned().collect()
    }

    /// The notification that wakes the writer of an owner, if there is a writer.
    pub(super) fn wake(&self, owner: &LayerOwner) -> Option<Arc<Notify>> {
        self.by_owner.get(owner).map(|journal| Arc::clone(&journal.wake))
    }

    fn new_name(&mut self, now: Timestamp) -> BatchName {
        let next = self.last.checked_add(SignedDuration::from_micros(1)).unwrap_or(now);
        self.last = now.max(next);
        BatchName::new(self.last, &self.replica)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        limits::{AUDIT_BATCH_AGE, AUDIT_GROUP},
        path::Id,
    };

    fn at(seconds: u64) -> ClockReading {
        let uptime = Duration::from_secs(seconds);
        ClockReading { now: Timestamp::from_second(1_700_000_000 + i64::try_from(seconds).unwrap()).unwrap(), uptime }
    }

    fn user() -> LayerOwner {
        LayerOwner::User(Id::parse("u1").unwrap())
    }

    fn add(journals: &mut RecordBuffers, seconds: u64) -> Position {
        journals.add(&user(), b"{}\n", at(seconds), false, None).unwrap().position
    }

    #[test]
    fn a_batch_takes_its_most_records_and_is_due_then_or_at_its_age() {
        let mut journals = RecordBuffers::new("00000000".to_owned());
        let first = add(&mut journals, 1);
        for place in 2..=AUDIT_BATCH_RECORDS {
            assert!(matches!(journals.next(&user(), at(1).uptime), Next::Wait(_)));
            assert_eq!(add(&mut journals, 1), Position { batch: first.batch.clone(), place });
        }
        let second = add(&mut journals, 1);
        assert!(second.batch > first.batch && second.place == 1);
        let Next::Write(full) = journals.next(&user(), at(1).uptime) else { panic!() };
        assert_eq!((full.records, &full.name), (AUDIT_BATCH_RECORDS, &first.batch));
        journals.written(&user(), &full);
        let age = AUDIT_BATCH_AGE.as_secs();
        assert!(matches!(journals.next(&user(), at(age).uptime), Next::Wait(wait) if wait == Duration::from_secs(1)));
        let third = add(&mut journals, 1 + age);
        assert!(third.batch > second.batch, "a batch that is due takes no record more");
        for _ in 0..2 {
            let Next::Write(batch) = journals.next(&user(), at(1 + 2 * age).uptime) else { panic!() };
            journals.written(&user(), &batch);
        }
        assert!(matches!(journals.next(&user(), at(0).uptime), Next::End));
        assert_eq!((journals.bytes(), journals.owners().len()), (0, 0));
    }

    #[test]
    fn what_fails_is_tried_again_and_newer_changes_do_not_wait_for_it() {
        let mut journals = RecordBuffers::new("00000000".to_owned());
        let (waiter, mut learns) = oneshot::channel();
        journals.add(&user(), b"{}\n", at(1), true, Some(waiter)).unwrap();
        let Next::Write(batch) = journals.next(&user(), at(2).uptime) else { panic!() };
        let name = batch.name.clone();
        for waiter in journals.failed(&user(), batch, true, at(2)) {
            waiter.send(Ok(())).unwrap();
        }
        assert!(learns.try_recv().is_ok());
        let (waiter, _learns) = oneshot::channel();
        journals.add(&user(), b"{}\n", at(2), true, Some(waiter)).unwrap();
        let Next::Write(newer) = journals.next(&user(), at(3).uptime) else { panic!() };
        assert_eq!(newer.records, 1);
        journals.written(&user(), &newer);
        let Next::Wait(wait) = journals.next(&user(), at(3).uptime) else { panic!() };
        assert_eq!(wait, AUDIT_RETRY.checked_sub(Duration::from_secs(1)).unwrap());
        assert_eq!(journals.hurry(&user()).len(), 1);
        let Next::Write(again) = journals.next(&user(), at(3).uptime) else { panic!() };
        assert!(again.name > name, "it lies where who reads on from now finds it");
    }

    #[test]
    fn a_change_waits_for_a_group_only_while_others_are_under_way() {
        let mut journals = RecordBuffers::new("00000000".to_owned());
        let urgent = |journals: &mut RecordBuffers| journals.add(&user(), b"{}\n", at(1), true, None).map(drop);
        journals.begin_change(&user());
        urgent(&mut journals).unwrap();
        assert!(matches!(journals.next(&user(), at(1).uptime), Next::Wait(AUDIT_GROUP)), "another may share its batch");
        journals.end_change(&user());
        let Next::Write(batch) = journals.next(&user(), at(1).uptime) else { panic!("it is alone") };
        journals.written(&user(), &batch);
    }

    #[test]
    fn nothing_of_a_user_who_is_deleted_is_written_and_what_comes_after_is() {
        let mut journals = RecordBuffers::new("00000000".to_owned());
        let (waiter, mut learns) = oneshot::channel();
        add(&mut journals, 1);
        journals.add(&user(), b"{}\n", at(1), true, Some(waiter)).unwrap();
        assert_eq!(journals.leave(&user()).len(), 1, "the one who waits learns of it");
        assert!(matches!(journals.next(&user(), at(100).uptime), Next::End));
        assert_eq!(journals.bytes(), 0);
        assert!(learns.try_recv().is_err());
        journals.come_back(&user());
        add(&mut journals, 2);
        let Next::Write(batch) = journals.next(&user(), at(100).uptime) else { panic!() };
        journals.leave(&user());
        journals.failed(&user(), batch, true, at(100));
        assert!(matches!(journals.next(&user(), at(200).uptime), Next::End), "what failed is not tried again");
        assert_eq!(journals.bytes(), 0);
    }

    // S-LIMIT-1: Every limit stands in `crates/base/src/limits/`; the service takes n and refuses n + 1.
    #[test]
    fn what_waits_stays_within_its_bytes_and_what_is_written_makes_room() {
        let mut journals = RecordBuffers::new("00000000".to_owned());
        let mut add = |bytes: usize| journals.add(&user(), &vec![b'x'; bytes], at(1), true, None).is_some();
        assert!(add(AUDIT_WAITING_BYTES - 1) && add(1) && !add(1));
        let Next::Write(batch) = journals.next(&user(), at(2).uptime) else { panic!() };
        journals.written(&user(), &batch);
        assert_eq!(journals.bytes(), 0);
    }
}

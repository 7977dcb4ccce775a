//! Where events go as they happen: a channel for each user with a listener.

use std::{
    collections::{HashMap, VecDeque},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use jiff::Timestamp;
use tokio::{sync::broadcast, time::sleep};

use super::{event::requested_approval, log::looked_since, report::EventReport};
use crate::{
    limits::{EVENTS_PAUSE, EVENTS_WAITING, REQUESTS_REMEMBERED},
    path::Id,
};

/// Whether a task looks for the events of other replicas. A listener holds the lock while it begins such a task, so a
/// user has one task and listeners of other users do not wait. Each channel has its own lock. A task recognises its
/// channel by the lock, also after a later channel of the same user began.
pub(super) type FollowLock = Arc<tokio::sync::Mutex<bool>>;

/// The channel of one user.
#[derive(Debug)]
struct Channel {
    sender: broadcast::Sender<Arc<EventReport>>,
    followed: FollowLock,
    /// When the records of other replicas were looked at. Records that came into the store later were not sent.
    looked: Timestamp,
    /// The permission requests that were sent, the oldest first. Records and sessions both report them.
    told: VecDeque<String>,
}

impl Channel {
    /// Sends an event, unless it is a permission request that was sent before.
    fn send(&mut self, report: EventReport) {
        if let Some(request) = requested_approval(&report.event) {
            if self.told.iter().any(|told| told == request) {
                return;
            }
            self.told.push_back(request.to_owned());
            self.told.drain(..self.told.len().saturating_sub(REQUESTS_REMEMBERED));
        }
        // The last listener may just have left.
        let _ = self.sender.send(Arc::new(report));
    }
}

/// The channels. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub(super) struct Channels(Arc<Mutex<HashMap<Id, Channel>>>);

/// Removes the channel of a user on drop, if the channel has no listener. A listener that fails to begin leaves no
/// channel behind.
#[derive(Debug)]
pub(super) struct ChannelCleanup {
    channels: Channels,
    user: Id,
    followed: FollowLock,
}

impl Drop for ChannelCleanup {
    fn drop(&mut self) {
        self.channels.is_over(&self.user, &self.followed);
    }
}

impl Channels {
    /// Returns a receiver of the events of `user` from `now` on, and whether the events of other replicas are looked for.
    pub(super) fn listen(&self, user: &Id, now: Timestamp) -> (broadcast::Receiver<Arc<EventReport>>, FollowLock) {
        let mut channels = self.lock();
        if let Some(channel) = channels.get(user) {
            return (channel.sender.subscribe(), Arc::clone(&channel.followed));
        }
        let (sender, receiver) = broadcast::channel(EVENTS_WAITING);
        let followed = FollowLock::default();
        let channel = Channel { sender, followed: Arc::clone(&followed), looked: now, told: VecDeque::new() };
        channels.insert(user.clone(), channel);
        (receiver, followed)
    }

    /// The cleanup behind a listener of `user` that fails to begin.
    pub(super) fn tidied(&self, user: &Id, followed: &FollowLock) -> ChannelCleanup {
        ChannelCleanup { channels: self.clone(), user: user.clone(), followed: Arc::clone(followed) }
    }

    fn sender(&self, user: &Id) -> Option<broadcast::Sender<Arc<EventReport>>> {
        self.lock().get(user).map(|channel| channel.sender.clone())
    }

    /// Notes that the records of other replicas that were in the store at `looked` were sent by the channel that `followed`
    /// belongs to.
    pub(super) fn has_looked(&self, user: &Id, followed: &FollowLock, looked: Timestamp) {
        let mut channels = self.lock();
        if let Some(channel) = channels.get_mut(user).filter(|channel| Arc::ptr_eq(&channel.followed, followed)) {
            channel.looked = looked;
        }
    }

    /// Whether a listener of `user` goes on from an event of a batch of `time` without missing records of other replicas. It would
    /// miss some if they could not be read for a while.
    pub(super) fn goes_on_from(&self, user: &Id, time: Timestamp) -> bool {
        self.lock().get(user).is_none_or(|channel| channel.looked >= looked_since(time))
    }

    /// Sends the events that `make` returns to each listener of `user`. Does not call `make` if there is no listener.
    pub(super) fn send_each<E: IntoIterator<Item = EventReport>>(&self, user: &Id, make: impl FnOnce() -> E) {
        if self.sender(user).is_none_or(|sender| sender.receiver_count() == 0) {
            return;
        }
        for report in make() {
            self.send(user, report);
        }
    }

    /// Sends events as fast as all listeners take them, because more may come than a listener's buffer holds. While the
    /// buffer of the slowest listener is half full, the sender pauses and decrements `pauses`. At 0 the sender pauses
    /// once for each half buffer of events, so other listeners can still read.
    pub(super) async fn send_at_pace(&self, user: &Id, events: Vec<EventReport>, pauses: &mut usize) {
        for (number, report) in events.into_iter().enumerate() {
            let Some(sender) = self.sender(user) else { return };
            if *pauses == 0 && number % (EVENTS_WAITING / 2) == 0 {
                sleep(EVENTS_PAUSE).await;
            }
            while sender.len() >= EVENTS_WAITING / 2 && *pauses > 0 {
                *pauses -= 1;
                sleep(EVENTS_PAUSE).await;
            }
            self.send(user, report);
        }
    }

    fn send(&self, user: &Id, report: EventReport) {
        if let Some(channel) = self.lock().get_mut(user) {
            channel.send(report);
        }
    }

    /// Ends the listeners of `user`: they receive what was sent before, and then no more.
    pub(super) fn leave(&self, user: &Id) {
        self.lock().remove(user);
    }

    /// Whether the channel of `user` that `followed` belongs to has no listener any more. It is removed then.
    pub(super) fn is_over(&self, user: &Id, followed: &FollowLock) -> bool {
        let mut channels = self.lock();
        let channel = channels.get(user).filter(|channel| Arc::ptr_eq(&channel.followed, followed));
        let Some(channel) = channel else { return true };
        let is_over = channel.sender.receiver_count() == 0;
        if is_over {
            channels.remove(user);
        }
        is_over
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Id, Channel>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::AuditRecord;

    #[test]
    fn a_task_of_a_channel_that_is_gone_ends_though_its_user_has_a_new_one() {
        let (channels, user) = (Channels::default(), Id::parse("u1").unwrap());
        let (first, followed) = channels.listen(&user, Timestamp::UNIX_EPOCH);
        assert!(!channels.is_over(&user, &followed));
        drop((first, channels.tidied(&user, &followed)));
        let (_second, other) = channels.listen(&user, Timestamp::UNIX_EPOCH);
        assert!(channels.is_over(&user, &followed));
        assert!(!channels.is_over(&user, &other), "and takes no listener along");
    }

    // S-LIMIT-1: Every limit stands in `crates/base/src/limits/`; the service takes n and refuses n + 1.
    #[test]
    fn so_many_permission_requests_are_remembered_to_have_been_sent() {
        let (channels, user) = (Channels::default(), Id::parse("u1").unwrap());
        let (mut listener, _) = channels.listen(&user, Timestamp::UNIX_EPOCH);
        let mut sent = |number: usize| {
            let approval = Some(format!("{number:032x}"));
            let record = AuditRecord { operation: "write".to_owned(), approval, ..AuditRecord::default() };
            channels.send_each(&user, || EventReport::unrecorded(&record));
            listener.try_recv().is_ok()
        };
        assert!((0..REQUESTS_REMEMBERED).all(&mut sent));
        assert!(!sent(0), "it is among the last");
        assert!(sent(REQUESTS_REMEMBERED));
        assert!(!sent(1) && sent(0), "and now it is not");
    }
}

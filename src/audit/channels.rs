//! Where events go as they happen: a channel for each user with a listener.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use tokio::{sync::broadcast, time::sleep};

use super::event::Event;
use crate::{
    limits::{EVENTS_PAUSE, EVENTS_PAUSES, EVENTS_WAITING},
    path::Id,
};

/// The channels. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub(super) struct Channels(Arc<Mutex<HashMap<Id, broadcast::Sender<Arc<Event>>>>>);

impl Channels {
    /// Returns a receiver of the events of `user` from now on, and whether this is the first listener. The caller that made the
    /// first listener looks for the events of other replicas.
    pub(super) fn listen(&self, user: &Id) -> (broadcast::Receiver<Arc<Event>>, bool) {
        let mut channels = self.lock();
        if let Some(sender) = channels.get(user) {
            return (sender.subscribe(), false);
        }
        let (sender, receiver) = broadcast::channel(EVENTS_WAITING);
        channels.insert(user.clone(), sender);
        (receiver, true)
    }

    /// Sends the events that `make` returns to each listener of `user`. Does not call `make` if there is no listener.
    pub(super) fn tell<E: IntoIterator<Item = Event>>(&self, user: &Id, make: impl FnOnce() -> E) {
        let sender = self.lock().get(user).cloned();
        if let Some(sender) = sender.filter(|sender| sender.receiver_count() > 0) {
            for event in make() {
                // The last listener may just have left.
                let _ = sender.send(Arc::new(event));
            }
        }
    }

    /// Sends events of which there may be more than wait for one listener, as fast as all listeners take them. A listener that
    /// takes none for a second is waited for no longer.
    pub(super) async fn tell_at_pace(&self, user: &Id, events: Vec<Event>) {
        let mut patience = EVENTS_PAUSES;
        for event in events {
            let Some(sender) = self.lock().get(user).cloned() else { return };
            while sender.len() >= EVENTS_WAITING / 2 && patience > 0 {
                patience -= 1;
                sleep(EVENTS_PAUSE).await;
            }
            // The last listener may just have left.
            let _ = sender.send(Arc::new(event));
        }
    }

    /// Ends the listeners of `user`: they receive what was sent before, and then no more.
    pub(super) fn leave(&self, user: &Id) {
        self.lock().remove(user);
    }

    /// Whether `user` has no listener any more. The channel is removed then.
    pub(super) fn is_over(&self, user: &Id) -> bool {
        let mut channels = self.lock();
        let is_over = channels.get(user).is_none_or(|sender| sender.receiver_count() == 0);
        if is_over {
            channels.remove(user);
        }
        is_over
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Id, broadcast::Sender<Arc<Event>>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

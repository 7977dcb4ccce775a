//! Reports of progress to a caller that shows it.

use tokio::sync::watch;

use super::{Progress, SessionBackend};

impl SessionBackend {
    /// The same handle, which sends to `listener` how far its searches are.
    #[must_use]
    pub fn reporting_to(mut self, listener: watch::Sender<Progress>) -> Self {
        self.listener = Some(listener);
        self
    }

    pub(super) fn report(&self, done: usize, total: usize) {
        if let Some(listener) = &self.listener {
            listener.send_replace(Progress { done, total });
        }
    }
}

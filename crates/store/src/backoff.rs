//! Pauses between attempts: they double, with jitter, and never pass the operation's deadline.

use std::{sync::Arc, time::Duration};

use tokio::time::{Instant, sleep};

use skillmount_base::clock::Clock;

/// The pauses of one operation.
#[derive(Debug)]
pub(super) struct Backoff {
    clock: Arc<dyn Clock>,
    next: Duration,
    longest: Duration,
    deadline: Instant,
}

impl Backoff {
    /// Pauses that begin at `first` and double up to `longest`; none ends after `deadline`.
    pub(super) fn new(clock: Arc<dyn Clock>, first: Duration, longest: Duration, deadline: Instant) -> Self {
        Self { clock, next: first, longest, deadline }
    }

    /// Pauses, and returns whether there is time for another attempt. `false` comes at once.
    pub(super) async fn pause(&mut self) -> bool {
        if Instant::now() + self.next >= self.deadline {
            return false;
        }
        sleep(self.jittered()).await;
        self.next = (self.next * 2).min(self.longest);
        true
    }

    /// Between half of the next pause and all of it, so that rivals do not meet again.
    fn jittered(&self) -> Duration {
        let dice = u32::try_from(self.clock.random() & 0xffff).unwrap_or(0);
        self.next / 2 + self.next * dice / (2 * 0x1_0000)
    }
}

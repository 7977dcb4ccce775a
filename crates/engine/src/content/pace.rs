//! The pace of background requests: one after the other, with a pause before each.

use std::time::Duration;

/// The pause before each request; none for a caller who waits.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct RequestPace(Option<Duration>);

impl RequestPace {
    /// For a caller who waits.
    pub(crate) const NONE: Self = Self(None);

    /// A pace with this pause.
    pub(crate) const fn with_pause(pause: Duration) -> Self {
        Self(Some(pause))
    }

    /// Whether requests are made one after the other.
    pub(crate) const fn is_slow(self) -> bool {
        self.0.is_some()
    }

    /// Waits for the length of the pause.
    pub(crate) async fn rest(self) {
        if let Some(pause) = self.0 {
            tokio::time::sleep(pause).await;
        }
    }
}

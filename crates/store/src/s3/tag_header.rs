//! Tags as a put carries them, and whether it may.

use std::sync::{Mutex, MutexGuard, PoisonError};

use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use tokio::time::Instant;

use crate::Tags;
use skillmount_base::limits::TAGS_REFUSED;

/// Whether the bucket refuses tags, as far as this process has found out of late: its owner may allow them meanwhile.
#[derive(Debug, Default)]
pub(super) struct TagRefusals {
    since: Mutex<Option<Instant>>,
}

impl TagRefusals {
    /// Whether the bucket is known to refuse tags.
    pub(super) fn are_known(&self) -> bool {
        self.since().is_some_and(|since| since.elapsed() < TAGS_REFUSED)
    }

    /// Notes that the bucket refuses tags; true if that is new.
    pub(super) fn record(&self) -> bool {
        self.since().replace(Instant::now()).is_none()
    }

    fn since(&self) -> MutexGuard<'_, Option<Instant>> {
        self.since.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The tags in the form of a header: as the query of a URL.
pub(super) fn header(tags: &Tags) -> Option<String> {
    let encoded = |text: &String| utf8_percent_encode(text, NON_ALPHANUMERIC).to_string();
    let pair = |(name, value): (&String, &String)| format!("{}={}", encoded(name), encoded(value));
    (!tags.is_empty()).then(|| tags.iter().map(pair).collect::<Vec<_>>().join("&"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn tags_are_tried_again_after_a_while() {
        let refusals = TagRefusals::default();
        assert!(!refusals.are_known() && refusals.record() && refusals.are_known());
        tokio::time::advance(TAGS_REFUSED).await;
        assert!(!refusals.are_known() && !refusals.record() && refusals.are_known(), "the log says it once");
    }

    #[test]
    fn tags_are_a_query() {
        let tags = [("skillmount", "session"), ("a b", "c&d")].map(|(name, value)| (name.to_owned(), value.to_owned()));
        assert_eq!(header(&tags.into()).unwrap(), "a%20b=c%26d&skillmount=session");
        assert_eq!(header(&Tags::new()), None);
    }
}

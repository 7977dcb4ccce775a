//! Tags as a put carries them, and whether it may.

use std::sync::atomic::{AtomicBool, Ordering};

use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};

use crate::store::Tags;

/// Whether the bucket refuses tags, as far as this process has found out.
#[derive(Debug, Default)]
pub(super) struct TagRefusals {
    refuses: AtomicBool,
}

impl TagRefusals {
    /// Whether the bucket is known to refuse tags.
    pub(super) fn are_known(&self) -> bool {
        self.refuses.load(Ordering::Relaxed)
    }

    /// Notes that the bucket refuses tags; true if that is new.
    pub(super) fn note(&self) -> bool {
        !self.refuses.swap(true, Ordering::Relaxed)
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

    #[test]
    fn tags_are_a_query() {
        let tags = [("skillmount", "session"), ("a b", "c&d")].map(|(name, value)| (name.to_owned(), value.to_owned()));
        assert_eq!(header(&tags.into()).unwrap(), "a%20b=c%26d&skillmount=session");
        assert_eq!(header(&Tags::new()), None);
    }
}

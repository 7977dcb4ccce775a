//! When something that is made now stops working, as people type it.

use jiff::{Span, SpanRelativeTo, Timestamp};

use crate::error::Result;

/// A time, or how long from `now`; a day has 24 hours.
pub(super) fn expiry(text: &str, now: Timestamp) -> Result<Timestamp> {
    let refused =
        || invalid!("{text:?} is not a time to come: use one like 2027-01-31T00:00:00Z, or how long, like 90d");
    let later = || {
        let span: Span = text.parse().ok()?;
        now.checked_add(span.to_duration(SpanRelativeTo::days_are_24_hours()).ok()?).ok()
    };
    let time = text.parse().ok().or_else(later).ok_or_else(refused)?;
    if time > now { Ok(time) } else { Err(refused()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_ends_at_a_time_or_after_one() {
        let now: Timestamp = "2026-11-22T10:00:00Z".parse().unwrap();
        let ends = |text| expiry(text, now).map(|time| time.to_string()).ok();
        assert_eq!(ends("2027-01-31T00:00:00Z").as_deref(), Some("2027-01-31T00:00:00Z"));
        assert_eq!(ends("90d").as_deref(), Some("2027-02-20T10:00:00Z"));
        assert_eq!(ends("12h").as_deref(), Some("2026-11-22T22:00:00Z"));
        for wrong in ["", "soon", "2020-01-01T00:00:00Z", "-1d", "90"] {
            assert_eq!(ends(wrong), None, "{wrong}");
        }
    }
}

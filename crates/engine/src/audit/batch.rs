//! Names of batches, and of the records in them.
//!
//! The name of a batch has its start time and its writing process, so listings have batches in the order of time. A
//! record's position is its batch and its place in the batch. A position means the same to every replica.

use std::fmt;

use jiff::{Timestamp, civil::DateTime, tz::TimeZone};

use crate::error::{Code, Error, Result};

/// To the microsecond and of fixed length, so the order of bytes is the order of time.
const TIME: &str = "%Y%m%dT%H%M%S.%6fZ";
const TIME_BYTES: usize = "20260102T030405.000006Z".len();
const REPLICA_BYTES: usize = 8;

/// The name of a batch of records: `{time}-{replica}`.
///
/// ```
/// use skillmount_engine::audit::BatchName;
///
/// let name = BatchName::new("2026-01-02T03:04:05.000006Z".parse()?, "0a1b2c3d");
/// assert_eq!(name.to_string(), "20260102T030405.000006Z-0a1b2c3d");
/// assert_eq!(BatchName::parse("20260102T030405.000006Z-0a1b2c3d"), Some(name));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BatchName {
    time: Timestamp,
    replica: String,
}

impl BatchName {
    /// The batch that `replica`, 8 hexadecimal digits, began at `time`.
    #[must_use]
    pub fn new(time: Timestamp, replica: &str) -> Self {
        let time = Timestamp::from_microsecond(time.as_microsecond()).unwrap_or(time);
        Self { time, replica: replica.to_owned() }
    }

    /// Reads a name; `None` if it is none.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let (time, replica) = text.split_at_checked(TIME_BYTES)?;
        let replica = replica.strip_prefix('-').filter(|replica| {
            replica.len() == REPLICA_BYTES && replica.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
        })?;
        let time = DateTime::strptime(TIME, time).ok()?.to_zoned(TimeZone::UTC).ok()?.timestamp();
        let name = Self::new(time, replica);
        (name.to_string() == text).then_some(name)
    }

    /// When it was begun.
    #[must_use]
    pub fn time(&self) -> Timestamp {
        self.time
    }

    /// Which process writes it.
    #[must_use]
    pub fn replica(&self) -> &str {
        &self.replica
    }

    /// The text that the names of all batches from `time` on come after.
    #[must_use]
    pub fn before(time: Timestamp) -> String {
        time.strftime(TIME).to_string()
    }
}

impl fmt::Display for BatchName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.time.strftime(TIME), self.replica)
    }
}

/// Where a record is: its batch, and its place there from 1 on.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Position {
    /// Its batch.
    pub batch: BatchName,
    /// Its place.
    pub place: usize,
}

impl Position {
    /// Reads a position.
    ///
    /// # Errors
    /// `invalid_request` if the text is none.
    pub fn parse(text: &str) -> Result<Self> {
        let parts = text.rsplit_once('.').and_then(|(batch, place)| {
            let is_plain = !place.is_empty() && place.len() < 10 && place.bytes().all(|byte| byte.is_ascii_digit());
            Some(Self { batch: BatchName::parse(batch)?, place: place.parse().ok().filter(|_| is_plain)? })
        });
        parts.ok_or_else(|| {
            Error::new(
                Code::InvalidRequest,
                "that is no position in the audit log; send one back as a reply gave it, or none",
            )
        })
    }
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.batch, self.place)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_is_not_a_name_or_a_position_is_refused() {
        for text in [
            "",
            "20260102T030405.000006Z",
            "20260102T030405.000006Z-0A1B2C3D",
            "20260102T030405.6Z-0a1b2c3d000000",
            "20261302T030405.000006Z-0a1b2c3d",
            "20260102T030405.000006Z-0a1b2c3d/..",
            "é0260102T030405.000006Z-0a1b2c3d",
        ] {
            assert_eq!(BatchName::parse(text), None, "{text}");
        }
        for text in [
            "",
            ".",
            "20260102T030405.000006Z-0a1b2c3d",
            "20260102T030405.000006Z-0a1b2c3d.",
            "20260102T030405.000006Z-0a1b2c3d.+1",
        ] {
            assert_eq!(Position::parse(text).unwrap_err().code(), Code::InvalidRequest, "{text}");
        }
    }

    proptest! {
        #[test]
        fn the_order_of_names_is_that_of_time(one in 0..4_000_000_000_000_000_i64, two in 0..4_000_000_000_000_000_i64) {
            let name = |micros| BatchName::new(Timestamp::from_microsecond(micros).unwrap(), "00000000");
            prop_assert_eq!(name(one).to_string().cmp(&name(two).to_string()), one.cmp(&two));
            let position = Position { batch: name(one), place: 7 };
            prop_assert_eq!(Position::parse(&position.to_string()).unwrap(), position);
            prop_assert_eq!(name(two).to_string().as_str() > BatchName::before(name(one).time()).as_str(), two >= one);
        }
    }
}

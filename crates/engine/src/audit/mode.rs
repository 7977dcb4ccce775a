//! How much a service does for its audit records.

use std::{fmt, str::FromStr};

use crate::{
    error::{Code, Error, Result},
    limits::{AUDIT_RETENTION_DAYS, AUDIT_RETENTION_MOST_DAYS},
};

/// How much a service does for its audit records.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AuditMode {
    /// There are none. Listeners hear what happens in their process as it happens, and cannot ask for it again.
    Off,
    /// They are written in the background: a crash loses the records of the last minute.
    #[default]
    Async,
    /// A change is acknowledged once its record is in the store.
    Sync,
}

/// The options of a recorder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AuditOptions {
    /// How much it does for its records.
    pub mode: AuditMode,
    /// Days that records are kept, 1 at least.
    pub retention_days: u32,
}

impl From<AuditMode> for AuditOptions {
    /// In this mode, with records kept as long as the default says.
    fn from(mode: AuditMode) -> Self {
        Self { mode, retention_days: AUDIT_RETENTION_DAYS }
    }
}

impl AuditOptions {
    /// Records kept for `text` days.
    ///
    /// # Errors
    /// `invalid_request` if that is no number of days from 1 to [`AUDIT_RETENTION_MOST_DAYS`].
    pub fn parse_days(text: &str) -> Result<u32> {
        let days = text.parse().ok().filter(|days| (1..=AUDIT_RETENTION_MOST_DAYS).contains(days));
        days.ok_or_else(|| {
            let message = format!("{text:?} is no number of days from 1 to {AUDIT_RETENTION_MOST_DAYS}");
            Error::new(Code::InvalidRequest, message)
        })
    }
}

impl AuditMode {
    /// Its name in settings.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::Async => "async",
            Self::Sync => "sync",
        }
    }
}

impl fmt::Display for AuditMode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for AuditMode {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let all = [Self::Off, Self::Async, Self::Sync];
        all.into_iter().find(|mode| mode.name() == text).ok_or_else(|| {
            Error::new(Code::InvalidRequest, format!("{text:?} is no mode of audit; there are off, async and sync"))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // S-LIMIT-1: Every limit stands in `crates/base/src/limits/`; the service takes n and refuses n + 1.
    #[test]
    fn days_are_a_number_within_their_limits() {
        let most = AUDIT_RETENTION_MOST_DAYS;
        assert_eq!(AuditOptions::parse_days(&most.to_string()).unwrap(), most);
        assert_eq!(AuditOptions::parse_days("1").unwrap(), 1);
        for odd in ["0", "-1", "", "90d", &(most + 1).to_string()] {
            assert_eq!(AuditOptions::parse_days(odd).unwrap_err().code(), Code::InvalidRequest, "{odd}");
        }
    }

    #[test]
    fn a_mode_is_read_by_its_name_alone() {
        for mode in [AuditMode::Off, AuditMode::Async, AuditMode::Sync] {
            assert_eq!(mode.to_string().parse::<AuditMode>().unwrap(), mode);
        }
        assert!("on".parse::<AuditMode>().is_err() && "Sync".parse::<AuditMode>().is_err());
    }
}

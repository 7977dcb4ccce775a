//! Counts as factors of a score.

/// A count as a factor. Counts over 16 bits make no difference.
pub(super) fn count(number: usize) -> f32 {
    f32::from(u16::try_from(number).unwrap_or(u16::MAX))
}

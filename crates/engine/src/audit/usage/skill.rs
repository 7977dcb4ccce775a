//! The counts of one skill, and the shares made of them.

use jiff::Timestamp;

use crate::wire::SkillUsage;

/// The share of conversations from which on a skill is worth loading when a session begins.
const CANDIDATE_RATE: (u64, u64) = (3, 10);

/// The counts of one skill.
#[derive(Debug)]
pub(super) struct SkillTally {
    /// A hash of its folder's name: sessions mount the skill under this name.
    pub(super) mount: u64,
    pub(super) loads: u64,
    pub(super) last_used: Timestamp,
}

impl SkillTally {
    /// Its figures, if it was used by `conversations` of `all`.
    pub(super) fn figures(&self, skill: String, conversations: u64, all: u64) -> SkillUsage {
        let Self { loads, last_used, .. } = *self;
        SkillUsage { skill, loads, conversations, rate: share(conversations, all).unwrap_or_default(), last_used }
    }
}

/// Whether a skill that `chosen` of `all` conversations chose is worth loading when a session begins.
pub(super) fn is_candidate(chosen: u64, all: u64) -> bool {
    let (part, whole) = CANDIDATE_RATE;
    chosen > 0 && chosen * whole >= all * part
}

/// A part of a whole, to four digits; `None` if there is no whole.
pub(super) fn share(part: u64, whole: u64) -> Option<f64> {
    // There are fewer than 2^32 of anything that is counted here.
    let float = |count: u64| f64::from(u32::try_from(count).unwrap_or(u32::MAX));
    (whole > 0).then(|| (float(part) / float(whole) * 1e4).round() / 1e4)
}

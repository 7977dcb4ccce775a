//! Skills of a folder that may be pushed.

use crate::{folder::LocalSkill, wire::LintedSkill};

/// A skill of the folder, or a folder that is almost a skill, with its findings.
pub(super) struct Candidate {
    pub(super) local: Option<LocalSkill>,
    pub(super) judged: LintedSkill,
}

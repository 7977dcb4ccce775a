//! What of a folder may be pushed.

use crate::{cli::folder::LocalSkill, wire::LintedSkill};

/// A skill of the folder, or what almost is one, with its findings.
pub(super) struct Candidate {
    pub(super) local: Option<LocalSkill>,
    pub(super) judged: LintedSkill,
}

//! A SKILL.md that cannot be read. The cause is in one file or in the whole store.
//!
//! A listed object may still be unreadable: archived, denied, or without any answer. Such a file costs its own skill.
//! But a store that goes down between the listing and the reads must not produce an empty catalog, so failures that a
//! broken store would also give are compared with the number of skills.

use super::entry::CatalogDiagnostic;
use crate::{
    path::{ObjectKey, SkillPath},
    skill::{Diagnostic, FindingCode},
    store::{Cause, StoreError},
};

/// A skill whose SKILL.md could not be read.
#[derive(Debug)]
pub(super) struct Unreadable {
    pub(super) skill: SkillPath,
    pub(super) key: ObjectKey,
    pub(super) error: StoreError,
}

impl Unreadable {
    /// The diagnostic for this skill.
    pub(super) fn diagnostic(&self) -> CatalogDiagnostic {
        let message =
            format!("its SKILL.md cannot be read: {}; the next look tries again", why_unreadable(&self.error));
        CatalogDiagnostic {
            skill: self.skill.to_string(),
            diagnostic: Diagnostic::new(FindingCode::Unreadable, message),
        }
    }
}

/// The reason why an existing object cannot be read, in plain words.
#[must_use]
pub fn why_unreadable(error: &StoreError) -> String {
    let words = match error {
        StoreError::Denied(_) if error.cause() == Some(&Cause::Archived) => {
            "it lies in an archived storage class and cannot be read now"
        }
        StoreError::Denied(_) => "the store denies access to it",
        StoreError::NotFound => "it was deleted or moved while the catalog was read",
        StoreError::PreconditionFailed
        | StoreError::NotModified
        | StoreError::RangeNotSatisfiable
        | StoreError::BelowFile(_)
        | StoreError::IsFolder => "it changes while it is read",
        StoreError::Unsupported(_) => "the store refuses to give it",
        StoreError::Busy | StoreError::Unavailable { .. } => "the store did not give it in time",
    };
    words.to_owned()
}

/// Returns the failure to report for `unreadable` if the store as a whole failed. The layer has `skills` skills.
///
/// Denials and archives are decided per object. They count as a failure of the store only if all of several skills are
/// denied, because then the credentials may not read. Transient failures count from half of the skills on.
pub(super) fn failure_of_the_store(unreadable: &[Unreadable], skills: usize) -> Option<&StoreError> {
    let passing = unreadable.iter().filter(|one| one.error.is_transient());
    let refused = unreadable.iter().filter(|one| matches!(one.error, StoreError::Denied(_)));
    if let Some(one) = refused.clone().find(|one| !is_of_one_object(&one.error)) {
        return Some(&one.error);
    }
    let denied = refused.filter(|one| one.error.cause() != Some(&Cause::Archived));
    let (passes, denials) = (passing.clone().count(), denied.clone().count());
    let is_down = 2 * passes >= skills || (passes + denials == skills && skills > 1);
    passing.chain(denied).next().filter(|_| is_down).map(|one| &one.error)
}

/// Whether a refusal can concern one object only. An expired token or a missing bucket concerns all.
fn is_of_one_object(error: &StoreError) -> bool {
    matches!(error.cause(), Some(Cause::Archived | Cause::AccessDenied { .. } | Cause::NotPermitted { .. }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::path::KeyPrefix;

    fn of(errors: &[StoreError]) -> Vec<Unreadable> {
        let one = |error: &StoreError| Unreadable {
            skill: SkillPath::parse("a").unwrap(),
            key: KeyPrefix::all().key("u/skills/a/SKILL.md").unwrap(),
            error: error.clone(),
        };
        errors.iter().map(one).collect()
    }

    #[test]
    fn what_a_broken_store_would_answer_is_told_from_what_one_file_answers() {
        let denied = || StoreError::denied(Cause::NotPermitted { path: None }, "403");
        let archived = || StoreError::denied(Cause::Archived, "403");
        let passing = || StoreError::not_applied("slow");
        let is_down = |errors: &[StoreError], skills| failure_of_the_store(&of(errors), skills).is_some();
        assert!(is_down(&[passing()], 1) && is_down(&[passing()], 2) && !is_down(&[passing()], 3));
        assert!(!is_down(&[denied()], 1), "the only skill of a user may be the one that is denied");
        assert!(!is_down(&[denied()], 2) && is_down(&[denied(), denied()], 2));
        assert!(is_down(&[denied(), denied(), passing()], 3));
        assert!(!is_down(&[archived(), archived()], 2), "an archive is no outage");
        assert!(is_down(&[StoreError::denied(Cause::ExpiredToken, "400")], 9), "no object can be read with it");
        assert!(!is_down(&[StoreError::NotFound], 1) && !is_down(&[], 0));
    }
}

//! A SKILL.md that cannot be read, and whether that is the trouble of one file or of the whole store.
//!
//! A listing that succeeded says nothing of the objects it names: one may lie in an archive, be denied, or hang. Such a file
//! costs its own skill. But a catalog must not come out empty because the store went down between its listing and its
//! reads, so failures that a broken store would give as well are counted against all the skills there are.

use super::entry::CatalogDiagnostic;
use crate::{
    path::{ObjectKey, SkillPath},
    skill::Diagnostic,
    store::{Cause, StoreError},
};

/// The code of the diagnostic.
pub(super) const UNREADABLE: &str = "unreadable";

/// A skill whose SKILL.md could not be read.
#[derive(Debug)]
pub(super) struct Unreadable {
    pub(super) skill: SkillPath,
    pub(super) key: ObjectKey,
    pub(super) error: StoreError,
}

impl Unreadable {
    /// What to say of the skill.
    pub(super) fn diagnostic(&self) -> CatalogDiagnostic {
        let message =
            format!("its SKILL.md cannot be read: {}; the next look tries again", why_unreadable(&self.error));
        CatalogDiagnostic { skill: self.skill.to_string(), diagnostic: Diagnostic::error(UNREADABLE, message) }
    }
}

/// Why an object that is there cannot be read, in plain words.
#[must_use]
pub fn why_unreadable(error: &StoreError) -> String {
    let words = match error {
        StoreError::Denied(_) if error.cause() == Some(&Cause::Archived) => {
            "it lies in an archived storage class and must be restored first"
        }
        StoreError::Denied(_) => "the store denies access to it",
        StoreError::NotFound => "it was deleted or moved while the catalog was read",
        StoreError::PreconditionFailed
        | StoreError::NotModified
        | StoreError::RangeNotSatisfiable
        | StoreError::BelowFile(_)
        | StoreError::IsFolder => "it changes while it is read",
        StoreError::Unsupported(what) => return format!("the store refuses to give it ({what})"),
        StoreError::Busy | StoreError::Unavailable { .. } => "the store did not give it in time",
    };
    words.to_owned()
}

/// The failure that stands for all of `unreadable` where they are a failure of the store, which holds `skills` skills in
/// this layer.
///
/// A denial or an archive is decided object by object, so it is the store's only if all of several skills are denied: then
/// it is the credentials that may not read. What may pass is the store's from half of the skills on.
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

/// Whether a refusal may be one object's alone. An expired token or a bucket that is gone is every object's.
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

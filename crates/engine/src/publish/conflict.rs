//! The errors if a skill differs from the version that the caller expects.

use serde_json::{Value, json};

use super::change_error::ChangeError;
use crate::{
    content::SkillTarget,
    error::{Code, Error},
    wire::SkillState,
};

/// The error if the draft does not meet the condition. `current` is the digest of the draft that is there, or empty. For a
/// draft the error has `state` too, because an author who publishes must know that the digest is no version.
pub(super) fn draft_conflict(target: &SkillTarget, current: &str) -> ChangeError {
    ChangeError::Conflict(version_conflict(target, current, false))
}

pub(super) fn version_conflict(target: &SkillTarget, current: &str, is_published: bool) -> Error {
    let message = format!(
        "{} is another by now than If-Match names: look at the difference, and change the version that `current` names",
        target.skill
    );
    let error = Error::new(Code::VersionConflict, message);
    match current {
        "" => error.with_detail("current", Value::Null),
        digest if is_published => error.with_detail("current", digest),
        digest => error.with_detail("current", digest).with_detail("state", json!(SkillState::Draft)),
    }
}

/// The error if other tools put a skill into the folder of a draft, and the caller named neither of the two.
pub(super) fn hidden_conflict(target: &SkillTarget, folder: &str, draft: &str) -> Error {
    let message = format!(
        "{} is a draft into whose folder other tools put a skill: name that in If-Match to change it, or delete one of the two, \
         named in If-Match",
        target.skill
    );
    Error::new(Code::VersionConflict, message).with_detail("current", folder).with_detail("draft", draft)
}

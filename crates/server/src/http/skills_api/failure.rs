//! The failures of these routes.

use super::documents::SkillsApiError;
use crate::http::door::failures;

failures! {
    /// The failures that every operation of these routes may answer with.
    ApiFailure(SkillsApiError, "application/json") {
        400 Invalid "The request is not valid."
        401 Unauthenticated "No key, or one that is unknown or expired."
        403 Denied "The key or the policy does not allow it."
        404 NotFound "No skill, or no version, of that id."
        409 Conflict "There is such a skill already, or it changed meanwhile."
        413 TooLarge "A skill over its limits."
        415 WrongType "A body of a type that is not taken."
        429 TooMany "Too much at once; wait as `retry-after` says."
        431 HeadTooLarge "The head of the request is over the limit."
        500 Internal "A bug; the log has the request id."
        503 Unavailable "The store did not answer in time."
    }
}

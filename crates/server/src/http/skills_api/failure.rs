//! What every operation of these routes may answer instead of its result; for OpenAPI.

use utoipa::IntoResponses;

use super::documents::SkillsApiError;

#[derive(IntoResponses)]
#[expect(dead_code, reason = "read by the OpenAPI generator alone")]
pub(super) enum ApiFailure {
    /// The request is not valid.
    #[response(status = 400)]
    Invalid(SkillsApiError),
    /// No key, or one that is unknown or expired.
    #[response(status = 401)]
    Unauthenticated(SkillsApiError),
    /// The key or the policy does not allow it.
    #[response(status = 403)]
    Denied(SkillsApiError),
    /// No skill, or no version, of that id.
    #[response(status = 404)]
    NotFound(SkillsApiError),
    /// There is such a skill already, or it changed meanwhile.
    #[response(status = 409)]
    Conflict(SkillsApiError),
    /// A skill over its limits.
    #[response(status = 413)]
    TooLarge(SkillsApiError),
    /// A body of a type that is not taken.
    #[response(status = 415)]
    WrongType(SkillsApiError),
    /// Too much at once; wait as `retry-after` says.
    #[response(status = 429)]
    TooMany(SkillsApiError),
    /// The head of the request is over the limit.
    #[response(status = 431)]
    HeadTooLarge(SkillsApiError),
    /// A bug; the log has the request id.
    #[response(status = 500)]
    Internal(SkillsApiError),
    /// The store did not answer in time.
    #[response(status = 503)]
    Unavailable(SkillsApiError),
}

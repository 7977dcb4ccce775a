//! The meaning of failed requests: the only place that turns statuses, error codes and connector errors into
//! [`StoreError`].
//!
//! The raw status decides before the error code, because 304, 409 and 412 have no modelled error, a HEAD has no body
//! and a proxy may answer with HTML. A write counts as not applied only if that is certain: S3 refused it by name, or
//! the connection was never made. After anything else it may have landed. [`cause`] finds out why it failed.
//!
//! [`cause`]: super::cause

use std::{error::Error as StdError, io};

use aws_credential_types::provider::error::CredentialsError;
use aws_sdk_s3::error::{ProvideErrorMetadata, SdkError};
use aws_smithy_runtime_api::client::{dns::ResolveDnsError, orchestrator::HttpResponse};
use jiff::Timestamp;

use super::{cause::RefusalResponse, identity::BrokenSetting, request::RequestKind};
use crate::{Cause, StoreError};
use skillmount_base::error::with_causes;

/// Error codes that mean a fault of the caller, not of the request. Some come with status 400.
const CREDENTIAL_CODES: &[&str] = &[
    "AuthorizationHeaderMalformed",
    "ExpiredToken",
    "ExpiredTokenException",
    "IllegalLocationConstraintException",
    "InvalidToken",
    "NoSuchBucket",
    "TokenRefreshRequired",
];
/// Error codes after which certainly nothing was changed, and which pass. After `RequestTimeTooSkewed` the SDK has the
/// server's time from the reply and signs the next request by it.
const PASSING_CODES: &[&str] = &[
    "BadDigest",
    "IncompleteBody",
    "RequestTimeTooSkewed",
    "RequestTimeout",
    "SlowDown",
    "TooManyRequests",
    "XAmzContentSHA256Mismatch",
];
/// Error codes by which S3 and similar servers refuse a key, or a request for it, as unsupported. No other refusal is a
/// fault of the request.
const UNSUPPORTED_CODES: &[&str] = &[
    "EntityTooLarge",
    "InvalidArgument",
    "InvalidObjectName",
    "InvalidURI",
    "KeyTooLongError",
    "MetadataTooLarge",
    "NotImplemented",
    "XMinioInvalidObjectName",
];

/// The meaning of `error`, the failure of a request of the kind `asked` to `bucket`; `now` is this machine's time.
pub(super) fn classify<E>(
    error: SdkError<E, HttpResponse>,
    asked: RequestKind,
    bucket: &str,
    now: Timestamp,
) -> StoreError
where
    E: StdError + ProvideErrorMetadata + Send + Sync + 'static,
{
    let answer = match &error {
        SdkError::ServiceError(refusal) => RefusalResponse::new(
            refusal.raw(),
            ProvideErrorMetadata::code(&error).unwrap_or_default(),
            error.message().unwrap_or_default(),
        ),
        SdkError::ConstructionFailure(_) => {
            return StoreError::Unsupported(aws_sdk_s3::error::DisplayErrorContext(&error).to_string());
        }
        SdkError::DispatchFailure(_) => return undelivered(error, asked),
        SdkError::TimeoutError(_) => return in_doubt(error, asked).because(Cause::Timeout),
        _ => return unreadable(error, asked),
    };
    let cause = answer.cause(asked, bucket, now);
    let said = answer.said();
    let denied = || StoreError::denied(cause.clone(), said.clone());
    let not_applied = || StoreError::not_applied(said.clone()).because(cause.clone());
    if CREDENTIAL_CODES.contains(&answer.code) {
        return denied();
    }
    if PASSING_CODES.contains(&answer.code) {
        return not_applied();
    }
    match answer.status {
        304 => StoreError::NotModified,
        404 if asked.is_of_object() || answer.code == "NoSuchKey" => StoreError::NotFound,
        300..=399 | 401 | 403 | 404 => denied(),
        409 => StoreError::Busy,
        412 => StoreError::PreconditionFailed,
        416 => StoreError::RangeNotSatisfiable,
        421 | 425 | 429 => not_applied(),
        400..=499 | 501 if UNSUPPORTED_CODES.contains(&answer.code) => StoreError::Unsupported(said),
        // A gateway gives up on a request that it may have passed on.
        408 => in_doubt(said.clone(), asked).because(cause),
        // Refused before it reached the object, by a proxy or a server that supports less than S3.
        400..=499 | 501 => not_applied(),
        _ => in_doubt(said.clone(), asked).because(cause),
    }
}

/// A transient failure. A write may have landed; a read changes nothing.
pub(super) fn in_doubt(source: impl Into<Box<dyn StdError + Send + Sync>>, asked: RequestKind) -> StoreError {
    if asked.is_change() { StoreError::unknown(source) } else { StoreError::not_applied(source) }
}

/// An answer that cannot be understood, because it broke off or is not S3's.
fn unreadable<E>(error: SdkError<E, HttpResponse>, asked: RequestKind) -> StoreError
where
    E: StdError + Send + Sync + 'static,
{
    let broke_off = find::<io::Error>(&error).is_some() || find::<hyper_util::client::legacy::Error>(&error).is_some();
    let cause = match error.raw_response() {
        Some(raw) if !broke_off => Cause::NotS3 { status: raw.status().as_u16() },
        _ => Cause::Unreachable,
    };
    in_doubt(error, asked).because(cause)
}

/// No answer, because nothing could be sent or because the connection broke afterwards.
fn undelivered<E>(error: SdkError<E, HttpResponse>, asked: RequestKind) -> StoreError
where
    E: StdError + Send + Sync + 'static,
{
    let timed_out = matches!(&error, SdkError::DispatchFailure(failure) if failure.is_timeout());
    let cause = if timed_out { Cause::Timeout } else { Cause::Unreachable };
    if let Some(setting) = find::<BrokenSetting>(&error).map(|broken| broken.0) {
        return StoreError::denied(Cause::MalformedCredentials { setting }, error);
    }
    match find::<CredentialsError>(&error) {
        Some(CredentialsError::CredentialsNotLoaded(_)) => StoreError::denied(Cause::NoCredentials, error),
        Some(CredentialsError::InvalidConfiguration(_)) => StoreError::denied(Cause::CredentialsNotLoaded, error),
        Some(_) => StoreError::not_applied(error).because(Cause::CredentialsNotLoaded),
        None if found_no_identity(&error) => StoreError::denied(Cause::NoCredentials, error),
        None if never_connected(&error) => StoreError::not_applied(error).because(cause),
        None => in_doubt(error, asked).because(cause),
    }
}

/// Whether the search for credentials took too long, as it does if the last place is a metadata service that does not
/// exist. The SDK has no public type for it.
fn found_no_identity(error: &(dyn StdError + 'static)) -> bool {
    with_causes(error).any(|error| error.to_string().starts_with("identity resolver timed out"))
}

fn never_connected(error: &(dyn StdError + 'static)) -> bool {
    find::<ResolveDnsError>(error).is_some()
        || find::<hyper_util::client::legacy::Error>(error).is_some_and(hyper_util::client::legacy::Error::is_connect)
        || find::<io::Error>(error).is_some_and(|error| error.kind() == io::ErrorKind::ConnectionRefused)
}

fn find<'error, T: StdError + 'static>(error: &'error (dyn StdError + 'static)) -> Option<&'error T> {
    with_causes(error).find_map(|error| error.downcast_ref())
}

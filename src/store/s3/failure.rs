//! What a failed request means: the one place where statuses, error codes and connector errors become [`StoreError`].
//!
//! The raw status decides before the error code does, because 304, 409 and 412 have no modelled error, a HEAD has no
//! body and a proxy may answer with HTML. A write counts as not applied only where that is certain: S3 refused it by
//! name, or the connection was never made. After anything else it may have landed.

use std::{error::Error as StdError, io};

use aws_credential_types::provider::error::CredentialsError;
use aws_sdk_s3::error::{ProvideErrorMetadata, SdkError};
use aws_smithy_runtime_api::client::{dns::ResolveDnsError, orchestrator::HttpResponse};

use crate::store::StoreError;

/// What was asked for, as far as it changes the meaning of a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Asked {
    /// One object's bytes or description: 404 is the object.
    Object,
    /// A listing: 404 is the bucket.
    Listing,
    /// A write that needs an object to be there: 404 is the object.
    ChangeOfObject,
    /// A write that needs nothing to be there: 404 is the bucket.
    Change,
}

impl Asked {
    fn is_change(self) -> bool {
        matches!(self, Self::ChangeOfObject | Self::Change)
    }
}

/// Error codes that say the caller, not the request, is wrong; some come with status 400.
const CREDENTIAL_CODES: &[&str] =
    &["AuthorizationHeaderMalformed", "ExpiredToken", "InvalidToken", "NoSuchBucket", "TokenRefreshRequired"];
/// Error codes after which certainly nothing was changed, and which pass. After `RequestTimeTooSkewed` the SDK has
/// learnt the server's time from the reply and signs the next request by it.
const PASSING_CODES: &[&str] = &["SlowDown", "RequestTimeTooSkewed", "RequestTimeout", "TooManyRequests"];

/// The meaning of `error`.
pub(super) fn classify<E>(error: SdkError<E, HttpResponse>, asked: Asked) -> StoreError
where
    E: StdError + ProvideErrorMetadata + Send + Sync + 'static,
{
    let code = error.code().unwrap_or_default().to_owned();
    let status = match &error {
        SdkError::ServiceError(refusal) => refusal.raw().status().as_u16(),
        SdkError::ConstructionFailure(_) => return StoreError::Unsupported(describe(&error)),
        SdkError::DispatchFailure(_) => return undelivered(error, asked),
        // Answers that cannot be understood, and timeouts of the SDK's own.
        _ => return in_doubt(error, asked),
    };
    if CREDENTIAL_CODES.contains(&code.as_str()) {
        return denied(error);
    }
    if PASSING_CODES.contains(&code.as_str()) {
        return StoreError::not_applied(error);
    }
    if code == "InvalidObjectState" && !asked.is_change() {
        return StoreError::Archived;
    }
    match status {
        304 => StoreError::NotModified,
        404 if matches!(asked, Asked::Object | Asked::ChangeOfObject) || code == "NoSuchKey" => StoreError::NotFound,
        300..=399 | 401 | 403 | 404 => denied(error),
        409 => StoreError::Busy,
        412 => StoreError::PreconditionFailed,
        416 => StoreError::RangeNotSatisfiable,
        429 => StoreError::not_applied(error),
        400..=499 | 501 => StoreError::Unsupported(describe(&error)),
        _ => in_doubt(error, asked),
    }
}

/// A failure that may pass: a write may have landed, a read has nothing to land.
pub(super) fn in_doubt(source: impl Into<Box<dyn StdError + Send + Sync>>, asked: Asked) -> StoreError {
    if asked.is_change() { StoreError::unknown(source) } else { StoreError::not_applied(source) }
}

/// No answer came: because nothing could be sent, or because the connection broke afterwards.
fn undelivered<E>(error: SdkError<E, HttpResponse>, asked: Asked) -> StoreError
where
    E: StdError + Send + Sync + 'static,
{
    match find::<CredentialsError>(&error) {
        Some(CredentialsError::CredentialsNotLoaded(_) | CredentialsError::InvalidConfiguration(_)) => denied(error),
        Some(_) => StoreError::not_applied(error),
        None if never_connected(&error) => StoreError::not_applied(error),
        None => in_doubt(error, asked),
    }
}

fn never_connected(error: &(dyn StdError + 'static)) -> bool {
    find::<ResolveDnsError>(error).is_some()
        || find::<hyper_util::client::legacy::Error>(error).is_some_and(hyper_util::client::legacy::Error::is_connect)
        || find::<io::Error>(error).is_some_and(|error| error.kind() == io::ErrorKind::ConnectionRefused)
}

fn find<'error, T: StdError + 'static>(error: &'error (dyn StdError + 'static)) -> Option<&'error T> {
    let mut next = Some(error);
    while let Some(error) = next {
        if let Some(found) = error.downcast_ref() {
            return Some(found);
        }
        next = error.source();
    }
    None
}

fn denied(error: impl StdError + Send + Sync + 'static) -> StoreError {
    StoreError::Denied(std::sync::Arc::new(error))
}

/// The server's own words where it had some.
fn describe<E: StdError + ProvideErrorMetadata + 'static>(error: &SdkError<E, HttpResponse>) -> String {
    match (error.code(), error.message()) {
        (Some(code), Some(message)) => format!("{code}: {message}"),
        (Some(code), None) => code.to_owned(),
        (None, _) => aws_sdk_s3::error::DisplayErrorContext(error).to_string(),
    }
}

//! The cause of a refusal by S3, from the error code, the headers and the body of its answer.

use aws_sdk_s3::primitives::{DateTime, DateTimeFormat};
use aws_smithy_runtime_api::client::orchestrator::HttpResponse;
use jiff::Timestamp;

use super::request::RequestKind;
use crate::Cause;

/// A refusing answer, as far as it gives a reason.
pub(super) struct RefusalResponse<'response> {
    pub(super) status: u16,
    pub(super) code: &'response str,
    message: &'response str,
    raw: &'response HttpResponse,
}

impl<'response> RefusalResponse<'response> {
    pub(super) fn new(raw: &'response HttpResponse, code: &'response str, message: &'response str) -> Self {
        Self { status: raw.status().as_u16(), code, message, raw }
    }

    /// The server's own words, if it had some.
    pub(super) fn said(&self) -> String {
        let request = self.raw.headers().get("x-amz-request-id").map(|id| format!(" (request {id})"));
        let words = match (self.code, self.message) {
            ("", _) => format!("status {}", self.status),
            (code, "") => code.to_owned(),
            (code, message) => format!("{code}: {message}"),
        };
        format!("{words}{}", request.unwrap_or_default())
    }

    /// The cause of the refusal by `bucket` of a request of the kind `asked`; `now` is this machine's time.
    pub(super) fn cause(&self, asked: RequestKind, bucket: &str, now: Timestamp) -> Cause {
        match self.code {
            "NoSuchBucket" => Cause::NoBucket { bucket: bucket.to_owned() },
            "PermanentRedirect" | "TemporaryRedirect" | "IllegalLocationConstraintException" => {
                Cause::WrongRegion { region: self.region() }
            }
            // Also the answer to a header without a key id.
            "AuthorizationHeaderMalformed" => match self.region() {
                None => Cause::WrongKeyId,
                region => Cause::WrongRegion { region },
            },
            "ExpiredToken" | "ExpiredTokenException" | "TokenRefreshRequired" => Cause::ExpiredToken,
            "InvalidAccessKeyId" | "InvalidToken" => Cause::WrongKeyId,
            "SignatureDoesNotMatch" => Cause::WrongSecret,
            "RequestTimeTooSkewed" => Cause::ClockSkew { minutes_ahead: self.minutes_ahead(now) },
            "SlowDown" | "ServiceUnavailable" | "TooManyRequests" => Cause::Throttled,
            "InvalidObjectState" => Cause::Archived,
            _ => self.cause_by_status(asked, bucket),
        }
    }

    fn cause_by_status(&self, asked: RequestKind, bucket: &str) -> Cause {
        let (status, is_named) = (self.status, !self.code.is_empty());
        // A reply to HEAD has neither body nor code. A page without a code is not S3's.
        let is_silent = self.body().is_empty();
        match status {
            300..=399 if self.region().is_some() => Cause::WrongRegion { region: self.region() },
            // The answer to HEAD, whose header alone has the reason.
            400 if is_silent && self.region().is_some() => Cause::WrongRegion { region: self.region() },
            401 | 403 if is_named || is_silent => Cause::AccessDenied { action: self.action(asked) },
            404 if is_silent => Cause::NoBucket { bucket: bucket.to_owned() },
            // Also a listing or copy that failed after its headers were sent.
            ..=299 | 500.. if is_named => Cause::ServerFault { status },
            ..=404 if !is_named && !is_silent => Cause::NotS3 { status },
            429 => Cause::Throttled,
            500.. => Cause::ServerFault { status },
            _ => Cause::Rejected { status, code: self.code.to_owned() },
        }
    }

    /// The region of the bucket: from a header, an element of the body, or the words of its message.
    fn region(&self) -> Option<String> {
        let header = self.raw.headers().get("x-amz-bucket-region").map(str::to_owned);
        let region = header
            .or_else(|| between(self.body(), "<Region>", "</Region>"))
            .or_else(|| between(self.message, "expecting '", "'"))?;
        let is_region = region.chars().all(|c| c.is_ascii_alphanumeric() || c == '-');
        (is_region && !region.is_empty()).then_some(region)
    }

    /// The denied action, from the server's words or else from the request.
    fn action(&self, asked: RequestKind) -> String {
        let words = self.message.split_once("perform: ").and_then(|(_, rest)| rest.split_whitespace().next());
        words.filter(|action| action.contains(':')).unwrap_or(asked.action()).to_owned()
    }

    /// How far `now` is ahead of the server's time.
    fn minutes_ahead(&self, now: Timestamp) -> Option<i64> {
        let date =
            self.raw.headers().get("date").and_then(|date| DateTime::from_str(date, DateTimeFormat::HttpDate).ok());
        let body = || between(self.body(), "<ServerTime>", "</ServerTime>");
        let there = match date {
            Some(date) => date.secs(),
            None => body()?.parse::<Timestamp>().ok()?.as_second(),
        };
        Some((now.as_second() - there) / 60)
    }

    fn body(&self) -> &str {
        self.raw.body().bytes().and_then(|bytes| std::str::from_utf8(bytes).ok()).unwrap_or_default()
    }
}

fn between(text: &str, start: &str, end: &str) -> Option<String> {
    let (_, rest) = text.split_once(start)?;
    rest.split_once(end).map(|(found, _)| found.to_owned())
}

//! Conditional and range headers, RFC 9110 sections 13 and 14.

use std::ops::Range;

use axum::{
    http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header},
    response::{IntoResponse as _, Response},
};

use crate::path::ETag;

/// The entity tags of an `If-Match` or `If-None-Match`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum EntityTags {
    /// `*`: any version.
    Any,
    /// These. A weak tag keeps its `W/`, so `If-Match` never takes it for a version of the service.
    These(Vec<String>),
}

impl EntityTags {
    /// The tags a header lists; `None` if it is absent.
    pub(crate) fn from_header(headers: &HeaderMap, name: &HeaderName) -> Option<Self> {
        let values = headers.get_all(name).iter().filter_map(|value| value.to_str().ok()).collect::<Vec<_>>();
        if values.is_empty() {
            return None;
        }
        let tags: Vec<_> = values.into_iter().flat_map(listed).map(str::trim).filter(|tag| !tag.is_empty()).collect();
        if tags.contains(&"*") {
            return Some(Self::Any);
        }
        Some(Self::These(tags.into_iter().map(str::to_owned).collect()))
    }

    /// Whether one of them is exactly this version: for `If-Match`.
    pub(crate) fn hold(&self, etag: &ETag) -> bool {
        self.any(|tag| tag.trim_matches('"') == etag.as_str())
    }

    /// Whether one of them is this version, weak or not: for `If-None-Match`.
    pub(crate) fn name(&self, etag: &ETag) -> bool {
        self.any(|tag| tag.strip_prefix("W/").unwrap_or(tag).trim_matches('"') == etag.as_str())
    }

    fn any(&self, is_named: impl Fn(&str) -> bool) -> bool {
        match self {
            Self::Any => true,
            Self::These(tags) => tags.iter().any(|tag| is_named(tag)),
        }
    }
}

/// The entity tags of one header line. A comma between quotes belongs to a tag: those of stores are opaque.
fn listed(line: &str) -> impl Iterator<Item = &str> {
    let mut is_quoted = false;
    line.split(move |c| {
        is_quoted ^= c == '"';
        c == ',' && !is_quoted
    })
}

/// A version as a strong entity tag.
pub(crate) fn quoted(etag: &ETag) -> String {
    format!("\"{etag}\"")
}

/// The reply to a request for the content with the tag `etag`: 304 if the caller has this version already, else `reply`. The
/// reply carries the tag in its weak form, since the reply may be compressed on its way out.
pub(crate) fn unless_known(request: &HeaderMap, etag: &ETag, reply: impl FnOnce() -> Response) -> Response {
    let is_known = EntityTags::from_header(request, &header::IF_NONE_MATCH).is_some_and(|tags| tags.name(etag));
    let mut reply = if is_known { StatusCode::NOT_MODIFIED.into_response() } else { reply() };
    let headers = reply.headers_mut();
    headers.extend(HeaderValue::try_from(format!("W/{}", quoted(etag))).ok().map(|value| (header::ETAG, value)));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("private, no-cache"));
    reply
}

/// One range of bytes as it was asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ByteRange {
    /// From here to there, both included.
    Between(u64, u64),
    /// The last so many.
    Last(u64),
}

impl ByteRange {
    /// The range that a `Range` header asks for. A malformed header, or several ranges, count as no header, which the RFC
    /// allows: the whole file is sent.
    pub(crate) fn from_headers(headers: &HeaderMap) -> Option<Self> {
        let (unit, range) = headers.get(header::RANGE)?.to_str().ok()?.split_once('=')?;
        if !unit.trim().eq_ignore_ascii_case("bytes") {
            return None;
        }
        let (first, last) = range.trim().split_once('-')?;
        match (first.trim(), last.trim()) {
            ("", last) => Some(Self::Last(number(last)?)),
            (first, "") => Some(Self::Between(number(first)?, u64::MAX)),
            (first, last) => {
                let (first, last) = (number(first)?, number(last)?);
                (first <= last).then_some(Self::Between(first, last))
            }
        }
    }

    /// The bytes of a file of `size` bytes that the range covers. `None` if there are none.
    pub(crate) fn within(self, size: u64) -> Option<Range<u64>> {
        let range = match self {
            Self::Between(first, last) => first..last.saturating_add(1).min(size),
            Self::Last(count) => size.saturating_sub(count)..size,
        };
        (range.start < range.end).then_some(range)
    }
}

/// A number of any length; one too large for any file is as good as the largest.
fn number(digits: &str) -> Option<u64> {
    let all_digits = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    all_digits.then(|| digits.parse().unwrap_or(u64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn range(text: &str) -> Option<ByteRange> {
        ByteRange::from_headers(&HeaderMap::from_iter([(header::RANGE, text.parse().unwrap())]))
    }

    #[test]
    fn ranges_cover_what_they_say_within_the_file() {
        let within = |text: &str| range(text).and_then(|range| range.within(10));
        assert_eq!(within("bytes=0-0"), Some(0..1));
        assert_eq!(within("bytes=2-4"), Some(2..5));
        assert_eq!(within("bytes=2-"), Some(2..10));
        assert_eq!(within("bytes=9-99"), Some(9..10));
        assert_eq!(within("bytes=-3"), Some(7..10));
        assert_eq!(within("bytes=-99"), Some(0..10));
        for none in ["bytes=10-", "bytes=-0", "bytes=18446744073709551615-", "bytes=99999999999999999999999-"] {
            assert!(range(none).is_some() && within(none).is_none(), "{none}");
        }
        assert_eq!(within("bytes=0-99999999999999999999999"), Some(0..10));
        assert_eq!(range("bytes=0-").and_then(|range| range.within(0)), None);
    }

    #[test]
    fn ranges_that_are_none_are_passed_over() {
        for bad in ["bytes", "bytes=", "bytes=-", "bytes=a-b", "bytes=3-2", "lines=1-2", "bytes=0-1,3-4", "bytes=--1"] {
            assert_eq!(range(bad), None, "{bad}");
        }
    }

    #[test]
    fn weak_tags_name_a_version_but_do_not_hold_it() {
        let tags = |text: &str| {
            let headers = HeaderMap::from_iter([(header::IF_MATCH, text.parse().unwrap())]);
            EntityTags::from_header(&headers, &header::IF_MATCH).unwrap()
        };
        let etag = ETag::new("a");
        assert!(tags("\"b\", \"a\"").hold(&etag) && tags("*").hold(&etag));
        assert!(!tags("W/\"a\"").hold(&etag) && tags("W/\"a\"").name(&etag));
        assert!(!tags("\"b\"").name(&etag) && !tags("").name(&etag));
        assert_eq!(EntityTags::from_header(&HeaderMap::new(), &header::IF_MATCH), None);
    }

    #[test]
    fn a_comma_in_a_quoted_tag_belongs_to_it() {
        let tags = |lines: &[&str]| {
            let lines = lines.iter().map(|line| (header::IF_NONE_MATCH, line.parse().unwrap()));
            EntityTags::from_header(&lines.collect(), &header::IF_NONE_MATCH).unwrap()
        };
        let these = |tags: &[&str]| EntityTags::These(tags.iter().map(|tag| (*tag).to_owned()).collect());
        assert_eq!(tags(&["\"a,b\", W/\"c, d\" ,,e"]), these(&["\"a,b\"", "W/\"c, d\"", "e"]));
        assert_eq!(tags(&["\"a", "b\""]), these(&["\"a", "b\""]), "no quote goes from one line to the next");
        assert!(tags(&["\"x\",\"a,b\""]).hold(&ETag::new("a,b")) && tags(&["W/\"a,b\""]).name(&ETag::new("a,b")));
        assert!(!tags(&["\"a,b\""]).name(&ETag::new("a")) && !tags(&["\"a,*\""]).name(&ETag::new("b")));
        assert_eq!(tags(&["\"a\"", "*"]), EntityTags::Any);
    }
}

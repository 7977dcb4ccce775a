//! The rule for one segment of a path, which every path type shares.

use crate::limits::SEGMENT_BYTES;

/// The reason why `segment` is not allowed, in words that complete "a path with …"; `None` if it is.
pub(super) fn fault(segment: &str) -> Option<&'static str> {
    match segment {
        "" => Some("an empty segment"),
        "." => Some("a `.` segment"),
        ".." => Some("a `..` segment"),
        _ if segment.len() > SEGMENT_BYTES => Some("a segment over 255 bytes"),
        _ if segment.chars().any(char::is_control) => Some("a NUL or control character"),
        _ => None,
    }
}

/// The reason why the `/`-separated path `relative` is not allowed; `None` if every segment is.
pub(super) fn fault_in(relative: &str) -> Option<&'static str> {
    relative.split('/').find_map(fault)
}

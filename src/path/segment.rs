//! What one segment of a path may be: the rule every path type shares.

use crate::limits::SEGMENT_BYTES;

/// Why `segment` cannot be one, in words that finish "a path with …"; `None` where it can.
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

/// Why the `/`-separated `relative` path cannot be one; `None` where every segment is fine.
pub(super) fn fault_in(relative: &str) -> Option<&'static str> {
    relative.split('/').find_map(fault)
}

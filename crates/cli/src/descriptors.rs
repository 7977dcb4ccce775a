//! The limit of file descriptors, which bounds the connections of a server.

use crate::limits::OTHER_DESCRIPTORS;

/// The connections, `wanted` at most, that the limit of file descriptors leaves room for. The process raises its own limit as far
/// as the system allows.
#[cfg(unix)]
pub(super) fn connections_that_fit(wanted: usize) -> usize {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

    let needed = (wanted + OTHER_DESCRIPTORS) as u64;
    let before = getrlimit(Resource::Nofile);
    if before.current.is_some_and(|current| current < needed) {
        let current = before.maximum.map_or(needed, |maximum| maximum.min(needed));
        // If the system refuses, the limit stays, and is read below.
        let _ = setrlimit(Resource::Nofile, Rlimit { current: Some(current), ..before });
    }
    fitting(wanted, getrlimit(Resource::Nofile).current)
}

/// This system has no such limit.
#[cfg(not(unix))]
pub(super) fn connections_that_fit(wanted: usize) -> usize {
    fitting(wanted, None)
}

/// The connections that `descriptors` leave room for, one at least; `None` is no limit.
fn fitting(wanted: usize, descriptors: Option<u64>) -> usize {
    let room = descriptors.map(|descriptors| usize::try_from(descriptors).unwrap_or(usize::MAX));
    room.map_or(wanted, |room| wanted.min(room.saturating_sub(OTHER_DESCRIPTORS)).max(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn connections_leave_descriptors_for_other_uses() {
        assert_eq!(fitting(4096, None), 4096);
        assert_eq!(fitting(4096, Some(4608)), 4096);
        assert_eq!(fitting(4096, Some(1024)), 512);
        assert_eq!(fitting(4096, Some(100)), 1);
    }
}

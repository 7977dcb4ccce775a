//! Which calls of a turn may run at once.
//!
//! The outcome must be as if the calls had run one after the other. Calls meet if they touch one path and one of them
//! writes. Calls that meet keep their order; all others need not wait.

use super::input::ParsedCall;
use crate::{path::VirtualPath, wire::Access};

/// A place that a call touches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// Reads at or below a path.
    Read(VirtualPath),
    /// Writes at or below a path.
    Write(VirtualPath),
    /// The loaded skills. Every path below `/skills` depends on them, and so does the policy's answer for other paths.
    Session,
}

/// The round each call runs in, counted from 0: a call waits for the rounds before its own.
pub(super) fn rounds<'a>(calls: impl IntoIterator<Item = Option<&'a ParsedCall>>) -> Vec<usize> {
    let touched: Vec<Vec<Place>> = calls.into_iter().map(|call| call.map(places).unwrap_or_default()).collect();
    let mut rounds: Vec<usize> = Vec::with_capacity(touched.len());
    for places in &touched {
        let earlier = touched.iter().zip(&rounds).filter(|(others, _)| meet(places, others));
        rounds.push(earlier.map(|(_, round)| round + 1).max().unwrap_or(0));
    }
    rounds
}

/// The places that a call touches. None if no other call changes anything it looks at. Also none if it fails before any
/// change because its path is invalid.
pub(super) fn places(call: &ParsedCall) -> Vec<Place> {
    let parsed = |path: &str, place: fn(VirtualPath) -> Place| VirtualPath::parse(path).ok().map(place);
    let place = |touch| match touch {
        Access::Reads(path) => parsed(path, Place::Read),
        Access::Writes(path) => parsed(path, Place::Write),
        Access::Session => Some(Place::Session),
    };
    call.touches().into_iter().map(place).collect::<Option<_>>().unwrap_or_default()
}

/// Whether two calls with these places keep their order.
pub(super) fn meet(one: &[Place], other: &[Place]) -> bool {
    one.iter().any(|place| other.iter().any(|other| place.meets(other)))
}

impl Place {
    fn meets(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Read(_), Self::Read(_)) => false,
            (Self::Session, _) | (_, Self::Session) => true,
            (Self::Read(one) | Self::Write(one), Self::Read(two) | Self::Write(two)) => overlap(one, two),
        }
    }
}

fn overlap(one: &VirtualPath, two: &VirtualPath) -> bool {
    one.below(two).is_some() || two.below(one).is_some()
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::wire::Policy;

    fn rounds_of(calls: &[(&str, Value)]) -> Vec<usize> {
        let policy = Policy::default().under(&Policy::default());
        let calls: Vec<_> =
            calls.iter().map(|(name, input)| ParsedCall::parse(name, Ok(input.clone()), &policy).ok()).collect();
        rounds(calls.iter().map(Option::as_ref))
    }

    fn read(path: &str) -> (&'static str, Value) {
        ("read", json!({ "file_path": path }))
    }

    fn write(path: &str) -> (&'static str, Value) {
        ("write", json!({ "file_path": path, "content": "" }))
    }

    #[test]
    fn calls_on_different_paths_run_at_once() {
        assert_eq!(rounds_of(&[write("/workspace/a"), write("/workspace/b"), read("/workspace/ab")]), [0, 0, 0]);
    }

    #[test]
    fn calls_on_one_path_keep_their_order_when_one_of_them_writes() {
        let a = "/workspace/a";
        assert_eq!(rounds_of(&[read(a), read(a), write(a), read(a), read("/workspace/a/")]), [0, 0, 1, 2, 2]);
    }

    #[test]
    fn a_folder_holds_what_lies_below_it() {
        let delete = ("delete", json!({ "path": "/workspace/d" }));
        let (ls, grep) = (("ls", json!({ "path": "/workspace" })), ("grep", json!({ "pattern": "x" })));
        let calls = [write("/workspace/d/x"), delete, ls, grep, read("/workspace/dd")];
        assert_eq!(rounds_of(&calls), [0, 1, 2, 2, 0]);
    }

    #[test]
    fn a_move_touches_both_of_its_paths() {
        let go = ("move", json!({ "from": "/workspace/a", "to": "/ticket/b" }));
        let calls = [read("/workspace/a/x"), write("/ticket/b"), go, read("/ticket/b"), read("/workspace/c")];
        assert_eq!(rounds_of(&calls), [0, 0, 1, 2, 0]);
    }

    #[test]
    fn loading_waits_for_all_before_it_and_all_after_it_wait() {
        let load = ("load_skill", json!({ "skill": "a" }));
        let unload = ("unload_skill", json!({ "skill": "a" }));
        let calls = [read("/workspace/a"), load, read("/skills/a/x"), read("/workspace/a"), unload];
        assert_eq!(rounds_of(&calls), [0, 1, 2, 2, 3]);
    }

    #[test]
    fn a_call_that_fails_before_it_does_anything_keeps_nobody_waiting() {
        let load = ("load_skill", json!({ "skill": "a" }));
        assert_eq!(rounds_of(&[load, ("nothing", json!({})), read("relative")]), [0, 0, 0]);
    }
}

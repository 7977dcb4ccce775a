//! Which calls of a turn may run at once.
//!
//! The outcome must be as if they had run one after the other. Calls that meet, because they touch one path and one of
//! them writes, keep their order; all others need not wait.

use super::input::Call;
use crate::path::VirtualPath;

/// What a call touches.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Touch {
    /// Nothing that other calls change: it looks at the catalog, or fails before it does anything.
    Nothing,
    /// Reads at or below a path.
    Read(VirtualPath),
    /// Writes at or below a path.
    Write(VirtualPath),
    /// Which skills are loaded, which is what every path below `/skills` depends on, and the policy's answer for others.
    Session,
}

/// The round each call runs in, counted from 0: a call waits for the rounds before its own.
pub(super) fn rounds<'a>(calls: impl IntoIterator<Item = Option<&'a Call>>) -> Vec<usize> {
    let touches: Vec<Touch> = calls.into_iter().map(|call| call.map_or(Touch::Nothing, Touch::of)).collect();
    let mut rounds: Vec<usize> = Vec::with_capacity(touches.len());
    for touch in &touches {
        let earlier = touches.iter().zip(&rounds).filter(|(other, _)| touch.meets(other));
        rounds.push(earlier.map(|(_, round)| round + 1).max().unwrap_or(0));
    }
    rounds
}

impl Touch {
    fn of(call: &Call) -> Self {
        let (path, make): (&str, fn(VirtualPath) -> Self) = match call {
            Call::Load(_) | Call::Unload(_) => return Self::Session,
            Call::Discover(_) => return Self::Nothing,
            Call::Ls(request) => (&request.path, Self::Read),
            Call::Read(request) => (&request.file_path, Self::Read),
            Call::Grep(request) => (request.path.as_deref().unwrap_or("/"), Self::Read),
            Call::Glob(request) => (request.path.as_deref().unwrap_or("/"), Self::Read),
            Call::Write(request) => (&request.file_path, Self::Write),
            Call::Edit(request) => (&request.file_path, Self::Write),
            Call::Delete(request) => (&request.path, Self::Write),
        };
        VirtualPath::parse(path).map_or(Self::Nothing, make)
    }

    fn meets(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Nothing, _) | (_, Self::Nothing) | (Self::Read(_), Self::Read(_)) => false,
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
    use crate::session::Policy;

    fn rounds_of(calls: &[(&str, Value)]) -> Vec<usize> {
        let policy = Policy::default().stricter(&Policy::default());
        let calls: Vec<_> = calls.iter().map(|(name, input)| Call::parse(name, input.clone(), &policy).ok()).collect();
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

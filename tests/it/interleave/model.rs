//! The sequential model: the answer of each call, and the skills after it, if calls ran one after the other.

use std::collections::BTreeMap;

/// The skills by path.
pub(super) type State = BTreeMap<&'static str, PathState>;

/// One path: the bodies of the published version and of the draft.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct PathState {
    pub(super) published: Option<&'static str>,
    pub(super) draft: Option<&'static str>,
}

/// The condition of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Condition {
    Any,
    /// `If-Match` with the digest of the skill that has this body.
    Body(&'static str),
    /// `If-None-Match: *`.
    Nothing,
}

/// A call. Texts are the bodies of skills.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Do {
    Publish(&'static str, Condition),
    Draft(&'static str, Condition),
    ToDraft(Condition),
    ToPublished(Condition),
    Text(&'static str, Condition),
    RollBack(&'static str, Condition),
    Delete(Condition),
    /// A read of the published version.
    Read,
    /// Three calls of one client, as `skillmount skills mv` makes them.
    Move(&'static str),
}

/// The answer of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Reply {
    Done,
    /// The body of the version that was read.
    Found(&'static str),
    NotFound,
    Exists,
    Conflict,
    /// Not applied, because another call was under way.
    Contended,
    /// Not applied, because the store failed.
    Unavailable,
    /// Applied, applied in part, or not.
    Unknown,
    /// The service was stopped first.
    Stopped,
}

impl Do {
    pub(super) fn condition(self) -> Condition {
        match self {
            Self::Publish(_, condition)
            | Self::Draft(_, condition)
            | Self::ToDraft(condition)
            | Self::ToPublished(condition)
            | Self::Text(_, condition)
            | Self::RollBack(_, condition)
            | Self::Delete(condition) => condition,
            Self::Read | Self::Move(_) => Condition::Any,
        }
    }

    /// Makes the call on `skill` in the model.
    pub(super) fn apply(self, skill: &'static str, state: &mut State) -> Reply {
        let now = state.get(skill).copied().unwrap_or_default();
        let is_published = now.published.is_some();
        let is_in_another = state.iter().any(|(other, at)| at.published.is_some() && are_nested(skill, other));
        let current = now.published.or(now.draft);
        let is_met = match self.condition() {
            Condition::Any => true,
            Condition::Body(body) => current == Some(body),
            Condition::Nothing => current.is_none(),
        };
        let published = |body| PathState { published: Some(body), draft: None };
        let drafted = |body| PathState { published: None, draft: Some(body) };
        let next = match self {
            Self::Read => return now.published.map_or(Reply::NotFound, Reply::Found),
            Self::Move(_) => unreachable!("a move is made of other calls"),
            Self::Draft(..) if is_published => return Reply::Exists,
            Self::Publish(_, Condition::Nothing) if !is_met => return Reply::Conflict,
            Self::Publish(..) | Self::RollBack(..) | Self::Draft(..) if !is_published && is_in_another => {
                return Reply::Exists;
            }
            Self::ToDraft(_) | Self::ToPublished(_) | Self::Text(..) | Self::Delete(Condition::Any)
                if current.is_none() =>
            {
                return Reply::NotFound;
            }
            _ if !is_met => return Reply::Conflict,
            Self::ToDraft(_) | Self::ToPublished(_) | Self::Text(..) if !is_published && is_in_another => {
                return Reply::Exists;
            }
            Self::Publish(body, _) | Self::RollBack(body, _) => published(body),
            Self::ToDraft(_) => drafted(current.unwrap()),
            Self::ToPublished(_) => published(current.unwrap()),
            Self::Text(body, _) if is_published => published(body),
            Self::Draft(body, _) | Self::Text(body, _) => drafted(body),
            Self::Delete(_) if is_published => PathState { published: None, ..now },
            Self::Delete(_) => PathState::default(),
        };
        state.insert(skill, next);
        Reply::Done
    }
}

/// Whether one path lies in the other.
fn are_nested(one: &str, other: &str) -> bool {
    let is_in = |inner: &str, outer: &str| inner.strip_prefix(outer).is_some_and(|rest| rest.starts_with('/'));
    is_in(one, other) || is_in(other, one)
}

/// One call of a history.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    pub(super) skill: &'static str,
    pub(super) call: Do,
    pub(super) reply: Reply,
    /// The times of its begin and its end.
    pub(super) begun: usize,
    pub(super) ended: usize,
}

/// Whether some order of the calls, in which none runs before another that had ended when it began, gives these answers and
/// leaves this state.
pub(super) fn is_linearizable(before: &State, history: &[Entry], after: &State) -> bool {
    let left: Vec<usize> = (0..history.len()).collect();
    search(before, history, &left, after)
}

fn search(state: &State, history: &[Entry], left: &[usize], after: &State) -> bool {
    if left.is_empty() {
        return state == after;
    }
    left.iter().any(|&next| {
        let entry = &history[next];
        if left.iter().any(|&other| history[other].ended < entry.begun) {
            return false;
        }
        let rest: Vec<usize> = left.iter().copied().filter(|&other| other != next).collect();
        let mut changed = state.clone();
        let reply = entry.call.apply(entry.skill, &mut changed);
        match entry.reply {
            // It may have had its effect, or not.
            Reply::Stopped | Reply::Unknown => {
                search(&changed, history, &rest, after) || search(state, history, &rest, after)
            }
            Reply::Contended | Reply::Unavailable => search(state, history, &rest, after),
            given => given == reply && search(&changed, history, &rest, after),
        }
    })
}

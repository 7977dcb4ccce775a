//! The assessment of one round of a race, without any request.

use crate::{Cause, StoreError, StoreResult};

/// Whether the service can rely on the conditional writes of a store.
#[derive(Clone, Debug)]
pub enum Conditions {
    /// One write of each race succeeded, and no write whose condition does not hold.
    Honoured,
    /// A write succeeded that must not, or the store does not support the condition. The service must not write.
    Broken {
        /// The condition, by its name in S3.
        which: &'static str,
        /// The wrong behaviour of the store.
        how: String,
    },
    /// The race could not be run to its end, so nothing is proven.
    Unknown {
        /// Why not.
        why: String,
    },
    /// The store lets these credentials write nothing at all.
    Denied(StoreError),
}

/// The task of the writes of one round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Contest {
    /// To create an object that does not exist.
    Create,
    /// To replace the object, with its etag.
    RightTag,
    /// To replace the object, with the etag of an earlier version.
    StaleTag,
    /// To replace an object that does not exist.
    MissingObject,
}

impl Contest {
    /// The rounds of a race, in their order.
    pub(super) const ALL: [Self; 4] = [Self::Create, Self::RightTag, Self::StaleTag, Self::MissingObject];

    /// The condition, by its name in S3.
    fn condition(self) -> &'static str {
        if self == Self::Create { "If-None-Match: *" } else { "If-Match" }
    }

    /// Whether one of the writes must succeed. Otherwise none may.
    fn has_winner(self) -> bool {
        matches!(self, Self::Create | Self::RightTag)
    }

    /// The writes of a round, for messages.
    fn writes(self) -> &'static str {
        match self {
            Self::Create => "concurrent creates",
            Self::RightTag => "concurrent writes with the right etag",
            Self::StaleTag => "writes with an old etag",
            Self::MissingObject => "writes with an etag on a missing object",
        }
    }
}

/// The answer to one write of a round.
#[derive(Clone, Debug)]
pub(super) enum Attempt {
    /// It succeeded.
    Won,
    /// Its condition does not hold.
    Refused,
    /// The store asks for fewer writes, or another write was under way.
    Limited,
    /// The store does not support the condition.
    Unsupported,
    /// An operator must allow it first.
    Denied(StoreError),
    /// There was no answer, or none that says what happened.
    Lost(StoreError),
}

impl Attempt {
    pub(super) fn from_answer<T>(answer: StoreResult<T>) -> Self {
        match answer {
            Ok(_) => Self::Won,
            Err(StoreError::PreconditionFailed | StoreError::NotFound) => Self::Refused,
            Err(StoreError::Busy) => Self::Limited,
            Err(StoreError::Unsupported(_)) => Self::Unsupported,
            Err(error @ StoreError::Denied(_)) => Self::Denied(error),
            Err(error) => match error.cause() {
                Some(Cause::Throttled | Cause::ServerFault { status: 503 }) => Self::Limited,
                Some(Cause::Rejected { .. }) => Self::Unsupported,
                _ => Self::Lost(error),
            },
        }
    }
}

/// The content of the object after a round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Content {
    /// The same as before the round, or still nothing.
    Unchanged,
    /// That of the write of this number.
    Written(usize),
    /// None that a write of this round could leave.
    Other,
    /// The read failed.
    Unread,
}

/// The result of one round.
#[derive(Clone, Debug)]
pub(super) enum RoundResult {
    /// The store kept the condition. The number is that of the write that won, if the round has a winner.
    Passed(Option<usize>),
    /// Nothing was written and nothing proven. Another round may show more.
    Repeat,
    /// The race ends.
    Ended(Conditions),
}

/// Decides a round by the answers to its writes and the content afterwards.
pub(super) fn assess(contest: Contest, attempts: &[Attempt], stored: Content) -> RoundResult {
    let count = |is: fn(&Attempt) -> bool| attempts.iter().filter(|attempt| is(attempt)).count();
    let winners = count(|attempt| matches!(attempt, Attempt::Won));
    let (all, writes) = (attempts.len(), contest.writes());
    let broken = |how: String| RoundResult::Ended(Conditions::Broken { which: contest.condition(), how });
    if winners > usize::from(contest.has_winner()) {
        return broken(format!("{winners} of {all} {writes} succeeded"));
    }
    let winner = attempts.iter().position(|attempt| matches!(attempt, Attempt::Won));
    match (winner, stored) {
        (_, Content::Unread) => return unknown(format!("the object could not be read after {writes}")),
        (Some(winner), Content::Written(number)) if winner == number => return RoundResult::Passed(Some(winner)),
        (Some(_), _) => return broken(format!("one of {all} {writes} succeeded, and the content is another one's")),
        // A reply that was lost hides its winner.
        (None, Content::Written(number))
            if contest.has_winner() && matches!(attempts.get(number), Some(Attempt::Lost(_))) =>
        {
            return unknown(format!("the reply to the winner of {all} {writes} was lost"));
        }
        (None, Content::Written(_) | Content::Other) => {
            return broken(format!("none of {all} {writes} succeeded, and one of them changed the object"));
        }
        (None, Content::Unchanged) => {}
    }
    let refused = count(|attempt| matches!(attempt, Attempt::Refused));
    if count(|attempt| matches!(attempt, Attempt::Unsupported)) > 0 {
        broken("the store does not support it".to_owned())
    } else if refused > 0 && !contest.has_winner() {
        RoundResult::Passed(None)
    } else if refused == all {
        broken(format!("the store refused all of {all} {writes}"))
    } else if let Some(denied) = all_denied(attempts) {
        RoundResult::Ended(Conditions::Denied(denied))
    } else {
        RoundResult::Repeat
    }
}

/// The first denial, if every write was denied.
fn all_denied(attempts: &[Attempt]) -> Option<StoreError> {
    let denials = attempts.iter().map(|attempt| match attempt {
        Attempt::Denied(error) => Some(error.clone()),
        _ => None,
    });
    denials.collect::<Option<Vec<_>>>()?.into_iter().next()
}

fn unknown(why: String) -> RoundResult {
    RoundResult::Ended(Conditions::Unknown { why })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lost() -> Attempt {
        Attempt::Lost(StoreError::unknown("the reply was lost"))
    }

    fn denied() -> Attempt {
        Attempt::Denied(StoreError::denied(Cause::DiskFull, "no space"))
    }

    /// The result of a round in a word: the number of the winner, or what ended it.
    fn word(contest: Contest, attempts: &[Attempt], stored: Content) -> String {
        match assess(contest, attempts, stored) {
            RoundResult::Passed(winner) => format!("passed {winner:?}"),
            RoundResult::Repeat => "repeat".to_owned(),
            RoundResult::Ended(Conditions::Broken { how, .. }) => format!("broken: {how}"),
            RoundResult::Ended(Conditions::Unknown { why }) => format!("unknown: {why}"),
            RoundResult::Ended(Conditions::Denied(_)) => "denied".to_owned(),
            RoundResult::Ended(Conditions::Honoured) => "honoured".to_owned(),
        }
    }

    #[test]
    fn a_race_has_one_winner_whose_content_stays() {
        use Attempt::{Limited, Refused, Unsupported, Won};
        let race = |attempts: &[Attempt], stored| word(Contest::Create, attempts, stored);
        assert_eq!(race(&[Refused, Won, Refused], Content::Written(1)), "passed Some(1)");
        assert_eq!(race(&[Limited, lost(), Won], Content::Written(2)), "passed Some(2)", "these count as not won");
        assert_eq!(race(&[Won, Refused, Won], Content::Written(2)), "broken: 2 of 3 concurrent creates succeeded");
        for stored in [Content::Written(0), Content::Unchanged, Content::Other] {
            assert!(race(&[Refused, Won], stored).starts_with("broken: one of 2"), "{stored:?}");
        }
        assert!(race(&[Refused, lost()], Content::Written(1)).starts_with("unknown: the reply"));
        assert!(race(&[Refused, lost()], Content::Written(0)).starts_with("broken: none of 2"));
        assert!(race(&[Refused, Won], Content::Unread).starts_with("unknown: "));
        assert!(race(&[Refused, Refused], Content::Unchanged).starts_with("broken: the store refused all"));
        assert_eq!(race(&[Limited, Refused, lost()], Content::Unchanged), "repeat");
        assert_eq!(race(&[denied(), denied()], Content::Unchanged), "denied");
        assert_eq!(race(&[denied(), Limited], Content::Unchanged), "repeat");
        assert!(race(&[Unsupported, Unsupported], Content::Unchanged).starts_with("broken: the store does not"));
    }

    #[test]
    fn no_write_with_an_old_etag_or_on_a_missing_object_succeeds() {
        use Attempt::{Limited, Refused, Won};
        for contest in [Contest::StaleTag, Contest::MissingObject] {
            let race = |attempts: &[Attempt], stored| word(contest, attempts, stored);
            assert_eq!(race(&[Refused, Limited, lost()], Content::Unchanged), "passed None");
            assert!(race(&[Refused, Won], Content::Written(1)).starts_with("broken: 1 of 2"));
            assert!(race(&[Refused, lost()], Content::Written(1)).starts_with("broken: none of 2"));
            assert_eq!(race(&[Limited, lost()], Content::Unchanged), "repeat", "no refusal was seen");
        }
    }
}

//! A run over many skills: the error of one skill stays with that skill, and the run goes on with the others.

use std::{cmp::Reverse, sync::OnceLock};

use serde::{Serialize, Serializer};

use crate::{
    counts::counted,
    error::{Code, Error, Kind, Result, with_causes},
    failure::for_people,
};

/// Why one skill of a run was left as it is.
#[derive(Clone, Debug, Serialize)]
pub(super) struct SkillRefusal {
    #[serde(serialize_with = "by_name")]
    code: Code,
    message: String,
}

impl SkillRefusal {
    fn from_error(error: &Error) -> Self {
        let causes = with_causes(error).skip(1).map(ToString::to_string);
        let message = causes.fold(for_people(error.message()), |text, cause| {
            if text.contains(&cause) { text } else { format!("{text}: {cause}") }
        });
        Self { code: error.code(), message }
    }

    /// The message of the error, with its causes.
    pub(super) fn message(&self) -> &str {
        &self.message
    }

    /// Whether the same command may succeed later.
    pub(super) fn is_passing(&self) -> bool {
        matches!(self.code.kind(), Kind::Unavailable | Kind::TooMany)
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it with a reference")]
fn by_name<S: Serializer>(code: &Code, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(code.as_str())
}

/// A run over many skills. It stops at an error that concerns all of them.
#[derive(Debug, Default)]
pub(super) struct Run {
    stopped: OnceLock<Error>,
}

impl Run {
    /// Does `work` on one skill. `None` if the run has stopped before this skill was done.
    pub(super) async fn on_one<T>(&self, work: impl Future<Output = Result<T>>) -> Option<Result<T, SkillRefusal>> {
        if self.stopped.get().is_some() {
            return None;
        }
        match work.await {
            Ok(done) => Some(Ok(done)),
            Err(error) if concerns_all(error.code()) => {
                // Ignore the error: the skills on their way fail for the same reason, and the first one says it.
                let _ = self.stopped.set(error);
                None
            }
            Err(error) => Some(Err(SkillRefusal::from_error(&error))),
        }
    }

    /// Why the run stopped; `None` if it went on to the end.
    pub(super) fn stopped(self) -> Option<Error> {
        self.stopped.into_inner()
    }
}

/// Whether the next skill would fail for the same reason.
const fn concerns_all(code: Code) -> bool {
    matches!(code, Code::StoreUnavailable | Code::Unauthenticated | Code::Denied | Code::ReadOnly)
}

/// The error of a run in which these skills were refused, each with its name. `None` if none was.
pub(super) fn refused<'run>(skills: impl IntoIterator<Item = (&'run str, &'run SkillRefusal)>) -> Option<Error> {
    let skills: Vec<_> = skills.into_iter().collect();
    let (skill, refusal) = skills.iter().min_by_key(|(_, refusal)| Reverse(gravity(refusal.code.kind())))?;
    let message = match skills.len() {
        1 => format!("{skill} was refused: {}", refusal.message),
        many => format!("{} were refused; the line of each says why", counted(many, "skill")),
    };
    Some(Error::new(refusal.code, message))
}

/// The error that decides the exit status: the first of the gravest.
pub(super) fn gravest(errors: impl IntoIterator<Item = Error>) -> Option<Error> {
    errors.into_iter().min_by_key(|error| Reverse(gravity(error.kind())))
}

/// How grave an error is: a bug is the gravest, and wrong input the least.
const fn gravity(kind: Kind) -> u8 {
    match kind {
        Kind::InvalidInput => 0,
        Kind::NotFound | Kind::Conflict => 1,
        Kind::Unauthenticated | Kind::Denied => 2,
        Kind::TooLarge | Kind::TooMany | Kind::Unavailable => 3,
        Kind::Internal => 4,
    }
}

#[cfg(test)]
mod tests {
    use std::io;

    use super::*;

    async fn done(run: &Run, code: Option<Code>) -> Option<Result<(), Code>> {
        let work = async { code.map_or(Ok(()), |code| Err(Error::new(code, "it fails"))) };
        run.on_one(work).await.map(|outcome| outcome.map_err(|refusal| refusal.code))
    }

    #[tokio::test]
    async fn a_run_goes_on_after_the_error_of_one_skill_and_stops_at_one_that_concerns_all() {
        let run = Run::default();
        assert_eq!(done(&run, Some(Code::Internal)).await, Some(Err(Code::Internal)));
        assert_eq!(done(&run, Some(Code::RateLimited)).await, Some(Err(Code::RateLimited)));
        assert_eq!(done(&run, None).await, Some(Ok(())));
        assert_eq!(done(&run, Some(Code::StoreUnavailable)).await, None);
        assert_eq!(done(&run, None).await, None, "the run has stopped");
        assert_eq!(run.stopped().unwrap().code(), Code::StoreUnavailable);
    }

    #[test]
    fn the_gravest_error_decides_and_one_skill_is_named_with_its_causes() {
        let refusal = |code| {
            SkillRefusal::from_error(&Error::new(code, "a cannot be read").with_source(io::Error::other("no right")))
        };
        let one = refusal(Code::InvalidRequest);
        assert_eq!(refused([("s", &one)]).unwrap().message(), "s was refused: a cannot be read: no right");
        let many =
            refused([("s", &one), ("t", &refusal(Code::Internal)), ("u", &refusal(Code::FileTooLarge))]).unwrap();
        assert_eq!((many.code(), many.message()), (Code::Internal, "3 skills were refused; the line of each says why"));
        assert!(refused([]).is_none() && gravest([]).is_none());
        let errors =
            [Code::InvalidRequest, Code::VersionConflict, Code::SkillNotFound].map(|code| Error::new(code, ""));
        assert_eq!(gravest(errors).unwrap().code(), Code::VersionConflict);
        assert!(refusal(Code::RateLimited).is_passing() && !one.is_passing());
    }
}

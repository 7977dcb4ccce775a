//! The account of an operation: name, subject, outcome and duration.
//!
//! The account has two readers. The log writes it at the level `debug`, and puts the subject into words only if that
//! level is on. The [`Observer`] of the service also learns who called, and which files and skills changed.

use std::sync::Arc;

use tokio::time::Instant;

use super::{caller::Caller, core::Core};
use crate::{
    error::{Code, Error, Outcome, Parts, Result, result_name},
    limits::{AUDIT_INPUT_BYTES, AUDIT_SUBJECT_BYTES},
    observer::{EffectsRecorder, ObservedCall, ObservedOperation, Observer, RecordWritten},
    operation_note::{OperationNote, milliseconds},
    path::Id,
    wire::{CallOutline, Effect, Operation},
};

/// An operation that has begun, for the log and for the observer.
pub(crate) struct Account {
    note: OperationNote,
    report: Option<OperationReport>,
}

/// The report to the observer. If the caller goes away, dropping it sends it.
struct OperationReport {
    observer: Arc<dyn Observer>,
    call: Option<ObservedCall>,
    effects: EffectsRecorder,
    effect: Effect,
    began: Instant,
}

impl OperationReport {
    fn begin(observer: &Arc<dyn Observer>, call: ObservedCall, effect: Effect, effects: EffectsRecorder) -> Self {
        observer.begun(&call);
        Self { observer: Arc::clone(observer), call: Some(call), effects, effect, began: Instant::now() }
    }

    fn report(&mut self, outcome: &'static str, error: Option<&Error>) -> Option<RecordWritten> {
        self.observer.ended(ObservedOperation {
            call: self.call.take()?,
            outcome,
            changed: error.and_then(Error::outcome),
            milliseconds: milliseconds(self.began),
            effects: self.effects.take(),
        })
    }
}

impl Drop for OperationReport {
    fn drop(&mut self) {
        // The change may still be under way, so the call does not wait for its record.
        drop(self.report("abandoned", None));
    }
}

impl Account {
    /// Reports the outcome of the operation, and returns it once the change has its record. An operation that failed
    /// may have made a change too.
    ///
    /// # Errors
    /// The operation's; `store_unavailable` with `parts` if it made a change that could not be recorded. If the
    /// operation failed too, its own error has the `parts`.
    pub(crate) async fn ended<T>(self, outcome: Result<T>) -> Result<T> {
        let outcome = self.note.ended(outcome);
        let Some(mut report) = self.report else { return outcome };
        let Some(kept) = report.report(result_name(&outcome), outcome.as_ref().err()) else { return outcome };
        match (kept.await, outcome) {
            (Ok(()), outcome) => outcome,
            (Err(error), Ok(_)) => Err(unrecorded(report.effect, error)),
            (Err(error), Err(failed)) => Err(failed_unrecorded(report.effect, failed, &error)),
        }
    }
}

/// The error of a change that was made and has no record.
fn unrecorded(effect: Effect, error: Error) -> Error {
    let parts = Parts { audit: Some(audit_outcome(&error)), ..parts_of(effect, Some(Outcome::Applied)) };
    let message =
        "the change was made, but its audit record could not be written; look at what is there before you repeat it";
    Error::new(Code::StoreUnavailable, message).with_source(error).with_parts(parts)
}

/// The error of an operation that failed, may have changed something and has no record. `error` is why.
fn failed_unrecorded(effect: Effect, failed: Error, error: &Error) -> Error {
    let parts = failed.parts().unwrap_or_else(|| parts_of(effect, failed.outcome()));
    failed.with_parts(Parts { audit: Some(audit_outcome(error)), ..parts })
}

/// The outcome of a record that could not be written because of `error`.
fn audit_outcome(error: &Error) -> Outcome {
    if error.outcome() == Some(Outcome::Unknown) { Outcome::Unknown } else { Outcome::NotApplied }
}

/// The parts of a change of one part, which has this outcome.
fn parts_of(effect: Effect, outcome: Option<Outcome>) -> Parts {
    match effect {
        Effect::Writes => Parts { file: outcome, ..Parts::default() },
        Effect::Loads | Effect::Reads => Parts { session: outcome, ..Parts::default() },
    }
}

impl Account {
    /// Begins the account of an operation that a call makes. `subject` describes its subject, and `input` is the input
    /// without contents.
    pub(crate) fn of_operation(
        core: &Core,
        (caller, session): (&Caller, &Id),
        operation: Operation,
        call_id: Option<&str>,
        subject: impl Fn() -> String,
        input: impl FnOnce() -> CallOutline,
    ) -> Self {
        let note = OperationNote::begin((caller.user(), Some(session)), operation.name(), &subject);
        let report = core.observer().map(|observer| {
            // The query of a search is an input, and no path.
            let subject = if operation == Operation::DiscoverSkills { String::new() } else { cut(subject()) };
            let call = observed(core, (caller, Some(session)), operation.name(), subject, operation.effect());
            let id = call_id.map_or(call.call, ToString::to_string);
            let call = ObservedCall { input: Some(input().within(AUDIT_INPUT_BYTES)), call: id, ..call };
            OperationReport::begin(observer, call, operation.effect(), EffectsRecorder::default())
        });
        Self { note, report }
    }

    /// Begins the account of a change or a read beside the operations of agents. `effects` records its effects.
    pub(crate) fn of_action(
        core: &Core,
        (caller, session): (&Caller, Option<&Id>),
        (action, effect): (&'static str, Effect),
        subject: &str,
        effects: &EffectsRecorder,
    ) -> Self {
        let note = OperationNote::begin((caller.user(), session), action, || subject.to_owned());
        let report = core.observer().map(|observer| {
            let call = observed(core, (caller, session), action, cut(subject.to_owned()), effect);
            OperationReport::begin(observer, call, effect, effects.clone())
        });
        Self { note, report }
    }

    /// The recorder of the call's effects, if an observer keeps records.
    pub(crate) fn effects(&self) -> Option<EffectsRecorder> {
        self.report.as_ref().map(|report| report.effects.clone())
    }
}

fn observed(
    core: &Core,
    (caller, session): (&Caller, Option<&Id>),
    operation: &'static str,
    subject: String,
    effect: Effect,
) -> ObservedCall {
    ObservedCall {
        user: caller.user().clone(),
        session: session.cloned(),
        by: caller.key().map(str::to_owned),
        call: format!("{:016x}", core.clock().random() & u128::from(u64::MAX)),
        operation,
        subject,
        input: None,
        is_change: effect != Effect::Reads,
    }
}

/// The beginning of a text, as much as a record holds.
fn cut(mut text: String) -> String {
    text.truncate(text.floor_char_boundary(AUDIT_SUBJECT_BYTES));
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_record_is_about_is_cut_at_the_limit_and_at_a_character() {
        let longest = "é".repeat(AUDIT_SUBJECT_BYTES / 2);
        assert_eq!(cut(longest.clone()), longest);
        assert_eq!(cut(format!("{longest}a")), longest);
        assert_eq!(cut(format!("a{longest}")).len(), AUDIT_SUBJECT_BYTES - 1);
    }
}

//! What is said of an operation: its name, what it was about, what came of it, and how long it took.
//!
//! Two hear it. The log does at the level `debug`, so that a service says it only if it is asked to; what an operation is
//! about is put into words only if somebody hears it. The [`Observer`](super::Observer) of the service also hears who
//! called, and which files and skills became what.

use std::{future::Future, sync::Arc};

use tokio::time::Instant;

use super::{
    Service, SessionBackend,
    observer::{Effects, EffectsRecorder, ObservedCall, ObservedOperation, Observer, RecordWritten},
};
use crate::{
    error::{Code, Error, Outcome, Parts, Result},
    limits::{AUDIT_INPUT_BYTES, AUDIT_SUBJECT_BYTES},
    path::Id,
    wire::{CallOutline, Effect, Operation},
};

/// An operation that has begun, for the log.
pub(crate) struct OperationNote<'who> {
    user: &'who Id,
    session: Option<&'who Id>,
    operation: &'static str,
    subject: Option<String>,
    began: Instant,
}

impl<'who> OperationNote<'who> {
    /// Notes that `operation` begins in this session. `subject` says what it is about.
    pub(crate) fn begin(
        (user, session): (&'who Id, Option<&'who Id>),
        operation: &'static str,
        subject: impl FnOnce() -> String,
    ) -> Self {
        let is_read = tracing::enabled!(tracing::Level::DEBUG);
        Self { user, session, operation, subject: is_read.then(subject), began: Instant::now() }
    }

    /// Writes the note, and returns what came of the operation.
    pub(crate) fn ended<T>(self, outcome: Result<T>) -> Result<T> {
        let Self { user, session, operation, subject: Some(subject), began } = self else { return outcome };
        let (ms, result) = (milliseconds(began), result_of(&outcome));
        if let Some(session) = session {
            tracing::debug!(operation, subject, result, ms, %user, %session, "operation");
        } else {
            tracing::debug!(operation, subject, result, ms, %user, "operation");
        }
        outcome
    }
}

fn milliseconds(began: Instant) -> f64 {
    (began.elapsed().as_secs_f64() * 1e6).round() / 1e3
}

fn result_of<T>(outcome: &Result<T>) -> &'static str {
    outcome.as_ref().map_or_else(|error| error.code().as_str(), |_| "ok")
}

/// An operation that has begun, for the log and for the observer.
pub(super) struct OperationSpan<'who> {
    note: OperationNote<'who>,
    account: Option<OperationReport>,
}

/// What is reported to the observer, at the latest when the caller goes away.
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
        // The change may be under way still, so nobody waits for what is kept of it.
        drop(self.report("abandoned", None));
    }
}

impl OperationSpan<'_> {
    /// Reports what came of the operation, and returns it once a change is kept account of: also one that was made, or may have
    /// been, by an operation that failed.
    ///
    /// # Errors
    /// The operation's; `store_unavailable` with `parts` if it made a change and no account could be kept of it. If it failed too,
    /// its own error has the `parts`.
    pub(super) async fn ended<T>(self, outcome: Result<T>) -> Result<T> {
        let outcome = self.note.ended(outcome);
        let Some(mut account) = self.account else { return outcome };
        let Some(kept) = account.report(result_of(&outcome), outcome.as_ref().err()) else { return outcome };
        match (kept.await, outcome) {
            (Ok(()), outcome) => outcome,
            (Err(error), Ok(_)) => Err(unrecorded(account.effect, error)),
            (Err(error), Err(failed)) => Err(failed_unrecorded(account.effect, failed, &error)),
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

/// The error of an operation that failed after it changed something, or may have, and has no record. `error` is why.
fn failed_unrecorded(effect: Effect, failed: Error, error: &Error) -> Error {
    let parts = failed.parts().unwrap_or_else(|| parts_of(effect, failed.outcome()));
    failed.with_parts(Parts { audit: Some(audit_outcome(error)), ..parts })
}

/// What became of the record that could not be written because of `error`.
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

impl SessionBackend {
    /// Reports that `operation` begins in this session, with an `input` without contents. Returns the handle to do it with, which notes what it does.
    pub(super) fn begin(
        &self,
        operation: Operation,
        subject: impl Fn() -> String,
        input: impl FnOnce() -> CallOutline,
    ) -> (Self, OperationSpan<'_>) {
        let who = (self.user(), Some(&self.session));
        let note = OperationNote::begin(who, operation.name(), &subject);
        let account = self.shared.observer.as_ref().map(|observer| {
            // What is searched for is an input, and no path.
            let subject = if operation == Operation::DiscoverSkills { String::new() } else { cut(subject()) };
            let call = self.shared.call(who, self.by.as_deref(), operation.name(), subject, operation.effect());
            let id = self.call.as_ref().map_or(call.call, ToString::to_string);
            let call = ObservedCall { input: Some(input().within(AUDIT_INPUT_BYTES)), call: id, ..call };
            OperationReport::begin(observer, call, operation.effect(), EffectsRecorder::default())
        });
        let mut backend = self.clone();
        backend.effects = account.as_ref().map(|account| account.effects.clone());
        (backend, OperationSpan { note, account })
    }
}

/// Who makes a call beside the agent's operations.
#[derive(Clone, Copy, Debug)]
pub struct Actor<'who> {
    /// Whose data it is about.
    pub user: &'who Id,
    /// The session, if it is about one.
    pub session: Option<&'who Id>,
    /// The name of the caller's key.
    pub by: Option<&'who str>,
}

macro_rules! actions {
    ($($variant:ident $name:literal $effect:ident $doc:literal;)*) => {
        /// A change, or a read of contents, beside the agent's operations.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Action {
            $(#[doc = $doc] $variant,)*
        }

        impl Action {
            /// Every action, in the order of the table.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];

            /// What records call it: as clients of the HTTP interface do.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }

            const fn effect(self) -> Effect {
                match self { $(Self::$variant => Effect::$effect,)* }
            }
        }
    };
}

// Name in records, and what it does.
actions! {
    CreateSession "create_session" Loads "A session is made.";
    ChangeSession "change_session" Loads "Policy, variables or current skill of a session, or that it was given the listing.";
    ForgetSession "forget_session" Loads "A session is forgotten.";
    DecideApproval "decide_approval" Loads "A call that waits for approval is allowed or denied.";
    SetUserPolicy "set_user_policy" Writes "The policy of a user.";
    PublishSkill "publish_skill" Writes "A new version of a skill.";
    ChangeSkill "change_skill" Writes "What a skill is: its description, its body, or whether it is a draft.";
    RollBackSkill "roll_back_skill" Writes "Back to an earlier version of a skill.";
    DeleteSkill "delete_skill" Writes "A skill is deleted.";
    RefreshCatalog "refresh_catalog" Reads "The catalog is read again.";
    RebuildCatalog "rebuild_catalog" Reads "What is kept of the catalog is made anew.";
    CollectSessions "collect_sessions" Loads "Sessions that were idle for long are forgotten.";
    ShowSkill "show_skill" Reads "The instructions of a skill, or its folder as an archive, are read without a session.";
    GetSkillFile "get_skill_file" Reads "A file of a skill is read without a load.";
    DownloadSkills "download_skills" Reads "Files of skills are read without a load.";
    DiffVersions "diff_versions" Reads "What differs between two versions of a skill is read.";
    ExportUser "export_user" Reads "All that there is of a user is read.";
}

impl Service {
    /// Does `work`, and reports it as `action` on `subject`. `effects` reads from its result what it did.
    ///
    /// # Errors
    /// Those of `work`; `store_unavailable` with `parts` if the change was made and no account could be kept of it.
    pub async fn observed<T>(
        &self,
        who: Actor<'_>,
        action: Action,
        subject: &str,
        effects: impl FnOnce(&T) -> Effects,
        work: impl Future<Output = Result<T>>,
    ) -> Result<T> {
        let note = EffectsRecorder::default();
        let noted = note.clone();
        let work = Box::pin(async move {
            let reply = work.await?;
            noted.change(|noted| *noted = effects(&reply));
            Ok(reply)
        });
        self.observed_noting(who, action, subject, &note, work).await
    }

    /// Does `work`, which notes in `effects` what it does, and reports it as `action` on `subject`.
    ///
    /// # Errors
    /// As [`observed`](Self::observed).
    pub async fn observed_noting<T>(
        &self,
        who: Actor<'_>,
        action: Action,
        subject: &str,
        effects: &EffectsRecorder,
        work: impl Future<Output = Result<T>>,
    ) -> Result<T> {
        let named = (who.user, who.session);
        let note = OperationNote::begin(named, action.name(), || subject.to_owned());
        let account = self.shared.observer.as_ref().map(|observer| {
            let call = self.shared.call(named, who.by, action.name(), cut(subject.to_owned()), action.effect());
            OperationReport::begin(observer, call, action.effect(), effects.clone())
        });
        OperationSpan { note, account }.ended(work.await).await
    }
}

impl super::service::Shared {
    fn call(
        &self,
        (user, session): (&Id, Option<&Id>),
        by: Option<&str>,
        operation: &'static str,
        subject: String,
        effect: Effect,
    ) -> ObservedCall {
        ObservedCall {
            user: user.clone(),
            session: session.cloned(),
            by: by.map(str::to_owned),
            call: format!("{:016x}", self.clock.random() & u128::from(u64::MAX)),
            operation,
            subject,
            input: None,
            is_change: effect != Effect::Reads,
        }
    }
}

/// The beginning of a text, as much as a record holds.
fn cut(mut text: String) -> String {
    text.truncate(text.floor_char_boundary(AUDIT_SUBJECT_BYTES));
    text
}

/// The paths of an operation on several files.
pub(crate) fn paths_of<'path>(paths: impl Iterator<Item = &'path str>) -> String {
    paths.collect::<Vec<_>>().join(" ")
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

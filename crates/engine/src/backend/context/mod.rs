//! One call: who makes it, in which session, what that session allows, and what is reported of it.
//!
//! In the order of a call: a [`Caller`] is made once, at the door of a surface. A [`Context`] is one call of that caller in one
//! session. An [`OperationSpan`] begins the account of its operation, and its [`Admission`] is the only way on: session and
//! policies, read once, with the approval that they ask for. A surface takes the headers of its answer from the [`CallReport`]. What
//! authors and operators do beside operations enters through an [`Author`].

mod account;
mod admission;
mod ahead;
mod approval;
mod author;
mod call;
mod call_input;
mod caller;
mod effects;
mod listing_note;
mod observer;
mod operation_span;
mod progress;
mod refusal;
mod report;
mod seen;
mod state;

pub use account::OperationNote;
pub use account::paths_of;
pub(super) use admission::{Admission, PendingAdmission, permit};
pub use approval::check_content;
pub(super) use approval::check_preload;
pub use author::{Action, Author};
pub(super) use call::Context;
pub(super) use call_input::CallInput;
pub use caller::Caller;
pub(super) use observer::content_digest;
pub use observer::{
    ChangeEffect, Effects, EffectsRecorder, ObservedCall, ObservedOperation, Observer, RankedPaths, RecordWritten,
    SkillUse,
};
pub(super) use operation_span::OperationSpan;
pub use progress::Progress;
pub(super) use refusal::Refusal;
pub use report::CallReport;
pub use state::SessionState;

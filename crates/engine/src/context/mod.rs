//! A call: caller, session, permissions and report.
//!
//! In the order of a call: a surface makes a [`Caller`] once, at its door. A `Context` is a call of this caller in a
//! session. An `OperationSpan` begins the account of the operation, which goes on only with an `Admission`: session
//! and policies, read once, with the approval that they ask for. A surface takes the headers of its answer from the
//! [`CallReport`]. Actions of authors and operators beside operations enter through an [`Author`].

mod account;
mod admission;
mod ahead;
mod approval;
mod author;
mod budgets;
mod call;
mod call_input;
mod caller;
mod core;
mod effects;
mod hook_note;
mod may_see;
mod operation_span;
mod progress;
mod refusal;
mod report;
mod seen;
mod state;
mod visible;

pub(crate) use self::core::Core;
pub(crate) use admission::{Admission, PendingAdmission, permit};
pub(crate) use approval::check_preload;
pub use approval::{Approvals, check_content};
pub(crate) use author::author_of_call;
pub use author::{Action, Author};
pub use budgets::Budgets;
pub(crate) use call::Context;
pub(crate) use call_input::CallInput;
pub use caller::Caller;
pub(crate) use effects::{record_file, record_found, record_skill, recorded_digest};
pub use hook_note::HookNote;
pub(crate) use hook_note::record_hook;
pub(crate) use may_see::may_see;
pub(crate) use operation_span::OperationSpan;
pub use progress::Progress;
pub(crate) use refusal::Refusal;
pub use report::CallReport;
pub(crate) use report::{cached_prompt_tag, call_report};
pub use state::SessionState;
pub(crate) use visible::{catalog_policy, summary, summary_of, visible_sessions};

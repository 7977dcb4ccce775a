//! The audit records: caller, session, operation, paths and outcome of each call.
//!
//! A service reports every operation to the [`Recorder`], which writes records in batches, one object for many of them.
//! [`AuditLog`] reads them, and [`usage()`] makes figures of them. A record names paths and digests, and never a content or
//! a question. [`Events`] are made from records, and reach listeners as they happen.

mod batch;
mod channels;
mod counted;
mod event;
mod events;
mod fate;
mod journal;
mod listener;
mod log;
mod mentions;
mod mode;
mod page;
mod pieces;
mod record;
mod recorder;
mod report;
mod retention;
mod sight;
mod usage;
mod waiting;
mod writer;

pub use batch::{BatchName, Position};
pub use counted::usage;
pub use event::{EventId, Resume};
pub use events::{EventGap, Events};
pub use listener::Listener;
pub use log::AuditLog;
pub use mode::{AuditMode, AuditOptions};
pub use recorder::{AuditCounts, Recorder};
pub use sight::Watcher;
pub use usage::UsageTally;

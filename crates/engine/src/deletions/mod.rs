//! The deletion of users, and the knowledge of who is being deleted.
//!
//! A user who is deleted has a tombstone outside its own part of the bucket. While it stands, calls for the user are denied.
//! The store refuses writes of calls that began before. The first sweep removes everything at once. The second follows 60 s
//! later: by then every process knows of the tombstone, and what it had sent before is over. The second sweep removes what was
//! written meanwhile. A process that sees a tombstone without work continues it, so a deletion survives the process that began it.

mod deletion;
mod error;
mod in_progress;
mod owner;
mod sweep;
mod tombstone;
mod watch;

pub(crate) use error::DeletionError;
pub(crate) use owner::DeletionListener;
pub use owner::Deletions;
pub(crate) use tombstone::read_receipt;

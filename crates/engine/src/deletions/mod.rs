//! The deletion of users, and the knowledge of users under deletion.
//!
//! A user under deletion has a tombstone outside its own part of the bucket. While the tombstone stands, calls for the user
//! are denied, and the store refuses writes of calls that began before. The first sweep removes everything at once. The
//! second follows 60 s later: by then every process knows of the tombstone, and earlier requests of every process have ended.
//! The second sweep removes objects that were written meanwhile. If no process works on a deletion, the next process that
//! sees the tombstone continues. So a deletion survives the process that began it.

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

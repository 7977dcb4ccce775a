//! Users as a whole: the list of them, everything that one has as an archive, and sessions that are forgotten.

mod archive;
mod export;
mod forget;
mod list;
mod owner;

pub use export::Export;
pub(crate) use forget::forget_with_workspace;
pub use owner::Users;

//! Users as a whole: the list of users, the archive of everything that a user has, and the deletion of sessions with their files.

mod archive;
mod export;
mod forget;
mod list;
mod owner;

pub use export::Export;
pub(crate) use forget::forget_with_workspace;
pub use owner::Users;

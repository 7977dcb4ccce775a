//! The façade: a [`Service`] over a store, and the [`SessionBackend`] of one session, which does the operations.
//!
//! [`BackendProtocol`] is what an agent can do. Any surface (library, HTTP, command line) goes through it.

mod check;
mod check_folder;
mod ext;
mod open;
mod protocol;
mod service;
mod session_backend;

pub use check::failed_check;
pub use ext::BackendExt;
pub use open::OpenStore;
pub use protocol::BackendProtocol;
pub use service::{Service, ServiceOptions};
pub use session_backend::SessionBackend;

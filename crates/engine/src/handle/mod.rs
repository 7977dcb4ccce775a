//! The façade: a [`Service`] over a store, and the [`SessionBackend`] of one session, which does the operations.
//!
//! [`BackendProtocol`](crate::wire::BackendProtocol) is what an agent can do. Any surface (library, HTTP, command line) goes through it.

mod check;
mod check_folder;
mod open;
mod probe;
mod protocol;
mod service;
mod session_backend;
mod store_repository;

pub use check::failed_check;
pub use open::OpenStore;
pub use service::{Service, ServiceOptions};
pub use session_backend::SessionBackend;
pub use store_repository::StoreRepository;

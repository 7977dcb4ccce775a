//! The HTTP interface, `/v1`: the agent's operations, its loop of tools, sessions, skills and the prompt, for clients on
//! other machines and in other languages.
//!
//! Handlers are thin: a body is parsed into the very struct that the operation takes, the operation runs, its reply is the
//! JSON. Middleware around the handlers, in `router`, finds out who is calling, keeps the limits of size and time, and
//! writes request ids, logs and errors. So no handler can forget any of this. The same handlers generate the OpenAPI
//! document.

mod app;
mod body;
mod docs;
mod door;
mod openapi;
mod router;
mod routes;
mod server;
mod skills_api;

pub use app::HttpConfig;
pub use router::{openapi, skills_api_openapi};
pub use server::serve;

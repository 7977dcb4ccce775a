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
mod guide;
mod openapi;
mod page;
mod router;
mod routes;
mod server;
mod skills_api;

// The names that files of several folders use. They come from here, without the names of folders.
pub(in crate::http) use app::{ServerState, SharedState};
pub(in crate::http) use body::{
    ByteRange, EntityTags, JsonBody, OptionalJsonBody, PARSED_COPIES, Parameters, SkillParts, Spool, SpoolPermit,
    Upload, Uploads, archive, attach, broken, check_announced, compressed, is_json, over, parse_for, part_name,
    parts_of, percent_encoded, prefers, prefers_gzip, quoted, unless_known,
};
pub(in crate::http) use door::{
    Admission, ClientAddress, Connection, Connections, Cost, EVENT_STREAM, Failure, Gauges, HandlerResult, JsonReply,
    LAST_EVENT_ID, Metrics, Problem, Refusals, ReplayMemory, ServedUser, SessionCall, ShareOwner, StallGuard, UserCall,
    deleted_user, peer_headers, resident_memory, within_shares,
};
pub(in crate::http) use openapi::Binary;

pub use app::HttpConfig;
pub use router::{openapi, skills_api_openapi};
pub use server::serve;

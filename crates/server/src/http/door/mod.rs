//! The way of a request to its handler and back: callers, limits, shares, problems, logs and metrics.

pub(super) mod address;
mod admission;
mod authenticate;
mod background;
mod connections;
mod cors;
mod cost;
mod frames;
mod log;
pub(super) mod metrics;
pub(super) mod middleware;
mod peer_headers;
pub(super) mod problem;
mod response_guard;
mod route;
mod shares;
mod slow_clients;
mod stalled_sockets;
mod unread_body;
mod user_call;

pub(super) use address::{MCP, MCP_SESSION, SESSION, decode, deleted_user, is_of_skills_api};
pub(super) use admission::{Admission, FairShare, FairShares, ShareOwner};
pub(super) use authenticate::{add_session_headers, admit_all, admit_user};
pub(super) use connections::{Connection, Connections};
pub(super) use cost::Cost;
pub(super) use log::{ClientAddress, ServedUser};
pub(super) use metrics::{Gauges, Metrics, resident_memory};
pub(super) use peer_headers::peer_headers;
pub(super) use problem::{Failure, HandlerResult, JsonReply, Problem, failures};
pub(super) use shares::{EVENT_STREAM, LAST_EVENT_ID, ReplayMemory, within_shares};
pub(super) use slow_clients::TooSlow;
pub(super) use stalled_sockets::StallGuard;
pub(super) use unread_body::read_to_end;
pub(super) use user_call::{SessionCall, UserCall};

//! The configuration of agents' hosts, so that they start `skillmount mcp`.

mod entry;
mod file;
mod host;
mod launch;

pub(super) use file::{ConfigChange, change, entry_alone, is_connected};
pub(super) use host::Host;
pub(super) use launch::{Launch, launch, left_out};

//! A plugin of Claude Code on this disk, for hosts that read only disks: the user's skills, the hooks, and the server of the
//! Model Context Protocol.
//!
//! The folder belongs to the person. A manifest in the folder lists the files that an export wrote, with their digests.
//! No other file is ever changed or removed.

mod disk;
mod export;
mod folder;
mod manifest;
mod parts;

pub(super) use export::{ExportRow, ExportStatus, Exporter};

//! Limits of the answers to hosts that speak the Model Context Protocol.

use std::time::Duration;

/// Files of a skill that hosts over MCP take.
pub const MCP_SKILL_FILES: usize = 512;
/// All files of a skill that hosts over MCP take.
pub const MCP_SKILL_BYTES: u64 = 16 << 20;
/// Skills of one page of `skills/list`, of `resources/list` and of `prompts/list`.
pub const MCP_PAGE_SKILLS: usize = 100;
/// Files that the skills of one page have together. The first skill of a page has as many as it may have anyway.
pub const MCP_PAGE_FILES: usize = 2000;
/// How long a user's skills that no host has asked for wait between two requests for their digests, unless the operator says
/// otherwise.
pub const DIGEST_PACE: Duration = Duration::from_secs(1);
/// The longest such pause that an operator may ask for.
pub const DIGEST_PACE_MOST: Duration = Duration::from_hours(1);
/// Manifests of skills in memory, and as much again of digests of single files.
pub const MANIFEST_CACHE_BYTES: u64 = 8 << 20;
/// Characters of the instructions at least: how to find and to load a skill.
pub const MCP_INSTRUCTION_CHARS_LEAST: usize = 512;
/// Bytes of one result over MCP at least, whatever a setting says: the notes of a page and some lines fit.
pub const MCP_RESULT_BYTES_LEAST: usize = 1000;
/// Conversations over HTTP whose host the process remembers.
pub const MCP_KNOWN_HOSTS: u64 = 10_000;
/// The time after its last call for which the process remembers a conversation.
pub const MCP_KNOWN_HOST_TIME: Duration = Duration::from_hours(24);
/// How long a call of a host goes on before it reports its progress, and between two reports.
pub const MCP_PROGRESS_PACE: Duration = Duration::from_secs(1);

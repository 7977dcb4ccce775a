//! Limits of names, patterns and the operations on files.

use std::time::Duration;

// ---- names and paths
/// An id: user, session, variable value.
pub const ID_BYTES: usize = 128;
/// One segment of a virtual path: the longest name of common file systems.
pub const SEGMENT_BYTES: usize = 255;
/// An object key: the limit of S3.
pub const KEY_BYTES: usize = 1024;
/// A virtual path: more than any key, so that callers meet the limit of keys first.
pub const PATH_BYTES: usize = 2048;
/// How deep below `skills/` a skill may lie.
pub const SKILL_DEPTH: usize = 6;
/// Session variables.
pub const VARS: usize = 32;
/// The name of one life of a session, in a version that a client sends back.
pub const LIFE_BYTES: usize = 64;
/// Characters of a client's name that an error quotes.
pub const QUOTED_CHARS: usize = 100;

// ---- patterns
/// A glob pattern.
pub const GLOB_BYTES: usize = 4096;
/// Alternatives after brace expansion, as in deepagents.
pub const GLOB_ALTERNATIVES: usize = 1000;
/// All alternatives of a glob together. Matching one path costs at most this times its length.
pub const GLOB_EXPANDED_BYTES: usize = 64 << 10;
/// Braces of a glob that are open at once.
pub const GLOB_NESTING: usize = 64;
/// A regular expression or literal to search for.
pub const REGEX_BYTES: usize = 16 * 1024;
/// A compiled regular expression: its program, and the table of each automaton.
pub const REGEX_PROGRAM_BYTES: usize = 1 << 20;
/// Nesting of a regular expression.
pub const REGEX_NEST: u32 = 100;

// ---- reading
/// Lines of a `read` if the caller gives no limit.
pub const READ_LINES: u64 = 2000;
/// Content of one `read` reply; longer windows are cut at a line and say how to go on.
pub const READ_BYTES: usize = 1 << 20;
/// The first bytes, which decide between text and binary, as in git and ripgrep.
pub const BINARY_PROBE_BYTES: usize = 8 * 1024;
/// One GET of a large object: bigger files are read in pieces of this size.
pub const CHUNK_BYTES: u64 = 8 << 20;
/// One GET while a large file is searched for its lines. Half a chunk: a scan of a gigabyte then stays within 32 MiB of
/// memory, with the earlier pieces that the allocator keeps.
pub const SCAN_BYTES: u64 = 4 << 20;
/// The first GET of a file of unknown size.
pub const FIRST_CHUNK_BYTES: u64 = 256 << 10;
/// Every how many lines the line index of a large file keeps an offset.
pub const LINE_INDEX_STRIDE: u64 = 64;
/// The most offsets of a line index. A fuller index doubles its stride.
pub const LINE_INDEX_ENTRIES: usize = 1 << 18;

// ---- grep, glob, ls
/// Hits of a grep if the caller gives no cap.
pub const GREP_MATCHES: usize = 1000;
/// Hits a caller may ask for.
pub const GREP_MATCHES_MAX: usize = 10_000;
/// Lines of context around a hit.
pub const GREP_CONTEXT_LINES: usize = 20;
/// One line of a grep reply; longer lines are cut and say so.
pub const GREP_LINE_BYTES: usize = 32 * 1024;
/// Bytes that a line of a grep reply counts for beside its text. A string takes about as many in memory, and its marks in JSON.
pub const GREP_LINE_COST: usize = 32;
/// The hits of a whole grep reply: for each its path and its lines, with [`GREP_LINE_COST`] for each line.
pub const GREP_REPLY_BYTES: usize = 4 << 20;
/// A file grep looks into; larger ones are passed over and reported.
pub const GREP_FILE_BYTES: u64 = 64 << 20;
/// Contents that the searches of one call hold at once, in KiB: two of the pieces in which larger files are searched.
pub const SEARCH_WINDOW_KIB: u32 = 16 << 10;
/// A searched line, with its lines of context. A longer one ends the search of its file, and the reply says so.
pub const SEARCH_LINE_BYTES: usize = 8 << 20;
/// Files of a glob reply, and entries of an `ls` reply.
pub const LIST_ENTRIES: usize = 10_000;
/// Symbolic links that a path in a served folder of skills may go through.
pub const FOLDER_LINKS: usize = 2;
/// Objects one operation is willing to list.
pub const LIST_OBJECTS: usize = 100_000;
/// Objects fetched at once by one operation.
pub const PARALLEL_GETS: usize = 64;
/// Skills that one push or pull moves at once: enough to hide the round trips, few enough to hold in memory.
pub const PARALLEL_SKILLS: usize = 4;
/// Files of the usual size that are moved at once.
pub const PARALLEL_TRANSFERS: usize = 8;

// ---- writing
/// A file that `write` makes or `edit` changes.
pub const TEXT_FILE_BYTES: usize = 16 << 20;
/// An uploaded file.
pub const UPLOAD_FILE_BYTES: usize = 64 << 20;
/// A file that is moved, whose bytes pass through the service.
pub const MOVE_FILE_BYTES: u64 = 32 << 20;
/// Files of one upload or download.
pub const TRANSFER_FILES: usize = 1000;
/// Predecessors a conditional write carries forward.
pub const WRITE_CHAIN: usize = 32;
/// Edits of one file that commit together.
pub const EDIT_GROUP: usize = 256;
/// How often a group of edits is retried after another writer won.
pub const EDIT_ATTEMPTS: usize = 64;
/// How long the delete of a folder goes on to begin with files: with those under way and the session it stays within
/// [`REQUEST_TIMEOUT`](super::REQUEST_TIMEOUT), and the answer says which files were not begun.
pub const DELETE_BEGINS: Duration = Duration::from_secs(25);
/// Sessions that a refused delete names because they share the workspace; it counts the rest.
pub const SHARERS_NAMED: usize = 100;
/// Files of a folder that the answer names because they could not be deleted; it counts the rest.
pub const FAILED_FILES: usize = 1000;

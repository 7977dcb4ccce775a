//! Every limit of the crate, named once and tested at n and n + 1.
//!
//! Sizes are in bytes unless the name says otherwise. A comment names the specification or measurement behind a number.

use std::time::Duration;

use jiff::SignedDuration;

// ---- names and paths
/// An id: user, session, variable value.
pub const ID_BYTES: usize = 128;
/// One segment of a virtual path: what common file systems allow for a name.
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
/// Offsets that a line index keeps before it doubles its stride.
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
/// The text of a whole grep reply.
pub const GREP_REPLY_BYTES: usize = 4 << 20;
/// A file grep looks into; larger ones are passed over and reported.
pub const GREP_FILE_BYTES: u64 = 64 << 20;
/// Contents that the searches of one call hold at once, in KiB: two of the pieces in which larger files are searched.
pub const SEARCH_WINDOW_KIB: u32 = 16 << 10;
/// A searched line, with its lines of context. A longer one ends the search of its file, and the reply says so.
pub const SEARCH_LINE_BYTES: usize = 8 << 20;
/// Files of a glob reply, and entries of an `ls` reply.
pub const LIST_ENTRIES: usize = 10_000;
/// Objects one operation is willing to list.
pub const LIST_OBJECTS: usize = 100_000;
/// Objects fetched at once by one operation.
pub const PARALLEL_GETS: usize = 64;
/// Files that one push or pull moves at once: enough to hide the round trips, few enough to hold in memory.
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
/// [`REQUEST_TIMEOUT`], and the answer says which files were not begun.
pub const DELETE_BEGINS: Duration = Duration::from_secs(25);
/// Sessions that a refused delete names because they share the workspace; it counts the rest.
pub const SHARERS_NAMED: usize = 100;
/// Files of a folder that the answer names because they could not be deleted; it counts the rest.
pub const FAILED_FILES: usize = 1000;

// ---- skills
/// The part of a SKILL.md that is read for the catalog. The longest frontmatter of 6,616 public skills ends at byte 3,795.
pub const SKILL_HEAD_BYTES: u64 = 32 << 10;
/// The beginning of a body that a catalog keeps, for search. Of 100 questions to 130 skills a right skill is among the
/// first five for 97 with it and the headings, for 93 with headings alone. Whole bodies would be ten times as large.
pub const SKILL_OPENING_BYTES: usize = 1 << 10;
/// The headings of a body that a catalog keeps, for search. Those of 130 public skills take 523 bytes each, 1,878 at most.
pub const SKILL_HEADINGS_BYTES: usize = 2 << 10;
/// Frontmatter: the parser is quadratic in nesting, so input is bounded before it.
pub const FRONTMATTER_BYTES: usize = 16 << 10;
/// Open `[` and `{` in frontmatter.
pub const FRONTMATTER_NESTING: usize = 64;
/// Headings kept of a body.
pub const OUTLINE_HEADINGS: usize = 10_000;
/// Links kept of a body.
pub const OUTLINE_LINKS: usize = 10_000;
/// Text and targets of the headings and links kept of a body.
pub const OUTLINE_TEXT_BYTES: usize = 1 << 20;
/// The part of a body that is parsed at once. The parser briefly takes up to thirty times as much memory.
pub const OUTLINE_WINDOW_BYTES: usize = 512 << 10;
/// A loaded SKILL.md.
pub const SKILL_FILE_BYTES: u64 = 4 << 20;
/// A body with its arguments filled in; placeholders beyond it stay as they are.
pub const RENDERED_BODY_BYTES: usize = 8 << 20;
/// The arguments of one load, which the session remembers as long as the skill is loaded.
pub const ARGUMENT_BYTES: usize = 16 << 10;
/// Parameters a skill may declare.
pub const SKILL_PARAMETERS: usize = 64;
/// How far behind a `{{` its `}}` may be.
pub const PARAMETER_REACH: usize = 128;
/// Characters of a name, by the Agent Skills specification.
pub const SKILL_NAME_CHARS: usize = 64;
/// Characters of a description, by the Agent Skills specification.
pub const SKILL_DESCRIPTION_CHARS: usize = 1024;
/// Characters of a compatibility note, by the Agent Skills specification.
pub const SKILL_COMPATIBILITY_CHARS: usize = 500;
/// Warnings shown about the frontmatter of one skill.
pub const SKILL_FINDINGS: usize = 32;
/// Lines of a body, as the Agent Skills specification advises.
pub const SKILL_BODY_LINES: usize = 500;
/// Tokens of a body, as the Agent Skills specification advises, at four bytes each.
pub const SKILL_BODY_TOKENS: usize = 5000;
/// Files of one skill.
pub const SKILL_FILES: usize = 10_000;
/// Files of a snapshot in the session object. A larger snapshot gets an object of its own.
pub const SNAPSHOT_INLINE_FILES: usize = 512;
/// The memory of a snapshot in the session object. A session with the most loaded skills, each with this much, still fits.
pub const SNAPSHOT_INLINE_BYTES: usize = 192 << 10;
/// Files of a snapshot that is copied into a fork. Larger snapshots are shared as an object of their own. Such an
/// object costs a request to write and one to read, so the usual small skill has none.
pub const SNAPSHOT_COPIED_FILES: usize = 16;
/// A version of a skill as an archive, uploaded or stored.
pub const VERSION_ZIP_BYTES: usize = 64 << 20;
/// All files of a version, unpacked.
pub const VERSION_UNPACKED_BYTES: u64 = 256 << 20;
/// How many times its size an archive of over a megabyte may grow when it is unpacked. Text reaches a tenth of this.
pub const VERSION_RATIO: u64 = 200;
/// The record of a version, as JSON.
pub const VERSION_RECORD_BYTES: usize = 16 << 10;
/// The head of a skill: 10,000 files with paths of the usual length take three megabytes.
pub const HEAD_BYTES: u64 = 16 << 20;
/// Where a version comes from, in the words of who publishes it.
pub const SOURCE_BYTES: usize = 1 << 10;
/// How often a publish or a load begins again because another publish went before it.
pub const PUBLISH_ATTEMPTS: usize = 8;
/// Archives and unpacked files of versions in one process, in KiB. The largest publish needs all of it.
pub const VERSION_WINDOW_KIB: u32 = 192 << 10;
/// Unpacked files of versions in memory, for sessions whose plain files have moved on.
pub const VERSION_CACHE_BYTES: u64 = 8 << 20;
/// Entries of a page of versions if the caller gives no limit.
pub const VERSIONS_LISTED: usize = 100;
/// Skills of one user.
pub const CATALOG_SKILLS: usize = 20_000;
/// The index of a catalog, inflated: 20,000 skills of three kilobytes each.
pub const CATALOG_INDEX_BYTES: usize = 64 << 20;
/// Skills loaded in one session.
pub const LOADED_SKILLS: usize = 64;

// ---- search
/// A question to `discover_skills`: a message of a few paragraphs.
pub const SEARCH_QUERY_BYTES: usize = 4096;
/// Different words of a question, without stop words.
pub const SEARCH_QUERY_WORDS: usize = 128;
/// A word. Longer ones are data and are left out of the index.
pub const SEARCH_WORD_BYTES: usize = 64;
/// Categories that a prompt and an empty search name.
pub const CATEGORIES_NAMED: usize = 20;
/// Results if the caller gives no limit.
pub const SEARCH_RESULTS: usize = 10;
/// Results a caller may ask for.
pub const SEARCH_RESULTS_MOST: usize = 100;
/// Discoveries a session remembers.
pub const DISCOVERIES: usize = 20;
/// The part of a question that a session remembers.
pub const DISCOVERY_QUERY_BYTES: usize = 512;
/// The memory of all discoveries that wait to be written. Further ones are dropped.
pub const NOTES_BYTES: usize = 4 << 20;
/// How long notes wait: a discovery for the next change of its session, a use for the next count.
pub const NOTE_FLUSH: Duration = Duration::from_secs(5);

// ---- prompt
/// Skills of a user whose uses are counted; those used least go first.
pub const USED_SKILLS: usize = 10_000;
/// Skills a session remembers to have used; it counts as a user of no others.
pub const USED_IN_SESSION: usize = 1000;
/// The most used skills that a session remembers: more than a prompt of the usual size describes.
pub const RANKED_SKILLS: usize = 200;
/// Tokens of a prompt if the caller gives no budget.
pub const PROMPT_TOKENS: usize = 2000;

// ---- tools
/// Skills that the tool which loads one lists by name; with more of them it takes any text.
pub const TOOL_ENUM_SKILLS: usize = 50;
/// Calls of one turn that are run.
pub const TOOL_CALLS: usize = 128;
/// Calls of one turn that run at the same time.
pub const TOOL_PARALLEL: usize = 16;
/// Tokens of one tool's result if the caller gives no limit, at four bytes each.
pub const TOOL_RESULT_TOKENS: usize = 25_000;
/// Files of a loaded skill that its result lists by name.
pub const TOOL_LOADED_FILES: usize = 50;

// ---- hooks
/// The part of a message, a command or a task that is held against the triggers of skills: a few pages.
pub const TRIGGER_TEXT_BYTES: usize = 16 << 10;
/// Skills that share words with such a text whose triggers are looked at, those that share most first.
pub const TRIGGER_CANDIDATES: usize = 100;
/// How many words apart two words of a description may stand in a text to call for the skill, stop words not counted.
pub const TRIGGER_REACH: usize = 8;
/// Skills that one hook names because words of theirs stand in a text.
pub const HOOK_SKILLS: usize = 5;
/// Skills that are handed down to a sub-agent.
pub const HOOK_INHERITED_SKILLS: usize = 20;
/// Words of a text that a hook quotes for one skill.
pub const HOOK_WORDS: usize = 5;
/// Characters of a description that a hook shows.
pub const HOOK_DESCRIPTION_CHARS: usize = 200;

// ---- sessions and ages
/// How long a session or a catalog in memory is trusted without asking the store.
pub const FRESH: Duration = Duration::from_secs(30);
/// How old a catalog may be that is served while the store is asked again.
pub const CATALOG_STALE: Duration = Duration::from_mins(5);
/// Changes of catalogs kept for a slow listener.
pub const CATALOG_CHANGES: usize = 1024;
/// How long an idle session is kept.
pub const SESSION_IDLE: Duration = Duration::from_hours(30 * 24);
/// A session that is only read is saved this often, so that it does not count as idle.
pub const SESSION_TOUCH: SignedDuration = SignedDuration::from_hours(24);
/// Rules of a policy: for tools, for skills, and skills to preload, each.
pub const POLICY_RULES: usize = 1000;
/// How often a session change is retried after another replica won.
pub const SESSION_ATTEMPTS: usize = 32;
/// How many ancestors of a fork are checked against the sessions that a key is bound to.
pub const FORK_DEPTH: usize = 32;
/// Entries of a page of sessions, skills or versions.
pub const PAGE_ENTRIES: usize = 1000;
/// The session objects read for one page of sessions, together. One that is larger by itself has a page of its own.
pub const SESSION_PAGE_BYTES: u64 = 4 << 20;
/// Session objects that are read at the same time for one page of sessions.
pub const SESSION_PAGE_PARALLEL: usize = 16;

// ---- budgets of the process
/// Memory of the process for contents, sessions and requests, unless configured otherwise.
pub const MEMORY_BYTES: u64 = 256 << 20;
/// The part of it for cached contents and sessions; requests have the rest.
pub const MEMORY_CACHES_BYTES: u64 = 96 << 20;
/// The part of the memory for caches for sessions, policies, use counts and the snapshots beside sessions.
pub const SESSION_CACHE_BYTES: u64 = 24 << 20;
/// The part of the memory for caches for contents: the rest.
pub const CONTENT_CACHE_BYTES: u64 = MEMORY_CACHES_BYTES - SESSION_CACHE_BYTES;
/// The part of the memory for sessions for policies of users.
pub const POLICY_CACHE_BYTES: u64 = 2 << 20;
/// The part of the memory for sessions for use counts.
pub const USES_CACHE_BYTES: u64 = 2 << 20;
/// The part of the memory for sessions for the snapshots beside them: one of 10,000 files has about two megabytes.
pub const SNAPSHOT_CACHE_BYTES: u64 = 6 << 20;
/// The part of the memory for sessions for the sessions themselves: the rest.
pub const SESSION_VALUES_BYTES: u64 =
    SESSION_CACHE_BYTES - POLICY_CACHE_BYTES - USES_CACHE_BYTES - SNAPSHOT_CACHE_BYTES;
/// Memory for catalogs and their search indexes, unless configured otherwise. One that is larger by itself stays alone.
pub const MEMORY_CATALOGS_BYTES: u64 = 128 << 20;
/// The least memory that can be configured. With less, some requests within every other limit could never be served.
pub const MEMORY_LEAST_BYTES: u64 = 200 << 20;
/// The least memory for catalogs that can be configured.
pub const MEMORY_CATALOGS_LEAST_BYTES: u64 = 16 << 20;
/// The part of that budget for other catalogs beside one that is larger than it by itself: an eighth.
pub const CATALOG_BESIDE: u64 = 8;
/// Catalogs that take more memory than this, of about a hundred skills, are decoded, encoded, merged and indexed by
/// workers, off the threads that serve requests.
pub const CATALOG_INLINE_BYTES: usize = 256 << 10;
/// One piece of a download: fetched at once, and held until the client takes it.
pub const DOWNLOAD_WINDOW_BYTES: u64 = 1 << 20;
/// An uploaded file up to this is read into memory; a larger one is written to a temporary file as it comes.
pub const UPLOAD_WINDOW_BYTES: u64 = 1 << 20;
/// Bytes of large bodies that each user may send per second while other users are served. A user who is alone has no limit.
pub const UPLOAD_BYTES_PER_SECOND: u64 = 16 << 20;
/// Uploads above [`UPLOAD_WINDOW_BYTES`] of one user that arrive at once. More at once would finish too late.
pub const UPLOADS_AT_ONCE: u64 = 4;
/// All temporary files of uploads together, of which one user has at most half.
pub const SPOOL_BYTES: u64 = 4 << 30;
/// How long a request waits for memory before it is refused.
pub const MEMORY_PATIENCE: Duration = Duration::from_secs(10);
/// Steps of work that one request may take: states times bytes of a regular expression that runs slowly, elements times
/// characters of a glob, bytes that an edit copies.
pub const WORK_STEPS: u64 = 1 << 31;
/// Steps taken on the thread that serves the request: less than a millisecond, and a worker would cost more.
pub const INLINE_STEPS: u64 = 1 << 18;
/// Threads for long work at least, whatever the machine: with fewer, one user's half would be one thread or none.
pub const WORKERS_LEAST: u64 = 4;

// ---- the store and the network
/// One attempt of a request to the store, without its body.
pub const ATTEMPT_TIMEOUT: Duration = Duration::from_secs(5);
/// One operation on the store with its retries and its body.
pub const OPERATION_TIMEOUT: Duration = Duration::from_secs(15);
/// Attempts at one read of the store: enough to outlast a short refusal, few enough not to feed an overload.
pub const READ_ATTEMPTS: usize = 5;
/// Waiting for the lock of a file in a folder, which another process may hold: less than an operation may take.
pub const LOCK_TIMEOUT: Duration = Duration::from_secs(10);
/// How old the names in a listing of a folder may be when its next page is read. If they are older, the folder is read again.
pub const LISTING_AGE: Duration = Duration::from_secs(10);
/// Names of folders that are kept for the next pages of listings.
pub const LISTINGS_BYTES: usize = 64 << 20;
/// How soon after one user's failed request another user's must fail too for the store to count as down.
pub const BREAKER_WINDOW: Duration = Duration::from_secs(30);
/// How long a store that is down gets no requests before one tries it.
pub const BREAKER_PAUSE: Duration = Duration::from_secs(2);
/// Keys whose newest version is known, in each of two generations.
pub const CACHE_KEYS: usize = 1 << 16;
/// Known names of files and folders, so that no put makes a name both.
pub const KNOWN_NAMES: usize = 1 << 14;
/// How long a name counts as known. Another process may have deleted it.
pub const KNOWN_NAME_AGE: Duration = Duration::from_secs(30);
/// Known names below a key that are checked, to find out whether the key is a folder.
pub const KNOWN_NAMES_BELOW: usize = 64;
/// A JSON body.
pub const JSON_BODY_BYTES: usize = 1 << 20;
/// A JSON body of the calls that carry the text of a file: `write`, `edit` and a turn of tool calls.
pub const TEXT_BODY_BYTES: usize = TEXT_FILE_BYTES + (4 << 20);
/// Values of a JSON body, counted while it is read: objects of one member each, which take the most, make some 16 MiB.
pub const JSON_VALUES: usize = 50_000;
/// Members of a request that count as absent because they are `null`, where their type does not take it.
pub const JSON_NULLS: usize = 32;
/// How deep the values of a JSON body may be nested.
pub const JSON_DEPTH: usize = 64;
/// All headers of a request.
pub const HEADER_BYTES: usize = 32 << 10;
/// Time to send the headers of a request. A slow client may hold a connection for so long.
pub const HEADER_TIMEOUT: Duration = Duration::from_secs(10);
/// Time a connection may spend without taking a byte of its reply.
pub const WRITE_STALL: Duration = Duration::from_secs(30);
/// Connections open at once. A further one takes the place of the one that has been without a call for longest.
pub const CONNECTIONS: usize = 4096;
/// Connections of those that no call on a user's data ever has: for new ones, and for probes.
pub const CONNECTIONS_RESERVED: usize = 256;
/// Calls on users' data under way at once; one user has at most half of them, one key seven eighths.
pub const REQUESTS_AT_ONCE: usize = 1024;
/// How long a call waits for its place among those under way before it gets 429.
pub const REQUEST_PATIENCE: Duration = Duration::from_secs(5);
/// What a body must bring in each second that it is waited for, on average.
pub const BODY_BYTES_PER_SECOND: u64 = 1 << 10;
/// How long a body may bring nothing; one that comes too slowly has used it up after as long at least.
pub const BODY_PATIENCE: Duration = Duration::from_secs(10);
/// How long an answer may be awaited by a client that has closed its sending side, which looks the same as having left.
pub const HALF_CLOSE_PATIENCE: Duration = Duration::from_secs(2);
/// What the HTTP library buffers of a connection, each way.
pub const CONNECTION_BUFFER_BYTES: usize = 2 * HEADER_BYTES;
/// How often a service looks whether its keys file has changed: how long a key that was revoked is still taken.
pub const KEYS_LOOK: Duration = Duration::from_secs(2);
/// How long a browser may keep the answer to a preflight. What it sends then is checked all the same.
pub const PREFLIGHT_AGE: Duration = Duration::from_hours(2);
/// The shortest answer that is compressed: below it, gzip gains less than its frame and its headers take.
pub const COMPRESSED_LEAST_BYTES: usize = 1 << 10;
/// A request id that a client may choose.
pub const REQUEST_ID_BYTES: usize = 128;
/// A whole HTTP request, start to end.
pub const REQUEST_TIMEOUT: Duration = Duration::from_mins(1);
/// What is left of requests under way when the process is told to stop.
pub const SHUTDOWN_GRACE: Duration = Duration::from_secs(25);
/// How long a service goes on accepting after SIGTERM, unless configured otherwise: long enough for a balancer to see
/// twice that it is not ready.
pub const SHUTDOWN_DRAIN: Duration = Duration::from_secs(5);
/// The longest drain that can be configured.
pub const SHUTDOWN_DRAIN_MOST: Duration = Duration::from_mins(10);
/// What is left of a process whose requests are over, or out of time, before it ends whatever still runs in it.
pub const SHUTDOWN_END: Duration = Duration::from_secs(2);
/// How long a shell waits for the names that complete a line.
pub const COMPLETION_PATIENCE: Duration = Duration::from_secs(2);

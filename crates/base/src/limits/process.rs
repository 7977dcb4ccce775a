//! Limits of sessions, of the memory and work of the process, and of its network.

use std::time::Duration;

use jiff::SignedDuration;

use super::{TEXT_FILE_BYTES, VERSION_CACHE_BYTES};

// ---- sessions and ages
/// How long a session or a catalog in memory is trusted without asking the store.
pub const FRESH: Duration = Duration::from_secs(30);
/// How old session data may be that a surface read ahead of a call. The body of the request may arrive later.
pub const READ_AHEAD: Duration = Duration::from_secs(1);
/// How old a catalog may be that is served while the store is asked again.
pub const CATALOG_STALE: Duration = Duration::from_mins(5);
/// Changes of catalogs kept for a slow listener.
pub const CATALOG_CHANGES: usize = 1024;
/// How long an idle session is kept.
pub const SESSION_IDLE: Duration = Duration::from_hours(30 * 24);
/// How often the service saves a session that calls only read. So the session does not count as idle.
pub const SESSION_TOUCH: SignedDuration = SignedDuration::from_hours(24);
/// How long the stored result of a probe of conditional writes is trusted.
pub const PROBE_RESULT_AGE: SignedDuration = SignedDuration::from_hours(7 * 24);
/// The pause between two writes of one key, after a store refused a write as one too many.
pub const WRITE_PACE: Duration = Duration::from_secs(1);
/// Writes keep that pause for so long after such an answer.
pub const WRITE_PACE_REMEMBERED: Duration = Duration::from_mins(1);
/// Keys whose last write is remembered for that pause.
pub const PACED_KEYS: u64 = 10_000;
/// The pause before a service tries a store again that denied a write at its start.
pub const DENIED_WRITE_RETRY: Duration = Duration::from_secs(30);
/// Rules of a policy: for tools, for skills, and skills to preload, each.
pub const POLICY_RULES: usize = 1000;
/// How often a session change is retried after another replica won.
pub const SESSION_ATTEMPTS: usize = 32;
/// How many ancestors of a fork are checked against the sessions that a key is bound to.
pub const FORK_DEPTH: usize = 32;
/// Entries of a page of sessions, skills or versions.
pub const PAGE_ENTRIES: usize = 1000;
/// All session objects read for one page of sessions. A larger object has a page of its own.
pub const SESSION_PAGE_BYTES: u64 = 4 << 20;
/// Session objects that are read at the same time for one page of sessions.
pub const SESSION_PAGE_PARALLEL: usize = 16;

// ---- budgets of the process
/// Memory of the process for contents, sessions and requests, unless configured otherwise.
pub const MEMORY_BYTES: u64 = 256 << 20;
/// The part of it for cached contents and sessions; requests have the rest.
pub const MEMORY_CACHES_BYTES: u64 = 96 << 20;
/// The part of the memory for caches for sessions, policies, use counts and the snapshots beside sessions.
const SESSION_CACHE_BYTES: u64 = 24 << 20;
/// The part of the memory for caches for contents: the rest.
pub const CONTENT_CACHE_BYTES: u64 = MEMORY_CACHES_BYTES - SESSION_CACHE_BYTES - VERSION_CACHE_BYTES;
/// The part of the memory for sessions for policies of users.
pub const POLICY_CACHE_BYTES: u64 = 2 << 20;
/// The part of the memory for sessions for use counts.
pub const USES_CACHE_BYTES: u64 = 2 << 20;
/// The part of the memory for sessions for the snapshots beside them: one of 10,000 files has about two megabytes.
pub const SNAPSHOT_CACHE_BYTES: u64 = 6 << 20;
/// The part of the memory for sessions for the sessions themselves: the rest.
pub const SESSION_VALUES_BYTES: u64 =
    SESSION_CACHE_BYTES - POLICY_CACHE_BYTES - USES_CACHE_BYTES - SNAPSHOT_CACHE_BYTES;
/// Memory for catalogs and their search indexes, unless configured otherwise. A larger catalog stays while it is in use.
pub const MEMORY_CATALOGS_BYTES: u64 = 128 << 20;
/// The least memory that can be configured. With less, some requests within every other limit could never be served.
pub const MEMORY_LEAST_BYTES: u64 = 200 << 20;
/// The least part of the memory for requests that is kept for users who hold none: a `grep` with its body. An eighth is kept if
/// that is more, and a sixth if that is less.
pub const MEMORY_KEPT_LEAST_BYTES: u64 = 21 << 20;
/// The least memory for catalogs that can be configured.
pub const MEMORY_CATALOGS_LEAST_BYTES: u64 = 16 << 20;
/// If one catalog exceeds that budget alone, the others share an eighth of the budget.
pub const CATALOG_BESIDE: u64 = 8;
/// Catalogs that take more memory than this, of about a hundred skills, are decoded, encoded, merged and indexed by
/// workers, off the threads that serve requests.
pub const CATALOG_INLINE_BYTES: usize = 256 << 10;
/// One piece of a download: fetched at once, and held until the client takes it.
pub const DOWNLOAD_WINDOW_BYTES: u64 = 1 << 20;
/// A body up to this is in memory while it comes; a larger one is written to a temporary file as it comes.
pub const UPLOAD_WINDOW_BYTES: u64 = 1 << 20;
/// Bytes of large bodies that each user may send per second while other users are served. A user who is alone has no limit.
pub const UPLOAD_BYTES_PER_SECOND: u64 = 16 << 20;
/// Uploads above [`UPLOAD_WINDOW_BYTES`] of one user that arrive at once. More at once would finish too late.
pub const UPLOADS_AT_ONCE: u64 = 4;
/// All temporary files of bodies together, of which one user has at most a quarter.
pub const SPOOL_BYTES: u64 = 4 << 30;
/// The step by which a body takes more disk as it comes.
pub const SPOOL_STEP_BYTES: u64 = 1 << 20;
/// A body up to this counts as a part of the buffers of its connection while it comes.
pub const BODY_BUFFER_BYTES: usize = 16 << 10;
/// The step by which a longer body takes more memory as it comes.
pub const BODY_STEP_BYTES: u64 = 64 << 10;
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
/// One operation on the store, retries and body included.
pub const OPERATION_TIMEOUT: Duration = Duration::from_secs(15);
/// Attempts at one read of the store: enough to outlast a short refusal, few enough not to feed an overload.
pub const READ_ATTEMPTS: usize = 5;
/// An index of skills that a host offers.
pub const DISCOVERY_INDEX_BYTES: usize = 4 << 20;
/// The skills that one command takes from a source.
pub const FETCHED_BYTES: u64 = 512 << 20;
/// How long a host or git has for one request.
pub const DISCOVERY_PATIENCE: Duration = Duration::from_mins(2);
/// The least characters of a secret that links are signed with.
pub const LINK_SECRET_BYTES: usize = 32;
/// Waiting for the lock of a file in a folder, which another process may hold: less than an operation may take.
pub const LOCK_TIMEOUT: Duration = Duration::from_secs(10);
/// How old the names in a listing of a folder may be when its next page is read. If they are older, the folder is read again.
pub const LISTING_AGE: Duration = Duration::from_secs(10);
/// Names of folders that are kept for the next pages of listings.
pub const LISTINGS_BYTES: usize = 64 << 20;
/// How soon after one user's failed request another user's must fail too for the store to count as down.
pub const BREAKER_WINDOW: Duration = Duration::from_secs(30);
/// How long a store that is down gets no requests. Then a single request tries the store.
pub const BREAKER_PAUSE: Duration = Duration::from_secs(2);
/// Keys whose newest version is known, in each of two generations.
pub const CACHE_KEYS: usize = 1 << 16;
/// A JSON body.
pub const JSON_BODY_BYTES: usize = 1 << 20;
/// A JSON body of the calls that carry the text of a file: `write`, `edit` and a turn of tool calls.
pub const TEXT_BODY_BYTES: usize = TEXT_FILE_BYTES + (4 << 20);
/// Values of a JSON body, counted during the reading. Objects with a single member take the most memory: some 16 MiB together.
pub const JSON_VALUES: usize = 50_000;
/// Members of a request that count as absent because they are `null`, where their type does not take it.
pub const JSON_NULLS: usize = 32;
/// The bytes of a form before its first part, and the head of each part. The parser of forms holds them beside all budgets.
pub const PART_HEAD_BYTES: usize = 16 << 10;
/// How deep the values of a JSON body may be nested.
pub const JSON_DEPTH: usize = 64;
/// All headers of a request.
pub const HEADER_BYTES: usize = 32 << 10;
/// Time to send the headers of a request. A slow client may hold a connection for so long.
pub const HEADER_TIMEOUT: Duration = Duration::from_secs(10);
/// Time a connection may spend without taking a byte of its reply.
pub const WRITE_STALL: Duration = Duration::from_secs(30);
/// Connections open at once, unless configured otherwise. A further connection replaces the connection that has been without a
/// call for longest.
pub const CONNECTIONS: usize = 4096;
/// The least connections that can be configured.
pub const CONNECTIONS_LEAST: usize = 512;
/// File descriptors beside those of connections: the store, temporary files, logs and the listener.
pub const OTHER_DESCRIPTORS: usize = 512;
/// Connections reserved for new connections and for probes. Calls on users' data never hold them.
pub const CONNECTIONS_RESERVED: usize = 256;
/// Calls on users' data under way at once; one user has at most half of them, a key of several users seven eighths.
pub const REQUESTS_AT_ONCE: usize = 1024;
/// How long a call waits for a place among the calls under way. After that the answer is 429.
pub const REQUEST_PATIENCE: Duration = Duration::from_secs(5);
/// The least average number of bytes a second of a body, over the time that the service waits for bytes.
pub const BODY_BYTES_PER_SECOND: u64 = 1 << 10;
/// The time without bytes after which a body has failed. A body that is too slow uses up this time, and bytes earn it back.
pub const BODY_PATIENCE: Duration = Duration::from_secs(10);
/// How long a call goes on after its client has closed the sending side. A client that has left looks the same.
pub const HALF_CLOSE_PATIENCE: Duration = Duration::from_secs(2);
/// The bytes that the HTTP library buffers for a connection, in each direction.
pub const CONNECTION_BUFFER_BYTES: usize = 2 * HEADER_BYTES;
/// How often a service looks whether its keys file has changed: how long a key that was revoked is still taken.
pub const KEYS_LOOK: Duration = Duration::from_secs(2);
/// Bytes of the name of a key that records and versions have. The rest is cut.
pub const KEY_NAME_BYTES: usize = 100;
/// How long a browser may keep the answer to a preflight. The requests that follow are checked all the same.
pub const PREFLIGHT_AGE: Duration = Duration::from_hours(2);
/// The shortest answer that is compressed. For shorter answers the frame and headers of gzip take more than it saves.
pub const COMPRESSED_LEAST_BYTES: usize = 1 << 10;
/// Words of a question to the guide that are looked for.
pub const GUIDE_QUESTION_WORDS: usize = 16;
/// Sections of the guide that answer one question.
pub const GUIDE_RESULTS: usize = 20;
/// Characters of a section that such an answer shows.
pub const GUIDE_EXCERPT_CHARS: usize = 240;
/// A request id that a client may choose.
pub const REQUEST_ID_BYTES: usize = 128;
/// A whole HTTP request, start to end.
pub const REQUEST_TIMEOUT: Duration = Duration::from_mins(1);
/// How long requests under way may go on after the process is asked to stop.
pub const SHUTDOWN_GRACE: Duration = Duration::from_secs(25);
/// The longest time that a service can be configured to go on accepting after SIGTERM.
pub const SHUTDOWN_DRAIN_MOST: Duration = Duration::from_mins(10);
/// How long other tasks may go on once requests are over or out of time. Then the process ends.
pub const SHUTDOWN_END: Duration = Duration::from_secs(2);
/// How long a shell waits for the names that complete a line.
pub const COMPLETION_PATIENCE: Duration = Duration::from_secs(2);
/// How long the service sends no tags to a bucket that refused tags. If an operator allows tags, they are sent after this.
pub const TAGS_REFUSED: Duration = Duration::from_mins(10);

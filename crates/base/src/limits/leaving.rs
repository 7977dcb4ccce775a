//! Limits of exports and deletions of users, and of checks of the bucket.

use std::time::Duration;

use jiff::SignedDuration;

/// How old a process's knowledge of the users who are being deleted may be when it lets a call in.
pub const DELETIONS_KNOWN: Duration = Duration::from_secs(30);
/// How old that knowledge is when it is renewed while calls go on.
pub const DELETIONS_RENEWED: Duration = Duration::from_secs(20);
/// How long a call waits for that knowledge. After that the last known list is used, so a reader of cached files does not need
/// the store.
pub const DELETIONS_PATIENCE: Duration = Duration::from_secs(2);
/// The second sweep of a deletion begins so long after the request.
pub const DELETION_AGAIN: SignedDuration = SignedDuration::from_mins(1);
/// How long a process has a deletion for itself without noting that it goes on. Then another one takes it over.
pub const DELETION_LEASE: Duration = Duration::from_mins(1);
/// The object of a deletion.
pub const DELETION_BYTES: u64 = 64 << 10;
/// Deletions under way that a process looks at. More are looked at once these are done.
pub const DELETIONS_AT_ONCE: usize = 10_000;
/// Deletions of other processes that a process goes on with at the same time.
pub const DELETIONS_CONTINUED: usize = 16;
/// Objects that an export fetches ahead, each by its first piece.
pub const EXPORT_AHEAD: usize = 8;
/// The piece in which an export fetches objects.
pub const EXPORT_PIECE_BYTES: u64 = 256 << 10;
/// Objects that could not be exported and that the manifest names; the rest it counts.
pub const EXPORT_LEFT_NAMED: usize = 1000;
/// How long an object that nothing uses lies before a check counts it as an orphan.
pub const ORPHAN_AGE: SignedDuration = SignedDuration::from_hours(24);
/// Snapshots that a process remembers to have stored. Each further snapshot costs a put.
pub const SNAPSHOTS_REMEMBERED: u64 = 100_000;
/// The largest snapshot that a check reads. A snapshot of 10,000 files has about two megabytes.
pub const SNAPSHOT_OBJECT_BYTES: u64 = 16 << 20;

//! Limits of audit records and of the events that are made from them.

use std::time::Duration;

/// Records of one batch. A full batch is written at once.
pub const AUDIT_BATCH_RECORDS: usize = 256;
/// How long a batch takes records before it is written.
pub const AUDIT_BATCH_AGE: Duration = Duration::from_mins(1);
/// How long a group of changes gathers before its records are written, if their callers wait for that.
pub const AUDIT_GROUP: Duration = Duration::from_millis(25);
/// How long to leave a store alone that refused a batch.
pub const AUDIT_RETRY: Duration = Duration::from_secs(10);
/// Memory for records that are not written yet, of all users together. Further ones are dropped and counted.
pub const AUDIT_WAITING_BYTES: usize = 16 << 20;
/// Files that one record names. It counts the rest.
pub const AUDIT_RECORD_FILES: usize = 100;
/// Bytes of the subject of an operation in a record. The rest is cut.
pub const AUDIT_SUBJECT_BYTES: usize = 1024;
/// Bytes of the id of a call, as a model wrote it, that a record has. The rest is cut.
pub const CALL_ID_BYTES: usize = 128;
/// Bytes of the input of an operation that a record has. Members that do not fit are left out.
pub const AUDIT_INPUT_BYTES: usize = 4 << 10;
/// How long refused calls of one key at one route are counted before the next record.
pub const REFUSALS_COUNTED: Duration = Duration::from_mins(1);
/// Keys and routes whose refused calls are counted at once. Those beyond leave no record.
pub const REFUSALS_KEPT: usize = 4096;
/// Days that records are kept, unless configured otherwise.
pub const AUDIT_RETENTION_DAYS: u32 = 90;
/// The most days that can be configured: a hundred years.
pub const AUDIT_RETENTION_MOST_DAYS: u32 = 36_500;
/// Old batches that are deleted in one go.
pub const AUDIT_PRUNED: usize = 10_000;
/// How long after that, or after a failure, the rest of them is deleted.
pub const AUDIT_PRUNED_AGAIN: Duration = Duration::from_mins(10);
/// Bytes of a batch that is read. The service writes smaller batches and skips larger ones.
pub const AUDIT_BATCH_BYTES: u64 = 16 << 20;
/// Records of one page of a query, and the default.
pub const AUDIT_PAGE_RECORDS: usize = 1000;
/// Batches that one page of a query reads at most. The page then has fewer records, and a cursor.
pub const AUDIT_PAGE_BATCHES: usize = 64;
/// Bytes of the batches that one page of a query reads at most. The first batch of a page may be larger.
pub const AUDIT_PAGE_READ_BYTES: u64 = 32 << 20;
/// Bytes of the records of one page, as batches have them. A record that is larger by itself has a page of its own.
pub const AUDIT_PAGE_BYTES: usize = 1 << 20;
/// Batches are read in pieces of so many bytes: several small ones at once, or a part of a large one.
pub const AUDIT_PIECE_BYTES: u64 = 1 << 20;
/// One record in a batch. There is room for 100 paths in JSON. The service writes no longer record and skips longer ones.
pub const AUDIT_LINE_BYTES: usize = 512 << 10;
/// How much later than its name says a batch may have got its last record, or come into the store.
pub const AUDIT_LATENESS: Duration = Duration::from_secs(65);
/// Events that wait for one listener. A listener who falls further behind is dropped.
pub const EVENTS_WAITING: usize = 128;
/// How long the sender of many events pauses while the buffer of a slow listener is half full.
pub const EVENTS_PAUSE: Duration = Duration::from_millis(10);
/// The most pauses for slow listeners in one look at the records of other replicas.
pub const EVENTS_PAUSES: usize = 100;
/// How often a process looks for the records of other replicas while clients listen.
pub const EVENTS_LOOK: Duration = Duration::from_secs(4);
/// Events of one answer to a client that does not listen.
pub const EVENTS_PAGE: usize = 1000;
/// Bytes of these events. An event that is larger by itself has an answer of its own.
pub const EVENTS_PAGE_BYTES: usize = 128 << 10;
/// The pieces in which batches are read for a client that comes back. The events of one piece are in memory at once.
pub const EVENTS_PIECE_BYTES: u64 = 64 << 10;
/// Sessions that are read in one such look, if others have changed them.
pub const SESSIONS_LOOKED_AT: usize = 64;
/// Permission requests of a user that a process remembers as sent, so that listeners receive each once.
pub const REQUESTS_REMEMBERED: usize = 1024;
/// How often a stream of events sends a sign of life.
pub const EVENTS_ALIVE: Duration = Duration::from_secs(15);
/// How often a stream of events checks whether the caller may still watch. The second check after a renewal of the deleted users has
/// the answer, so a stream ends within 30 s.
pub const EVENTS_CHECKED: Duration = Duration::from_secs(5);
/// Batches that the figures of use are made from at most: more than a million records.
pub const USAGE_BATCHES: usize = 8192;
/// Conversations that the figures of use count.
pub const USAGE_CONVERSATIONS: usize = 200_000;
/// Skills that the figures of use count.
pub const USAGE_SKILLS: usize = 20_000;
/// Memory for counting the figures of use.
pub const USAGE_TALLY_BYTES: u64 = 32 << 20;
/// Skills of one conversation that the figures of use count.
pub const USAGE_CONVERSATION_SKILLS: usize = 1000;
/// Days whose records say which skills a session may begin with. Each further number counts if those before had too few.
pub const CANDIDATE_DAYS: [i64; 3] = [1, 7, 30];
/// The latest batches of these days, which are read.
pub const CANDIDATE_BATCHES: usize = 128;
/// Skills that a session begins with because conversations use them often.
pub const CANDIDATES_PRELOADED: usize = 16;
/// How long a process remembers these skills of a user.
pub const CANDIDATES_REMEMBERED: Duration = Duration::from_hours(1);
/// Users whose skills a process remembers so.
pub const CANDIDATE_USERS: u64 = 10_000;
/// Characters of a skill's description in a record and in events: as many as the format of skills allows.
pub const EFFECT_DESCRIPTION_CHARS: usize = 1024;
/// Calls of one conversation that wait for an approval, in the figures of use.
pub const USAGE_ASKED: usize = 32;

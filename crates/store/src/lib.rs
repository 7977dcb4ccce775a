//! The port to object storage: five verbs, each atomic on one key.
//!
//! One decision shapes it: a `get` returns bytes, not a stream. Objects larger than [`limits::CHUNK_BYTES`] are read in
//! ranges under `if_match`. So a retry always covers the body too, the chunk bounds the memory, and two versions of an
//! object can never be spliced together.
//!
//! * The trait is [`Store`]; the options and the answer of each verb are beside it.
//! * Three stores implement it: [`MemoryStore`], [`DirectoryStore`] and `S3Store` (feature `s3`). [`StoreAddress`] is one
//!   of them written as text, such as `s3://bucket/prefix`.
//! * A folder of skills is served as it is by an address of its own form, with all else beside it: [`SkillsAt`].
//! * Layers wrap any store: [`CachingStore`], [`CountingStore`], [`LoggingStore`] and [`CircuitBreaker`].
//! * [`Committer`] puts with a condition and settles what became of a put whose reply was lost.
//! * [`rules`] is for those who write a store of their own: conditions, ranges and pages, which are the same for all.
//! * `testing` (feature `testing`) is for their tests: the conformance suite that every store here passes, and a layer that
//!   fails on purpose.
//!
//! ```
//! use std::sync::Arc;
//!
//! use skillmount_base::{clock::{Clock, SystemClock}, limits::CONTENT_CACHE_BYTES};
//! use skillmount_store::{CachingStore, S3Options, StoreAddress};
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> skillmount_base::Result<()> {
//! let clock: Arc<dyn Clock> = Arc::new(SystemClock::new());
//! let address = StoreAddress::parse("memory:")?;
//! let (store, namespace) = address.open(S3Options::default(), clock.clone()).await?;
//! let store = Arc::new(CachingStore::new(store, CONTENT_CACHE_BYTES, clock));
//! # drop((store, namespace));
//! # Ok(())
//! # }
//! ```
//!
//! [`limits::CHUNK_BYTES`]: skillmount_base::limits::CHUNK_BYTES

mod address;
#[cfg(feature = "s3")]
mod attempts;
mod backoff;
mod breaker;
mod cached;
mod cause;
mod commit;
mod directory;
mod disk;
mod error;
mod fence;
mod handle;
mod layer;
mod logged;
mod memory;
mod metered;
mod newest;
mod port;
mod probe;
pub mod rules;
#[cfg(feature = "s3")]
mod s3;
mod s3_options;
mod server;
mod skills_address;
mod skills_folder;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
mod verb;
mod write_access;

pub use address::StoreAddress;
pub use breaker::CircuitBreaker;
pub use cached::CachingStore;
pub use cause::Cause;
pub use commit::{Commit, Committer, ExpectedVersion, WriteCallId};
pub use directory::DirectoryStore;
pub use error::{FailureDetail, StoreError, StoreResult};
pub use fence::{DeletionFence, DeletionMonitor};
pub use handle::StoreHandle;
pub use logged::LoggingStore;
pub use memory::MemoryStore;
pub use metered::{CountingStore, LedgerCounts, RequestCounts, Requests, VerbCounts};
pub use port::{Capabilities, FileAndFolder, SharedStore, Store, StoreExt};
pub use probe::{Conditions, KNOWN_STORES, KnownStore, ProbeResult, probe_conditions, write_once};
#[cfg(feature = "s3")]
pub use s3::S3Store;
pub use s3_options::S3Options;
pub use server::{StoreServer, Versioning};
pub use skills_address::SkillsAt;
pub use verb::{
    CachePolicy, DeleteOptions, GetOptions, ListEntry, ListOptions, ListPage, Metadata, Object, ObjectMeta, PageToken,
    PurgeReply, PurgedVersion, PutCondition, PutOptions, PutResult, Tags, Verb,
};
pub use write_access::{ReadOnly, WriteAccess};

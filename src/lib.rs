//! A small file system over object storage for agents, in which each session sees only the skills it has loaded.
//!
//! # What is it?
//!
//! Each user's skills lie in that user's folder of a bucket. An agent's session has `/workspace` and `/ticket` from the
//! start. By default, `/skills` appears with the first loaded skill and contains only loaded skills. The service knows which
//! skills exist and writes a prompt that lists them, so a thousand skills cost no context until one is used. The same
//! operations are there for a library ([`handle`]), over HTTP (`http`) and on the command line.
//!
//! # What does a first session look like?
//!
//! You need no account and no server. This example keeps its store in memory.
//!
//! ```
//! use std::sync::Arc;
//!
//! use skillmount::{
//!     handle::{Service, ServiceOptions},
//!     clock::SystemClock,
//!     path::Id,
//!     store::MemoryStore,
//!     wire::{BackendProtocol, LoadSkillRequest, LsRequest},
//! };
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> skillmount::Result<()> {
//! let store = Arc::new(MemoryStore::new());
//! let skill = "---\nname: minutes\ndescription: Writes the minutes of a meeting.\n---\nBegin with who was there.\n";
//! // Puts bytes under a key, as any S3 tool would.
//! store.put_raw("anna/skills/writing/minutes/SKILL.md", skill);
//!
//! let service = Service::new(store, ServiceOptions::default(), Arc::new(SystemClock::new()));
//! let agent = service.session(Id::parse("anna")?, Id::parse("chat-7")?);
//! let root = agent.ls(LsRequest { path: "/".to_owned() }).await?;
//! assert_eq!(root.entries.len(), 2, "/workspace and /ticket");
//!
//! // `true` would read the bucket again; `false` takes what the service knows.
//! let catalog = agent.catalog(false).await?;
//! assert_eq!(catalog.entries[0].description(), "Writes the minutes of a meeting.");
//!
//! let loaded = agent.load_skill(LoadSkillRequest::new("minutes")).await?;
//! assert_eq!((loaded.mount.as_str(), loaded.body.as_deref()), ("/skills/minutes", Some("Begin with who was there.\n")));
//! # Ok(())
//! # }
//! ```
//!
//! An agent framework needs little more. [`prompt`] describes the skills to the model. [`tools`] defines the operations as
//! tools for a model, and runs the tool calls of one turn.
//!
//! # Where do files lie?
//!
//! In a [`store::Store`], which has five verbs: get, put, head, list, delete. Each is atomic for a single key.
//! [`store::StoreAddress`] parses the address of a store:
//!
//! | address | store | for |
//! |---|---|---|
//! | `s3://bucket/prefix` | `S3Store` (feature `s3`) | S3 and servers that speak its protocol |
//! | `file:DIR` | [`store::DirectoryStore`] | plain files in a folder, which any editor may change |
//! | `skills:DIR` | [`store::SkillsAt`] | a folder of skills as it is, with all else beside it |
//! | `memory:` | [`store::MemoryStore`] | tests and trying things out |
//!
//! Any other object storage can be added outside this crate: implement the trait, and run the conformance suite
//! (`store::testing`, feature `testing`) that the stores here pass. Layers wrap any of them. For a service of many users
//! [`handle::OpenStore`] puts [`store::CachingStore`] and [`store::CircuitBreaker`] between the service and the store.
//!
//! # Why can an agent not read what it has not loaded?
//!
//! An agent names files by [`path::VirtualPath`]s, and the store knows [`path::ObjectKey`]s. The only way from one to the
//! other is the [`path::Scope`] of the session: its workspace, its ticket and a mount for each loaded skill. A path that no
//! mount covers has no key, so the store is never asked: a read of it is `file_not_found`, as for a file that does not exist,
//! and a write is `read_only`. There is no check to forget.
//!
//! # What can go wrong?
//!
//! Every operation that fails returns an [`Error`]. Its [`Code`] is stable and goes over the wire. Its [`Kind`] is what the
//! caller can do; it decides the exit status, and the HTTP status of all codes but two. Its message is written for the agent
//! that reads it and says what to do next. A failed change also has an [`Outcome`]: applied, not applied, partly applied, or
//! unknown.
//!
//! ```
//! use skillmount::{Code, Kind, path::VirtualPath};
//!
//! let refused = VirtualPath::parse("/workspace/../secret").unwrap_err();
//! assert_eq!((refused.code(), refused.code().kind()), (Code::InvalidPath, Kind::InvalidInput));
//! assert_eq!(refused.code().http_status(), 400);
//! ```
//!
//! # Which features are there?
//!
//! All but `testing` and `jemalloc` are on by default. An embedder who wants the library alone takes `default-features = false` and adds
//! what is needed.
//!
//! | feature | what it adds |
//! |---|---|
//! | `s3` | `s3://` addresses and `store::S3Store`, through the AWS SDK |
//! | `server` | `http`: the HTTP interface and its `OpenAPI` document; needs `mcp` |
//! | `client` | `client::RemoteBackend`: the agent's operations on a service elsewhere |
//! | `mcp` | `mcp`: the tools of a session over the Model Context Protocol |
//! | `cli` | `cli`: the command line; needs `server` and `client` |
//! | `keys-file` | `access::KeysFile`: the keys of callers in a TOML file; `server` and `cli` bring it |
//! | `jemalloc` | the allocator of what is shipped for Linux, which returns freed memory at once |
//! | `tiktoken` | prompts are measured by the tokenizer of `OpenAI`'s models; without it, by an estimate that says so |
//! | `encoder` | `encoder::LocalEncoder`: skills are also found by what they mean, with a model on this machine |
//! | `testing` | `store::testing`: the conformance suites for stores, and a store that fails on purpose |
//!
//! # What is it not?
//!
//! * **Nothing is mounted into the operating system.** A FUSE mount would show every process of the machine the same
//!   files, while here each session of each user sees others. POSIX `open` and `write` have no place for the version that
//!   was read, or for the error that another caller has changed the file.
//! * **It runs nothing.** A skill's scripts are files to read. The agent's framework decides what runs, and where.
//! * **It speaks to no model.** It writes prompts and tools, and runs the calls that a model makes.
//! * **It keeps no state of its own.** It needs no database and no leader. Its caches can be lost without loss of data.
//!
//! # Where to go on?
//!
//! `docs/ARCHITECTURE.md` is the map of this crate, `docs/GLOSSARY.md` has its words, `docs/SEMANTICS.md` is its contract, and
//! `docs/DECISIONS.md` says why it is as it is. A module imports only modules to its left:
//!
//! ```text
//! error limits clock path operation_note budget json text ← access store skill ← wire ← words encoder ← catalog session ← observer deletions
//! ← content ← context ← files ← publish ← skills ← users upkeep authoring ← handle ← prompt tools ← hooks ← audit
//! ← client ← mcp ← http ← cli
//! ```

pub use skillmount_base::{budget, clock, error, json, limits, operation_note, path, text};
#[cfg(feature = "cli")]
pub use skillmount_cli as cli;
#[cfg(feature = "client")]
pub use skillmount_client as client;
pub use skillmount_engine::{
    access, audit, authoring, catalog, content, context, deletions, files, handle, hooks, observer, prompt, publish,
    session, skills, tools, upkeep, users,
};
pub use skillmount_search::{encoder, words};
#[cfg(feature = "server")]
pub use skillmount_server::http;
#[cfg(feature = "mcp")]
pub use skillmount_server::mcp;
pub use skillmount_skill as skill;
pub use skillmount_store as store;
pub use skillmount_wire as wire;

pub use skillmount_base::{Code, Error, Kind, Outcome, Parts, Result};

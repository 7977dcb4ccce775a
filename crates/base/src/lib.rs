//! Names and paths, limits, time, budgets, bounded JSON and the one error type, for all crates of skillmount.
//!
//! * [`path`] reads ids and virtual paths, and decides which key of the store a path has.
//! * [`error`] has the error type: a code, an outcome, and advice in the message.
//! * [`limits`] has every number that bounds an input or an answer.
//! * [`budget`] shares threads, memory and bandwidth among users.
//! * [`clock`] is the port to time and randomness, [`json`] reads JSON from outside, and [`text`] splits and searches text.
//!
//! An application depends on the crate `skillmount`, which re-exports these modules.
//!
//! ```
//! use skillmount_base::{Code, path::{Id, VirtualPath}};
//!
//! let user = Id::parse("anna")?;
//! assert_eq!(user.as_str(), "anna");
//! let error = VirtualPath::parse("/workspace/../secret").unwrap_err();
//! assert_eq!(error.code(), Code::InvalidPath);
//! # Ok::<(), skillmount_base::Error>(())
//! ```

pub mod budget;
pub mod clock;
pub mod error;
pub mod json;
pub mod limits;
pub mod operation_note;
pub mod path;
pub mod text;

pub use error::{Code, Error, Kind, Outcome, Parts, Result};

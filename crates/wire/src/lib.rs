//! The documents on the wire: every operation, and every document that is served, fetched or printed, once.
//!
//! All of it is plain data with names for its fields and a schema, so that a server, a client in any language, a command
//! line and a model's tools speak of the same things. Requests carry text as the caller wrote it; the server parses it
//! into types before anything else.

mod documents;
mod error_code;
pub mod headers;
mod operations;
mod transfer;

pub use documents::*;
pub use error_code::ErrorCode;
pub use operations::*;
pub use transfer::{DownloadOutcome, UploadFile, UploadOutcome, WriteCondition};

//! Stores: the promises that every one keeps, and what only the directory and S3 have to keep.

mod conformance;
mod directory;
mod listing_tokens;
#[cfg(feature = "s3")]
mod s3;
#[cfg(unix)]
mod skills_folder;
mod toy_store;

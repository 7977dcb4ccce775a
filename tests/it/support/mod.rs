//! What several test files stand on.

#[cfg(feature = "s3")]
pub(crate) mod s3_in_process;
#[cfg(feature = "s3")]
pub(crate) mod s3_script;

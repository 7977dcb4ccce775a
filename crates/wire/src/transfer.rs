//! Files whose bytes travel as they are, outside of JSON.

use bytes::Bytes;

use skillmount_base::{
    error::{Error, Result},
    path::ETag,
};

/// A file to upload: any bytes, replacing what is there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UploadFile {
    /// Where to.
    pub path: String,
    /// The bytes.
    pub bytes: Bytes,
}

/// The outcome of one file of an upload.
#[derive(Clone, Debug)]
pub struct UploadOutcome {
    /// The path as it was given.
    pub path: String,
    /// The new version, or why there is none; the error says what became of the file.
    pub result: Result<Option<ETag>, Error>,
}

/// The outcome of one file of a download.
#[derive(Clone, Debug)]
pub struct DownloadOutcome {
    /// The path as it was given.
    pub path: String,
    /// The bytes, or why there are none.
    pub result: Result<Bytes, Error>,
}

/// The condition on a file under which its bytes are written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum WriteCondition {
    /// Nothing: the last writer wins.
    #[default]
    Always,
    /// No file is there.
    IfAbsent,
    /// A file is there, whichever version it is.
    IfPresent,
    /// The file is still one of these versions.
    IfMatch(Vec<ETag>),
}

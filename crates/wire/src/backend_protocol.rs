//! The trait of an agent's operations, made from their table.

use async_trait::async_trait;

use crate::{DownloadOutcome, UploadFile, UploadOutcome, with_operations};
use skillmount_base::error::Result;

macro_rules! protocol {
    ($(
        $(#[doc = $doc:literal])*
        $variant:ident $method:ident($request:ident) -> $reply:ident
        { $name:literal, $aliases:tt, $under:expr, $effect:ident, $module:ident, $memory:ident, $status:literal }
    )* ; $($also:tt)*) => {
        /// The operations an agent has, on one session of one user.
        ///
        /// Two implementations: `SessionBackend` over a store, and `RemoteBackend` over HTTP. The request and the
        /// reply of an operation document its input and output. The codes of its errors are those of the HTTP contract.
        #[async_trait]
        pub trait BackendProtocol: Send + Sync {
            $($(#[doc = $doc])* #[doc = include_str!(concat!("../docs/operations/", $name, ".md"))] async fn $method(&self, request: crate::$request) -> Result<crate::$reply>;)*

            /// Stores files, each on its own; the outcomes come in the order of the files.
            #[doc = include_str!("../docs/operations/upload.md")]
            async fn upload(&self, files: Vec<UploadFile>) -> Result<Vec<UploadOutcome>>;

            /// Fetches files, each on its own; the outcomes come in the order of the paths.
            #[doc = include_str!("../docs/operations/download.md")]
            async fn download(&self, paths: Vec<String>) -> Result<Vec<DownloadOutcome>>;
        }
    };
}

with_operations!(protocol);

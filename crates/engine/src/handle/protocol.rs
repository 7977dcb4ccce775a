//! The trait of an agent's operations and its implementation over a store, both made from the table of operations.

use async_trait::async_trait;

use super::session_backend::SessionBackend;
use crate::{
    context::paths_of,
    error::{Error, Result},
    wire::{
        self, CallOutline, DownloadOutcome, Effect, Operation, Request as _, UploadFile, UploadOutcome, with_operations,
    },
};

macro_rules! protocol {
    ($(
        $(#[doc = $doc:literal])*
        $variant:ident $method:ident($request:ident) -> $reply:ident
        { $name:literal, $aliases:tt, $under:expr, $effect:ident, $tag:literal, $memory:ident, $status:literal }
    )* ; $($also:tt)*) => {
        /// The operations an agent has, on one session of one user.
        ///
        /// Two implementations: [`SessionBackend`] over a store, and `RemoteBackend` over HTTP. The request and the
        /// reply of an operation document its input and output. The codes of its errors are those of the HTTP contract.
        #[async_trait]
        pub trait BackendProtocol: Send + Sync {
            $($(#[doc = $doc])* #[doc = include_str!(concat!("../../docs/operations/", $name, ".md"))] async fn $method(&self, request: wire::$request) -> Result<wire::$reply>;)*

            /// Stores files, each on its own; the outcomes come in the order of the files.
            #[doc = include_str!("../../docs/operations/upload.md")]
            async fn upload(&self, files: Vec<UploadFile>) -> Result<Vec<UploadOutcome>>;

            /// Fetches files, each on its own; the outcomes come in the order of the paths.
            #[doc = include_str!("../../docs/operations/download.md")]
            async fn download(&self, paths: Vec<String>) -> Result<Vec<DownloadOutcome>>;
        }

        #[async_trait]
        impl BackendProtocol for SessionBackend {
            $(async fn $method(&self, request: wire::$request) -> Result<wire::$reply> {
                let span = self.context.begin(Operation::$variant, || request.subject(), || request.outline());
                let outcome = operations::$method(&self.files, &span, request).await;
                span.ended(outcome.map_err(|error| with_outcome(Operation::$variant, error))).await
            })*

            async fn upload(&self, files: Vec<UploadFile>) -> Result<Vec<UploadOutcome>> {
                let paths = || paths_of(files.iter().map(|file| file.path.as_str()));
                let span = self.context.begin(Operation::Upload, paths, || CallOutline::of_files(files.iter().map(|file| file.path.as_str())));
                let outcome = operations::upload(&self.files, &span, files).await;
                span.ended(outcome).await
            }

            async fn download(&self, paths: Vec<String>) -> Result<Vec<DownloadOutcome>> {
                let names = || paths_of(paths.iter().map(String::as_str));
                let span = self.context.begin(Operation::Download, names, || CallOutline::of_files(paths.iter().map(String::as_str)));
                let outcome = operations::download(&span, paths).await;
                span.ended(outcome).await
            }
        }
    };
}

with_operations!(protocol);

/// An operation that changes something says of each failure whether the change is in the store.
fn with_outcome(operation: Operation, error: Error) -> Error {
    if operation.effect() == Effect::Reads { error } else { error.of_change() }
}

/// The functions of the operations, by their names. Each but `download` takes the state that file operations share.
mod operations {
    pub(super) use crate::{
        files::{delete, download, edit, glob, grep, ls, move_path, read, upload, write},
        skills::{create_skill, discover_skills, load_skill, unload_skill},
    };
}

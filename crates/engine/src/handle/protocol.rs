//! The operations of an agent over a store, made from their table.

use async_trait::async_trait;

use super::session_backend::SessionBackend;
use crate::{
    error::{Error, Result},
    operation_note::paths_of,
    wire::{
        self, BackendProtocol, CallOutline, DownloadOutcome, Effect, Operation, Request as _, UploadFile,
        UploadOutcome, with_operations,
    },
};

macro_rules! protocol {
    ($(
        $(#[doc = $doc:literal])*
        $variant:ident $method:ident($request:ident) -> $reply:ident $facts:tt
    )* ; $($also:tt)*) => {
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

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
        $variant:ident $method:ident($request:ident) -> $reply:ident
        { $name:literal, $aliases:tt, $under:expr, $effect:ident, $module:ident, $memory:ident, $status:literal }
    )* ; $($also:tt)*) => {
        #[async_trait]
        impl BackendProtocol for SessionBackend {
            $(async fn $method(&self, request: wire::$request) -> Result<wire::$reply> {
                let span = self.context.begin(Operation::$variant, || request.subject(), || request.outline());
                let outcome = match wire::normal_form(request) {
                    Ok(request) => crate::$module::$method(&self.files, &span, request).await,
                    Err(malformed) => Err(malformed),
                };
                span.ended(outcome.map_err(|error| with_outcome(Operation::$variant, error))).await
            })*

            async fn upload(&self, files: Vec<UploadFile>) -> Result<Vec<UploadOutcome>> {
                let paths = || paths_of(files.iter().map(|file| file.path.as_str()));
                let span = self.context.begin(Operation::Upload, paths, || CallOutline::of_files(files.iter().map(|file| file.path.as_str())));
                let outcome = crate::files::upload(&self.files, &span, files).await;
                span.ended(outcome).await
            }

            async fn download(&self, paths: Vec<String>) -> Result<Vec<DownloadOutcome>> {
                let names = || paths_of(paths.iter().map(String::as_str));
                let span = self.context.begin(Operation::Download, names, || CallOutline::of_files(paths.iter().map(String::as_str)));
                let outcome = crate::files::download(&span, paths).await;
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

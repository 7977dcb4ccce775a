//! The agent's operations, answered by a server.

use async_trait::async_trait;
use bytes::Bytes;
use futures_util::{StreamExt as _, stream};
use reqwest::{Method, RequestBuilder};

use crate::{
    RemoteBackend,
    error::{Error, Result},
    operation_note::{OperationNote, paths_of},
    path::{ETag, VirtualPath},
    wire::{
        self, BackendProtocol, DownloadOutcome, Effect, Operation, Request, UploadFile, UploadOutcome, WriteReply,
        with_operations,
    },
};

/// Files that are sent or fetched at once.
const PARALLEL_FILES: usize = 8;

macro_rules! protocol {
    ($(
        $(#[doc = $doc:literal])*
        $variant:ident $method:ident($request:ident) -> $reply:ident $facts:tt
    )* ; $($also:tt)*) => {
        #[async_trait]
        impl BackendProtocol for RemoteBackend {
            $(async fn $method(&self, request: wire::$request) -> Result<wire::$reply> {
                begin(self, Operation::$variant, || request.subject()).ended(operate(self, &request).await)
            })*

            async fn upload(&self, files: Vec<UploadFile>) -> Result<Vec<UploadOutcome>> {
                let note = begin(self, Operation::Upload, || paths_of(files.iter().map(|file| file.path.as_str())));
                let sent = stream::iter(files).map(|UploadFile { path, bytes }| async move {
                    let result = put(self, &path, bytes).await.map_err(Error::of_change);
                    UploadOutcome { path, result }
                });
                note.ended(Ok(sent.buffered(PARALLEL_FILES).collect().await))
            }

            async fn download(&self, paths: Vec<String>) -> Result<Vec<DownloadOutcome>> {
                let note = begin(self, Operation::Download, || paths_of(paths.iter().map(String::as_str)));
                let fetched = stream::iter(paths).map(|path| async move {
                    let result = fetch(self, &path).await;
                    DownloadOutcome { path, result }
                });
                note.ended(Ok(fetched.buffered(PARALLEL_FILES).collect().await))
            }
        }
    };
}

with_operations!(protocol);

fn begin(remote: &RemoteBackend, operation: Operation, subject: impl FnOnce() -> String) -> OperationNote {
    OperationNote::begin((&remote.user, Some(&remote.session)), operation.name(), subject)
}

async fn operate<R: Request>(remote: &RemoteBackend, request: &R) -> Result<R::Reply> {
    let sent = remote.of_session(Method::POST, [R::OPERATION.name()])?.json(request);
    remote.connection.exchange(sent, R::OPERATION.effect()).await
}

async fn put(remote: &RemoteBackend, path: &str, bytes: Bytes) -> Result<Option<ETag>> {
    let request = of_file(remote, Method::PUT, path)?.body(bytes);
    remote.connection.exchange(request, Effect::Writes).await.map(|written: WriteReply| written.etag)
}

async fn fetch(remote: &RemoteBackend, path: &str) -> Result<Bytes> {
    let response = remote.connection.send(of_file(remote, Method::GET, path)?, Effect::Reads).await?;
    response.bytes().await.map_err(|cause| remote.connection.unreachable(cause, Effect::Reads))
}

/// A request about a file of the session.
fn of_file(remote: &RemoteBackend, method: Method, path: &str) -> Result<RequestBuilder> {
    // Parsed here, because a URL would take `.` and `..` out of the path before the server could refuse them.
    let path = VirtualPath::parse(path)?;
    remote.of_session(method, std::iter::once("files").chain(path.segments()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{error::Code, path::Id};

    #[test]
    fn paths_reach_the_server_segment_by_segment() {
        let remote = |base| RemoteBackend::new(base, Id::parse("u1").unwrap(), Id::parse("s1").unwrap(), None).unwrap();
        let url = |request: RequestBuilder| request.build().unwrap().url().clone();
        let file = url(of_file(&remote("http://localhost:1/"), Method::GET, "/workspace/a b/%2e/[é]?#.md").unwrap());
        assert_eq!(
            file.as_str(),
            "http://localhost:1/v1/users/u1/sessions/s1/files/workspace/a%20b/%252e/[%C3%A9]%3F%23.md"
        );
        let session = url(remote("http://localhost:1/at").of_session(Method::GET, []).unwrap());
        assert_eq!(session.path(), "/at/v1/users/u1/sessions/s1");
        let error = of_file(&remote("http://x"), Method::GET, "/a/../b").unwrap_err();
        assert_eq!(error.code(), Code::InvalidPath);
    }
}

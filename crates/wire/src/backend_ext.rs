//! The operations in their short forms, for callers that want an answer and none of the choices.

use async_trait::async_trait;
use skillmount_base::error::Result;

use crate::{
    BackendProtocol, DeleteRequest, EditReply, EditRequest, Entry, GlobRequest, GrepRequest, LoadSkillReply,
    LoadSkillRequest, LsRequest, ReadReply, ReadRequest, WriteReply, WriteRequest,
};

/// Short forms of the operations, on every [`BackendProtocol`]. Their errors are those of the operations.
///
#[doc = include_str!("backend_ext.md")]
#[async_trait]
pub trait BackendExt: BackendProtocol {
    /// The paths of the entries of a folder.
    async fn names(&self, folder: &str) -> Result<Vec<String>> {
        Ok(self.entries(folder).await?.into_iter().map(|entry| entry.path).collect())
    }

    /// The entries of a folder.
    async fn entries(&self, folder: &str) -> Result<Vec<Entry>> {
        Ok(self.ls(LsRequest::new(folder)).await?.entries)
    }

    /// The text of a file, up to 2,000 lines of it.
    async fn text(&self, file: &str) -> Result<String> {
        Ok(self.read(ReadRequest::new(file)).await?.content)
    }

    /// `limit` lines of a file, after the first `offset`.
    async fn lines(&self, file: &str, offset: u64, limit: u64) -> Result<ReadReply> {
        self.read(ReadRequest { offset, limit, ..ReadRequest::new(file) }).await
    }

    /// Makes a file that is not there yet.
    async fn create(&self, file: &str, content: &str) -> Result<WriteReply> {
        self.write(WriteRequest::new(file, content)).await
    }

    /// Makes a file, or replaces it.
    async fn overwrite(&self, file: &str, content: &str) -> Result<WriteReply> {
        self.write(WriteRequest { overwrite: true, ..WriteRequest::new(file, content) }).await
    }

    /// Replaces text that stands in the file once.
    async fn replace(&self, file: &str, old: &str, new: &str) -> Result<EditReply> {
        self.edit(EditRequest::new(file, old, new)).await
    }

    /// Deletes a file or folder, and returns how many files that were.
    async fn remove(&self, path: &str) -> Result<u64> {
        Ok(self.delete(DeleteRequest::new(path)).await?.deleted)
    }

    /// The paths of the files that a glob matches.
    async fn find(&self, glob: &str) -> Result<Vec<String>> {
        let found = self.glob(GlobRequest::new(glob)).await?;
        Ok(found.matches.into_iter().map(|found| found.path).collect())
    }

    /// The lines that an expression matches, as `path:line:text`.
    async fn hits(&self, pattern: &str, path: Option<&str>) -> Result<Vec<String>> {
        let request = GrepRequest { path: path.map(str::to_owned), ..GrepRequest::new(pattern) };
        let found = self.grep(request).await?.matches.unwrap_or_default();
        Ok(found.into_iter().map(|hit| format!("{}:{}:{}", hit.path, hit.line, hit.text)).collect())
    }

    /// Loads the skill that answers to this name.
    async fn load(&self, skill: &str) -> Result<LoadSkillReply> {
        self.load_skill(LoadSkillRequest::new(skill)).await
    }
}

impl<T: BackendProtocol + ?Sized> BackendExt for T {}

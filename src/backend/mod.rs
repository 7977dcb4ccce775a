//! The agent's operations over a store: the gated tree, and one file per operation.
//!
//! [`BackendProtocol`] is what an agent can do; [`SkillBackend`] does it over a store for one session, and any surface
//! (library, HTTP, command line) goes through it, so the gate is in one place: `tree`.

mod bound;
mod delete;
mod discover;
mod edit;
mod expression;
mod fetch;
mod files;
mod find;
mod grep;
mod lines;
mod listing;
mod load;
mod lookup;
mod ls;
mod matcher;
mod parts;
mod protocol;
mod read;
#[cfg(feature = "client")]
mod remote;
mod replace;
mod service;
mod shown;
mod text;
mod transfer;
mod tree;
mod write;

use async_trait::async_trait;

pub use listing::{Listing, ListingPage};
pub use protocol::*;
#[cfg(feature = "client")]
pub use remote::RemoteBackend;
pub use service::{Budgets, Service, ServiceOptions, SkillBackend};
pub use text::media_type;
pub use transfer::{FileReader, FileStat};

use crate::error::{Error, Result};

#[async_trait]
impl BackendProtocol for SkillBackend {
    async fn ls(&self, request: LsRequest) -> Result<LsReply> {
        self.list_folder(request).await
    }

    async fn read(&self, request: ReadRequest) -> Result<ReadReply> {
        self.read_window(request).await
    }

    async fn grep(&self, request: GrepRequest) -> Result<GrepReply> {
        self.search(request).await
    }

    async fn glob(&self, request: GlobRequest) -> Result<GlobReply> {
        self.find_files(request).await
    }

    async fn write(&self, request: WriteRequest) -> Result<WriteReply> {
        self.write_text(request).await.map_err(Error::of_change)
    }

    async fn edit(&self, request: EditRequest) -> Result<EditReply> {
        self.edit_text(request).await.map_err(Error::of_change)
    }

    async fn delete(&self, request: DeleteRequest) -> Result<DeleteReply> {
        self.delete_path(request).await.map_err(Error::of_change)
    }

    async fn upload(&self, files: Vec<UploadFile>) -> Result<Vec<UploadOutcome>> {
        self.upload_files(files).await
    }

    async fn download(&self, paths: Vec<String>) -> Result<Vec<DownloadOutcome>> {
        self.download_files(paths).await
    }

    async fn discover_skills(&self, request: DiscoverRequest) -> Result<DiscoverReply> {
        self.discover(request).await
    }

    async fn load_skill(&self, request: LoadSkillRequest) -> Result<LoadSkillReply> {
        self.load_and_render(request).await.map_err(Error::of_change)
    }

    async fn unload_skill(&self, request: UnloadSkillRequest) -> Result<UnloadSkillReply> {
        self.unload(request).await.map_err(Error::of_change)
    }
}

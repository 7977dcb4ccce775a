//! The store on S3 and servers with its protocol.
//!
//! The SDK signs, sends and parses; it does not retry. Its retries would resend a put whose reply was lost and report
//! our own success as a conflict, and would leave out the body of a get. So `attempts` retries reads, body included,
//! and a put is sent once per call: [`Committer`](super::Committer) finds out its outcome. No request and no body can
//! hang, because every attempt and every operation has a deadline of its own.

mod bucket;
mod cause;
mod connect;
mod failure;
mod identity;
mod list;
mod purge;
mod read;
mod request;
mod server;
mod tag_digests;
mod tag_header;
mod whole_xml;
mod write;

use std::sync::atomic::Ordering;

use async_trait::async_trait;
use bytes::Bytes;

pub use self::bucket::S3Store;
use super::{
    Capabilities, DeleteOptions, FileAndFolder, GetOptions, ListOptions, ListPage, Object, ObjectMeta, PurgeReply,
    PutOptions, PutResult, SharedStore, Store, StoreError, StoreResult, StoreServer, Tags,
    attempts::{read, retry},
};
use skillmount_base::{
    error::Outcome,
    path::{ETag, KeyPrefix, ObjectKey},
};

impl S3Store {
    /// Deletes an object on this condition. After an unknown outcome, only a condition that the server is known to honour allows a
    /// retry. Another one could remove what was written since.
    async fn delete_if(&self, key: &ObjectKey, if_match: Option<&ETag>) -> StoreResult<()> {
        let certain = |failure: &StoreError| {
            let doubtful = matches!(failure, StoreError::Unavailable { outcome: Outcome::Unknown, .. });
            failure.is_transient() && (!doubtful || if_match.is_some() && self.conditional_delete)
        };
        retry(&self.clock, certain, || write::delete_once(self, key, if_match)).await
    }
}

#[async_trait]
impl Store for S3Store {
    fn capabilities(&self) -> Capabilities {
        Capabilities {
            conditional_delete: self.conditional_delete,
            file_and_folder: FileAndFolder::Held,
            any_key: true,
            tags: true,
            versions: true,
        }
    }

    async fn server(&self) -> Option<StoreServer> {
        Some(server::server(self).await)
    }

    async fn addresses(&self) -> Vec<SharedStore> {
        server::addresses(self).await
    }

    async fn get(&self, key: &ObjectKey, options: GetOptions) -> StoreResult<Object> {
        read(&self.clock, || read::get_once(self, key, &options)).await
    }

    async fn put(&self, key: &ObjectKey, bytes: Bytes, options: PutOptions) -> StoreResult<PutResult> {
        write::put_tagged(self, key, bytes, options).await
    }

    async fn head(&self, key: &ObjectKey) -> StoreResult<ObjectMeta> {
        read(&self.clock, || read::head_once(self, key, None)).await
    }

    async fn list(&self, prefix: &KeyPrefix, options: ListOptions) -> StoreResult<ListPage> {
        read(&self.clock, || list::list_once(self, prefix, &options)).await
    }

    /// Sends the condition even if the server may ignore conditions, and omits it once the server has refused one.
    async fn delete(&self, key: &ObjectKey, options: DeleteOptions) -> StoreResult<()> {
        let if_match = options.if_match.filter(|_| !self.refuses_delete_conditions.load(Ordering::Relaxed));
        match self.delete_if(key, if_match.as_ref()).await {
            Err(StoreError::Unsupported(_)) if if_match.is_some() && !self.conditional_delete => {
                self.delete_if(key, None).await?;
                self.refuses_delete_conditions.store(true, Ordering::Relaxed);
                Ok(())
            }
            deleted => deleted,
        }
    }

    /// Setting the same tags twice is setting them once, so it is retried.
    async fn tag(&self, key: &ObjectKey, tags: Tags) -> StoreResult<()> {
        retry(&self.clock, StoreError::is_transient, || write::tag_once(self, key, &tags)).await
    }

    async fn purge(&self, prefix: &KeyPrefix) -> StoreResult<PurgeReply> {
        purge::purge_page(self, prefix).await
    }
}

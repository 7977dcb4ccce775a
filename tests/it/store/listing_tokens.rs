//! A store that gives the same page token again and again.

use std::sync::Arc;

use crate::support::world::World;
use async_trait::async_trait;
use bytes::Bytes;
use skillmount::{
    Code,
    path::{KeyPrefix, ObjectKey},
    store::{
        Capabilities, DeleteOptions, GetOptions, ListOptions, ListPage, MemoryStore, Object, ObjectMeta, PageToken,
        PutOptions, PutResult, Store, StoreResult,
    },
    wire::{BackendProtocol as _, LsRequest},
};

/// Every page of every listing is the first one, and names itself as the next.
#[derive(Debug, Default)]
struct Circling(MemoryStore);

#[async_trait]
impl Store for Circling {
    fn capabilities(&self) -> Capabilities {
        self.0.capabilities()
    }

    async fn get(&self, key: &ObjectKey, options: GetOptions) -> StoreResult<Object> {
        self.0.get(key, options).await
    }

    async fn put(&self, key: &ObjectKey, bytes: Bytes, options: PutOptions) -> StoreResult<PutResult> {
        self.0.put(key, bytes, options).await
    }

    async fn head(&self, key: &ObjectKey) -> StoreResult<ObjectMeta> {
        self.0.head(key).await
    }

    async fn list(&self, prefix: &KeyPrefix, options: ListOptions) -> StoreResult<ListPage> {
        let page = self.0.list(prefix, options.with_page(None)).await?;
        Ok(ListPage { next: Some(PageToken("again".to_owned())), ..page })
    }

    async fn delete(&self, key: &ObjectKey, options: DeleteOptions) -> StoreResult<()> {
        self.0.delete(key, options).await
    }
}

#[tokio::test]
async fn ls_does_not_go_round_in_circles_with_a_store_that_repeats_a_page() {
    let world = World::over(Arc::new(Circling::default()));
    world.put("demo/threads/s/a.md", "x").await;
    let before = world.ledger.counts();
    let error = world.agent().ls(LsRequest { path: "/workspace".to_owned() }).await.unwrap_err();
    assert_eq!(error.code(), Code::StoreUnavailable);
    assert_eq!((world.ledger.counts() - before).objects.requests.list, 2);
}

//! The verbs of a layer that treats all requests alike.

/// Implements [`Store`](crate::Store) for a layer over the store `inner`. Each verb is that of `inner`, carried out by
/// the layer's method `around`. It gets the verb, the key or prefix, the request, and what counts the moved bytes.
macro_rules! impl_layer {
    ($layer:ty) => {
        const _: () = {
            use bytes::Bytes;
            use skillmount_base::path::{KeyPrefix, ObjectKey};
            use $crate::{
                Capabilities, DeleteOptions, GetOptions, ListOptions, ListPage, Object, ObjectMeta, PurgeReply,
                PutOptions, PutResult, SharedStore, Store, StoreResult, StoreServer, Tags, Verb,
            };

            #[async_trait::async_trait]
            impl Store for $layer {
                fn capabilities(&self) -> Capabilities {
                    self.inner.capabilities()
                }

                async fn server(&self) -> Option<StoreServer> {
                    self.inner.server().await
                }

                async fn addresses(&self) -> Vec<SharedStore> {
                    self.inner.addresses().await
                }

                async fn get(&self, key: &ObjectKey, options: GetOptions) -> StoreResult<Object> {
                    let request = self.inner.get(key, options);
                    self.around(Verb::Get, key.as_str(), request, |object| object.bytes.len()).await
                }

                async fn put(&self, key: &ObjectKey, bytes: Bytes, options: PutOptions) -> StoreResult<PutResult> {
                    let size = bytes.len();
                    self.around(Verb::Put, key.as_str(), self.inner.put(key, bytes, options), |_| size).await
                }

                async fn head(&self, key: &ObjectKey) -> StoreResult<ObjectMeta> {
                    self.around(Verb::Head, key.as_str(), self.inner.head(key), |_| 0).await
                }

                async fn list(&self, prefix: &KeyPrefix, options: ListOptions) -> StoreResult<ListPage> {
                    self.around(Verb::List, prefix.as_str(), self.inner.list(prefix, options), |_| 0).await
                }

                async fn delete(&self, key: &ObjectKey, options: DeleteOptions) -> StoreResult<()> {
                    self.around(Verb::Delete, key.as_str(), self.inner.delete(key, options), |()| 0).await
                }

                async fn tag(&self, key: &ObjectKey, tags: Tags) -> StoreResult<()> {
                    self.around(Verb::Tag, key.as_str(), self.inner.tag(key, tags), |()| 0).await
                }

                async fn purge(&self, prefix: &KeyPrefix) -> StoreResult<PurgeReply> {
                    self.around(Verb::Purge, prefix.as_str(), self.inner.purge(prefix), |_| 0).await
                }
            }
        };
    };
}
pub(crate) use impl_layer;

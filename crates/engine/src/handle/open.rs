//! A store opened at its address, and the services over it.

use std::sync::Arc;

use bytes::Bytes;

use super::{Service, ServiceOptions};
use crate::{
    clock::Clock,
    error::Result,
    limits::CONTENT_CACHE_BYTES,
    path::{Id, Namespace, SkillPath},
    skill::MAIN,
    store::{
        CachingStore, CircuitBreaker, CountingStore, LoggingStore, PutOptions, S3Options, SharedStore, StoreAddress,
    },
};

/// An open store, with its address and the folder that contains everything.
///
/// ```
/// use std::sync::Arc;
///
/// use skillmount_engine::handle::{OpenStore, ServiceOptions};
/// use skillmount_base::clock::SystemClock;
/// use skillmount_store::{S3Options, StoreAddress};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> skillmount_base::Result<()> {
/// let address = StoreAddress::parse("memory:")?;
/// let store = OpenStore::open(address, S3Options::default(), Arc::new(SystemClock::new())).await?;
/// let access = store.write_access().await?;
/// assert!(access.is_granted());
/// let service = store.shared_service(ServiceOptions { access, ..ServiceOptions::default() });
/// # drop(service);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct OpenStore {
    pub(crate) address: StoreAddress,
    pub(crate) store: SharedStore,
    pub(crate) namespace: Namespace,
    pub(crate) clock: Arc<dyn Clock>,
}

impl OpenStore {
    /// Opens the store at `address`; `s3` says how to reach a bucket. Makes no request to a bucket. Its requests are written
    /// into the log at the level `trace`.
    ///
    /// # Errors
    /// As [`StoreAddress::open`].
    pub async fn open(address: StoreAddress, s3: S3Options, clock: Arc<dyn Clock>) -> Result<Self> {
        let (store, namespace) = address.open(s3, clock.clone()).await?;
        Ok(Self { address, store: Arc::new(LoggingStore::new(store)), namespace, clock })
    }

    /// A store in memory with the SKILL.md of each of the user's skills, whatever it says, and none of their other
    /// files. A caller makes it to see how a search would find these skills.
    ///
    /// # Errors
    /// `invalid_path` if a key would be too long.
    pub async fn of_skills(
        user: &Id,
        skills: impl IntoIterator<Item = (SkillPath, Bytes)>,
        clock: Arc<dyn Clock>,
    ) -> Result<Self> {
        let opened = Self::open(StoreAddress::Memory, S3Options::default(), clock).await?;
        let space = opened.namespace.user(user)?;
        for (skill, text) in skills {
            opened.store.put(&space.skill(&skill)?.key(MAIN)?, text, PutOptions::default()).await?;
        }
        Ok(opened)
    }

    /// The store itself, without the layers of a service, the folder in it, and its clock.
    #[must_use]
    pub fn itself(&self) -> (SharedStore, Namespace, Arc<dyn Clock>) {
        (self.store.clone(), self.namespace.clone(), self.clock.clone())
    }

    /// A service that asks the store itself for everything: for authors, who must not be shown what was.
    /// Here and below, the folder in the store takes the place of `options.namespace`.
    #[must_use]
    pub fn direct_service(&self, options: ServiceOptions) -> Service {
        self.service_on(self.store.clone(), options)
    }

    /// A service for one user, with content cached.
    #[must_use]
    pub fn service(&self, options: ServiceOptions) -> Service {
        self.cached_service_on(self.store.clone(), options)
    }

    /// A service for many users: with content cached, requests to the store counted, and a store that is down left alone.
    #[must_use]
    pub fn shared_service(&self, options: ServiceOptions) -> Service {
        let ledger = options.ledger.clone().unwrap_or_default();
        let counted = Arc::new(CountingStore::new(self.store.clone(), Arc::clone(&ledger)));
        let store = Arc::new(CircuitBreaker::new(counted, self.namespace.prefix().clone()));
        self.cached_service_on(store, ServiceOptions { ledger: Some(ledger), ..options })
    }

    fn cached_service_on(&self, store: SharedStore, options: ServiceOptions) -> Service {
        self.service_on(Arc::new(CachingStore::new(store, CONTENT_CACHE_BYTES, self.clock.clone())), options)
    }

    fn service_on(&self, store: SharedStore, options: ServiceOptions) -> Service {
        let namespace = Some(self.namespace.clone());
        Service::new(store, ServiceOptions { namespace, ..options }, self.clock.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{clock::SystemClock, store::MemoryStore};

    #[tokio::test]
    async fn authors_ask_the_store_itself_and_every_service_lies_in_the_folder_of_the_address() {
        let store = OpenStore {
            address: StoreAddress::Memory,
            store: Arc::new(MemoryStore::new()),
            namespace: Namespace::parse("team/a").unwrap(),
            clock: Arc::new(SystemClock::new()),
        };
        let elsewhere =
            || ServiceOptions { namespace: Some(Namespace::parse("b").unwrap()), ..ServiceOptions::default() };
        let services =
            [store.direct_service(elsewhere()), store.service(elsewhere()), store.shared_service(elsewhere())];
        for service in &services {
            assert_eq!(service.namespace(), &store.namespace);
        }
        let [direct, cached, shared] = &services;
        let layers = |service: &Service| format!("{:?}", service.store());
        assert!(!layers(direct).contains("CachingStore"), "{}", layers(direct));
        assert!(
            layers(cached).contains("CachingStore") && !layers(cached).contains("CircuitBreaker"),
            "{}",
            layers(cached)
        );
        assert!(
            layers(shared).contains("CachingStore") && layers(shared).contains("CircuitBreaker"),
            "{}",
            layers(shared)
        );
    }
}

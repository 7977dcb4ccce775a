//! Audit records: what is in them, when they are in the store, and how they are read.

mod bounds;
#[cfg(feature = "cli")]
mod crashes;
mod events;
mod grouped;
mod late;
mod looks;
mod many_records;
mod off;
mod records;
mod retained;
#[cfg(feature = "cli")]
mod soak;
mod strict;
mod usage;

use std::sync::Arc;

use sha2::{Digest as _, Sha256};
use skillmount::{
    audit::{AuditLog, AuditMode, AuditOptions, Events, Recorder},
    clock::Clock,
    context::Caller,
    handle::{Service, ServiceOptions, SessionBackend},
    observer::Observer,
    path::{Id, KeyPrefix, Namespace, ObjectKey},
    store::{MemoryStore, SharedStore, StoreExt as _, testing::Faulty},
    wire::{AuditPage, AuditRecord, AuditRequest},
};

use crate::support::clock;

/// A service over a store in memory, with records.
struct Audited {
    memory: Arc<MemoryStore>,
    faulty: Arc<Faulty>,
    service: Service,
    recorder: Recorder,
    clock: Arc<dyn Clock>,
}

impl Audited {
    fn new(mode: AuditMode) -> Self {
        Self::over(Arc::new(MemoryStore::like_s3()), mode)
    }

    /// A process of its own over `memory`.
    fn over(memory: Arc<MemoryStore>, mode: AuditMode) -> Self {
        Self::at(memory, mode, clock())
    }

    /// A process of its own over `memory` with this clock.
    fn at(memory: Arc<MemoryStore>, audit: impl Into<AuditOptions>, clock: Arc<dyn Clock>) -> Self {
        let faulty = Arc::new(Faulty::new(memory.clone()));
        let recorder = Recorder::new(faulty.clone() as SharedStore, Namespace::default(), audit, clock.clone());
        let options = ServiceOptions { observer: Some(Arc::new(recorder.clone())), ..ServiceOptions::default() };
        let service = Service::new(faulty.clone(), options, clock.clone());
        Self { memory, faulty, service, recorder, clock }
    }

    /// A process of its own over `memory`, whose users also see the skills of their teams and of the organisation.
    fn layered(memory: Arc<MemoryStore>, mode: AuditMode) -> Self {
        let process = Self::over(memory, mode);
        let observer: Arc<dyn Observer> = Arc::new(process.recorder.clone());
        let options = ServiceOptions { observer: Some(observer), layers: true, ..ServiceOptions::default() };
        Self { service: Service::new(process.faulty.clone(), options, process.clock.clone()), ..process }
    }

    /// The events of this process.
    fn events(&self) -> Events {
        Events::new(&self.service, Some(self.recorder.clone()), self.clock.clone())
    }

    fn session(&self, session: &str) -> SessionBackend {
        self.service.session_of(Caller::new(user()).with_key(Some("anas-key")), id(session))
    }

    /// What any process reads of the records of `u1` now.
    async fn records(&self) -> Vec<AuditRecord> {
        self.page(&AuditRequest::default()).await.unwrap().records
    }

    async fn page(&self, wanted: &AuditRequest) -> skillmount::Result<AuditPage> {
        self.page_over(&Arc::new(Faulty::new(self.memory.clone())), wanted).await
    }

    async fn page_over(&self, store: &Arc<Faulty>, wanted: &AuditRequest) -> skillmount::Result<AuditPage> {
        let other = Service::new(store.clone(), ServiceOptions::default(), clock());
        AuditLog::for_service(&other).page(&user(), wanted).await
    }

    /// The keys of everything that lies with the records.
    async fn batches(&self) -> Vec<ObjectKey> {
        let prefix = KeyPrefix::all().folder("u1/.skillmount/audit").unwrap();
        let (entries, _) = self.memory.list_all(&prefix, 10_000).await.unwrap();
        entries.iter().map(|entry| prefix.admit(&entry.key).unwrap()).collect()
    }
}

/// Every record of `u1` in the directory store in `folder`, as another process reads them.
#[cfg(feature = "cli")]
async fn records_in(folder: &std::path::Path) -> Vec<AuditRecord> {
    let service = Service::new(crate::support::directory(folder), ServiceOptions::default(), clock());
    let log = AuditLog::for_service(&service);
    let (mut all, mut wanted) = (Vec::new(), AuditRequest::default());
    loop {
        let page = log.page(&user(), &wanted).await.unwrap();
        all.extend(page.records);
        wanted.cursor = page.next_cursor;
        if wanted.cursor.is_none() {
            return all;
        }
    }
}

fn id(text: &str) -> Id {
    Id::parse(text).unwrap()
}

fn user() -> Id {
    id("u1")
}

/// SHA-256 of a text, as records write it.
fn digest(text: &str) -> String {
    format!("sha256:{}", hex::encode(Sha256::digest(text)))
}

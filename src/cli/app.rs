//! What a command works on: the settings made into a store, a service or the operations of one session.

use std::sync::{Arc, Mutex, PoisonError};

use tokio::time::timeout;

use super::{
    control::Control,
    edges::Edges,
    output::Output,
    settings::{Setting, Settings, Sources},
};
use crate::{
    backend::{BackendProtocol, Budgets, Service, ServiceOptions},
    client::RemoteBackend,
    clock::Clock,
    error::{Code, Error, Result},
    limits::{CONTENT_CACHE_BYTES, MEMORY_CATALOGS_LEAST_BYTES, MEMORY_LEAST_BYTES, NOTE_FLUSH},
    path::{Id, MountTemplate, MountTemplates, Namespace},
    store::{Breaker, Cached, Cause, Conditions, ListOptions, S3Options, SharedStore, StoreAddress, probe_conditions},
};

/// Settings, output and clock of one run.
pub(super) struct App {
    /// Where the settings come from.
    pub(super) sources: Sources,
    pub(super) settings: Settings,
    pub(super) out: Output,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) edges: Edges,
    /// What was opened, to be closed at the end.
    services: Mutex<Vec<Service>>,
}

impl App {
    /// A run with these settings.
    pub(super) fn new(sources: Sources, settings: Settings, out: Output, clock: Arc<dyn Clock>, edges: Edges) -> Self {
        Self { sources, settings, out, clock, edges, services: Mutex::default() }
    }

    /// Whose skills and files.
    pub(super) fn user(&self) -> Result<Id> {
        self.settings.id(Setting::User)
    }

    /// Which conversation.
    pub(super) fn session(&self) -> Result<Id> {
        self.settings.id(Setting::Session)
    }

    /// Where the store is.
    pub(super) fn store_address(&self) -> Result<StoreAddress> {
        self.settings.required(Setting::Store, StoreAddress::parse)
    }

    /// The store and the folder in it that everything lies below.
    ///
    /// # Errors
    /// `invalid_request` where settings do not parse or a folder cannot be used; S3 is not asked anything.
    pub(super) async fn store(&self) -> Result<(SharedStore, Namespace)> {
        let address = self.store_address()?;
        let text = |setting| self.settings.get(setting).map(str::to_owned);
        let s3 = S3Options {
            region: text(Setting::Region),
            endpoint_url: text(Setting::EndpointUrl),
            profile: text(Setting::Profile),
            path_style: self.settings.switch(Setting::PathStyle)?,
            sse_kms_key_id: text(Setting::SseKmsKeyId),
            conditional_delete: false,
        };
        address.open(s3, self.clock.clone()).await
    }

    /// As [`store`](Self::store), for a command that cannot go through a server.
    ///
    /// # Errors
    /// Also where the settings name a server.
    pub(super) async fn direct_store(&self, command: &str) -> Result<(SharedStore, Namespace)> {
        if self.settings.server()?.is_some() {
            return Err(Error::new(
                Code::InvalidRequest,
                format!("{command} works on a store and not through a server yet; give --store instead of --server"),
            ));
        }
        self.store().await
    }

    /// The service over the store that the settings name, for one command. It reads the skills themselves: an index may be
    /// some minutes old, and this process ends before it could look again, so that a skill just pushed would be missed.
    async fn service(&self) -> Result<Service> {
        let (store, namespace) = self.store().await?;
        Ok(self.service_with(store, ServiceOptions { index: false, ..self.options(namespace)? }))
    }

    /// The service over `store` for many users: with content cached, and a store that is down left alone. `read_only` says
    /// why nothing may be written, if so.
    pub(super) fn service_over(
        &self,
        store: SharedStore,
        namespace: Namespace,
        read_only: Option<String>,
    ) -> Result<Service> {
        let store = Arc::new(Breaker::new(store, namespace.prefix().clone()));
        Ok(self.service_with(store, ServiceOptions { read_only, ..self.options(namespace)? }))
    }

    fn options(&self, namespace: Namespace) -> Result<ServiceOptions> {
        Ok(ServiceOptions {
            namespace: Some(namespace),
            templates: self.templates()?,
            read_only: None,
            index: true,
            budgets: self.budgets()?,
            layers: self.settings.switch(Setting::Layers)?.unwrap_or_default(),
        })
    }

    fn budgets(&self) -> Result<Budgets> {
        Ok(Budgets {
            memory: self.settings.mebibytes(Setting::Memory, MEMORY_LEAST_BYTES)?,
            catalogs: self.settings.mebibytes(Setting::CatalogMemory, MEMORY_CATALOGS_LEAST_BYTES)?,
            ..Budgets::default()
        })
    }

    fn service_with(&self, store: SharedStore, options: ServiceOptions) -> Service {
        let store = Arc::new(Cached::new(store, CONTENT_CACHE_BYTES, self.clock.clone()));
        let service = Service::new(store, options, self.clock.clone());
        self.services.lock().unwrap_or_else(PoisonError::into_inner).push(service.clone());
        service
    }

    /// Writes what services have noted and would have written later; a store that does not answer is not waited for.
    pub(super) async fn end(&self) {
        let services = std::mem::take(&mut *self.services.lock().unwrap_or_else(PoisonError::into_inner));
        for service in services {
            if timeout(NOTE_FLUSH, service.sessions().flush_all()).await.is_err() {
                tracing::warn!("the last discoveries and uses of skills were not written: the store takes too long");
            }
        }
    }

    /// The operations of the session, over the store or the server, whichever the settings name.
    pub(super) async fn backend(&self) -> Result<Arc<dyn BackendProtocol>> {
        let (user, session) = (self.user()?, self.session()?);
        match self.settings.server()? {
            Some(server) => Ok(Arc::new(RemoteBackend::new(server, user, session, self.key())?)),
            None => Ok(Arc::new(self.service().await?.session(user, session))),
        }
    }

    /// What is beside the operations: sessions, prompt and the list of skills.
    pub(super) async fn control(&self) -> Result<Control> {
        let (user, session) = (self.user()?, self.session()?);
        match self.settings.server()? {
            Some(server) => RemoteBackend::new(server, user, session, self.key()).map(Control::Remote),
            None => Ok(Control::Local { service: self.service().await?, user, session }),
        }
    }

    /// Why nothing may be written through this store; `None` if it keeps conditional writes' promises. A store that
    /// refuses writing and can be read serves reading.
    ///
    /// # Errors
    /// The store's, if it cannot be asked.
    pub(super) async fn why_read_only(&self, store: &SharedStore, namespace: &Namespace) -> Result<Option<String>> {
        let refusal = match probe_conditions(&**store, namespace, &*self.clock).await {
            Ok(Conditions::Honoured) => return Ok(None),
            Ok(Conditions::Ignored { which }) => {
                return Ok(Some(format!(
                    "the store takes {which} and does not honour it, so that concurrent edits would be lost"
                )));
            }
            Err(refusal) => refusal,
        };
        let why = match refusal.cause() {
            Some(Cause::DiskFull) => None,
            Some(Cause::ReadOnlyDisk) => Some("the disk of its store can only be read"),
            Some(cause) if cause.leaves_reading() => Some("its store does not let it write"),
            _ => return Err(refusal.into()),
        };
        store.list(namespace.prefix(), ListOptions { max_entries: Some(1), ..ListOptions::default() }).await?;
        tracing::warn!(cause = %Error::from(refusal).chain(), "the store refuses writing");
        Ok(why.map(str::to_owned))
    }

    fn key(&self) -> Option<String> {
        self.settings.get(Setting::ApiKey).map(str::to_owned)
    }

    fn templates(&self) -> Result<MountTemplates> {
        let workspace = self.settings.required(Setting::Workspace, MountTemplate::parse)?;
        let ticket = self.settings.required(Setting::Ticket, MountTemplate::parse)?;
        MountTemplates::new(workspace, ticket)
    }
}

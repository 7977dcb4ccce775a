//! The resources of a command: the settings opened as a store, a service or the operations of one session.

use std::{
    str::FromStr as _,
    sync::{Arc, Mutex, PoisonError},
};

use tokio::time::timeout;

use crate::{
    audit::{AuditMode, AuditOptions, Recorder},
    client::{RemoteBackend, sync::StoreId},
    clock::Clock,
    context::Budgets,
    control::Control,
    encoding::encoder,
    error::{Code, Error, Result},
    folder::{is_store, refuse_plain},
    handle::{OpenStore, Service, ServiceOptions, StoreRepository},
    limits::{
        MCP_INSTRUCTION_CHARS_LEAST, MCP_RESULT_BYTES_LEAST, MEMORY_CATALOGS_LEAST_BYTES, MEMORY_LEAST_BYTES,
        NOTE_FLUSH,
    },
    mcp::McpOptions,
    observer::Observer,
    output::Output,
    path::{Id, MountTemplate, MountTemplates},
    process::Process,
    settings::{Setting, Settings, Sources},
    store::{S3Options, StoreAddress, WriteAccess},
    transfer::progress,
    wire::{BackendProtocol, CheckStatus, SkillRepository, StoreCheck},
};

/// The folder in the user's data folder for the state of served folders of skills. A served folder itself holds none of
/// it.
const FOLDER_STATES: &str = "skillmount-folders";

/// Process, settings, output and clock of one run.
pub(super) struct App {
    pub(super) process: Arc<Process>,
    /// Where the settings come from.
    pub(super) sources: Sources,
    pub(super) settings: Settings,
    pub(super) out: Output,
    pub(super) clock: Arc<dyn Clock>,
    /// The open services. The command closes them at its end.
    services: Mutex<Vec<Service>>,
    recorders: Mutex<Vec<Recorder>>,
}

impl App {
    /// A run with these settings.
    pub(super) fn new(sources: Sources, settings: Settings, out: Output, process: Arc<Process>) -> Self {
        let clock = Arc::clone(&process.clock);
        Self { process, sources, settings, out, clock, services: Mutex::default(), recorders: Mutex::default() }
    }

    /// Whose skills and files.
    pub(super) fn user(&self) -> Result<Id> {
        self.settings.id(Setting::User)
    }

    /// Which conversation.
    pub(super) fn session(&self) -> Result<Id> {
        self.settings.id(Setting::Session)
    }

    /// The store that the settings name.
    ///
    /// # Errors
    /// `invalid_request` where settings do not parse, or a folder cannot be used or holds skills itself; S3 is not asked anything.
    pub(super) async fn store(&self) -> Result<OpenStore> {
        let mut address = self.settings.required(Setting::Store, StoreAddress::parse)?;
        match &mut address {
            StoreAddress::Directory(folder) => {
                let local = self.process.local(folder.clone());
                refuse_plain(&local)?;
                local.place().clone_into(folder);
            }
            StoreAddress::Skills(skills) => {
                skills.current_dir.clone_from(&self.process.current_dir);
                skills.user = self.user()?;
                skills.states = self.process.folders.data.as_ref().map(|folder| folder.join(FOLDER_STATES));
                skills.writes = self.settings.switch(Setting::Writable)?.unwrap_or_default();
            }
            _ => {}
        }
        let text = |setting| self.settings.get(setting).map(str::to_owned);
        let s3 = S3Options {
            region: text(Setting::Region),
            endpoint_url: text(Setting::EndpointUrl),
            profile: text(Setting::Profile),
            path_style: self.settings.switch(Setting::PathStyle)?,
            sse_kms_key_id: text(Setting::SseKmsKeyId),
            conditional_delete: false,
        };
        OpenStore::open(address, s3, self.clock.clone()).await
    }

    /// The name of the store or the server that the settings name, and of their user.
    ///
    /// # Errors
    /// `invalid_request` if a setting does not parse.
    pub(super) fn store_id(&self) -> Result<StoreId> {
        let user = self.user()?;
        if let Some(server) = self.settings.server()? {
            return Ok(StoreId::new(&["server", server.trim_end_matches('/'), user.as_str()]));
        }
        let place = match self.settings.required(Setting::Store, StoreAddress::parse)? {
            StoreAddress::S3 { .. } => {
                let setting = |setting| self.settings.get(setting).unwrap_or_default().trim_end_matches('/');
                let parts = ["s3", setting(Setting::EndpointUrl), setting(Setting::Store), user.as_str()];
                return Ok(StoreId::new(&parts));
            }
            StoreAddress::Directory(folder) => self.process.local(folder),
            StoreAddress::Skills(skills) => self.process.local(skills.folder),
            StoreAddress::Memory => return Ok(StoreId::new(&["memory"])),
        };
        Ok(StoreId::new(&["folder", &place.place().to_string_lossy(), user.as_str()]))
    }

    /// Checks that the folder of a store exists and is a store. A command that must create nothing calls this before it opens
    /// the store.
    ///
    /// # Errors
    /// `file_not_found` if the folder is missing or is no store; as [`store`](Self::store).
    pub(super) fn check_store_exists(&self) -> Result<()> {
        if self.settings.server()?.is_some() {
            return Ok(());
        }
        let StoreAddress::Directory(folder) = self.settings.required(Setting::Store, StoreAddress::parse)? else {
            return Ok(());
        };
        let local = self.process.local(folder);
        refuse_plain(&local)?;
        if is_store(&local, &self.user()?) {
            return Ok(());
        }
        let message = format!("there is no store in {}; `skillmount push FOLDER` makes it", local.display());
        Err(Error::new(Code::FileNotFound, message))
    }

    /// As [`store`](Self::store), for a command that cannot go through a server.
    ///
    /// # Errors
    /// Also where the settings name a server.
    pub(super) async fn direct_store(&self, command: &str) -> Result<OpenStore> {
        if self.settings.server()?.is_some() {
            return Err(invalid!(
                "{command} works on a store and not through a server yet; give --store instead of --server"
            ));
        }
        self.store().await
    }

    /// As [`direct_store`](Self::direct_store), for agents. Also returns the checks of a served folder, which show the
    /// skills that agents will see. The log has the checks that fail.
    ///
    /// # Errors
    /// As [`direct_store`](Self::direct_store).
    pub(super) async fn served_store(&self, command: &str) -> Result<(OpenStore, Vec<StoreCheck>)> {
        let store = self.direct_store(command).await?;
        let folder = store.check_folder().await;
        for check in &folder {
            if check.status != CheckStatus::Ok {
                tracing::warn!(fix = check.fix, "{}", check.detail);
            }
        }
        Ok((store, folder))
    }

    /// The user's skills as their author works on them, over the store or the server, whichever the settings name.
    ///
    /// # Errors
    /// As [`store`](Self::store).
    pub(super) async fn author(&self) -> Result<Arc<dyn SkillRepository>> {
        self.author_with(ServiceOptions::default()).await
    }

    /// The same with these options of a service over a store.
    ///
    /// # Errors
    /// As [`store`](Self::store).
    pub(super) async fn author_with(&self, options: ServiceOptions) -> Result<Arc<dyn SkillRepository>> {
        if let Some(remote) = self.remote()? {
            return Ok(Arc::new(remote));
        }
        let user = self.user()?;
        let service = self.store().await?.direct_service(options);
        service.deletions().check_not_deleted(&user).await?;
        Ok(Arc::new(StoreRepository::new(service, user)))
    }

    /// The service over the store that the settings name, for one command.
    pub(super) async fn service(&self) -> Result<Service> {
        self.service_with(self.options()?).await
    }

    /// The same with these options. It reads the skills themselves: an index may be some minutes old, and this process ends
    /// before it could look again, so that a skill just pushed would be missed.
    async fn service_with(&self, options: ServiceOptions) -> Result<Service> {
        let store = self.store().await?;
        Ok(self.kept(store.service(ServiceOptions { index: false, ..options })))
    }

    /// The service over `store` for many users, with `options` and the encoder of the settings. `audit` writes its records.
    pub(super) fn shared_service(
        &self,
        store: &OpenStore,
        options: ServiceOptions,
        audit: Option<Recorder>,
    ) -> Result<Service> {
        let observer = audit.map(|recorder| Arc::new(recorder) as Arc<dyn Observer>);
        let encoder = encoder(&self.process, &self.settings)?;
        Ok(self.kept(store.shared_service(ServiceOptions { observer, encoder, ..options })))
    }

    /// The recorder that writes audit records into `store` and reports events. It writes only if the settings want
    /// records and the store can be written. [`end`](Self::end) writes its last records.
    pub(super) fn recorder(&self, store: &OpenStore, access: &WriteAccess) -> Result<Recorder> {
        let mode = self.settings.required(Setting::Audit, AuditMode::from_str)?;
        let retention_days = self.settings.required(Setting::AuditDays, AuditOptions::parse_days)?;
        // Without a writable store there is no record, and listeners still get events.
        let recorder = Recorder::for_store(store, AuditOptions { mode, retention_days }, access.clone());
        self.recorders.lock().unwrap_or_else(PoisonError::into_inner).push(recorder.clone());
        Ok(recorder)
    }

    /// The options of a service, from the settings.
    pub(super) fn options(&self) -> Result<ServiceOptions> {
        Ok(ServiceOptions {
            namespace: None,
            templates: self.templates()?,
            access: WriteAccess::default(),
            index: true,
            budgets: self.budgets()?,
            ledger: None,
            observer: None,
            encoder: None,
            layers: self.settings.switch(Setting::Layers)?.unwrap_or_default(),
            digest_pace: Some(self.settings.milliseconds(Setting::DigestPace)?),
            feedback: self.settings.switch(Setting::Feedback)?.unwrap_or_default(),
        })
    }

    /// The sizes and forms for hosts of the Model Context Protocol, from the settings.
    pub(super) fn mcp_options(&self) -> Result<McpOptions> {
        Ok(McpOptions {
            instruction_chars: self.settings.number(Setting::McpInstructionChars, MCP_INSTRUCTION_CHARS_LEAST)?,
            result_bytes: self.settings.number(Setting::McpResultBytes, MCP_RESULT_BYTES_LEAST)?,
            structured: self.settings.switch(Setting::McpStructured)?.unwrap_or_default(),
        })
    }

    fn budgets(&self) -> Result<Budgets> {
        Ok(Budgets {
            memory: self.settings.mebibytes(Setting::MemoryLimit, MEMORY_LEAST_BYTES)?,
            catalogs: self.settings.mebibytes(Setting::CatalogMemory, MEMORY_CATALOGS_LEAST_BYTES)?,
            ..Budgets::default()
        })
    }

    /// The same service, which is remembered for [`end`](Self::end).
    fn kept(&self, service: Service) -> Service {
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
        let recorders = std::mem::take(&mut *self.recorders.lock().unwrap_or_else(PoisonError::into_inner));
        for recorder in recorders {
            if timeout(NOTE_FLUSH, recorder.flush_all()).await.is_err() {
                tracing::error!("the last audit records were not written: the store takes too long");
            }
        }
    }

    /// The operations of the session, over the store or the server, whichever the settings name.
    pub(super) async fn backend(&self) -> Result<Arc<dyn BackendProtocol>> {
        if let Some(remote) = self.remote()? {
            return Ok(Arc::new(remote));
        }
        let (user, session) = (self.user()?, self.session()?);
        let service = self.service().await?;
        service.deletions().check_not_deleted(&user).await?;
        Ok(Arc::new(service.session(user, session)))
    }

    /// As [`backend`](Self::backend), to find skills with. Over a store, skills are also found by meaning, if the
    /// settings name an encoder. The vectors that skills lack are made first, as many as time allows.
    ///
    /// # Errors
    /// Also where the encoder cannot be opened.
    pub(super) async fn finder(&self) -> Result<Arc<dyn BackendProtocol>> {
        let encoder = if self.settings.server()?.is_some() { None } else { encoder(&self.process, &self.settings)? };
        if encoder.is_none() {
            return self.backend().await;
        }
        let service = self.service_with(ServiceOptions { encoder, ..self.options()? }).await?;
        let finder = service.session(self.user()?, self.session()?);
        let bar = progress(&self.out, 0, "skills encoded");
        let shown = bar.clone();
        let told = move |done: usize, all: usize| {
            shown.set_length(all as u64);
            shown.set_position(done as u64);
        };
        let outcome = finder.skills().encode_skills(&told).await;
        bar.finish_and_clear();
        outcome.map(|()| Arc::new(finder) as Arc<dyn BackendProtocol>)
    }

    /// The calls beside the operations: sessions, prompt and the list of skills.
    pub(super) async fn control(&self) -> Result<Control> {
        if let Some(remote) = self.remote()? {
            return Ok(Control::Remote(remote));
        }
        let (user, session) = (self.user()?, self.session()?);
        let service = self.service().await?;
        let backend = Box::new(service.session(user.clone(), session));
        Ok(Control::Local { service, user, backend })
    }

    /// The session on the server that the settings name, if they name a server.
    fn remote(&self) -> Result<Option<RemoteBackend>> {
        let user = self.user()?;
        let Some(server) = self.settings.server()? else { return Ok(None) };
        let key = self.settings.get(Setting::ApiKey).map(str::to_owned);
        RemoteBackend::new(server, user, self.session()?, key).map(Some)
    }

    fn templates(&self) -> Result<MountTemplates> {
        let workspace = self.settings.required(Setting::Workspace, MountTemplate::parse)?;
        let ticket = self.settings.required(Setting::Ticket, MountTemplate::parse)?;
        MountTemplates::new(workspace, ticket)
    }
}

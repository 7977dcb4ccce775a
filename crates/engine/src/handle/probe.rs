//! The probe of conditional writes when a store is opened: its stored result, and what the service may do.

use std::future::pending;

use futures_util::future::join;
use tokio::time::sleep;

use super::open::OpenStore;
use crate::{
    error::{Error, Result},
    limits::DENIED_WRITE_RETRY,
    store::{
        Cause, Conditions, KnownStore, ListOptions, ProbeResult, ReadOnly, StoreServer, Versioning, WriteAccess,
        probe_conditions, write_once,
    },
};

/// The version of the service, for the stored result.
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The conditional writes of a store, as far as a probe shows them.
#[derive(Debug)]
pub(super) struct ProbeReport {
    /// The result of the race; `None` if the service only reads from such a store, whatever a race shows.
    pub(super) conditions: Option<Conditions>,
    /// The server, if the store is a bucket.
    pub(super) server: Option<StoreServer>,
    /// The server as a known store.
    pub(super) known: Option<&'static KnownStore>,
    /// Whether a probe of this bucket passed before.
    pub(super) has_passed: bool,
}

impl OpenStore {
    /// Whether a service may write to this store, for [`ServiceOptions::access`](super::ServiceOptions::access). A store that
    /// denies writes and can be read serves reading.
    ///
    /// The store is raced, as [`probe_conditions`] says. A bucket stores the result below `_probe/`. The next start trusts
    /// it for seven days, if endpoint, bucket, versioning and version are the same. If a race proves nothing, the service
    /// writes and the log has a warning.
    ///
    /// # Errors
    /// The store's, if it cannot be asked.
    pub async fn write_access(&self) -> Result<WriteAccess> {
        let report = self.probe(true).await?;
        if let Some(Conditions::Denied(refusal)) = &report.conditions {
            let least = ListOptions { max_entries: Some(1), ..ListOptions::default() };
            self.store.list(self.namespace.prefix(), least).await?;
            tracing::warn!(cause = %Error::from(refusal.clone()).chain(), "the store refuses writing");
        }
        if let Some(Conditions::Unknown { why }) = &report.conditions {
            tracing::warn!(why, "the probe of conditional writes proved nothing; the service writes");
        }
        Ok(report.read_only().into())
    }

    /// Tries a store again that denied a write, each [`DENIED_WRITE_RETRY`], with one small write. Once the store takes it,
    /// the store is raced, and `access` gets the result. Never returns.
    pub async fn follow_denial(&self, access: &WriteAccess) {
        while access.read_only().is_some_and(|read_only| read_only.is_denial) {
            sleep(DENIED_WRITE_RETRY).await;
            if write_once(&*self.store, &self.namespace).await.is_err() {
                continue;
            }
            match self.probe(false).await.map(|report| report.read_only()) {
                Ok(None) => {
                    tracing::info!("the store takes writes again; the service writes from now on");
                    access.set(None);
                }
                Ok(Some(read_only)) => {
                    tracing::warn!(why = read_only.why, "the store takes a write, and the service still only reads");
                    access.set(Some(read_only));
                }
                Err(error) => tracing::warn!(error = %error.chain(), "the store takes a write, and cannot be probed"),
            }
        }
        pending::<()>().await;
    }

    /// Probes the store, or takes the stored result if `trusts_stored`. Stores a new result.
    ///
    /// # Errors
    /// The store's, if it cannot be asked.
    pub(super) async fn probe(&self, trusts_stored: bool) -> Result<ProbeReport> {
        // At once, so that a start with a stored result takes one round trip.
        let (server, stored) = join(self.store.server(), ProbeResult::read(&*self.store, &self.namespace)).await;
        let Some(server) = server else {
            let conditions = probe_conditions(&*self.store, &[], &self.namespace, &*self.clock).await?;
            return Ok(ProbeReport { conditions: Some(conditions), server: None, known: None, has_passed: false });
        };
        let known = KnownStore::find(&server);
        let has_passed = stored.as_ref().is_some_and(|stored| stored.has_passed_at(&server));
        let now = self.clock.now();
        let is_proven = stored.as_ref().is_some_and(|stored| stored.is_proof(&server, VERSION, now));
        let conditions = if known.is_some_and(|known| known.is_read_only) {
            None
        } else if trusts_stored && is_proven {
            Some(Conditions::Honoured)
        } else {
            let addresses = self.store.addresses().await;
            let found = probe_conditions(&*self.store, &addresses, &self.namespace, &*self.clock).await?;
            self.store_result(ProbeResult::new(&found, &server, VERSION, now, stored.as_ref())).await;
            Some(found)
        };
        Ok(ProbeReport { conditions, server: Some(server), known, has_passed })
    }

    async fn store_result(&self, result: Option<ProbeResult>) {
        let Some(result) = result else { return };
        if let Err(error) = result.write(&*self.store, &self.namespace).await {
            tracing::warn!(%error, "the result of the probe is not stored; the next start probes again");
        }
    }
}

impl ProbeReport {
    /// Why the service may not write; `None` if it may.
    pub(super) fn read_only(&self) -> Option<ReadOnly> {
        let why = match &self.conditions {
            None => self.known.map(|known| format!("its store is {}: {}", known.name, known.quirk))?,
            Some(Conditions::Honoured | Conditions::Unknown { .. }) => return None,
            Some(Conditions::Broken { which, how }) => {
                format!("the store does not honour {which} ({how}), so that concurrent edits would be lost")
            }
            Some(Conditions::Denied(refusal)) => match refusal.cause() {
                Some(Cause::DiskFull) => "the disk of its store is full",
                Some(Cause::ReadOnlyDisk) => "the disk of its store can only be read",
                _ => "its store does not let it write",
            }
            .to_owned(),
        };
        let is_broken = matches!(self.conditions, Some(Conditions::Broken { .. }));
        let is_denial = matches!(self.conditions, Some(Conditions::Denied(_)));
        Some(ReadOnly { why, has_passed: self.has_passed && is_broken, is_denial })
    }

    /// The name and the quirk of the server, for `doctor`; `None` for a store on this machine and for an unknown server
    /// that gives itself no name.
    pub(super) fn server_text(&self) -> Option<String> {
        let server = self.server.as_ref()?;
        if let Some(known) = self.known {
            let state = match server.versioning {
                Versioning::Suspended => "; versioning is suspended",
                _ => "",
            };
            return Some(format!("{}: {}{state}", known.name, known.quirk));
        }
        if server.is_amazon() {
            return Some("Amazon S3".to_owned());
        }
        Some(format!("{}, with no known quirk", server.software.as_deref()?))
    }
}

#[cfg(test)]
mod tests {
    use std::{sync::Arc, time::Duration};

    use super::*;
    use crate::{
        clock::SystemClock,
        error::Code,
        handle::ServiceOptions,
        path::Namespace,
        store::{
            KNOWN_STORES, MemoryStore, SharedStore, StoreAddress, StoreServer, Verb,
            testing::{Fault, Faulty, Quirk, Quirky},
        },
        wire::CheckStatus,
    };

    fn server(endpoint: &str, software: &str) -> StoreServer {
        StoreServer {
            endpoint: endpoint.to_owned(),
            bucket: "agents".to_owned(),
            software: Some(software.to_owned()),
            versioning: Versioning::Off,
        }
    }

    fn own() -> StoreServer {
        server("http://10.0.0.1:9000", "Own/1")
    }

    fn opened(store: SharedStore) -> OpenStore {
        OpenStore {
            address: StoreAddress::Memory,
            store,
            namespace: Namespace::parse("p").unwrap(),
            clock: Arc::new(SystemClock::new()),
        }
    }

    /// A bucket of `server` over `memory` with `quirk`, and a counter of its requests.
    fn bucket(memory: &Arc<MemoryStore>, quirk: Quirk, server: StoreServer) -> (OpenStore, Arc<Faulty>) {
        let counted = Arc::new(Faulty::new(Arc::new(Quirky::new(memory.clone(), quirk).at(server))));
        (opened(counted.clone()), counted)
    }

    fn empty() -> Arc<MemoryStore> {
        Arc::new(MemoryStore::like_s3())
    }

    /// The status of the check of conditional writes, and what `doctor` says about it and the server.
    async fn doctor(store: &OpenStore) -> (CheckStatus, String) {
        let checks = store.check_writing().await;
        let of = |name: &str| checks.iter().find(|check| check.name == name);
        let conditions = of("conditional writes").unwrap();
        let server = of("server").map(|check| check.detail.clone()).unwrap_or_default();
        (conditions.status, format!("{server} | {}", conditions.detail))
    }

    // S-STORE-10: At start, the service races 16 concurrent writes on one object below `_probe/`, in each of four rounds, and
    // refuses changes if a round has a winner too many.
    #[tokio::test(start_paused = true)]
    async fn each_quirk_ends_in_the_stated_behaviour() {
        for (quirk, why, status, detail) in [
            (Quirk::None, None, CheckStatus::Ok, "honoured"),
            (Quirk::OneWriteASecond, None, CheckStatus::Ok, "honoured"),
            (Quirk::LosesRaces, Some("16 of 16 concurrent creates"), CheckStatus::Fail, "16 of 16"),
            (Quirk::LosesReplacements, Some("with the right etag"), CheckStatus::Fail, "16 of 16"),
            (Quirk::IgnoresIfNoneMatch, Some("If-None-Match: *"), CheckStatus::Fail, "only reads"),
            (Quirk::IgnoresIfMatch, Some("If-Match"), CheckStatus::Fail, "only reads"),
            (Quirk::CreatesOnIfMatch, Some("on a missing object"), CheckStatus::Fail, "only reads"),
            (Quirk::InvertsIfNoneMatch, Some("refused all of 16"), CheckStatus::Fail, "only reads"),
            (Quirk::HasNoConditions, Some("does not support it"), CheckStatus::Fail, "only reads"),
            (Quirk::ReadsOldVersions, Some("another one's"), CheckStatus::Fail, "only reads"),
            (Quirk::WritesAfterRefusal, Some("another one's"), CheckStatus::Fail, "only reads"),
            (Quirk::DeniesWrites, Some("does not let it write"), CheckStatus::Fail, "denies s3:PutObject"),
        ] {
            let (store, _) = bucket(&empty(), quirk, own());
            let found = store.write_access().await.unwrap().read_only();
            match (&found, why) {
                (None, None) => {}
                (Some(read_only), Some(why)) => assert!(read_only.why.contains(why), "{quirk:?}: {read_only:?}"),
                _ => panic!("{quirk:?}: {found:?}"),
            }
            let (shown, text) = doctor(&store).await;
            assert!(shown == status && text.contains(detail), "{quirk:?}: {shown:?} {text}");
            assert!(text.starts_with("Own/1, with no known quirk |"), "{text}");
        }
    }

    // S-STORE-14: If these credentials may not write or delete below `_probe/`, the race proves nothing: the service
    // writes, and `doctor` warns.
    #[tokio::test(start_paused = true)]
    async fn a_role_without_a_right_below_probe_writes_on_with_a_warning() {
        for quirk in [Quirk::DeniesProbes, Quirk::DeniesDeletes] {
            let memory = empty();
            let (store, _) = bucket(&memory, quirk, own());
            assert_eq!(store.write_access().await.unwrap().read_only(), None, "{quirk:?}");
            let (shown, text) = doctor(&store).await;
            assert!(shown == CheckStatus::Warn && text.contains("not known"), "{quirk:?}: {text}");
            assert_eq!(ProbeResult::read(&*memory, &store.namespace).await, None, "nothing proven is stored");
        }
    }

    // S-STORE-22: If a store denies writes at start, the service tries one small write each 30 seconds. Once the store takes it,
    // the service races the store, and writes if the race allows it.
    #[tokio::test(start_paused = true)]
    async fn a_store_that_denied_writes_at_start_is_written_to_once_it_takes_them() {
        for (quirk, why) in [(Quirk::None, None), (Quirk::LosesRaces, Some("16 of 16"))] {
            let (store, counted) = bucket(&empty(), quirk, own());
            counted.for_keys(Verb::Put, "", Fault::Deny);
            let access = store.write_access().await.unwrap();
            assert!(access.read_only().unwrap().is_denial);
            let service = store.direct_service(ServiceOptions {
                access: access.clone(),
                index: true,
                ..ServiceOptions::default()
            });
            let following = tokio::spawn({
                let (store, access) = (store.clone(), access.clone());
                async move { store.follow_denial(&access).await }
            });
            let puts = counted.seen(Verb::Put);
            tokio::time::sleep(DENIED_WRITE_RETRY * 4 + DENIED_WRITE_RETRY / 2).await;
            assert_eq!(counted.seen(Verb::Put) - puts, 4, "one small write each time");
            assert_eq!(service.check_writable().unwrap_err().code(), Code::ReadOnly);
            counted.clear();
            tokio::time::sleep(DENIED_WRITE_RETRY * 2).await;
            let found = access.read_only();
            assert_eq!(found.is_some(), why.is_some(), "{quirk:?}: {found:?}");
            assert!(found.is_none_or(|found| found.why.contains(why.unwrap_or_default()) && !found.is_denial));
            assert_eq!(service.check_writable().is_ok(), why.is_none());
            let puts = counted.seen(Verb::Put);
            tokio::time::sleep(DENIED_WRITE_RETRY * 4).await;
            assert_eq!(counted.seen(Verb::Put), puts, "it is not tried again");
            following.abort();
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_start_with_a_stored_result_takes_one_round_trip_and_no_write() {
        let memory = empty();
        let (store, counted) = bucket(&memory, Quirk::None, own());
        assert_eq!(store.write_access().await.unwrap().read_only(), None);
        let puts = counted.seen(Verb::Put);
        assert!(puts > 64, "four rounds of 16 and the result: {puts}");
        counted.set_latency(Duration::from_millis(80));
        let (gets, began) = (counted.seen(Verb::Get), tokio::time::Instant::now());
        assert_eq!(store.write_access().await.unwrap().read_only(), None);
        assert_eq!(began.elapsed(), Duration::from_millis(80));
        assert_eq!((counted.seen(Verb::Get), counted.seen(Verb::Put)), (gets + 1, puts));

        let elsewhere = server("http://10.0.0.2:9000", "Own/1");
        for other in [elsewhere, StoreServer { versioning: Versioning::Suspended, ..own() }] {
            let (store, counted) = bucket(&memory, Quirk::None, other);
            assert_eq!(store.write_access().await.unwrap().read_only(), None);
            assert!(counted.seen(Verb::Put) > 64, "it races again");
        }
    }

    // S-STORE-11: If a bucket passed an earlier race and fails one now, the service reads on: `/readyz` answers
    // `read_only`, and `doctor` fails.
    #[tokio::test(start_paused = true)]
    async fn a_bucket_that_passed_before_is_read_on() {
        let memory = empty();
        assert_eq!(bucket(&memory, Quirk::None, own()).0.write_access().await.unwrap().read_only(), None);
        let changed = StoreServer { versioning: Versioning::Suspended, ..own() };
        for _ in 0..2 {
            let (store, _) = bucket(&memory, Quirk::LosesRaces, changed.clone());
            let read_only = store.write_access().await.unwrap().read_only().unwrap();
            assert!(read_only.has_passed && read_only.why.contains("16 of 16"), "{read_only:?}");
            let (status, text) = doctor(&store).await;
            assert!(status == CheckStatus::Fail && text.contains("an earlier probe of this bucket passed"), "{text}");
        }
        let (store, _) = bucket(&memory, Quirk::LosesRaces, server("http://10.0.0.9", "Own/1"));
        assert!(!store.write_access().await.unwrap().read_only().unwrap().has_passed, "that was another endpoint");
        let (store, _) = bucket(&memory, Quirk::None, changed);
        assert_eq!(store.write_access().await.unwrap().read_only(), None, "it is trusted once it passes again");
    }

    // S-STORE-15: The service only reads from Google Cloud Storage, S3 Multi-Region Access Points and Tigris, whatever a race
    // shows.
    #[tokio::test(start_paused = true)]
    async fn stores_that_no_race_from_one_place_can_judge_are_read_only() {
        let arn = "arn:aws:s3::123456789012:accesspoint/agents.mrap";
        let access_point = StoreServer { bucket: arn.to_owned(), ..server("https://s3.amazonaws.com", "AmazonS3") };
        for (server, name) in [
            (server("https://storage.googleapis.com", "UploadServer"), "Google Cloud Storage"),
            (server("https://t3.storage.dev", "Tigris OS"), "Tigris"),
            (access_point, "S3 Multi-Region Access Point"),
        ] {
            let memory = empty();
            let (store, counted) = bucket(&memory, Quirk::None, server);
            let read_only = store.write_access().await.unwrap().read_only().unwrap();
            assert!(read_only.why.contains(name), "{read_only:?}");
            assert_eq!(counted.seen(Verb::Put), 0, "{name} is not raced");
            let (status, text) = doctor(&store).await;
            assert!(status == CheckStatus::Fail && text.starts_with(name), "{text}");
        }
        assert_eq!(KNOWN_STORES.iter().filter(|known| known.is_read_only).count(), 3);
    }

    #[tokio::test(start_paused = true)]
    async fn doctor_names_a_known_store_and_its_quirk() {
        for (software, quirk, status, words) in [
            ("MinIO", Quirk::CreatesOnIfMatch, CheckStatus::Fail, "MinIO: before October 2025"),
            ("SeaweedFS 4.16", Quirk::LosesRaces, CheckStatus::Fail, "SeaweedFS: before version 4.41"),
            ("VERSITYGW", Quirk::LosesReplacements, CheckStatus::Fail, "Versity S3 Gateway: before August 2026"),
            ("RustFS", Quirk::None, CheckStatus::Ok, "RustFS: before August 2026"),
        ] {
            let (store, _) = bucket(&empty(), quirk, server("http://10.0.0.1:9000", software));
            let (shown, text) = doctor(&store).await;
            assert!(shown == status && text.starts_with(words), "{shown:?} {text}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_store_on_this_machine_is_raced_at_each_start_and_keeps_no_result() {
        let memory = empty();
        let store = opened(memory.clone());
        assert_eq!(store.write_access().await.unwrap().read_only(), None);
        assert_eq!(ProbeResult::read(&*memory, &store.namespace).await, None);
        let (found, _) = doctor(&store).await;
        assert_eq!(found, CheckStatus::Ok);
    }
}

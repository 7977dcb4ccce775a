//! The result of a probe, stored below `_probe/`, so that the next start need not race again.

use bytes::Bytes;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::assessment::Conditions;
use crate::{GetOptions, Metadata, PutOptions, Store, StoreResult, StoreServer, Versioning};
use skillmount_base::{
    limits::PROBE_RESULT_AGE,
    path::{Namespace, ObjectKey},
};

/// The name of the object below `_probe/`.
const NAME: &str = "result.json";
/// More than a result has.
const RESULT_BYTES: u64 = 16 << 10;
/// The metadata that names the object's own key. No file that an agent or an author writes has it, so a file in a user's
/// folder is never taken for a result.
const MARK: &str = "skillmount-probe";

/// The result of a probe, and the server, the version and the time it is valid for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProbeResult {
    version: String,
    endpoint: String,
    bucket: String,
    versioning: Versioning,
    at: Timestamp,
    is_honoured: bool,
    has_passed: bool,
}

impl ProbeResult {
    /// The result `conditions` of a probe of `server` at the time `at`, by the version `version` of the service.
    /// `earlier` is the result before. `None` if the probe proved nothing.
    #[must_use]
    pub fn new(
        conditions: &Conditions,
        server: &StoreServer,
        version: &str,
        at: Timestamp,
        earlier: Option<&Self>,
    ) -> Option<Self> {
        let is_honoured = match conditions {
            Conditions::Honoured => true,
            Conditions::Broken { .. } => false,
            Conditions::Unknown { .. } | Conditions::Denied(_) => return None,
        };
        Some(Self {
            version: version.to_owned(),
            endpoint: server.endpoint.clone(),
            bucket: server.bucket.clone(),
            versioning: server.versioning,
            at,
            is_honoured,
            has_passed: is_honoured || earlier.is_some_and(|earlier| earlier.has_passed_at(server)),
        })
    }

    /// Whether a probe of this bucket has ever passed.
    #[must_use]
    pub fn has_passed_at(&self, server: &StoreServer) -> bool {
        self.has_passed && self.is_of(server)
    }

    /// Whether it shows that `server` honours conditions now: the probe passed, at most seven days ago, for the same
    /// endpoint, bucket, versioning and version of the service.
    #[must_use]
    pub fn is_proof(&self, server: &StoreServer, version: &str, now: Timestamp) -> bool {
        let is_recent = self.at <= now && now.duration_since(self.at) < PROBE_RESULT_AGE;
        let is_same = self.is_of(server) && self.versioning == server.versioning && self.version == version;
        self.is_honoured && is_recent && is_same
    }

    fn is_of(&self, server: &StoreServer) -> bool {
        self.endpoint == server.endpoint && self.bucket == server.bucket
    }

    /// The stored result; `None` if there is none, or if it cannot be read or was not written by a probe.
    pub async fn read(store: &dyn Store, namespace: &Namespace) -> Option<Self> {
        let key = namespace.probe_key(NAME).ok()?;
        let object = store.get(&key, GetOptions::range(0..RESULT_BYTES)).await.ok()?;
        let is_own = object.meta.metadata.get(MARK).is_some_and(|named| named == key.as_str());
        is_own.then(|| serde_json::from_slice(&object.bytes).ok()).flatten()
    }

    /// Stores it. A later result replaces it.
    ///
    /// # Errors
    /// The store's.
    pub async fn write(&self, store: &dyn Store, namespace: &Namespace) -> StoreResult<()> {
        let invalid = |error: &dyn std::fmt::Display| crate::StoreError::Unsupported(error.to_string());
        let key: ObjectKey = namespace.probe_key(NAME).map_err(|error| invalid(&error))?;
        let text = serde_json::to_vec(self).map_err(|error| invalid(&error))?;
        let metadata = Metadata::from([(MARK.to_owned(), key.as_str().to_owned())]);
        store.put(&key, Bytes::from(text), PutOptions::default().with_metadata(metadata)).await.map(drop)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::MemoryStore;

    fn server() -> StoreServer {
        StoreServer { endpoint: "http://s3.test".into(), bucket: "b".into(), ..StoreServer::default() }
    }

    fn at(text: &str) -> Timestamp {
        text.parse().unwrap()
    }

    fn result(conditions: &Conditions, earlier: Option<&ProbeResult>) -> Option<ProbeResult> {
        ProbeResult::new(conditions, &server(), "1.0.0", at("2026-11-01T00:00:00Z"), earlier)
    }

    fn broken() -> Conditions {
        Conditions::Broken { which: "If-Match", how: "2 of 16".to_owned() }
    }

    // S-STORE-12: The service stores the result of the race below `_probe/` of its prefix, and races again if endpoint, bucket,
    // versioning or its own version differs, and after seven days.
    #[test]
    fn a_result_proves_its_own_server_version_and_week() {
        let passed = result(&Conditions::Honoured, None).unwrap();
        let is_proof = |server: &StoreServer, version: &str, now: &str| passed.is_proof(server, version, at(now));
        assert!(is_proof(&server(), "1.0.0", "2026-11-07T23:59:59Z"));
        assert!(!is_proof(&server(), "1.0.0", "2026-11-08T00:00:00Z"), "seven days later");
        assert!(!is_proof(&server(), "1.0.0", "2026-10-31T00:00:00Z"), "from the future");
        assert!(!is_proof(&server(), "1.0.1", "2026-11-02T00:00:00Z"));
        for other in [
            StoreServer { endpoint: "http://s4.test".into(), ..server() },
            StoreServer { bucket: "c".into(), ..server() },
            StoreServer { versioning: Versioning::Suspended, ..server() },
        ] {
            assert!(!is_proof(&other, "1.0.0", "2026-11-02T00:00:00Z"), "{other:?}");
        }
        let failed = result(&broken(), Some(&passed)).unwrap();
        assert!(failed.has_passed_at(&server()) && !failed.is_proof(&server(), "1.0.0", failed.at));
        assert!(!result(&broken(), None).unwrap().has_passed_at(&server()));
        assert_eq!(result(&Conditions::Unknown { why: String::new() }, Some(&passed)), None);
    }

    #[tokio::test]
    async fn a_result_that_no_probe_wrote_is_not_trusted() {
        let (store, root) = (MemoryStore::like_s3(), Namespace::default());
        let passed = result(&Conditions::Honoured, None).unwrap();
        passed.write(&store, &root).await.unwrap();
        assert_eq!(ProbeResult::read(&store, &root).await, Some(passed.clone()));

        // A file of a user, and a copy of the result with its metadata.
        let user = Namespace::parse("anna").unwrap();
        let (text, copied) = (serde_json::to_vec(&passed).unwrap(), user.probe_key(NAME).unwrap());
        store.put_raw(copied.as_str(), text.clone());
        assert_eq!(ProbeResult::read(&store, &user).await, None);
        let metadata = Metadata::from([(MARK.to_owned(), root.probe_key(NAME).unwrap().as_str().to_owned())]);
        store.put(&copied, text.into(), PutOptions::default().with_metadata(metadata)).await.unwrap();
        assert_eq!(ProbeResult::read(&store, &user).await, None);
        store.put_raw("_probe/result.json", "{");
        assert_eq!(ProbeResult::read(&store, &root).await, None);
    }
}

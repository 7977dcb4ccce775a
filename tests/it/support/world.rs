//! A service over a store whose requests are counted and whose faults are scripted, for tests.

use std::{fs, path::Path, sync::Arc};

use skillmount::{
    Code, Result,
    clock::{Clock, SystemClock},
    context::Caller,
    handle::{Service, ServiceOptions, SessionBackend},
    limits::FRESH,
    path::{Id, KeyPrefix},
    store::{
        CachingStore, CountingStore, MemoryStore, PutOptions, RequestCounts, Requests, SharedStore, StoreExt,
        testing::Faulty,
    },
    wire::GrepRequest,
};

pub(crate) use skillmount::wire::BackendExt;

use super::{
    sabotage::indexes_are_sabotaged,
    saboteur::{requests_for_indexes, under_test},
};

/// A service and what lies below it: cache over ledger over faults over a store.
pub(crate) struct World {
    pub(crate) service: Service,
    /// The store itself, without layers: what another client of the bucket sees.
    pub(crate) bucket: SharedStore,
    pub(crate) ledger: Arc<RequestCounts>,
    pub(crate) faults: Arc<Faulty>,
    /// Whether a saboteur is at work below it.
    sabotaged: bool,
}

impl World {
    pub(crate) fn new() -> Self {
        Self::over(Arc::new(MemoryStore::like_s3()))
    }

    pub(crate) fn over(bucket: SharedStore) -> Self {
        Self::with(bucket, ServiceOptions::default())
    }

    pub(crate) fn with(bucket: SharedStore, options: ServiceOptions) -> Self {
        Self::at(bucket, options, Arc::new(SystemClock::new()))
    }

    pub(crate) fn at(bucket: SharedStore, options: ServiceOptions, clock: Arc<dyn Clock>) -> Self {
        let (below, options) = under_test(bucket.clone(), options, clock.clone());
        Self { bucket, sabotaged: indexes_are_sabotaged(), ..Self::undisturbed(below, options, clock) }
    }

    /// Without a saboteur in any run: for tests of the index itself, which know exactly what becomes of it.
    pub(crate) fn undisturbed(bucket: SharedStore, options: ServiceOptions, clock: Arc<dyn Clock>) -> Self {
        let faults = Arc::new(Faulty::new(bucket.clone()));
        let ledger = Arc::new(RequestCounts::recording());
        let metered = Arc::new(CountingStore::new(faults.clone(), ledger.clone()));
        let cached = Arc::new(CachingStore::new(metered, 64 << 20, clock.clone()));
        let service = Service::new(cached, options, clock);
        Self { service, bucket, ledger, faults, sabotaged: false }
    }

    /// Another replica: the same bucket, nothing remembered.
    pub(crate) fn replica(&self) -> Self {
        Self::over(self.bucket.clone())
    }

    /// The session `s` of user `demo`.
    pub(crate) fn agent(&self) -> SessionBackend {
        self.agent_of("demo", "s")
    }

    pub(crate) fn agent_of(&self, user: &str, session: &str) -> SessionBackend {
        self.service.session(id(user), id(session))
    }

    /// As [`agent_of`](Self::agent_of), for a caller of this team.
    pub(crate) fn agent_in(&self, team: Option<&str>, user: &str, session: &str) -> SessionBackend {
        self.service.session_of(Caller::new(id(user)).in_team(team.map(id)), id(session))
    }

    /// Puts an object there as another tool would.
    pub(crate) async fn put(&self, key: &str, text: impl Into<bytes::Bytes>) {
        let key = KeyPrefix::all().key(key).unwrap();
        self.bucket.put(&key, text.into(), PutOptions::default()).await.unwrap();
    }

    /// The bytes another tool would find.
    pub(crate) async fn bytes(&self, key: &str) -> Option<Vec<u8>> {
        let key = KeyPrefix::all().key(key).unwrap();
        self.bucket.get(&key, skillmount::store::GetOptions::default()).await.ok().map(|object| object.bytes.to_vec())
    }

    /// A skill with this description and body.
    pub(crate) async fn put_skill(&self, user: &str, skill: &str, description: &str, body: &str) {
        let name = skill.rsplit('/').next().unwrap();
        let text = format!("---\nname: {name}\ndescription: {description}\n---\n{body}");
        self.put(&format!("{user}/skills/{skill}/SKILL.md"), text).await;
    }

    /// The fixtures of user `demo`: the tree of the complete example.
    pub(crate) async fn put_fixtures(&self) {
        for (key, bytes) in fixtures() {
            self.put(&key, bytes).await;
        }
    }

    /// Requests for anything but session objects while `work` runs, and what it gave. Where a saboteur is at work,
    /// requests for indexes are left out too.
    pub(crate) async fn cost<T>(&self, work: impl Future<Output = T>) -> (T, Requests) {
        let (before, asked) = (self.ledger.counts(), self.ledger.asked().len());
        let done = work.await;
        let spent = (self.ledger.counts() - before).objects.requests;
        let left_out = if self.sabotaged { requests_for_indexes(&self.ledger, asked) } else { Requests::default() };
        (done, spent - left_out)
    }

    /// Waits, on a paused clock, until nothing runs on its own any more: notes are written, and catalogs that nobody asks
    /// for are left alone.
    pub(crate) async fn quiet() {
        tokio::time::sleep(FRESH * 3).await;
    }

    /// Every key in the bucket.
    pub(crate) async fn keys(&self) -> Vec<String> {
        let (entries, _) = self.bucket.list_all(&KeyPrefix::all(), usize::MAX - 1).await.unwrap();
        entries.into_iter().map(|entry| entry.key).collect()
    }
}

pub(crate) fn id(text: &str) -> Id {
    Id::parse(text).unwrap()
}

/// Every file below `crates/cli/fixtures/store`, by the key it has in a bucket.
pub(crate) fn fixtures() -> Vec<(String, Vec<u8>)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("crates/cli/fixtures/store");
    let files = files_below(&root);
    assert!(!files.is_empty());
    files
}

/// Every file below a folder: its relative path with `/`, and its bytes; sorted.
pub(crate) fn files_below(root: &Path) -> Vec<(String, Vec<u8>)> {
    let mut found = Vec::new();
    let mut folders = vec![root.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let name = path.strip_prefix(root).unwrap().to_str().unwrap().replace('\\', "/");
                found.push((name, fs::read(&path).unwrap()));
            }
        }
    }
    found.sort();
    found
}

/// The 130 public skills, where they lie beside the project; says aloud where they do not.
pub(crate) fn real_skills() -> Option<std::path::PathBuf> {
    let named = std::env::var_os("SKILLMOUNT_REAL_SKILLS").map(std::path::PathBuf::from);
    let path = named.unwrap_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/real-skills"));
    if path.is_dir() {
        return Some(path);
    }
    println!("SKIPPED: the collection of real skills is not at {}", path.display());
    None
}

/// The path of each of the public skills and its SKILL.md, where they are.
pub(crate) fn real_skill_texts() -> Option<Vec<(String, Vec<u8>)>> {
    let files = files_below(&real_skills()?).into_iter();
    let skills: Vec<_> =
        files.filter_map(|(path, bytes)| Some((path.strip_suffix("/SKILL.md")?.to_owned(), bytes))).collect();
    assert_eq!(skills.len(), 130);
    Some(skills)
}

/// How much longer the long versions are: 1, or what `SKILLMOUNT_SOAK` says.
pub(crate) fn soak() -> u32 {
    std::env::var("SKILLMOUNT_SOAK").ok().and_then(|times| times.parse().ok()).unwrap_or(1)
}

/// What the dice of the tests begin with: 1, or what `SKILLMOUNT_SEED` says.
pub(crate) fn seed() -> u64 {
    std::env::var("SKILLMOUNT_SEED").map_or(1, |seed| seed.parse().unwrap())
}

pub(crate) fn grep(pattern: &str, path: Option<&str>) -> GrepRequest {
    GrepRequest { path: path.map(str::to_owned), ..GrepRequest::new(pattern) }
}

/// The code of an error.
pub(crate) fn code<T: std::fmt::Debug>(result: Result<T>) -> Code {
    result.unwrap_err().code()
}

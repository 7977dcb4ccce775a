//! What a catalog of 10,000 skills costs beside one of 100: `cargo bench --bench catalog`.
//!
//! Memory is that of a process which knows one catalog of 10,000 skills, or a hundred of 100; each is measured in a process
//! of its own, so that nothing is left over from another. Requests and round trips are counted on a paused clock. Times are
//! the best of several rounds, on a store in memory, and worth as much as the ratios beside them.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    clippy::disallowed_methods,
    clippy::cast_precision_loss,
    reason = "a benchmark measures time, prints, and fails by panicking"
)]

#[path = "support/skills.rs"]
mod skills;

use std::{
    env, fs,
    io::Read as _,
    path::Path,
    process::Command,
    sync::Arc,
    time::{Duration, Instant},
};

use flate2::read::DeflateDecoder;
use skillmount::{
    clock::SystemClock,
    handle::{Service, ServiceOptions, SessionBackend},
    limits::PROMPT_TOKENS,
    path::{Id, KeyPrefix},
    prompt::for_session,
    store::{
        CountingStore, DirectoryStore, GetOptions, MemoryStore, PutOptions, RequestCounts, SharedStore, testing::Faulty,
    },
    wire::{BackendProtocol as _, LoadSkillRequest, PromptMode, PromptRequest},
};
use tempfile::TempDir;
use tokio::runtime::{Builder, Runtime};

use self::skills::{Skill, generated, real_skills};

/// The catalogs that are compared.
const FEW: usize = 100;
const MANY: usize = 10_000;
/// Rounds of which the best counts.
const ROUNDS: u32 = 7;
/// What a catalog of [`MANY`] skills and its search index may hold.
const GOAL_MB: f64 = 64.0;
/// The figures of memory: the last is what the index counts of itself, the others what the system counts.
const MEMORY: [&str; 3] = ["memory of the catalog", "  once searched, garbage included", "  of the search index alone"];
const QUESTION: &str = "prepare the report of a month";
/// Names a folder of catalogs, and makes this a process that says how much memory they take.
const WEIGH: &str = "SKILLMOUNT_BENCH_WEIGH";

fn main() {
    if let Some(folder) = env::var_os(WEIGH) {
        return weigh(Path::new(&folder));
    }
    let real = real_skills();
    let mut columns = vec![Column::of(&generated(&real, FEW)), Column::of(&generated(&real, MANY))];
    if real.is_empty() {
        println!("no real skills are at hand: set SKILLMOUNT_REAL_SKILLS to see them beside the generated ones");
    } else {
        columns.push(Column::of(&real));
    }
    print(&columns);
}

// ---- what is measured

/// A catalog and its figures.
struct Column {
    skills: usize,
    figures: Vec<Figure>,
}

/// One line of the table.
struct Figure {
    name: String,
    unit: &'static str,
    value: f64,
}

impl Column {
    fn of(skills: &[Skill]) -> Self {
        let mut column = Self { skills: skills.len(), figures: Vec::new() };
        let bucket = bucket_of(skills);
        column.index_in(&bucket);
        column.memory(&bucket);
        column.requests_of(&bucket);
        column.times_in(&bucket);
        column
    }

    fn add(&mut self, name: impl Into<String>, unit: &'static str, value: f64) {
        self.figures.push(Figure { name: name.into(), unit, value });
    }

    fn index_in(&mut self, bucket: &SharedStore) {
        let index = index_of(bucket);
        let header = index.iter().position(|byte| *byte == b'\n').unwrap();
        let mut plain = Vec::new();
        DeflateDecoder::new(index.get(header + 1..).unwrap()).read_to_end(&mut plain).unwrap();
        self.add("index in the bucket", "kB", index.len() as f64 / 1e3);
        self.add("  of each skill", "B", index.len() as f64 / self.skills as f64);
        self.add("index inflated", "kB", plain.len() as f64 / 1e3);
    }

    fn memory(&mut self, bucket: &SharedStore) {
        let folder = TempDir::new().unwrap();
        let users = MANY.div_ceil(self.skills);
        for user in 0..users {
            let path = folder.path().join(format!("u{user}/.skillmount"));
            fs::create_dir_all(&path).unwrap();
            fs::write(path.join("catalog.json"), index_of(bucket)).unwrap();
        }
        let mut command = Command::new(env::current_exe().unwrap());
        // Large pieces that are freed go back to the system at once, so that little but what is held is counted.
        command
            .env("MALLOC_MMAP_THRESHOLD_", "65536")
            .env("MALLOC_TRIM_THRESHOLD_", "65536")
            .env("MALLOC_ARENA_MAX", "1");
        let told = command.env(WEIGH, folder.path()).output().unwrap();
        assert!(told.status.success(), "{}", String::from_utf8_lossy(&told.stderr));
        let told = String::from_utf8(told.stdout).unwrap();
        for (name, bytes) in MEMORY.into_iter().zip(told.split_whitespace()) {
            self.add(name, "MB", bytes.parse::<f64>().unwrap() / users as f64 / 1e6);
        }
        if told.is_empty() {
            println!("memory is NOT MEASURED: this system has no /proc/self/status");
        }
    }

    fn requests_of(&mut self, bucket: &SharedStore) {
        for (name, index) in [("fresh process, index", true), ("fresh process, no index", false)] {
            let (requests, trips) = paused().block_on(first_view(bucket, index));
            self.add(format!("{name}: requests"), "", requests as f64);
            self.add(format!("{name}: round trips"), "", trips);
        }
    }

    fn times_in(&mut self, bucket: &SharedStore) {
        let runtime = runtime();
        let decode = best(|| {
            let service = service(bucket.clone(), true);
            runtime.block_on(service.catalogs().view(&user(), false)).unwrap().entries.len()
        });
        self.add("the index read and decoded", "ms", decode);
        let service = service(bucket.clone(), true);
        let searchable = runtime.block_on(service.catalogs().searchable(&user())).unwrap();
        let search = || searchable.index.search(QUESTION, |_| true, 10).unwrap().total;
        self.add("a query", "ms", best(search));
        let (fresh, loaded) = (service.session(user(), id("fresh")), service.session(user(), id("loaded")));
        let skill = searchable.view.entries.first().unwrap().skill.to_string();
        runtime.block_on(loaded.load_skill(LoadSkillRequest::new(skill))).unwrap();
        for (name, agent, mode) in [
            ("two_state", &fresh, PromptMode::TwoState),
            ("two_state, loaded", &loaded, PromptMode::TwoState),
            ("listing", &fresh, PromptMode::Listing),
            ("combined", &loaded, PromptMode::Combined),
            ("discover", &fresh, PromptMode::Discover),
        ] {
            self.add(format!("a prompt, {name}"), "ms", best(|| prompt(&runtime, agent, mode)));
        }
    }
}

fn prompt(runtime: &Runtime, agent: &SessionBackend, mode: PromptMode) -> usize {
    let request = PromptRequest { mode: Some(mode), max_tokens: PROMPT_TOKENS, ..PromptRequest::default() };
    runtime.block_on(for_session(agent, &request)).unwrap().tokens
}

/// Requests and round trips until a process that knows nothing has the catalog.
async fn first_view(bucket: &SharedStore, index: bool) -> (u64, f64) {
    const TRIP: Duration = Duration::from_secs(1);
    let slow = Arc::new(Faulty::new(bucket.clone()));
    slow.set_latency(TRIP);
    let ledger = Arc::new(RequestCounts::new());
    let service = service(Arc::new(CountingStore::new(slow, ledger.clone())), index);
    let begun = tokio::time::Instant::now();
    service.catalogs().view(&user(), false).await.unwrap();
    (ledger.counts().objects.requests.total(), begun.elapsed().as_secs_f64() / TRIP.as_secs_f64())
}

/// The best of several rounds, in milliseconds.
fn best(work: impl Fn() -> usize) -> f64 {
    let round = || {
        let begun = Instant::now();
        std::hint::black_box(work());
        begun.elapsed()
    };
    (0..ROUNDS).map(|_| round()).min().unwrap().as_secs_f64() * 1e3
}

// ---- how it is printed

/// The first two columns and their ratio, and whatever stands beside them.
fn print(columns: &[Column]) {
    let heads: Vec<_> = columns.iter().map(|column| format!("{:>12}", column.skills)).collect();
    println!("{:36}{}       {MANY} : {FEW}", "skills", heads.concat());
    for (line, figure) in columns.first().unwrap().figures.iter().enumerate() {
        let values: Vec<_> = columns.iter().map(|column| column.figures.get(line).unwrap().value).collect();
        let shown: Vec<_> = values.iter().map(|value| format!("{value:>12.2}")).collect();
        let (few, many) = (values.first().unwrap(), values.get(1).unwrap());
        println!("{:32}{:>4}{}{:>14.1}", figure.name, figure.unit, shown.concat(), many / few);
    }
    let held =
        columns.get(1).unwrap().figures.iter().filter(|figure| [MEMORY[0], MEMORY[2]].contains(&figure.name.as_str()));
    let held: f64 = held.map(|figure| figure.value).sum();
    if held > 0.0 {
        let verdict = if held <= GOAL_MB { "meets" } else { "misses" };
        println!("{MANY} skills and their search index hold {held:.1} MB (goal: at most {GOAL_MB}): {verdict}");
    }
}

// ---- what it is measured on

/// A bucket with these skills and their index.
fn bucket_of(skills: &[Skill]) -> SharedStore {
    let bucket: SharedStore = Arc::new(MemoryStore::new());
    runtime().block_on(async {
        for skill in skills {
            let key = KeyPrefix::all().key(&format!("u0/skills/{}/SKILL.md", skill.path)).unwrap();
            let description = serde_json::Value::from(skill.frontmatter.description.as_str());
            let text =
                format!("---\nname: {}\ndescription: {description}\n---\n{}\n", skill.path.folder(), skill.opening);
            bucket.put(&key, text.into(), PutOptions::default()).await.unwrap();
        }
        service(bucket.clone(), true).catalogs().rebuild(&user()).await.unwrap();
    });
    bucket
}

fn index_of(bucket: &SharedStore) -> Vec<u8> {
    let key = KeyPrefix::all().key("u0/.skillmount/catalog.json").unwrap();
    runtime().block_on(bucket.get(&key, GetOptions::default())).unwrap().bytes.to_vec()
}

/// Prints what the catalogs of all users of a folder take in memory, and what their search indexes take besides.
fn weigh(folder: &Path) {
    let users = fs::read_dir(folder).unwrap().count();
    let clock = Arc::new(SystemClock::new());
    let service = service(Arc::new(DirectoryStore::open(folder, clock).unwrap()), true);
    let runtime = runtime();
    // Whatever is needed once.
    runtime.block_on(service.catalogs().searchable(&id("nobody"))).unwrap();
    let Some(before) = resident() else { return };
    let mut held = Vec::new();
    for user in 0..users {
        held.push(runtime.block_on(service.catalogs().view(&id(&format!("u{user}")), false)).unwrap());
    }
    let catalogs = resident().unwrap() - before;
    let mut searched = Vec::new();
    for user in 0..users {
        searched.push(runtime.block_on(service.catalogs().searchable(&id(&format!("u{user}")))).unwrap());
    }
    let indexes: usize = searched.iter().map(|searchable| searchable.index.memory_bytes()).sum();
    println!("{catalogs} {} {indexes}", resident().unwrap() - before);
    assert_eq!(held.len(), searched.len());
}

/// What the system holds in memory of this process, in bytes.
fn resident() -> Option<f64> {
    let text = fs::read_to_string("/proc/self/status").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    Some(line.trim().strip_suffix("kB")?.trim().parse::<f64>().ok()? * 1024.0)
}

fn service(store: SharedStore, index: bool) -> Service {
    Service::new(store, ServiceOptions { index, ..ServiceOptions::default() }, Arc::new(SystemClock::new()))
}

fn runtime() -> Runtime {
    Builder::new_current_thread().enable_all().build().unwrap()
}

fn paused() -> Runtime {
    Builder::new_current_thread().enable_all().start_paused(true).build().unwrap()
}

fn user() -> Id {
    id("u0")
}

fn id(text: &str) -> Id {
    Id::parse(text).unwrap()
}

//! Everything at once: two replicas of the real service over an S3 with troubles, 49 honest users, and one with an agent's
//! key who does the worst it can.
//!
//! `make soak-hostile` runs it for ten minutes and holds times and memory to bounds. Without `SKILLMOUNT_SOAK_SECONDS` it
//! takes less than a minute, and asserts only what needs no clock.

mod attacks;
mod bucket;
mod figures;
mod honest;
mod replica;

use std::{env, fs, path::Path, sync::Arc, time::Duration};

use skillmount::{
    access::{KeyEntry, Scope},
    clock::SystemClock,
};
use tempfile::TempDir;
use tokio::{sync::watch, task::JoinHandle, time::Instant};

use self::{
    attacks::{Attacker, ENEMY},
    bucket::Bucket,
    figures::{Figures, Phase},
    honest::{User, Verdict},
    replica::Replica,
};
use crate::support::world::id;

const HONEST: usize = 49;
const REPLICAS: usize = 2;
/// How much longer 99 of 100 operations may take beside the hostile user.
const SLOWER: f64 = 3.0;
/// Resident memory of a process, in KiB.
const MEMORY: u64 = 400 << 10;
/// From when on memory may not grow any more, and by how much it may all the same.
const STEADY: Duration = Duration::from_mins(4);
const GROWTH: f64 = 1.05;

/// How long it takes and how bad it gets.
struct Plan {
    warm_up: Duration,
    before: Duration,
    beside: Duration,
    /// Between two operations of an honest user.
    pace: Duration,
    /// The percentage of what the hostile user can do.
    hostility: u32,
    /// Whether times are held to bounds.
    is_timed: bool,
}

impl Plan {
    fn from_environment() -> Self {
        let number = |name| env::var(name).ok().map(|text: String| text.parse::<u32>().unwrap());
        let seconds = number("SKILLMOUNT_SOAK_SECONDS");
        let beside = Duration::from_secs(seconds.unwrap_or(25).into());
        Self {
            warm_up: Duration::from_secs(if seconds.is_some() { 15 } else { 3 }),
            before: (beside / 5).max(Duration::from_secs(8)),
            beside,
            // Without optimisation an operation costs ten times as much.
            pace: Duration::from_secs(if seconds.is_some() { 1 } else { 3 }),
            hostility: number("SKILLMOUNT_HOSTILITY").unwrap_or(if seconds.is_some() { 100 } else { 20 }),
            is_timed: seconds.is_some(),
        }
    }
}

/// The stage and who is on it.
struct Town {
    /// Holds the keys and the logs.
    _folder: TempDir,
    bucket: Bucket,
    replicas: Vec<Replica>,
    figures: Arc<Figures>,
    stop: watch::Sender<bool>,
    users: Vec<JoinHandle<User>>,
    enemy_key: String,
}

// S-WRITE-3: An acknowledged write is in the store and is never lost, by concurrency, crash or retry.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn honest_users_work_on_beside_a_hostile_one() {
    let plan = Plan::from_environment();
    let mut town = Town::open(&plan).await;
    tokio::time::sleep(plan.warm_up).await;
    town.figures.enter(Phase::Before);
    tokio::time::sleep(plan.before).await;
    town.figures.enter(Phase::Beside);
    let came = Instant::now();
    let attacker = Attacker::begin(&town.urls(), &town.enemy_key, plan.hostility);
    tokio::time::sleep(plan.beside).await;
    let end = Instant::now();
    let alive = town.replicas.iter_mut().all(Replica::is_alive);
    let users = town.rest().await;
    let answers = attacker.answers();
    // While the attack goes on: whatever runs, a process that is told to stop does.
    let ended = town.end().await;
    attacker.end();
    let mut verdict = Verdict::default();
    for mut user in users {
        user.verify(&town.bucket.memory, &mut verdict).await;
    }

    println!(
        "{HONEST} honest users for {:?} alone, then {:?} beside a hostile one at {} %",
        plan.before, plan.beside, plan.hostility
    );
    println!("{}", town.figures);
    println!("hostile requests and their answers:\n{answers}");
    println!("troubles of the store: {:?}", town.bucket.troubles());
    println!("lines of logs: {} acknowledged, {} in doubt", verdict.acknowledged, verdict.in_doubt);
    let mut faults = town.memory_faults(&plan, came, end);
    faults.extend(town.time_faults(&plan));
    faults.extend(town.replicas.iter().flat_map(Replica::panics));
    let of_writes = [("lost", verdict.lost), ("doubled", verdict.doubled), ("wrong", verdict.wrong)];
    for (name, found) in of_writes {
        println!("{name}: {}", found.len());
        faults.extend(found.into_iter().take(5).map(|told| format!("{name}: {told}")));
    }
    println!("processes ended with {ended:?}");
    if !alive || ended.iter().any(|status| *status != Some(0)) {
        faults.push(format!("a process died, or did not end as it should: {ended:?}"));
    }
    let refused = town.figures.refused_by_budgets();
    println!("honest operations refused by budgets: {refused}");
    if refused > 0 {
        faults.push(format!("{refused} honest operations were refused by budgets"));
    }
    assert!(verdict.acknowledged > 0, "nothing was written");
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

impl Town {
    /// Starts the store, the replicas and the honest users.
    async fn open(plan: &Plan) -> Self {
        let folder = TempDir::new().unwrap();
        let bucket = Bucket::open().await;
        let honest = keys(folder.path());
        let enemy_key = key(folder.path(), ENEMY);
        attacks::plant(&bucket.memory, plan.hostility);
        (0..HONEST).for_each(|number| User::plant(&bucket.memory, number));
        let endpoint = bucket.url.clone();
        let start = |number| {
            let (folder, endpoint) = (folder.path().to_owned(), endpoint.clone());
            tokio::task::spawn_blocking(move || Replica::start(&folder, number, &endpoint))
        };
        let mut replicas = Vec::new();
        for number in 0..REPLICAS {
            replicas.push(start(number).await.unwrap());
        }
        replicas.iter().for_each(Replica::watch);
        let (figures, (stop, stopped)) = (Arc::new(Figures::new(plan.pace)), watch::channel(false));
        let mut town = Self { _folder: folder, bucket, replicas, figures, stop, users: Vec::new(), enemy_key };
        for (number, key) in honest.into_iter().enumerate() {
            let user = User::new(number, key, &town.urls(), town.figures.clone());
            town.users.push(tokio::spawn(user.work(stopped.clone())));
        }
        town
    }

    fn urls(&self) -> Vec<String> {
        self.replicas.iter().map(|replica| replica.url.clone()).collect()
    }

    /// Lets every user finish what it does.
    async fn rest(&mut self) -> Vec<User> {
        self.stop.send(true).unwrap();
        let mut users = Vec::new();
        for user in self.users.drain(..) {
            users.push(user.await.unwrap());
        }
        users
    }

    /// Tells the processes to stop, and gives their exit statuses.
    async fn end(&mut self) -> Vec<Option<i32>> {
        self.replicas.iter().for_each(Replica::tell_to_stop);
        let asked = Instant::now();
        let mut ended = Vec::new();
        for replica in &mut self.replicas {
            ended.push(replica.ended(asked).await);
        }
        ended
    }

    /// Prints the memory of each process; returns what is wrong with it.
    fn memory_faults(&self, plan: &Plan, came: Instant, end: Instant) -> Vec<String> {
        let mut faults = Vec::new();
        for (number, replica) in self.replicas.iter().enumerate() {
            let (most, last) = (replica.most_since(came), replica.mean_before(end));
            let steady = (plan.beside > STEADY).then(|| replica.mean_before(came + STEADY));
            let [first, most_mib, last_mib] = [replica.mean_before(came), most, last].map(|size| size >> 10);
            let steady_mib = steady.map(|size| size >> 10);
            println!("replica {number}, MiB: {first} at first, {last_mib} at the end, {most_mib} at most");
            let minutes = u32::try_from(plan.beside.as_secs() / 60).unwrap();
            let by_minute =
                (1..=minutes).map(|minute| replica.mean_before(came + Duration::from_mins(1) * minute) >> 10);
            println!("  mean of each minute: {:?}", by_minute.collect::<Vec<_>>());
            if most >= MEMORY {
                faults.push(format!("replica {number} had {most_mib} MiB"));
            }
            #[allow(clippy::cast_precision_loss, reason = "a ratio of sizes below a terabyte")]
            if steady.is_some_and(|steady| last as f64 > steady as f64 * GROWTH) {
                faults.push(format!("replica {number} grew from {steady_mib:?} to {last_mib} MiB"));
            }
        }
        faults
    }

    fn time_faults(&self, plan: &Plan) -> Option<String> {
        let [before, beside] = [Phase::Before, Phase::Beside].map(|phase| self.figures.p99(phase));
        let ratio = beside.as_secs_f64() / before.as_secs_f64();
        let told =
            format!("99 of 100 operations took up to {before:.1?} before and {beside:.1?} beside: {ratio:.2} times");
        println!("{told}");
        (plan.is_timed && ratio > SLOWER).then_some(told)
    }
}

/// A key for each honest user, in the keys file in `folder`.
fn keys(folder: &Path) -> Vec<String> {
    (0..HONEST).map(|number| key(folder, &honest::name(number))).collect()
}

/// A new agent's key for `user`, whose entry is added to the keys file in `folder`.
fn key(folder: &Path, user: &str) -> String {
    let (key, entry) = KeyEntry::generate(&SystemClock::new(), Some(&id(user)), vec![Scope::Agent]);
    let path = folder.join("keys.toml");
    let known = fs::read_to_string(&path).unwrap_or_default();
    fs::write(&path, known + &entry.to_toml().unwrap()).unwrap();
    key
}

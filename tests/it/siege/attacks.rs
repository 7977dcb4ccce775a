//! What one agent's key can do at its worst: each attack is a function that goes on until it is told to stop, and all of
//! them go on at once.
//!
//! The attacker has a thread of its own, at a lower priority than the honest users: what it does to its own processor is
//! not what is measured.

use std::{
    collections::BTreeMap,
    env, fmt, fs,
    process::Command,
    sync::{Arc, Mutex},
    thread::{self, JoinHandle},
    time::Duration,
};

use bytes::Bytes;
use futures_util::future::{FutureExt, LocalBoxFuture, join_all};
use rand::{RngExt, SeedableRng, rngs::StdRng};
use reqwest::{Client, Method};
use serde_json::{Value, json};
use skillmount::store::MemoryStore;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    sync::oneshot,
};

/// The hostile user.
pub(super) const ENEMY: &str = "mallory";

/// Between two requests of one worker: the attack is what a request costs, not how many there are.
const PAUSE: Duration = Duration::from_millis(250);
/// Longer than any deadline of the service.
const PATIENCE: Duration = Duration::from_secs(75);
/// How long a caller waits who leaves before the answer.
const IMPATIENCE: Duration = Duration::from_secs(1);
/// How long a reply is not read.
const UNREAD: Duration = Duration::from_secs(20);
const MIB: usize = 1 << 20;
/// Files with long names, and the length of each name.
const NAMES: usize = 3000;
const NAME_BYTES: usize = 185;
/// Skills with many files, which a session loads and its forks take over, and the files of each.
const SKILLS: usize = 64;
const SKILL_FILES: usize = 506;

type Attack = fn(Enemy) -> LocalBoxFuture<'static, ()>;

/// Every attack, with the name that `SKILLMOUNT_ATTACKS` knows it by.
const ATTACKS: [(&str, Attack); 8] = [
    ("globs", |enemy| globs_that_match_each_name_in_many_ways(enemy).boxed_local()),
    ("expressions", |enemy| expressions_with_too_many_states(enemy).boxed_local()),
    ("calls", |enemy| calls_that_are_millions_of_empty_objects(enemy).boxed_local()),
    ("uploads", |enemy| uploads_of_64_mib_at_once(enemy).boxed_local()),
    ("downloads", |enemy| downloads_that_nobody_reads(enemy).boxed_local()),
    ("searches", |enemy| searches_through_120_mib(enemy).boxed_local()),
    ("forks", |enemy| forks_of_a_session_with_many_files(enemy).boxed_local()),
    ("bodies", |enemy| bodies_that_never_end(enemy).boxed_local()),
];

/// What an attack needs.
#[derive(Clone)]
struct Enemy {
    replicas: Vec<String>,
    key: String,
    client: Client,
    /// The percentage of what it can do.
    hostility: u32,
    answers: Arc<Mutex<BTreeMap<&'static str, BTreeMap<String, u64>>>>,
}

/// The hostile user at work.
pub(super) struct Attacker {
    stop: oneshot::Sender<()>,
    thread: JoinHandle<()>,
    enemy: Enemy,
}

/// How often each attack met each answer.
pub(super) struct Answers(BTreeMap<&'static str, BTreeMap<String, u64>>);

impl Attacker {
    /// All attacks begin, on all replicas. `SKILLMOUNT_ATTACKS=uploads,bodies` leaves the others out.
    pub(super) fn begin(replicas: &[String], key: &str, hostility: u32) -> Self {
        let client = Client::builder().no_proxy().timeout(PATIENCE).build().unwrap();
        let (replicas, key, answers) = (replicas.to_vec(), key.to_owned(), Arc::default());
        let enemy = Enemy { replicas, key, client, hostility, answers };
        let (stop, stopped) = oneshot::channel();
        let here = enemy.clone();
        let thread = thread::spawn(move || {
            step_back();
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            runtime.block_on(async {
                let attacks = join_all(chosen().map(|attack| attack(here.clone())));
                tokio::select! {
                    _ = attacks => unreachable!("an attack goes on until it is told to stop"),
                    _ = stopped => {}
                }
            });
            runtime.shutdown_background();
        });
        Self { stop, thread, enemy }
    }

    /// How often each attack met each answer until now.
    pub(super) fn answers(&self) -> Answers {
        Answers(self.enemy.answers.lock().unwrap().clone())
    }

    /// Ends all attacks, whatever they wait for.
    pub(super) fn end(self) {
        let _ = self.stop.send(());
        self.thread.join().unwrap();
    }
}

impl fmt::Display for Answers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|(attack, answers)| writeln!(f, "  {attack}: {answers:?}"))
    }
}

/// The attacks that are wanted: all, unless the environment names some.
fn chosen() -> impl Iterator<Item = Attack> {
    let named = env::var("SKILLMOUNT_ATTACKS").ok();
    let is_wanted = move |name: &str| named.as_ref().is_none_or(|named| named.split(',').any(|other| other == name));
    ATTACKS.into_iter().filter(move |(name, _)| is_wanted(name)).map(|(_, attack)| attack)
}

/// Gives this thread a lower priority.
fn step_back() {
    let here = fs::read_link("/proc/thread-self").unwrap();
    let thread = here.file_name().unwrap().to_owned();
    // A machine without renice is attacked at the same priority.
    let _ = Command::new("renice").args(["-n", "10", "-p"]).arg(thread).output();
}

/// Puts there what the attacks work on: files with long names, noughts and ones, large files, and skills of many files.
pub(super) fn plant(memory: &MemoryStore, hostility: u32) {
    let workspace = format!("{ENEMY}/threads/main");
    for number in 0..share(hostility, NAMES) {
        let name = format!("{number:04}{}", "a".repeat(NAME_BYTES - 4));
        memory.put_raw(&format!("{workspace}/names/{name}"), "");
    }
    let mut random = StdRng::seed_from_u64(1);
    let digits: String = (0..2 * MIB).map(|_| if random.random() { '1' } else { '0' }).collect();
    memory.put_raw(&format!("{workspace}/digits/0"), digits);
    let text = Bytes::from("some text that is looked through in vain\n".repeat(60 * MIB / 41));
    for number in 0..2 {
        memory.put_raw(&format!("{workspace}/texts/{number}"), text.clone());
    }
    memory.put_raw(&format!("{workspace}/large"), vec![b'x'; 64 * MIB]);
    for skill in 0..SKILLS {
        let folder = format!("{ENEMY}/skills/skill-{skill}");
        memory.put_raw(&format!("{folder}/SKILL.md"), format!("---\ndescription: Many files, {skill}.\n---\n"));
        for file in 1..share(hostility, SKILL_FILES) {
            memory.put_raw(&format!("{folder}/a-file-with-a-name-of-some-length-{file:03}"), "");
        }
    }
}

/// This part of `all`; one at least, unless there is to be no attack.
fn share(hostility: u32, all: usize) -> usize {
    (all * hostility as usize).div_ceil(100)
}

/// An alternation of 300 behind a pattern that can match in a great many ways: every name is tried against each of them.
async fn globs_that_match_each_name_in_many_ways(enemy: Enemy) {
    let ends: Vec<_> = (0..300).map(|number| format!("z{number}")).collect();
    let pattern = format!("*{}{{{}}}", "[!b]".repeat(150), ends.join(","));
    let body = json!({"pattern": pattern, "path": "/workspace/names"});
    let filter = json!({"pattern": "x", "glob": pattern, "path": "/workspace/names"});
    enemy
        .repeat("globs", 4, async |enemy, worker, _| {
            let (route, body) = if worker % 2 == 0 { ("/glob", &body) } else { ("/grep", &filter) };
            enemy.post("globs", worker, route, body).await;
        })
        .await;
}

/// An expression within all limits whose automaton does not fit in its memory: half of the callers leave at once.
async fn expressions_with_too_many_states(enemy: Enemy) {
    let body = json!({"pattern": "[01]*1[01]{3000}x", "path": "/workspace/digits"});
    enemy
        .repeat("expressions", 20, async |enemy, worker, _| {
            let call = enemy.post("expressions", worker, "/grep", &body);
            if worker % 2 == 0 {
                call.await;
            } else {
                let _ = tokio::time::timeout(IMPATIENCE, call).await;
            }
        })
        .await;
}

/// A turn of 20 MiB that becomes a gigabyte where it is parsed into values.
async fn calls_that_are_millions_of_empty_objects(enemy: Enemy) {
    let mut turn = String::from("{\"content\":[{\"\":0}");
    turn.push_str(&",{\"\":0}".repeat(19 * MIB / 7));
    turn.push_str("]}");
    let turn = Bytes::from(turn);
    enemy
        .repeat("calls", 4, async |enemy, worker, _| {
            enemy.send("calls", worker, Method::POST, "/tool_calls", turn.clone(), PATIENCE).await;
        })
        .await;
}

/// Uploads of the largest size that is allowed.
async fn uploads_of_64_mib_at_once(enemy: Enemy) {
    let content = Bytes::from(vec![0; 64 * MIB]);
    enemy
        .repeat("uploads", 64, async |enemy, worker, _| {
            let rest = format!("/files/workspace/uploads/{}", worker % 4);
            enemy.send("uploads", worker, Method::PUT, &rest, content.clone(), PATIENCE).await;
        })
        .await;
}

/// Downloads of the largest file, whose replies wait in the memory of the service.
async fn downloads_that_nobody_reads(enemy: Enemy) {
    enemy
        .repeat("downloads", 300, async |enemy, worker, _| {
            let Some(mut stream) = enemy.begin(worker, "GET", "/files/workspace/large", "").await else {
                return enemy.note("downloads", "no connection");
            };
            tokio::time::sleep(UNREAD).await;
            enemy.note("downloads", &status_line(&mut stream).await);
        })
        .await;
}

/// Searches that fetch two large files each, for what is in neither.
async fn searches_through_120_mib(enemy: Enemy) {
    let body = json!({"pattern": "zz+y", "path": "/workspace/texts"});
    enemy.repeat("searches", 12, async |enemy, worker, _| enemy.post("searches", worker, "/grep", &body).await).await;
}

/// Sessions that each begin with what another has loaded, and the listing of all of them.
async fn forks_of_a_session_with_many_files(enemy: Enemy) {
    for skill in 0..share(enemy.hostility, SKILLS) {
        enemy.post("forks", 0, "/load_skill", &json!({"skill": format!("skill-{skill}")})).await;
    }
    let parent = Bytes::from(json!({"parent": "main"}).to_string());
    enemy
        .repeat("forks", 100, async |enemy, worker, turn| {
            let url = format!("{}/v1/users/{ENEMY}/sessions", enemy.replica(worker));
            if worker % 10 == 0 {
                enemy.request("forks", Method::GET, &url, Bytes::new(), PATIENCE).await;
            } else {
                let fork = format!("{url}/fork-{worker}-{turn}");
                enemy.request("forks", Method::PUT, &fork, parent.clone(), PATIENCE).await;
            }
            // A hundred at once, and then as many again after a while.
            tokio::time::sleep(UNREAD).await;
        })
        .await;
}

/// Requests whose bodies begin and never go on, as many as the service takes at once and more.
async fn bodies_that_never_end(enemy: Enemy) {
    enemy
        .repeat("bodies", 1100, async |enemy, worker, _| {
            let headers = "content-type: application/json\r\ncontent-length: 1000\r\n";
            let Some(mut stream) = enemy.begin(worker, "POST", "/ls", headers).await else {
                return enemy.note("bodies", "no connection");
            };
            let begun = stream.write_all(b"{\"path\":").await;
            let answer = if begun.is_ok() { status_line(&mut stream).await } else { "closed".to_owned() };
            enemy.note("bodies", &answer);
        })
        .await;
}

impl Enemy {
    /// Runs an attack again and again, with its share of so many workers.
    async fn repeat(&self, attack: &'static str, workers: usize, once: impl AsyncFn(&Self, usize, u64)) {
        let worker = async |number: usize| {
            for turn in 0.. {
                once(self, number, turn).await;
                tokio::time::sleep(PAUSE).await;
            }
        };
        self.answers.lock().unwrap().entry(attack).or_default();
        join_all((0..share(self.hostility, workers)).map(worker)).await;
        // There were no workers, and there is nothing to do.
        std::future::pending::<()>().await;
    }

    fn replica(&self, worker: usize) -> &str {
        &self.replicas[worker / 2 % self.replicas.len()]
    }

    async fn post(&self, attack: &'static str, worker: usize, rest: &str, body: &Value) {
        self.send(attack, worker, Method::POST, rest, body.to_string().into(), PATIENCE).await;
    }

    /// A request in the session of the attacks.
    async fn send(
        &self,
        attack: &'static str,
        worker: usize,
        method: Method,
        rest: &str,
        body: Bytes,
        patience: Duration,
    ) {
        let url = format!("{}/v1/users/{ENEMY}/sessions/main{rest}", self.replica(worker));
        self.request(attack, method, &url, body, patience).await;
    }

    async fn request(&self, attack: &'static str, method: Method, url: &str, body: Bytes, patience: Duration) {
        let request = self.client.request(method, url).bearer_auth(&self.key).timeout(patience);
        let answer = match request.header("content-type", "application/json").body(body).send().await {
            Err(_) => "no answer".to_owned(),
            Ok(response) => {
                let status = response.status().as_u16();
                let problem: Value = response.json().await.unwrap_or_default();
                problem["code"].as_str().map_or_else(|| status.to_string(), |code| format!("{status} {code}"))
            }
        };
        self.note(attack, &answer);
    }

    /// A connection on which the head of a request was sent.
    async fn begin(&self, worker: usize, method: &str, rest: &str, headers: &str) -> Option<TcpStream> {
        let address = self.replica(worker).strip_prefix("http://").unwrap();
        let mut stream = TcpStream::connect(address).await.ok()?;
        let path = format!("/v1/users/{ENEMY}/sessions/main{rest}");
        let key = &self.key;
        let head =
            format!("{method} {path} HTTP/1.1\r\nhost: {address}\r\nauthorization: Bearer {key}\r\n{headers}\r\n");
        stream.write_all(head.as_bytes()).await.ok()?;
        Some(stream)
    }

    fn note(&self, attack: &'static str, answer: &str) {
        *self.answers.lock().unwrap().entry(attack).or_default().entry(answer.to_owned()).or_default() += 1;
    }
}

/// The status that a connection answers with, or that it was closed.
async fn status_line(stream: &mut TcpStream) -> String {
    let mut beginning = [0; 12];
    match stream.read_exact(&mut beginning).await {
        Ok(_) => String::from_utf8_lossy(&beginning[9..]).into_owned(),
        Err(_) => "closed".to_owned(),
    }
}

//! The real server, killed at random moments while clients write, and started again on the same folder.
//!
//! Killing a process, unlike cutting the power, loses nothing the system was already given: this shows that what is
//! acknowledged was given to it, and that what is cut off halfway is never seen. Where the kills strike depends on the
//! machine; what the clients do depends on the seed alone, which a failure shows and `SKILLMOUNT_SEED` sets.

mod agent;
mod content;
mod going_back;
mod publishing;

use std::{
    fs,
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::Duration,
};

use rand::{RngExt, SeedableRng, rngs::StdRng};
use skillmount::client::RemoteBackend;

use crate::{
    cli::{on_store, server::Server},
    support::{
        directory_in_memory,
        world::{BackendExt, files_below, id, seed, soak},
    },
};
use agent::Agent;

const KILLS: u32 = 50;
const AGENTS: u64 = 6;
/// The most acknowledgements between a start and a kill.
const WORK: u64 = 120;
const SKILLS: [&str; 3] = ["venta", "hipoteca", "arriendo"];
/// What stands at the end of the log that all agents append to.
const END: &str = "<end>";
const LOG: &str = "/workspace/log.md";

/// One life of the server, as its clients see it.
struct Life {
    log: RemoteBackend,
    acknowledged: AtomicU64,
    killed: AtomicBool,
}

/// What happened in all lives.
#[derive(Debug, Default)]
struct Figures {
    acknowledged: u64,
    in_doubt: u64,
    landed: u64,
}

// S-WRITE-3: An acknowledged write is in the store and is never lost, by concurrency, crash or retry.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_killed_at_random_moments_keeps_every_acknowledged_write() {
    let seed = seed();
    let kills = KILLS * (soak() / 5).max(1);
    println!("seed {seed}");
    let mut random = StdRng::seed_from_u64(seed);
    let (folder, _store) = directory_in_memory();
    for skill in SKILLS {
        let path = folder.path().join("demo/skills").join(skill);
        fs::create_dir_all(&path).unwrap();
        fs::write(path.join("SKILL.md"), skill_text(skill)).unwrap();
    }
    let mut agents: Vec<_> = (0..AGENTS).map(|number| Agent::new(number, random.random())).collect();
    let mut figures = Figures::default();
    for _ in 0..kills {
        let (server, life) = begin(folder.path());
        check(folder.path(), &server.url, &life, &mut agents, &mut figures).await;
        agents = work_until_killed(server, life, agents, &mut random, &mut figures).await;
    }
    let (server, life) = begin(folder.path());
    check(folder.path(), &server.url, &life, &mut agents, &mut figures).await;
    println!("{kills} kills: {figures:?}");
    assert!(figures.in_doubt > 0, "no kill met a write under way");
}

fn skill_text(skill: &str) -> String {
    format!("---\nname: {skill}\ndescription: Prepares {skill}.\n---\n# {skill}\n")
}

/// Starts the server on `folder`; what writers left half done is cleared away before it says so.
fn begin(folder: &Path) -> (Server, Arc<Life>) {
    let mut command = on_store(folder);
    command.args(["serve", "--listen", "127.0.0.1:0", "--json"]).env("SKILLMOUNT_LOG", "error");
    let server = Server::spawn(&mut command);
    let log = RemoteBackend::new(&server.url, id("demo"), id("log"), None).unwrap();
    let left: Vec<_> = fs::read_dir(folder.join(".skillmount-store/tmp")).unwrap().map(|file| file.unwrap()).collect();
    assert!(left.is_empty(), "temporary files stay behind: {left:?}");
    (server, Arc::new(Life { log, acknowledged: AtomicU64::new(0), killed: AtomicBool::new(false) }))
}

/// Compares all that can be read with what the agents know, and begins a new log.
async fn check(folder: &Path, url: &str, life: &Life, agents: &mut [Agent], figures: &mut Figures) {
    let mut expected = vec![content::key("log", LOG)];
    for agent in &mut *agents {
        agent.meet(url);
        expected.extend(agent.check(figures).await);
    }
    check_log(life, agents, figures).await;
    life.log.overwrite(LOG, END).await.unwrap();
    expected.sort();
    let files = files_below(&folder.join("demo/threads"));
    let found: Vec<_> = files.into_iter().map(|(name, _)| format!("demo/threads/{name}")).collect();
    assert_eq!(found, expected, "files nobody wrote, or none where one was written");
}

/// Every acknowledged line is in the log once, every line in doubt once at most, and nothing else.
async fn check_log(life: &Life, agents: &mut [Agent], figures: &mut Figures) {
    let text = match content::fetch(&life.log, LOG).await {
        Some(text) => text,
        // Before the first life.
        None => END.to_owned(),
    };
    let mut found: Vec<_> = text.strip_suffix(END).expect("the log is cut off").lines().collect();
    found.sort_unstable();
    for agent in agents {
        for (line, acknowledged) in agent.lines.drain(..) {
            let is_there = found.binary_search(&line.as_str()).map(|at| found.remove(at)).is_ok();
            assert!(is_there || !acknowledged, "an acknowledged line is lost: {line:?}");
            figures.in_doubt += u64::from(!acknowledged);
            figures.landed += u64::from(!acknowledged && is_there);
        }
    }
    assert!(found.is_empty(), "lines that nobody wrote, or twice, or in part: {found:?}");
}

/// Lets the agents work until a random moment, kills the server there, and gives the agents back.
async fn work_until_killed(
    mut server: Server,
    life: Arc<Life>,
    agents: Vec<Agent>,
    random: &mut StdRng,
    figures: &mut Figures,
) -> Vec<Agent> {
    let enough = random.random_range(0..WORK);
    let pause = Duration::from_micros(random.random_range(0..5_000));
    let tasks: Vec<_> = agents.into_iter().map(|agent| tokio::spawn(agent.work(life.clone()))).collect();
    // A task that ended has failed, and is asked why below.
    while life.acknowledged.load(Ordering::SeqCst) < enough && !tasks.iter().any(tokio::task::JoinHandle::is_finished) {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    tokio::time::sleep(pause).await;
    life.killed.store(true, Ordering::SeqCst);
    server.kill();
    let mut agents = Vec::new();
    for task in tasks {
        agents.push(task.await.unwrap());
    }
    figures.acknowledged += life.acknowledged.load(Ordering::SeqCst);
    agents
}

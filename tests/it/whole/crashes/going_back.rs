//! Two real servers of one folder, killed while a skill is rolled back and deleted and another tool writes into its folder.

use std::{
    collections::BTreeSet,
    fs,
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use rand::{RngExt, SeedableRng, rngs::StdRng};
use serde_json::{Value, json};
use skillmount::{
    Code,
    client::RemoteBackend,
    handle::{Service, ServiceOptions},
};

use super::publishing::{FOLDER, Pair, archived, loaded, start, version, write_between};
use crate::support::{
    SetClock, clock, directory, directory_in_memory,
    world::{BackendExt, files_below, id, seed, soak},
};

const KILLS: u32 = 15;
/// How long another process may take to bring the plain files up to the head: a bound for the test to end.
const PATIENCE: u32 = 1000;

/// What a change makes of the skill: the version with this tag, or nothing.
type State = Option<&'static str>;

/// One who goes back to versions and deletes the skill, over and over.
struct Operator {
    random: StdRng,
    /// Tag and digest of each version.
    versions: [(&'static str, String); 2],
    /// What was acknowledged last in this life of the server, and what was not answered after it.
    told: Option<State>,
    in_doubt: Vec<State>,
}

impl Operator {
    /// Changes the skill until the server is gone.
    async fn work(mut self, url: String, done: Arc<AtomicU64>) -> Self {
        let client = reqwest::Client::new();
        let user = format!("{url}/v1/users/demo");
        (self.told, self.in_doubt) = (None, Vec::new());
        loop {
            let choice = self.random.random_range(0..3);
            let wanted = self.versions.get(choice);
            let request = match wanted {
                Some((_, digest)) => client.post(format!("{user}/rollback/a/demo")).json(&json!({"digest": digest})),
                None => client.delete(format!("{user}/skills/a/demo")),
            };
            let state = wanted.map(|(tag, _)| *tag);
            self.in_doubt.push(state);
            let Ok(reply) = request.send().await else { return self };
            let status = reply.status();
            let Ok(reply) = reply.bytes().await else { return self };
            let reply: Value = serde_json::from_slice(&reply).unwrap_or_default();
            let is_deleted_twice = wanted.is_none() && reply["code"] == "skill_not_found";
            assert!(status.is_success() || is_deleted_twice || status == 409 || status == 503, "{status} {reply}");
            if status.is_success() {
                (self.told, self.in_doubt) = (Some(state), Vec::new());
            } else if reply["outcome"] == "not_applied" || is_deleted_twice {
                self.in_doubt.pop();
            }
            done.fetch_add(1, Ordering::SeqCst);
        }
    }
}

// S-PUBLISH-3: Readers through the service see the version before a publish or the version after it, whatever fails
// meanwhile, and any server completes it.
// S-PUBLISH-5: A publish never loses a file that another tool wrote: the file stays where it is, or the service keeps
// it as a version.
// S-PUBLISH-8: Deleting a skill keeps its versions, and a rollback to a version brings the skill back.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_killed_while_it_rolls_back_and_deletes_mixes_no_versions_and_loses_no_file_of_others() {
    let mut random = StdRng::seed_from_u64(seed());
    let (folder, _store) = directory_in_memory();
    let versions = begin(folder.path()).await;
    let mut operators = [0, 1].map(|_| Operator {
        random: StdRng::seed_from_u64(random.random()),
        versions: versions.clone(),
        told: None,
        in_doubt: Vec::new(),
    });
    let (mut foreign, mut changes, mut state) = (Vec::new(), 0, Some("two"));
    let mut seen = BTreeSet::new();
    for life in 0..KILLS * (soak() / 5).max(1) {
        let mut servers = Pair::start(folder.path());
        let done = Arc::new(AtomicU64::new(0));
        let (mut urls, counted) = (servers.urls().into_iter(), &done);
        let tasks = operators.map(|operator| tokio::spawn(operator.work(urls.next().unwrap(), counted.clone())));
        let enough = random.random_range(0..6);
        let other = write_between(folder.path(), life, &mut random, &done, enough).await;
        tokio::time::sleep(Duration::from_micros(random.random_range(0..30_000))).await;
        servers.kill(&mut random).await;
        let [one, two] = tasks;
        operators = [one.await.unwrap(), two.await.unwrap()];
        changes += done.load(Ordering::SeqCst);
        foreign.extend(other);
        state = Box::pin(check(folder.path(), life, &operators, state, &foreign)).await;
        seen.insert(state);
    }
    println!("{changes} changes, {} files written between, states after a kill: {seen:?}", foreign.len());
    assert!(changes > 0 && seen.len() > 1, "{changes} {seen:?}");
}

/// Publishes two versions, and returns their tags and digests.
async fn begin(folder: &Path) -> [(&'static str, String); 2] {
    let server = start(folder);
    let client = reqwest::Client::new();
    let mut digests = Vec::new();
    for tag in ["one", "two"] {
        let put = client.put(format!("{}/v1/users/demo/skills/a/demo", server.url)).json(&version(tag));
        let reply: Value = put.send().await.unwrap().json().await.unwrap();
        digests.push((tag, reply["digest"].as_str().unwrap().to_owned()));
    }
    digests.try_into().unwrap()
}

/// What must hold after each kill, through a new server. Returns what the skill is now.
async fn check(folder: &Path, life: u32, operators: &[Operator; 2], before: State, foreign: &[String]) -> State {
    settle_pending(folder).await;
    let server = start(folder);
    let newest = RemoteBackend::new(&server.url, id("demo"), id(&format!("s-{life}")), None).unwrap();
    let state = match newest.load("a/demo").await {
        Ok(_) => Some(one_version(&loaded(&newest).await)),
        Err(error) => {
            assert_eq!(error.code(), Code::SkillNotFound, "{error:?}");
            None
        }
    };
    let told: Vec<State> = operators.iter().filter_map(|operator| operator.told).collect();
    let in_doubt = operators.iter().flat_map(|operator| operator.in_doubt.clone());
    let may_be: Vec<State> = if told.is_empty() { vec![before] } else { told }.into_iter().chain(in_doubt).collect();
    assert!(may_be.contains(&state), "life {life}: {state:?} and not one of {may_be:?}");

    settled(folder).await;
    let kept = archived(folder);
    let left = if folder.join(FOLDER).is_dir() { files_below(&folder.join(FOLDER)) } else { Vec::new() };
    let there: BTreeSet<_> = left.into_iter().map(|(_, bytes)| String::from_utf8(bytes).unwrap()).collect();
    // What the other tool wrote over itself is no concern of ours.
    let is_newest = |text: &&String| !text.ends_with(" c.md") || text.starts_with(&format!("another tool {life} "));
    for text in foreign.iter().filter(is_newest) {
        assert!(kept.contains(text) || there.contains(text), "a file of another tool is lost: {text}");
    }
    let service = Service::new(directory(folder), ServiceOptions::default(), clock());
    let report = service.upkeep().check_user(&id("demo"), false).await.unwrap();
    assert!(report.clean, "life {life}: {report:#?}");
    state
}

/// The tag of the one version that all files are of, but for those of another tool.
fn one_version(files: &[(String, String)]) -> &'static str {
    let tag_of = |(path, text): &(String, String)| match path.as_str() {
        "SKILL.md" => text.split("Body ").nth(1).unwrap().trim().to_owned(),
        _ => text.clone(),
    };
    let tags: BTreeSet<_> = files.iter().map(tag_of).filter(|tag| !tag.starts_with("another tool")).collect();
    match tags.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["one"] => "one",
        ["two"] => "two",
        _ => panic!("a mixture of versions: {files:?}"),
    }
}

fn head(folder: &Path) -> String {
    fs::read_to_string(folder.join("demo/.skillmount/heads/a/demo.json")).unwrap()
}

/// Lets another process find the publish that a killed server left pending.
async fn settle_pending(folder: &Path) {
    // Until it is settled, the skill is as before the publish.
    load_later(folder, |head| !head.contains("\"pending\"")).await;
}

/// Lets another process bring the plain files up to the head.
async fn settled(folder: &Path) {
    load_later(folder, |head| head.contains("\"materialised\":true")).await;
}

/// Loads the skill in a process whose clock is 31 seconds ahead until its head is as it should be.
async fn load_later(folder: &Path, is_done: impl Fn(&str) -> bool) {
    let later = SetClock::at(clock().now().as_second() + 31);
    let service = Service::new(directory(folder), ServiceOptions::default(), later);
    for _ in 0..PATIENCE {
        if is_done(&head(folder)) {
            return;
        }
        let _ = service.session(id("demo"), id("later")).load("a/demo").await;
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("nobody settled the change of a killed server");
}

//! The prompt over processes: two servers at once, one that is started later, and the command line, all on one store.
//!
//! They come by the catalog in different ways. The first reads every SKILL.md, the one that is started later the index
//! that was written meanwhile, and the command line, which trusts no index, the skills again.

use std::{fs, path::Path, time::Duration};

use futures_util::{StreamExt as _, stream};
use reqwest::{Client, header};
use serde_json::json;
use skillmount::wire::Rendering;
use tempfile::TempDir;

use crate::{
    cli::{command_line::CommandLine, on_store, server::Server},
    support::world::{files_below, fixtures, real_skills},
};

const MODES: [&str; 4] = ["two_state", "listing", "combined", "discover"];
const FORMATS: [&str; 4] = ["xml", "yaml", "markdown", "json"];
const SESSIONS: [&str; 2] = ["fresh", "loaded"];
/// Room for every name, and too little for that.
const BUDGETS: [&str; 2] = ["2000", "160"];
/// Every how many prompts the command line is asked too, which opens the store each time: all modes, formats, sessions and
/// budgets are among them.
const ALSO_HERE: usize = 7;

/// One prompt to ask for.
#[derive(Clone, Copy, Debug)]
struct Wanted {
    session: &'static str,
    mode: &'static str,
    format: &'static str,
    max_tokens: &'static str,
}

/// What came back.
#[derive(Debug, PartialEq, Eq)]
struct Told {
    body: String,
    tag: String,
}

// S-PROMPT-1: The prompt depends on the catalog and the session alone, and its bytes stay the same while neither
// changes.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_process_gives_the_same_bytes_before_and_after_a_restart() {
    let folder = TempDir::new().unwrap();
    let skills = put_skills(folder.path());
    let (mut first, second) = (server(folder.path()), server(folder.path()));
    begin(&first.url, &skills[..2]).await;
    let wanted = all_wanted();
    let told = ask_all(&first.url, &wanted).await;
    check_that_they_differ(&wanted, &told);
    compare("a server beside it", &wanted, &told, &ask_all(&second.url, &wanted).await);
    wait_for_index(folder.path()).await;
    first.kill();
    drop(second);
    let third = server(folder.path());
    compare("a server started later", &wanted, &told, &ask_all(&third.url, &wanted).await);
    let checks = wanted.iter().zip(&told).step_by(ALSO_HERE);
    let checks = checks.map(|(wanted, told)| check_command_line(folder.path(), &third.url, *wanted, told));
    stream::iter(checks).buffer_unordered(2).collect::<Vec<()>>().await;
}

fn all_wanted() -> Vec<Wanted> {
    let mut all = Vec::new();
    for session in SESSIONS {
        for max_tokens in BUDGETS {
            for mode in MODES {
                all.extend(FORMATS.map(|format| Wanted { session, mode, format, max_tokens }));
            }
        }
    }
    all
}

/// Gives user `u1` the real skills, or the fixtures where those are missing; returns the paths of all of them.
fn put_skills(store: &Path) -> Vec<String> {
    let files = match real_skills() {
        Some(root) => files_below(&root),
        None => fixtures()
            .into_iter()
            .filter_map(|(key, bytes)| Some((key.split_once("/skills/")?.1.to_owned(), bytes)))
            .collect(),
    };
    let mut skills = Vec::new();
    for (name, bytes) in files {
        let path = store.join("u1/skills").join(&name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
        skills.extend(name.strip_suffix("/SKILL.md").map(str::to_owned));
    }
    skills
}

fn server(store: &Path) -> Server {
    let mut command = on_store(store);
    command.args(["serve", "--listen", "127.0.0.1:0", "--json"]).env("SKILLMOUNT_LOG", "error");
    Server::spawn(&mut command)
}

/// Without it the third server would read what the first one read.
async fn wait_for_index(store: &Path) {
    let index = store.join("u1/.skillmount/catalog.json");
    let written = async {
        while !index.exists() {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(Duration::from_mins(1), written).await.expect("no index was written");
}

/// Begins both sessions, so that what is used in one of them later does not show in the other, and loads `skills` in one.
async fn begin(url: &str, skills: &[String]) {
    for session in SESSIONS {
        let url = format!("{url}/v1/users/u1/sessions/{session}");
        assert_eq!(Client::new().put(url).json(&json!({})).send().await.unwrap().status(), 201);
    }
    for skill in skills {
        let url = format!("{url}/v1/users/u1/sessions/loaded/load_skill");
        let answer = Client::new().post(url).json(&json!({ "skill": skill })).send().await.unwrap();
        assert_eq!(answer.status(), 200, "{skill}");
    }
}

async fn ask_all(url: &str, wanted: &[Wanted]) -> Vec<Told> {
    let client = Client::new();
    let told = wanted.iter().map(|wanted| ask(&client, url, *wanted, "application/json"));
    stream::iter(told).buffered(4).collect().await
}

async fn ask(client: &Client, url: &str, wanted: Wanted, accept: &str) -> Told {
    let Wanted { session, mode, format, max_tokens } = wanted;
    let query = format!("mode={mode}&format={format}&max_tokens={max_tokens}");
    let url = format!("{url}/v1/users/u1/sessions/{session}/prompt?{query}");
    let answer = client.get(url).header(header::ACCEPT, accept).send().await.unwrap();
    assert_eq!(answer.status(), 200, "{wanted:?}");
    let tag = answer.headers()[header::ETAG].to_str().unwrap().to_owned();
    Told { body: answer.text().await.unwrap(), tag }
}

/// That what is compared depends on what is asked for: prompts that are all alike would be equal anywhere.
fn check_that_they_differ(wanted: &[Wanted], told: &[Told]) {
    let rendering = |session: &str, mode: &str, max_tokens: &str| {
        let is_it =
            |one: &Wanted| (one.session, one.mode, one.format, one.max_tokens) == (session, mode, "xml", max_tokens);
        let at = wanted.iter().position(is_it).unwrap();
        serde_json::from_str::<Rendering>(&told[at].body).unwrap()
    };
    let listing = rendering("fresh", "listing", BUDGETS[0]);
    assert_eq!(listing.shown, listing.total);
    assert_ne!(rendering("fresh", "listing", BUDGETS[1]).prompt, listing.prompt);
    assert_eq!(rendering("fresh", "two_state", BUDGETS[0]).shown, listing.shown);
    assert_eq!(rendering("loaded", "two_state", BUDGETS[0]).shown, 0);
    assert!(rendering("loaded", "combined", BUDGETS[0]).prompt.contains("Also loaded: "));
}

fn compare(who: &str, wanted: &[Wanted], told: &[Told], theirs: &[Told]) {
    assert_eq!(told.len(), theirs.len());
    for ((wanted, ours), theirs) in wanted.iter().zip(told).zip(theirs) {
        assert!(ours == theirs, "{who} says otherwise: {wanted:?}\n{ours:?}\n{theirs:?}");
    }
}

/// The command line gives the same document, and that has the tags of both representations.
async fn check_command_line(store: &Path, url: &str, wanted: Wanted, told: &Told) {
    let Wanted { session, mode, format, max_tokens } = wanted;
    let address = format!("file:{}", store.display());
    let flags = ["--store", &address, "--user", "u1", "--session", session, "prompt", "--json"];
    let of_prompt = ["--mode", mode, "--format", format, "--max-tokens", max_tokens];
    let printed = CommandLine::new(store, &[&flags[..], &of_prompt].concat()).run();
    assert!(printed.status.success(), "{wanted:?}: {}", String::from_utf8_lossy(&printed.stderr));
    let here: Rendering = serde_json::from_slice(&printed.stdout).unwrap();
    assert_eq!(here, serde_json::from_str(&told.body).unwrap(), "{wanted:?}");
    assert_eq!(told.tag, format!("W/\"{}-json\"", here.etag()), "{wanted:?}");
    let bare = ask(&Client::new(), url, wanted, "text/plain").await;
    assert_eq!(bare.body, here.prompt, "{wanted:?}");
    assert_eq!(bare.tag, format!("W/\"{}-text\"", here.etag()), "{wanted:?}");
}

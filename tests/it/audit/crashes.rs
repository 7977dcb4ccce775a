//! Records of a process that ends, in order or by `kill -9`.

use std::{
    collections::BTreeMap,
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
};

use reqwest::Client;
use serde_json::json;
use skillmount::{
    audit::{AuditLog, AuditRecord, AuditRequest},
    backend::{Service, ServiceOptions},
};

use super::{digest, user};
use crate::{
    cli::{Home, server::Server},
    support::{clock, directory, world::soak},
};

/// Callers at once, all of one user.
const CALLERS: usize = 64;
/// Operations of each; a soak makes 10,000 in all.
const ROUNDS: usize = 8;
/// Of a soak.
const MOST_ROUNDS: usize = 80;

/// Everything that is in the store of a process: the records of `u1`, and in how many batches.
async fn records(home: &Home) -> (Vec<AuditRecord>, usize) {
    let service = Service::new(directory(&home.path().join("data/skillmount")), ServiceOptions::default(), clock());
    let log = AuditLog::of(&service);
    let (mut all, mut wanted) = (Vec::new(), AuditRequest::default());
    loop {
        let page = log.page(&user(), &wanted).await.unwrap();
        all.extend(page.records);
        wanted.cursor = page.next_cursor;
        if wanted.cursor.is_none() {
            break;
        }
    }
    (all, batches(home, "u1"))
}

/// The batches of a user.
fn batches(home: &Home, user: &str) -> usize {
    let folder = home.path().join(format!("data/skillmount/{user}/.skillmount/audit"));
    std::fs::read_dir(folder).map_or(0, Iterator::count)
}

/// Whose session each caller works in.
type Owner = fn(usize) -> String;

fn one_user(_: usize) -> String {
    "u1".to_owned()
}

fn a_user_each(caller: usize) -> String {
    format!("u{caller}")
}

/// Acknowledged changes: path in its session, and the content after.
type Acknowledged = Mutex<Vec<(String, String, String)>>;

/// One caller: writes, edits and reads until it is done or its server is gone.
async fn call(
    url: String,
    user: String,
    caller: usize,
    rounds: std::ops::Range<usize>,
    done: Arc<AtomicUsize>,
    said: Arc<Acknowledged>,
) {
    let client = Client::new();
    let session = format!("s{caller}");
    let base = format!("{url}/v1/users/{user}/sessions/{session}");
    for round in rounds {
        let path = format!("/workspace/{}", round / 4);
        let content = format!("{caller} {round}");
        let (operation, body) = match round % 4 {
            0 => ("write", json!({"file_path": path, "content": content, "overwrite": true})),
            1 => (
                "edit",
                json!({"file_path": path, "old_string": format!("{caller} {}", round - 1), "new_string": content}),
            ),
            2 => ("read", json!({"file_path": path})),
            _ => ("ls", json!({"path": "/workspace"})),
        };
        let Ok(answer) = client.post(format!("{base}/{operation}")).json(&body).send().await else { return };
        if !answer.status().is_success() {
            let said = answer.text().await.unwrap_or_default();
            // The file of an edit may be of before the kill; anything else is a fault.
            assert!(operation == "edit", "{said}");
            continue;
        }
        done.fetch_add(1, Ordering::Relaxed);
        if matches!(operation, "write" | "edit") {
            said.lock().unwrap().push((session.clone(), path, content));
        }
    }
}

/// Lets all callers work, and kills the server with `kill -9` once `kill_at` operations are acknowledged.
async fn work(
    home: &Home,
    owner: Owner,
    rounds: std::ops::Range<usize>,
    kill_at: Option<usize>,
    said: &Arc<Acknowledged>,
) -> usize {
    let mut server = Server::start(home, &["--audit", "strict", "--drain", "0"]);
    let done = Arc::new(AtomicUsize::new(0));
    let callers = (0..CALLERS).map(|caller| {
        tokio::spawn(call(
            server.url.clone(),
            owner(caller),
            caller,
            rounds.clone(),
            Arc::clone(&done),
            Arc::clone(said),
        ))
    });
    let callers: Vec<_> = callers.collect();
    if let Some(kill_at) = kill_at {
        while done.load(Ordering::Relaxed) < kill_at {
            tokio::time::sleep(std::time::Duration::from_millis(2)).await;
        }
        server.kill();
    }
    for caller in callers {
        caller.await.unwrap();
    }
    done.load(Ordering::Relaxed)
}

// S-AUDIT-3: In strict mode a change is acknowledged once its record is in the store.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_acknowledged_change_has_its_record_whatever_is_killed() {
    let rounds = (ROUNDS * usize::try_from(soak()).unwrap()).min(MOST_ROUNDS);
    let home = Home::new();
    let said: Arc<Acknowledged> = Arc::default();
    let mut done = work(&home, one_user, 0..rounds, Some(CALLERS * rounds / 2), &said).await;
    done += work(&home, one_user, rounds..2 * rounds, None, &said).await;
    let (records, batches) = records(&home).await;
    let mut known: BTreeMap<(String, String, String), usize> = BTreeMap::new();
    for record in records.iter().filter(|record| record.outcome == "ok") {
        for file in &record.files {
            let after = file.after.clone().unwrap_or_default();
            *known.entry((record.session.clone().unwrap(), file.path.clone(), after)).or_default() += 1;
        }
    }
    let said = said.lock().unwrap();
    for (session, path, content) in &*said {
        let key = (session.clone(), path.clone(), digest(content));
        assert_eq!(known.get(&key), Some(&1), "{session} {path} {content}");
    }
    #[expect(clippy::cast_precision_loss, reason = "a figure for people")]
    let extra = batches as f64 / done as f64;
    println!(
        "{done} operations of {CALLERS} callers, {} changes, {batches} batches: {extra:.3} extra requests each",
        said.len()
    );
    // How many share a batch depends on how fast the machine is; a short run on a busy one says little.
    let most = if rounds == MOST_ROUNDS { 0.1 } else { 0.5 };
    assert!(said.len() >= CALLERS * rounds / 4 && extra <= most, "{extra}");
}

// S-AUDIT-3: In strict mode a change is acknowledged once its record is in the store.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn callers_of_different_users_pay_at_most_one_request_for_each_change() {
    let rounds = (ROUNDS * usize::try_from(soak()).unwrap()).min(MOST_ROUNDS);
    let home = Home::new();
    let said: Arc<Acknowledged> = Arc::default();
    let done = work(&home, a_user_each, 0..rounds, None, &said).await;
    let batches: usize = (0..CALLERS).map(|caller| batches(&home, &a_user_each(caller))).sum();
    let changes = said.lock().unwrap().len();
    #[expect(clippy::cast_precision_loss, reason = "a figure for people")]
    let extra = batches as f64 / done as f64;
    println!(
        "{done} operations of {CALLERS} users, {changes} changes, {batches} batches: {extra:.3} extra requests each"
    );
    assert!(changes == CALLERS * rounds / 2 && batches <= changes + CALLERS, "{changes} changes, {batches} batches");
}

// S-AUDIT-2: In relaxed mode records are written each minute, each 256 of them, and when the process ends.
#[cfg(unix)]
#[tokio::test]
async fn a_process_that_is_told_to_stop_leaves_no_record_out_and_a_killed_one_the_last_batch_at_most() {
    let home = Home::new();
    let mut acknowledged = 0;
    for (way, all) in [("TERM", true), ("KILL", false)] {
        let mut server = Server::start(&home, &["--drain", "0"]);
        let client = Client::new();
        for number in 0..300 {
            let write = json!({"file_path": format!("/workspace/{way}-{number}"), "content": "x"});
            let url = format!("{}/v1/users/u1/sessions/s1/write", server.url);
            assert!(client.post(url).json(&write).send().await.unwrap().status().is_success());
            acknowledged += 1;
        }
        if all {
            server.signal(way);
            assert_eq!(server.end().0, Some(0));
            assert_eq!(records(&home).await.0.len(), acknowledged);
        } else {
            // A full batch is written behind the calls.
            tokio::time::sleep(std::time::Duration::from_millis(500)).await;
            server.kill();
            assert_eq!(records(&home).await.0.len(), acknowledged - 300 + 256);
        }
    }
}

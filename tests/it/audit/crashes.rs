//! Records of a process that ends, in order or by `kill -9`.

use reqwest::Client;
use serde_json::json;

use super::records_in;
use crate::{
    cli::{Home, server::Server},
    support::world::soak,
};

/// Callers at once, each of a user of its own.
const CALLERS: usize = 64;
/// Operations of each.
const ROUNDS: usize = 8;
/// Of a soak, which makes 5,120 in all.
const MOST_ROUNDS: usize = 80;

/// The batches of a user.
fn batches(home: &Home, user: &str) -> usize {
    let folder = home.path().join(format!("data/skillmount/{user}/.skillmount/audit"));
    std::fs::read_dir(folder).map_or(0, Iterator::count)
}

/// One caller: writes, edits, reads and lists. Returns how many changes it made.
async fn call(url: String, caller: usize, rounds: usize) -> usize {
    let client = Client::new();
    let base = format!("{url}/v1/users/u{caller}/sessions/s{caller}");
    let mut changes = 0;
    for round in 0..rounds {
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
        let answer = client.post(format!("{base}/{operation}")).json(&body).send().await.unwrap();
        assert!(answer.status().is_success(), "{}", answer.text().await.unwrap());
        changes += usize::from(matches!(operation, "write" | "edit"));
    }
    changes
}

// S-AUDIT-3: In mode `sync` the service acknowledges a change after its record is in the store.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn callers_of_different_users_pay_at_most_one_request_for_each_change() {
    let rounds = (ROUNDS * usize::try_from(soak()).unwrap()).min(MOST_ROUNDS);
    let home = Home::new();
    let server = Server::start(&home, &["--audit", "sync", "--drain", "0"]);
    let callers: Vec<_> = (0..CALLERS).map(|caller| tokio::spawn(call(server.url.clone(), caller, rounds))).collect();
    let mut changes = 0;
    for caller in callers {
        changes += caller.await.unwrap();
    }
    let done = CALLERS * rounds;
    let batches: usize = (0..CALLERS).map(|caller| batches(&home, &format!("u{caller}"))).sum();
    #[expect(clippy::cast_precision_loss, reason = "a figure for people")]
    let extra = batches as f64 / done as f64;
    println!(
        "{done} operations of {CALLERS} users, {changes} changes, {batches} batches: {extra:.3} extra requests each"
    );
    assert!(changes == CALLERS * rounds / 2 && batches <= changes + CALLERS, "{changes} changes, {batches} batches");
}

// S-AUDIT-2: In mode `async` the service writes records each minute, after each 256 records, and at the end of the
// process.
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
            assert_eq!(records_in(&home.path().join("data/skillmount")).await.len(), acknowledged);
        } else {
            // A full batch is written behind the calls.
            tokio::time::sleep(std::time::Duration::from_millis(500)).await;
            server.kill();
            assert_eq!(records_in(&home.path().join("data/skillmount")).await.len(), acknowledged - 300 + 256);
        }
    }
}

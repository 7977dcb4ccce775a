//! Strict records of many callers of one user who do everything that changes anything, with `kill -9` among it.

mod account;
mod caller;

use std::{
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use super::records_in;
use crate::{
    cli::{on_store, server::Server},
    support::{directory_in_memory, world::soak},
};
use account::{Said, check, check_log};
use caller::Caller;

/// Callers at once, all of one user.
const CALLERS: usize = 64;
/// Rounds of each caller in one life of the server, and the kills.
const ROUNDS: usize = 5;
const KILLS: usize = 3;
/// The operations that all of it makes, at least.
const OPERATIONS: usize = 10_000;
/// The file that all callers edit.
const LOG: &str = "/ticket/log.md";
const END: &str = "<end>";

fn start(folder: &Path) -> Server {
    let mut command = on_store(folder);
    command.args(["serve", "--listen", "127.0.0.1:0", "--json", "--audit", "sync", "--drain", "0"]);
    Server::spawn(command.env("SKILLMOUNT_LOG", "off"))
}

/// One life of the server: all callers work, and it is killed with `kill -9` once `kill_at` operations are acknowledged.
/// Returns what was acknowledged, and how many operations.
async fn live(folder: &Path, life: usize, rounds: usize, kill_at: Option<usize>) -> (Vec<Said>, usize) {
    let mut server = start(folder);
    let done = Arc::new(AtomicUsize::new(0));
    let first = Caller::new(&server.url, CALLERS, life, Arc::clone(&done));
    let mut said = first.begin_log(life == 0).await.unwrap();
    let callers: Vec<_> = (0..CALLERS)
        .map(|number| tokio::spawn(Caller::new(&server.url, number, life, Arc::clone(&done)).work(rounds)))
        .collect();
    if let Some(kill_at) = kill_at {
        while done.load(Ordering::Relaxed) < kill_at && !callers.iter().all(tokio::task::JoinHandle::is_finished) {
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
        server.kill();
    }
    for caller in callers {
        said.extend(caller.await.unwrap());
    }
    (said, done.load(Ordering::Relaxed))
}

// S-AUDIT-3: In mode `sync` the service acknowledges a change after its record is in the store.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_acknowledged_change_of_any_kind_has_its_record_with_right_digests_whatever_is_killed() {
    let (folder, _store) = directory_in_memory();
    let (mut said, mut done) = (Vec::new(), 0);
    for life in 0..=KILLS {
        let kill_at = (life < KILLS).then_some(CALLERS * ROUNDS * caller::STEPS / 2);
        let (more, operations) = live(folder.path(), life, ROUNDS, kill_at).await;
        said.extend(more);
        done += operations;
    }
    let records = records_in(folder.path()).await;
    let batches = std::fs::read_dir(folder.path().join("u1/.skillmount/audit")).unwrap().count();
    let counts = check(&records, &said);
    let server = start(folder.path());
    let log = Caller::new(&server.url, CALLERS, KILLS, Arc::default()).read(LOG).await.unwrap();
    check_log(&records, &said, &log, KILLS);
    #[expect(clippy::cast_precision_loss, reason = "a figure for people")]
    let extra = batches as f64 / done as f64;
    println!(
        "{done} operations of {CALLERS} callers, {KILLS} kills, {} changes {counts:?}, {batches} batches: {extra:.3} extra \
         requests each",
        said.len()
    );
    for operation in caller::CHANGES {
        assert!(counts.get(operation).is_some_and(|count| *count > 0), "no {operation} was acknowledged: {counts:?}");
    }
    // A batch gathers for 25 ms, so how many share one depends on how fast the machine is, and on what else it does. A soak has it
    // for itself; `grouped` counts batches on a clock on which that does not matter.
    let most = if soak() > 1 { 0.1 } else { 0.5 };
    assert!(extra <= most && done >= OPERATIONS, "{done} operations, {extra}");
}

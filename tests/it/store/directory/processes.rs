//! Several handles and several processes on one folder, and a process that dies in the middle.
//!
//! The second process is this test binary again, told by a variable to play the worker's part of the same test.

use std::{
    env,
    io::{BufRead, BufReader},
    path::PathBuf,
    process::{Child, Command, Stdio},
};

use super::*;

/// Names the folder to work in; set only in a child.
const FOLDER: &str = "SKILLMOUNT_TEST_FOLDER";
const INCREMENTS: u32 = 20;

fn part_of_a_child() -> Option<PathBuf> {
    env::var_os(FOLDER).map(PathBuf::from)
}

/// Runs `test` of this file again as another process.
fn spawn(test: &str, folder: &Path) -> Child {
    let (_binary, module) = module_path!().split_once("::").unwrap();
    let test = format!("{module}::{test}");
    let mut command = Command::new(env::current_exe().unwrap());
    command.args(["--exact", &test, "--nocapture"]).env(FOLDER, folder).stdout(Stdio::piped()).spawn().unwrap()
}

async fn increment_often(store: &dyn Store) {
    for _ in 0..INCREMENTS {
        loop {
            let object = get(store, "counter").await.unwrap();
            let count: u32 = std::str::from_utf8(&object.bytes).unwrap().parse().unwrap();
            assert_eq!(object.meta.metadata["text"], count.to_string(), "bytes and metadata of one version");
            let condition = PutCondition::IfMatch(object.meta.etag);
            match put_if(store, "counter", &(count + 1).to_string(), condition).await {
                Ok(_) => break,
                Err(StoreError::PreconditionFailed) => {}
                Err(error) => panic!("{error:?}"),
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn increments_by_two_processes_and_two_handles_are_exact() {
    if let Some(folder) = part_of_a_child() {
        return increment_often(&*directory(&folder)).await;
    }
    let (folder, one) = temporary_directory();
    let other = directory(folder.path());
    put(&*one, "counter", "0").await;
    let child = spawn("increments_by_two_processes_and_two_handles_are_exact", folder.path());
    tokio::join!(increment_often(&*one), increment_often(&*other));
    let finished = tokio::task::spawn_blocking(|| child.wait_with_output()).await.unwrap().unwrap();
    assert!(finished.status.success(), "{}", String::from_utf8_lossy(&finished.stdout));
    assert_eq!(get(&*one, "counter").await.unwrap().bytes, (3 * INCREMENTS).to_string());
}

// S-WRITE-3: An acknowledged write is in the store and is never lost, by concurrency, crash or retry.
#[tokio::test(flavor = "multi_thread")]
async fn a_writer_that_is_killed_leaves_old_or_new_and_loses_nothing_acknowledged() {
    if let Some(folder) = part_of_a_child() {
        let store = directory(&folder);
        for number in 0.. {
            put(&*store, "deep/a", &format!("{number} {}", "x".repeat(100_000))).await;
            println!("acknowledged {number}");
        }
    }
    for acknowledged_before_the_end in [1, 4, 9] {
        let (folder, _) = temporary_directory();
        let itself = "a_writer_that_is_killed_leaves_old_or_new_and_loses_nothing_acknowledged";
        let mut child = spawn(itself, folder.path());
        let lines = BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok);
        let mut numbers =
            lines.filter_map(|line| line.strip_prefix("acknowledged ").map(|n| n.parse::<u32>().unwrap()));
        let mut last = numbers.by_ref().take(acknowledged_before_the_end).last().unwrap();
        child.kill().unwrap();
        child.wait().unwrap();
        last = numbers.last().unwrap_or(last);
        let object = get(&*directory(folder.path()), "deep/a").await.unwrap();
        let text = String::from_utf8(object.bytes.to_vec()).unwrap();
        let (number, rest) = text.split_once(' ').unwrap();
        assert!(number.parse::<u32>().unwrap() >= last, "{number} where {last} was acknowledged");
        assert_eq!(rest.len(), 100_000);
        assert_eq!(object.meta.metadata["text"], text, "the metadata is that version's");
        assert_eq!(own_files(folder.path(), "tmp"), Vec::<String>::new());
    }
}

//! Memory that 200 lines from the middle of a very large text take.

use std::{
    fs::{self, File},
    io::{BufWriter, Write},
    sync::Arc,
};

use skillmount::{
    clock::{Clock, SystemClock},
    store::DirectoryStore,
    wire::{BackendProtocol, ReadRequest},
};
use tempfile::TempDir;

use crate::{id, service, verdict};

const LINE: &str = "0123456 a line of a log, as a service that writes a lot of them writes it, and nothing else\n";
const BYTES: usize = 1 << 30;
const WINDOW: u64 = 200;
const GOAL_MB: f64 = 32.0;

pub(crate) async fn large_object() {
    println!("200 lines from the middle of a text of 1 GB, in a directory");
    let folder = TempDir::new().unwrap();
    let lines = write_lines(&folder);
    let clock: Arc<dyn Clock> = Arc::new(SystemClock::new());
    let store = Arc::new(DirectoryStore::open(folder.path(), clock.clone()).unwrap());
    let (service, ledger) = service(store, clock);
    let agent = service.session(id("demo"), id("s"));
    agent.session().await.unwrap();
    let before = status("VmRSS");
    for (time, offset) in [("the first time", lines / 2), ("once more, elsewhere", lines / 2 - 100_000)] {
        let counted = ledger.counts();
        let request = ReadRequest { file_path: "/workspace/large.log".into(), offset, limit: WINDOW };
        let read = agent.read(request).await.unwrap();
        assert_eq!((read.content.lines().count() as u64, read.start_line), (WINDOW, Some(offset + 1)));
        let spent = (ledger.counts() - counted).objects;
        println!("  {time}: {} GET, {:.2} MB moved", spent.requests.get, spent.bytes_read as f64 / 1e6);
    }
    match (before, status("VmHWM")) {
        (Some(before), Some(peak)) => {
            let grown = (peak - before) / 1e6;
            println!(
                "  memory grew by {grown:.1} MB at its peak (goal: at most {GOAL_MB}): {}",
                verdict(grown <= GOAL_MB)
            );
        }
        _ => println!("  memory is NOT MEASURED: this system has no /proc/self/status"),
    }
}

/// Writes the file past the store, which takes no object of that size; returns its lines.
fn write_lines(folder: &TempDir) -> u64 {
    let path = folder.path().join("demo/threads/s");
    fs::create_dir_all(&path).unwrap();
    let mut file = BufWriter::new(File::create(path.join("large.log")).unwrap());
    let lines = BYTES / LINE.len();
    for _ in 0..lines {
        file.write_all(LINE.as_bytes()).unwrap();
    }
    file.flush().unwrap();
    lines as u64
}

/// A line of `/proc/self/status`, in bytes.
fn status(name: &str) -> Option<f64> {
    let text = fs::read_to_string("/proc/self/status").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))?;
    let kilobytes: f64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kilobytes * 1024.0)
}

//! What idle streams of events cost a server in memory.

use std::{
    fs,
    io::{Read as _, Write as _},
    net::TcpStream,
    time::Duration,
};

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use super::{Home, server::Server};

/// The most streams of one test; `SKILLMOUNT_STREAMS` is another number.
const STREAMS: u64 = 4_000;
/// The streams of a user.
const STREAMS_OF_A_USER: u64 = 4;
/// Resident memory for a stream and its connection, in KiB. Debug builds take about a quarter more than others.
const KIB_EACH: u64 = 48;

/// Resident memory of the process, in KiB.
fn resident(process: u32) -> u64 {
    let status = fs::read_to_string(format!("/proc/{process}/status")).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
    line.trim().trim_end_matches(" kB").parse().unwrap()
}

/// Whether this process may open so many files. It raises its own limit.
fn can_open(files: u64) -> bool {
    let limit = getrlimit(Resource::Nofile);
    let most = limit.maximum.unwrap_or(u64::MAX).min(files.max(limit.current.unwrap_or(u64::MAX)));
    setrlimit(Resource::Nofile, Rlimit { current: Some(most), ..limit }).unwrap();
    most >= files
}

/// A connection to `address` with a request for `path`.
fn ask(address: &str, path: &str, headers: &str) -> TcpStream {
    let mut stream = TcpStream::connect(address).unwrap();
    let request = format!("GET {path} HTTP/1.1\r\nHost: localhost\r\n{headers}\r\n");
    stream.write_all(request.as_bytes()).unwrap();
    stream
}

fn metric(address: &str, name: &str) -> u64 {
    let mut text = String::new();
    ask(address, "/metrics", "Connection: close\r\n").read_to_string(&mut text).unwrap();
    let line = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' ')).unwrap();
    line.parse().unwrap()
}

// S-FAIR-8: A stream of events holds a place among the streams, and memory only while it replays.
#[tokio::test]
async fn thousands_of_idle_streams_take_little_memory() {
    let streams = std::env::var("SKILLMOUNT_STREAMS").map_or(STREAMS, |streams| streams.parse().unwrap());
    assert!(can_open(streams + 1_000), "the limit of file descriptors (`ulimit -Hn`) is below {}", streams + 1_000);
    let home = Home::new();
    // Half of the connections are for streams, less those that the server reserves.
    let connections = (2 * streams + streams / 2 + 2_000).to_string();
    let server = Server::start(&home, &["--connections", &connections]);
    let address = server.url.strip_prefix("http://").unwrap();
    let before = resident(server.id());
    let events = |n: u64| format!("/v1/users/u{}/events", n / STREAMS_OF_A_USER);
    let held: Vec<_> = (0..streams).map(|n| ask(address, &events(n), "Accept: text/event-stream\r\n")).collect();
    for _ in 0..600 {
        if metric(address, "skillmount_streams") == streams {
            break;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    assert_eq!(metric(address, "skillmount_streams"), streams);
    assert_eq!(metric(address, "skillmount_memory_reserved_bytes"), 0);
    let more = resident(server.id()).saturating_sub(before);
    println!("{streams} idle streams take {} MiB more than the idle process", more / 1024);
    assert!(more <= streams * KIB_EACH, "{more} KiB for {streams} streams");
    drop(held);
}

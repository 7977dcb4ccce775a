//! What a search with many long hits takes in memory.

use std::fs;

use serde_json::json;

use super::{Home, server::Server};

/// The most that the process may grow, in KiB. The call reserves 20 MiB, and the allocator of a debug build keeps freed pages.
const MOST_KIB: u64 = 96 << 10;

/// The most resident memory that the process had, in KiB.
fn peak(process: u32) -> u64 {
    let status = fs::read_to_string(format!("/proc/{process}/status")).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.trim().trim_end_matches(" kB").parse().unwrap()
}

// S-GREP-5: The hits of a reply have up to 4 MiB, with their paths and 32 bytes for each line. All searched files together hold
// little more than these hits in memory.
#[tokio::test]
async fn a_search_with_long_context_takes_little_more_than_its_reply() {
    let home = Home::new();
    let server = Server::start(&home, &[]);
    let folder = home.path().join("data/skillmount/me/threads/s");
    fs::create_dir_all(&folder).unwrap();
    let line = "a".repeat(29_999) + "\n";
    fs::write(folder.join("large"), line.repeat(2000)).unwrap();
    for small in 0..64 {
        fs::write(folder.join(format!("small-{small}")), line.repeat(8)).unwrap();
    }
    let request = json!({ "pattern": "a", "context": 20, "max_count": 10_000 });
    let url = format!("{}/v1/users/me/sessions/s/grep", server.url);
    let before = peak(server.id());
    for path in ["/workspace", "/workspace/large"] {
        let mut request = request.clone();
        request["path"] = json!(path);
        let reply = reqwest::Client::new().post(&url).json(&request).send().await.unwrap();
        let reply: serde_json::Value = reply.json().await.unwrap();
        assert_eq!(reply["truncated"], json!(true), "{path}");
        assert!(reply["truncation_reason"].as_str().unwrap().contains("too long to show them all"));
        let hits = reply["matches"].as_array().unwrap();
        assert!((3..8).contains(&hits.len()), "{} hits", hits.len());
    }
    let more = peak(server.id()) - before;
    assert!(more <= MOST_KIB, "{} MiB", more >> 10);
}

//! Calls over HTTP that their hosts cancel, or leave.

use std::{sync::Arc, time::Duration};

use serde_json::{Value, json};
use skillmount::{
    context::Budgets,
    handle::ServiceOptions,
    store::{CountingStore, MemoryStore, RequestCounts},
};
use tokio::time::{Instant, sleep, timeout};

use super::{
    Server,
    mcp::{config, message, post, send},
};

/// Files that a search looks into, and how long each waits, so that all of them take several seconds.
const FILES: usize = 3000;
const LATENCY: Duration = Duration::from_millis(250);
/// Each search is of another user, because what was searched once is kept.
const USERS: [&str; 4] = ["me", "u2", "u3", "u4"];

/// A service over files of the session `mcp` of several users, and what it asks of the store.
async fn server() -> (Server, Arc<RequestCounts>) {
    let ledger = Arc::new(RequestCounts::new());
    let memory = Arc::new(MemoryStore::like_s3());
    for user in USERS {
        for number in 0..FILES {
            memory.put_raw(&format!("{user}/threads/mcp/f{number:04}"), "nothing\n");
        }
    }
    let below = Arc::new(CountingStore::new(memory.clone(), Arc::clone(&ledger)));
    // A search takes 20 MiB, and a user has a quarter of the memory of calls.
    let budgets = Budgets { memory: 512 << 20, ..Budgets::default() };
    let options = ServiceOptions { budgets, ..ServiceOptions::default() };
    let server = Server::over(config(), options, memory, below).await;
    server.faulty.set_latency(LATENCY);
    (server, ledger)
}

fn read(ledger: &RequestCounts) -> u64 {
    ledger.counts().objects.requests.get
}

/// A search of every file, as the request with this number.
fn search(id: u64, meta: &Value) -> String {
    let params = json!({"name": "grep", "arguments": {"pattern": "absent", "path": "/workspace"}, "_meta": meta});
    let mut request: Value = serde_json::from_str(&message("tools/call", &params)).unwrap();
    request["id"] = json!(id);
    request.to_string()
}

/// Waits until the search has begun.
async fn begun(ledger: &RequestCounts, before: u64) {
    let began = Instant::now();
    while read(ledger) < before + 64 {
        assert!(began.elapsed() < Duration::from_mins(1), "nothing is searched");
        sleep(Duration::from_millis(20)).await;
    }
}

/// How many files are read until no more are for a while.
async fn until_quiet(ledger: &RequestCounts) -> u64 {
    let mut last = read(ledger);
    loop {
        sleep(8 * LATENCY).await;
        let now = read(ledger);
        if now == last {
            return now;
        }
        last = now;
    }
}

// S-MCP-26: A call ends if its host cancels it.
#[tokio::test(flavor = "multi_thread")]
async fn a_search_ends_that_its_host_cancels_by_another_request_and_no_other() {
    let (server, ledger) = server().await;
    let call = post(&server, &[], search(7, &json!({})));
    let cancels = async {
        begun(&ledger, 0).await;
        let notice =
            |id: Value| json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id}});
        for (headers, id) in [
            (vec![], json!(8)),
            (vec![], json!("7")),
            (vec![("x-skillmount-session", "another")], json!(7)),
            (vec![("x-skillmount-user", "u2")], json!(7)),
        ] {
            assert_eq!(post(&server, &headers, notice(id).to_string()).await.status, 202);
        }
        let so_far = read(&ledger);
        begun(&ledger, so_far).await;
        assert_eq!(post(&server, &[], notice(json!(7)).to_string()).await.status, 202);
        // Whatever was under way at that moment still counts.
        until_quiet(&ledger).await
    };
    let (answer, ended) = tokio::join!(call, cancels);
    assert!(answer.json["error"]["message"].as_str().unwrap().contains("cancelled"), "{}", answer.json);
    assert!(ended < FILES as u64, "{ended} files were read");
}

#[tokio::test(flavor = "multi_thread")]
async fn of_two_calls_with_one_number_in_one_session_none_is_cancelled() {
    let (server, ledger) = server().await;
    server.faulty.set_latency(LATENCY / 5);
    let (one, two) = (post(&server, &[], search(7, &json!({}))), post(&server, &[], search(7, &json!({}))));
    let cancel = async {
        begun(&ledger, 64).await;
        let notice = json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 7}});
        post(&server, &[], notice.to_string()).await
    };
    let (one, two, notice) = tokio::join!(one, two, cancel);
    assert_eq!(notice.status, 202);
    for answer in [one, two] {
        assert_eq!(answer.is(200)["result"]["isError"], false);
    }
}

// S-MCP-26: A call ends if its host cancels it.
#[tokio::test(flavor = "multi_thread")]
async fn a_search_ends_that_its_host_leaves() {
    let (server, ledger) = server().await;
    let stateless = [("mcp-protocol-version", "2026-07-28"), ("mcp-method", "tools/call"), ("mcp-name", "grep")];
    let about = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": {"name": "t", "version": "1"},
    });
    let mut told = about.clone();
    told["progressToken"] = json!("t");
    let hosts = [(&[][..], json!({})), (&[], json!({"progressToken": "t"})), (&stateless, about), (&stateless, told)];
    for (user, (headers, meta)) in USERS.into_iter().zip(hosts) {
        let before = until_quiet(&ledger).await;
        let headers = [headers, &[("x-skillmount-user", user)]].concat();
        let call = async { send(&server, &headers, search(7, &meta)).await.text().await };
        // The answer of one that is told how far it is has begun by then.
        let left = timeout(Duration::from_millis(1500), call).await;
        assert!(left.is_err(), "it takes longer: {left:?}");
        let ended = until_quiet(&ledger).await;
        assert!((1..FILES as u64).contains(&(ended - before)), "{meta}: {} files were read", ended - before);
        let begun = Instant::now();
        let other = [("x-skillmount-user", "u9")];
        let ls = message("tools/call", &json!({"name": "ls", "arguments": {"path": "/"}}));
        assert_eq!(post(&server, &other, ls).await.status, 200);
        assert!(begun.elapsed() < Duration::from_secs(30));
    }
}

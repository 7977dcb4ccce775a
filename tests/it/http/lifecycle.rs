//! Start, stop, readiness, panics and overload.

use std::{sync::Arc, time::Duration};

use reqwest::Method;
use serde_json::json;
use skillmount::{
    Code,
    clock::SystemClock,
    handle::{Service, ServiceOptions},
    http::{HttpConfig, serve},
    store::{MemoryStore, ReadOnly, Verb, testing::Fault},
};
use tokio::net::TcpListener;

use super::{Answer, Server};

#[tokio::test]
async fn a_request_under_way_is_finished_before_the_server_stops() {
    let mut server = Server::start().await;
    server.faulty.script(Verb::Put, [Fault::SlowReply(Duration::from_millis(400))]);
    let url = server.session("/write");
    let body = json!({"file_path": "/workspace/a", "content": "kept"});
    let slow = tokio::spawn(server.client.post(url).json(&body).send());
    while server.faulty.seen(Verb::Put) == 0 && !slow.is_finished() {
        tokio::task::yield_now().await;
    }
    server.stop();
    assert_eq!(slow.await.unwrap().unwrap().status(), 200);
    server.task.await.unwrap().unwrap();
    let refused = server.client.get(format!("{}/healthz", server.base)).send().await;
    assert!(refused.unwrap_err().is_connect(), "nothing listens any more");
}

#[tokio::test]
async fn an_idle_connection_does_not_hold_the_server_up() {
    let mut server = Server::start().await;
    server.get(&format!("{}/healthz", server.base)).await.is(200);
    server.stop();
    server.task.await.unwrap().unwrap();
}

#[tokio::test]
async fn a_socket_that_others_can_reach_needs_keys() {
    let listener = TcpListener::bind("0.0.0.0:0").await.unwrap();
    let clock = Arc::new(SystemClock::new());
    let service = Service::new(Arc::new(MemoryStore::new()), ServiceOptions::default(), clock.clone());
    let error = serve(HttpConfig::default(), service, clock, listener, std::future::pending()).await.unwrap_err();
    assert_eq!(error.code(), Code::InvalidRequest);
    assert!(error.message().contains("--api-key") && error.message().contains("--keys"), "{error}");
}

#[tokio::test]
async fn readiness_follows_the_store_and_health_does_not() {
    let server = Server::start().await;
    let (healthz, readyz) = (format!("{}/healthz", server.base), format!("{}/readyz", server.base));
    server.get(&readyz).await.is(200);
    server.faulty.set_down(true);
    let down = server.get(&readyz).await;
    assert_eq!(down.is_problem(503, "store_unavailable").json["retryable"], true);
    assert_eq!(down.header("retry-after"), "1");
    server.get(&healthz).await.is(200);
}

// S-STORE-11: If a bucket passed an earlier race and fails one now, the service reads on: `/readyz` answers
// `read_only`, and `doctor` fails.
#[tokio::test]
async fn a_service_that_only_reads_is_ready_if_its_store_passed_before() {
    for (has_passed, status) in [(true, 200), (false, 503)] {
        let access = ReadOnly { has_passed, ..ReadOnly::from("it loses races") }.into();
        let options = ServiceOptions { access, ..ServiceOptions::default() };
        let server = Server::serving(HttpConfig::default(), options).await;
        let ready = server.get(&format!("{}/readyz", server.base)).await;
        assert_eq!(ready.status, status);
        if has_passed {
            assert_eq!(ready.json["status"], "read_only");
        }
        server.op("ls", json!({"path": "/workspace"})).await.is(200);
        let refused = server.op("write", json!({"file_path": "/workspace/a", "content": "x"})).await;
        refused.is_problem(403, "read_only");
    }
}

#[tokio::test]
async fn a_store_that_is_down_gives_a_problem_that_says_what_became_of_the_change() {
    let server = Server::start().await;
    server.op("ls", json!({"path": "/workspace"})).await.is(200);
    server.faulty.set_down(true);
    let refused = server.op("write", json!({"file_path": "/workspace/a", "content": "x"})).await;
    assert_eq!(refused.is_problem(503, "store_unavailable").json["outcome"], "not_applied");
}

// S-LOG-4: `/metrics` is text of OpenMetrics, whose labels never hold a user, a session or a path.
#[tokio::test]
async fn requests_are_counted_by_route_and_never_by_path() {
    let server = Server::start().await;
    server.op("ls", json!({"path": "/"})).await.is(200);
    server.send(Method::GET, &server.session("/ls"), &json!({})).await.is_problem(405, "method_not_allowed");
    let answer = server.client.get(format!("{}/metrics", server.base)).send().await.unwrap();
    let kind = answer.headers()["content-type"].to_str().unwrap();
    assert!(kind.starts_with("application/openmetrics-text"), "{kind}");
    let metrics = answer.text().await.unwrap();
    let route = "/v1/users/{user}/sessions/{session}/ls";
    assert!(
        metrics.contains(&format!("requests_total{{method=\"POST\",route=\"{route}\",status=\"200\"}} 1\n")),
        "{metrics}"
    );
    assert!(!metrics.contains("u1") && !metrics.contains("s1"), "{metrics}");
    for line in [
        &format!("duration_seconds_bucket{{le=\"30.0\",method=\"POST\",route=\"{route}\"}} 1"),
        &format!("request_duration_seconds_count{{method=\"POST\",route=\"{route}\"}} 1"),
        "skillmount_http_requests_in_flight 1",
        "skillmount_http_response_bytes_total ",
        &format!("skillmount_build_info{{version=\"{}\"}} 1", env!("CARGO_PKG_VERSION")),
        "process_start_time_seconds ",
        "skillmount_connections 1",
        "# TYPE skillmount_http_request_duration_seconds histogram",
    ] {
        assert!(metrics.contains(line), "{line} in {metrics}");
    }
    assert_eq!(metrics.contains("process_resident_memory_bytes "), cfg!(target_os = "linux"));
    assert!(metrics.ends_with("# EOF\n"), "{metrics}");
}

#[tokio::test]
async fn a_client_that_goes_away_leaves_the_server_serving() {
    let server = Server::start().await;
    server.put("/workspace/big", vec![1; 48 << 20]).await;
    for _ in 0..20 {
        drop(server.client.get(server.session("/files/workspace/big")).send().await.unwrap());
    }
    Answer::of(server.client.get(server.session("")).send().await.unwrap()).await.is(200);
}

#[tokio::test]
async fn a_service_that_drains_is_not_ready_and_still_takes_calls() {
    let mut server = Server::draining(HttpConfig::default(), ServiceOptions::default(), Duration::from_hours(1)).await;
    let ready = format!("{}/readyz", server.base);
    server.get(&ready).await.is(200);
    server.stop();
    while server.get(&ready).await.status == 200 {
        tokio::task::yield_now().await;
    }
    server.get(&ready).await.is_problem(503, "store_unavailable");
    server.get(&format!("{}/healthz", server.base)).await.is(200);
    // A connection of its own: the listener still accepts.
    let fresh = reqwest::Client::new();
    assert_eq!(fresh.get(server.session("")).send().await.unwrap().status(), 200);
    server.task.abort();
}

//! Bodies of requests, through the routes that take them.

use reqwest::Method;
use serde_json::Value;

use super::{driver, runtime};
use crate::http::Server;

/// The first line is the method and the route below the session, the rest the body.
#[test]
fn a_json_body_is_taken_or_refused_with_a_problem() {
    let words = [
        "{",
        "}",
        "[",
        "]",
        ":",
        ",",
        "null",
        "true",
        "-0",
        "1e400",
        "\"\"",
        "\"path\":",
        "\"pattern\":",
        "\"content\":",
        "\"input\":",
        "\"type\":\"tool_use\"",
        "\"\\ud800\"",
        "\\u0000",
        "[[[[[[[[",
        "{\"\":0},",
        "\n",
        "POST /ls",
        "PATCH /",
    ];
    let runtime = runtime();
    let server = runtime.block_on(Server::with_skills());
    driver::run("json_body", &words, |input| {
        let end = input.iter().position(|byte| *byte == b'\n').unwrap_or(input.len());
        let line = String::from_utf8_lossy(&input[..end]).into_owned();
        let body = input.get(end + 1..).unwrap_or_default().to_vec();
        let (method, route) = line.split_once(' ').unwrap_or(("POST", &line));
        let method = ["PUT", "PATCH"].into_iter().find(|known| *known == method).unwrap_or("POST");
        // Only routes of this session: what lies elsewhere has no bodies of JSON.
        let route: String = route.chars().filter(|c| c.is_ascii_lowercase() || "/_".contains(*c)).collect();
        let url = server.session(&format!("/{}", route.trim_start_matches('/')));
        let method = Method::from_bytes(method.as_bytes()).unwrap();
        let request = server.client.request(method, url.trim_end_matches('/'));
        let request = request.header("content-type", "application/json").body(body);
        runtime.block_on(async {
            let answer = request.send().await.expect("the service hung up");
            let (status, headers) = (answer.status(), answer.headers().clone());
            let text = answer.text().await.expect("the answer broke off");
            assert!(!status.is_server_error(), "{status}: {text}");
            assert!(status.is_success() || headers["content-type"] == "application/problem+json", "{status}: {text}");
            // What comes back of the input is not what makes two refusals differ.
            let problem: Value = serde_json::from_str(&text).unwrap_or_default();
            let words = problem["detail"].as_str().unwrap_or_default().split(' ').take(4).collect::<Vec<_>>();
            format!("{route} {status} {} {}", problem["code"], words.join(" "))
        })
    });
}

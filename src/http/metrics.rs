//! Counts of requests, what the process holds, and the text of both for Prometheus.
//!
//! Labels are the method, the route's template and the status, so their number is bounded by the program and no user,
//! session or path is ever in them.

use std::{
    collections::BTreeMap,
    fmt::Write as _,
    sync::{Mutex, PoisonError},
    time::Duration,
};

use axum::http::Method;

/// Requests by label.
#[derive(Debug, Default)]
pub(super) struct Metrics {
    requests: Mutex<BTreeMap<Labels, Sum>>,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Labels {
    route: String,
    method: &'static str,
    status: u16,
}

#[derive(Clone, Copy, Debug, Default)]
struct Sum {
    count: u64,
    time: Duration,
}

impl Metrics {
    /// Counts one request. `route` is a template of the router, never a path.
    pub(super) fn count(&self, route: &str, method: &'static str, status: u16, time: Duration) {
        let labels = Labels { route: route.to_owned(), method, status };
        let mut requests = self.requests.lock().unwrap_or_else(PoisonError::into_inner);
        let sum = requests.entry(labels).or_default();
        sum.count += 1;
        sum.time += time;
    }

    /// The counts in Prometheus' text format.
    pub(super) fn render(&self) -> String {
        let requests = self.requests.lock().unwrap_or_else(PoisonError::into_inner);
        let mut text = String::new();
        family(&mut text, "skillmount_http_requests_total", "Requests answered.");
        for (labels, sum) in requests.iter() {
            line(&mut text, "skillmount_http_requests_total", labels, &sum.count.to_string());
        }
        family(&mut text, "skillmount_http_request_seconds_total", "Time spent until the headers of the reply.");
        for (labels, sum) in requests.iter() {
            line(&mut text, "skillmount_http_request_seconds_total", labels, &sum.time.as_secs_f64().to_string());
        }
        text
    }
}

/// A value of now, in Prometheus' text format.
pub(super) fn gauge(text: &mut String, name: &str, help: &str, value: u64) {
    // Writing to a String cannot fail.
    let _ = writeln!(text, "# HELP {name} {help}\n# TYPE {name} gauge\n{name} {value}");
}

fn family(text: &mut String, name: &str, help: &str) {
    let _ = writeln!(text, "# HELP {name} {help}\n# TYPE {name} counter");
}

fn line(text: &mut String, name: &str, labels: &Labels, value: &str) {
    let Labels { route, method, status } = labels;
    // Templates hold neither quotes nor backslashes, so nothing needs escaping.
    let _ = writeln!(text, "{name}{{method=\"{method}\",route=\"{route}\",status=\"{status}\"}} {value}");
}

/// The method, for labels and the log. Clients can invent methods, and labels must not grow with them.
pub(super) fn known_method(method: &Method) -> &'static str {
    const KNOWN: [&str; 7] = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];
    KNOWN.into_iter().find(|known| *known == method.as_str()).unwrap_or("other")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_of_one_label_add_up_and_methods_cannot_be_invented() {
        let metrics = Metrics::default();
        for _ in 0..2 {
            metrics.count("/v1/x", "GET", 200, Duration::from_millis(250));
        }
        metrics.count("/v1/x", known_method(&Method::from_bytes(b"EVIL").unwrap()), 405, Duration::ZERO);
        let text = metrics.render();
        assert!(text.contains("requests_total{method=\"GET\",route=\"/v1/x\",status=\"200\"} 2\n"), "{text}");
        assert!(text.contains("seconds_total{method=\"GET\",route=\"/v1/x\",status=\"200\"} 0.5\n"), "{text}");
        assert!(text.contains("method=\"other\"") && !text.contains("EVIL"), "{text}");
    }
}

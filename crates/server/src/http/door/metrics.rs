//! The counters of the service, in the text format `OpenMetrics`.
//!
//! Labels are the method, the route's template and the status, so their number is bounded by the program and no user,
//! session or path is ever in them.

use std::{fmt, sync::atomic::AtomicU64, time::Duration};

use axum::http::Method;
use jiff::Timestamp;
use prometheus_client::{
    encoding::{EncodeLabelSet, text},
    metrics::{
        counter::{ConstCounter, Counter},
        family::Family,
        gauge::{ConstGauge, Gauge},
        histogram::Histogram,
        info::Info,
    },
    registry::Registry,
};

/// The media type of the text.
pub(crate) const TEXT: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// Bounds of the histogram in seconds: from an answer out of memory to a request that takes as long as it may.
const SECONDS: [f64; 14] = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0];

/// A present value: name, description, and the value.
pub(crate) type GaugeValue = (&'static str, &'static str, u64);

/// Requests to the store: verb, how they ended, and how many.
pub(crate) type StoreRequests = Vec<(&'static str, &'static str, u64)>;

/// The values that a scrape reads from other modules.
#[derive(Debug, Default)]
pub(crate) struct Gauges {
    pub(crate) values: Vec<GaugeValue>,
    /// Counts that only grow.
    pub(crate) totals: Vec<GaugeValue>,
    pub(crate) store: StoreRequests,
}

/// The counters since the start of the service.
#[derive(Debug)]
pub(crate) struct Metrics {
    registry: Registry,
    requests: Family<AnswerLabels, Counter>,
    seconds: Family<AnswerLabels, Counter<f64, AtomicU64>>,
    durations: Family<RouteLabels, Histogram, fn() -> Histogram>,
    in_flight: Gauge,
    bytes: Counter,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct AnswerLabels {
    method: &'static str,
    route: String,
    status: u16,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct StoreLabels {
    verb: &'static str,
    status: &'static str,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct RouteLabels {
    method: &'static str,
    route: String,
}

/// A request that is under way. It counts as such until this value is dropped.
#[derive(Debug)]
pub(crate) struct UnderWay {
    in_flight: Gauge,
    bytes: Counter,
}

impl Metrics {
    /// Nothing counted yet, by a service that has `started`.
    pub(crate) fn new(started: Timestamp) -> Self {
        let metrics = Self {
            registry: Registry::default(),
            requests: Family::default(),
            seconds: Family::default(),
            durations: Family::new_with_constructor(|| Histogram::new(SECONDS)),
            in_flight: Gauge::default(),
            bytes: Counter::default(),
        };
        metrics.registered(started)
    }

    /// The library adds `_total` to the names of counters, `_info` to that of an info, and a full stop to each sentence.
    fn registered(mut self, started: Timestamp) -> Self {
        let Self { registry, requests, seconds, durations, in_flight, bytes } = &mut self;
        registry.register("skillmount_http_requests", "Requests answered", requests.clone());
        registry.register(
            "skillmount_http_request_seconds",
            "Time spent until the headers of the reply",
            seconds.clone(),
        );
        registry.register(
            "skillmount_http_request_duration_seconds",
            "Time until the headers of a reply",
            durations.clone(),
        );
        registry.register(
            "skillmount_http_requests_in_flight",
            "Requests whose answer has not left",
            in_flight.clone(),
        );
        registry.register("skillmount_http_response_bytes", "Bytes of bodies that were sent", bytes.clone());
        let version = Info::new([("version", env!("CARGO_PKG_VERSION"))]);
        registry.register("skillmount_build", "What runs", version);
        let since = ConstGauge::new(started.as_duration().as_secs_f64());
        registry.register("process_start_time_seconds", "When the service started, in seconds since 1970", since);
        self
    }

    /// Counts a request that begins.
    pub(crate) fn begin(&self) -> UnderWay {
        self.in_flight.inc();
        UnderWay { in_flight: self.in_flight.clone(), bytes: self.bytes.clone() }
    }

    /// Counts one answer. `route` is a template of the router, never a path.
    pub(crate) fn count(&self, route: &str, method: &'static str, status: u16, time: Duration) {
        let labels = AnswerLabels { method, route: route.to_owned(), status };
        self.requests.get_or_create(&labels).inc();
        self.seconds.get_or_create(&labels).inc_by(time.as_secs_f64());
        let labels = RouteLabels { method, route: labels.route };
        self.durations.get_or_create(&labels).observe(time.as_secs_f64());
    }

    /// All counts and these readings as text.
    ///
    /// # Errors
    /// Those of the library, which writes to memory and has none.
    pub(crate) fn render(&self, readings: &Gauges) -> Result<String, fmt::Error> {
        let mut now = Registry::default();
        for (name, about, value) in &readings.values {
            now.register(*name, *about, ConstGauge::new(*value));
        }
        for (name, about, value) in &readings.totals {
            now.register(*name, *about, ConstCounter::new(*value));
        }
        let store = Family::<StoreLabels, Counter>::default();
        for (verb, status, count) in &readings.store {
            store.get_or_create(&StoreLabels { verb, status }).inc_by(*count);
        }
        now.register("skillmount_store_requests", "Requests to the store, by how they ended", store);
        let mut text = String::new();
        text::encode_registry(&mut text, &self.registry)?;
        text::encode(&mut text, &now)?;
        Ok(text)
    }
}

impl UnderWay {
    /// Counts bytes of the answer's body that were sent.
    pub(crate) fn sent(&self, bytes: u64) {
        self.bytes.inc_by(bytes);
    }
}

impl Drop for UnderWay {
    fn drop(&mut self) {
        self.in_flight.dec();
    }
}

/// The method, for labels and the log. Clients can invent methods, and labels must not grow with them.
pub(crate) fn known_method(method: &Method) -> &'static str {
    const KNOWN: [&str; 7] = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];
    KNOWN.into_iter().find(|known| *known == method.as_str()).unwrap_or("other")
}

/// The memory of this process in bytes, as the system counts it. Nothing on systems without `/proc`.
pub(crate) fn resident_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let kib = status.lines().find_map(|line| line.strip_prefix("VmRSS:")?.trim().strip_suffix(" kB"))?;
    Some(kib.parse::<u64>().ok()? << 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_of_one_label_add_up_and_methods_cannot_be_invented() {
        let metrics = Metrics::new(Timestamp::UNIX_EPOCH);
        for _ in 0..2 {
            metrics.count("/v1/x", "GET", 200, Duration::from_millis(250));
        }
        metrics.count("/v1/x", known_method(&Method::from_bytes(b"EVIL").unwrap()), 405, Duration::ZERO);
        let text = metrics.render(&Gauges::default()).unwrap();
        assert!(text.contains("requests_total{method=\"GET\",route=\"/v1/x\",status=\"200\"} 2\n"), "{text}");
        assert!(text.contains("seconds_total{method=\"GET\",route=\"/v1/x\",status=\"200\"} 0.5\n"), "{text}");
        assert!(text.contains("method=\"other\"") && !text.contains("EVIL"), "{text}");
    }

    #[test]
    fn a_request_is_in_flight_until_its_answer_has_left() {
        let metrics = Metrics::new(Timestamp::UNIX_EPOCH);
        let in_flight = || {
            let text = metrics.render(&Gauges::default()).unwrap();
            text.lines().find_map(|line| line.strip_prefix("skillmount_http_requests_in_flight ")).unwrap().to_owned()
        };
        let (one, two) = (metrics.begin(), metrics.begin());
        assert_eq!(in_flight(), "2");
        one.sent(7);
        drop((one, two));
        assert_eq!(in_flight(), "0");
        assert!(metrics.render(&Gauges::default()).unwrap().contains("skillmount_http_response_bytes_total 7\n"));
    }
}

//! Discovery and grep on an S3 that takes 20 ms for a request, against the SDK alone sending the same requests at once.
//!
//! Both sides speak to the same server in this process and take turns, so what slows the machine down slows both. The
//! service sends 64 requests at a time and the SDK all of them, so a hundred files cost it one round trip more.

use std::{sync::Arc, time::Duration};

use aws_sdk_s3::Client;
use futures_util::future::join_all;
use skillmount::{
    clock::{Clock, SystemClock},
    handle::Service,
    limits::SKILL_HEAD_BYTES,
    store::{MemoryStore, RequestCounts, Requests, S3Options, S3Store, SharedStore, testing::Faulty},
    wire::{BackendProtocol, LsRequest},
};
use tokio::time::Instant;

use crate::{
    fill, id, mixed,
    s3_in_process::{BUCKET, client_over},
    service,
};

const LATENCY: Duration = Duration::from_millis(20);
/// What a single GET may take, latency included, for the figures to be about latency.
const CALIBRATED: std::ops::RangeInclusive<Duration> = LATENCY..=Duration::from_millis(25);
const PAIRS: usize = 15;

/// One bucket, as the SDK sees it and as the service does.
struct Bench {
    client: Client,
    store: SharedStore,
    clock: Arc<dyn Clock>,
}

pub(crate) async fn against_the_sdk() {
    println!("S3 in this process, 20 ms added to each request, as multiples of the SDK alone, {PAIRS} pairs");
    let bucket: SharedStore = Arc::new(MemoryStore::new());
    fill(&bucket).await;
    let slow = Arc::new(Faulty::new(bucket));
    slow.set_latency(LATENCY);
    let client = client_over(slow, Arc::default());
    let clock: Arc<dyn Clock> = Arc::new(SystemClock::new());
    let store: SharedStore = Arc::new(S3Store::with_client(&client, BUCKET, &S3Options::default(), clock.clone()));
    let bench = Bench { client, store, clock };
    bench.calibrate().await;
    Box::pin(bench.discovery()).await;
    Box::pin(bench.grep_cold()).await;
    Box::pin(bench.grep_warm()).await;
}

impl Bench {
    async fn calibrate(&self) {
        let mut times = Vec::new();
        for _ in 0..PAIRS {
            let begun = Instant::now();
            get(&self.client, "demo/threads/s/00.md", None).await;
            times.push(begun.elapsed());
        }
        times.sort();
        let median = times[PAIRS / 2];
        println!("  a single GET by the SDK: {median:.1?}");
        if !CALIBRATED.contains(&median) {
            println!(
                "  WARNING: not within {CALIBRATED:?}: this machine is too busy, and the figures below say little"
            );
        }
    }

    async fn discovery(&self) {
        let mut pairs = Pairs::new("cold discovery of 100 skills");
        for _ in 0..PAIRS {
            let (service, ledger) = self.cold().await;
            let ours = async { service.catalogs().view(&id("demo"), true).await.unwrap() };
            let raw = list_and_get(&self.client, "demo/skills/", Some(SKILL_HEAD_BYTES));
            let (view, ()) = Box::pin(pairs.add(&ledger, ours, raw)).await;
            assert_eq!(view.entries.len(), 100);
        }
        pairs.print();
    }

    async fn grep_cold(&self) {
        let mut pairs = Pairs::new("cold grep of 100 files");
        for _ in 0..PAIRS {
            let (service, ledger) = self.cold().await;
            let raw = list_and_get(&self.client, "demo/threads/s/", None);
            Box::pin(pairs.add(&ledger, hits(&service), raw)).await;
        }
        pairs.print();
    }

    async fn grep_warm(&self) {
        let mut pairs = Pairs::new("warm grep of 100 files");
        let (service, ledger) = self.cold().await;
        hits(&service).await;
        for _ in 0..PAIRS {
            Box::pin(pairs.add(&ledger, hits(&service), list(&self.client, "demo/threads/s/"))).await;
        }
        pairs.print();
    }

    /// A service that knows its session and nothing else.
    async fn cold(&self) -> (Service, Arc<RequestCounts>) {
        let (service, ledger) = service(self.store.clone(), self.clock.clone());
        service.session(id("demo"), id("s")).ls(LsRequest { path: "/".into() }).await.unwrap();
        (service, ledger)
    }
}

/// Times of the service and of the SDK, taken in turns.
struct Pairs {
    name: &'static str,
    requests: Requests,
    times: Vec<(Duration, Duration)>,
}

impl Pairs {
    fn new(name: &'static str) -> Self {
        Self { name, requests: Requests::default(), times: Vec::new() }
    }

    /// Runs both, each first every other time.
    async fn add<A, B>(
        &mut self,
        ledger: &RequestCounts,
        ours: impl Future<Output = A>,
        raw: impl Future<Output = B>,
    ) -> (A, B) {
        let before = ledger.counts();
        let ((ours, our_time), (raw, raw_time)) = if self.times.len().is_multiple_of(2) {
            let ours = timed(ours).await;
            (ours, timed(raw).await)
        } else {
            let raw = timed(raw).await;
            (timed(ours).await, raw)
        };
        self.requests = (ledger.counts() - before).objects.requests;
        self.times.push((our_time, raw_time));
        (ours, raw)
    }

    fn print(&self) {
        let ratios = sorted(self.times.iter().map(|(ours, raw)| ours.as_secs_f64() / raw.as_secs_f64()));
        let ours = sorted(self.times.iter().map(|(ours, _)| ours.as_secs_f64() * 1e3));
        let raw = sorted(self.times.iter().map(|(_, raw)| raw.as_secs_f64() * 1e3));
        let Requests { list, get, .. } = self.requests;
        println!(
            "  {}: {:.2} times the SDK (10th percentile {:.2}); {list} LIST and {get} GET; medians {:.0} and {:.0} ms",
            self.name,
            ratios[PAIRS / 2],
            ratios[PAIRS / 10],
            ours[PAIRS / 2],
            raw[PAIRS / 2]
        );
    }
}

fn sorted(numbers: impl Iterator<Item = f64>) -> Vec<f64> {
    let mut numbers: Vec<_> = numbers.collect();
    numbers.sort_by(f64::total_cmp);
    numbers
}

async fn timed<T>(work: impl Future<Output = T>) -> (T, Duration) {
    let begun = Instant::now();
    let done = work.await;
    (done, begun.elapsed())
}

async fn hits(service: &Service) {
    let found = service.session(id("demo"), id("s")).grep(mixed::grep()).await.unwrap();
    assert_eq!(found.files.unwrap().len(), 100);
}

async fn list_and_get(client: &Client, prefix: &str, head: Option<u64>) {
    let keys = list(client, prefix).await;
    let tasks = keys.into_iter().map(|key| {
        let client = client.clone();
        tokio::spawn(async move { get(&client, &key, head).await })
    });
    assert_eq!(join_all(tasks).await.into_iter().filter(|size| *size.as_ref().unwrap() > 0).count(), 100);
}

async fn list(client: &Client, prefix: &str) -> Vec<String> {
    let listed = client.list_objects_v2().bucket(BUCKET).prefix(prefix).send().await.unwrap();
    listed.contents.unwrap().into_iter().map(|object| object.key.unwrap()).collect()
}

async fn get(client: &Client, key: &str, head: Option<u64>) -> usize {
    let range = head.map(|bytes| format!("bytes=0-{}", bytes - 1));
    let answer = client.get_object().bucket(BUCKET).key(key).set_range(range).send().await.unwrap();
    answer.body.collect().await.unwrap().into_bytes().len()
}

use std::time::Duration;

use futures_util::future::join_all;

use super::*;
use crate::{
    CountingStore, MemoryStore, RequestCounts, Requests, Verb,
    testing::{Fault, Faulty},
};
use skillmount_base::{clock::SystemClock, limits::CONTENT_CACHE_BYTES};

/// A cache over a metered, faulty store in memory, which other writers reach directly.
struct Bench {
    memory: Arc<MemoryStore>,
    faulty: Arc<Faulty>,
    ledger: Arc<RequestCounts>,
    cached: Arc<CachingStore>,
}

impl Bench {
    fn new() -> Self {
        Self::with_bytes(CONTENT_CACHE_BYTES)
    }

    fn with_bytes(bytes: u64) -> Self {
        let memory = Arc::new(MemoryStore::like_s3());
        let faulty = Arc::new(Faulty::new(Arc::clone(&memory) as SharedStore));
        let ledger = Arc::new(RequestCounts::new());
        let metered = Arc::new(CountingStore::new(Arc::clone(&faulty) as SharedStore, Arc::clone(&ledger)));
        let cached = Arc::new(CachingStore::new(metered, bytes, Arc::new(SystemClock::new())));
        Self { memory, faulty, ledger, cached }
    }

    /// A write by another process.
    fn foreign(&self, text: impl Into<Bytes>) -> ETag {
        self.memory.put_raw("k", text)
    }

    async fn put(&self, text: &'static str) -> ETag {
        self.cached.put(&key(), Bytes::from_static(text.as_bytes()), PutOptions::default()).await.unwrap().etag
    }

    async fn get(&self, options: GetOptions) -> StoreResult<String> {
        let object = self.cached.get(&key(), options).await?;
        assert_eq!(object.bytes.len() as u64, object.range.end - object.range.start);
        Ok(String::from_utf8(object.bytes.to_vec()).unwrap())
    }

    async fn fresh(&self) -> StoreResult<String> {
        self.get(GetOptions::default()).await
    }

    async fn remembered(&self) -> StoreResult<String> {
        self.get(GetOptions { remembered: true, ..GetOptions::default() }).await
    }

    fn gets(&self) -> u64 {
        self.ledger.counts().objects.requests.get
    }
}

fn key() -> ObjectKey {
    KeyPrefix::all().key("k").unwrap()
}

#[tokio::test]
async fn a_pinned_version_is_fetched_once_and_a_written_one_never() {
    let bench = Bench::new();
    let etag = bench.foreign("one");
    for _ in 0..3 {
        assert_eq!(bench.get(GetOptions::pinned(etag.clone())).await.unwrap(), "one");
    }
    assert_eq!(bench.gets(), 1);
    let etag = bench.put("two").await;
    assert_eq!(bench.get(GetOptions::pinned(etag)).await.unwrap(), "two");
    assert_eq!(bench.gets(), 1);
}

#[tokio::test(start_paused = true)]
async fn readers_of_one_pinned_version_share_one_request_and_its_error() {
    let bench = Bench::new();
    let etag = bench.foreign("one");
    bench.faulty.set_latency(Duration::from_millis(20));
    bench.faulty.script(Verb::Get, [Fault::Refuse]);
    let answers = join_all((0..32).map(|_| bench.get(GetOptions::pinned(etag.clone())))).await;
    assert!(answers.iter().all(|answer| matches!(answer, Err(StoreError::Unavailable { .. }))));
    assert_eq!(bench.gets(), 1);
    let answers = join_all((0..32).map(|_| bench.get(GetOptions::pinned(etag.clone())))).await;
    assert!(
        answers.iter().all(|answer| answer.as_deref().is_ok_and(|text| text == "one")),
        "an error is not remembered"
    );
    assert_eq!(bench.gets(), 2);
}

#[tokio::test]
async fn an_unchanged_object_costs_a_304_and_no_bytes() {
    let bench = Bench::new();
    bench.foreign("one");
    assert_eq!(bench.fresh().await.unwrap(), "one");
    let before = bench.ledger.counts();
    assert_eq!(bench.fresh().await.unwrap(), "one");
    assert_eq!(bench.get(GetOptions::range(1..9)).await.unwrap(), "ne");
    let cost = bench.ledger.counts() - before;
    assert_eq!(cost.objects.requests, Requests { get: 2, ..Requests::default() });
    assert_eq!(cost.objects.bytes_read, 0);
    bench.foreign("two");
    assert_eq!(bench.fresh().await.unwrap(), "two", "a foreign write is seen at once");
}

#[tokio::test(start_paused = true)]
async fn a_fresh_get_is_never_answered_by_one_already_under_way() {
    let bench = Bench::new();
    bench.foreign("old");
    bench.faulty.script(Verb::Get, [Fault::SlowReply(Duration::from_secs(1))]);
    let reader = async {
        tokio::time::sleep(Duration::from_millis(1)).await;
        bench.foreign("new");
        bench.fresh().await
    };
    let (slow, later) = tokio::join!(bench.fresh(), reader);
    assert_eq!((slow.unwrap().as_str(), later.unwrap().as_str()), ("old", "new"));
}

#[tokio::test(start_paused = true)]
async fn a_slow_get_of_an_old_version_does_not_displace_what_was_written_meanwhile() {
    let bench = Bench::new();
    bench.foreign("old");
    bench.faulty.script(Verb::Get, [Fault::SlowReply(Duration::from_secs(1))]);
    let (slow, _) = tokio::join!(bench.fresh(), bench.put("new"));
    assert_eq!(slow.unwrap(), "old");
    let before = bench.gets();
    assert_eq!(bench.remembered().await.unwrap(), "new");
    assert_eq!(bench.gets(), before, "from memory");
}

#[tokio::test]
async fn remembering_needs_no_request_and_falls_through_where_there_is_nothing_to_remember() {
    let bench = Bench::new();
    bench.foreign("one");
    assert_eq!(bench.remembered().await.unwrap(), "one");
    assert_eq!(bench.gets(), 1);
    bench.foreign("two");
    assert_eq!(bench.remembered().await.unwrap(), "one", "as this process last saw it");
    assert_eq!(bench.gets(), 1);
    bench.cached.delete(&key(), DeleteOptions::default()).await.unwrap();
    assert!(matches!(bench.remembered().await, Err(StoreError::NotFound)));
}

#[tokio::test]
async fn a_refused_write_teaches_that_its_base_is_not_the_newest() {
    let bench = Bench::new();
    let base = bench.put("one").await;
    bench.foreign("two");
    let options = PutOptions { condition: PutCondition::IfMatch(base), ..PutOptions::default() };
    let refused = bench.cached.put(&key(), Bytes::from_static(b"mine"), options).await;
    assert!(matches!(refused, Err(StoreError::PreconditionFailed)));
    assert_eq!(bench.remembered().await.unwrap(), "two");
}

#[tokio::test]
async fn metadata_is_remembered_with_the_content_it_was_written_with() {
    let bench = Bench::new();
    let metadata = super::super::Metadata::from([("name".to_owned(), "value".to_owned())]);
    let options = PutOptions { metadata: metadata.clone(), ..PutOptions::default() };
    bench.cached.put(&key(), Bytes::from_static(b"x"), options).await.unwrap();
    let options = GetOptions { remembered: true, ..GetOptions::default() };
    assert_eq!(bench.cached.get(&key(), options).await.unwrap().meta.metadata, metadata);
    assert_eq!(bench.gets(), 0);
}

#[tokio::test]
async fn parts_are_cut_from_a_whole_and_a_part_that_is_the_whole_is_kept() {
    let bench = Bench::new();
    let etag = bench.foreign("0123456789");
    let pinned = |range| GetOptions { range: Some(range), ..GetOptions::pinned(etag.clone()) };
    assert_eq!(bench.get(pinned(0..4)).await.unwrap(), "0123");
    assert_eq!(bench.get(pinned(4..8)).await.unwrap(), "4567");
    assert_eq!(bench.gets(), 2, "parts are not kept");
    assert_eq!(bench.get(pinned(0..99)).await.unwrap(), "0123456789");
    assert_eq!(bench.get(pinned(4..8)).await.unwrap(), "4567");
    assert!(matches!(bench.get(pinned(10..11)).await, Err(StoreError::RangeNotSatisfiable)));
    assert_eq!(bench.gets(), 3, "from the whole");
}

#[tokio::test(start_paused = true)]
async fn readers_of_different_first_parts_each_get_their_own() {
    let bench = Bench::new();
    let etag = bench.foreign("0123456789");
    bench.faulty.set_latency(Duration::from_millis(20));
    let ends = [3, 6, 2, 9];
    let pinned = |end| GetOptions { range: Some(0..end), ..GetOptions::pinned(etag.clone()) };
    let answers = join_all(ends.iter().map(|end| bench.get(pinned(*end)))).await;
    let lengths: Vec<_> = answers.into_iter().map(|answer| answer.unwrap().len() as u64).collect();
    assert_eq!(lengths, ends);
}

#[tokio::test]
async fn pinned_content_outlives_the_store_and_fresh_reads_say_that_it_is_down() {
    let bench = Bench::new();
    let etag = bench.foreign("one");
    bench.fresh().await.unwrap();
    bench.faulty.set_down(true);
    assert_eq!(bench.get(GetOptions::pinned(etag)).await.unwrap(), "one");
    assert!(matches!(bench.fresh().await, Err(StoreError::Unavailable { .. })));
}

#[tokio::test]
async fn an_object_is_kept_at_the_limit_and_not_beyond_it() {
    let bench = Bench::new();
    let limit = usize::try_from(CHUNK_BYTES).unwrap();
    for (name, size, requests) in [("at", limit, 1), ("beyond", limit + 1, 2)] {
        let etag = bench.memory.put_raw(name, vec![0; size]);
        let name = KeyPrefix::all().key(name).unwrap();
        let before = bench.gets();
        for _ in 0..2 {
            let object = bench.cached.get(&name, GetOptions::pinned(etag.clone())).await.unwrap();
            assert_eq!(object.bytes.len(), size);
        }
        assert_eq!(bench.gets() - before, requests, "{name}");
    }
}

#[tokio::test]
async fn the_cache_stays_within_its_bytes() {
    const ROOM: u64 = 1 << 20;
    let bench = Bench::with_bytes(ROOM);
    for number in 0..64 {
        let name = KeyPrefix::all().key(&format!("k{number}")).unwrap();
        bench.cached.put(&name, Bytes::from(vec![0; 64 << 10]), PutOptions::default()).await.unwrap();
    }
    bench.cached.content.run_pending_tasks().await;
    assert!(bench.cached.content.weighted_size() <= ROOM);
    assert!(bench.cached.content.entry_count() > 0);
}

#[tokio::test]
async fn versions_that_were_overwritten_leave_at_once() {
    let bench = Bench::new();
    for round in 0..2500 {
        for name in ["a", "b", "c", "d"] {
            let name = KeyPrefix::all().key(name).unwrap();
            bench.cached.put(&name, Bytes::from(format!("{round}")), PutOptions::default()).await.unwrap();
            if round % 2 == 0 {
                bench.cached.get(&name, GetOptions::default()).await.unwrap();
            }
        }
    }
    bench.cached.content.run_pending_tasks().await;
    assert_eq!(bench.cached.content.entry_count(), 4);
    bench.cached.delete(&KeyPrefix::all().key("a").unwrap(), DeleteOptions::default()).await.unwrap();
    bench.memory.put_raw("b", "foreign");
    bench.cached.head(&KeyPrefix::all().key("b").unwrap()).await.unwrap();
    bench.cached.content.run_pending_tasks().await;
    assert_eq!(bench.cached.content.entry_count(), 2, "nor do those that were deleted or overwritten elsewhere stay");
}

// S-PIN-2: If a file of a loaded skill has changed in the bucket and its old bytes are gone, a read is `skill_changed`
// and asks for a new load.
#[tokio::test]
async fn a_version_that_was_asked_for_by_its_tag_stays_when_it_is_overwritten() {
    let bench = Bench::new();
    let first = bench.put("one").await;
    assert_eq!(bench.get(GetOptions::pinned(first.clone())).await.unwrap(), "one");
    let second = bench.put("two").await;
    assert_eq!(bench.get(GetOptions { keep: CachePolicy::Pinned, ..GetOptions::default() }).await.unwrap(), "two");
    let third = bench.put("three").await;
    bench.put("four").await;
    assert_eq!(bench.get(GetOptions::pinned(first)).await.unwrap(), "one");
    assert_eq!(bench.get(GetOptions::pinned(second)).await.unwrap(), "two");
    assert!(matches!(bench.get(GetOptions::pinned(third)).await, Err(StoreError::PreconditionFailed)));
}

#[tokio::test]
async fn a_version_that_a_listing_named_leaves_with_the_next_one() {
    let bench = Bench::new();
    for round in 0..100 {
        let listed = GetOptions { if_match: Some(bench.foreign(format!("{round}"))), ..GetOptions::default() };
        assert_eq!(bench.get(listed.clone()).await.unwrap(), format!("{round}"));
        assert_eq!(bench.get(listed).await.unwrap(), format!("{round}"));
    }
    bench.cached.content.run_pending_tasks().await;
    assert_eq!((bench.gets(), bench.cached.content.entry_count()), (100, 1));
}

#[tokio::test]
async fn what_is_looked_at_once_is_not_kept() {
    let bench = Bench::new();
    bench.foreign("one");
    let once = GetOptions { keep: CachePolicy::Not, ..GetOptions::default() };
    assert_eq!(bench.get(once).await.unwrap(), "one");
    assert_eq!(bench.remembered().await.unwrap(), "one");
    assert_eq!(bench.gets(), 2);
}

#[tokio::test]
async fn an_entry_weighs_what_it_takes_with_its_metadata() {
    let chain = vec!["0".repeat(32); 32].join(",");
    let metadata = super::super::Metadata::from([("skillmount-write-chain".to_owned(), chain)]);
    let bench = Bench::new();
    bench.cached.put(&key(), Bytes::from(vec![0; 200]), PutOptions::default()).await.unwrap();
    bench.cached.content.run_pending_tasks().await;
    let bare = bench.cached.content.weighted_size();
    // A text of 200 bytes with one write id was measured at 1.4 KB, of which the id and its node are 700.
    assert!((700..1100).contains(&bare), "{bare}");
    bench
        .cached
        .put(&key(), Bytes::from(vec![1; 200]), PutOptions { metadata, ..PutOptions::default() })
        .await
        .unwrap();
    bench.cached.content.run_pending_tasks().await;
    let whole = bench.cached.content.weighted_size();
    assert!(whole >= bare + 32 * 33 + 500, "{whole}");
}

#[tokio::test]
async fn the_callers_own_conditions_are_answered_as_the_store_would() {
    let bench = Bench::new();
    let etag = bench.put("one").await;
    let unless = |etag: &ETag| GetOptions { if_none_match: Some(etag.clone()), ..GetOptions::default() };
    assert!(matches!(bench.get(unless(&etag)).await, Err(StoreError::NotModified)));
    assert_eq!(bench.get(unless(&ETag::new("other"))).await.unwrap(), "one");
    let gone = ETag::new("gone");
    assert!(matches!(bench.get(GetOptions::pinned(gone)).await, Err(StoreError::PreconditionFailed)));
}

use futures_util::future::join_all;
use tokio::time::sleep;

use super::*;
use crate::{
    GetOptions, MemoryStore, Store, Verb,
    testing::{Fault, Faulty},
};
use skillmount_base::{clock::SystemClock, path::KeyPrefix};

/// A committer over a faulty store; rivals reach the store below it without faults.
struct Bench {
    memory: Arc<MemoryStore>,
    faulty: Arc<Faulty>,
    ours: Committer,
    rival: Committer,
}

impl Bench {
    fn new() -> Self {
        let clock: Arc<dyn Clock> = Arc::new(SystemClock::new());
        let memory = Arc::new(MemoryStore::new());
        let faulty = Arc::new(Faulty::new(Arc::clone(&memory) as SharedStore));
        let ours = Committer::new(Arc::clone(&faulty) as SharedStore, Arc::clone(&clock));
        let rival = Committer::new(Arc::clone(&memory) as SharedStore, clock);
        Self { memory, faulty, ours, rival }
    }

    async fn commit(&self, base: &ExpectedVersion) -> StoreResult<Commit> {
        self.ours.commit(&key(), Bytes::from_static(b"ours"), base).await
    }

    async fn rival(&self, base: &ExpectedVersion) -> StoreResult<Commit> {
        self.rival.commit(&key(), Bytes::from_static(b"rival"), base).await
    }

    /// The same, a little later than now.
    async fn rival_soon(&self, base: &ExpectedVersion) -> Commit {
        sleep(Duration::from_millis(1)).await;
        self.rival(base).await.unwrap()
    }

    async fn text(&self) -> String {
        let object = self.memory.get(&key(), GetOptions::default()).await.unwrap();
        String::from_utf8(object.bytes.to_vec()).unwrap()
    }

    async fn base(&self) -> ExpectedVersion {
        ExpectedVersion::version(&self.memory.head(&key()).await.unwrap())
    }

    /// Each kind of base, with the store made so that it holds.
    async fn each_base() -> [(Self, ExpectedVersion); 4] {
        let [create, overwrite, update, foreign] = [Self::new(), Self::new(), Self::new(), Self::new()];
        overwrite.memory.put_raw("k", "before");
        update.rival(&ExpectedVersion::Absent).await.unwrap();
        foreign.memory.put_raw("k", "by hand");
        let (known, unknown) = (update.base().await, foreign.base().await);
        [(create, ExpectedVersion::Absent), (overwrite, ExpectedVersion::Whatever), (update, known), (foreign, unknown)]
    }
}

fn key() -> ObjectKey {
    KeyPrefix::all().key("k").unwrap()
}

fn next(commit: Commit) -> ExpectedVersion {
    ExpectedVersion::Version(commit.etag.unwrap(), commit.metadata)
}

fn outcome(result: &StoreResult<Commit>) -> Option<Outcome> {
    match result {
        Err(StoreError::Unavailable { outcome, .. }) => Some(*outcome),
        _ => None,
    }
}

#[tokio::test(start_paused = true)]
async fn an_own_success_whose_reply_was_lost_is_a_success() {
    for (bench, base) in Bench::each_base().await {
        bench.faulty.script(Verb::Put, [Fault::LoseReply]);
        let commit = bench.commit(&base).await.unwrap();
        let there = bench.memory.head(&key()).await.unwrap();
        assert_eq!((commit.etag, commit.metadata), (Some(there.etag), there.metadata), "{base:?}");
        assert_eq!(bench.faulty.seen(Verb::Put), 1, "not applied twice: {base:?}");
        assert_eq!(bench.text().await, "ours");
    }
}

#[tokio::test(start_paused = true)]
async fn a_write_on_a_version_that_was_lost_on_its_way_is_sent_again() {
    for (bench, base) in Bench::each_base().await {
        if !matches!(base, ExpectedVersion::Version(..)) {
            continue;
        }
        bench.faulty.script(Verb::Put, [Fault::LoseRequest, Fault::LoseRequest]);
        bench.commit(&base).await.unwrap();
        assert_eq!((bench.faulty.seen(Verb::Put), bench.text().await.as_str()), (3, "ours"), "{base:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn an_unconditional_write_of_unknown_outcome_is_never_sent_again() {
    let bench = Bench::new();
    bench.memory.put_raw("k", "before");
    bench.faulty.script(Verb::Put, [Fault::LoseRequest]);
    assert_eq!(outcome(&bench.commit(&ExpectedVersion::Whatever).await), Some(Outcome::Unknown));
    assert_eq!((bench.faulty.seen(Verb::Put), bench.text().await.as_str()), (1, "before"));
}

// S-WRITE-7: If the write ids cannot decide, the answer is `unknown` and the service repeats no PUT.
#[tokio::test(start_paused = true)]
async fn a_write_in_doubt_whose_object_is_not_there_is_never_sent_again() {
    for fault in [Fault::LoseReply, Fault::LoseRequest] {
        for (bench, base) in Bench::each_base().await {
            bench.faulty.script(Verb::Put, [fault]);
            bench.faulty.script(Verb::Head, [Fault::SlowRequest(Duration::from_secs(1))]);
            let other = async {
                sleep(Duration::from_millis(1)).await;
                bench.memory.delete(&key(), super::super::DeleteOptions::default()).await.unwrap();
            };
            let (ours, ()) = tokio::join!(bench.commit(&base), other);
            assert_eq!(outcome(&ours), Some(Outcome::Unknown), "{fault:?}, {base:?}");
            assert_eq!(bench.faulty.seen(Verb::Put), 1, "{fault:?}, {base:?}");
            assert!(bench.memory.head(&key()).await.is_err(), "what was deleted stays deleted: {fault:?}, {base:?}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_busy_or_refusing_store_is_asked_again() {
    for (bench, base) in Bench::each_base().await {
        bench.faulty.script(Verb::Put, [Fault::Busy, Fault::Refuse, Fault::Busy]);
        bench.commit(&base).await.unwrap();
        assert_eq!((bench.faulty.seen(Verb::Put), bench.faulty.seen(Verb::Head)), (4, 0), "{base:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_store_that_stays_away_is_given_up_in_time_and_nothing_was_applied() {
    for (bench, base) in Bench::each_base().await {
        bench.faulty.set_down(true);
        let started = Instant::now();
        assert_eq!(outcome(&bench.commit(&base).await), Some(Outcome::NotApplied), "{base:?}");
        assert!(started.elapsed() <= OPERATION_TIMEOUT);
    }
}

#[tokio::test(start_paused = true)]
async fn a_doubt_that_cannot_be_settled_stays_one() {
    for (bench, base) in Bench::each_base().await {
        bench.faulty.script(Verb::Put, [Fault::LoseReply]);
        bench.faulty.every(Verb::Head, 1, Fault::Refuse);
        let started = Instant::now();
        assert_eq!(outcome(&bench.commit(&base).await), Some(Outcome::Unknown), "{base:?}");
        assert!(started.elapsed() <= OPERATION_TIMEOUT);
    }
}

#[tokio::test]
async fn a_base_that_does_not_hold_is_said_at_once() {
    let bench = Bench::new();
    let first = next(bench.rival(&ExpectedVersion::Absent).await.unwrap());
    bench.rival(&first).await.unwrap();
    for stale in [ExpectedVersion::Absent, first.clone()] {
        assert!(matches!(bench.commit(&stale).await, Err(StoreError::PreconditionFailed)), "{stale:?}");
    }
    bench.memory.delete(&key(), super::super::DeleteOptions::default()).await.unwrap();
    assert!(matches!(bench.commit(&first).await, Err(StoreError::NotFound)));
    assert_eq!(bench.faulty.seen(Verb::Head), 0, "without doubt there is nothing to settle");
}

#[tokio::test(start_paused = true)]
async fn a_lost_write_whose_base_was_passed_meanwhile_is_a_conflict() {
    for (bench, base) in Bench::each_base().await {
        if matches!(base, ExpectedVersion::Version(..)) {
            bench.faulty.script(Verb::Put, [Fault::LoseRequest]);
            let (ours, _) = tokio::join!(bench.commit(&base), bench.rival_soon(&base));
            assert!(matches!(ours, Err(StoreError::PreconditionFailed)), "{base:?}: {ours:?}");
            assert_eq!(bench.text().await, "rival");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_lost_create_that_meets_another_stays_unknown() {
    // The other may have built on ours and dropped it, or come first: no trace is left.
    let bench = Bench::new();
    bench.faulty.script(Verb::Put, [Fault::LoseRequest]);
    let (ours, _) = tokio::join!(bench.commit(&ExpectedVersion::Absent), bench.rival_soon(&ExpectedVersion::Absent));
    assert_eq!(outcome(&ours), Some(Outcome::Unknown));
    assert_eq!(bench.text().await, "rival");
}

#[tokio::test(start_paused = true)]
async fn a_write_that_others_built_upon_has_landed() {
    for (bench, base) in Bench::each_base().await {
        bench.faulty.script(Verb::Put, [Fault::LoseReply]);
        bench.faulty.script(Verb::Head, [Fault::SlowRequest(Duration::from_secs(1))]);
        let others = async {
            sleep(Duration::from_millis(1)).await;
            let commit = bench.rival(&bench.base().await).await.unwrap();
            bench.rival(&next(commit)).await.unwrap();
        };
        let (ours, ()) = tokio::join!(bench.commit(&base), others);
        assert_eq!(ours.unwrap().etag, None, "landed, its tag never learnt: {base:?}");
        assert_eq!(bench.text().await, "rival");
    }
}

#[tokio::test(start_paused = true)]
async fn a_write_that_another_tool_overwrote_stays_unknown() {
    for (bench, base) in Bench::each_base().await {
        bench.faulty.script(Verb::Put, [Fault::LoseReply]);
        bench.faulty.script(Verb::Head, [Fault::SlowRequest(Duration::from_secs(1))]);
        let other = async {
            sleep(Duration::from_millis(1)).await;
            bench.memory.put_raw("k", "by hand");
        };
        let (ours, ()) = tokio::join!(bench.commit(&base), other);
        assert_eq!(outcome(&ours), Some(Outcome::Unknown), "{base:?}");
        assert_eq!(bench.text().await, "by hand", "and is not applied again");
    }
}

#[tokio::test]
async fn the_chain_holds_its_predecessors_at_the_limit_and_drops_the_oldest_beyond_it() {
    let bench = Bench::new();
    let mut base = ExpectedVersion::Absent;
    let mut ids = Vec::new();
    for _ in 0..WRITE_CHAIN + 2 {
        let commit = bench.commit(&base).await.unwrap();
        let chain: Vec<_> = chain_of(&commit.metadata).map(str::to_owned).collect();
        let newest_first: Vec<_> = ids.iter().rev().take(WRITE_CHAIN).cloned().collect();
        assert_eq!(chain, newest_first);
        ids.push(commit.metadata[WRITE_ID].clone());
        base = next(commit);
    }
    let ExpectedVersion::Version(_, metadata) = base else { panic!("committed") };
    assert!(chain_of(&metadata).any(|id| id == ids[1]), "{WRITE_CHAIN} writes back");
    assert!(!chain_of(&metadata).any(|id| id == ids[0]), "one more");
    let size: usize = metadata.iter().map(|(name, value)| name.len() + value.len()).sum();
    assert!(size <= 2048, "S3 keeps 2 KB of metadata, this is {size}");
}

#[tokio::test]
async fn a_call_finds_its_own_write_while_the_chain_has_it() {
    let bench = Bench::new();
    let mark = |call: &str, count| WriteCallId { call: format!("{call:0>16}"), count };
    let commit = async |base: &ExpectedVersion, mark: &WriteCallId| {
        bench.ours.commit_marked(&key(), Bytes::from_static(b"x"), base, Some(mark)).await.unwrap()
    };
    let (ours, other) = (mark("a", u64::from(u32::MAX)), mark("ab", 2));
    let first = commit(&ExpectedVersion::Absent, &ours).await;
    let now = bench.memory.head(&key()).await.unwrap();
    assert_eq!(WriteCallId::find(&ours.call, &now), Some((first.clone(), ours.count)));
    assert_eq!(WriteCallId::find(&other.call, &now), None);

    let mut base = next(first);
    for _ in 0..WRITE_CHAIN {
        base = next(commit(&base, &other).await);
    }
    let now = bench.memory.head(&key()).await.unwrap();
    let (passed, count) = WriteCallId::find(&ours.call, &now).unwrap();
    assert_eq!((passed.etag, count), (None, ours.count), "others wrote after it");
    let size: usize = now.metadata.iter().map(|(name, value)| name.len() + value.len()).sum();
    assert!(size <= 2048, "S3 keeps 2 KB of metadata, this is {size}");
    commit(&base, &other).await;
    assert_eq!(WriteCallId::find(&ours.call, &bench.memory.head(&key()).await.unwrap()), None, "one more");
}

#[test]
fn an_old_tag_that_came_back_is_not_taken_for_the_base() {
    let tag = ETag::new("md5");
    let now = |metadata| ObjectMeta { size: 1, etag: tag.clone(), modified_at: jiff::Timestamp::UNIX_EPOCH, metadata };
    let base = ExpectedVersion::Version(tag.clone(), metadata("w1", &[]));
    assert!(matches!(judge("w9", &base, &now(metadata("w1", &[]))), Verdict::NeverLanded));
    let returned = metadata("w3", &["w2".to_owned(), "w1".to_owned()]);
    assert!(matches!(judge("w9", &base, &now(returned)), Verdict::Lost));
    assert!(matches!(judge("w9", &base, &now(Metadata::new())), Verdict::Unknown), "by another tool");
}

/// Many writers append a word each, over and over, to one object whose store loses requests and replies.
async fn append_all(seed: u64) {
    const WRITERS: usize = 8;
    const WORDS: usize = 5;
    let bench = Bench::new();
    bench.rival(&ExpectedVersion::Absent).await.unwrap();
    bench.faulty.randomly(Verb::Put, seed, 20, Fault::LoseReply);
    bench.faulty.randomly(Verb::Put, seed + 1000, 15, Fault::LoseRequest);
    bench.faulty.randomly(Verb::Put, seed + 2000, 15, Fault::Busy);
    bench.faulty.randomly(Verb::Head, seed, 20, Fault::Refuse);
    bench.faulty.set_latency(Duration::from_millis(5));
    let bench = &bench;
    let outcomes = join_all((0..WRITERS).map(|writer| async move {
        let mut outcomes = Vec::new();
        for number in 0..WORDS {
            let word = format!(" w{writer}n{number};");
            outcomes.push((word.clone(), append(bench, &word).await));
        }
        outcomes
    }))
    .await;
    let text = bench.text().await;
    for (word, acknowledged) in outcomes.into_iter().flatten() {
        let times = text.matches(&word).count();
        assert!(times == 1 || (times == 0 && !acknowledged), "seed {seed}: {word} is there {times} times");
    }
}

/// Whether the append was acknowledged; conflicts are tried again, as an edit does, and unknown outcomes are not.
async fn append(bench: &Bench, word: &str) -> bool {
    loop {
        let object = bench.faulty.get(&key(), GetOptions::default()).await.unwrap();
        let text = [object.bytes.as_ref(), word.as_bytes()].concat();
        match bench.ours.commit(&key(), Bytes::from(text), &ExpectedVersion::version(&object.meta)).await {
            Ok(_) => return true,
            Err(StoreError::PreconditionFailed) => {}
            Err(StoreError::Unavailable { outcome: Outcome::Unknown, .. }) => return false,
            Err(error) => panic!("{error:?}"),
        }
    }
}

#[tokio::test(start_paused = true)]
async fn nothing_acknowledged_is_lost_and_nothing_is_applied_twice() {
    for seed in 0..50 {
        append_all(seed).await;
    }
}

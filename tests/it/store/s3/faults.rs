//! The S3 store under trouble: what is retried, what is not, and that nothing hangs. Time is paused throughout.

use std::{sync::Arc, time::Duration};

use bytes::Bytes;
use skillmount::{
    clock::SystemClock,
    error::{Code, Outcome},
    limits::{ATTEMPT_TIMEOUT, OPERATION_TIMEOUT, READ_ATTEMPTS},
    path::{ETag, KeyPrefix, ObjectKey},
    store::{
        Cause, Committer, DeleteOptions, ExpectedVersion, GetOptions, ListOptions, MemoryStore, PutCondition,
        PutOptions, Store, StoreError,
    },
};
use tokio::time::Instant;

use crate::support::{
    s3_in_process::{conditional_deletes, s3_tagged_by_content, s3_with_options, s3_with_script},
    s3_script::Fault,
};

const CONTENT: &str = "the quick brown fox";

fn key() -> ObjectKey {
    KeyPrefix::all().key("u1/threads/s1/notes.md").unwrap()
}

fn put_options(condition: PutCondition) -> PutOptions {
    PutOptions::default().with_condition(condition)
}

async fn outcome_of_put(fault: Fault, condition: PutCondition) -> StoreError {
    let (s3, _, script) = s3_with_script();
    script.add(&fault, 1);
    let error = s3.put(&key(), Bytes::from_static(b"new"), put_options(condition)).await.unwrap_err();
    assert_eq!(script.take_methods(), ["PUT"], "a put is sent once: {fault:?}");
    error
}

fn is_unknown(error: &StoreError) -> bool {
    matches!(error, StoreError::Unavailable { outcome: Outcome::Unknown, .. })
}

fn is_not_applied(error: &StoreError) -> bool {
    matches!(error, StoreError::Unavailable { outcome: Outcome::NotApplied, .. })
}

/// Troubles after which a read is tried again.
fn passing() -> Vec<Fault> {
    vec![
        Fault::ResetBefore,
        Fault::ReplyLost,
        Fault::NoAnswer,
        Fault::Refused(503, "SlowDown"),
        Fault::Refused(500, "InternalError"),
        Fault::Refused(409, "OperationAborted"),
        Fault::Refused(403, "RequestTimeTooSkewed"),
        Fault::Html(502),
        Fault::Html(504),
    ]
}

#[tokio::test(start_paused = true)]
async fn a_get_outlasts_every_passing_trouble_its_body_included() {
    let bodies = [Fault::Truncated(5), Fault::Stalled(5), Fault::Trickling(Duration::from_secs(3))];
    for fault in passing().into_iter().chain(bodies) {
        let (s3, memory, script) = s3_with_script();
        memory.put_raw(key().as_str(), CONTENT);
        script.add(&fault, 1);
        let got = s3.get(&key(), GetOptions::default()).await.unwrap_or_else(|error| panic!("{fault:?}: {error:?}"));
        assert_eq!(got.bytes, CONTENT, "{fault:?}");
        assert_eq!(script.take_methods(), ["GET", "GET"], "{fault:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn head_and_list_outlast_every_passing_trouble() {
    // A listing may also fail with status 200, once its headers are gone.
    for fault in passing().into_iter().chain([Fault::Refused(200, "InternalError")]) {
        let (s3, memory, script) = s3_with_script();
        memory.put_raw(key().as_str(), CONTENT);
        script.add(&fault, 1);
        let listed = s3.list(&KeyPrefix::all(), ListOptions::default()).await;
        assert_eq!(listed.unwrap_or_else(|error| panic!("{fault:?}: {error:?}")).objects.len(), 1);
        assert_eq!(script.take_methods(), ["GET", "GET"], "{fault:?}");
    }
    for fault in passing() {
        if matches!(fault, Fault::Refused(403, _)) {
            continue; // A reply to HEAD has no body, so no code tells this 403 from a refusal.
        }
        let (s3, memory, script) = s3_with_script();
        memory.put_raw(key().as_str(), CONTENT);
        script.add(&fault, 1);
        assert_eq!(s3.head(&key()).await.unwrap().size, CONTENT.len() as u64, "{fault:?}");
        assert_eq!(script.take_methods(), ["HEAD", "HEAD"], "{fault:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn reads_end_after_the_last_attempt() {
    let (s3, memory, script) = s3_with_script();
    memory.put_raw(key().as_str(), CONTENT);
    script.add(&Fault::Refused(503, "SlowDown"), READ_ATTEMPTS - 1);
    assert!(s3.get(&key(), GetOptions::default()).await.is_ok());
    assert_eq!(script.take_methods().len(), READ_ATTEMPTS);

    script.add(&Fault::Refused(503, "SlowDown"), READ_ATTEMPTS);
    assert!(is_not_applied(&s3.get(&key(), GetOptions::default()).await.unwrap_err()));
    assert_eq!(script.take_methods().len(), READ_ATTEMPTS);
}

#[tokio::test(start_paused = true)]
async fn no_read_outlives_its_operation_deadline() {
    for fault in [Fault::NoAnswer, Fault::Stalled(1), Fault::Trickling(Duration::from_secs(3))] {
        let (s3, memory, script) = s3_with_script();
        memory.put_raw(key().as_str(), CONTENT);
        script.add(&fault, READ_ATTEMPTS);
        let began = Instant::now();
        assert!(is_not_applied(&s3.get(&key(), GetOptions::default()).await.unwrap_err()), "{fault:?}");
        assert!(began.elapsed() <= OPERATION_TIMEOUT + Duration::from_millis(1), "{fault:?}: {:?}", began.elapsed());
        assert!(began.elapsed() > ATTEMPT_TIMEOUT, "{fault:?} was tried once only");
    }
}

#[tokio::test(start_paused = true)]
async fn what_will_not_pass_is_asked_once() {
    type Expected = fn(&StoreError) -> bool;
    let table: &[(Fault, Expected)] = &[
        (Fault::Refused(404, "NoSuchKey"), |error| matches!(error, StoreError::NotFound)),
        (Fault::Html(404), |error| matches!(error, StoreError::NotFound)),
        (Fault::Refused(404, "NoSuchBucket"), |error| matches!(error, StoreError::Denied(_))),
        (Fault::Refused(403, "AccessDenied"), |error| matches!(error, StoreError::Denied(_))),
        (Fault::Refused(400, "ExpiredToken"), |error| matches!(error, StoreError::Denied(_))),
        (Fault::Refused(301, "PermanentRedirect"), |error| matches!(error, StoreError::Denied(_))),
        (Fault::Refused(400, "InvalidArgument"), |error| matches!(error, StoreError::Unsupported(_))),
        (Fault::Refused(501, "NotImplemented"), |error| matches!(error, StoreError::Unsupported(_))),
        (Fault::Html(304), |error| matches!(error, StoreError::NotModified)),
        (Fault::Html(412), |error| matches!(error, StoreError::PreconditionFailed)),
    ];
    for (fault, expected) in table {
        let (s3, _, script) = s3_with_script();
        script.add(fault, 1);
        let error = s3.get(&key(), GetOptions::default()).await.unwrap_err();
        assert!(expected(&error), "{fault:?}: {error:?}");
        assert_eq!(script.take_methods(), ["GET"], "{fault:?}");
    }
    let (s3, _, script) = s3_with_script();
    script.add(&Fault::Html(404), 1);
    let error = s3.list(&KeyPrefix::all(), ListOptions::default()).await.unwrap_err();
    assert!(matches!(error, StoreError::Denied(_)), "a listing's 404 is the bucket: {error:?}");
}

// S-STORE-8: The service never serves an answer of S3 that names another version, range or length than the request.
#[tokio::test(start_paused = true)]
async fn an_answer_that_is_not_what_was_asked_for_is_asked_for_again() {
    for fault in [
        Fault::Header("etag", "\"other\""),
        Fault::Header("content-range", "bytes 5-9/19"),
        Fault::Header("content-range", "bytes 4-9/19"),
        Fault::Header("content-range", "bytes 0-4/5"),
        Fault::Header("content-length", "4"),
        Fault::Truncated(4),
    ] {
        let (s3, memory, script) = s3_with_script();
        let etag = memory.put_raw(key().as_str(), CONTENT);
        script.add(&fault, 1);
        let asked = GetOptions::pinned(etag).with_range(4..9);
        let got = s3.get(&key(), asked).await.unwrap_or_else(|error| panic!("{fault:?}: {error:?}"));
        assert_eq!((got.bytes.as_ref(), got.meta.size), (b"quick".as_slice(), 19), "{fault:?}");
        assert_eq!(script.take_methods(), ["GET", "GET"], "{fault:?}");
    }
    for fault in [Fault::Header("etag", "\"other\""), Fault::Header("content-range", "bytes 0-18/40")] {
        let (s3, memory, script) = s3_with_script();
        let etag = memory.put_raw(key().as_str(), CONTENT);
        script.add(&fault, 1);
        assert_eq!(s3.get(&key(), GetOptions::pinned(etag)).await.unwrap().bytes, CONTENT, "{fault:?}");
        assert_eq!(script.take_methods(), ["GET", "GET"], "{fault:?}");
    }
}

// S-STORE-17: The service takes no body from S3 that is shorter than its object.
#[tokio::test(start_paused = true)]
async fn a_body_that_is_cut_with_the_length_that_is_left_is_asked_for_again() {
    // The caller knows the size.
    for most in [0, 5, CONTENT.len() - 1] {
        let (s3, memory, script) = s3_with_script();
        let etag = memory.put_raw(key().as_str(), CONTENT);
        script.add(&Fault::Cut(most), 1);
        let asked = GetOptions::pinned(etag).with_size(CONTENT.len() as u64);
        assert_eq!(s3.get(&key(), asked.clone()).await.unwrap().bytes, CONTENT, "{most}");
        assert_eq!(script.take_methods(), ["GET", "GET"], "{most}");
        script.add(&Fault::Cut(most), READ_ATTEMPTS);
        let error = s3.get(&key(), asked).await.unwrap_err();
        assert_eq!(error.cause(), Some(&Cause::Misbehaving), "{most}: {error:?}");
    }
    // The tag is a digest.
    for (most, asked) in [(0, GetOptions::default()), (5, GetOptions::default()), (5, GetOptions::range(0..16 << 20))] {
        let (s3, memory, script) = s3_tagged_by_content();
        memory.put_raw(key().as_str(), CONTENT);
        script.add(&Fault::Cut(most), 1);
        assert_eq!(s3.get(&key(), asked.clone()).await.unwrap().bytes, CONTENT, "{asked:?}");
        assert_eq!(script.take_methods(), ["GET", "HEAD", "GET"], "{asked:?}");
        assert_eq!(s3.get(&key(), asked.clone()).await.unwrap().bytes, CONTENT, "{asked:?}");
        assert_eq!(script.take_methods(), ["GET"], "a body with its digest needs no HEAD");
        for _ in 0..READ_ATTEMPTS {
            script.add(&Fault::Cut(most), 1);
            // The HEAD says the true size.
            script.add(&Fault::None, 1);
        }
        let error = s3.get(&key(), asked).await.unwrap_err();
        assert_eq!(error.cause(), Some(&Cause::Misbehaving), "{most}: {error:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn tags_that_are_no_digests_cost_one_head() {
    let (s3, memory, script) = s3_tagged_by_content();
    memory.put_raw(key().as_str(), CONTENT);
    // The bytes of this answer have another MD5 than its tag, and their number is right.
    let other = Fault::Replaced("quick", "QUICK");
    for methods in [["GET", "HEAD"].as_slice(), &["GET"]] {
        script.add(&other, 1);
        script.add(&Fault::None, methods.len() - 1);
        assert_eq!(s3.get(&key(), GetOptions::default()).await.unwrap().bytes, CONTENT.replace("quick", "QUICK"));
        assert_eq!(script.take_methods(), methods);
    }
    // A key of a KMS encrypts the object, so its tag is no digest and nothing is asked.
    let (s3, memory, script) = s3_tagged_by_content();
    memory.put_raw(key().as_str(), CONTENT);
    script.add(
        &Fault::Headers(&[
            ("etag", "\"00000000000000000000000000000000\""),
            ("x-amz-server-side-encryption", "aws:kms"),
        ]),
        1,
    );
    assert_eq!(s3.get(&key(), GetOptions::default()).await.unwrap().bytes, CONTENT);
    assert_eq!(script.take_methods(), ["GET"]);
}

#[tokio::test(start_paused = true)]
async fn a_part_that_does_not_say_which_part_it_is_is_never_taken_for_the_whole() {
    let (s3, memory, script) = s3_with_script();
    memory.put_raw(key().as_str(), CONTENT);
    script.add(&Fault::Header("content-range", ""), 1);
    let got = s3.get(&key(), GetOptions::range(0..9)).await.unwrap();
    assert_eq!((got.bytes.as_ref(), got.meta.size), (b"the quick".as_slice(), 19));
    assert_eq!(script.take_methods(), ["GET", "HEAD", "GET"]);
    // A server that ignores ranges gives a small object whole.
    script.add(&Fault::Header("content-range", ""), 1);
    let got = s3.get(&key(), GetOptions::range(0..100)).await.unwrap();
    assert_eq!((got.bytes.as_ref(), got.is_whole()), (CONTENT.as_bytes(), true));
}

// S-STORE-8: The service never serves an answer of S3 that names another version, range or length than the request.
#[tokio::test(start_paused = true)]
async fn a_server_that_ignores_the_range_of_a_large_object_is_not_read_on() {
    let (s3, memory, script) = s3_with_script();
    let size = 9 << 20;
    memory.put_raw(key().as_str(), vec![b'x'; size]);
    for range in [0..4096, 0..(8 << 20)] {
        script.add(&Fault::IgnoredRange(size), READ_ATTEMPTS);
        let error = s3.get(&key(), GetOptions::range(range.clone())).await.unwrap_err();
        assert_eq!(error.cause(), Some(&Cause::Misbehaving), "{error:?}");
        assert_eq!(script.take_methods().len(), READ_ATTEMPTS);
    }
}

#[tokio::test(start_paused = true)]
async fn a_refusal_that_is_not_s3s_own_is_no_fault_of_the_path() {
    for fault in [
        Fault::Html(405),
        Fault::Html(407),
        Fault::Html(413),
        Fault::Html(421),
        Fault::Html(400),
        Fault::Refused(400, "InvalidRequest"),
        Fault::Refused(405, "MethodNotAllowed"),
    ] {
        let (s3, _, script) = s3_with_script();
        script.add(&fault, 1);
        let listed = s3.list(&KeyPrefix::all(), ListOptions::default()).await;
        assert_eq!(script.take_methods(), ["GET"], "{fault:?} is not tried again here");
        let error = listed.unwrap_err();
        let put = outcome_of_put(fault.clone(), PutCondition::Always).await;
        for error in [error, put].map(skillmount::Error::from) {
            assert_eq!((error.code(), error.code().http_status()), (Code::StoreUnavailable, 503), "{fault:?}");
            assert_eq!(error.outcome(), Some(Outcome::NotApplied), "{fault:?}");
            assert!(error.retryable(), "{fault:?}");
        }
    }
    let given_up = outcome_of_put(Fault::Html(408), PutCondition::Always).await;
    assert!(is_unknown(&given_up), "a gateway may have passed it on: {given_up:?}");
    let too_long = outcome_of_put(Fault::Refused(400, "KeyTooLongError"), PutCondition::Always).await;
    assert!(matches!(too_long, StoreError::Unsupported(_)), "{too_long:?}");
}

#[tokio::test(start_paused = true)]
async fn a_put_says_what_became_of_it() {
    let unknown = [
        Fault::ResetBefore,
        Fault::ReplyLost,
        Fault::NoAnswer,
        Fault::ReplyHangs,
        Fault::Refused(500, "InternalError"),
        Fault::Html(502),
        Fault::Html(503),
        Fault::Html(504),
    ];
    for fault in unknown {
        let error = outcome_of_put(fault.clone(), PutCondition::Always).await;
        assert!(is_unknown(&error), "{fault:?}: {error:?}");
    }
    for fault in [
        Fault::Refused(503, "SlowDown"),
        Fault::Refused(400, "RequestTimeout"),
        Fault::Refused(403, "RequestTimeTooSkewed"),
        Fault::Html(429),
    ] {
        let error = outcome_of_put(fault.clone(), PutCondition::Always).await;
        assert!(is_not_applied(&error), "{fault:?}: {error:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_put_tells_conditions_from_conflicts_and_refusals() {
    let on_base = PutCondition::IfMatch(ETag::new("m1"));
    let error = outcome_of_put(Fault::Refused(412, "PreconditionFailed"), PutCondition::IfAbsent).await;
    assert!(matches!(error, StoreError::PreconditionFailed), "{error:?}");
    let error = outcome_of_put(Fault::Refused(409, "ConditionalRequestConflict"), PutCondition::IfAbsent).await;
    assert!(matches!(error, StoreError::Busy), "{error:?}");
    let error = outcome_of_put(Fault::Refused(404, "NoSuchKey"), on_base).await;
    assert!(matches!(error, StoreError::NotFound), "{error:?}");
    let error = outcome_of_put(Fault::Html(404), PutCondition::Always).await;
    assert!(matches!(error, StoreError::Denied(_)), "nothing but the bucket can be missing: {error:?}");
    let error = outcome_of_put(Fault::Refused(403, "AccessDenied"), PutCondition::Always).await;
    assert!(matches!(error, StoreError::Denied(_)), "{error:?}");
}

#[tokio::test(start_paused = true)]
async fn a_large_put_is_given_time_by_its_size_and_no_more() {
    for (megabytes, seconds) in [(0, 5), (10, 15)] {
        let (s3, _, script) = s3_with_script();
        script.add(&Fault::NoAnswer, 1);
        let began = Instant::now();
        let bytes = Bytes::from(vec![b'x'; megabytes << 20]);
        assert!(is_unknown(&s3.put(&key(), bytes, PutOptions::default()).await.unwrap_err()));
        assert_eq!(began.elapsed().as_secs(), seconds, "{megabytes} MiB");
    }
}

async fn content(memory: &MemoryStore) -> Bytes {
    memory.get(&key(), GetOptions::default()).await.unwrap().bytes
}

/// Troubles of one put that a commit must get over, whatever its base.
fn survivable() -> Vec<Fault> {
    vec![
        Fault::ReplyLost,
        Fault::ReplyHangs,
        Fault::Refused(503, "SlowDown"),
        Fault::Refused(409, "ConditionalRequestConflict"),
    ]
}

/// Troubles of one put that did not land, which the version that is there still can show, and nothing else.
fn lost() -> Vec<Fault> {
    vec![Fault::ResetBefore, Fault::NoAnswer, Fault::Refused(500, "InternalError")]
}

#[tokio::test(start_paused = true)]
async fn a_commit_whose_reply_was_lost_succeeds_and_is_no_conflict() {
    for (fault, is_lost) in
        survivable().into_iter().map(|fault| (fault, false)).chain(lost().into_iter().map(|fault| (fault, true)))
    {
        let (s3, memory, script) = s3_with_script();
        let committer = Committer::new(Arc::new(s3), Arc::new(SystemClock::new()));
        script.add(if is_lost { &Fault::None } else { &fault }, 1);
        let created = committer.commit(&key(), Bytes::from_static(b"one"), &ExpectedVersion::Absent).await;
        let created = created.unwrap_or_else(|error| panic!("create, {fault:?}: {error:?}"));
        assert_eq!(content(&memory).await, "one", "{fault:?}");

        let base = ExpectedVersion::Version(created.etag.unwrap(), created.metadata);
        script.add(&fault, 1);
        let changed = committer.commit(&key(), Bytes::from_static(b"two"), &base).await;
        let changed = changed.unwrap_or_else(|error| panic!("change, {fault:?}: {error:?}"));
        assert_eq!(memory.head(&key()).await.unwrap().etag, changed.etag.unwrap(), "{fault:?}");
        assert_eq!(content(&memory).await, "two", "{fault:?}");
    }
}

// S-WRITE-7: If the write ids cannot decide, the answer is `unknown` and the service repeats no PUT.
#[tokio::test(start_paused = true)]
async fn a_create_in_doubt_whose_object_is_not_there_is_unknown_and_sent_once() {
    for fault in lost() {
        let (s3, _, script) = s3_with_script();
        let committer = Committer::new(Arc::new(s3), Arc::new(SystemClock::new()));
        script.add(&fault, 1);
        let error = committer.commit(&key(), Bytes::from_static(b"one"), &ExpectedVersion::Absent).await.unwrap_err();
        assert!(is_unknown(&error), "{fault:?}: {error:?}");
        assert_eq!(script.take_methods(), ["PUT", "HEAD"], "{fault:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_commit_that_somebody_else_won_is_a_conflict_even_in_doubt() {
    let (s3, memory, script) = s3_with_script();
    let s3 = Arc::new(s3);
    let committer = Committer::new(s3.clone(), Arc::new(SystemClock::new()));
    let first = committer.commit(&key(), Bytes::from_static(b"one"), &ExpectedVersion::Absent).await.unwrap();
    let base = ExpectedVersion::Version(first.etag.unwrap(), first.metadata);
    committer.commit(&key(), Bytes::from_static(b"theirs"), &base).await.unwrap();
    script.add(&Fault::ResetBefore, 1);
    let lost = committer.commit(&key(), Bytes::from_static(b"ours"), &base).await.unwrap_err();
    assert!(matches!(lost, StoreError::PreconditionFailed), "{lost:?}");
    assert_eq!(content(&memory).await, "theirs");
}

#[tokio::test(start_paused = true)]
async fn a_doubtful_delete_is_not_repeated_blindly() {
    for fault in [Fault::ReplyLost, Fault::ResetBefore, Fault::NoAnswer, Fault::Html(500)] {
        let (s3, memory, script) = s3_with_script();
        let etag = memory.put_raw(key().as_str(), CONTENT);
        script.add(&fault, 1);
        let error = s3.delete(&key(), DeleteOptions::default().with_if_match(etag)).await.unwrap_err();
        assert!(is_unknown(&error), "{fault:?}: {error:?}");
        let requests = script.take_requests();
        assert_eq!(requests.len(), 1, "{fault:?}");
        assert!(requests[0].header("if-match").is_some(), "the server may ignore it: {fault:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_delete_is_done_only_if_the_object_was_what_was_missing() {
    let (s3, _, script) = s3_with_script();
    script.add(&Fault::Refused(404, "NoSuchKey"), 1);
    s3.delete(&key(), DeleteOptions::default()).await.unwrap();
    for elsewhere in [Fault::Html(404), Fault::Refused(404, "NoSuchBucket")] {
        script.add(&elsewhere, 1);
        let error = s3.delete(&key(), DeleteOptions::default()).await.unwrap_err();
        assert!(matches!(error, StoreError::Denied(_)), "{elsewhere:?}: {error:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_delete_is_repeated_where_nothing_happened_or_a_condition_guards_it() {
    let (s3, memory, script) = s3_with_script();
    memory.put_raw(key().as_str(), CONTENT);
    script.add(&Fault::Refused(503, "SlowDown"), 1);
    s3.delete(&key(), DeleteOptions::default()).await.unwrap();
    assert!(matches!(memory.head(&key()).await, Err(StoreError::NotFound)));

    let (s3, memory, script) = s3_with_options(&conditional_deletes());
    for fault in [Fault::ReplyLost, Fault::ResetBefore] {
        let etag = memory.put_raw(key().as_str(), CONTENT);
        script.add(&fault, 1);
        s3.delete(&key(), DeleteOptions::default().with_if_match(etag)).await.unwrap();
        assert!(matches!(memory.head(&key()).await, Err(StoreError::NotFound)), "{fault:?}");
    }
}

// S-STORE-23: To delete one version of an object, the service names it in `If-Match`.
#[tokio::test(start_paused = true)]
async fn a_server_that_may_ignore_the_condition_of_a_delete_gets_it_until_it_refuses_one() {
    let (s3, memory, script) = s3_with_script();
    assert!(!s3.capabilities().conditional_delete);
    let old = memory.put_raw(key().as_str(), CONTENT);
    let new = memory.put_raw(key().as_str(), "new");
    let only = |etag: &ETag| DeleteOptions::default().with_if_match(etag.clone());
    let refused = s3.delete(&key(), only(&old)).await;
    assert!(matches!(refused, Err(StoreError::PreconditionFailed)), "{refused:?}");

    // If the condition may have been ignored, a second request could delete a newer version.
    script.add(&Fault::ResetBefore, 1);
    let error = s3.delete(&key(), only(&new)).await.unwrap_err();
    assert!(matches!(error, StoreError::Unavailable { outcome: Outcome::Unknown, .. }), "{error:?}");
    script.take_methods();

    script.add(&Fault::Refused(501, "NotImplemented"), 1);
    s3.delete(&key(), only(&new)).await.unwrap();
    assert!(matches!(memory.head(&key()).await, Err(StoreError::NotFound)));
    assert_eq!(script.take_methods(), ["DELETE", "DELETE"]);
    memory.put_raw(key().as_str(), "newer");
    s3.delete(&key(), only(&new)).await.unwrap();
    assert_eq!(script.take_methods(), ["DELETE"], "the server is asked without the condition by now");
}

/// The tags of a session.
fn tagged() -> PutOptions {
    PutOptions::default().with_tags([("skillmount".to_owned(), "session".to_owned())].into())
}

// S-SESSION-17: If the bucket refuses tags, the service writes sessions without a tag.
#[tokio::test(start_paused = true)]
async fn a_bucket_that_refuses_tags_is_written_untagged_and_asked_once() {
    let (s3, memory, script) = s3_with_script();
    s3.put(&key(), "one".into(), tagged()).await.unwrap();
    assert_eq!(memory.tags_of(key().as_str()).unwrap()["skillmount"], "session");
    assert_eq!(script.take_methods(), ["PUT"]);
    script.add(&Fault::Refused(403, "AccessDenied"), 1);
    s3.put(&key(), "two".into(), tagged()).await.unwrap();
    assert!(memory.tags_of(key().as_str()).unwrap().is_empty());
    assert_eq!(script.take_methods(), ["PUT", "PUT"]);
    s3.put(&key(), "three".into(), tagged()).await.unwrap();
    assert_eq!(script.take_methods(), ["PUT"], "it is known by now");
    assert!(memory.tags_of(key().as_str()).unwrap().is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_bucket_that_refuses_the_put_itself_is_not_taken_for_one_that_refuses_tags() {
    let (s3, memory, script) = s3_with_script();
    script.add(&Fault::Refused(403, "AccessDenied"), 2);
    let refused = s3.put(&key(), "one".into(), tagged()).await;
    assert!(matches!(refused, Err(StoreError::Denied(_))), "{refused:?}");
    s3.put(&key(), "two".into(), tagged()).await.unwrap();
    assert_eq!(memory.tags_of(key().as_str()).unwrap().len(), 1);
    script.add(&Fault::Refused(412, "PreconditionFailed"), 1);
    script.take_methods();
    assert!(s3.put(&key(), "three".into(), tagged()).await.is_err());
    assert_eq!(script.take_methods(), ["PUT"], "a condition that does not hold has nothing to do with tags");
}

#[tokio::test(start_paused = true)]
async fn a_server_that_lists_no_versions_or_keeps_some_says_so() {
    let (s3, memory, script) = s3_with_script();
    memory.put_raw("u1/a", "x");
    let prefix = KeyPrefix::all().folder("u1").unwrap();
    script.add(&Fault::Refused(501, "NotImplemented"), 1);
    assert!(matches!(s3.purge(&prefix).await, Err(StoreError::Unsupported(_))));
    script.add(&Fault::None, 1);
    script.add(&Fault::Refused(403, "AccessDenied"), 1);
    let purged = s3.purge(&prefix).await.unwrap();
    assert!(purged.removed.is_empty() && matches!(purged.failed, Some(StoreError::Denied(_))), "{purged:?}");
    let purged = s3.purge(&prefix).await.unwrap();
    assert_eq!((purged.removed.len(), purged.removed[0].is_object), (1, true));
}

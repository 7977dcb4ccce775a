//! What the S3 store says on the wire, and that odd keys, ranges and pages survive it.

use std::sync::Arc;

use bytes::Bytes;
use skillmount::{
    path::{ETag, KeyPrefix, ObjectKey},
    store::{
        GetOptions, ListOptions, Metadata, PageToken, PutCondition, PutOptions, S3Options, Store, StoreError, StoreExt,
        StoreResult,
        testing::{conformance, conformance_of_two},
    },
};

use crate::support::{
    s3_in_process::{s3_in_process, s3_with_options, s3_with_script},
    s3_script::Fault,
};

fn key(text: &str) -> ObjectKey {
    KeyPrefix::all().key(text).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn s3_conforms_with_conditional_deletes_and_without() {
    let one = conformance(Arc::new(s3_in_process().0), &KeyPrefix::all()).await;
    let other = conformance(Arc::new(s3_with_script().0), &KeyPrefix::all().folder("some/prefix").unwrap()).await;
    assert_eq!([one.excused, other.excused], [vec![], vec!["a_conditional_delete_needs_its_version"]]);
}

#[tokio::test(flavor = "multi_thread")]
async fn s3_conforms_behind_two_handles() {
    let (s3, _memory) = s3_in_process();
    conformance_of_two(|| Arc::new(s3.clone()), &KeyPrefix::all()).await;
}

/// Everything that XML, URLs or form encoding treat specially.
const ODD_KEYS: &[&str] = &[
    "a b+c%20&=?#/x",
    "a+b",
    "a%2Bb",
    "é/ñ🦀",
    "e\u{301}",
    "[...slug].ts",
    "~'()*!:@,;$\"<>]]>",
    "k&amp;&#x41;",
    " leading/ and trailing ",
    "\u{2028}\u{202e}",
];

#[tokio::test]
async fn odd_keys_come_back_byte_for_byte_in_one_request() {
    let (s3, _, script) = s3_with_script();
    for text in ODD_KEYS {
        s3.put(&key(text), Bytes::from(*text), PutOptions::default()).await.unwrap();
        assert_eq!(s3.get(&key(text), GetOptions::default()).await.unwrap().bytes, text);
    }
    script.take_requests();
    let mut expected = ODD_KEYS.to_vec();
    expected.sort_unstable();
    let (listed, more) = s3.list_all(&KeyPrefix::all(), 100).await.unwrap();
    assert_eq!(listed.iter().map(|entry| entry.key.as_str()).collect::<Vec<_>>(), expected);
    assert!(!more);
    assert_eq!(script.take_methods(), ["GET"]);
}

#[tokio::test]
async fn a_key_that_xml_cannot_carry_does_not_hide_the_others() {
    let (s3, memory) = s3_in_process();
    for text in ODD_KEYS.iter().copied().chain(["bell\u{7}/and\u{1}", "not a character\u{ffff}"]) {
        memory.put_raw(text, "");
    }
    let (listed, _) = s3.list_all(&KeyPrefix::all(), 100).await.unwrap();
    let mut expected = ODD_KEYS.to_vec();
    expected.extend(["bell\u{7}/and\u{1}", "not a character\u{ffff}"]);
    expected.sort_unstable();
    assert_eq!(listed.iter().map(|entry| entry.key.as_str()).collect::<Vec<_>>(), expected);

    let options = ListOptions::default().with_delimiter();
    let top = s3.list(&KeyPrefix::all(), options).await.unwrap();
    assert_eq!(top.folders, [" leading/", "a b+c%20&=?#/", "bell\u{7}/", "é/"]);
}

#[tokio::test]
async fn pages_follow_each_other_without_gap_or_repeat() {
    let (s3, memory, script) = s3_with_script();
    let names: Vec<String> = (0..25).map(|at| format!("p/{at:02} +.md")).collect();
    for name in &names {
        memory.put_raw(name, "");
    }
    let prefix = KeyPrefix::all().folder("p").unwrap();
    let mut found = Vec::new();
    let mut options = ListOptions::default().with_max_entries(10);
    loop {
        let page = s3.list(&prefix, options.clone()).await.unwrap();
        found.extend(page.objects.into_iter().map(|entry| entry.key));
        options.page = page.next;
        if options.page.is_none() {
            break;
        }
    }
    assert_eq!(found, names);
    assert_eq!(script.take_methods().len(), 3);

    let options = ListOptions::default().with_start_after("p/22 +.md");
    let rest = s3.list(&prefix, options).await.unwrap();
    assert_eq!(rest.objects.iter().map(|entry| entry.key.as_str()).collect::<Vec<_>>(), ["p/23 +.md", "p/24 +.md"]);
}

#[tokio::test]
async fn a_server_that_cannot_read_its_own_token_is_asked_by_key() {
    let (s3, memory, script) = s3_with_script();
    for name in ["a", "b/1", "b/2", "c"] {
        memory.put_raw(name, "");
    }
    let options = ListOptions::default().with_delimiter().with_max_entries(2);
    let first = s3.list(&KeyPrefix::all(), options.clone()).await.unwrap();
    assert_eq!(first.folders, ["b/"]);
    script.take_requests();
    script.add(&Fault::Refused(500, "InternalError"), 1);
    let second = s3.list(&KeyPrefix::all(), options.with_page(first.next)).await.unwrap();
    assert_eq!(second.objects.iter().map(|entry| entry.key.as_str()).collect::<Vec<_>>(), ["c"]);
    assert_eq!((second.folders.len(), second.next), (0, None));
    assert_eq!(script.take_methods().len(), 2);

    let foreign = ListOptions::default().with_page(Some(PageToken("x".to_owned())));
    assert!(matches!(s3.list(&KeyPrefix::all(), foreign).await, Err(StoreError::Unsupported(_))));
}

#[tokio::test]
async fn ranges_are_cut_at_the_end_and_refused_beyond_it() {
    let (s3, memory) = s3_in_process();
    memory.put_raw("k", "0123456789");
    let get = async |range| -> StoreResult<Bytes> { Ok(s3.get(&key("k"), GetOptions::range(range)).await?.bytes) };
    assert_eq!(get(0..4).await.unwrap(), "0123");
    assert_eq!(get(8..100).await.unwrap(), "89");
    assert_eq!(get(0..u64::MAX).await.unwrap(), "0123456789");
    assert_eq!(get(3..3).await.unwrap(), "");
    for beyond in [10..11, 10..10, u64::MAX - 1..u64::MAX] {
        assert!(matches!(get(beyond.clone()).await, Err(StoreError::RangeNotSatisfiable)), "{beyond:?}");
    }
    let part = s3.get(&key("k"), GetOptions::range(2..5)).await.unwrap();
    assert_eq!((part.range.clone(), part.meta.size, part.is_whole()), (2..5, 10, false));
}

#[tokio::test]
async fn a_range_from_the_start_of_an_empty_object_gives_no_bytes_for_one_request_more() {
    let (s3, memory, script) = s3_with_script();
    let etag = memory.put_raw("empty", "");
    let got = s3.get(&key("empty"), GetOptions::range(0..10)).await.unwrap();
    assert_eq!((got.bytes.len(), got.range, got.meta.size, &got.meta.etag), (0, 0..0, 0, &etag));
    assert_eq!(script.take_methods(), ["GET", "HEAD"]);
    let other = GetOptions::pinned(ETag::new("other")).with_range(0..10);
    assert!(matches!(s3.get(&key("empty"), other).await, Err(StoreError::PreconditionFailed)));
    let beyond = s3.get(&key("empty"), GetOptions::range(1..2)).await;
    assert!(matches!(beyond, Err(StoreError::RangeNotSatisfiable)));
}

#[tokio::test]
async fn conditions_go_out_with_quotes_and_tags_come_back_without() {
    let (s3, _, script) = s3_with_script();
    let create = PutOptions::default().with_condition(PutCondition::IfAbsent);
    let etag = s3.put(&key("k"), Bytes::new(), create).await.unwrap().etag;
    assert!(!etag.as_str().contains('"'));
    let change = PutOptions::default().with_condition(PutCondition::IfMatch(etag.clone()));
    s3.put(&key("k"), Bytes::new(), change).await.unwrap();
    let unchanged = GetOptions::default().with_if_none_match(etag.clone());
    s3.get(&key("k"), unchanged).await.unwrap();
    let requests = script.take_requests();
    let quoted = format!("\"{etag}\"");
    assert_eq!(requests[0].header("if-none-match"), Some("*"));
    assert_eq!(requests[1].header("if-match"), Some(quoted.as_str()));
    assert_eq!(requests[2].header("if-none-match"), Some(quoted.as_str()));
}

#[tokio::test]
async fn a_range_that_means_all_of_a_small_object_is_asked_for_without_one() {
    let (s3, _, script) = s3_with_script();
    s3.put(&key("k"), Bytes::from("small"), PutOptions::default()).await.unwrap();
    script.take_requests();
    let object = s3.get(&key("k"), GetOptions::range(0..16 << 20)).await.unwrap();
    assert!(object.is_whole() && object.bytes == "small");
    assert_eq!(script.take_requests().iter().map(|seen| seen.header("range").is_some()).collect::<Vec<_>>(), [false]);

    s3.put(&key("big"), Bytes::from(vec![b'x'; 10 << 20]), PutOptions::default()).await.unwrap();
    script.take_requests();
    let object = s3.get(&key("big"), GetOptions::range(0..9 << 20)).await.unwrap();
    assert_eq!((object.bytes.len(), object.meta.size), (9 << 20, 10 << 20));
    assert_eq!(
        script.take_requests().iter().map(|seen| seen.header("range").is_some()).collect::<Vec<_>>(),
        [false, true]
    );
}

#[tokio::test]
async fn metadata_and_the_kms_key_are_sent() {
    let kms = S3Options { sse_kms_key_id: Some("alias/k1".to_owned()), ..S3Options::default() };
    let (s3, memory, script) = s3_with_options(&kms);
    let metadata = Metadata::from([("skillmount-write-id".to_owned(), "7".to_owned())]);
    let options = PutOptions::default().with_metadata(metadata.clone());
    s3.put(&key("k"), Bytes::new(), options).await.unwrap();
    assert_eq!(memory.head(&key("k")).await.unwrap().metadata, metadata);
    assert_eq!(s3.head(&key("k")).await.unwrap().metadata, metadata);
    let put = &script.take_requests()[0];
    assert_eq!(put.header("x-amz-server-side-encryption"), Some("aws:kms"));
    assert_eq!(put.header("x-amz-server-side-encryption-aws-kms-key-id"), Some("alias/k1"));
}

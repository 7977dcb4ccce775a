//! Listings that come cut, miscounted, out of place or twice. Callers take a file that a listing lacks for deleted, so none
//! of these may count.

use std::sync::Arc;

use skillmount::{
    limits::READ_ATTEMPTS,
    path::KeyPrefix,
    store::{Cause, ListOptions, MemoryStore, S3Store, Store, StoreError, StoreExt as _},
};

use crate::support::{
    s3_in_process::s3_with_script,
    s3_script::{Fault, Script},
};

/// Files and a folder of one user, and a file of another.
fn bucket() -> (S3Store, Arc<MemoryStore>, Arc<Script>) {
    let (s3, memory, script) = s3_with_script();
    for key in ["u1/a", "u1/b", "u1/c/1", "u1/c/2", "u2/a"] {
        memory.put_raw(key, "text");
    }
    (s3, memory, script)
}

fn folder() -> KeyPrefix {
    KeyPrefix::all().folder("u1").unwrap()
}

fn is_misbehaving(error: &StoreError) -> bool {
    error.cause() == Some(&Cause::Misbehaving)
}

/// The troubles of a listing of `u1/` with folders rolled up.
fn troubles() -> Vec<Fault> {
    vec![
        Fault::Replaced("<Contents><ETag>", "<Contents"),
        Fault::Replaced("</Contents>", ""),
        Fault::Replaced("</ListBucketResult>", ""),
        Fault::Replaced("<KeyCount>3<", "<KeyCount>4<"),
        Fault::Replaced("<KeyCount>3<", "<KeyCount>0<"),
        Fault::Replaced("<Key>u1/b", "<Key>u2/b"),
        Fault::Replaced("<Prefix>u1/c/</Prefix></CommonPrefixes>", "<Prefix>u2/</Prefix></CommonPrefixes>"),
        Fault::Replaced("<IsTruncated>false", "<IsTruncated>true"),
    ]
}

// S-STORE-16: A listing of S3 counts only if it is complete.
#[tokio::test(start_paused = true)]
async fn a_listing_that_is_cut_or_contradicts_itself_is_asked_for_again() {
    for fault in troubles() {
        let (s3, _, script) = bucket();
        script.add(&fault, 1);
        let page = s3.list(&folder(), ListOptions::default().with_delimiter()).await;
        let page = page.unwrap_or_else(|error| panic!("{fault:?}: {error:?}"));
        assert_eq!((page.objects.len(), page.folders), (2, vec!["u1/c/".to_owned()]), "{fault:?}");
        assert_eq!(script.take_methods().len(), 2, "{fault:?}");

        script.add(&fault, READ_ATTEMPTS);
        let error = s3.list(&folder(), ListOptions::default().with_delimiter()).await.unwrap_err();
        assert!(is_misbehaving(&error), "{fault:?}: {error:?}");
        assert_eq!(script.take_methods().len(), READ_ATTEMPTS, "{fault:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_listing_that_is_cut_at_any_byte_with_the_length_that_is_left_never_counts() {
    let (s3, _, script) = bucket();
    let whole = s3.list(&folder(), ListOptions::default()).await.unwrap();
    let length = script.last_body_length();
    for most in (0..length).step_by(7).chain([length - 1]) {
        script.add(&Fault::Cut(most), 1);
        let page = s3.list(&folder(), ListOptions::default()).await;
        assert_eq!(page.unwrap_or_else(|error| panic!("{most}: {error:?}")), whole, "cut after {most} bytes");
    }
}

#[tokio::test(start_paused = true)]
async fn a_count_of_the_keys_alone_is_no_contradiction() {
    let (s3, _, script) = bucket();
    for to in ["<KeyCount>2<", "<Other>3</Other><KeyCount>3<"] {
        script.add(&Fault::Replaced("<KeyCount>3<", to), 1);
        let page = s3.list(&folder(), ListOptions::default().with_delimiter()).await.unwrap();
        assert_eq!((page.objects.len(), page.folders.len()), (2, 1), "{to}");
    }
    script.add(&Fault::Replaced("<KeyCount>3</KeyCount>", ""), 1);
    assert_eq!(s3.list(&folder(), ListOptions::default().with_delimiter()).await.unwrap().objects.len(), 2);
}

/// A server that ignores the token of a page would otherwise be listed for ever.
#[tokio::test(start_paused = true)]
async fn a_page_that_comes_again_ends_the_listing() {
    let (s3, memory, script) = s3_with_script();
    for at in 0..1500 {
        memory.put_raw(&format!("u1/{at:04}"), "");
    }
    script.add(&Fault::None, 1);
    script.add(&Fault::Repeated, 100);
    let error = s3.list_all(&folder(), 10_000).await.unwrap_err();
    assert!(is_misbehaving(&error), "{error:?}");
    assert_eq!(script.take_methods().len(), 1 + READ_ATTEMPTS);

    let (s3, _, script) = bucket();
    let after = ListOptions::default().with_start_after("u1/b");
    assert_eq!(s3.list(&folder(), after.clone()).await.unwrap().objects.len(), 2);
    script.add(&Fault::Replaced("<Key>u1/c/1", "<Key>u1/a"), READ_ATTEMPTS);
    assert!(is_misbehaving(&s3.list(&folder(), after).await.unwrap_err()));
}

/// Servers of S3 give such pages, for example if a page has only names that the prefix excludes.
#[tokio::test(start_paused = true)]
async fn an_empty_page_that_names_the_next_one_is_no_end() {
    let (s3, _, script) = bucket();
    let first = s3.list(&folder(), ListOptions::default().with_max_entries(1)).await.unwrap();
    assert_eq!(first.objects[0].key, "u1/a");
    // The server's own token lies behind the end of the page.
    let token = first.next.as_ref().and_then(|token| token.0.rsplit('\0').next()).unwrap();
    script.take_methods();
    let empty = format!(
        "<ListBucketResult><KeyCount>0</KeyCount><IsTruncated>true</IsTruncated>\
         <NextContinuationToken>{token}</NextContinuationToken></ListBucketResult>"
    );
    script.add(&Fault::Xml(empty), 1);
    let (entries, has_more) = s3.list_all(&folder(), 100).await.unwrap();
    let keys: Vec<_> = entries.iter().map(|entry| entry.key.as_str()).collect();
    assert_eq!((keys, has_more), (vec!["u1/b", "u1/c/1", "u1/c/2"], false));
    assert_eq!(script.take_methods().len(), 2);
}

/// A server that knows only the first version of the listing, or that names a next page after the last one.
#[tokio::test(start_paused = true)]
async fn a_page_without_a_token_is_cut_and_a_token_after_the_last_page_is_ignored() {
    let (s3, _, script) = bucket();
    let first_version =
        "<ListBucketResult><IsTruncated>true</IsTruncated><NextMarker>u1/a</NextMarker></ListBucketResult>";
    script.add(&Fault::Xml(first_version.to_owned()), READ_ATTEMPTS);
    assert!(is_misbehaving(&s3.list(&folder(), ListOptions::default()).await.unwrap_err()));
    let last = "<ListBucketResult><IsTruncated>false</IsTruncated>\
                <NextContinuationToken>75312f61</NextContinuationToken></ListBucketResult>";
    script.add(&Fault::Xml(last.to_owned()), 1);
    assert_eq!(s3.list(&folder(), ListOptions::default()).await.unwrap().next, None);
}

#[tokio::test(start_paused = true)]
async fn a_listing_of_versions_that_is_cut_or_of_others_removes_nothing() {
    let all = ["u1/a", "u1/b", "u1/c/1", "u1/c/2", "u2/a"];
    for fault in [
        Fault::Replaced("</ListVersionsResult>", ""),
        Fault::Replaced("</Version>", ""),
        Fault::Replaced("<Key>u1/a", "<Key>u2/a"),
    ] {
        let (s3, memory, script) = bucket();
        // Each attempt asks once more in URL encoding.
        script.add(&fault, 2 * READ_ATTEMPTS);
        let error = s3.purge(&folder()).await.unwrap_err();
        assert!(is_misbehaving(&error), "{fault:?}: {error:?}");
        let left = memory.list_all(&KeyPrefix::all(), 100).await.unwrap().0;
        assert_eq!(left.iter().map(|entry| entry.key.as_str()).collect::<Vec<_>>(), all, "{fault:?}");
    }
}

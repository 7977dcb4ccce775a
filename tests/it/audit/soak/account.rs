//! What callers were told, held against the records.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;
use skillmount::wire::{AuditFile, AuditRecord};

use super::{END, LOG};
use crate::audit::digest;

/// What a record must say was there before.
#[derive(Clone, Debug)]
pub(super) enum Before {
    /// Nothing.
    Nothing,
    /// This version, which the service has seen.
    Seen(String),
    /// This version, or null if the service had no need to look.
    Perhaps(String),
    /// Some version that another caller made.
    Another,
}

/// A change that was acknowledged.
#[derive(Clone, Debug)]
pub(super) struct Said {
    pub(super) session: Option<String>,
    pub(super) operation: &'static str,
    /// The path of the file, or that of the skill; empty if it was about neither.
    pub(super) name: String,
    /// What was there before, SHA-256 of what is there now, and its version, as far as they were told.
    pub(super) file: Option<(Before, Option<String>, Option<String>)>,
}

type Key = (Option<String>, String, String, Option<String>);

/// Checks that every change has exactly one record, with the right digests. Returns how many changes there were of each kind.
pub(super) fn check(records: &[AuditRecord], said: &[Said]) -> BTreeMap<&'static str, usize> {
    let mut known: BTreeMap<Key, Vec<Option<&AuditFile>>> = BTreeMap::new();
    for record in records.iter().filter(|record| record.outcome == "ok") {
        let key = |name: &str, file: Option<&AuditFile>| {
            let after = file.and_then(|file| file.after.clone());
            (record.session.clone(), record.operation.clone(), name.to_owned(), after)
        };
        if record.files.is_empty() {
            let name = record.skill.as_ref().map_or("", |skill| skill.skill.as_str());
            known.entry(key(name, None)).or_default().push(None);
        }
        for file in &record.files {
            known.entry(key(&file.path, Some(file))).or_default().push(Some(file));
        }
    }
    let mut counts = BTreeMap::new();
    for one in said {
        *counts.entry(one.operation).or_default() += 1;
        if one.name == LOG {
            continue;
        }
        let after = one.file.as_ref().and_then(|(_, after, _)| after.clone());
        let key = (one.session.clone(), one.operation.to_owned(), one.name.clone(), after);
        let found = known.get(&key).map_or(&[][..], Vec::as_slice);
        assert_eq!(found.len(), 1, "{one:?} has the records {found:?}");
        match (&one.file, found[0]) {
            (None, None) => {}
            (Some((before, _, tag)), Some(file)) => {
                assert!(before.is(file.before.as_deref()), "{one:?} has the record {file:?}");
                assert!(tag.is_none() || file.etag == *tag, "{one:?} has the record {file:?}");
            }
            other => panic!("{one:?}: {other:?}"),
        }
    }
    counts
}

impl Before {
    fn is(&self, recorded: Option<&str>) -> bool {
        match self {
            Self::Nothing => recorded.is_none(),
            Self::Seen(version) => recorded == Some(version),
            Self::Perhaps(version) => recorded.is_none_or(|recorded| recorded == version),
            Self::Another => recorded.is_some(),
        }
    }
}

/// Checks the file that all callers edit: each edit has its record, each version before was made by another record, but for
/// those that a kill left without one, and the last record says what is there.
pub(super) fn check_log(records: &[AuditRecord], said: &[Said], now: &Value, kills: usize) {
    let of_log = |record: &&AuditRecord| record.outcome == "ok" && record.files.iter().any(|file| file.path == LOG);
    let records: Vec<_> = records.iter().filter(of_log).collect();
    let versions: BTreeSet<_> = records.iter().filter_map(|record| record.files[0].etag.clone()).collect();
    for one in said.iter().filter(|one| one.name == LOG && one.operation == "edit") {
        let own = records.iter().filter(|record| record.session == one.session && record.operation == "edit");
        let (_, _, tag) = one.file.clone().unwrap();
        let tag = tag.expect("an edit that was told has a version");
        assert_eq!(own.filter(|record| record.files[0].etag.as_ref() == Some(&tag)).count(), 1, "{one:?}");
    }
    let edits = records.iter().filter(|record| record.operation == "edit");
    let before: BTreeSet<_> =
        edits.map(|record| record.files[0].before.clone().expect("an edit reads first")).collect();
    let unknown: Vec<_> = before.difference(&versions).collect();
    assert!(unknown.len() <= kills, "versions that no record made: {unknown:?}");
    let content = now["content"].as_str().unwrap();
    assert!(content.ends_with(END) && now["next_offset"].is_null(), "{now}");
    let last = records.iter().find(|record| record.files[0].etag.as_deref() == now["etag"].as_str());
    let last = last.expect("the last version has a record");
    assert_eq!(last.files[0].after, Some(digest(content)));
}

#[test]
fn a_record_that_is_missing_there_twice_or_wrong_is_seen() {
    let file = |before: Option<&str>, after: &str, etag: &str| AuditFile {
        path: "/workspace/a".to_owned(),
        before: before.map(str::to_owned),
        after: Some(after.to_owned()),
        etag: Some(etag.to_owned()),
    };
    let record = |outcome: &str, files: Vec<AuditFile>| AuditRecord {
        operation: "write".to_owned(),
        session: Some("s1".to_owned()),
        outcome: outcome.to_owned(),
        files,
        ..AuditRecord::default()
    };
    let said = |before| Said {
        session: Some("s1".to_owned()),
        operation: "write",
        name: "/workspace/a".to_owned(),
        file: Some((before, Some("digest".to_owned()), Some("two".to_owned()))),
    };
    let holds = |records: Vec<AuditRecord>, before: Before| {
        let said = [said(before)];
        std::panic::catch_unwind(|| check(&records, &said)).is_ok()
    };
    let seen = || Before::Seen("one".to_owned());
    let right = || record("ok", vec![file(Some("one"), "digest", "two")]);
    assert!(holds(vec![right()], seen()) && holds(vec![right()], Before::Perhaps("one".to_owned())));
    assert!(holds(vec![record("ok", vec![file(None, "digest", "two")])], Before::Perhaps("one".to_owned())));
    for wrong in [
        vec![],
        vec![right(), right()],
        vec![record("ok", vec![])],
        vec![record("store_unavailable", vec![file(Some("one"), "digest", "two")])],
        vec![record("ok", vec![file(None, "digest", "two")])],
        vec![record("ok", vec![file(Some("another"), "digest", "two")])],
        vec![record("ok", vec![file(Some("one"), "another", "two")])],
        vec![record("ok", vec![file(Some("one"), "digest", "another")])],
    ] {
        assert!(!holds(wrong.clone(), seen()), "{wrong:?}");
    }
    assert!(!holds(vec![right()], Before::Nothing));
}

//! About how many bytes of memory parts of a catalog take: the content of strings and lists, and the overhead of each
//! block.

use std::{mem::size_of, sync::Arc};

use serde_json::{Map, Value};

use super::{
    discover::{Discovery, Record},
    entry::{CatalogDiagnostic, CatalogEntry},
    view::CatalogView,
};
use crate::{
    budget::weight::{BLOCK, text},
    skill::{Diagnostic, Frontmatter},
};

/// The two counters of an `Arc`.
const COUNTERS: usize = 2 * size_of::<usize>();

/// A reading: its catalog and its records. Records count twice, because the process also remembers the content of the
/// index in the bucket.
pub(super) fn of_discovery(discovery: &Discovery) -> usize {
    let view = discovery.view();
    let entries: usize = view.entries.iter().map(|entry| of_entry(entry)).sum();
    let records: usize = discovery.readings().records.iter().map(of_record).sum();
    entries + of_view(view) + 2 * records
}

/// A catalog without its entries, which are shared.
pub(super) fn of_view(view: &CatalogView) -> usize {
    let diagnostics: usize = view.diagnostics.iter().map(of_finding).sum();
    size_of::<CatalogView>() + view.entries.len() * size_of::<Arc<CatalogEntry>>() + diagnostics
}

/// One skill of a catalog.
pub(super) fn of_entry(entry: &CatalogEntry) -> usize {
    let CatalogEntry { skill, frontmatter, opening, headings, etag, fingerprint, shadows, .. } = entry;
    let shared = text(skill.as_str()) + text(etag.as_str()) + 2 * COUNTERS;
    let shared = shared + fingerprint.as_ref().map_or(0, |one| text(one.as_str()));
    let texts = text(opening) + text(headings) + shadows.len();
    BLOCK + COUNTERS + size_of::<CatalogEntry>() + shared + texts + of_frontmatter(frontmatter)
}

/// The heap memory of a frontmatter.
fn of_frontmatter(frontmatter: &Frontmatter) -> usize {
    let Frontmatter { name, description, license, compatibility, metadata, when_to_use, level, argument_hint, .. } =
        frontmatter;
    let optional = [name, license, compatibility, when_to_use, level, argument_hint];
    let optional: usize = optional.into_iter().flatten().map(|one| text(one)).sum();
    let lists = [&frontmatter.allowed_tools, &frontmatter.triggers, &frontmatter.tags, &frontmatter.keywords];
    let lists: usize = lists.into_iter().map(|list| texts(list)).sum();
    let pair = |(key, value): (&String, &String)| 2 * size_of::<String>() + text(key) + text(value);
    let metadata: usize = metadata.iter().map(pair).sum();
    let parameter = |one: &crate::skill::Parameter| {
        size_of_val(one) + text(&one.name) + text(&one.description) + one.default.as_deref().map_or(0, text)
    };
    let parameters: usize = frontmatter.parameters.iter().map(parameter).sum();
    text(description) + optional + lists + metadata + parameters + of_fields(&frontmatter.fields)
}

fn of_fields(fields: &Map<String, Value>) -> usize {
    // An ordered map keeps a hash and a table slot with each pair.
    let pair = size_of::<(String, Value)>() + 3 * size_of::<usize>();
    fields.iter().map(|(key, value)| pair + text(key) + of_value(value)).sum()
}

fn of_value(value: &Value) -> usize {
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => 0,
        Value::String(string) => text(string),
        Value::Array(items) => BLOCK + items.iter().map(|item| size_of::<Value>() + of_value(item)).sum::<usize>(),
        Value::Object(fields) => 2 * BLOCK + of_fields(fields),
    }
}

fn of_record(record: &Record) -> usize {
    size_of::<Record>() + record.diagnostics.iter().map(of_diagnostic).sum::<usize>()
}

fn of_finding(found: &CatalogDiagnostic) -> usize {
    size_of::<String>() + text(&found.skill) + of_diagnostic(&found.diagnostic)
}

fn of_diagnostic(found: &Diagnostic) -> usize {
    size_of::<Diagnostic>() + text(&found.code) + text(&found.message)
}

fn texts(list: &[String]) -> usize {
    list.iter().map(|one| size_of::<String>() + text(one)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        catalog::discover,
        clock::SystemClock,
        limits::SKILL_OPENING_BYTES,
        path::{Id, Namespace},
        store::MemoryStore,
    };

    async fn weight_of(frontmatter: &str, body: &str) -> usize {
        let store = MemoryStore::new();
        store.put_raw("u1/skills/a/SKILL.md", format!("---\n{frontmatter}\n---\n{body}"));
        let space = Namespace::parse("").unwrap().user(&Id::parse("u1").unwrap()).unwrap();
        let found = discover(&store, &space, &SystemClock::new(), None).await.unwrap();
        of_entry(&found.view().entries[0])
    }

    #[tokio::test]
    async fn every_text_that_is_kept_counts_as_often_as_it_is_kept() {
        let least = weight_of("name: a\ndescription: d", "").await;
        assert!((size_of::<CatalogEntry>()..2048).contains(&least), "{least}");
        let word = "x".repeat(10_000);
        for (frontmatter, body, times) in [
            // Once as a value of its own and once among the fields.
            (format!("name: a\ndescription: {word}"), String::new(), 2),
            (format!("name: a\ndescription: d\nwhen_to_use: {word}"), String::new(), 2),
            (format!("name: a\ndescription: d\ntags: [{word}]"), String::new(), 2),
            (format!("name: a\ndescription: d\nmetadata:\n  k: {word}"), String::new(), 2),
            // An unknown field is kept once.
            (format!("name: a\ndescription: d\nother: {{deep: [{word}]}}"), String::new(), 1),
            (String::from("name: a\ndescription: d"), word.clone(), 0),
        ] {
            let weight = weight_of(&frontmatter, &body).await - least;
            // A word can replace a letter.
            let expected = times * word.len();
            assert!(
                (expected.saturating_sub(2)..expected + SKILL_OPENING_BYTES + 1024).contains(&weight),
                "{weight} for {}",
                &frontmatter[..40.min(frontmatter.len())]
            );
        }
    }
}

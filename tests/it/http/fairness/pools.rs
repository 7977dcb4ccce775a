//! Each file of the program that makes a pool, and the rows of the page that it serves.

use std::{collections::BTreeMap, fs, path::Path};

use skillmount::{
    budget::Memory,
    limits::{
        CONNECTIONS, CONNECTIONS_RESERVED, MEMORY_BYTES, MEMORY_CACHES_BYTES, MEMORY_PATIENCE, REQUESTS_AT_ONCE,
        SPOOL_BYTES, UPLOADS_AT_ONCE, VERSION_WINDOW_KIB, WORKERS_LEAST,
    },
};

use super::rows;
use crate::support::sources::{program_sources, root};

/// What makes a pool.
const MAKERS: [&str; 5] = ["FairShares::new(", "Shares::new(", "Memory::new(", "Workers::new(", "Semaphore::new("];

/// The resources of the first table whose pools a file makes. A pool of one call is no resource that callers share.
const POOLS: &[(&str, &[&str])] = &[
    ("crates/server/src/http/door/admission.rs", &["connections with a call", "streams of events", "calls under way"]),
    ("crates/server/src/http/body/spool.rs", &["disk for bodies", "large bodies that arrive"]),
    ("crates/engine/src/handle/service.rs", &["memory of calls", "threads for long work"]),
    ("crates/engine/src/content/memory/mod.rs", &["memory for archives of versions"]),
    ("crates/engine/src/context/call.rs", &[]),
    ("crates/engine/src/catalog/vectors/vector_store.rs", &[]),
];

fn makes_pool(path: &Path) -> bool {
    let text = fs::read_to_string(path).unwrap();
    let program = text.split("#[cfg(test)]").next().unwrap_or_default();
    let is_word = |maker: &str| {
        let mut before = program.match_indices(maker).map(|(at, _)| program[..at].chars().next_back());
        before.any(|before| before.is_none_or(|before| !before.is_alphanumeric()))
    };
    MAKERS.into_iter().any(is_word)
}

fn below(path: &Path) -> String {
    path.strip_prefix(root()).unwrap().to_str().unwrap().to_owned()
}

#[test]
fn each_file_that_makes_a_pool_has_its_resources_on_the_page() {
    let mut makers: Vec<String> =
        program_sources().iter().filter(|path| makes_pool(path)).map(|path| below(path)).collect();
    makers.retain(|path| !path.contains("/budget/") && !path.contains("tests"));
    makers.sort();
    let mut known: Vec<_> = POOLS.iter().map(|(path, _)| *path).collect();
    known.sort_unstable();
    assert_eq!(makers, known);
    let mut resources: Vec<_> = POOLS.iter().flat_map(|(_, resources)| *resources).copied().collect();
    let mut on_page: Vec<_> = rows("resource").iter().map(|row| row[0]).collect();
    resources.sort_unstable();
    on_page.sort_unstable();
    assert_eq!(resources, on_page);
}

#[test]
fn the_units_of_the_page_are_those_of_the_program() {
    let connections = (CONNECTIONS - CONNECTIONS_RESERVED) as u64 / 2;
    let memory = MEMORY_BYTES - MEMORY_CACHES_BYTES;
    let bytes = |bytes: u64| match bytes {
        bytes if bytes < 1 << 30 => format!("{} MiB", bytes >> 20),
        bytes if bytes % (1 << 30) == 0 => format!("{} GiB", bytes >> 30),
        bytes => format!("{}.{} GiB", bytes >> 30, ((bytes % (1 << 30)) * 10) >> 30),
    };
    let count = |count: u64| match count {
        0..1000 => count.to_string(),
        _ => format!("{},{:03}", count / 1000, count % 1000),
    };
    let calls = REQUESTS_AT_ONCE as u64;
    let rows: BTreeMap<&str, Vec<String>> = rows("resource")
        .into_iter()
        .map(|row| (row[0], row[1..].iter().map(|cell| cell.split(" of ").next().unwrap().to_owned()).collect()))
        .collect();
    // Units, and the part of a user.
    for (resource, units, part) in [
        ("connections with a call", connections, connections / 2),
        ("streams of events", connections, connections / 4),
        ("calls under way", calls, calls / 2),
        ("large bodies that arrive", calls, UPLOADS_AT_ONCE),
    ] {
        assert_eq!(rows[resource], shares(units, part).map(count), "{resource}");
    }
    assert_eq!(rows["disk for bodies"], shares(SPOOL_BYTES, SPOOL_BYTES / 4).map(bytes));
    let [all, user, key, ..] = shares(memory, memory / 4);
    let kept = Memory::new(memory, MEMORY_PATIENCE).shares().kept();
    assert_eq!(rows["memory of calls"], [all, user, key, memory - kept, kept].map(bytes));
    let window = VERSION_WINDOW_KIB << 10;
    assert_eq!(rows["memory for archives of versions"][..2], [window, window / 2].map(bytes));
    assert_eq!(rows["threads for long work"][0], format!("twice the cores, {WORKERS_LEAST} at least"));
}

/// All units, and those of a user, a key of one user, a key of several users, and users who hold none.
fn shares(units: u64, part: u64) -> [u64; 5] {
    [units, part, part * 3 / 4, units - units / 8, units / 8]
}

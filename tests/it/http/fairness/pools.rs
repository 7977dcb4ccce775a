//! Each file of the program that makes a pool, and the rows of the page that it serves.

use std::{collections::BTreeMap, fs, path::Path};

use skillmount::{
    context::Budgets,
    limits::{
        CONNECTIONS, CONNECTIONS_RESERVED, MEMORY_BYTES, MEMORY_CACHES_BYTES, REQUESTS_AT_ONCE, SPOOL_BYTES,
        UPLOADS_AT_ONCE, VERSION_WINDOW_KIB, WORKERS_LEAST,
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
    // Units, part of a user, and how they are written.
    let shares: BTreeMap<&str, (u64, u64, &dyn Fn(u64) -> String)> = [
        ("connections with a call", (connections, connections / 2, &count as &dyn Fn(u64) -> String)),
        ("streams of events", (connections, connections / 4, &count)),
        ("calls under way", (REQUESTS_AT_ONCE as u64, REQUESTS_AT_ONCE as u64 / 2, &count)),
        ("memory of calls", (memory, memory / 4, &bytes)),
        ("disk for bodies", (SPOOL_BYTES, SPOOL_BYTES / 4, &bytes)),
        ("large bodies that arrive", (REQUESTS_AT_ONCE as u64, UPLOADS_AT_ONCE, &count)),
    ]
    .into();
    for row in rows("resource") {
        let Some((units, part, write)) = shares.get(row[0]) else { continue };
        let of = |cell: &str| cell.split(" of ").next().unwrap_or_default().to_owned();
        let expected = [*units, *part, part * 3 / 4, units - units / 8, units / 8].map(write);
        let cells: Vec<_> = row[1..].iter().map(|cell| of(cell)).collect();
        assert_eq!(cells, expected, "{}", row[0]);
    }
    assert_eq!(Budgets::default().workers.max(WORKERS_LEAST), Budgets::default().workers);
    assert_eq!(VERSION_WINDOW_KIB, 192 << 10);
}

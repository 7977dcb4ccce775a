//! The table of adapters and points: it is full, and each test that it names exists.

use std::{collections::BTreeMap, fs, path::Path};

/// The points of an adapter, as `docs/book/how-to/adapters.md` lists them.
fn points() -> Vec<String> {
    let page = read("docs/book/how-to/adapters.md");
    let rows = page.lines().filter_map(|line| line.strip_prefix("| ")?.split(" | ").next());
    rows.skip_while(|first| *first != "point")
        .skip(1)
        .take_while(|first| *first != "adapter")
        .map(str::to_owned)
        .collect()
}

/// The adapters, as the second table of the page lists them.
fn adapters() -> Vec<String> {
    let page = read("docs/book/how-to/adapters.md");
    let rows = page.lines().filter(|line| line.starts_with("| `"));
    let names = rows.filter_map(|line| line.split(" | ").next());
    let names = names.flat_map(|cell| cell.trim_start_matches("| ").split(", "));
    names.map(|name| name.trim_matches('`').to_owned()).collect()
}

fn read(path: &str) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    fs::read_to_string(root.join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

#[test]
fn each_cell_of_the_table_of_adapters_names_a_test_or_the_reason_of_a_framework() {
    let (points, adapters) = (points(), adapters());
    assert_eq!((points.len(), adapters.len()), (14, 11));
    let mut wanted: BTreeMap<(String, String), usize> =
        adapters.iter().flat_map(|adapter| points.iter().map(|point| ((adapter.clone(), point.clone()), 0))).collect();
    for line in read("clients/adapters.tsv").lines() {
        let cells: Vec<_> = line.split('\t').collect();
        let [adapter, point, cell] = cells[..] else { panic!("{line:?} has not three cells") };
        let count = wanted.get_mut(&(adapter.to_owned(), point.to_owned()));
        *count.unwrap_or_else(|| panic!("{adapter} or {point} is not on the page")) += 1;
        if let Some(reason) = cell.strip_prefix("no: ") {
            assert!(reason.split(' ').count() >= 5, "{line}: a reason is a sentence");
        } else {
            let (file, test) = cell.split_once("::").unwrap_or_else(|| panic!("{line} names no test"));
            assert!(read(file).contains(test), "{file} has no test {test:?}");
        }
    }
    let wrong: Vec<_> = wanted.iter().filter(|(_, rows)| **rows != 1).collect();
    assert!(wrong.is_empty(), "cells with no row or with several: {wrong:?}");
}

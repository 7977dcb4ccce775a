//! Hard sentences become fewer. Each module and each page has a ceiling, and a change may only lower it.

use std::{collections::BTreeMap, fmt::Write as _, fs, path::Path};

use super::sentences::{Sentence, in_comments, in_page};
use crate::support::sources::{module_path, program_sources, root};

/// The ceilings: one line for each place with hard sentences, with their number.
const TABLE: &str = "tests/it/house/hard_sentences.txt";

/// By place: its hard sentences, each with its file, its line and its marks.
type Hard = BTreeMap<String, Vec<String>>;

#[test]
fn no_place_has_more_hard_sentences_than_before() {
    let faults = faults(&of_the_repository(), &table(&fs::read_to_string(root().join(TABLE)).unwrap()));
    assert!(faults.is_empty(), "{TABLE} and the sentences differ:\n{faults}");
}

#[test]
fn a_ceiling_only_falls() {
    let hard = |counts: &[(&str, usize)]| -> Hard {
        counts
            .iter()
            .map(|(place, count)| (place.to_string(), vec!["src/a.rs:1: a sentence".to_owned(); *count]))
            .collect()
    };
    let ceilings = table("a 2\nb 1\n");
    assert_eq!(faults(&hard(&[("a", 2), ("b", 1)]), &ceilings), "");
    let above = faults(&hard(&[("a", 3), ("b", 1)]), &ceilings);
    assert!(above.contains("a has 3 hard sentences and may have 2") && above.contains("src/a.rs:1"), "{above}");
    let new = faults(&hard(&[("a", 2), ("b", 1), ("c", 1)]), &ceilings);
    assert!(new.contains("c has 1 hard sentences and may have 0"), "{new}");
    let below = faults(&hard(&[("a", 1), ("b", 1)]), &ceilings);
    assert_eq!(below, "a has 1 hard sentences: lower the row to `a 1`\n");
    let gone = faults(&hard(&[("a", 2)]), &ceilings);
    assert_eq!(gone, "b has no hard sentence: lower the row, which means delete it\n");
}

#[test]
fn a_place_is_a_module_or_a_page() {
    for (file, place) in [
        ("src/backend/ops/read.rs", "backend"),
        ("src/lib.rs", "lib"),
        ("crates/base/src/path/id.rs", "path"),
        ("crates/store/src/s3/read.rs", "store"),
        ("docs/build.md", "docs/build.md"),
    ] {
        assert_eq!(place_of(&root().join(file)), place);
    }
}

/// How the sentences that were found differ from the ceilings, a line for each.
fn faults(found: &Hard, ceilings: &BTreeMap<String, usize>) -> String {
    let mut faults = String::new();
    for (place, sentences) in found {
        let (count, ceiling) = (sentences.len(), ceilings.get(place).copied().unwrap_or_default());
        if count > ceiling {
            let listed = sentences.join("\n  ");
            let _ = writeln!(
                faults,
                "{place} has {count} hard sentences and may have {ceiling}; rewrite some of:\n  {listed}"
            );
        } else if count < ceiling {
            let _ = writeln!(faults, "{place} has {count} hard sentences: lower the row to `{place} {count}`");
        }
    }
    for place in ceilings.keys().filter(|place| !found.contains_key(*place)) {
        let _ = writeln!(faults, "{place} has no hard sentence: lower the row, which means delete it");
    }
    faults
}

fn table(text: &str) -> BTreeMap<String, usize> {
    let rows = text.lines().map(|line| line.split_once(' ').unwrap_or_else(|| panic!("{TABLE}: {line}")));
    rows.map(|(place, count)| (place.to_owned(), count.parse().unwrap())).collect()
}

/// The hard sentences in the comments of all crates, in README, CONTRIBUTING, the pages of `docs` and those of the book. The program
/// generates the reference of the book, and the translations are in another language.
fn of_the_repository() -> Hard {
    let mut hard = Hard::new();
    for file in program_sources() {
        add(&mut hard, &file, in_comments(&fs::read_to_string(&file).unwrap()));
    }
    let folders = ["docs", "docs/book", "docs/book/tutorials", "docs/book/how-to", "docs/book/explanation"];
    let docs = folders.iter().flat_map(|folder| fs::read_dir(root().join(folder)).unwrap());
    let pages =
        docs.map(|entry| entry.unwrap().path()).filter(|file| file.extension().is_some_and(|ending| ending == "md"));
    for file in pages.chain(["README.md", "CONTRIBUTING.md"].map(|name| root().join(name))) {
        add(&mut hard, &file, in_page(&fs::read_to_string(&file).unwrap()));
    }
    hard
}

fn add(hard: &mut Hard, file: &Path, sentences: Vec<Sentence>) {
    let shown = file.strip_prefix(root()).unwrap().display();
    for sentence in sentences {
        let marks = sentence.marks();
        if !marks.is_empty() {
            let shown = format!("{shown}:{}: {} ({})", sentence.line, sentence.text, marks.join(", "));
            hard.entry(place_of(file)).or_default().push(shown);
        }
    }
}

/// The module of a source file, by its name alone, so that a row outlives a move to another crate; and a page itself.
fn place_of(file: &Path) -> String {
    if file.extension().is_some_and(|ending| ending == "md") {
        return file.strip_prefix(root()).unwrap().to_string_lossy().replace('\\', "/");
    }
    let module = module_path(file);
    let name = module.iter().next().unwrap().to_string_lossy();
    name.trim_end_matches(".rs").to_owned()
}

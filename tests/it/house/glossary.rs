//! The glossary names only types that exist, has each term once, and is linked from the pages that a newcomer reads first.

use std::{collections::BTreeSet, fs};

use regex::Regex;

use crate::support::sources::{program_sources, root};

#[test]
fn every_rust_name_of_the_glossary_exists() {
    let defined = definitions();
    let names = names(&page());
    assert!(names.len() > 20, "only {names:?}: is the glossary still read?");
    let missing: Vec<_> = names.iter().filter(|name| !defined.contains(*name)).collect();
    assert!(missing.is_empty(), "docs/GLOSSARY.md names types that the source does not define: {missing:?}");
}

#[test]
fn every_term_has_one_row_with_three_cells() {
    let page = page();
    let mut terms = BTreeSet::new();
    for row in
        page.lines().filter(|line| line.starts_with("| ") && !line.starts_with("| term") && !line.starts_with("| verb"))
    {
        let cells: Vec<_> = row.trim_matches('|').split(" | ").map(str::trim).collect();
        assert!(cells.len() == 3 && cells.iter().all(|cell| !cell.is_empty()), "{row}");
        assert!(terms.insert(cells[0].to_owned()), "{} has two rows", cells[0]);
    }
    assert!(terms.len() > 40, "only {terms:?}: is the glossary still read?");
}

#[test]
fn newcomers_find_the_glossary() {
    for (file, link) in [
        ("docs/ARCHITECTURE.md", "[GLOSSARY.md](GLOSSARY.md)"),
        ("CONTRIBUTING.md", "[docs/GLOSSARY.md](docs/GLOSSARY.md)"),
        ("src/lib.rs", "`docs/GLOSSARY.md`"),
    ] {
        let text = fs::read_to_string(root().join(file)).unwrap();
        assert!(text.contains(link), "{file} has no {link}");
    }
}

#[test]
fn names_in_bold_code_are_read_and_others_are_not() {
    assert_eq!(
        names("a **`One`** b `Two` **Three** **`four_…`** **`Five`**"),
        ["One", "Five"].map(str::to_owned).into()
    );
}

fn page() -> String {
    fs::read_to_string(root().join("docs/GLOSSARY.md")).unwrap()
}

/// The types that the page names: what it shows as code in bold.
fn names(page: &str) -> BTreeSet<String> {
    let bold = Regex::new(r"\*\*`(\w+)`\*\*").unwrap();
    bold.captures_iter(page).map(|found| found[1].to_owned()).collect()
}

/// The types and traits that the sources define.
fn definitions() -> BTreeSet<String> {
    let definition = Regex::new(r"(?m)^\s*(?:pub(?:\([^)]*\))? )?(?:struct|enum|trait|type) (\w+)").unwrap();
    let texts = program_sources().into_iter().map(|file| fs::read_to_string(file).unwrap());
    texts
        .flat_map(|text| definition.captures_iter(&text).map(|found| found[1].to_owned()).collect::<Vec<_>>())
        .collect()
}

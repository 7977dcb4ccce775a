//! Decisions are short records with one form, and the index lists all of them.

use std::fs;

use crate::support::sources::root;

const PAGE: &str = "docs/DECISIONS.md";
/// How long a record may be, with its title.
const LINES: usize = 25;
const PARTS: [&str; 3] = ["**Context.** ", "**Choice.** ", "**Consequence.** "];

/// A subject with its records.
#[derive(Debug, PartialEq, Eq)]
struct Subject<R> {
    name: String,
    records: Vec<R>,
}

#[derive(Debug, PartialEq, Eq)]
struct IndexLine {
    date: String,
    title: String,
}

#[derive(Debug, PartialEq, Eq)]
struct Record {
    title: String,
    lines: Vec<String>,
}

#[test]
fn the_index_lists_every_record_newest_first() {
    let page = page();
    let (index, subjects) = (index(&page), subjects(&page));
    assert!(subjects.len() > 10, "only {} subjects: is {PAGE} still read?", subjects.len());
    assert_eq!(indexed(&index), written(&subjects), "the index of {PAGE} differs from its records");
    assert_eq!(out_of_order(&index), [""; 0], "these records are newer than the one before");
}

#[test]
fn each_record_has_three_parts_and_at_most_25_lines() {
    let faults: Vec<_> = subjects(&page()).iter().flat_map(|subject| &subject.records).filter_map(fault).collect();
    assert!(faults.is_empty(), "records of {PAGE}:\n{}", faults.join("\n"));
}

#[test]
fn index_and_records_are_read_by_their_headings() {
    let text = "# D\n\n## Index\n\n**A**\n\n* 2026-01-02 [One `x`](#one-x)\n* 2026-01-03 [Two](#two)\n\n## A\n\nAn introduction.\n\n\
                ### One `x`\n\n**Context.** c\n\n### Two\n\n**Context.** d\n";
    let found = index(text);
    assert_eq!(indexed(&found), [("A", vec!["One `x`", "Two"])]);
    assert_eq!(indexed(&found), written(&subjects(text)));
    assert_eq!(out_of_order(&found), ["Two"]);
    assert_eq!(subjects(text)[0].records[1].lines, ["**Context.** d"]);
}

#[test]
fn a_record_without_its_form_is_a_fault() {
    let record = |lines: &[&str]| {
        let lines = lines.iter().map(|line| (*line).to_owned()).collect();
        fault(&Record { title: "A".to_owned(), lines })
    };
    let whole = ["**Context.** a", "", "**Choice.** b", "", "* an item", "", "**Consequence.** c"];
    assert_eq!(record(&whole), None);
    assert!(record(&whole[..5]).unwrap().contains("its parts"), "a part is absent");
    assert!(record(&["**Choice.** b", "**Context.** a", "**Consequence.** c"]).unwrap().contains("its parts"));
    assert!(record(&[&["Before."], &whole[..]].concat()).unwrap().contains("begins"));
    let long = [&whole[..], &["more"; LINES - 8]].concat();
    assert!(record(&long).unwrap().contains("26 lines"));
}

fn page() -> String {
    fs::read_to_string(root().join(PAGE)).unwrap()
}

/// The lines of the index by subject.
fn index(page: &str) -> Vec<Subject<IndexLine>> {
    let (_, behind) = page.split_once("\n## Index\n").unwrap();
    let index = behind.split("\n## ").next().unwrap();
    let mut subjects: Vec<Subject<IndexLine>> = Vec::new();
    for line in index.lines() {
        if let Some(name) = line.strip_prefix("**").and_then(|line| line.strip_suffix("**")) {
            subjects.push(Subject { name: name.to_owned(), records: Vec::new() });
        } else if let Some(item) = line.strip_prefix("* ") {
            let (date, link) = item.split_once(" [").unwrap_or_else(|| panic!("{PAGE}: {line}"));
            let title = link.rsplit_once("](").unwrap_or_else(|| panic!("{PAGE}: {line}")).0;
            let entry = IndexLine { date: date.to_owned(), title: title.to_owned() };
            subjects.last_mut().unwrap().records.push(entry);
        }
    }
    subjects
}

/// The records by subject.
fn subjects(page: &str) -> Vec<Subject<Record>> {
    let (_, behind) = page.split_once("\n## Index\n").unwrap();
    let sections = behind.split("\n## ").skip(1);
    sections
        .map(|section| {
            let (name, text) = section.split_once('\n').unwrap();
            let records = text.split("\n### ").skip(1).map(record).collect();
            Subject { name: name.to_owned(), records }
        })
        .collect()
}

/// A record from its title on.
fn record(text: &str) -> Record {
    let (title, text) = text.split_once('\n').unwrap();
    Record { title: title.to_owned(), lines: text.trim().lines().map(str::to_owned).collect() }
}

/// The subjects, each with the titles of its records.
fn titles<R>(subjects: &[Subject<R>], title: fn(&R) -> &str) -> Vec<(&str, Vec<&str>)> {
    subjects.iter().map(|subject| (&*subject.name, subject.records.iter().map(title).collect())).collect()
}

fn indexed(index: &[Subject<IndexLine>]) -> Vec<(&str, Vec<&str>)> {
    titles(index, |line| &line.title)
}

fn written(subjects: &[Subject<Record>]) -> Vec<(&str, Vec<&str>)> {
    titles(subjects, |record| &record.title)
}

/// The titles whose date is later than that of the record before, in one subject.
fn out_of_order(index: &[Subject<IndexLine>]) -> Vec<&str> {
    let pairs = index.iter().flat_map(|subject| subject.records.windows(2));
    pairs.filter(|pair| pair[0].date < pair[1].date).map(|pair| &*pair[1].title).collect()
}

/// What is wrong with the form of a record.
fn fault(record: &Record) -> Option<String> {
    let Record { title, lines } = record;
    // The title and the empty line behind it.
    let count = lines.len() + 2;
    let part = |line: &String| PARTS.iter().position(|part| line.starts_with(part));
    let parts: Vec<_> = lines.iter().filter_map(part).collect();
    if count > LINES {
        Some(format!("{title}: {count} lines, and {LINES} are allowed"))
    } else if parts != [0, 1, 2] {
        Some(format!("{title}: its parts are not Context, Choice and Consequence, each once"))
    } else if !lines[0].starts_with(PARTS[0]) {
        Some(format!("{title}: it begins before its context"))
    } else {
        None
    }
}

//! The contract and its tests hold each other: every clause of `docs/SEMANTICS.md` is quoted above a test that fails if
//! the behaviour breaks, and every quotation is what the document says today.
//!
//! A quotation is a comment that names a clause and repeats its first sentence, wrapped as one likes:
//!
//! ```text
//! // S-LS-2: `ls` of a missing folder is `file_not_found`, and of a file `not_a_directory`.
//! #[test]
//! fn …
//! ```
//!
//! It stands in `tests/`, or in the `mod tests` of a source file.

use std::{collections::BTreeMap, fs};

use crate::support::sources::{program_sources, root, sources};

/// The document, and the line that begins a clause in it.
const DOCUMENT: &str = "docs/SEMANTICS.md";
const CLAUSE: &str = "- <a id=\"";

/// A clause as some test quotes it.
struct Quotation {
    place: String,
    clause: String,
    text: String,
}

#[test]
fn every_clause_is_quoted_by_a_test() {
    let quoted: Vec<_> = quotations().into_iter().map(|quotation| quotation.clause).collect();
    let mut missing = clauses(&document());
    missing.retain(|clause, _| !quoted.contains(clause));
    for (clause, sentence) in &missing {
        println!("// {clause}: {sentence}");
    }
    assert!(missing.is_empty(), "clauses of {DOCUMENT} that no test quotes: {:?}", missing.keys());
}

#[test]
fn every_quotation_is_what_the_document_says() {
    let clauses = clauses(&document());
    let mut wrong = Vec::new();
    for Quotation { place, clause, text } in quotations() {
        match clauses.get(&clause) {
            None => wrong.push(format!("{place}: {clause} is no clause")),
            Some(sentence) if !text.starts_with(sentence) => {
                wrong.push(format!("{place}: {clause} is quoted as\n  {text}\nbut says\n  {sentence}"));
            }
            Some(_) => {}
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn clauses_and_quotations_are_read_to_the_end_of_the_first_sentence() {
    let text =
        "- <a id=\"S-A-1\"></a>**S-A-1** One thing\n  holds. Another.\n- <a id=\"S-A-2\"></a>**S-A-2** Two.\n\nProse.";
    let expected = [("S-A-1", "One thing holds."), ("S-A-2", "Two.")];
    assert_eq!(clauses(text), expected.map(|(id, sentence)| (id.to_owned(), sentence.to_owned())).into());

    let code = concat!("    // ", "S-A-1: One\n    // thing holds.\n    #[test]\n");
    let found = quotations_in("x.rs", code);
    assert_eq!((found[0].clause.as_str(), found[0].text.as_str()), ("S-A-1", "One thing holds."));
    assert!(quotations_in("x.rs", "// S-ALONE is no quotation\n").is_empty());
}

fn document() -> String {
    fs::read_to_string(root().join(DOCUMENT)).unwrap()
}

/// Each clause of the document and its first sentence.
fn clauses(text: &str) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    for item in text.split(CLAUSE).skip(1) {
        let item = item.split("\n\n").next().unwrap();
        let (id, rest) = item.split_once('"').unwrap();
        let body = one_line(rest.rsplit_once("** ").map_or(rest, |(_, body)| body));
        let sentence = body.split_inclusive(". ").next().unwrap().trim_end().to_owned();
        assert!(rest.contains(&format!("**{id}**")), "{id} is named otherwise in its text");
        assert!(found.insert(id.to_owned(), sentence).is_none(), "{id} is there twice");
    }
    assert!(!found.is_empty(), "{DOCUMENT} holds no clause");
    found
}

/// Every quotation in `tests/` and in the test modules of the crates.
fn quotations() -> Vec<Quotation> {
    let mut found = Vec::new();
    for path in sources("tests").into_iter().chain(program_sources()) {
        let place = path.strip_prefix(root()).unwrap().to_string_lossy().replace('\\', "/");
        let text = fs::read_to_string(&path).unwrap();
        let is_test_file = place.starts_with("tests/") || place.contains("tests");
        let tests = if is_test_file { Some(0) } else { text.find("#[cfg(test)]") };
        if place != "tests/it/house/semantics.rs" {
            found.extend(tests.map(|from| quotations_in(&place, &text[from..])).into_iter().flatten());
        }
    }
    found
}

/// The quotations in one file: a comment line `S-…-n: …` and the comment lines that follow it.
fn quotations_in(place: &str, text: &str) -> Vec<Quotation> {
    let lines: Vec<_> = text.lines().map(comment).collect();
    let begins = |line: &str| {
        let (clause, _) = line.split_once(": ")?;
        let numbered = clause.rsplit('-').next()?.parse::<u32>().is_ok();
        (clause.starts_with("S-") && numbered && !clause.contains(' ')).then(|| clause.to_owned())
    };
    let mut found = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        let Some(clause) = line.and_then(begins) else { continue };
        let more = lines[at + 1..].iter().map_while(|line| line.filter(|line| begins(line).is_none()));
        let whole: Vec<_> = line.iter().copied().chain(more).collect();
        let text = one_line(&whole.join(" "))[clause.len() + 2..].to_owned();
        found.push(Quotation { place: place.to_owned(), clause, text });
    }
    found
}

/// What a comment line says; `None` for a line of code.
fn comment(line: &str) -> Option<&str> {
    Some(line.trim_start().strip_prefix("//")?.trim_start_matches('/').trim())
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

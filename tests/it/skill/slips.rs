//! What people forget or mistype at the head of a SKILL.md: each slip has a fixture.

use std::{fs, path::Path};

use skillmount::skill::{Diagnostic, Document, Severity, lint, read_document};

fn bytes(folder: &str) -> Vec<u8> {
    fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/odd/skills").join(folder).join("SKILL.md")).unwrap()
}

fn read(folder: &str) -> (Option<Document>, Vec<Diagnostic>) {
    read_document(&bytes(folder), folder)
}

// S-CATALOG-9: A SKILL.md that begins with a heading and has no frontmatter is a skill of its folder's name, described
// by its first paragraph.
#[test]
fn a_file_with_a_heading_and_a_paragraph_anywhere_below_it_is_described_by_that() {
    for (folder, description) in [
        ("no-frontmatter", "A heading and a paragraph."),
        ("code-first", "Works out the postage of a parcel."),
        ("underlined-heading", "Packs parcels."),
        ("comment-first", "Prints labels."),
        ("badge-first", "Draws stamps."),
        ("fields-below-heading", "Finds the nearest post box."),
    ] {
        let (document, found) = read(folder);
        assert_eq!(document.unwrap().frontmatter.description, description, "{folder}");
        let codes: Vec<_> = found.iter().map(|one| (one.code.as_str(), one.severity)).collect();
        assert_eq!(codes, [("frontmatter_absent", Severity::Warning)], "{folder}");
        assert!(found[0].message.contains("its first paragraph are used"), "{found:?}");

        let refused = lint(&bytes(folder), folder, None);
        let error = refused.iter().find(|one| one.code == "frontmatter_absent").unwrap();
        assert_eq!(error.severity, Severity::Error, "{folder}");
        assert!(!error.message.contains("are used") && error.message.contains("publishing"), "{error:?}");
    }
    let (none, found) = read("no-paragraph");
    assert!(none.is_none() && found[0].code == "frontmatter_missing", "{found:?}");
}

#[test]
fn a_block_without_its_opening_line_is_said_to_lack_it() {
    let (none, found) = read("no-opening");
    assert!(none.is_none());
    let said: Vec<_> = found.iter().map(|one| (one.code.as_str(), one.severity, one.line)).collect();
    assert_eq!(said, [("frontmatter_missing", Severity::Error, Some(1))]);
    assert!(found[0].message.starts_with("the frontmatter has no opening line"), "{found:?}");
}

#[test]
fn text_behind_the_closing_dashes_is_the_first_line_of_the_body() {
    for (folder, first) in [("glued-heading", "# Letters"), ("spaced-heading", "# Letters"), ("glued-title", "Letters")]
    {
        let (document, found) = read(folder);
        assert_eq!(document.unwrap().body.lines().next(), Some(first), "{folder}");
        assert_eq!(found.iter().map(|one| one.code.as_str()).collect::<Vec<_>>(), ["frontmatter_glued"], "{folder}");
    }
}

#[test]
fn fields_between_asterisks_are_said_to_have_them_wherever_the_colon_stands() {
    for folder in ["starred-fields", "starred-keys"] {
        let (none, found) = read(folder);
        assert!(none.is_none() && found[0].message.contains("fields have no asterisks"), "{folder}: {found:?}");
    }
}

//! The documentation of the Rust library: enough examples, and the settings of docs.rs in each crate.

use std::fs;

use crate::support::sources::{program_sources, root};

/// The least number of examples that `cargo test --doc` compiles.
const EXAMPLES: usize = 80;

#[test]
fn the_library_has_enough_examples() {
    let pages = fs::read_dir(root().join("crates/wire/docs/operations")).unwrap().map(|entry| entry.unwrap().path());
    let files = program_sources().into_iter().chain(pages);
    let examples: usize = files
        .map(|file| {
            examples(&fs::read_to_string(&file).unwrap(), file.extension().is_some_and(|ending| ending == "md"))
        })
        .sum();
    assert!(examples >= EXAMPLES, "{examples} examples");
}

/// The owners that a program meets first.
#[test]
fn each_owner_has_an_example() {
    for (file, owner) in [
        ("crates/client/src/lib.rs", "RemoteBackend"),
        ("crates/engine/src/access/keys.rs", "Keys"),
        ("crates/engine/src/audit/recorder.rs", "Recorder"),
        ("crates/engine/src/authoring/owner.rs", "Authoring"),
        ("crates/engine/src/catalog/registry.rs", "Catalogs"),
        ("crates/engine/src/context/approval.rs", "Approvals"),
        ("crates/engine/src/context/author.rs", "Author"),
        ("crates/engine/src/handle/open.rs", "OpenStore"),
        ("crates/engine/src/handle/service.rs", "Service"),
        ("crates/engine/src/handle/session_backend.rs", "SessionBackend"),
        ("crates/engine/src/handle/store_repository.rs", "StoreRepository"),
        ("crates/engine/src/publish/owner.rs", "Publisher"),
        ("crates/engine/src/session/sessions.rs", "Sessions"),
        ("crates/engine/src/skills/owner.rs", "Library"),
        ("crates/engine/src/upkeep/owner.rs", "Upkeep"),
        ("crates/engine/src/users/owner.rs", "Users"),
        ("crates/store/src/s3_options.rs", "S3Options"),
    ] {
        let text = fs::read_to_string(root().join(file)).unwrap();
        let declares = |line: &&str| {
            line.strip_prefix(&format!("pub struct {owner}")).is_some_and(|rest| rest.starts_with([' ', '(']))
        };
        let before: Vec<_> = text.lines().take_while(|line| !declares(line)).collect();
        assert!(before.len() < text.lines().count(), "{file} has no {owner}");
        let comment: Vec<_> = before.iter().rev().skip_while(|line| !line.starts_with("///")).collect();
        let comment = comment.iter().take_while(|line| line.starts_with("///"));
        assert!(comment.into_iter().any(|line| **line == "/// ```"), "{owner} in {file}");
    }
}

#[test]
fn each_crate_has_the_settings_of_docs_rs() {
    let crates = fs::read_dir(root().join("crates")).unwrap().map(|entry| entry.unwrap().path());
    for folder in crates.chain([root()]) {
        let manifest = fs::read_to_string(folder.join("Cargo.toml")).unwrap();
        let (_, settings) = manifest.split_once("\n[package.metadata.docs.rs]\n").unwrap();
        let settings = settings.split("\n\n").next().unwrap();
        for setting in ["all-features = ", "rustdoc-args = ", "targets = "] {
            assert!(settings.contains(setting), "{setting}in {}", folder.display());
        }
    }
}

/// The code blocks of a file that rustdoc compiles: in comments of Rust, or, if `is_page`, anywhere.
fn examples(text: &str, is_page: bool) -> usize {
    let fences = text.lines().filter_map(|line| {
        let line = line.trim_start();
        let comment = line.strip_prefix("///").or_else(|| line.strip_prefix("//!"));
        comment.or(is_page.then_some(line))?.trim_start().strip_prefix("```")
    });
    let (opening, _) = fences.fold((Vec::new(), false), |(mut opening, is_open), fence| {
        if !is_open {
            opening.push(fence);
        }
        (opening, !is_open)
    });
    opening.iter().filter(|language| ["", "no_run", "compile_fail"].contains(language)).count()
}

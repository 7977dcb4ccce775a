//! Public skills as their authors wrote them, where they are at hand: every one reads, and every finding is deserved.

use std::{
    fs,
    path::{Path, PathBuf},
};

use skillmount::skill::{fix, lint, read_document, read_head};

use crate::support::world::real_skills;

#[test]
fn every_public_skill_reads_and_what_lint_says_of_it_is_printed() {
    let Some(root) = real_skills() else { return };
    let skills = skills(&root);
    assert!(!skills.is_empty(), "{} holds no skills", root.display());
    for folder in &skills {
        let bytes = fs::read(folder.join("SKILL.md")).unwrap();
        let name = folder.file_name().unwrap().to_string_lossy();
        let (document, found) = read_document(&bytes, &name);
        let document = document.unwrap_or_else(|| panic!("{}: {found:?}", folder.display()));
        let (head, _) = read_head(&bytes, &name);
        assert_eq!(head.unwrap().frontmatter, document.frontmatter, "{}", folder.display());

        let files = files(folder);
        let files: Vec<&str> = files.iter().map(String::as_str).collect();
        for one in lint(&bytes, &name, Some(&files)) {
            let (line, column) = (one.line.unwrap_or(0), one.column.unwrap_or(0));
            let shown = folder.strip_prefix(&root).unwrap().display();
            println!("{shown}/SKILL.md:{line}:{column}: {:?} {}: {}", one.severity, one.code, one.message);
        }
        if let Some(fixed) = fix(&bytes, &name) {
            let after = read_document(&fixed.bytes, &name).0.unwrap();
            assert_eq!((&after.body, after.frontmatter.name.as_deref()), (&document.body, Some(&*name)));
        }
    }
    println!("{} skills", skills.len());
}

/// Folders that hold a SKILL.md, sorted.
fn skills(root: &Path) -> Vec<PathBuf> {
    let mut found: Vec<_> = walk(root).into_iter().filter(|path| path.ends_with("SKILL.md")).collect();
    found.sort();
    found.iter().map(|path| path.parent().unwrap().to_owned()).collect()
}

fn files(folder: &Path) -> Vec<String> {
    walk(folder).iter().map(|path| path.strip_prefix(folder).unwrap().to_string_lossy().into_owned()).collect()
}

fn walk(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries.flat_map(|path| if path.is_dir() { walk(&path) } else { vec![path] }).collect()
}

//! The documents keep up with the code: each dependency has its line, and no link leads nowhere.

use std::fs;

use skillmount::store::StoreAddress;

use crate::support::sources::root;

#[test]
fn every_dependency_has_its_reason() {
    let manifest = read("Cargo.toml");
    let decisions = read("docs/DECISIONS.md");
    let reasons = decisions.split_once("## Dependencies").unwrap().1;
    let explained: Vec<_> = reasons.lines().filter_map(|line| line.strip_prefix("| ")?.split(" | ").next()).collect();
    let explained: Vec<_> = explained.iter().flat_map(|cell| cell.split([',', ' '])).collect();

    let mut in_dependencies = false;
    let mut seen = 0;
    for line in manifest.lines() {
        if line.starts_with('[') {
            in_dependencies = line.ends_with("dependencies]");
        } else if let Some((name, _)) = line.split_once(" = ").filter(|_| in_dependencies) {
            assert!(explained.contains(&name), "docs/DECISIONS.md says nothing of {name}");
            seen += 1;
        }
    }
    assert!(seen > 30, "only {seen} dependencies: is the manifest still read?");
}

#[test]
fn the_front_page_names_every_feature() {
    let (manifest, front) = (read("Cargo.toml"), read("src/lib.rs"));
    let features = manifest.split_once("[features]").unwrap().1.split_once("\n[").unwrap().0;
    let features: Vec<_> = features.lines().filter_map(|line| line.split_once(" = [")).collect();
    assert!(features.len() > 5, "only {features:?}: is the manifest still read?");
    for (name, _) in features.iter().filter(|(name, _)| *name != "default") {
        assert!(front.contains(&format!("//! | `{name}` | ")), "src/lib.rs says nothing of the feature {name}");
    }
}

#[test]
fn configuration_and_front_page_name_every_form_of_an_address() {
    let forms: Vec<_> = StoreAddress::FORMS.split(", ").flat_map(|forms| forms.split(" or ")).collect();
    assert!(forms.len() >= 3 && forms.contains(&"memory:"), "{forms:?}");
    for document in ["docs/configuration.md", "src/lib.rs"] {
        let text = read(document);
        for form in &forms {
            assert!(text.contains(&format!("`{form}`")), "{document} does not name {form}");
        }
    }
}

#[test]
fn every_link_of_the_documents_leads_somewhere() {
    let beside_the_map = ["docs/SEMANTICS.md", "docs/DECISIONS.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md"];
    for document in ["README.md", "docs/ARCHITECTURE.md"].into_iter().chain(beside_the_map) {
        for target in links(&read(document)) {
            let folder = root().join(document).parent().unwrap().to_path_buf();
            assert!(folder.join(&target).exists(), "{document}: {target}");
        }
    }
}

/// Each way to extend the project touches few files, and those that are there today are named as they are.
#[test]
fn contributing_names_at_most_six_files_of_each_extension() {
    let guide = read("CONTRIBUTING.md");
    let extensions = guide.split_once("\n## How to add").unwrap().1;
    let mut count = 0;
    for extension in extensions.split("\n### ").skip(1) {
        let items = extension.lines().filter(|line| line.starts_with("* `src/"));
        let names =
            items.flat_map(|line| line.split_once(": ").unwrap().0.split('`').filter(|name| name.starts_with("src/")));
        let files: Vec<_> = names.collect();
        assert!((1..=6).contains(&files.len()), "{files:?}");
        for file in files.iter().filter(|file| !file.contains("NAME")) {
            assert!(root().join(file).is_file(), "CONTRIBUTING.md names {file}");
        }
        count += 1;
    }
    assert_eq!(count, 6, "is CONTRIBUTING.md still read?");
}

fn read(name: &str) -> String {
    fs::read_to_string(root().join(name)).unwrap()
}

/// The relative targets of Markdown links, without their anchors.
fn links(text: &str) -> Vec<String> {
    let targets = text.split("](").skip(1).filter_map(|rest| rest.split_once(')'));
    let files = targets.filter_map(|(target, _)| target.split('#').next().map(str::to_owned));
    files.filter(|target| !target.is_empty() && !target.contains("://")).collect()
}

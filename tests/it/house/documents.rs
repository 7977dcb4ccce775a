//! The documents keep up with the code: each dependency has its line, no link leads nowhere, and no page is out of reach.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};

use skillmount::store::StoreAddress;

use crate::support::sources::root;

/// How long README.md may be. A first reader reads all of it, so every further subject has a page.
const README_LINES: usize = 200;

/// How long an answer to an operator may be, to fit on a screen.
const ANSWER_LINES: usize = 22;

/// How long a page for one task may be. A longer one is two tasks.
const TASK_LINES: usize = 120;

#[test]
fn every_dependency_has_its_reason() {
    let manifest = read("Cargo.toml");
    let decisions = read("docs/DECISIONS.md");
    let reasons = decisions.split_once("## Dependencies").unwrap().1;
    let items = reasons.lines().filter_map(|line| line.strip_prefix("* `")?.split(": ").next());
    let explained: Vec<_> = items.flat_map(|names| names.split(['`', ',', ' '])).collect();

    let mut in_dependencies = false;
    let mut seen = 0;
    for line in manifest.lines() {
        if line.starts_with('[') {
            in_dependencies = line.ends_with("dependencies]");
        } else if let Some((name, _)) = line.split_once(" = ").filter(|_| in_dependencies) {
            let name = name.trim_end_matches(".workspace");
            if name.starts_with("skillmount") {
                continue;
            }
            assert!(explained.contains(&name), "docs/DECISIONS.md says nothing of {name}");
            seen += 1;
        }
    }
    assert!(seen > 30, "only {seen} dependencies: is the manifest still read?");
}

#[test]
fn readme_contributing_and_the_page_on_builds_state_the_same_minutes() {
    let minutes = |document: &str| {
        let text = read(document);
        let row = text.lines().find(|line| line.starts_with("| `make test` |")).unwrap();
        row.rsplit('|').nth(1).unwrap().trim().trim_end_matches(" from a clean clone").to_owned()
    };
    let stated = minutes("README.md");
    let number = stated.strip_suffix(" minutes").unwrap_or_else(|| panic!("README states {stated:?}"));
    assert_eq!(stated, minutes("CONTRIBUTING.md"));
    assert!(read("docs/build.md").contains(&format!("| together | {number} |")), "{number}");
}

/// Code on the page that somebody copies is code that compiles.
#[test]
fn the_pages_on_rust_show_the_examples() {
    for (page, example) in [
        ("docs/book/how-to/rust-library.md", "examples/first_session.rs"),
        ("docs/book/how-to/rig.md", "crates/rig/examples/clerk.rs"),
    ] {
        let text = read(example);
        let code = text.find("\nuse ").map(|at| text[at..].trim()).unwrap();
        assert!(read(page).contains(&format!("```rust\n{code}\n```")), "{page} shows another text than {example}");
    }
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
    for document in ["docs/book/reference/configuration.md", "src/lib.rs"] {
        let text = read(document);
        for form in &forms {
            assert!(text.contains(&format!("`{form}`")), "{document} does not name {form}");
        }
    }
}

#[test]
fn every_link_of_the_documents_leads_somewhere() {
    let beside_the_map =
        ["README.es.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md"].map(|name| root().join(name));
    let mut broken = Vec::new();
    for document in pages().into_iter().chain(beside_the_map) {
        let links = links(&fs::read_to_string(&document).unwrap());
        let wrong = links.into_iter().filter(|link| !leads_somewhere(&document, link));
        broken.extend(wrong.map(|link| format!("{}: {link}", document.display())));
    }
    assert!(broken.is_empty(), "links that lead nowhere: {broken:#?}");
}

#[test]
fn every_page_is_reached_from_the_readme() {
    let pages = pages();
    let mut reached = BTreeSet::new();
    let mut next = vec![root().join("README.md").canonicalize().unwrap()];
    while let Some(page) = next.pop() {
        let targets = links(&fs::read_to_string(&page).unwrap()).into_iter().map(|link| target(&page, &link).0);
        let found = targets.filter_map(|file| file.canonicalize().ok()).filter(|file| pages.contains(file));
        next.extend(found.filter(|file| reached.insert(file.clone())));
    }
    let orphans: Vec<_> =
        pages.iter().filter(|page| !page.ends_with("README.md") && !reached.contains(*page)).collect();
    assert!(orphans.is_empty(), "README.md leads to none of these: {orphans:#?}");
}

#[test]
fn the_readme_is_short() {
    let lines = read("README.md").lines().count();
    assert!(
        lines <= README_LINES,
        "README.md has {lines} lines, and may have {README_LINES}: give a subject a page in docs"
    );
}

#[test]
fn links_and_anchors_are_read_as_a_code_host_reads_them() {
    let text = "# `a` and B: c_d\n[one](x.md#y) and ![two](z.svg), [three](https://example.com)\n```\n# no heading\n[no](link)\n```\n\
                ## Twice\n## Twice\n- <a id=\"S-A-1\"></a>";
    assert_eq!(links(text), ["x.md#y", "z.svg"]);
    assert_eq!(anchors(text), ["a-and-b-c_d", "twice", "twice-1", "S-A-1"]);
    let readme = root().join("README.md");
    for (link, leads) in [
        ("docs/book/how-to/hooks.md", true),
        ("docs/book/how-to/hooks.md#steps", true),
        ("#two-commands", true),
        ("docs", true),
        ("docs/none.md", false),
        ("docs/book/how-to/hooks.md#none", false),
        ("#none", false),
    ] {
        assert_eq!(leads_somewhere(&readme, link), leads, "{link}");
    }
}

#[test]
fn the_changelog_has_the_headings_of_keep_a_changelog_in_their_order() {
    const KINDS: [&str; 6] = ["Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"];
    let changelog = read("CHANGELOG.md");
    let versions: Vec<_> = changelog.split("\n## ").skip(1).collect();
    assert!(versions[0].starts_with("[Unreleased]\n") && versions.len() > 1, "is CHANGELOG.md still read?");
    for version in versions {
        let headings = version.lines().filter_map(|line| line.strip_prefix("### "));
        let place = |heading: &str| KINDS.iter().position(|kind| *kind == heading);
        let places: Vec<_> =
            headings.map(|heading| place(heading).unwrap_or_else(|| panic!("CHANGELOG.md: {heading}"))).collect();
        assert!(!places.is_empty() && places.is_sorted_by(|before, after| before < after), "{places:?} of {version}");
    }
}

#[test]
fn each_page_for_a_task_is_short_and_lists_what_it_needs() {
    let tasks: Vec<_> = pages().into_iter().filter(|page| page.parent().unwrap().ends_with("how-to")).collect();
    assert!(tasks.len() > 15, "only {tasks:?}: are the pages still read?");
    for task in tasks {
        let text = fs::read_to_string(&task).unwrap();
        let lines = text.lines().count();
        assert!(lines <= TASK_LINES, "{} has {lines} lines, and may have {TASK_LINES}", task.display());
        assert!(text.contains("\n## You need\n") && text.contains("\n## See also\n"), "{}", task.display());
    }
}

/// A translation follows the program: its blocks of code are those of the English page.
#[test]
fn both_languages_show_the_same_commands() {
    let tutorials = ["home.md", "first-agent.md", "team.md"]
        .map(|name| (format!("docs/book/tutorials/{name}"), format!("docs/book/es/tutorials/{name}")));
    let readme = ("README.md".to_owned(), "README.es.md".to_owned());
    for (english, spanish) in tutorials.into_iter().chain([readme]) {
        let shown = code(&read(&english));
        assert!(shown.len() > 2, "{english} shows only {shown:?}");
        assert_eq!(code(&read(&spanish)), shown, "{spanish} shows other commands than {english}");
    }
}

/// README leads to the page, and the list on the page to the answer.
#[test]
fn each_answer_to_an_operator_is_two_clicks_away_and_fits_on_a_screen() {
    for readme in ["README.md", "README.es.md"] {
        assert!(links(&read(readme)).contains(&"docs/book/questions.md".to_owned()), "{readme}");
    }
    let page = read("docs/book/questions.md");
    let (head, answers) = page.split_once("\n## ").unwrap();
    let listed = links(head);
    let answers: Vec<_> = answers.split("\n## ").collect();
    assert_eq!(answers.len(), 12, "is questions.md still read?");
    for answer in answers {
        let (question, text) = answer.split_once('\n').unwrap();
        assert!(listed.contains(&format!("#{}", slug(question))), "the list lacks {question:?}");
        assert!(text.trim().lines().count() <= ANSWER_LINES && text.contains("\nMore: ["), "{question}");
    }
}

/// Each way to extend the project touches few files, and those that are there today are named as they are.
#[test]
fn contributing_names_at_most_six_files_of_each_extension() {
    let guide = read("CONTRIBUTING.md");
    let extensions = guide.split_once("\n## How to add").unwrap().1;
    let mut count = 0;
    for extension in extensions.split("\n### ").skip(1) {
        let items = extension.lines().filter(|line| line.starts_with("* `src/") || line.starts_with("* `crates/"));
        let names =
            items.flat_map(|line| line.split_once(": ").unwrap().0.split('`').filter(|name| name.contains("src/")));
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

/// README.md and every page below `docs`, and below `crates/wire/docs`, without symbolic links in their paths.
fn pages() -> BTreeSet<PathBuf> {
    let mut found = BTreeSet::from([root().join("README.md").canonicalize().unwrap()]);
    let mut folders = ["docs", "crates/wire/docs"].map(|folder| root().join(folder).canonicalize().unwrap()).to_vec();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|ending| ending == "md") {
                found.insert(path);
            }
        }
    }
    assert!(found.len() > 30, "only {found:?}: are the pages still read?");
    found
}

/// Whether the file of a link exists, and the heading that its anchor names.
fn leads_somewhere(document: &Path, link: &str) -> bool {
    let (file, anchor) = target(document, link);
    match anchor {
        None => file.exists(),
        Some(anchor) => fs::read_to_string(file).is_ok_and(|text| anchors(&text).contains(&anchor)),
    }
}

/// The file and the anchor of a relative link in `document`.
fn target(document: &Path, link: &str) -> (PathBuf, Option<String>) {
    let (path, anchor) = link.split_once('#').map_or((link, None), |(path, anchor)| (path, Some(anchor.to_owned())));
    match path {
        "" => (document.to_path_buf(), anchor),
        path => (document.parent().unwrap().join(path), anchor),
    }
}

/// The relative targets of Markdown links, with their anchors.
fn links(text: &str) -> Vec<String> {
    let prose = prose(text);
    let targets = prose.split("](").skip(1).filter_map(|rest| rest.split_once(')'));
    targets.map(|(target, _)| target.to_owned()).filter(|target| !target.contains("://")).collect()
}

/// What a link may have behind its `#`: the headings as a code host names them, and the ids that are written out.
fn anchors(text: &str) -> Vec<String> {
    let prose = prose(text);
    let mut seen = BTreeMap::new();
    let headings = prose.lines().filter(|line| line.starts_with('#')).map(|line| line.trim_start_matches('#').trim());
    let mut found: Vec<_> = headings.map(|heading| numbered(&slug(heading), &mut seen)).collect();
    let ids = prose.split("<a id=\"").skip(1).filter_map(|rest| rest.split_once('"'));
    found.extend(ids.map(|(id, _)| id.to_owned()));
    found
}

/// A heading in lower case, with hyphens for spaces and without punctuation.
fn slug(heading: &str) -> String {
    let kept = heading.chars().filter(|char| char.is_alphanumeric() || matches!(char, ' ' | '-' | '_'));
    kept.collect::<String>().to_lowercase().replace(' ', "-")
}

/// The anchor of a heading: its slug, with a number if the page has had the slug before.
fn numbered(slug: &str, seen: &mut BTreeMap<String, usize>) -> String {
    let before = seen.entry(slug.to_owned()).or_default();
    *before += 1;
    if *before == 1 { slug.to_owned() } else { format!("{slug}-{}", *before - 1) }
}

/// The blocks of code of a document, each with its language. A picture in text is no code.
fn code(text: &str) -> Vec<String> {
    let blocks = text.split("```").skip(1).step_by(2).map(str::to_owned);
    blocks.filter(|block| !block.starts_with("text\n agent")).collect()
}

/// A document without its blocks of code.
fn prose(text: &str) -> String {
    let mut in_code = false;
    let mut kept = String::new();
    for line in text.lines() {
        if line.trim_start().starts_with("```") {
            in_code = !in_code;
        } else if !in_code {
            kept.push_str(line);
            kept.push('\n');
        }
    }
    assert!(!in_code, "a block of code has no end in\n{text}");
    kept
}

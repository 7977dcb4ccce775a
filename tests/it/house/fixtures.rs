//! The fixtures are sane: what people and other tests start from is complete, and nothing in it points nowhere.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

use crate::support::world::{BackendExt, World, files_below};

/// Legal names of files that a folder of fixtures cannot hold everywhere: Windows knows none of them, and `cargo package`
/// refuses the first. Each is the content of its file.
const NAMES_ILLEGAL_ON_WINDOWS: [&str; 8] =
    ["*.md", "...", "a:b.md", "nul.bin", "trailing dot.", "trailing space ", "what?.md", "\"quoted\".md"];
/// Names that Windows keeps for devices, whatever ending they have.
const DEVICES: [&str; 4] = ["con", "prn", "aux", "nul"];

#[test]
fn the_demo_user_has_three_skills_and_their_files() {
    let skills = demo_store().join("demo/skills");
    let found: Vec<_> = files(&skills)
        .into_iter()
        .map(|file| file.strip_prefix(&skills).unwrap().to_string_lossy().replace('\\', "/"))
        .collect();
    let expected = [
        "contratos/arrendamiento/SKILL.md",
        "escrituras/compraventa/SKILL.md",
        "escrituras/compraventa/disclosure_clausulas.md",
        "escrituras/compraventa/resources/ejemplo.md",
        "escrituras/compraventa/resources/plantilla.pdf",
        "escrituras/hipoteca/SKILL.md",
    ];
    assert_eq!(found, expected);
}

#[test]
fn the_names_of_the_demo_skills_are_their_folders() {
    for file in files(&demo_store().join("demo/skills")).into_iter().filter(|file| file.ends_with("SKILL.md")) {
        let text = fs::read_to_string(&file).unwrap();
        let folder = file.parent().unwrap().file_name().unwrap().to_string_lossy();
        assert!(text.starts_with(&format!("---\nname: {folder}\n")), "{}", file.display());
    }
}

#[test]
fn the_template_is_a_pdf_whose_cross_references_hold() {
    let pdf = fs::read(demo_store().join("demo/skills/escrituras/compraventa/resources/plantilla.pdf")).unwrap();
    assert!(pdf.starts_with(b"%PDF-1.") && pdf.ends_with(b"%%EOF\n"));
    assert!(pdf[..1024].contains(&0), "a text sniffer takes it for text");

    // Latin-1 keeps byte offsets: one character for each byte.
    let text: String = pdf.iter().map(|byte| char::from(*byte)).collect::<String>();
    let at = |offset: usize| text.chars().skip(offset).collect::<String>();
    let (_, tail) = text.rsplit_once("startxref\n").unwrap();
    let table = at(tail.lines().next().unwrap().parse().unwrap());
    assert!(table.starts_with("xref\n0 "));
    let offsets = table.lines().skip(3).take_while(|line| line.ends_with("n "));
    let objects = offsets.enumerate().map(|(index, line)| (index + 1, line[..10].parse::<usize>().unwrap()));
    let objects: Vec<_> = objects.collect();
    assert!(objects.len() > 5);
    for (number, offset) in objects {
        assert!(at(offset).starts_with(&format!("{number} 0 obj\n")), "object {number}");
    }
}

#[test]
fn every_link_between_fixtures_leads_somewhere() {
    let mut links = 0;
    for file in files(&fixtures()).into_iter().filter(|file| file.extension().is_some_and(|ending| ending == "md")) {
        let bytes = fs::read(&file).unwrap();
        for target in links_of(&String::from_utf8_lossy(&bytes)) {
            assert!(file.parent().unwrap().join(&target).exists(), "{}: {target}", file.display());
            links += 1;
        }
    }
    assert!(links >= 6, "only {links} links: are they still read?");
}

#[tokio::test]
async fn odd_names_are_listed_read_and_found_byte_for_byte() {
    let world = World::new();
    let folder = fixtures().join("odd/skills/odd-files");
    let mut texts = BTreeMap::new();
    for (name, bytes) in files_below(&folder) {
        world.put(&format!("demo/skills/odd-files/{name}"), bytes.clone()).await;
        // A byte order mark is no part of the text that is read.
        texts.extend(String::from_utf8(bytes).ok().filter(|text| !text.contains('\0')).map(|text| (name, text)));
    }
    for name in NAMES_ILLEGAL_ON_WINDOWS {
        world.put(&format!("demo/skills/odd-files/{name}"), name).await;
        texts.insert(name.to_owned(), name.to_owned());
    }
    let agent = world.agent();
    agent.load("odd-files").await.unwrap();
    let listed = agent.names("/skills/odd-files").await.unwrap();
    let globbed = agent.find("/skills/odd-files/{*,.*}").await.unwrap();
    assert_eq!(globbed, listed, "a glob finds other names than are listed");
    assert_eq!(listed.len(), files_below(&folder).len() + NAMES_ILLEGAL_ON_WINDOWS.len());
    for (name, text) in texts {
        let path = format!("/skills/odd-files/{name}");
        assert!(listed.contains(&path), "{path} is not among {listed:?}");
        let read = agent.text(&path).await.unwrap();
        assert_eq!(read, text, "{path}");
    }
    assert_eq!(agent.find(r"/skills/odd-files/\*.md").await.unwrap(), ["/skills/odd-files/*.md"]);
}

#[test]
fn every_name_in_the_repository_is_legal_on_windows() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folders = ["benches", "crates", "docs", "examples", "fixtures", "src", "tests"].map(|folder| root.join(folder));
    let mut spelled = BTreeMap::new();
    for file in folders.iter().flat_map(|folder| files(folder)) {
        let name = file.strip_prefix(root).unwrap().to_str().unwrap().to_owned();
        for segment in name.split('/') {
            assert!(!is_illegal_on_windows(segment), "{name}");
        }
        if let Some(twin) = spelled.insert(name.to_lowercase(), name.clone()) {
            panic!("{name} and {twin} are one file on Windows");
        }
    }
    assert!(NAMES_ILLEGAL_ON_WINDOWS.into_iter().all(is_illegal_on_windows));
}

/// Whether Windows has no file of this name.
fn is_illegal_on_windows(segment: &str) -> bool {
    let stem = segment.split('.').next().unwrap_or_default().to_lowercase();
    let numbered = |port: &str| stem.strip_prefix(port).is_some_and(|rest| matches!(rest.as_bytes(), [b'0'..=b'9']));
    segment.contains(|c: char| c.is_control() || "<>:\"|?*\\".contains(c))
        || segment.ends_with(['.', ' '])
        || DEVICES.contains(&stem.as_str())
        || numbered("com")
        || numbered("lpt")
}

#[test]
fn every_odd_skill_is_explained() {
    let readme = fs::read_to_string(fixtures().join("README.md")).unwrap();
    for entry in fs::read_dir(fixtures().join("odd/skills")).unwrap() {
        let name = entry.unwrap().file_name().to_string_lossy().into_owned();
        assert!(
            [format!("`{name}`"), format!("`{name}/")].iter().any(|form| readme.contains(form)),
            "fixtures/README.md does not say what {name} is for"
        );
    }
}

/// The store that the demo starts from, which lies with the command line.
fn demo_store() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("crates/cli/fixtures/store")
}

fn fixtures() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("fixtures")
}

/// Every file below `folder`, in order.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { found.extend(files(&path)) } else { found.push(path) }
    }
    found.sort();
    found
}

/// The relative targets of Markdown links in `text`.
fn links_of(text: &str) -> Vec<String> {
    let targets = text.split("](").skip(1).filter_map(|rest| rest.split_once(')'));
    targets.map(|(target, _)| target.to_owned()).filter(|target| !target.contains("://")).collect()
}

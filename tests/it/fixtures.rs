//! The fixtures are sane: what people and other tests start from is complete, and nothing in it points nowhere.

use std::{
    fs,
    path::{Path, PathBuf},
};

#[test]
fn the_demo_user_has_three_skills_and_their_files() {
    let skills = fixtures().join("store/demo/skills");
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
    for file in files(&fixtures().join("store/demo/skills")).into_iter().filter(|file| file.ends_with("SKILL.md")) {
        let text = fs::read_to_string(&file).unwrap();
        let folder = file.parent().unwrap().file_name().unwrap().to_string_lossy();
        assert!(text.starts_with(&format!("---\nname: {folder}\n")), "{}", file.display());
    }
}

#[test]
fn the_template_is_a_pdf_whose_cross_references_hold() {
    let pdf = fs::read(fixtures().join("store/demo/skills/escrituras/compraventa/resources/plantilla.pdf")).unwrap();
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

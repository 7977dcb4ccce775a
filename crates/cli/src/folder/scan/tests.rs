//! Which folders a scan takes for skills, and its reports on the rest.

use super::{super::remember, *};
use crate::{
    client::sync::SyncBase,
    skill::{Version, VersionFile},
};

fn tree(files: &[&str]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for file in files {
        let path = folder.path().join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, "x").unwrap();
    }
    folder
}

fn scan(folder: &Path, into: Option<&str>, extent: Extent) -> Result<FolderScan> {
    super::scan(&folder.into(), into, extent)
}

fn found(folder: &Path, into: Option<&str>) -> Vec<(String, Vec<String>)> {
    let names = |skill: LocalSkill| skill.files.into_iter().map(|file| file.relative).collect();
    scan(folder, into, Extent::NotIgnored)
        .unwrap()
        .skills
        .into_iter()
        .map(|skill| (skill.skill.to_string(), names(skill)))
        .collect()
}

#[test]
fn the_outermost_skill_takes_all_below_it_and_tools_are_passed_over() {
    let folder = tree(&[
        "a/b/SKILL.md",
        "a/b/inner/SKILL.md",
        "a/b/.git/config",
        "a/b/.DS_Store",
        "node_modules/x/SKILL.md",
        "c/readme.md",
    ]);
    let expected = vec![("x/a/b".to_owned(), vec!["SKILL.md".to_owned(), "inner/SKILL.md".to_owned()])];
    assert_eq!(found(folder.path(), Some("x/")), expected);
}

#[test]
fn files_called_almost_skill_md_are_told_unless_the_right_one_is_beside_them() {
    let folder = tree(&["a/skill.md", "a/b/SKILL.md", "c/SKILL.md", "c/Skill.md", "c/d/skill.md", "e/skill.md/x"]);
    let scanned = scan(folder.path(), None, Extent::NotIgnored).unwrap();
    let skills: Vec<_> = scanned.skills.iter().map(|skill| skill.skill.as_str()).collect();
    let misnamed: Vec<_> =
        scanned.no_skills.iter().map(|one| (one.at.as_str(), one.path.ends_with("a/skill.md"))).collect();
    assert_eq!((skills, misnamed), (vec!["a/b", "c"], vec![("a", true)]));
    assert_eq!(scan(&folder.path().join("a"), None, Extent::NotIgnored).unwrap().no_skills.len(), 1);
}

#[test]
fn a_skill_md_stands_for_its_folder_and_no_other_file_does() {
    let folder = tree(&["venta/SKILL.md", "venta/x.md", "almost/skill.md"]);
    assert_eq!(found(&folder.path().join("venta/SKILL.md"), Some("x"))[0].0, "x/venta");
    assert_eq!(scan(&folder.path().join("almost/skill.md"), None, Extent::NotIgnored).unwrap().no_skills.len(), 1);
    assert!(
        scan(&folder.path().join("venta/x.md"), None, Extent::NotIgnored).unwrap_err().message().contains("is a file")
    );
}

#[test]
fn a_folder_that_is_a_skill_keeps_its_own_name() {
    let folder = tree(&["venta/SKILL.md"]);
    assert_eq!(found(&folder.path().join("venta"), None)[0].0, "venta");
}

#[test]
fn skills_are_found_as_deep_as_they_may_lie_and_no_deeper() {
    let deep = ["d"; SKILL_DEPTH].join("/");
    assert_eq!(found(tree(&[&format!("{deep}/SKILL.md")]).path(), None)[0].0, deep);
    assert!(scan(tree(&[&format!("{deep}/d/SKILL.md")]).path(), None, Extent::NotIgnored).is_err());
}

#[cfg(unix)]
#[test]
fn links_are_reported_and_never_followed() {
    let folder = tree(&["s/SKILL.md", "secret/key"]);
    std::os::unix::fs::symlink(folder.path().join("secret"), folder.path().join("s/link")).unwrap();
    let skills = scan(folder.path(), None, Extent::NotIgnored).unwrap().skills;
    assert_eq!(skills[0].files.len(), 1);
    assert!(skills[0].skipped[0].starts_with("link "), "{:?}", skills[0].skipped);
}

#[cfg(unix)]
#[test]
fn links_to_folders_and_skills_are_found_and_never_followed() {
    let folder = tree(&["in/a/SKILL.md", "out/b/SKILL.md", "out/x.md"]);
    let link = |to: &str, at: &str| {
        std::os::unix::fs::symlink(folder.path().join(to), folder.path().join("in").join(at)).unwrap();
    };
    link("out/b", "b");
    link("in/a", "twin");
    link("out/b/SKILL.md", "SKILL.md");
    link("out/x.md", "x.md");
    link("nowhere", "gone");
    for extent in [Extent::NotIgnored, Extent::Everything] {
        let scanned = scan(&folder.path().join("in"), Some("c"), extent).unwrap();
        assert_eq!(scanned.skills.iter().map(|one| one.skill.as_str()).collect::<Vec<_>>(), ["c/a"]);
        let links: Vec<_> = scanned.no_skills.iter().map(|one| (one.at.as_str(), one.finding.code.as_str())).collect();
        assert_eq!(links, ["c/b", "c/in", "c/twin"].map(|at| (at, "link_not_followed")));
    }
    std::os::unix::fs::symlink(folder.path().join("out"), folder.path().join("named")).unwrap();
    let named = scan(&folder.path().join("named"), None, Extent::NotIgnored).unwrap();
    assert_eq!(named.skills[0].skill.as_str(), "b", "a link that is named is meant");
    assert!(named.skills[0].main().starts_with(folder.path().join("named")));
}

#[cfg(unix)]
#[test]
fn a_folder_whose_name_no_skill_can_have_is_a_finding_and_the_others_are_found() {
    use std::os::unix::ffi::OsStrExt as _;
    let folder = tree(&["in/good/SKILL.md", "in/a\tb/SKILL.md"]);
    let odd = folder.path().join("in").join(std::ffi::OsStr::from_bytes(b"x\xff"));
    fs::create_dir(&odd).unwrap();
    fs::write(odd.join(MAIN), "x").unwrap();
    let scanned = scan(&folder.path().join("in"), Some("c"), Extent::NotIgnored).unwrap();
    assert_eq!(scanned.skills.iter().map(|one| one.skill.as_str()).collect::<Vec<_>>(), ["c/good"]);
    let found: Vec<_> = scanned.no_skills.iter().map(|one| (one.at.as_str(), one.finding.code.as_str())).collect();
    assert_eq!(found, [("c/a\tb", "path_invalid"), ("x\u{fffd}", "path_invalid")]);
    assert!(scanned.no_skills.iter().all(|one| one.path.ends_with(MAIN) && one.finding.message.contains("rename")));
    let alone = scan(&odd, None, Extent::NotIgnored).unwrap();
    assert_eq!((alone.skills.len(), alone.no_skills.len()), (0, 1), "also if it is named itself");
}

#[test]
fn files_of_the_version_that_a_folder_comes_from_are_part_of_it_whatever_ignore_files_name() {
    let files = ["in/a/SKILL.md", "in/a/data.log", "in/a/dist/x.js", "in/a/dist/new.js", "in/a/.git/config"];
    let folder = tree(&files);
    let folder = folder.path();
    for (at, text) in [(".gitignore", "*.log"), ("in/a/.skillignore", "dist/\n*.md\n.skillignore")] {
        fs::write(folder.join(at), text).unwrap();
    }
    assert!(scan(&folder.join("in"), None, Extent::NotIgnored).is_err(), "its SKILL.md is no file of a version yet");
    let known = ["SKILL.md", "data.log", "dist/x.js", "dist/gone.js", ".git/config", "../../outside"];
    let known = known.map(|path| VersionFile::from_bytes(path, b"x")).to_vec();
    remember(&folder.join("in/a").into(), &SyncBase::from_version(&Version::new(known)), 1).unwrap();
    fs::write(folder.join("outside"), "x").unwrap();
    let kept = ["SKILL.md", "data.log", "dist/x.js"].map(str::to_owned).to_vec();
    for named in [".", "in", "in/a", "in/a/SKILL.md"] {
        assert_eq!(found(&folder.join(named), None).last().unwrap().1, kept, "{named}");
    }
    fs::write(folder.join("in/a/.skillmount.json"), "damaged").unwrap();
    assert!(scan(&folder.join("in"), None, Extent::NotIgnored).is_err(), "nothing is known of it");
}

#[test]
fn what_ignore_files_name_is_no_part_of_a_skill_wherever_they_lie() {
    let folder = tree(&[
        "in/a/SKILL.md",
        "in/a/keep.md",
        "in/a/key.pem",
        "in/a/x.tmp",
        "in/a/cache/x",
        "in/a/.hidden",
        "in/draft/SKILL.md",
    ]);
    for (at, text) in [
        (".gitignore", "*.tmp"),
        ("in/.ignore", "draft/"),
        ("in/a/.skillignore", "cache\n*.pem\n!keep.md\n.skillignore"),
    ] {
        fs::write(folder.path().join(at), text).unwrap();
    }
    let seen = |named: &str, extent| {
        let scanned = scan(&folder.path().join(named), None, extent).unwrap();
        let files = |skill: &LocalSkill| skill.files.iter().map(|file| file.relative.clone()).collect::<Vec<_>>();
        scanned.skills.iter().map(|skill| (skill.skill.to_string(), files(skill))).collect::<Vec<_>>()
    };
    let kept = [".hidden", "SKILL.md", "keep.md"].map(str::to_owned).to_vec();
    assert_eq!(seen("in", Extent::NotIgnored), [("a".to_owned(), kept.clone())]);
    assert_eq!(seen("in/a", Extent::NotIgnored), [("a".to_owned(), kept)]);
    assert_eq!(seen("in/draft", Extent::NotIgnored)[0].0, "draft", "a folder that is named is meant");
    let all = seen("in", Extent::Everything);
    assert_eq!((all[0].1.len(), all[1].0.as_str()), (7, "draft"));
    fs::write(folder.path().join("in/.ignore"), "*").unwrap();
    let refused = scan(&folder.path().join("in"), None, Extent::NotIgnored).unwrap_err();
    assert!(refused.message().contains("--no-ignore"), "{refused}");
}

//! Questions in other languages than those of the skills, to thousands of public skills that lie outside the project.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

use serde_json::Value;
use skillmount::{
    path::SkillPath,
    skill::{Head, read_head},
    words::{RankingStep, SearchDocument, SearchIndex, Steps},
};

/// How many questions of each language find a right skill among the first five, at least: what was measured. No question was
/// changed or left out since they were written, which was before any of them was asked.
const FLOORS: [(&str, usize); 7] = [("ar", 3), ("de", 17), ("fr", 10), ("hi", 3), ("ja", 2), ("pt", 10), ("ru", 3)];

/// The folder of the public skills.
pub(super) fn search_set() -> PathBuf {
    std::env::var_os("SKILLMOUNT_SEARCH_SET")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/search"), PathBuf::from)
}

/// The requests that belong to the public skills.
pub(super) fn public_requests() -> Vec<String> {
    let lines = fs::read_to_string(search_set().join("questions.jsonl")).unwrap();
    let query = |line: &str| serde_json::from_str::<Value>(line).unwrap()["query"].as_str().unwrap().to_owned();
    lines.lines().map(query).collect()
}

/// The index of the public skills, whose paths end with their folders; `None`, said aloud, where they are not at hand.
pub(super) fn public_skills() -> Option<SearchIndex> {
    let folder = search_set();
    let Ok(lines) = fs::read_to_string(folder.join("skills.jsonl")) else {
        println!("SKIPPED: no public skills at {}: set SKILLMOUNT_SEARCH_SET", folder.display());
        return None;
    };
    let skills: Vec<(SkillPath, Head)> = lines
        .lines()
        .enumerate()
        .filter_map(|(number, line)| {
            let row: Value = serde_json::from_str(line).unwrap();
            let named = row["folder"].as_str().unwrap().chars();
            let folder: String = named.map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
            let path = SkillPath::parse(&format!("k{number}/{folder}")).ok()?;
            let head = read_head(row["text"].as_str().unwrap().as_bytes(), path.folder()).0?;
            Some((path, head))
        })
        .collect();
    assert!(skills.len() > 2000, "{}", skills.len());
    Some(SearchIndex::build(skills.iter().map(|(skill, head)| SearchDocument {
        skill,
        name: head.frontmatter.name.as_deref().unwrap_or_default(),
        description: &head.frontmatter.description,
        when_to_use: head.frontmatter.when_to_use.as_deref().unwrap_or_default(),
        triggers: &head.frontmatter.triggers,
        tags: &head.frontmatter.tags,
        keywords: &head.frontmatter.keywords,
        headings: &head.headings,
        body: &head.opening,
    })))
}

#[test]
fn questions_in_seven_languages_find_english_skills() {
    let Some(index) = public_skills() else { return };
    let mut found = BTreeMap::<&str, (usize, Vec<&str>)>::new();
    for line in include_str!("languages.tsv").lines() {
        let [language, question, right] = line.split('\t').collect::<Vec<_>>().try_into().unwrap();
        let hits = index.search(question, |_| true, 5).unwrap().hits;
        let (first, missed) = found.entry(language).or_default();
        if hits.iter().any(|hit| right.split(',').any(|folder| hit.skill.folder() == folder)) {
            *first += 1;
        } else {
            missed.push(question);
        }
    }
    println!("{found:#?}");
    for (language, floor) in FLOORS {
        assert!(found[language].0 >= floor, "{language}: {:?}", found[language]);
    }
    assert_eq!(found.len(), FLOORS.len());
}

// S-SEARCH-18: In a text of scripts with spaces and scripts without, such as Chinese, a word counts by the number of
// words of its own kind.
#[test]
fn a_command_in_a_chinese_text_counts_as_much_as_alone_and_so_does_chinese_in_an_english_one() {
    let chinese: String = ('\u{4e00}'..'\u{5000}').collect();
    let english: Vec<String> = (0..400).map(|number| format!("word{number}")).collect();
    let bodies = ["kubectl", &format!("kubectl {chinese}"), "合同", &format!("合同 {}", english.join(" "))];
    let paths = ["commands/alone", "commands/in-chinese", "contracts/alone", "contracts/in-english"];
    let paths = paths.map(|path| SkillPath::parse(path).unwrap());
    let document = |(skill, body)| SearchDocument {
        skill,
        name: "",
        description: "",
        when_to_use: "",
        triggers: &[],
        tags: &[],
        keywords: &[],
        headings: "",
        body,
    };
    let scores = |steps, question| {
        let index = SearchIndex::build_with(paths.iter().zip(bodies).map(document), steps);
        let scores = index.search(question, |_| true, 5).unwrap().hits.into_iter().map(|hit| hit.score);
        <[f32; 2]>::try_from(scores.collect::<Vec<_>>()).unwrap()
    };
    for question in ["kubectl", "合同"] {
        let [alone, beside] = scores(Steps::ALL, question);
        assert!((alone - beside).abs() < f32::EPSILON, "{question}: {alone} {beside}");
        let [alone, beside] = scores(Steps::ALL.without(RankingStep::Scripts), question);
        assert!(alone > 1.5 * beside, "{question}: {alone} {beside}");
    }
}

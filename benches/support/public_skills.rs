//! What search finds among thousands of public skills: requests in users' words, in two halves.
//!
//! The set lies outside the project, in the folder `SKILLMOUNT_SEARCH_SET` or `../shared/search`: `skills.jsonl` has skills,
//! `questions.jsonl` requests with the skills that serve them. Weights were chosen on the first half of the requests, which
//! are those with even places in the file; what the second half says is what to expect elsewhere.

use std::{
    collections::{BTreeMap, HashMap},
    fs,
    path::{Path, PathBuf},
};

use serde_json::Value;
use skillmount::{
    catalog::search::{Confidence, SearchIndex, Steps},
    path::SkillPath,
    skill::{Head, read_head},
};

use super::{LADDER, document, skills::Skill, substring};

/// Results that are looked at.
const MOST: usize = 50;

/// A request and the skills that serve it.
struct Request {
    text: String,
    kind: String,
    right: Vec<String>,
}

/// Prints the shares of the requests that are answered, and how small talk is judged.
pub(crate) fn measure(small_talk: &[String]) {
    let folder = std::env::var_os("SKILLMOUNT_SEARCH_SET")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/search"), PathBuf::from);
    let (Ok(skills), Ok(requests)) =
        (fs::read_to_string(folder.join("skills.jsonl")), fs::read_to_string(folder.join("questions.jsonl")))
    else {
        println!("SKIPPED: no public skills at {}: set SKILLMOUNT_SEARCH_SET", folder.display());
        return;
    };
    let (skills, paths) = skills_of(&skills);
    let requests: Vec<_> = requests.lines().map(|line| request(line, &paths)).collect();
    let (tuned, untouched): (Vec<_>, Vec<_>) = requests.iter().enumerate().partition(|(at, _)| at % 2 == 0);
    println!("{} public skills, {} requests", skills.len(), requests.len());
    for (name, half) in [("tuned half", tuned), ("untouched half", untouched)] {
        let half: Vec<&Request> = half.into_iter().map(|(_, request)| request).collect();
        println!("{name}: {} requests                 r@1  r@5  r@20 r@50 MRR@10", half.len());
        print_row("substring (all terms)", &half, &|text| substring(&skills, text));
        let mut steps = Steps::NONE;
        let ranked = |steps: Steps| {
            let index = SearchIndex::build_with(skills.iter().map(document), steps);
            move |text: &str| found(&index, text)
        };
        print_row("plain BM25", &half, &ranked(steps));
        for (name, step) in LADDER {
            steps = steps.with(step);
            print_row(name, &half, &ranked(steps));
        }
        let mut kinds = BTreeMap::<&str, Vec<&Request>>::new();
        for request in &half {
            kinds.entry(&request.kind).or_default().push(request);
        }
        let all = ranked(Steps::ALL);
        for (kind, requests) in kinds {
            print_row(&format!("  {kind}, {} requests", requests.len()), &requests, &all);
        }
    }
    confidence(&SearchIndex::build(skills.iter().map(document)), &requests, small_talk);
}

fn found(index: &SearchIndex, text: &str) -> Vec<String> {
    let hits = index.search(text, |_| true, MOST).expect("the requests are short").hits;
    hits.into_iter().map(|hit| hit.skill.to_string()).collect()
}

fn print_row(name: &str, requests: &[&Request], search: &dyn Fn(&str) -> Vec<String>) {
    let rank = |request: &&Request| search(&request.text).iter().position(|skill| request.right.contains(skill));
    let ranks: Vec<_> = requests.iter().map(rank).collect();
    let share = |first: usize| ranks.iter().flatten().filter(|rank| **rank < first).count() as f64 / ranks.len() as f64;
    let mrr = ranks.iter().flatten().filter(|rank| **rank < 10).map(|rank| 1.0 / (rank + 1) as f64).sum::<f64>();
    let [one, five, twenty, fifty] = [1, 5, 20, 50].map(share);
    println!("  {name:32} {one:.3} {five:.3} {twenty:.3} {fifty:.3} {:.3}", mrr / ranks.len() as f64);
}

/// How many messages of small talk are not trusted, and how many requests that are answered among the first five.
fn confidence(index: &SearchIndex, requests: &[Request], small_talk: &[String]) {
    let is_low = |text: &str| {
        let best = index.search(text, |_| true, 1).expect("the messages are short").hits;
        best.first().is_none_or(|hit| hit.confidence == Confidence::Low)
    };
    let low = small_talk.iter().filter(|text| is_low(text)).count();
    println!("small talk with low confidence or nothing: {low} of {}", small_talk.len());
    let answered =
        |request: &&Request| found(index, &request.text).iter().take(5).any(|skill| request.right.contains(skill));
    let answered: Vec<_> = requests.iter().filter(answered).collect();
    let low = answered.iter().filter(|request| is_low(&request.text)).count();
    println!("requests answered among the first five with low confidence: {low} of {}", answered.len());
}

/// The skills and the path of each by its id.
fn skills_of(lines: &str) -> (Vec<Skill>, HashMap<String, String>) {
    let (mut skills, mut paths) = (Vec::new(), HashMap::new());
    for (number, line) in lines.lines().enumerate() {
        let row: Value = serde_json::from_str(line).unwrap();
        let folder: String = row["folder"]
            .as_str()
            .unwrap()
            .chars()
            .map(|c| if c.is_ascii_alphanumeric() || "._-".contains(c) { c } else { '-' })
            .collect();
        let path = SkillPath::parse(&format!("k{number}/{folder}")).unwrap();
        paths.insert(row["id"].as_str().unwrap().to_owned(), path.to_string());
        if let Some(Head { frontmatter, opening, headings }) =
            read_head(row["text"].as_str().unwrap().as_bytes(), path.folder()).0
        {
            skills.push(Skill { path, frontmatter, opening, headings });
        }
    }
    (skills, paths)
}

fn request(line: &str, paths: &HashMap<String, String>) -> Request {
    let row: Value = serde_json::from_str(line).unwrap();
    let text = |key: &str| row[key].as_str().unwrap().to_owned();
    let accepted = row["accept"].as_array().unwrap().iter().filter_map(|id| paths.get(id.as_str().unwrap()));
    Request { text: text("query"), kind: text("kind"), right: accepted.cloned().collect() }
}

//! Requests beside what people add to them, to thousands of public skills that lie outside the project.

use std::{collections::HashMap, fs};

use serde_json::Value;
use skillmount::words::SearchIndex;

use super::languages::{public_skills, search_set};

/// For each text by which nothing was chosen: how many of the requests beside it find a right skill among the first five, at least.
/// Alone 37 of them do.
const FLOORS: [(&str, usize); 4] = [("code", 28), ("JSON", 22), ("table", 32), ("diff", 28)];

/// A request by which nothing was chosen, and the paths of the skills that serve it.
struct Request {
    text: String,
    right: Vec<String>,
}

/// Those that are not in Spanish.
fn untouched() -> Vec<Request> {
    let read = |file: &str| fs::read_to_string(search_set().join(file)).unwrap();
    let value = |line: &str| serde_json::from_str::<Value>(line).unwrap();
    let skills = read("skills.jsonl");
    let paths: HashMap<String, String> = (skills.lines().map(value).enumerate())
        .map(|(number, row)| (row["id"].as_str().unwrap().to_owned(), format!("k{number}/")))
        .collect();
    let request = |row: Value| {
        let accepted = row["accept"].as_array().unwrap().iter().filter_map(|id| paths.get(id.as_str().unwrap()));
        Request { text: row["query"].as_str().unwrap().to_owned(), right: accepted.cloned().collect() }
    };
    let requests = read("questions.jsonl");
    let odd = requests.lines().skip(1).step_by(2).map(value);
    odd.filter(|row| row["kind"] != "es").map(request).collect()
}

fn found(index: &SearchIndex, requests: &[Request], before: &str, after: &str) -> usize {
    let is_found = |request: &&Request| {
        let hits = index.search(&format!("{before} {} {after}", request.text), |_| true, 5).unwrap().hits;
        hits.iter().any(|hit| request.right.iter().any(|right| hit.skill.as_str().starts_with(right)))
    };
    requests.iter().filter(is_found).count()
}

// S-SEARCH-17: In a question of more than 70 words a word tells more if the passage around it tells more and is more
// like prose.
#[test]
fn a_task_is_found_beside_code_json_tables_and_differences() {
    let Some(index) = public_skills() else { return };
    let requests = untouched();
    println!("alone {} of {}", found(&index, &requests, "", ""), requests.len());
    let texts = include_str!("../../../benches/data/search_chats.tsv");
    for (kind, floor) in FLOORS {
        let row = texts.lines().find(|line| line.starts_with(kind)).unwrap();
        let [_, before, after] = row.split('\t').collect::<Vec<_>>().try_into().unwrap();
        let found = found(&index, &requests, before, after);
        println!("beside {kind} {found}");
        assert!(found >= floor, "{kind}: {found} of {}", requests.len());
    }
}

//! Thousands of public skills and requests in users' words, in sets by which weights were chosen and sets by which none was.
//!
//! The skills and most requests lie outside the project, in the folder `SKILLMOUNT_SEARCH_SET` or `../shared/search`:
//! `skills.jsonl` has skills, `questions.jsonl` requests with the skills that serve them. Weights were chosen on the first half of
//! these requests, the even places in the file, and on those of `data/search_public_questions.tsv`; no weight was chosen by the
//! second half, nor by the requests of `data/search_unseen_public_questions.tsv`. Each in these two files was written for this project after
//! reading one skill, drawn at random from those that no other request asks for, and before any search; copies and near-duplicates of
//! the skill count as right. The questions in seven languages are those of the tests, to English skills.

use std::{
    collections::HashMap,
    fs,
    path::{Path, PathBuf},
};

use serde_json::Value;
use skillmount::{
    path::SkillPath,
    skill::{Head, read_head},
};

use super::skills::Skill;

/// A request and the skills that serve it.
pub(crate) struct Request {
    pub(crate) text: String,
    pub(crate) kind: String,
    pub(crate) right: Vec<String>,
}

/// Skills and requests.
pub(crate) struct Set {
    pub(crate) skills: Vec<Skill>,
    /// Each SKILL.md with its path.
    pub(crate) texts: Vec<(SkillPath, String)>,
    /// The requests by which weights were chosen.
    pub(crate) tuned: Vec<Request>,
    /// The others of the same hand.
    pub(crate) untouched: Vec<Request>,
    /// Those that were written for this project, and by which weights were chosen.
    pub(crate) own: Vec<Request>,
    /// Those that were written for this project, and by which no weight was chosen.
    pub(crate) unseen: Vec<Request>,
    /// Those in other languages than English and Spanish, which is their kind.
    pub(crate) foreign: Vec<Request>,
}

impl Set {
    /// Reads the set; `None`, said aloud, where it is not at hand.
    pub(crate) fn read() -> Option<Self> {
        let folder = std::env::var_os("SKILLMOUNT_SEARCH_SET")
            .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/search"), PathBuf::from);
        let (Ok(skills), Ok(requests)) =
            (fs::read_to_string(folder.join("skills.jsonl")), fs::read_to_string(folder.join("questions.jsonl")))
        else {
            println!("SKIPPED: no public skills at {}: set SKILLMOUNT_SEARCH_SET", folder.display());
            return None;
        };
        let (mut read, mut texts, mut paths) = (Vec::new(), Vec::new(), HashMap::new());
        for (number, line) in skills.lines().enumerate() {
            let row: Value = serde_json::from_str(line).unwrap();
            let [id, folder, text] = ["id", "folder", "text"].map(|key| row[key].as_str().unwrap());
            let is_plain = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
            let folder: String = folder.chars().map(|c| if is_plain(c) { c } else { '-' }).collect();
            let path = SkillPath::parse(&format!("k{number}/{folder}")).unwrap();
            paths.insert(id.to_owned(), path.to_string());
            // A skill that its author keeps from models is in no answer to one.
            if let Some(Head { frontmatter, opening, headings }) = read_head(text.as_bytes(), path.folder()).0
                && !frontmatter.disable_model_invocation
            {
                read.push(Skill { path: path.clone(), frontmatter, opening, headings });
            }
            texts.push((path, text.to_owned()));
        }
        let (mut tuned, mut untouched) = (Vec::new(), Vec::new());
        for (place, line) in requests.lines().enumerate() {
            if place % 2 == 0 { &mut tuned } else { &mut untouched }.push(request(line, &paths));
        }
        let own = own_requests("search_public_questions.tsv", &paths);
        let unseen = own_requests("search_unseen_public_questions.tsv", &paths);
        let foreign = foreign_requests(&read);
        Some(Self { skills: read, texts, tuned, untouched, own, unseen, foreign })
    }
}

fn request(line: &str, paths: &HashMap<String, String>) -> Request {
    let row: Value = serde_json::from_str(line).unwrap();
    let text = |key: &str| row[key].as_str().unwrap().to_owned();
    let accepted = row["accept"].as_array().unwrap().iter().filter_map(|id| paths.get(id.as_str().unwrap()));
    Request { text: text("query"), kind: text("kind"), right: accepted.cloned().collect() }
}

fn own_requests(file: &str, paths: &HashMap<String, String>) -> Vec<Request> {
    let requests = table(file).into_iter().map(|[text, right, kind]| Request {
        text,
        kind,
        right: right.split(',').filter_map(|id| paths.get(id)).cloned().collect(),
    });
    requests.filter(|request| !request.right.is_empty()).collect()
}

/// The rows of a file of data with three columns, without its head.
pub(crate) fn table(file: &str) -> Vec<[String; 3]> {
    let text = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/data").join(file)).unwrap();
    let rows = text.lines().skip(1).map(|line| line.split('\t').map(str::to_owned).collect::<Vec<_>>());
    rows.map(|row| row.try_into().unwrap()).collect()
}

/// Each names the folders of the skills that serve it.
fn foreign_requests(skills: &[Skill]) -> Vec<Request> {
    let lines = include_str!("../../tests/it/catalog/languages.tsv").lines();
    let request = |line: &str| {
        let [kind, text, folders] = line.split('\t').collect::<Vec<_>>().try_into().unwrap();
        let right = skills.iter().filter(|skill| folders.split(',').any(|folder| skill.path.folder() == folder));
        let right = right.map(|skill| skill.path.to_string()).collect();
        Request { text: text.to_owned(), kind: kind.to_owned(), right }
    };
    lines.map(request).collect()
}

//! What words find among thousands of public skills, by kind of request: `cargo bench --bench lexical --no-default-features`.
//!
//! Each set of requests is asked four ways: substring search, a plain BM25 (`support/plain_bm25.rs`), and the search by words
//! alone, without and with the step for messages that chat. There are three sets. Weights were chosen on the first half of
//! `questions.jsonl`, the even places; nothing was chosen by its other half, nor by the requests of
//! `data/search_public_questions.tsv`. Each of these was written for this project after reading one skill, drawn at random from
//! those that no request of `questions.jsonl` asks for, and before any search; copies and near-duplicates of the skill count as
//! right.
//!
//! The requests that are not in Spanish are asked again amid chat, of `data/search_chats.tsv`: the first half amid two chats by
//! which weights were chosen, the other sets amid two by which nothing was. The skills and `questions.jsonl` lie outside the
//! project, in the folder `SKILLMOUNT_SEARCH_SET` or `../shared/search`.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::print_stdout,
    clippy::disallowed_methods,
    clippy::cast_precision_loss,
    reason = "a benchmark prints, and fails by panicking"
)]

#[path = "support/plain_bm25.rs"]
mod plain_bm25;

use std::{
    collections::{BTreeMap, HashMap},
    fs,
    path::{Path, PathBuf},
};

use serde_json::Value;
use skillmount::{
    catalog::search::{SearchDocument, SearchIndex, Step, Steps},
    path::SkillPath,
    skill::{Head, read_head},
};

use self::plain_bm25::PlainBm25;

/// Results that are looked at.
const MOST: usize = 50;
/// The bytes of a body that the plain BM25 reads.
const BODY: usize = 4000;

struct Skill {
    path: SkillPath,
    head: Head,
    body: String,
}

struct Request {
    text: String,
    kind: String,
    right: Vec<String>,
}

/// Words before and behind a request.
struct Chat {
    name: String,
    before: String,
    after: String,
}

/// The ways to search, each with its name: the paths of the best skills for a text.
type Ways<'a> = [(&'a str, &'a dyn Fn(&str) -> Vec<String>)];

fn main() {
    let folder = std::env::var_os("SKILLMOUNT_SEARCH_SET")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/search"), PathBuf::from);
    let (Ok(skills), Ok(requests)) =
        (fs::read_to_string(folder.join("skills.jsonl")), fs::read_to_string(folder.join("questions.jsonl")))
    else {
        println!("SKIPPED: no public skills at {}: set SKILLMOUNT_SEARCH_SET", folder.display());
        return;
    };
    let (skills, paths) = skills_of(&skills);
    let requests = requests.lines().map(|line| request(line, &paths));
    let (tuned, untouched): (Vec<_>, Vec<_>) = requests.enumerate().partition(|(at, _)| at % 2 == 0);
    let [tuned, untouched] = [tuned, untouched].map(|half| half.into_iter().map(|(_, one)| one).collect::<Vec<_>>());
    let own = own_requests(&paths);
    let chats = chats();
    let (chosen_by, held_out) = chats.split_at(2);
    let index = SearchIndex::build(skills.iter().map(document));
    let without = SearchIndex::build_with(skills.iter().map(document), Steps::ALL.without(Step::Chat));
    let plain = PlainBm25::new(skills.iter().map(|skill| (skill.path.to_string(), searched(skill))));
    let ways: &Ways<'_> = &[
        ("substring", &|text| substring(&skills, text)),
        ("BM25", &|text| plain.search(text, MOST)),
        ("- chat", &|text| found(&without, text)),
        ("search", &|text| found(&index, text)),
    ];
    println!("{} public skills; of the requests a right skill is among the first 1, 5, 20, 50; MRR@10", skills.len());
    measure("tuned half", &tuned, chosen_by, ways);
    measure("untouched half", &untouched, held_out, ways);
    measure("requests of our own", &own, held_out, ways);
}

fn measure(name: &str, requests: &[Request], chats: &[Chat], ways: &Ways<'_>) {
    println!("{name}");
    let all: Vec<&Request> = requests.iter().collect();
    print_rows("all", &all, None, ways);
    let mut kinds = BTreeMap::<&str, Vec<&Request>>::new();
    for request in requests {
        kinds.entry(&request.kind).or_default().push(request);
    }
    for (kind, requests) in kinds {
        print_rows(kind, &requests, None, ways);
    }
    let english: Vec<&Request> = requests.iter().filter(|request| request.kind != "es").collect();
    print_rows("not Spanish", &english, None, ways);
    for chat in chats {
        print_rows(&format!("amid chat of {}", chat.name), &english, Some(chat), ways);
    }
}

fn print_rows(name: &str, requests: &[&Request], chat: Option<&Chat>, ways: &Ways<'_>) {
    for (way, search) in ways {
        let text = |request: &Request| match chat {
            Some(chat) => format!("{} {} {}", chat.before, request.text, chat.after),
            None => request.text.clone(),
        };
        let rank = |request: &&Request| search(&text(request)).iter().position(|skill| request.right.contains(skill));
        let ranks: Vec<_> = requests.iter().filter_map(rank).collect();
        let count = requests.len() as f64;
        let [one, five, twenty, fifty] =
            [1, 5, 20, 50].map(|first| ranks.iter().filter(|rank| **rank < first).count() as f64 / count);
        let mrr =
            ranks.iter().filter(|rank| **rank < 10).map(|rank| 1.0 / (rank + 1) as f64).fold(0.0, |sum, one| sum + one)
                / count;
        let name = format!("{name}, {}", requests.len());
        println!("  {name:38} {way:10} {one:.3} {five:.3} {twenty:.3} {fifty:.3} {mrr:.3}");
    }
}

fn found(index: &SearchIndex, text: &str) -> Vec<String> {
    let hits = index.search(text, |_| true, MOST).expect("the requests are short").hits;
    hits.into_iter().map(|hit| hit.skill.to_string()).collect()
}

/// The skills that have every word in folder, description or keywords.
fn substring(skills: &[Skill], question: &str) -> Vec<String> {
    let question = question.to_lowercase();
    let has_all = |skill: &&Skill| {
        let head = &skill.head.frontmatter;
        let text = format!("{} {} {}", skill.path.folder(), head.description, head.keywords.join(" ")).to_lowercase();
        question.split_whitespace().all(|word| text.contains(word))
    };
    skills.iter().filter(has_all).take(MOST).map(|skill| skill.path.to_string()).collect()
}

/// All that the plain BM25 searches of a skill.
fn searched(skill: &Skill) -> String {
    let head = &skill.head.frontmatter;
    let lists = [&head.triggers, &head.tags, &head.keywords].map(|list| list.join(" ")).join(" ");
    let texts = [
        skill.path.folder(),
        head.name.as_deref().unwrap_or_default(),
        &head.description,
        head.when_to_use.as_deref().unwrap_or_default(),
        &lists,
        &skill.body,
    ];
    texts.join(" ")
}

fn document(skill: &Skill) -> SearchDocument<'_> {
    let head = &skill.head.frontmatter;
    SearchDocument {
        skill: &skill.path,
        name: head.name.as_deref().unwrap_or_default(),
        description: &head.description,
        when_to_use: head.when_to_use.as_deref().unwrap_or_default(),
        triggers: &head.triggers,
        tags: &head.tags,
        keywords: &head.keywords,
        headings: &skill.head.headings,
        body: &skill.head.opening,
    }
}

/// The skills and the path of each by its id.
fn skills_of(lines: &str) -> (Vec<Skill>, HashMap<String, String>) {
    let (mut skills, mut paths) = (Vec::new(), HashMap::new());
    for (number, line) in lines.lines().enumerate() {
        let row: Value = serde_json::from_str(line).unwrap();
        let [id, folder, text] = ["id", "folder", "text"].map(|key| row[key].as_str().unwrap());
        let is_plain = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
        let folder: String = folder.chars().map(|c| if is_plain(c) { c } else { '-' }).collect();
        let path = SkillPath::parse(&format!("k{number}/{folder}")).unwrap();
        paths.insert(id.to_owned(), path.to_string());
        if let Some(head) = read_head(text.as_bytes(), path.folder()).0 {
            let body = text.splitn(3, "---").last().unwrap_or_default();
            let body = body.get(..body.floor_char_boundary(BODY)).unwrap_or_default().to_owned();
            skills.push(Skill { path, head, body });
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

fn own_requests(paths: &HashMap<String, String>) -> Vec<Request> {
    let requests = table("search_public_questions.tsv").into_iter().map(|[text, right, kind]| Request {
        text,
        kind,
        right: right.split(',').filter_map(|id| paths.get(id)).cloned().collect(),
    });
    requests.filter(|request| !request.right.is_empty()).collect()
}

fn chats() -> Vec<Chat> {
    let rows = table("search_chats.tsv").into_iter();
    rows.map(|[name, before, after]| Chat { name, before, after }).collect()
}

/// The rows of a file of data, without its head.
fn table(file: &str) -> Vec<[String; 3]> {
    let text = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/data").join(file)).unwrap();
    let rows = text.lines().skip(1).map(|line| line.split('\t').map(str::to_owned).collect::<Vec<_>>());
    rows.map(|row| row.try_into().unwrap()).collect()
}

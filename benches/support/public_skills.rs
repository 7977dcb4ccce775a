//! What search finds among thousands of public skills: requests in users' words, in two halves.
//!
//! The set lies outside the project, in the folder `SKILLMOUNT_SEARCH_SET` or `../shared/search`: `skills.jsonl` has skills,
//! `questions.jsonl` requests with the skills that serve them. Weights were chosen on the first half of the requests, which
//! are those with even places in the file; what the second half says is what to expect elsewhere. It also has two goals, which
//! the benchmark checks. `fused.rs` ranks by meaning as well, where there is an encoder.

use std::{
    cell::RefCell,
    collections::{BTreeMap, HashMap},
    fs,
    path::{Path, PathBuf},
};

use serde_json::Value;
use skillmount::{
    catalog::search::{Confidence, SearchHit, SearchIndex, Steps},
    path::SkillPath,
    skill::{Head, read_head},
};

use super::{LADDER, document, fused::Fused, skills::Skill, substring};

/// Results that are looked at.
const MOST: usize = 50;
/// By how much the whole search beats plain BM25 at 1 and 20 on requests by which nothing was chosen.
const AHEAD: f64 = 0.05;

/// A request and the skills that serve it.
struct Request {
    text: String,
    kind: String,
    right: Vec<String>,
}

/// A way to search: the best skills for a text.
type Search<'a> = &'a dyn Fn(&str) -> Vec<SearchHit>;

/// Prints the shares of the requests that are answered, and how messages are judged that no skill answers. Returns the goals
/// that are missed.
pub(crate) fn measure(small_talk: &[(&str, Vec<String>)]) -> Vec<String> {
    let Some(set) = Set::read() else { return Vec::new() };
    let fused = Fused::open(&set.texts);
    let lexical = SearchIndex::build(set.skills.iter().map(document));
    let by_words = |text: &str| lexical.search(text, |_| true, MOST).expect("the texts are short").hits;
    let by_meaning = fused.as_ref().map(|fused| move |text: &str| fused.search(text, MOST));
    let mut ways: Vec<(&str, Search<'_>)> = vec![("lexical", &by_words)];
    ways.extend(by_meaning.as_ref().map(|search| ("fused", search as Search<'_>)));
    println!("{} public skills, {} requests", set.skills.len(), set.requests.len());
    let (tuned, untouched) = set.halves();
    set.rows("tuned half", &tuned, &ways);
    set.rows("untouched half", &untouched, &ways);
    for (name, search) in &ways {
        for (half, requests) in [("tuned", &tuned), ("untouched", &untouched)] {
            doubted(&format!("{name}, {half} half"), requests, *search);
        }
        for (kind, messages) in small_talk {
            let low = messages.iter().filter(|text| is_low(&search(text))).count();
            println!("{name}: {kind} with low confidence or nothing: {low} of {}", messages.len());
        }
    }
    ways.iter().flat_map(|(name, search)| set.missed(name, &untouched, *search)).collect()
}

/// The SKILL.md files of all public skills; none where the set is not at hand.
pub(crate) fn texts() -> Vec<(SkillPath, String)> {
    Set::read().map(|set| set.texts).unwrap_or_default()
}

/// Skills and requests.
struct Set {
    skills: Vec<Skill>,
    /// Each SKILL.md with its path.
    texts: Vec<(SkillPath, String)>,
    requests: Vec<Request>,
}

impl Set {
    fn read() -> Option<Self> {
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
            let is_plain = |c: &char| c.is_ascii_alphanumeric() || "._-".contains(*c);
            let folder = row["folder"].as_str().unwrap().chars();
            let folder: String = folder.map(|c| if is_plain(&c) { c } else { '-' }).collect();
            let path = SkillPath::parse(&format!("k{number}/{folder}")).unwrap();
            let text = row["text"].as_str().unwrap().to_owned();
            paths.insert(row["id"].as_str().unwrap().to_owned(), path.to_string());
            if let Some(Head { frontmatter, opening, headings }) = read_head(text.as_bytes(), path.folder()).0 {
                read.push(Skill { path: path.clone(), frontmatter, opening, headings });
            }
            texts.push((path, text));
        }
        let requests = requests.lines().map(|line| request(line, &paths)).collect();
        Some(Self { skills: read, texts, requests })
    }

    /// The requests by which weights were chosen, and the others.
    fn halves(&self) -> (Vec<&Request>, Vec<&Request>) {
        let (tuned, untouched): (Vec<_>, Vec<_>) = self.requests.iter().enumerate().partition(|(at, _)| at % 2 == 0);
        let requests = |half: Vec<(usize, _)>| half.into_iter().map(|(_, request)| request).collect();
        (requests(tuned), requests(untouched))
    }

    fn rows(&self, name: &str, half: &[&Request], ways: &[(&str, Search<'_>)]) {
        println!("{name}: {:3} requests               r@1   r@5   r@20  r@50  MRR@10", half.len());
        print_row("substring (all terms)", &ranks(half, &|text| substring(&self.skills, text)));
        let mut steps = Steps::NONE;
        print_row("plain BM25", &self.ranks(half, steps));
        for (name, step) in LADDER {
            steps = steps.with(step);
            print_row(name, &self.ranks(half, steps));
        }
        for (name, search) in ways {
            let search = |text: &str| paths(search(text));
            print_row(if *name == "fused" { "+ meaning" } else { name }, &ranks(half, &search));
            for (kind, requests) in by_kind(half) {
                print_row(&format!("  {kind}, {} requests", requests.len()), &ranks(&requests, &search));
            }
        }
    }

    /// The ranks that an index with some steps gives.
    fn ranks(&self, requests: &[&Request], steps: Steps) -> Vec<Option<usize>> {
        let index = SearchIndex::build_with(self.skills.iter().map(document), steps);
        ranks(requests, &|text| paths(index.search(text, |_| true, MOST).expect("the requests are short").hits))
    }

    /// The goals that a search misses on requests by which nothing was chosen.
    fn missed(&self, name: &str, untouched: &[&Request], search: Search<'_>) -> Vec<String> {
        let missed = RefCell::new(Vec::new());
        let check = |goal: String, is_met: bool| {
            println!("{name}: {goal}: {}", if is_met { "yes" } else { "NO" });
            if !is_met {
                missed.borrow_mut().push(format!("{name}: {goal}"));
            }
        };
        let own = |requests: &[&Request]| ranks(requests, &|text| paths(search(text)));
        let (all, plain) = (own(untouched), self.ranks(untouched, Steps::NONE));
        for first in [1, 20] {
            let (own, plain) = (share(&all, first), share(&plain, first));
            check(format!("r@{first} {own:.3} is {AHEAD} above the {plain:.3} of plain BM25"), own >= plain + AHEAD);
        }
        for (kind, requests) in by_kind(untouched) {
            let (own, plain) = (own(&requests), self.ranks(&requests, Steps::NONE));
            for first in [1, 20] {
                let (own, plain) = (found(&own, first), found(&plain, first));
                check(
                    format!("{kind} has {own} at {first} and plain BM25 {plain}, at most one more"),
                    own + 1 >= plain,
                );
            }
        }
        missed.into_inner()
    }
}

fn by_kind<'a>(requests: &[&'a Request]) -> BTreeMap<&'a str, Vec<&'a Request>> {
    let mut kinds = BTreeMap::<&str, Vec<&Request>>::new();
    for request in requests.iter().copied() {
        kinds.entry(&request.kind).or_default().push(request);
    }
    kinds
}

fn paths(hits: Vec<SearchHit>) -> Vec<String> {
    hits.into_iter().map(|hit| hit.skill.to_string()).collect()
}

fn ranks(requests: &[&Request], search: &dyn Fn(&str) -> Vec<String>) -> Vec<Option<usize>> {
    let rank = |request: &&Request| search(&request.text).iter().position(|skill| request.right.contains(skill));
    requests.iter().map(rank).collect()
}

/// How many requests are answered among the first so many.
fn found(ranks: &[Option<usize>], first: usize) -> usize {
    ranks.iter().flatten().filter(|rank| **rank < first).count()
}

fn share(ranks: &[Option<usize>], first: usize) -> f64 {
    found(ranks, first) as f64 / ranks.len() as f64
}

fn print_row(name: &str, ranks: &[Option<usize>]) {
    let mrr = ranks.iter().flatten().filter(|rank| **rank < 10).map(|rank| 1.0 / (rank + 1) as f64).sum::<f64>();
    let [one, five, twenty, fifty] = [1, 5, 20, 50].map(|first| share(ranks, first));
    println!("  {name:32} {one:.3} {five:.3} {twenty:.3} {fifty:.3} {:.3}", mrr / ranks.len() as f64);
}

/// Prints how many requests that are answered among the first five are not trusted.
fn doubted(name: &str, requests: &[&Request], search: Search<'_>) {
    let is_answered = |request: &Request, hits: &[SearchHit]| {
        hits.iter().take(5).any(|hit| request.right.contains(&hit.skill.to_string()))
    };
    let answers = requests.iter().map(|request| (request, search(&request.text)));
    let answered: Vec<_> = answers.filter(|(request, hits)| is_answered(request, hits)).collect();
    let low = answered.iter().filter(|(_, hits)| is_low(hits)).count();
    println!("{name}: answered among the first five with low confidence: {low} of {}", answered.len());
}

fn is_low(hits: &[SearchHit]) -> bool {
    hits.first().is_none_or(|hit| hit.confidence == Confidence::Low)
}

fn request(line: &str, paths: &HashMap<String, String>) -> Request {
    let row: Value = serde_json::from_str(line).unwrap();
    let text = |key: &str| row[key].as_str().unwrap().to_owned();
    let accepted = row["accept"].as_array().unwrap().iter().filter_map(|id| paths.get(id.as_str().unwrap()));
    Request { text: text("query"), kind: text("kind"), right: accepted.cloned().collect() }
}

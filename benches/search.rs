//! What search finds and what it costs: `make bench-search`, which has an encoder and, with `BEFORE=COMMIT`, the program of an
//! earlier commit to compare with. `cargo bench --bench search` does without what is not there, and says so.
//!
//! Quality: the share of the questions for which a right skill is among the first 1, 3 and 5, for substring search, for
//! plain BM25, and for each step beyond it. There are three sets of questions: those in `benches/data/search_questions.tsv`,
//! written before search was, and those in `search_noisy_questions.tsv`, written before it was taught to bear names,
//! dates, greetings, words it does not know and Spanish typos; and those in
//! `search_unseen_questions.tsv`, which are like the second and by which nothing was chosen. Some ask for nothing there is,
//! and how many of these find nothing is counted. `support/public_search.rs` asks thousands of public skills, by words and by
//! meaning, beside a BM25 that shares no code with the search, and checks the goals of search. The skills are real ones, read from the folder `SKILLMOUNT_REAL_SKILLS` or
//! `../shared/real-skills`. Cost: memory, and the time of a query against reading through all descriptions, on 10,000
//! generated skills; `support/first_question.rs` has what the first question costs, and many first ones at once.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    clippy::disallowed_methods,
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a benchmark measures time, prints, and fails by panicking"
)]

#[path = "support/first_question.rs"]
mod first_question;
#[path = "support/fused.rs"]
mod fused;
#[path = "support/plain_bm25.rs"]
mod plain_bm25;
#[path = "support/programs.rs"]
mod programs;
#[path = "support/public_search.rs"]
mod public_search;
#[path = "support/public_skills.rs"]
mod public_skills;
#[path = "support/ranks.rs"]
mod ranks;
#[path = "support/skills.rs"]
mod skills;
#[path = "support/ways.rs"]
mod ways;

use std::{
    fmt::Write as _,
    fs,
    path::Path,
    time::{Duration, Instant},
};

use skillmount::words::{RankingStep, SearchIndex, Steps};

use self::{
    skills::{Skill, generated, real_skills},
    ways::document,
};

/// The steps beyond plain BM25, in the order in which they are added.
const LADDER: [(&str, RankingStep); 12] = [
    ("+ stems", RankingStep::Stems),
    ("+ stop list", RankingStep::StopWords),
    ("+ body", RankingStep::Body),
    ("+ headings", RankingStep::Headings),
    ("+ fields", RankingStep::Fields),
    ("+ lengths by script", RankingStep::Scripts),
    ("+ repair of typos", RankingStep::Repair),
    ("+ lexicons", RankingStep::Lexicon),
    ("+ everyday words", RankingStep::Everyday),
    ("+ everyday words in chat", RankingStep::Chat),
    ("+ gists", RankingStep::Gists),
    ("+ cut-off", RankingStep::CutOff),
];

struct Question {
    text: String,
    /// Any of these answers it; where there are none, nothing does.
    right: Vec<String>,
    kind: String,
}

impl Question {
    fn has_answer(&self) -> bool {
        !self.right.is_empty()
    }
}

fn main() {
    if first_question::is_asker() {
        return;
    }
    let skills = real_skills();
    if skills.is_empty() {
        println!("no real skills are at hand: set SKILLMOUNT_REAL_SKILLS; quality is not measured");
    } else {
        quality(&skills, &questions("search_questions.tsv"));
        quality(&skills, &questions("search_noisy_questions.tsv"));
        quality(&skills, &questions("search_unseen_questions.tsv"));
    }
    let small_talk =
        [("small talk", "small_talk.txt"), ("small talk by which nothing was chosen", "small_talk_unseen.txt")];
    let mut missed = public_search::measure(&small_talk.map(|(name, file)| (name, lines(file))));
    cost(&skills);
    missed
        .extend(first_question::measure(&public_skills::Set::read().map(|set| set.texts).unwrap_or_default(), &skills));
    assert!(missed.is_empty(), "goals are missed: {missed:#?}");
}

/// The lines of a file of data.
fn lines(file: &str) -> Vec<String> {
    let text = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/data").join(file)).unwrap();
    text.lines().map(str::to_owned).collect()
}

// ---- quality

fn quality(skills: &[Skill], questions: &[Question]) {
    println!(
        "{} questions, {} skills: share with a right skill among the first 1, 3, 5; by kind, the first 1/5",
        questions.iter().filter(|question| question.has_answer()).count(),
        skills.len()
    );
    let substring = |question: &str| ways::substring(skills, question, 10);
    print_row("substring (all terms)", questions, &substring);
    let mut steps = Steps::NONE;
    print_ranked("no step", skills, questions, steps);
    for (name, step) in LADDER {
        steps = steps.with(step);
        print_ranked(name, skills, questions, steps);
    }
    println!("each step left out of all:");
    for (name, step) in LADDER {
        print_ranked(&name.replace('+', "-"), skills, questions, Steps::ALL.without(step));
    }
    misses(skills, questions);
}

fn print_ranked(name: &str, skills: &[Skill], questions: &[Question], steps: Steps) {
    let index = SearchIndex::build_with(skills.iter().map(document), steps);
    print_row(name, questions, &|question| ranked(&index, question));
}

fn ranked(index: &SearchIndex, question: &str) -> Vec<String> {
    let found = index.search(question, |_| true, 5).expect("the questions are short");
    found.hits.into_iter().map(|hit| hit.skill.to_string()).collect()
}

fn print_row(name: &str, questions: &[Question], search: &dyn Fn(&str) -> Vec<String>) {
    let share = |questions: &[&Question], first: usize| {
        let found = questions.iter().filter(|question| rank(question, search).is_some_and(|rank| rank < first)).count();
        found as f64 / questions.len() as f64
    };
    let (all, none): (Vec<_>, Vec<_>) = questions.iter().partition(|question| question.has_answer());
    let mut line = format!("{name:24} {:.2} {:.2} {:.2}  ", share(&all, 1), share(&all, 3), share(&all, 5));
    for own in all.chunk_by(|one, two| one.kind == two.kind) {
        write!(line, " {} {:.2}/{:.2}", own[0].kind, share(own, 1), share(own, 5)).unwrap();
    }
    if !none.is_empty() {
        let quiet = none.iter().filter(|question| search(&question.text).is_empty()).count();
        write!(line, " nothing for {quiet} of {}", none.len()).unwrap();
    }
    println!("{line}");
}

fn rank(question: &Question, search: &dyn Fn(&str) -> Vec<String>) -> Option<usize> {
    search(&question.text).iter().position(|skill| question.right.contains(skill))
}

fn misses(skills: &[Skill], questions: &[Question]) {
    let index = SearchIndex::build(skills.iter().map(document));
    println!("not first, or found where there is nothing:");
    for question in questions {
        let found = ranked(&index, &question.text);
        let rank = found.iter().position(|skill| question.right.contains(skill));
        let is_well = if question.has_answer() { rank == Some(0) } else { found.is_empty() };
        if !is_well {
            let place = rank.map_or_else(|| "-".to_owned(), |rank| (rank + 1).to_string());
            println!("  {place} {:?} right {:?} found {found:?}", question.text, question.right);
        }
    }
}

/// The questions of a file, those of one kind together.
fn questions(file: &str) -> Vec<Question> {
    let text = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/data").join(file)).unwrap();
    let rows = text.lines().skip(1).map(|line| line.split('\t').collect::<Vec<_>>());
    rows.map(|row| Question {
        text: row[0].to_owned(),
        right: row[1].split(',').filter(|skill| !skill.is_empty()).map(str::to_owned).collect(),
        kind: row[2].to_owned(),
    })
    .collect()
}

// ---- cost

fn cost(real: &[Skill]) {
    const SKILLS: usize = 10_000;
    let generated = generated(real, SKILLS);
    let start = Instant::now();
    let index = SearchIndex::build(generated.iter().map(document));
    println!("{SKILLS} generated skills: index built in {:?}", start.elapsed());
    println!("index: {:.1} MB (limit 64)", index.memory_bytes() as f64 / 1e6);
    let questions = questions("search_questions.tsv");
    let search = timed(&questions, |question| index.search(question, |_| true, 10).expect("short").total);
    let scan = timed(&questions, |question| ways::substring(&generated, question, 10).len());
    println!("a query: {search:?}; scanning the descriptions: {scan:?}; ratio {:.3}", ratio(search, scan));
}

fn timed(questions: &[Question], search: impl Fn(&str) -> usize) -> Duration {
    let start = Instant::now();
    let found: usize = questions.iter().map(|question| search(&question.text)).sum();
    std::hint::black_box(found);
    start.elapsed() / u32::try_from(questions.len()).unwrap()
}

fn ratio(one: Duration, other: Duration) -> f64 {
    one.as_secs_f64() / other.as_secs_f64()
}

//! What search finds among thousands of public skills, by kind of request, and the goals of it.
//!
//! Each set of requests is asked as substrings, with a plain BM25 (`plain_bm25.rs`), by the program of the commit before where one
//! is given (`programs.rs`), with each step of the search added to those before it, by all steps, and by meaning as well where
//! there are encoders (`fused.rs`). The requests that are not in Spanish are asked again amid chat, logs, traces, mails, code and tables,
//! of `data/search_chats.tsv`: the tuned half amid those by which weights were chosen, the other sets amid those by which nothing was, but
//! for one log that was seen once.

use skillmount::{
    wire::SearchConfidence,
    words::{RankingStep, SearchHit, SearchIndex, Steps},
};

use super::{
    LADDER,
    fused::Fused,
    programs,
    public_skills::{Request, Set, table},
    ranks::{Ranks, kinds},
    ways::{Way, document, paths, plain_bm25, substring},
};

/// Results that are looked at.
const MOST: usize = 50;
/// By how much the whole search beats the others at 1 and 20 on requests by which nothing was chosen.
const AHEAD: f64 = 0.05;
/// How many requests of one kind it may lose to them.
const LOST: usize = 1;
/// The most of the answered requests that may be doubted, and the least of small talk that must be.
const DOUBTED: f64 = 0.05;
const IDLE: f64 = 0.8;
/// The ways that the whole search is compared with.
const PLAIN: &str = "BM25";
const BEFORE: &str = "the commit before";
/// The whole search.
const WORDS: &str = "lexical";
const MEANING: &str = "fused";
const LANGUAGES: &str = "fused, many languages";

/// A search whose confidence is looked at.
type Search<'a> = &'a dyn Fn(&str) -> Vec<SearchHit>;

/// Prints the shares of the requests that are answered, and how messages are judged that no skill answers. Returns the goals
/// that are missed.
pub(crate) fn measure(small_talk: &[(&str, Vec<String>)]) -> Vec<String> {
    let Some(set) = Set::read() else { return Vec::new() };
    let (fused, before) = (Fused::of_folder(&set.texts), programs::before(&set.texts));
    let multilingual = Fused::of_server(&set.texts);
    let index = |steps| SearchIndex::build_with(set.skills.iter().map(document), steps);
    let (plain, lexical, bare) = (plain_bm25(&set), index(Steps::ALL), index(Steps::NONE));
    let ladder = LADDER.iter().scan(Steps::NONE, |steps, (name, step)| {
        *steps = steps.with(*step);
        Some((*name, index(*steps)))
    });
    let ladder: Vec<_> = ladder.collect();
    let mut ways = vec![
        Way::new("substring", |text| substring(&set.skills, text, MOST)),
        Way::new(PLAIN, |text| plain.search(text, MOST)),
    ];
    ways.extend(before.as_ref().map(|before| Way::new(BEFORE, |text| before.find(text, MOST))));
    ways.push(Way::of("no step", &bare, MOST));
    ways.extend(ladder.iter().map(|(name, index)| Way::of(name, index, MOST)));
    ways.push(Way::of(WORDS, &lexical, MOST));
    ways.extend(by_meaning(fused.as_ref(), multilingual.as_ref()));
    println!("{} public skills; a right one is among the first 1, 5, 20, 50; MRR@10", set.skills.len());
    rows("tuned half", &set.tuned, &ways);
    let mut missed = rows("untouched half", &set.untouched, &ways).missed();
    rows("requests of our own by which weights were chosen", &set.own, &ways);
    rows("requests of our own by which no weight was chosen", &set.unseen, &ways);
    let mut whole = vec![Way::new(PLAIN, |text| plain.search(text, MOST)), Way::of(WORDS, &lexical, MOST)];
    whole.extend(by_meaning(fused.as_ref(), multilingual.as_ref()));
    rows("questions in seven languages, by language", &set.foreign, &whole);
    let without = index(Steps::ALL.without(RankingStep::Chat));
    let mut heard = vec![
        Way::new(PLAIN, |text| plain.search(text, MOST)),
        Way::of("- chat", &without, MOST),
        Way::of(WORDS, &lexical, MOST),
    ];
    heard.extend(fused.as_ref().map(|fused| Way::new(MEANING, |text| paths(fused.search(text, MOST)))));
    amid_chat(&set, &heard);
    let by_words = |text: &str| lexical.search(text, |_| true, MOST).expect("the texts are short").hits;
    trusted(WORDS, &set, small_talk, &by_words);
    if let Some(fused) = &fused {
        let goals = trusted(MEANING, &set, small_talk, &|text| fused.search(text, MOST));
        missed.extend(goals.into_iter().filter(|(_, is_met)| !is_met).map(|(goal, _)| goal));
    }
    missed
}

/// The search by meaning, with each encoder that there is.
fn by_meaning<'a>(fused: Option<&'a Fused>, multilingual: Option<&'a Fused>) -> impl Iterator<Item = Way<'a>> {
    let named = [(MEANING, fused), (LANGUAGES, multilingual)];
    let there_are = named.into_iter().filter_map(|(name, fused)| Some((name, fused?)));
    there_are.map(|(name, fused)| Way::new(name, |text| paths(fused.search(text, MOST))))
}

/// What each way gives for a set of requests.
struct Measured<'a> {
    requests: &'a [Request],
    ranks: Vec<(&'a str, Ranks)>,
}

fn rows<'a>(name: &str, requests: &'a [Request], ways: &[Way<'a>]) -> Measured<'a> {
    println!("{name}: {} requests", requests.len());
    let ranks: Vec<_> = ways.iter().map(|way| (way.name, Ranks::of(requests, way))).collect();
    for (way, ranks) in &ranks {
        ranks.print("all", way);
    }
    for (kind, places) in kinds(requests) {
        let is_whole = |way: &str| !way.starts_with('+') && way != "no step";
        for (way, ranks) in ranks.iter().filter(|(way, _)| is_whole(way)) {
            ranks.at(&places).print(&format!("{kind}, {}", places.len()), way);
        }
    }
    Measured { requests, ranks }
}

impl Measured<'_> {
    /// Prints each goal, and returns those that are missed.
    fn missed(&self) -> Vec<String> {
        let named =
            |names: [&str; 2]| self.ranks.iter().filter(move |(way, _)| names.contains(way)).collect::<Vec<_>>();
        let mut goals = Vec::new();
        for (way, own) in named([WORDS, MEANING]) {
            for (other, theirs) in named([PLAIN, BEFORE]) {
                for first in [1, 20] {
                    let (own, theirs) = (own.share(first), theirs.share(first));
                    let goal = format!("{way} has r@{first} {own:.3}, {AHEAD} above the {theirs:.3} of {other}");
                    goals.push((goal, own >= theirs + AHEAD));
                }
                for (kind, places) in kinds(self.requests) {
                    for first in [1, 5, 20] {
                        let (own, theirs) = (own.at(&places).found(first), theirs.at(&places).found(first));
                        let goal =
                            format!("{way} has {own} {kind} at {first}, and {other} {theirs}, {LOST} more at most");
                        goals.push((goal, own + LOST >= theirs));
                    }
                }
            }
        }
        for (goal, is_met) in &goals {
            println!("{}: {goal}", if *is_met { "yes" } else { "NO" });
        }
        goals.into_iter().filter(|(_, is_met)| !is_met).map(|(goal, _)| goal).collect()
    }
}

/// Asks the requests that are not in Spanish alone and amid chat.
fn amid_chat(set: &Set, ways: &[Way<'_>]) {
    let chats = table("search_chats.tsv");
    let (chosen_by, held_out): (Vec<_>, Vec<_>) = chats.iter().partition(|[kind, ..]| kind.ends_with("chosen by"));
    let sets = [
        ("tuned half", &set.tuned, &chosen_by),
        ("untouched half", &set.untouched, &held_out),
        ("our own by which no weight was chosen", &set.unseen, &held_out),
    ];
    for (name, requests, chats) in sets {
        println!("{name}, not Spanish");
        let places: Vec<_> = (0..requests.len()).filter(|place| requests[*place].kind != "es").collect();
        for way in ways {
            Ranks::of(requests, way).at(&places).print("alone", way.name);
        }
        for [chat, text_before, text_after] in chats {
            for way in ways {
                let amid = |request: &Request| (way.search)(&format!("{text_before} {} {text_after}", request.text));
                Ranks::with(requests, amid).at(&places).print(&format!("amid {chat}"), way.name);
            }
        }
    }
}

/// Prints how many requests that are answered among the first five are not trusted, and how many messages of small talk. Returns
/// each as a goal, and whether it is met. Words alone are not held to them.
fn trusted(name: &str, set: &Set, small_talk: &[(&str, Vec<String>)], search: Search<'_>) -> Vec<(String, bool)> {
    let mut goals = Vec::new();
    let is_low = |hits: &[SearchHit]| hits.first().is_none_or(|hit| hit.confidence == SearchConfidence::Low);
    for (half, requests) in [("tuned", &set.tuned), ("untouched", &set.untouched)] {
        let answers = requests.iter().map(|request| (request, search(&request.text)));
        let is_answered = |(request, hits): &(&Request, Vec<SearchHit>)| {
            hits.iter().take(5).any(|hit| request.right.contains(&hit.skill.to_string()))
        };
        let answered: Vec<_> = answers.filter(is_answered).collect();
        let low = answered.iter().filter(|(_, hits)| is_low(hits)).count();
        let goal = format!(
            "{name}, {half} half: answered among the first five with low confidence: {low} of {}",
            answered.len()
        );
        println!("{goal}");
        goals.push((goal, low as f64 <= DOUBTED * answered.len() as f64));
    }
    for (kind, messages) in small_talk {
        let low = messages.iter().filter(|text| is_low(&search(text))).count();
        let goal = format!("{name}: {kind} with low confidence or nothing: {low} of {}", messages.len());
        println!("{goal}");
        goals.push((goal, low as f64 >= IDLE * messages.len() as f64));
    }
    goals
}

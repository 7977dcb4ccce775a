//! Text stays easy to read: each corpus has limits for long sentences, stacked relative words and passives without an actor.
//!
//! `prose` counts single hard sentences. This test measures shares, which a few long sentences do not disturb.

use std::{
    collections::BTreeSet,
    fmt, fs,
    path::{Path, PathBuf},
    sync::LazyLock,
};

use regex::Regex;

use crate::support::sources::{program_sources, root};

/// The corpora over their limits, one name for each line. A rewrite deletes its line.
const NOT_YET: &str = "tests/it/house/not_yet_readable.txt";
/// Nine sentences of ten have at most this number of words.
const WORDS: usize = 27;
/// A shorter piece of text is a label.
const WORDS_OF_A_SENTENCE: usize = 4;
/// Three of these words in a sentence make a reader look back.
const RELATIVES: &[&str] =
    &["that", "which", "what", "whose", "whom", "whoever", "whatever", "those", "one", "such", "where"];

/// Markup, each kind with the text in its place.
static MARKUP: LazyLock<[(Regex, &str); 4]> = LazyLock::new(|| {
    [("(?s)```.*?```", " "), ("`[^`]*`", "X"), (r"\[([^\]]*)\]\([^)]*\)", "$1"), ("<[^>]+>", " ")]
        .map(|(pattern, kept)| (Regex::new(pattern).unwrap(), kept))
});
/// The end of a block: an empty line, or the begin of an item, a row, a heading or a quotation.
static BLOCK_END: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"\n\s*\n|\n\s*[*\-|#>]|\n\s*\d+\. ").unwrap());
static COMMENT: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"(?m)(?:^\s*//[/!]? ?.*\n)+").unwrap());
static SLASHES: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"(?m)^\s*//[/!]? ?").unwrap());
static PASSIVE: LazyLock<Regex> = LazyLock::new(|| {
    let irregular = "told|kept|made|given|taken|read|held|put|found|said|shown|known|written|left|sent|seen|built";
    Regex::new(&format!(r"\b(?:is|are|was|were|be|been)\s+(?:\w+ly\s+)?(?:\w+ed|{irregular})\b")).unwrap()
});

/// Texts that share limits.
#[derive(Debug)]
struct Corpus {
    name: &'static str,
    texts: Vec<String>,
    limits: Limits,
}

/// The most that a corpus may have, in percent of its sentences.
#[derive(Clone, Copy, Debug)]
struct Limits {
    relatives: f64,
    passives: f64,
}

const PAGES: Limits = Limits { relatives: 1.0, passives: 18.0 };
/// A contract and a comment describe states, so they have more passives.
const REFERENCE: Limits = Limits { relatives: 1.5, passives: 25.0 };

#[derive(Debug, PartialEq)]
struct Figures {
    sentences: usize,
    /// The number of words that nine of ten sentences do not exceed.
    words: usize,
    relatives: f64,
    passives: f64,
}

#[test]
fn each_corpus_keeps_its_limits() {
    let corpora = corpora();
    let list = fs::read_to_string(root().join(NOT_YET)).unwrap();
    let not_yet: BTreeSet<_> = list.lines().collect();
    let measured: Vec<_> = corpora.iter().map(|corpus| (corpus, figures(&corpus.texts))).collect();
    for (corpus, figures) in &measured {
        println!("{}: {figures}", corpus.name);
    }
    let faults = faults(&measured, &not_yet);
    assert!(faults.is_empty(), "the limits of text and {NOT_YET} differ:\n{}", faults.join("\n"));
}

#[test]
fn a_corpus_is_within_its_limits_or_on_the_list() {
    let corpus = |name| Corpus { name, texts: Vec::new(), limits: PAGES };
    let figures = |words, relatives, passives| Figures { sentences: 100, words, relatives, passives };
    let [good, long, stacked, passive] = ["good", "long", "stacked", "passive"].map(corpus);
    let measured = [
        (&good, figures(27, 1.0, 18.0)),
        (&long, figures(28, 0.0, 0.0)),
        (&stacked, figures(9, 1.1, 0.0)),
        (&passive, figures(9, 0.0, 18.1)),
    ];
    let found = faults(&measured, &BTreeSet::new());
    let named: Vec<_> = found.iter().map(|fault| fault.split(' ').next().unwrap()).collect();
    assert_eq!(named, ["long", "stacked", "passive"]);
    assert!(faults(&measured, &["long", "stacked", "passive"].into()).is_empty());
    let found = faults(&measured, &["good", "long", "stacked", "passive"].into());
    assert_eq!(found, [format!("good keeps its limits now: delete its line in {NOT_YET}")]);
    let found = faults(&measured, &["gone", "long", "stacked", "passive"].into());
    assert_eq!(found, [format!("{NOT_YET} names `gone`, which is no corpus")]);
}

#[test]
fn sentences_end_with_a_stop_before_a_capital_and_with_their_block() {
    let text = "# A short heading here\n\nThe first sentence\ngoes on. The `code. And` is second e.g. this one.\n\n\
                * An item of [a list](no/where.md) ends\n2. A third numbered item <b>follows</b> it\n| a cell | of a row |\n\
                ```\nNo code is read here.\n```\nToo short.";
    let found = sentences(text);
    assert_eq!(
        found,
        [
            "# A short heading here",
            "The first sentence goes on.",
            "The X is second e.g. this one.",
            "An item of a list ends",
            "A third numbered item follows it",
            "a cell | of a row |",
        ]
    );
}

#[test]
fn relatives_and_passives_are_counted_once_for_each_sentence() {
    let stacked = "The one that we see is what the store sends.";
    let passive = "The file is carefully written and was kept here.";
    let with_actor = "The file is written by the store alone.";
    let text = [stacked, passive, with_actor, "The store writes the file."].join(" ");
    assert_eq!(figures(&[text]), Figures { sentences: 4, words: 10, relatives: 25.0, passives: 25.0 });
}

#[test]
fn comments_of_neighbouring_lines_are_one_text() {
    let source = "//! First line\n//! goes on.\n\nuse a;\n    /// Second.\n    fn f() {} // behind code\n";
    assert_eq!(comments(source), ["First line\ngoes on.\n", "Second.\n"]);
}

/// What is wrong with the corpora and the list, a line for each fault.
fn faults(measured: &[(&Corpus, Figures)], not_yet: &BTreeSet<&str>) -> Vec<String> {
    let mut faults = Vec::new();
    for (corpus, figures) in measured {
        let is_good = figures.are_within(corpus.limits);
        if !is_good && !not_yet.contains(corpus.name) {
            let Limits { relatives, passives } = corpus.limits;
            let limits = format!("{WORDS} words, {relatives} % and {passives} %");
            faults.push(format!("{} has {figures}; its limits are {limits}", corpus.name));
        } else if is_good && not_yet.contains(corpus.name) {
            faults.push(format!("{} keeps its limits now: delete its line in {NOT_YET}", corpus.name));
        }
    }
    let is_corpus = |name: &str| measured.iter().any(|(corpus, _)| corpus.name == name);
    let unknown = not_yet.iter().filter(|name| !is_corpus(name));
    faults.extend(unknown.map(|name| format!("{NOT_YET} names `{name}`, which is no corpus")));
    faults
}

impl Figures {
    fn are_within(&self, limits: Limits) -> bool {
        self.words <= WORDS && self.relatives <= limits.relatives && self.passives <= limits.passives
    }
}

impl fmt::Display for Figures {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { sentences, words, relatives, passives } = self;
        write!(
            formatter,
            "{sentences} sentences, of which nine in ten have up to {words} words, {relatives:.1} % stacked relatives and \
             {passives:.1} % passives without an actor"
        )
    }
}

/// The texts of the project by limits. The book and its reference are optional, everything else exists.
fn corpora() -> Vec<Corpus> {
    let page = |name, path: &str| Corpus { name, texts: vec![read(&root().join(path))], limits: PAGES };
    let mut all = vec![
        page("README", "README.md"),
        page("DECISIONS", "docs/DECISIONS.md"),
        page("CHANGELOG", "CHANGELOG.md"),
        page("CONTRIBUTING", "CONTRIBUTING.md"),
        page("SECURITY", "SECURITY.md"),
        page("clients/python", "clients/python/README.md"),
        page("clients/typescript", "clients/typescript/README.md"),
        Corpus { limits: REFERENCE, ..page("SEMANTICS", "docs/SEMANTICS.md") },
    ];
    let texts = program_sources().iter().flat_map(|file| comments(&read(file))).collect();
    all.push(Corpus { name: "comments", texts, limits: REFERENCE });

    let (reference, book): (Vec<_>, Vec<_>) = pages_below(&root().join("docs/book"))
        .into_iter()
        .partition(|page| page.iter().any(|folder| folder == "reference"));
    for (name, pages, limits) in [("book", book, PAGES), ("reference", reference, REFERENCE)] {
        if !pages.is_empty() {
            all.push(Corpus { name, texts: pages.iter().map(|page| read(page)).collect(), limits });
        }
    }
    all
}

/// The pages in Markdown below a folder, which may be absent.
fn pages_below(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = if folder.exists() { vec![folder.to_owned()] } else { Vec::new() };
    while let Some(folder) = folders.pop() {
        for path in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|ending| ending == "md") {
                found.push(path);
            }
        }
    }
    found
}

fn read(file: &Path) -> String {
    fs::read_to_string(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
}

/// The blocks of comment lines in Rust source, without their slashes.
fn comments(source: &str) -> Vec<String> {
    COMMENT.find_iter(source).map(|found| SLASHES.replace_all(found.as_str(), "").into_owned()).collect()
}

fn figures(texts: &[String]) -> Figures {
    let all: Vec<_> = texts.iter().flat_map(|text| sentences(text)).collect();
    assert!(!all.is_empty(), "a corpus has no sentence");
    let share = |is_counted: &dyn Fn(&str) -> bool| {
        let count = all.iter().filter(|sentence| is_counted(sentence)).count();
        100.0 * as_float(count) / as_float(all.len())
    };
    let mut lengths: Vec<_> = all.iter().map(|sentence| words(sentence).len()).collect();
    lengths.sort_unstable();
    Figures {
        sentences: all.len(),
        words: lengths[lengths.len() * 9 / 10],
        relatives: share(&has_stacked_relatives),
        passives: share(&has_passive),
    }
}

fn as_float(count: usize) -> f64 {
    f64::from(u32::try_from(count).unwrap())
}

fn has_stacked_relatives(sentence: &str) -> bool {
    let is_relative = |word: &&String| RELATIVES.contains(&word.to_lowercase().as_str());
    words(sentence).iter().filter(is_relative).count() >= 3
}

/// Whether a passive in the sentence names no actor behind `by`.
fn has_passive(sentence: &str) -> bool {
    PASSIVE.find_iter(sentence).any(|found| !sentence[found.end()..].starts_with(" by"))
}

/// The sentences of a text in Markdown, without code and addresses of links. Headings, items and rows are blocks of their own.
fn sentences(text: &str) -> Vec<String> {
    let mut text = text.to_owned();
    for (pattern, kept) in MARKUP.iter() {
        text = pattern.replace_all(&text, *kept).into_owned();
    }
    let found = BLOCK_END.split(&text).flat_map(split_block);
    found.filter(|sentence| words(sentence).len() >= WORDS_OF_A_SENTENCE).collect()
}

/// The sentences of a block: each ends with a stop before a capital letter.
fn split_block(block: &str) -> Vec<String> {
    let mut found = vec![String::new()];
    for piece in block.split_whitespace() {
        let last = found.last_mut().unwrap();
        if last.ends_with(['.', '!', '?'])
            && piece.starts_with(|letter: char| letter.is_ascii_uppercase() || letter == '`')
        {
            found.push(piece.to_owned());
        } else if last.is_empty() {
            last.push_str(piece);
        } else {
            last.push(' ');
            last.push_str(piece);
        }
    }
    found
}

fn words(sentence: &str) -> Vec<String> {
    let pieces = sentence.split(|letter: char| !letter.is_ascii_alphabetic() && letter != '\'');
    pieces.filter(|piece| !piece.is_empty()).map(str::to_owned).collect()
}

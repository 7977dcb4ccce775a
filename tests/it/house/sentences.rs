//! The sentences of comments and pages, and what makes one hard to read.

/// How many words a sentence may have.
const WORDS: usize = 35;
/// A reader looks back for what each of these stands for. Three in so many words are too many.
const POINTERS: &[&str] = &["it", "its", "that", "those", "which", "one", "what"];
const WINDOW: usize = 12;
/// Before "what" they make a clause the name of a thing: "by what is known".
const PREPOSITIONS: &[&str] = &[
    "about", "after", "against", "as", "at", "before", "behind", "below", "beside", "besides", "between", "beyond",
    "but", "by", "except", "for", "from", "in", "into", "like", "of", "off", "on", "onto", "over", "past", "per",
    "than", "through", "to", "under", "until", "upon", "with", "within", "without",
];
const RELATIVES: &[&str] = &["that", "which", "who", "whom", "whose"];
const ABBREVIATIONS: &[&str] = &["e.g.", "i.e.", "etc.", "cf.", "vs."];

/// A sentence as it is written, with the number of the line that it begins in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Sentence {
    pub(super) line: usize,
    pub(super) text: String,
}

/// A piece of a sentence between two spaces. Code in backticks is one word, whatever it holds.
#[derive(Debug)]
struct Word {
    line: usize,
    raw: String,
}

/// The sentences in the comments of Rust source. Comments behind code are not read.
pub(super) fn in_comments(source: &str) -> Vec<Sentence> {
    in_lines(source.lines().map(|line| {
        let line = line.trim_start();
        let comment = ["///", "//!", "//"].into_iter().find_map(|mark| line.strip_prefix(mark));
        comment.unwrap_or_default()
    }))
}

/// The sentences of a page in Markdown: of headings, items and cells too. Blocks of code are not read.
pub(super) fn in_page(page: &str) -> Vec<Sentence> {
    in_lines(page.lines())
}

impl Sentence {
    /// Why the sentence is hard to read; empty if it is not.
    pub(super) fn marks(&self) -> Vec<&'static str> {
        let raw: Vec<_> = self.text.split_whitespace().collect();
        let words: Vec<String> = raw.iter().map(|word| plain(word)).collect();
        let heads = !self.text.trim_end_matches(['"', ')', '*', '_']).ends_with('?') && has_empty_head(&raw, &words);
        let words: Vec<_> = words.iter().map(String::as_str).filter(|word| !word.is_empty()).collect();
        let points = |window: &[&str]| window.iter().filter(|word| POINTERS.contains(word)).count() >= 3;
        let marks = [
            (words.len() > WORDS, "over 35 words"),
            (
                points(&words) && (words.len() < WINDOW || words.windows(WINDOW).any(points)),
                "three words that point back",
            ),
            (heads, "a clause in the place of a noun"),
        ];
        marks.into_iter().filter_map(|(is_marked, mark)| is_marked.then_some(mark)).collect()
    }
}

/// Whether "whoever", "one", "such" or "what" is the head of a relative clause.
fn has_empty_head(raw: &[&str], words: &[String]) -> bool {
    let word = |at: usize| words.get(at).map_or("", String::as_str);
    let is_head = |at: usize| match word(at) {
        "whoever" | "whomever" => true,
        "one" | "ones" => {
            RELATIVES.contains(&word(at + 1))
                || (PREPOSITIONS.contains(&word(at + 1)) && ["which", "whom"].contains(&word(at + 2)))
        }
        "such" => {
            RELATIVES.contains(&word(at + 1))
                || (word(at + 1) == "as" && ["are", "is", "was", "were", "has", "have"].contains(&word(at + 2)))
        }
        // After a verb, as in "says what a skill is", the clause is an indirect question.
        "what" => match at.checked_sub(1) {
            None => true,
            Some(before) => PREPOSITIONS.contains(&word(before)) || raw[before].ends_with([',', ';', ':']),
        },
        _ => false,
    };
    (0..words.len()).any(is_head)
}

/// A word in small letters without the marks around it, and empty if nothing is left.
fn plain(raw: &str) -> String {
    raw.trim_matches(|letter: char| !letter.is_alphanumeric()).to_lowercase().replace('’', "'")
}

/// The sentences of a text. An empty line, a heading, an item of a list and a cell of a table begin a new one.
fn in_lines<'a>(lines: impl Iterator<Item = &'a str>) -> Vec<Sentence> {
    let mut found = Vec::new();
    let mut block = Vec::new();
    let mut is_code = false;
    for (number, line) in (1..).zip(lines) {
        let line = line.trim();
        if line.starts_with("```") {
            is_code = !is_code;
        }
        let is_prose = !is_code && !line.starts_with("```");
        let is_row = line.starts_with('|');
        if !is_prose || line.is_empty() || is_row || begins_block(line) {
            split(std::mem::take(&mut block), &mut found);
        }
        if !is_prose {
            continue;
        }
        if is_row {
            for cell in line.replace("\\|", "/").split('|') {
                split(words(number, cell), &mut found);
            }
        } else {
            block.extend(words(number, line));
            if line.starts_with('#') {
                split(std::mem::take(&mut block), &mut found);
            }
        }
    }
    split(block, &mut found);
    found
}

/// Whether the line is a heading, a quotation or the begin of an item.
fn begins_block(line: &str) -> bool {
    let numbered = line.trim_start_matches(|letter: char| letter.is_ascii_digit());
    line.starts_with(['#', '>'])
        || ["* ", "- ", "+ "].iter().any(|mark| line.starts_with(mark))
        || (numbered.len() < line.len() && numbered.starts_with(". "))
}

/// The words of a line: without marks of blocks, tags and addresses of links, and with `X` for each piece of code.
fn words(line: usize, text: &str) -> Vec<Word> {
    let mut kept = String::new();
    for (at, piece) in text.trim_start_matches(['#', '>', '*', '-', '+', ' ']).split('`').enumerate() {
        // Every second piece is code.
        kept.push_str(&if at % 2 == 1 { "X".to_owned() } else { without_links(&without_tags(piece)) });
    }
    kept.split_whitespace().map(|raw| Word { line, raw: raw.to_owned() }).collect()
}

fn without_tags(text: &str) -> String {
    let mut kept = String::new();
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once('<') {
        kept.push_str(before);
        let is_tag = behind.starts_with(|letter: char| letter.is_ascii_alphabetic() || letter == '/');
        match behind.split_once('>').filter(|_| is_tag) {
            Some((_, after)) => rest = after,
            None => rest = behind,
        }
    }
    kept + rest
}

fn without_links(text: &str) -> String {
    let mut parts = text.split("](");
    let mut kept = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        kept.push_str(part.split_once(')').map_or("", |(_, after)| after));
    }
    kept.replace(['[', ']'], "")
}

/// Adds the sentences of a block.
fn split(block: Vec<Word>, found: &mut Vec<Sentence>) {
    let mut sentence: Option<Sentence> = None;
    let mut words = block.into_iter().peekable();
    while let Some(Word { line, raw }) = words.next() {
        let is_last = words.peek().is_none_or(|next| ends_sentence(&raw, &next.raw));
        let sentence = sentence.get_or_insert_with(|| Sentence { line, text: String::new() });
        sentence.text.push_str(&raw);
        sentence.text.push(' ');
        if !is_last {
            continue;
        }
        sentence.text.pop();
        if sentence.text.contains(char::is_alphanumeric) {
            found.push(sentence.clone());
        }
        sentence.text.clear();
        sentence.line = words.peek().map_or(line, |next| next.line);
    }
}

/// Whether a sentence ends between two words.
fn ends_sentence(word: &str, next: &str) -> bool {
    let end = word.trim_end_matches(['"', '\'', ')', '*', '_', '”']);
    let begin = next.trim_start_matches(['"', '\'', '(', '*', '_', '[', '“']);
    end.ends_with(['.', '!', '?'])
        && !ABBREVIATIONS.contains(&end.trim_start_matches('('))
        && !begin.starts_with(|letter: char| letter.is_lowercase())
}

#[test]
fn a_sentence_ends_with_its_paragraph_item_cell_or_stop() {
    let page = "# A heading\nOne goes\non. Two (with a note.) Three, e.g. This one. `code. Or` begins four.\n\n* an item\n  goes on\n\
                * another\n1. third\n| cell | two cells. Really |\n|---|---|\n```\nNo prose. At all.\n```\nLast";
    let expected = [
        (1, "A heading"),
        (2, "One goes on."),
        (3, "Two (with a note.)"),
        (3, "Three, e.g. This one."),
        (3, "X begins four."),
        (5, "an item goes on"),
        (7, "another"),
        (8, "1. third"),
        (9, "cell"),
        (9, "two cells."),
        (9, "Really"),
        (14, "Last"),
    ];
    let found = in_page(page);
    let found: Vec<_> = found.iter().map(|sentence| (sentence.line, sentence.text.as_str())).collect();
    assert_eq!(found, expected);
}

#[test]
fn comments_are_read_without_code_links_and_tags() {
    let source = "//! First line\n//! goes on: [a `Link`](crate::x::Y) and <a id=\"x\"></a>[text].\n\n/// Second.\nfn f() { g() } // not read\n\
                  let text = \"https://example.com\";\n    // Third\n    //\n    // and fourth";
    let found = in_comments(source);
    let found: Vec<_> = found.iter().map(|sentence| (sentence.line, sentence.text.as_str())).collect();
    assert_eq!(found, [(1, "First line goes on: a X and text."), (4, "Second."), (7, "Third"), (9, "and fourth")]);
}

#[test]
fn a_sentence_is_long_with_more_than_35_words() {
    let words = |count: usize| vec!["word"; count].join(" ") + ".";
    assert_eq!(marks(&words(35)), [""; 0]);
    assert_eq!(marks(&words(36)), ["over 35 words"]);
    assert_eq!(marks(&(words(35) + " — - *")), [""; 0], "marks are no words");
}

#[test]
fn three_pointers_in_twelve_words_are_too_many() {
    let pointers = ["three words that point back"];
    assert_eq!(marks("That keeps it in its place."), pointers);
    assert_eq!(marks("It keeps its lock, which the caller holds."), pointers);
    assert_eq!(marks("It keeps its lock."), [""; 0]);
    assert_eq!(marks("It a b c d e f g h its j which."), pointers, "twelve words");
    assert_eq!(marks("It a b c d e f g h its j k which."), [""; 0], "thirteen words");
    assert_eq!(marks("X it-self itself onetime whatever its which."), [""; 0], "whole words count");
}

#[test]
fn what_stands_in_the_place_of_a_noun_is_seen() {
    let heads = "a clause in the place of a noun";
    for hard in [
        "What is kept of the catalog is made anew.",
        "After that it goes by what is known.",
        "Whoever writes pays.",
        "The answer goes to whoever asked.",
        "An encoder refuses one that is too long.",
        "The part in one of which the text lies.",
        "The caller gets such as are listed.",
        "The store lists such that match.",
        "The surface adds a header, what it was asked for.",
    ] {
        assert!(marks(hard).contains(&heads), "{hard}");
    }
    for plain in [
        "The page says what a skill is.",
        "What is a skill?",
        "Each file has one writer.",
        "The store keeps one of the files, and no such file is lost.",
        "Names such as `a` are valid.",
        "Someone knows what happened.",
    ] {
        assert_eq!(marks(plain), [""; 0], "{plain}");
    }
}

#[test]
fn each_mark_is_counted_by_itself() {
    let text = format!("What it keeps of its files is {} one.", vec!["very"; 30].join(" "));
    assert_eq!(marks(&text), ["over 35 words", "three words that point back", "a clause in the place of a noun"]);
}

fn marks(text: &str) -> Vec<&'static str> {
    Sentence { line: 1, text: text.to_owned() }.marks()
}

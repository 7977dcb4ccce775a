//! Catalogs and questions that are made to break a search or to keep it busy.

use proptest::strategy::Strategy as _;

use super::{
    tests::{document, with_index},
    *,
};
use skillmount_base::Code;
use skillmount_base::{
    limits::{SEARCH_COMPOUNDS, SEARCH_QUERY_BYTES, SEARCH_STEPS},
    path::SkillPath,
};

/// An index of skills that have these words as triggers, so many each.
fn with_triggers(words: &[String], each: usize) -> SearchIndex {
    let paths: Vec<_> =
        (0..words.len().div_ceil(each)).map(|number| SkillPath::parse(&format!("a/s{number}")).unwrap()).collect();
    let triggers = words.chunks(each);
    SearchIndex::build(
        paths.iter().zip(triggers).map(|(path, triggers)| SearchDocument { triggers, ..document(path, "") }),
    )
}

/// Letters that no stem loses, as many as `places`: others for each number.
fn letters(mut number: usize, places: usize) -> String {
    let mut text = String::new();
    for _ in 0..places {
        text.insert(0, char::from(b"bcfghjkmpqvwxz"[number % 14]));
        number /= 14;
    }
    text
}

/// Words that begin with the same letters, all different.
fn longer(number: usize) -> String {
    format!("qqqqq{}", letters(number, 5))
}

#[test]
fn a_word_stands_for_so_many_longer_ones_and_for_so_many_it_may_be_a_slip_of() {
    let slip = |number| format!("nnnn{}dd", letters(number, 2));
    for (question, word) in [("qqqqq", longer as fn(usize) -> String), ("nnnnrrdd", slip)] {
        for (many, expected) in [(SEARCH_COMPOUNDS, SEARCH_COMPOUNDS), (SEARCH_COMPOUNDS + 1, SEARCH_COMPOUNDS)] {
            let index = with_triggers(&(0..many).map(word).collect::<Vec<_>>(), 1);
            assert_eq!(index.search(question, |_| true, 1).unwrap().total, expected, "{question} of {many}");
        }
    }
}

#[test]
fn a_catalog_of_words_that_are_alike_makes_no_question_long() {
    let index = with_triggers(&(0..100_000).map(longer).collect::<Vec<_>>(), 1000);
    for question in ["qqqqq", "qqqqqbbb", "qqqqqbbbnn"] {
        let steps = index.search(question, |_| true, 10).unwrap().steps;
        assert!(steps < 2 * 100_000, "{question}: {steps}");
    }
    let many: Vec<_> = (0..2000).map(|number| longer(50 * number)).collect();
    let steps = index.search(&many.join(" ")[..SEARCH_QUERY_BYTES], |_| true, 10).unwrap().steps;
    assert!(steps < 10_000_000, "{steps}");
}

/// More steps than any question takes over these few skills. The repair of 64 words compares each with the words of two
/// languages.
const MOST_STEPS: u64 = 100_000;

/// Pieces of unlikely questions: scripts, marks, numbers, and names that search itself uses.
const HOSTILE: [&str; 16] = [
    "\u{202e}",
    "e\u{301}\u{301}\u{301}",
    "ﷺ",
    "不動産売買",
    "हिन्दी",
    "\u{0}",
    "'",
    "’s",
    "١٢٣",
    "ß",
    "İ",
    "\u{10ffff}",
    "escritura",
    "herensia",
    "de",
    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
];

proptest::proptest! {
    #![proptest_config(proptest::test_runner::Config {
        cases: 50 * soak(), failure_persistence: None, ..Default::default()
    })]

    /// Ten questions in each case; a soak of twenty asks ten thousand.
    #[test]
    fn no_question_however_hostile_fails_or_takes_long(
        pieces in proptest::collection::vec(
            proptest::prop_oneof![
                4 => proptest::sample::select(&HOSTILE[..]).prop_map(str::to_owned), 2 => "\\PC{0,12}", 1 => "[a-z]{1,12}",
            ],
            0..40,
        ),
        times in 1..80_usize,
    ) {
        with_index(|index| {
            for (from, gap) in (0..5).flat_map(|from| [(from, ""), (from, " ")]) {
                let own: Vec<_> = pieces.iter().skip(from * pieces.len() / 5).map(String::as_str).collect();
                let query = own.join(gap).repeat(times);
                let query = &query[..query.floor_char_boundary(SEARCH_QUERY_BYTES)];
                match index.search(query, |_| true, 10) {
                    Ok(found) => assert!(
                        found.steps <= MOST_STEPS && found.hits.iter().all(|hit| hit.score.is_finite()),
                        "{query:?}: {found:?}"
                    ),
                    Err(error) => assert_eq!(error.code(), Code::InvalidRequest, "{query:?}"),
                }
            }
        });
    }
}

fn soak() -> u32 {
    std::env::var("SKILLMOUNT_SOAK").ok().and_then(|times| times.parse().ok()).unwrap_or(1)
}

#[test]
fn ten_thousand_hostile_questions_to_thousands_of_skills_keep_to_their_steps() {
    let common = "escritura de compraventa, review code and write notes about the invoice";
    let paths: Vec<_> = (0..3000).map(|number| SkillPath::parse(&format!("a/s{number}")).unwrap()).collect();
    let texts: Vec<_> = (0..paths.len())
        .map(|number| format!("{common} {} {} {}", longer(number), letters(number, 6), HOSTILE[number % HOSTILE.len()]))
        .collect();
    let index = SearchIndex::build(paths.iter().zip(&texts).map(|(path, text)| document(path, text)));
    // Numbers that look random and are the same in each run.
    let mut state = 1_u64;
    let mut below = |limit: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(state >> 33).unwrap() % limit
    };
    for number in 0..10_000 {
        // Few of the longest: each of them is a message of pages.
        let pieces = if number % 500 == 0 { 2000 } else { 1 + below(12) };
        let mut question = String::new();
        for _ in 0..pieces {
            let own = longer(below(5000));
            let piece = match below(4) {
                0 => common.split(' ').nth(below(9)).unwrap(),
                1 => &own[..5 + below(6)],
                _ => HOSTILE[below(HOSTILE.len())],
            };
            question.push_str(piece);
            question.push_str(if below(3) == 0 { "" } else { " " });
        }
        let question = &question[..question.floor_char_boundary(SEARCH_QUERY_BYTES)];
        match index.search(question, |_| true, 10) {
            Ok(found) => assert!(found.steps <= SEARCH_STEPS && found.hits.iter().all(|hit| hit.score.is_finite())),
            Err(error) => assert!(matches!(error.code(), Code::InvalidRequest | Code::TooExpensive), "{question:?}"),
        }
    }
}

// S-SEARCH-24: The service answers or refuses every question: over 16 KiB or 2,500 words it is `invalid_request`, and
// over 64 million steps `too_expensive`.
#[test]
fn a_question_that_takes_one_step_more_than_there_are_is_too_expensive() {
    with_index(|index| {
        let question = "escritura de compraventa";
        let needed = index.search(question, |_| true, 1).unwrap().steps;
        for (left, refused) in [(needed, None), (needed - 1, Some(Code::TooExpensive))] {
            let mut spent = cost::SearchCost::default();
            spent.take(usize::try_from(SEARCH_STEPS - left).unwrap()).unwrap();
            let read = question::read(index, &VisibleSkills::ALL, question, &mut spent);
            let scores = read.and_then(|read| {
                score::tallies(index, &read.words, &mut spent)?;
                score::gist(index, &read.words, None, &mut spent)
            });
            assert_eq!(scores.err().map(|error| error.code()), refused);
        }
    });
}

//! Messages that hold more than their task: some of their words count less.
//!
//! A request of a sentence or two is taken as it is. In a longer message the everyday words together would outweigh the
//! task, though each has little information. So each everyday word loses more information the more of them there are,
//! and the most common words lose it fastest. A task stands together, in prose. So in a long message a word counts less
//! if the passage around it has little information. A log, a trace or code that a person quotes counts little, however
//! rare its words are.

use std::collections::BTreeMap;

use super::{factor::count, word_split::placed};

/// The most information that the everyday words of a request have together.
const TOGETHER: f32 = 15.0;
/// How fast everyday words fall beyond that.
const FALL: f32 = 0.6;
/// The power of ten at which a word loses all information in a crowd, and the distance below at which a word loses
/// none.
const EMPTY: f32 = 6.5;
const SPAN: f32 = 3.0;
/// Crowds above this decide how much passages count. At this value the everyday words have twice the information of those in a
/// request.
const LONG: f32 = std::f32::consts::LN_2;
/// The most words of a request, also of several sentences. In a longer message passages count, even if the words have
/// little information.
const REQUEST: f32 = 70.0;
/// The most that passages count, so that in a message of many pages the others are heard too.
const HEARD: f32 = 1.5;
/// The words of a passage.
pub(super) const PASSAGE: usize = 16;
/// How often a word may stand in a message before it adds less to a passage. A word in each line of a log belongs to
/// the form of the log.
const OFTEN: f32 = 2.0;
/// The number of words on either side that decide whether a word is part of prose. At `NO_PROSE`, the share of them
/// that stand as in prose, the word is no part of prose. A short task beside a log has few words around it.
const AROUND: usize = 4;
const NO_PROSE: f32 = 0.7;

/// The information of the everyday words of a message beside those of a request: the natural logarithm of the ratio.
#[derive(Clone, Copy, Debug)]
pub(super) struct CommonWordLoad(f32);

impl CommonWordLoad {
    /// The crowd of everyday words with `together` information; `None` in a request.
    pub(super) fn from_sum(together: f32) -> Option<Self> {
        (together > TOGETHER).then(|| Self((together / TOGETHER).ln()))
    }

    /// The part of its information that an everyday word keeps. `power` is its frequency in a thousand million words,
    /// as a power of ten.
    pub(super) fn kept(self, power: f32) -> f32 {
        // Not quite nothing, so that a message of such words alone still finds.
        ((EMPTY - power) / SPAN).clamp(0.01, 1.0).powf(FALL * self.0)
    }
}

/// How much passages count in a message of so many words, with such a crowd; 0 in a request.
pub(super) fn attention(words: usize, crowd: Option<CommonWordLoad>) -> f32 {
    let words = count(words);
    if words <= REQUEST {
        return 0.0;
    }
    let chats = crowd.map_or(0.0, |CommonWordLoad(crowd)| crowd - LONG);
    chats.max((words / REQUEST).ln()).clamp(0.0, HEARD)
}

/// The part of its information that a word keeps. `part` compares its best passage with the best passage of the
/// message; `attention` is how much passages count.
pub(super) fn heard(part: f32, attention: f32) -> f32 {
    part.clamp(0.01, 1.0).powf(attention)
}

/// A word of a message.
#[derive(Clone, Copy, Debug)]
pub(super) struct MessageWord<'text> {
    pub(super) word: &'text str,
    /// Whether it stands as in prose: without digits, and with a space between it and the word before. In logs, traces, code and
    /// tables fewer words do.
    is_prose: bool,
}

impl<'text> MessageWord<'text> {
    /// The words of a folded message, in order.
    pub(super) fn all(folded: &'text str) -> Vec<Self> {
        let spoken = placed(folded).map(|(gap, word)| {
            let has_digit = word.bytes().any(|byte| byte.is_ascii_digit());
            Self { word, is_prose: !has_digit && is_of_prose(gap) }
        });
        spoken.collect()
    }
}

/// Whether prose has this between two words: a space, with the punctuation of sentences, or nothing but an apostrophe or a hyphen.
fn is_of_prose(gap: &str) -> bool {
    let behind = gap.trim_start_matches([',', '.', ';', ':', '?', '!', ')', '"', '\'', '’', '”', '…']);
    let before = behind.trim_start();
    let is_spaced =
        before.len() < behind.len() && before.chars().all(|c| matches!(c, '"' | '\'' | '“' | '‘' | '(' | '¿' | '¡'));
    is_spaced || matches!(gap, "" | "'" | "’" | "-")
}

/// For each word of a message, the information of the best passage around it, as a part of the best passage of the
/// message. Each word of a passage counts once, and only as far as it is part of prose. `tells` returns the information
/// of a word.
pub(super) fn passages<'word>(words: &[MessageWord<'word>], tells: impl Fn(&str) -> f32) -> BTreeMap<&'word str, f32> {
    let mut times = BTreeMap::<&str, f32>::new();
    for spoken in words {
        *times.entry(spoken.word).or_default() += 1.0;
    }
    let rare = |word: &str| OFTEN / times.get(word).map_or(OFTEN, |times| times.max(OFTEN));
    let around = |at: usize| words.get(at.saturating_sub(AROUND)..words.len().min(at + AROUND + 1)).unwrap_or_default();
    let told = words.iter().enumerate();
    let told = told.map(|(at, spoken)| tells(spoken.word) * rare(spoken.word) * prose(around(at)));
    let told: Vec<f32> = told.collect();
    let size = PASSAGE.min(words.len()).max(1);
    let mut best = vec![0.0_f32; words.len()];
    for (from, passage) in words.windows(size).enumerate() {
        let told = told.iter().skip(from).zip(passage).enumerate();
        let told = told.filter(|(at, (_, one))| passage.iter().take(*at).all(|other| other.word != one.word));
        let told = told.map(|(_, (told, _))| told).sum::<f32>();
        for best in best.iter_mut().skip(from).take(size) {
            *best = best.max(told);
        }
    }
    let most = best.iter().copied().fold(f32::MIN_POSITIVE, f32::max);
    let mut parts = BTreeMap::<&str, f32>::new();
    for (spoken, best) in words.iter().zip(best) {
        let part = parts.entry(spoken.word).or_default();
        *part = part.max(best / most);
    }
    parts
}

/// How much words that stand together are prose, from nearly nothing to 1.
fn prose(words: &[MessageWord<'_>]) -> f32 {
    let share = count(words.iter().filter(|spoken| spoken.is_prose).count()) / count(words.len().max(1));
    // Not quite nothing, so that the words of a message that is no prose at all still count beside each other.
    ((share - NO_PROSE) / (1.0 - NO_PROSE)).clamp(0.02, 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_is_no_crowd_and_the_more_common_a_word_is_the_more_it_loses_in_one() {
        assert!(CommonWordLoad::from_sum(TOGETHER).is_none());
        let [small, large] = [3.0, 10.0].map(|times| CommonWordLoad::from_sum(times * TOGETHER).unwrap());
        for power in [4.0, 5.0, 6.0] {
            assert!(small.kept(power) > large.kept(power) && large.kept(power) > large.kept(power + 0.5));
        }
        assert!((large.kept(3.0) - 1.0).abs() < f32::EPSILON && large.kept(7.7) > 0.0);
        let [small, large] = [small, large].map(|crowd| attention(100, Some(crowd)));
        assert!(
            heard(0.5, small) > heard(0.5, large) && heard(0.5, large) > heard(0.2, large) && heard(0.0, large) > 0.0
        );
        let several_sentences = CommonWordLoad::from_sum(4.0 * TOGETHER);
        assert!(attention(70, several_sentences) + attention(70, None) == 0.0);
        assert!(attention(200, None) > attention(100, None) && attention(100, None) > 0.0);
    }

    #[test]
    fn a_word_has_the_best_of_the_passages_it_stands_in() {
        let filler = ["so"; 56].join(" ");
        let message = format!("weather {filler} debug cluster so");
        let parts = passages(&MessageWord::all(&message), |word| if word == "so" { 0.0 } else { 3.0 });
        let part = |word| parts[word];
        assert!((part("cluster") - 1.0).abs() < f32::EPSILON && (part("so") - 1.0).abs() < f32::EPSILON);
        assert!((part("weather") - 0.5).abs() < f32::EPSILON);
        assert_eq!((passages(&MessageWord::all("so"), |_| 0.0)["so"], passages(&[], |_| 1.0).len()), (0.0, 0));
    }

    #[test]
    fn a_word_of_a_log_tells_less_than_one_of_prose_and_so_does_one_that_stands_in_each_line() {
        let log = "2026-11-25t10:04:07.123z error gateway upstream=orders-3 status=502 142ms path=/api/v2/carts/981 ";
        let message = format!("please find out why our carts are slow, and tell me what to do. {}", log.repeat(4));
        let message = format!("{message}worker_pool=2 drained=7 exit=0");
        let parts = passages(&MessageWord::all(&message), |_| 3.0);
        assert!((parts["slow"] - 1.0).abs() < f32::EPSILON);
        for word in ["worker", "drained", "exit"] {
            assert!(parts[word] < 0.1, "{word} {}", parts[word]);
        }
        let message = "gateway answers late, ".repeat(9) + &"so ".repeat(20) + "deploy the cluster of our new team.";
        let parts = passages(&MessageWord::all(&message), |word| if word == "so" { 0.0 } else { 3.0 });
        assert!(parts["gateway"] < 0.2 && (parts["cluster"] - 1.0).abs() < f32::EPSILON, "{parts:?}");
    }

    #[test]
    fn prose_has_spaces_between_its_words_and_the_punctuation_of_sentences() {
        for gap in ["", " ", ", ", ". ", "? (", "\n\n", "'", "-", ".” “", " ¿"] {
            assert!(is_of_prose(gap), "{gap:?}");
        }
        for gap in ["/", ".", "_", "=", "::", "(", " -> ", "] [", " = "] {
            assert!(!is_of_prose(gap), "{gap:?}");
        }
    }
}

//! The distance of two names, to suggest what a client meant.

use rapidfuzz::distance::levenshtein;

/// The edit distance of two names (Levenshtein's), without regard to case.
///
/// Long input is cut, because nobody mistypes a hundred characters.
///
/// ```
/// assert_eq!(skillmount_base::path::distance("compraventa", "comprventa"), 1);
/// ```
#[must_use]
pub fn distance(one: &str, two: &str) -> usize {
    const COMPARED: usize = 100;
    let folded = |text: &str| -> String { text.chars().take(COMPARED).flat_map(char::to_lowercase).collect() };
    levenshtein::distance(folded(one).chars(), folded(two).chars())
}

#[cfg(test)]
mod tests {
    use super::distance;

    #[test]
    fn distances_are_those_of_levenshtein_without_case() {
        assert_eq!(distance("compraventa", "Compraventa"), 0);
        assert_eq!(distance("kitten", "sitting"), 3);
        assert_eq!(distance("", "abc"), 3);
        assert_eq!(distance("abc", ""), 3);
        assert_eq!(distance("hipoteca", "ipoteca"), 1);
        assert_eq!(distance("año", "ano"), 1, "a character counts once, however many bytes it has");
        assert_eq!(
            distance(&"a".repeat(200), &"a".repeat(300)),
            0,
            "what follows a hundred characters is not compared"
        );
    }
}

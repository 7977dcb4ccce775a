//! Names as a disk without letter case has them.

use unicode_normalization::UnicodeNormalization as _;

/// A letter without a partner of its own case: taken as large, it would be an `I`.
const DOTLESS: char = 'ı';

/// `name` as a disk without letter case has it. Two names that such a disk may confuse have the same folded text.
///
/// This is what Unicode calls a full case folding, between normal forms. Small, large and small again makes one of `σ` and `ς`, of
/// `s` and `ſ`, and of `ß`, `ẞ` and `ss`, which small letters alone leave apart.
#[must_use]
pub fn folded(name: &str) -> String {
    let decomposed: String = name.nfd().collect();
    let small: Vec<String> =
        decomposed.split(DOTLESS).map(|part| part.to_lowercase().to_uppercase().to_lowercase()).collect();
    small.join(DOTLESS.encode_utf8(&mut [0; 4])).nfd().collect()
}

#[cfg(test)]
mod tests {
    use super::folded;

    #[test]
    fn what_a_disk_may_take_for_one_name_folds_to_one() {
        for (one, other) in [
            ("A/b.md", "a/B.md"),
            ("caf\u{e9}", "CAFE\u{301}"),
            ("λόγος", "ΛΌΓΟΣ"),
            ("λόγοσ", "λόγος"),
            ("ſaft", "Saft"),
            ("\u{b5}m", "\u{3bc}m"),
            ("straße", "STRASSE"),
            ("stra\u{1e9e}e", "strasse"),
            ("\u{212a}elvin", "kelvin"),
            ("\u{fb01}n", "fin"),
        ] {
            assert_eq!(folded(one), folded(other), "{one} {other}");
        }
        for (one, other) in [("a", "b"), ("sık", "sik"), ("a\u{e9}", "ae"), ("foo..bar", "foo.bar")] {
            assert_ne!(folded(one), folded(other), "{one} {other}");
        }
    }
}

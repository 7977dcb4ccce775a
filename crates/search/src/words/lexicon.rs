//! Translation between English and other languages: a data file for each language, in `lexicon/`.
//!
//! A lexicon lets a question in another language find an English skill, and for some words the other way round. It is no
//! dictionary: most entries are what a model of language holds to be near, and many technical words need none because they
//! share a stem (`proteína`, `protein`). `lexicon/README.md` says where the words come from, and how a file is made.

use std::{
    collections::{BTreeSet, HashMap},
    sync::OnceLock,
};

use super::{language::Language, vocabulary::Vocabulary, word_map::QuickMap};

/// The shortest part of a compound, in letters.
const PART: usize = 4;

/// The words of the other language that `word` of the language `from` can mean.
pub(super) fn translations(word: &str, from: Language) -> &'static [&'static str] {
    side(from).and_then(|side| side.by_stem.get(&from.stem(word))).map_or(&[], Vec::as_slice)
}

/// The English meaning of a word of the language `from`, if the file has the word or its singular; `None` for English.
/// The look-up needs no stems: the stems of a language take as long as the words of hundreds of skills.
pub(super) fn meaning_of_form(word: &str, from: Language) -> Option<&'static str> {
    let forms = FORMS.get(from as usize)?.get_or_init(|| forms(from));
    let singular = |ending| word.strip_suffix(ending);
    [Some(word), singular("s"), singular("es")].into_iter().flatten().find_map(|form| forms.get(form).copied())
}

/// The words that can be translated from a language, plurals included. Misspelt words are repaired to these.
pub(super) fn spellings(from: Language) -> Option<&'static Vocabulary> {
    side(from).map(|side| &side.spellings)
}

/// The two words that a German one is put together from, the second as long as can be. Each is in the lexicon, or `is_known`; an
/// `s` or `n` between them is taken for an ending of the first.
pub(super) fn parts(word: &str, is_known: impl Fn(&str) -> bool) -> Option<[&str; 2]> {
    let is_word = |part: &str| {
        part.chars().count() >= PART && (!translations(part, Language::German).is_empty() || is_known(part))
    };
    let mut cuts = word.char_indices().map(|(at, _)| word.split_at(at));
    cuts.find(|(first, second)| is_word(first) && is_word(second)).map(<[&str; 2]>::from)
}

/// The words that a language translates from, and what they mean.
struct Side {
    /// Stems of one language with the words of the other.
    by_stem: HashMap<String, Vec<&'static str>>,
    spellings: Vocabulary,
}

// Each is made when a question first needs it: the first question waits for no language but its own.
static SIDES: [OnceLock<Side>; Language::ALL.len()] = [const { OnceLock::new() }; Language::ALL.len()];

/// For each language the words of its file, as they are there, with the first that they mean in English.
static FORMS: [OnceLock<QuickMap<&str, &str>>; Language::ALL.len()] = [const { OnceLock::new() }; Language::ALL.len()];

fn forms(from: Language) -> QuickMap<&'static str, &'static str> {
    let mut forms = QuickMap::default();
    for (own, english) in &from.file().to_english {
        let first = english.split(' ').next().unwrap_or_default();
        for word in own.split(' ') {
            forms.entry(word).or_insert(first);
        }
    }
    forms
}

fn side(from: Language) -> Option<&'static Side> {
    let side = || match from {
        Language::English => made(from, Language::ALL.into_iter().flat_map(|language| &language.file().from_english)),
        _ => made(from, &from.file().to_english),
    };
    SIDES.get(from as usize).map(|known| known.get_or_init(side))
}

fn made<'entry>(from: Language, entries: impl IntoIterator<Item = &'entry (&'static str, &'static str)>) -> Side {
    let mut by_stem: HashMap<String, Vec<&'static str>> = HashMap::new();
    let mut spellings = BTreeSet::new();
    for (own, other) in entries {
        for word in own.split(' ') {
            let forms = [word.to_owned(), from.plural(word)];
            // `imagen` and `imágenes` have two stems.
            let stems = BTreeSet::from(forms.each_ref().map(|form| from.stem(form)));
            for stem in stems {
                by_stem.entry(stem).or_default().extend(other.split(' '));
            }
            spellings.extend(forms);
        }
    }
    Side { by_stem, spellings: Vocabulary::of_sorted(spellings.iter().map(String::as_str)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plural_is_known_and_translated_even_where_its_stem_is_another() {
        let spanish = Language::Spanish;
        assert_ne!(spanish.stem("imagen"), spanish.stem("imagenes"));
        for word in ["imagen", "imagenes"] {
            assert!(translations(word, spanish).contains(&"image"), "{word}");
            assert!(spellings(spanish).unwrap().find(word).is_some(), "{word}");
        }
    }

    #[test]
    fn a_form_means_what_the_file_says_of_it_or_of_its_singular() {
        let of = |word| meaning_of_form(word, Language::Spanish);
        assert!(of("factura") == Some("invoice") && of("facturas") == Some("invoice"), "{:?}", of("facturas"));
        assert_eq!((of("xqzz"), meaning_of_form("invoice", Language::English)), (None, None));
        for language in Language::ALL {
            let words = forms(language);
            assert_eq!(words.is_empty(), language == Language::English);
            let known = |(word, english): (&&str, &&str)| translations(word, language).contains(english);
            assert!(words.iter().all(known), "{language:?}");
        }
    }

    #[test]
    fn a_german_compound_has_two_parts_that_are_known() {
        let is_known = |part: &str| part == "software";
        for (word, expected) in [
            ("softwareentwickler", Some(["software", "entwickler"])),
            ("besprechungsprotokolle", Some(["besprechungs", "protokolle"])),
            ("kundendatenbank", Some(["kunden", "datenbank"])),
            ("softwarexyzzy", None),
            ("datei", None),
            ("", None),
        ] {
            assert_eq!(parts(word, is_known), expected, "{word}");
        }
    }

    #[test]
    fn every_language_knows_everyday_words_of_work() {
        for (language, word, english) in [
            (Language::Spanish, "factura", "invoice"),
            (Language::French, "livraison", "delivery"),
            (Language::German, "tierarzt", "veterinary"),
            (Language::Portuguese, "arquivos", "archives"),
        ] {
            assert!(translations(word, language).contains(&english), "{language:?} {word}");
        }
    }
}

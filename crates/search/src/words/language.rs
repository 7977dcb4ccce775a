//! The languages that search knows: detection, stop words and stems.
//!
//! Words arrive folded, so the stemmers see no accents. Spanish needs one accent, as in `-ción`. The accent is restored
//! before stemming so that singular and plural have one stem.

use std::{borrow::Cow, sync::LazyLock};

use rust_stemmers::{Algorithm, Stemmer};

use super::{language_file::LanguageFile, word_map::QuickMap};

/// A language with stems and stop words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Language {
    /// Also the fallback for every unknown language: its stemmer changes only Latin endings.
    English,
    Spanish,
    French,
    German,
    Portuguese,
}

/// A set of languages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Languages(u8);

impl Languages {
    pub(super) fn insert(&mut self, language: Language) {
        self.0 |= language.bit();
    }

    pub(super) const fn has(self, language: Language) -> bool {
        self.0 & language.bit() != 0
    }

    /// The languages of either set.
    pub(super) const fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

/// By how many words a text is in another language than English and Spanish. One may be a name or the end of an address.
const MARGIN: usize = 2;

impl Language {
    pub(super) const ALL: [Self; 5] = [Self::English, Self::Spanish, Self::French, Self::German, Self::Portuguese];

    /// The language that most stop words and endings belong to; `None` on a tie. The languages share small words, and most
    /// questions are in English or Spanish: another one is clear from [`MARGIN`] more words on.
    pub(super) fn guess<'word>(words: impl IntoIterator<Item = &'word str>) -> Option<Self> {
        let mut counts = [0_usize; Self::ALL.len()];
        for word in words {
            let ending = if has_spanish_ending(word) { Self::Spanish.bit() } else { 0 };
            let languages = STOP_WORDS.get(word).copied().unwrap_or_default() | ending;
            // Most words say nothing.
            if languages != 0 {
                for (count, language) in counts.iter_mut().zip(Self::ALL) {
                    *count += usize::from(languages & language.bit() != 0);
                }
            }
        }
        let [english, spanish, others @ ..] = counts;
        let most = others.into_iter().max().unwrap_or_default();
        if most >= english.max(spanish) + MARGIN {
            let mut having = Self::ALL.into_iter().zip(counts).filter(|(_, count)| *count == most);
            return having.next().filter(|_| having.next().is_none()).map(|(language, _)| language);
        }
        match spanish.cmp(&english) {
            std::cmp::Ordering::Greater => Some(Self::Spanish),
            std::cmp::Ordering::Less => Some(Self::English),
            std::cmp::Ordering::Equal => None,
        }
    }

    /// Whether `word` is a stop word: an article, a preposition, a word of asking (`help`, `quiero`), a greeting or a
    /// day.
    pub(super) fn is_stop_word(self, word: &str) -> bool {
        STOP_WORDS.get(word).is_some_and(|languages| languages & self.bit() != 0)
    }

    /// Whether `word` is a stop word of any language.
    pub(super) fn is_stop_word_of_any(word: &str) -> bool {
        STOP_WORDS.contains_key(word)
    }

    /// The sorted stop list, folded.
    pub(super) fn stop_words(self) -> &'static [&'static str] {
        &self.file().stop_words
    }

    /// Its data file. That of English, into which the others are translated, has stop words alone.
    pub(super) fn file(self) -> &'static LanguageFile {
        match self {
            Self::English => &ENGLISH,
            Self::Spanish => &SPANISH,
            Self::French => &FRENCH,
            Self::German => &GERMAN,
            Self::Portuguese => &PORTUGUESE,
        }
    }

    /// The possible languages of a text: English and Spanish if it has no words that say more.
    pub(super) fn likely(guess: Option<Self>) -> impl Iterator<Item = Self> {
        [guess.unwrap_or(Self::English)].into_iter().chain(guess.is_none().then_some(Self::Spanish))
    }

    /// The stem of a folded word.
    pub(super) fn stem(self, word: &str) -> String {
        match self {
            Self::English => Stemmer::create(Algorithm::English).stem(word).into_owned(),
            Self::Spanish => Stemmer::create(Algorithm::Spanish).stem(&with_accent(word)).into_owned(),
            Self::French => Stemmer::create(Algorithm::French).stem(word).into_owned(),
            Self::German => Stemmer::create(Algorithm::German).stem(word).into_owned(),
            Self::Portuguese => Stemmer::create(Algorithm::Portuguese).stem(word).into_owned(),
        }
    }

    /// The abbreviation of which `word` is the plural, as `pdf` of `pdfs`: stemmers leave a word without a vowel as it is.
    pub(super) fn abbreviation(word: &str) -> Option<&str> {
        let singular = word.strip_suffix('s').filter(|singular| singular.len() > 1 && !singular.ends_with('s'));
        let is_consonant = |byte: u8| byte.is_ascii_lowercase() && !b"aeiouy".contains(&byte);
        singular.filter(|singular| singular.bytes().all(is_consonant))
    }

    /// Its bit in a set of languages.
    const fn bit(self) -> u8 {
        1 << self as u8
    }

    /// An approximate plural of a folded noun, good enough to recognise it.
    pub(super) fn plural(self, word: &str) -> String {
        match self {
            Self::Spanish if !word.ends_with(['a', 'e', 'i', 'o', 'u']) => format!("{word}es"),
            _ => format!("{word}s"),
        }
    }
}

static ENGLISH: LazyLock<LanguageFile> = LazyLock::new(|| LanguageFile::read(include_str!("lexicon/en.txt")));
static SPANISH: LazyLock<LanguageFile> = LazyLock::new(|| LanguageFile::read(include_str!("lexicon/es.txt")));
static FRENCH: LazyLock<LanguageFile> = LazyLock::new(|| LanguageFile::read(include_str!("lexicon/fr.txt")));
static GERMAN: LazyLock<LanguageFile> = LazyLock::new(|| LanguageFile::read(include_str!("lexicon/de.txt")));
static PORTUGUESE: LazyLock<LanguageFile> = LazyLock::new(|| LanguageFile::read(include_str!("lexicon/pt.txt")));

/// The languages in which each word is a stop word, a bit each.
static STOP_WORDS: LazyLock<QuickMap<&'static str, u8>> = LazyLock::new(|| {
    let mut found = QuickMap::default();
    for language in Language::ALL {
        for word in language.stop_words() {
            *found.entry(*word).or_default() |= language.bit();
        }
    }
    found
});

fn has_spanish_ending(word: &str) -> bool {
    word.len() > 5 && ["cion", "ciones", "miento"].iter().any(|ending| word.ends_with(ending))
}

fn with_accent(word: &str) -> Cow<'_, str> {
    match word.strip_suffix("cion") {
        Some(root) => Cow::Owned(format!("{root}ción")),
        None => Cow::Borrowed(word),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_stop_lists_are_sorted_so_that_they_can_be_searched() {
        for language in Language::ALL {
            assert!(language.stop_words().windows(2).all(|pair| pair[0] < pair[1]), "{language:?}");
        }
    }

    #[test]
    fn the_language_is_guessed_from_its_small_words_and_endings() {
        let guess = |text: &str| Language::guess(text.split(' '));
        assert_eq!(guess("redacta la escritura de compraventa"), Some(Language::Spanish));
        assert_eq!(guess("write the deed of sale"), Some(Language::English));
        assert_eq!(guess("simulacion molecular"), Some(Language::Spanish));
        assert_eq!(guess("docker kubernetes"), None);
        assert_eq!(guess("je voudrais une facture pour notre client"), Some(Language::French));
        assert_eq!(guess("schreibe eine rechnung fur den kunden"), Some(Language::German));
        assert_eq!(guess("preciso de uma fatura para o meu cliente"), Some(Language::Portuguese));
        assert_eq!(guess("从 example com 提取"), None, "one small word is no margin");
    }

    #[test]
    fn singular_and_plural_have_one_stem_in_both_languages_without_accents() {
        for (one, many) in [("simulacion", "simulaciones"), ("revision", "revisiones"), ("escritura", "escrituras")] {
            assert_eq!(Language::Spanish.stem(one), Language::Spanish.stem(many));
        }
        for (one, many) in [("query", "queries"), ("review", "reviews"), ("test", "testing")] {
            assert_eq!(Language::English.stem(one), Language::English.stem(many));
        }
    }
}

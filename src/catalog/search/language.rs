//! The two languages that search knows: detection, stop words and stems.
//!
//! Words arrive folded, so the stemmers see no accents. Spanish needs one accent, that of `-ción`. It is restored
//! before stemming so that singular and plural have one stem.

use std::borrow::Cow;

use rust_stemmers::{Algorithm, Stemmer};

/// A language with stems and stop words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Language {
    /// Also the fallback for every unknown language: its stemmer changes only Latin endings.
    English,
    Spanish,
}

impl Language {
    pub(super) const ALL: [Self; 2] = [Self::English, Self::Spanish];

    /// The language that most stop words and endings belong to; `None` on a tie.
    pub(super) fn guess<'word>(words: impl IntoIterator<Item = &'word str>) -> Option<Self> {
        let (mut english, mut spanish) = (0_usize, 0_usize);
        for word in words {
            english += usize::from(Self::English.is_stop_word(word));
            spanish += usize::from(Self::Spanish.is_stop_word(word) || has_spanish_ending(word));
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
        self.stop_words().binary_search(&word).is_ok()
    }

    /// The sorted stop list, folded.
    pub(super) fn stop_words(self) -> &'static [&'static str] {
        match self {
            Self::English => ENGLISH,
            Self::Spanish => SPANISH,
        }
    }

    /// The stem of a folded word.
    pub(super) fn stem(self, word: &str) -> String {
        match self {
            Self::English => Stemmer::create(Algorithm::English).stem(word).into_owned(),
            Self::Spanish => Stemmer::create(Algorithm::Spanish).stem(&with_accent(word)).into_owned(),
        }
    }

    /// An approximate plural of a folded noun, good enough to recognise it.
    pub(super) fn plural(self, word: &str) -> String {
        match self {
            Self::Spanish if !word.ends_with(['a', 'e', 'i', 'o', 'u']) => format!("{word}es"),
            _ => format!("{word}s"),
        }
    }
}

fn has_spanish_ending(word: &str) -> bool {
    word.len() > 5 && ["cion", "ciones", "miento"].iter().any(|ending| word.ends_with(ending))
}

fn with_accent(word: &str) -> Cow<'_, str> {
    match word.strip_suffix("cion") {
        Some(root) => Cow::Owned(format!("{root}ción")),
        None => Cow::Borrowed(word),
    }
}

#[rustfmt::skip]
const ENGLISH: &[&str] = &[
    "a", "about", "above", "after", "afternoon", "again", "all", "also", "am", "an", "and", "any", "anything", "are", "as", "at", "be",
    "because", "been", "before", "being", "below", "between", "both", "but", "by", "bye", "can", "could", "dear", "did", "do", "does",
    "doing", "don", "during", "each", "either", "etc", "evening", "every", "few", "for", "friday", "from", "further", "get", "give", "had",
    "has", "have", "having", "he", "hello", "help", "her", "here", "hey", "hi", "him", "his", "how", "i", "if", "in", "into", "is", "it",
    "its", "just", "kindly", "let", "like", "m", "may", "me", "might", "monday", "more", "morning", "most", "mr", "mrs", "ms", "much",
    "must", "my", "need", "needs", "no", "nor", "not", "of", "off", "ok", "okay", "on", "once", "only", "or", "other", "our", "out", "over",
    "own", "please", "pls", "regards", "same", "saturday", "she", "should", "so", "some", "something", "such", "sunday", "than", "thank",
    "thanks", "that", "the", "their", "them", "then", "there", "these", "they", "this", "those", "through", "thursday", "to", "today",
    "tomorrow", "tonight", "too", "tuesday", "under", "until", "up", "us", "use", "used", "user", "uses", "using", "very", "via", "want",
    "wants", "was", "we", "wednesday", "were", "what", "when", "where", "whether", "which", "while", "who", "whom", "why", "will", "with",
    "would", "yesterday", "you", "your",
];

#[rustfmt::skip]
const SPANISH: &[&str] = &[
    "a", "actualmente", "adios", "ahora", "al", "algo", "algun", "alguna", "ante", "antes", "aquel", "asi", "aun", "ayer", "ayuda",
    "ayudame", "bajo", "buena", "buenas", "buenos", "cada", "como", "con", "cual", "cuales", "cuando", "de", "del", "desde", "dia", "dias",
    "domingo", "donde", "durante", "e", "el", "ella", "ellos", "en", "entre", "era", "es", "esa", "ese", "eso", "esta", "estaba", "estan",
    "estas", "este", "esto", "estos", "etc", "favor", "fue", "gracias", "ha", "hace", "hacer", "hacia", "han", "hasta", "hay", "haz",
    "hola", "hoy", "jueves", "la", "las", "le", "les", "lo", "los", "luego", "lunes", "manana", "martes", "mas", "me", "mi", "miercoles",
    "mis", "muy", "necesita", "necesitamos", "necesito", "ni", "no", "noche", "noches", "nos", "nuestra", "nuestro", "o", "otra", "otro",
    "otros", "oye", "para", "perdon", "perdona", "pero", "por", "porfa", "porque", "puede", "puedes", "puedo", "pues", "que", "quien",
    "quiere", "quiero", "sabado", "saludos", "se", "sea", "ser", "si", "sin", "sobre", "son", "su", "sus", "tambien", "tan", "tarde",
    "tardes", "te", "tengo", "ti", "tiene", "tienen", "todo", "todos", "tu", "tus", "u", "un", "una", "uno", "unos", "usa", "usar", "usted",
    "viernes", "y", "ya", "yo",
];

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

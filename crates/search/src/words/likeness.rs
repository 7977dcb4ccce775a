//! The likeness of a name to a question, more generous than the search itself. It is for callers who found nothing and
//! look for another way.

use rapidfuzz::distance::osa::BatchComparator;

use super::{
    language::Language,
    lexicon,
    typo::slips,
    word_split::{fold, words},
};

/// Words of a question that are compared, its first ones.
const COMPARED: usize = 16;
/// Letters by which two words are alike.
const BEGINNING: usize = 4;

/// The words of a question, to compare names with.
pub struct Likeness(Vec<Form>);

/// A word of the question, or what it means in the other language.
struct Form {
    stem: String,
    beginning: Option<String>,
    /// Slips that are forgiven.
    allowed: usize,
    compared: BatchComparator<char>,
}

impl Likeness {
    /// To the words of `question` except stop words.
    #[must_use]
    pub fn to(question: &str) -> Self {
        let folded = fold(question);
        let language = Language::guess(words(&folded));
        let is_small = |word: &str| Language::likely(language).any(|language| language.is_stop_word(word));
        let mut forms = Vec::new();
        for word in words(&folded).filter(|word| !is_small(word)).take(COMPARED) {
            forms.push(Form::from_word(word));
            for from in Language::likely(language) {
                forms.extend(lexicon::translations(word, from).iter().map(|word| Form::from_word(word)));
            }
        }
        Self(forms)
    }

    /// How far `name` is away, 0 being the nearest; `None` if none of its words is near to one of the question.
    #[must_use]
    pub fn distance(&self, name: &str) -> Option<usize> {
        let folded = fold(name);
        words(&folded).filter_map(|word| self.of_word(word)).min()
    }

    fn of_word(&self, word: &str) -> Option<usize> {
        let (stem, beginning) = (Language::English.stem(word), beginning(word));
        let distance = |form: &Form| {
            if form.stem == stem {
                return Some(0);
            }
            let is_alike = || beginning.is_some() && form.beginning.as_deref() == beginning;
            let apart = if form.allowed > 0 { slips(&form.compared, word, form.allowed) } else { None };
            apart.or_else(|| is_alike().then_some(form.allowed + 1))
        };
        self.0.iter().filter_map(distance).min()
    }
}

impl Form {
    fn from_word(word: &str) -> Self {
        let allowed = match word.chars().count() {
            0..=3 => 0,
            4..=5 => 1,
            6..=8 => 2,
            _ => 3,
        };
        Self {
            stem: Language::English.stem(word),
            beginning: beginning(word).map(str::to_owned),
            allowed,
            compared: BatchComparator::new(word.chars()),
        }
    }
}

/// The first letters of a word that has so many.
fn beginning(word: &str) -> Option<&str> {
    let (at, last) = word.char_indices().nth(BEGINNING - 1)?;
    word.get(..at + last.len_utf8())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_near_by_stem_slips_translation_or_beginning() {
        for (question, near, far) in [
            ("please do my invoicing", "office/invoices", "code/review"),
            ("knvoices", "office/invoices", "office/letters"),
            ("una factura para el cliente", "invoice", "notary"),
            ("invoicer9", "invoices", "notary"),
        ] {
            let likeness = Likeness::to(question);
            assert!(likeness.distance(near).is_some(), "{question}");
            assert_eq!(likeness.distance(far), None, "{question}");
        }
        let likeness = Likeness::to("invoices");
        assert!(likeness.distance("invoice") < likeness.distance("invioces"));
        assert!(likeness.distance("invioces") < likeness.distance("invocation"));
        assert_eq!(Likeness::to("the of zzzqqq").distance("k0"), None);
    }

    #[test]
    fn no_more_words_than_so_many_are_compared() {
        let many = |words: usize| (0..words).map(|_| "filler ").collect::<String>() + "invoices";
        assert!(Likeness::to(&many(COMPARED - 1)).distance("invoices").is_some());
        assert_eq!(Likeness::to(&many(COMPARED)).distance("invoices"), None);
    }
}

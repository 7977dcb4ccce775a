//! The data file of a language, in `lexicon/`: its stop words, and words with their English meanings.
//! `lexicon/README.md` says where the words come from, and how a file is made.

/// A file, read.
#[derive(Default)]
pub(super) struct LanguageFile {
    /// Sorted.
    pub(super) stop_words: Vec<&'static str>,
    /// Words with their English meanings.
    pub(super) to_english: Vec<(&'static str, &'static str)>,
    /// English words with their meanings in this language.
    pub(super) from_english: Vec<(&'static str, &'static str)>,
}

impl LanguageFile {
    /// Reads the text of a file. A line that is no entry is left out.
    pub(super) fn read(text: &'static str) -> Self {
        let mut file = Self::default();
        for line in text.lines().filter(|line| !line.starts_with('#')) {
            if let Some(words) = line.strip_prefix("stop ") {
                file.stop_words = words.split(' ').collect();
            } else if let Some((own, english)) = line.split_once(" = ") {
                file.to_english.push((own, english));
                file.from_english.push((english, own));
            } else if let Some(entry) = line.split_once(" > ") {
                file.to_english.push(entry);
            }
        }
        file
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::words::word_split::{fold, words};

    #[test]
    fn every_file_is_folded_and_each_of_its_lines_is_an_entry() {
        for text in [
            include_str!("lexicon/en.txt"),
            include_str!("lexicon/es.txt"),
            include_str!("lexicon/fr.txt"),
            include_str!("lexicon/de.txt"),
            include_str!("lexicon/pt.txt"),
        ] {
            let file = LanguageFile::read(text);
            assert!(file.stop_words.len() > 100 && file.stop_words.is_sorted());
            let lines = text.lines().filter(|line| !line.starts_with('#')).count();
            assert_eq!(file.to_english.len() + 1, lines);
            for (own, english) in file.to_english {
                for side in [own, english] {
                    assert_eq!(words(&fold(side)).collect::<Vec<_>>(), side.split(' ').collect::<Vec<_>>(), "{side}");
                }
            }
        }
    }
}

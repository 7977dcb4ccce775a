//! Characters that a person does not see and a model does.

use crate::{Diagnostic, FindingCode, shown};

/// The first of them in a SKILL.md, of which a model is shown a text without them.
pub(super) fn hidden(text: &str) -> Option<Diagnostic> {
    let at = text.find(shown::is_hidden)?;
    let count = text.chars().filter(|c| shown::is_hidden(*c)).count();
    let message = format!("{count} invisible characters, the first of them here, are not shown to agents: remove them");
    Some(Diagnostic::new(FindingCode::HiddenCharacters, message).after(text.get(..at)?))
}

/// Those in the name of a file, which an agent reads in a listing.
pub(super) fn hidden_in_name(path: &str) -> Option<Diagnostic> {
    let count = path.chars().filter(|c| shown::is_hidden(*c)).count();
    let message = format!(
        "the name {path:?} has {count} invisible characters, so a person and an agent read different names: rename the file"
    );
    (count > 0).then(|| Diagnostic::new(FindingCode::HiddenCharacters, message))
}

/// The first of them in another text file of a skill, with its place in that file. A byte order mark at its beginning and the
/// line ends of any system are none, and bytes that are not UTF-8 are passed over.
#[must_use]
pub fn hidden_in_file(bytes: &[u8]) -> Option<Diagnostic> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let is_hidden = |c: &char| shown::is_hidden(*c) && *c != '\r';
    let chars = || bytes.utf8_chunks().flat_map(|chunk| chunk.valid().chars());
    let count = chars().filter(is_hidden).count();
    let message = format!(
        "{count} invisible characters, the first of them here, which a person does not see and an agent reads: remove them"
    );
    (count > 0).then(|| {
        let before: String = chars().take_while(|c| !is_hidden(c)).collect();
        Diagnostic::new(FindingCode::HiddenCharacters, message).after(&before)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_hidden_character_of_a_file_is_found_and_what_people_need_is_none() {
        for (text, line, column, count) in
            [("\u{e0041}\u{e0042}b", 1, 1, "2 "), ("one\r\ntwo\u{202e}", 2, 4, "1 "), ("a\u{feff}", 1, 2, "1 ")]
        {
            let found = hidden_in_file(text.as_bytes()).unwrap();
            assert_eq!(
                (found.code.as_str(), found.line, found.column),
                ("hidden_characters", Some(line), Some(column))
            );
            assert!(found.message.starts_with(count), "{}", found.message);
        }
        for text in ["\u{feff}a", "a\r\nb\rc\td", "👩\u{200d}🚀 \u{2764}\u{fe0f}", "می\u{200c}خواهم", "añ日"]
        {
            assert_eq!(hidden_in_file(text.as_bytes()), None, "{text:?}");
        }
        assert_eq!(hidden_in_file(b"caf\xe9 \x85 \xff"), None);
        assert!(hidden_in_file(b"\xff\xe2\x80\xae").is_some(), "one bad byte hides nothing");
        for name in ["how\u{200b}.md", "\u{202e}dm.how", "a/\u{e0041}/b"] {
            let found = hidden_in_name(name).unwrap();
            assert!(found.message.is_ascii() && found.message.contains("1 invisible"), "{}", found.message);
        }
        assert_eq!(hidden_in_name("references/año 日\u{2764}\u{fe0f}.md"), None);
    }
}

//! A SKILL.md as a whole: frontmatter and body.
//!
//! The catalog reads heads, a load reads documents. Both are lenient and never fail, because one bad file must not take
//! the others down. The findings have the faults. A skill that cannot be used is `None` with an error among the
//! findings.

use std::collections::HashSet;

use super::{
    Diagnostic, Frontmatter, Severity,
    frontmatter::{self, Split, decode},
    outline::outline,
};
use skillmount_base::limits::{SKILL_HEAD_BYTES, SKILL_HEADINGS_BYTES, SKILL_OPENING_BYTES};

/// The content of the first bytes of a SKILL.md.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Head {
    /// Its frontmatter.
    pub frontmatter: Frontmatter,
    /// The words of the first [`SKILL_OPENING_BYTES`] of its body, for search: each once, in the order of the text.
    pub opening: String,
    /// The headings in the part of the body that was read, for search: one a line, up to [`SKILL_HEADINGS_BYTES`].
    pub headings: String,
}

/// A SKILL.md read whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Document {
    /// Its frontmatter.
    pub frontmatter: Frontmatter,
    /// Everything after the frontmatter, with `\n` line ends.
    pub body: String,
    /// The 1-based line of SKILL.md at which the body begins.
    pub body_line: u32,
}

/// Reads the first [`SKILL_HEAD_BYTES`] of the SKILL.md of the skill in `folder`, or all of a shorter one.
#[must_use]
pub fn read_head(bytes: &[u8], folder: &str) -> (Option<Head>, Vec<Diagnostic>) {
    let cut = u64::try_from(bytes.len()).is_ok_and(|length| length >= SKILL_HEAD_BYTES);
    let (read, found) = read(bytes, folder, cut);
    let head = read.map(|(frontmatter, split)| {
        let (opening, headings) = (opening(&split.body), headings(&split.body));
        Head { frontmatter, opening, headings }
    });
    (head, found)
}

/// Reads the whole SKILL.md of the skill in `folder`.
#[must_use]
pub fn read_document(bytes: &[u8], folder: &str) -> (Option<Document>, Vec<Diagnostic>) {
    let (read, found) = read(bytes, folder, false);
    let document =
        read.map(|(frontmatter, split)| Document { frontmatter, body: split.body, body_line: split.body_line });
    (document, found)
}

/// The words of the beginning of `body`. Marks between words are left out, those inside a word stay.
fn opening(body: &str) -> String {
    let beginning = body.get(..body.floor_char_boundary(SKILL_OPENING_BYTES)).unwrap_or_default();
    let mut seen = HashSet::new();
    let words = beginning.split(|c: char| c.is_whitespace() || (c.is_ascii_punctuation() && c != '\''));
    let words = words.filter(|word| word.contains(char::is_alphanumeric) && seen.insert(word.to_lowercase()));
    joined(words, ' ', SKILL_OPENING_BYTES)
}

/// The text of the headings of `body`, without empty ones.
fn headings(body: &str) -> String {
    let outline = outline(body);
    let texts = outline.headings.iter().map(|heading| heading.text.trim()).filter(|text| !text.is_empty());
    joined(texts, '\n', SKILL_HEADINGS_BYTES)
}

/// `parts` with `gap` between them, up to `most` bytes. The last word may be cut; no search asks for such a word.
fn joined<'a>(parts: impl Iterator<Item = &'a str>, gap: char, most: usize) -> String {
    let mut text = String::new();
    for part in parts {
        if !text.is_empty() {
            text.push(gap);
        }
        text.push_str(part);
        if text.len() > most {
            text.truncate(text.floor_char_boundary(most));
            break;
        }
    }
    text
}

/// Decodes, splits and parses. Returns `None` with an error among the findings if the skill cannot be used.
fn read(bytes: &[u8], folder: &str, cut: bool) -> (Option<(Frontmatter, Split)>, Vec<Diagnostic>) {
    let (text, undecoded) = decode(bytes, cut);
    let mut found: Vec<Diagnostic> = undecoded.into_iter().collect();
    let parsed = frontmatter::split(&text).and_then(|split| Ok((frontmatter::parse(&split, folder)?, split)));
    match parsed {
        Err(error) => {
            found.push(error);
            (None, found)
        }
        Ok((parsed, split)) => {
            found.extend(parsed.diagnostics);
            let usable = found.iter().all(|finding| finding.severity != Severity::Error);
            (usable.then_some((parsed.frontmatter, split)), found)
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use proptest::prelude::*;

    use super::*;
    use skillmount_base::limits::{FRONTMATTER_BYTES, FRONTMATTER_NESTING, SKILL_FINDINGS, SKILL_PARAMETERS};

    fn lenient(text: &str) -> (Document, Vec<Diagnostic>) {
        let (document, found) = read_document(text.as_bytes(), "folder");
        (document.unwrap_or_else(|| panic!("{text:?}: {found:?}")), found)
    }

    fn refusal(text: &str) -> String {
        let (document, found) = read_document(text.as_bytes(), "folder");
        assert_eq!(document, None, "{text:?}");
        found.into_iter().find(|one| one.severity == Severity::Error).unwrap().code
    }

    fn codes(found: &[Diagnostic]) -> Vec<(&str, Option<u32>, Option<u32>)> {
        found.iter().map(|one| (one.code.as_str(), one.line, one.column)).collect()
    }

    #[test]
    fn a_plain_skill_reads_without_findings() {
        let (document, found) = lenient("---\nname: folder\ndescription: |\n  One.\n\n  Two.\n---\n# Title\nText\n");
        assert_eq!(found, []);
        assert_eq!(document.frontmatter.description, "One.\n\nTwo.");
        assert_eq!((document.body.as_str(), document.body_line), ("# Title\nText\n", 8));
    }

    #[test]
    fn prose_that_is_not_yaml_is_read_as_it_was_meant() {
        for (yaml, description) in [
            ("description: Use when: the user asks", "Use when: the user asks"),
            ("description: First\n  then: second\n  * third", "First then: second * third"),
            ("description: **Bold** start", "**Bold** start"),
            ("description:\n  **Bold**\n  and: more", "**Bold** and: more"),
            ("description: @mention first", "@mention first"),
            ("description: `code` first", "`code` first"),
            ("description: [draft] the rest", "[draft] the rest"),
            ("description: \"Quoted\" and not", "\"Quoted\" and not"),
            ("description: \"inner \"quotes\" here\"", "inner \"quotes\" here"),
            (r#"description: "Go \ud83d\ude80 up""#, "Go 🚀 up"),
            ("description: 'it's here'", "it's here"),
            ("description: 100% \\d: yes", "100% \\d: yes"),
            ("description: red \u{1b}[31m text", "red \u{1b}[31m text"),
            ("description:\tuse\n\tindented: here", "use indented: here"),
            ("description: >-\nat the margin", "at the margin"),
        ] {
            let (document, found) = lenient(&format!("---\nname: folder\n{yaml}\nversion: 1.10\n---\n"));
            assert_eq!(document.frontmatter.description, description, "{yaml:?}");
            assert!(found.iter().any(|one| one.code == "yaml_repaired"), "{yaml:?}: {found:?}");
            assert_eq!(document.frontmatter.fields.get("version").and_then(|v| v.as_str()), Some("1.10"));
        }
    }

    #[test]
    fn a_repair_says_where_it_was_made_and_leaves_the_rest_alone() {
        let text = "---\nname: folder\ndescription: a: b\ntriggers:\n  - @me\n  - fine\nmetadata:\n  note: x: y\n  n: 1.0\n---\n";
        let (document, found) = lenient(text);
        let repaired = [("yaml_repaired", Some(3), Some(14)), ("yaml_repaired", Some(5), Some(5))];
        assert_eq!(codes(&found)[..2], repaired);
        assert_eq!(codes(&found)[2..], [("yaml_repaired", Some(8), Some(9))]);
        let front = document.frontmatter;
        assert_eq!(front.triggers, ["@me", "fine"]);
        assert_eq!((front.metadata["note"].as_str(), front.metadata["n"].as_str()), ("x: y", "1.0"));
    }

    #[test]
    fn text_fields_keep_what_was_written() {
        let (document, _) =
            lenient("---\nname: on\ndescription: 2026-01-02\nlicense: 1.10\ncompatibility: true\n---\n");
        let front = document.frontmatter;
        assert_eq!((front.name.as_deref(), front.description.as_str()), (Some("on"), "2026-01-02"));
        assert_eq!((front.license.as_deref(), front.compatibility.as_deref()), (Some("1.10"), Some("true")));
    }

    #[test]
    fn lists_come_in_every_form() {
        for (yaml, expected) in [
            ("allowed-tools: Bash(git add:*) Read", vec!["Bash(git add:*)", "Read"]),
            ("allowed-tools: Bash(git add:*), Read", vec!["Bash(git add:*)", "Read"]),
            ("allowed-tools: [Bash(git:*), Read]", vec!["Bash(git:*)", "Read"]),
            ("allowed_tools:\n- Read\n- Write", vec!["Read", "Write"]),
            ("allowed-tools:", vec![]),
        ] {
            let (document, _) = lenient(&format!("---\nname: folder\ndescription: d\n{yaml}\n---\n"));
            assert_eq!(document.frontmatter.allowed_tools, expected, "{yaml:?}");
        }
        let text = "---\nname: folder\ndescription: d\ntags: one, two words\ntriggers: [a, 'b: c', d: e]\n\
                    metadata:\n  keywords: x, y\n  level: basic\n---\n";
        let front = lenient(text).0.frontmatter;
        assert_eq!(front.tags, ["one", "two words"]);
        assert_eq!(front.triggers, ["a", "b: c", "d: e"]);
        assert_eq!((front.keywords, front.level.as_deref()), (vec!["x".into(), "y".into()], Some("basic")));
    }

    #[test]
    fn parameters_come_in_every_form() {
        let parameters = |yaml: &str| {
            let front = lenient(&format!("---\nname: folder\ndescription: d\n{yaml}\n---\n")).0.frontmatter;
            let brief = |one: crate::Parameter| (one.name, one.description, one.required, one.default);
            front.parameters.into_iter().map(brief).collect::<Vec<_>>()
        };
        let full = ("lang".to_owned(), "which".to_owned(), true, Some("1.0".to_owned()));
        let list = "parameters:\n  - name: lang\n    description: which\n    required: true\n    default: 1.0";
        assert_eq!(parameters(list), std::slice::from_ref(&full));
        let map = "parameters:\n  lang: {description: which, required: yes, default: 1.0}\n  b: text";
        assert_eq!(parameters(map), [full, ("b".into(), "text".into(), false, None)]);
        let names = [("a".to_owned(), String::new(), false, None), ("b".to_owned(), String::new(), false, None)];
        assert_eq!(parameters("parameters: [a, b]"), names);
        assert_eq!(parameters("arguments: a b"), names);
        let many = |count: usize| {
            let names: Vec<_> = (0..count).map(|n| format!("p{n}")).collect();
            format!("---\nname: folder\ndescription: d\nparameters: {}\n---\n", names.join(" "))
        };
        assert_eq!(lenient(&many(SKILL_PARAMETERS)).1, []);
        let (document, found) = lenient(&many(SKILL_PARAMETERS + 1));
        assert_eq!(document.frontmatter.parameters.len(), SKILL_PARAMETERS);
        assert_eq!(codes(&found), [("too_many_parameters", Some(4), Some(1))]);
        let odd = "parameters:\n- a\n- {name: a, required: true}\n- {description: x}\n- {name: b, required: maybe}";
        let (document, found) = lenient(&format!("---\nname: folder\ndescription: d\n{odd}\n---\n"));
        let names: Vec<_> =
            document.frontmatter.parameters.iter().map(|one| (one.name.as_str(), one.required)).collect();
        assert_eq!(names, [("a", false), ("b", false)]);
        let at = |code| (code, Some(4), Some(1));
        assert_eq!(codes(&found), [at("parameter_duplicate"), at("parameter_unnamed"), at("field_not_boolean")]);
    }

    #[test]
    fn names_that_differ_or_lack_are_warnings() {
        let (document, found) = lenient("---\nname: other\ndescription: d\n---\n");
        assert_eq!(document.frontmatter.name.as_deref(), Some("other"));
        assert_eq!(codes(&found), [("name_differs", Some(2), Some(1))]);
        let (document, found) = lenient("---\ndescription: d\n---\n");
        assert_eq!((document.frontmatter.name, codes(&found)), (None, vec![("name_missing", None, None)]));
        let (_, found) = lenient("---\nname: folder\nname: folder\ndescription: d\n---\n");
        assert_eq!(codes(&found), [("duplicate_key", Some(3), Some(1))]);
    }

    #[test]
    fn findings_are_bounded_and_say_what_they_leave_out() {
        let doubled = |count: usize| (0..count).map(|n| format!("k{n}: a\nk{n}: b\n")).collect::<Vec<_>>().concat();
        let found = |count: usize| lenient(&format!("---\nname: folder\ndescription: d\n{}---\n", doubled(count))).1;
        assert!(found(SKILL_FINDINGS).iter().all(|one| one.code == "duplicate_key"));
        assert_eq!(found(SKILL_FINDINGS).len(), SKILL_FINDINGS);
        let over = found(SKILL_FINDINGS + 1);
        assert_eq!((over.len(), over[SKILL_FINDINGS].code.as_str()), (SKILL_FINDINGS + 1, "more_findings"));
    }

    #[test]
    fn what_cannot_be_used_is_left_out_with_an_error() {
        let nested = format!("---\nname: a\ndescription: b\nx: {}\n---\n", "[".repeat(FRONTMATTER_NESTING + 1));
        let large = format!("---\ndescription: {}\n---\n", "x".repeat(FRONTMATTER_BYTES));
        for (text, code) in [
            ("no frontmatter", "frontmatter_missing"),
            ("---\nname: a\n", "frontmatter_unclosed"),
            ("---\n---\n", "description_missing"),
            ("---\nname: a\ndescription: '  '\n---\n", "description_missing"),
            ("---\nname: a\ndescription: [b]\n---\n", "description_missing"),
            ("---\njust words\n---\n", "frontmatter_not_a_map"),
            ("---\n- a\n- b\n---\n", "frontmatter_not_a_map"),
            ("---\nname: a\ndescription: b\n...\nx: y\n---\n", "yaml_invalid"),
            (nested.as_str(), "frontmatter_too_deep"),
            (large.as_str(), "frontmatter_too_large"),
        ] {
            assert_eq!(refusal(text), code, "{text:.60}");
        }
    }

    #[test]
    fn a_file_without_frontmatter_that_begins_with_a_heading_loads_under_a_warning() {
        let text = "# Paper cranes\n\nFolds paper into cranes.\n\n## Steps\n\nFold.\n";
        let (document, found) = lenient(text);
        assert_eq!(codes(&found), [("frontmatter_absent", Some(1), Some(1))]);
        let Document { frontmatter, body, body_line } = document;
        assert_eq!((frontmatter.name, frontmatter.description.as_str()), (None, "Folds paper into cranes."));
        assert!(frontmatter.user_invocable);
        assert_eq!((body.as_str(), body_line), (text, 1));
    }

    #[test]
    fn a_heading_on_the_closing_line_is_the_first_line_of_the_body() {
        let (document, found) = lenient("---\nname: folder\ndescription: d\n---# Title\nText\n---\n");
        assert_eq!(codes(&found), [("frontmatter_glued", Some(4), Some(1))]);
        assert_eq!((document.body.as_str(), document.body_line), ("# Title\nText\n---\n", 4));
    }

    #[test]
    fn fields_between_asterisks_are_said_to_have_them() {
        for block in ["**name:** folder\n**description:** d", "**name**: folder\n**description**: d"] {
            let (_, found) = read_document(format!("---\n{block}\n---\n").as_bytes(), "folder");
            assert!(found[0].message.ends_with("fields have no asterisks: write `name: …`"), "{found:?}");
        }
        for text in ["---\nname: a\n**description:** b\n---\n", "---\nname: a\n- **description:** b\n---\n"] {
            let (_, found) = read_document(text.as_bytes(), "a");
            assert!(
                found[0].message.contains("fields have no asterisks: write `description: …`"),
                "{text:?} {found:?}"
            );
        }
    }

    #[test]
    fn a_head_may_end_anywhere() {
        let limit = usize::try_from(SKILL_HEAD_BYTES).unwrap();
        for title in ["Title", "Title."] {
            let text = format!("---\nname: folder\ndescription: d\n---\n# {title}\n{}", "é\n".repeat(limit));
            let (head, found) = read_head(&text.as_bytes()[..limit], "folder");
            assert_eq!(found, []);
            assert!(head.unwrap().opening.starts_with("Title é"));
        }
    }

    #[test]
    fn an_opening_has_each_word_once_up_to_its_limit() {
        let opening = |body: &str| {
            let text = format!("---\nname: folder\ndescription: d\n---\n{body}");
            read_head(text.as_bytes(), "folder").0.unwrap().opening
        };
        assert_eq!(opening("# Title\n\n  Some\t text (of `title`).\n"), "Title Some text of");
        assert_eq!(opening("don't a/b C++"), "don't a b C");
        let long = |bytes: usize| format!("a {}", "b".repeat(bytes - 2));
        assert_eq!(opening(&long(SKILL_OPENING_BYTES)), long(SKILL_OPENING_BYTES));
        assert_eq!(opening(&long(SKILL_OPENING_BYTES + 1)), long(SKILL_OPENING_BYTES));
    }

    #[test]
    fn headings_are_kept_from_wherever_they_stand_up_to_their_limit() {
        let headings = |body: &str| {
            let text = format!("---\nname: folder\ndescription: d\n---\n{body}");
            read_head(text.as_bytes(), "folder").0.unwrap().headings
        };
        let far = "text\n".repeat(SKILL_OPENING_BYTES);
        let body = format!("# One *b*\n\n{far}\n## `Deep` [in](x.md)\n\n#\n\n```sh\n# no heading\n```\n\nSet\n---\n");
        assert_eq!(headings(&body), "One b\nDeep in\nSet");
        let long = |bytes: usize| format!("a{}", "b".repeat(bytes - 1));
        for over in [0, 1] {
            assert_eq!(headings(&format!("# {}", long(SKILL_HEADINGS_BYTES + over))), long(SKILL_HEADINGS_BYTES));
        }
    }

    /// Pieces with a meaning for YAML, the delimiters and the repairs, so that random text gets past the first check.
    const PIECES: &str = "name§description§: §:§\n§\n  §\n- §  - §\t§---\n§...§[§]§{§}§,§'§\"§|§>§>-\n§&a§*a§!!str §!t §\
        <<§? §#§ #§%§@§`§\\u§\\x4§\\ud83d§\r§\r\n§\u{feff}§\u{85}§\u{2028}§\u{202e}§\u{200b}§\u{e0041}§\u{fffe}§\0§\
        \u{1b}[31m§<|im_start|>§</skill>§<![CDATA[§]]>§&lt;§```§é§1.10§~§0x1§&b [*a,*a]§tags§metadata§parameters§\
        allowed-tools§\n---\n";
    /// Texts that are harmless alone and expensive in a row.
    const RUNS: [&str; 16] =
        ["[", "{", "]", "[{", "- ", "? ", "  ", "\t", "\n", "'", "\"", "*a,", "&a ", "!", "a: ", "long words "];

    pub(crate) fn piece() -> impl Strategy<Value = String> {
        let known: Vec<_> = PIECES.split('§').map(str::to_owned).collect();
        let run = (prop::sample::select(&RUNS[..]), 1..80_usize).prop_map(|(piece, many)| piece.repeat(many));
        // A pattern that is a strategy itself is compiled for each value.
        let letters = prop::string::string_regex("[a-z ]{0,8}").unwrap();
        prop_oneof![
            16 => prop::sample::select(known), 2 => letters, 2 => any::<char>().prop_map(String::from), 1 => run
        ]
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 50_000 * soak(), failure_persistence: None, ..Default::default() })]

        #[test]
        fn no_frontmatter_panics_with_an_end_or_without(pieces in prop::collection::vec(piece(), 0..60)) {
            let open = format!("---\n{}", pieces.concat());
            is_read_or_refused(&open)?;
            is_read_or_refused(&format!("{open}\n---\nbody"))?;
        }

        #[test]
        fn no_bytes_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            let mut head = b"---\n".to_vec();
            head.extend(bytes);
            let (document, found) = read_document(&head, "folder");
            prop_assert!(document.is_some() || !found.is_empty());
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 25_000 * soak(), failure_persistence: None, ..Default::default() })]

        #[test]
        fn no_field_after_the_description_panics(pieces in prop::collection::vec(piece(), 0..60)) {
            is_read_or_refused(&format!("---\ndescription: d\n{}\n---\n", pieces.concat()))?;
        }

        #[test]
        fn no_field_before_the_description_panics(pieces in prop::collection::vec(piece(), 0..60)) {
            is_read_or_refused(&format!("---\n{}\ndescription: d\n---\n", pieces.concat()))?;
        }
    }

    /// A skill that is absent has an error, a head has the frontmatter of its document, and each finding a line of the text.
    fn is_read_or_refused(text: &str) -> Result<(), TestCaseError> {
        let (document, found) = read_document(text.as_bytes(), "folder");
        let error = found.iter().any(|one| one.severity == Severity::Error);
        prop_assert_eq!(document.is_none(), error);
        let head = read_head(text.as_bytes(), "folder").0;
        prop_assert_eq!(head.map(|head| head.frontmatter), document.map(|one| one.frontmatter));
        let lines = u32::try_from(text.replace("\r\n", "\n").split(['\n', '\r']).count()).unwrap();
        prop_assert!(found.iter().all(|one| one.line.is_none_or(|line| line >= 1 && line <= lines + 1)), "{:?}", found);
        Ok(())
    }

    fn soak() -> u32 {
        std::env::var("SKILLMOUNT_SOAK").ok().and_then(|times| times.parse().ok()).unwrap_or(1)
    }
}

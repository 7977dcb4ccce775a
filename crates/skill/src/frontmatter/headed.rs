//! A SKILL.md without frontmatter that begins with a heading: its first paragraph is the description.
//!
//! Headings are lines with `#`, or lines above `===` or `---`. Comments, code, tables, the place of a table of contents, badges
//! and other images are no paragraphs. If fields stand below the heading, their description is the skill's.

use skillmount_base::limits::SKILL_DESCRIPTION_CHARS;

/// The fields that a skill cannot do without.
const FIELDS: [&str; 2] = ["name", "description"];

/// The first paragraph below the first heading of `text`, on one line, up to the length of a description; `None` if other
/// words than a comment stand before a heading, or none below it.
pub(super) fn description(text: &str) -> Option<String> {
    let lines = visible(text);
    let (mut paragraph, mut is_headed): (Vec<&str>, _) = (Vec::new(), false);
    for line in lines.iter().map(String::as_str).chain([""]) {
        let is_head = is_heading(line);
        if !is_head && has_words(line) {
            paragraph.push(line);
            continue;
        }
        let ended = std::mem::take(&mut paragraph);
        if !ended.is_empty() {
            if is_underline(line, &ended) {
                is_headed = true;
                continue;
            }
            if !is_headed {
                return None;
            }
            if let Some(said) = said(&ended) {
                return Some(said);
            }
        }
        is_headed |= is_head;
    }
    None
}

/// Whether a line is a heading of Markdown with `#`.
pub(super) fn is_heading(line: &str) -> bool {
    let rest = line.trim_start_matches('#');
    (1..=6).contains(&(line.len() - rest.len())) && rest.starts_with([' ', '\t'])
}

/// The description in a paragraph: the paragraph itself, or the field `description` in it.
fn said(paragraph: &[&str]) -> Option<String> {
    let is_one = |line: &&str| field(line).is_some_and(|(key, _)| FIELDS.contains(&key.as_str()));
    let mut words = Vec::new();
    if paragraph.iter().any(is_one) {
        let mut lines = paragraph.iter().map(|line| (field(line), line));
        let (_, value) = lines.by_ref().find_map(|(field, _)| field.filter(|(key, _)| key == "description"))?;
        words.push(value.trim_matches(['"', '\'']));
        words.extend(lines.take_while(|(field, _)| field.is_none()).map(|(_, line)| *line));
    } else {
        words.extend(paragraph);
    }
    let words = words.into_iter().flat_map(str::split_whitespace).collect::<Vec<_>>().join(" ");
    let words: String = words.chars().take(SKILL_DESCRIPTION_CHARS).collect();
    (!words.is_empty()).then(|| words.trim_end().to_owned())
}

/// The key in lower case and the value of `key: value`, also with the key between asterisks.
fn field(line: &str) -> Option<(String, &str)> {
    let (key, value) = line.trim_start_matches(['*', '-', ' ']).split_once(':')?;
    let key = key.trim_end_matches('*');
    let is_key = !key.is_empty() && key.chars().all(|c| c.is_ascii_alphanumeric() || "_-".contains(c));
    is_key.then(|| (key.to_lowercase(), value.trim_start_matches('*').trim()))
}

/// Whether `line` makes a heading of the paragraph above it. Fields above a line of dashes are frontmatter without its first
/// line.
fn is_underline(line: &str, paragraph: &[&str]) -> bool {
    let is_of = |mark: char| !line.is_empty() && line.chars().all(|c| c == mark);
    is_of('=') || (is_of('-') && !paragraph.iter().all(|line| field(line).is_some()))
}

/// Whether a line says anything beside its images and tags. A row of a table and the place of the table of contents do not.
fn has_words(line: &str) -> bool {
    let mut rest = line.trim();
    if rest.starts_with('|') || rest.trim_matches(['[', ']']).eq_ignore_ascii_case("toc") {
        return false;
    }
    loop {
        let after = if rest.starts_with("[![") {
            // A badge is an image in a link.
            rest.split_once(")](").and_then(|(_, link)| link.split_once(')'))
        } else if rest.starts_with("![") {
            rest.split_once("](").and_then(|(_, image)| image.split_once(')'))
        } else if rest.starts_with('<') {
            rest.split_once('>')
        } else {
            None
        };
        match after {
            Some((_, after)) => rest = after.trim_start(),
            None => return rest.contains(char::is_alphanumeric),
        }
    }
}

/// The trimmed lines of `text`, without comments and with a blank line for each line of code.
fn visible(text: &str) -> Vec<String> {
    let (mut open, mut in_comment) = (None, false);
    let lines = text.lines().map(|line| {
        let mut rest = line.trim();
        let fence = fence(rest);
        if let Some(opened) = open {
            if fence.is_some_and(|fence| fence.starts_with(opened) && fence.len() == rest.len()) {
                open = None;
            }
            return String::new();
        }
        if !in_comment && fence.is_some() {
            open = fence;
            return String::new();
        }
        let mut shown = String::new();
        loop {
            let mark = if in_comment { "-->" } else { "<!--" };
            let (before, after) = rest.split_once(mark).map_or((rest, None), |(before, after)| (before, Some(after)));
            if !in_comment {
                shown.push_str(before);
            }
            match after {
                Some(after) => (in_comment, rest) = (!in_comment, after),
                None => return shown.trim().to_owned(),
            }
        }
    });
    lines.collect()
}

/// The marks at the beginning of a line that begin or end a block of code.
fn fence(line: &str) -> Option<&str> {
    let mark = line.chars().next().filter(|mark| "`~".contains(*mark))?;
    let length = line.len() - line.trim_start_matches(mark).len();
    line.get(..length).filter(|_| length >= 3)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_paragraph_below_a_heading_is_found_wherever_it_stands() {
        for text in [
            "# Title\n\nFolds paper\ninto cranes.\n\nMore.\n",
            "# Title\n\n```sh\nls -l\n```\n\nFolds paper into cranes.\n",
            "# Title\n\n````md\n```\nNot this.\n```\n````\nFolds paper into cranes.\n",
            "Title\n=====\n\nFolds paper into cranes.\n",
            "A title\nof two lines\n---\nFolds paper into cranes.\n\n---\n",
            "# Title\n\nPurpose\n-------\n\nFolds paper into cranes.\n",
            "<!-- made by a program -->\n# Title\n\nFolds paper into cranes.\n",
            "<!--\nNot this.\n-->\n\n# Title\n<!-- nor this -->\nFolds paper into cranes.\n",
            "# Title\n\n[![CI](https://example.com/ci.svg)](https://example.com)\n\nFolds paper into cranes.\n",
            "[![A](a.svg)](a) ![B](b.svg)\n\n# Title\n\n<p align=\"center\"><img src=\"c.svg\"></p>\n\nFolds paper into cranes.\n",
            "# Title\n\nname: cranes\ndescription: Folds paper\n  into cranes.\nlicense: MIT\n\nMore.\n",
            "# Title\n\n**Name:** cranes\n**Description**: \"Folds paper into cranes.\"\n",
            "# Title\n\n---\nname: cranes\ndescription: Folds paper into cranes.\n---\n\nMore.\n",
            "# Title\n\nname: cranes\n\nFolds paper into cranes.\n",
            "# Title\n\n| Field | Value |\n|---|---|\n| Owner | Ann |\n\nFolds paper into cranes.\n",
            "# Title\n\n[[TOC]]\n\n[toc]\nFolds paper into cranes.\n",
        ] {
            assert_eq!(description(text).as_deref(), Some("Folds paper into cranes."), "{text}");
        }
    }

    #[test]
    fn a_file_with_other_words_first_or_with_none_below_its_heading_has_no_description() {
        for text in [
            "",
            "# Title\n",
            "# Title\n\n```sh\nls -l\n```\n",
            "# Title\n\n```sh\nls -l\n\nNever closed.\n",
            "# Title\n\n<!-- Never closed.\n\nText.\n",
            "# Title\n\n![CI](https://example.com/ci.svg)\n",
            "# Title\n\nname: cranes\n",
            "Text.\n\n# Title\n\nMore.\n",
            "#Title\n\nText.\n",
            "Title\n\nText.\n",
            "name: cranes\ndescription: Folds paper.\n---\nText.\n",
        ] {
            assert_eq!(description(text), None, "{text}");
        }
    }

    #[test]
    fn a_paragraph_that_is_too_long_is_cut() {
        for chars in [SKILL_DESCRIPTION_CHARS, SKILL_DESCRIPTION_CHARS + 1] {
            let text = format!("# T\n\n{}\n", "é".repeat(chars));
            assert_eq!(description(&text), Some("é".repeat(SKILL_DESCRIPTION_CHARS)));
        }
    }
}

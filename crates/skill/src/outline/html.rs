//! The targets of HTML in a Markdown text: `<a href>` and `<img src>`.
//!
//! Each byte is read once, from left to right, so unclosed tags cost no more than others.

use std::ops::Range;

/// The targets in `html` with their tags.
pub(super) fn links(html: &str) -> Vec<(&str, Range<usize>)> {
    let mut found = Vec::new();
    let mut rest = html;
    while let Some(at) = rest.find('<') {
        let start = html.len() - rest.len() + at;
        let tag = rest.get(at + 1..).unwrap_or_default();
        if let Some(comment) = tag.strip_prefix("!--") {
            rest = comment.split_once("-->").map_or("", |(_, after)| after);
            continue;
        }
        let name_end = tag.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(tag.len());
        let (name, attributes) = tag.split_at(name_end);
        let wanted = match name.to_ascii_lowercase().as_str() {
            "a" => "href",
            "img" => "src",
            _ => {
                rest = attributes;
                continue;
            }
        };
        let (target, after) = attribute(attributes, wanted);
        found.extend(target.map(|target| (target, start..html.len() - after.len())));
        rest = after;
    }
    found
}

/// The value of the attribute `wanted` of a tag, and the rest behind the tag.
fn attribute<'a>(attributes: &'a str, wanted: &str) -> (Option<&'a str>, &'a str) {
    let mut found = None;
    let mut rest = attributes;
    loop {
        rest = rest.trim_start_matches(|c: char| c.is_whitespace() || c == '/');
        let name_end = rest.find(|c: char| c.is_whitespace() || "=>/".contains(c)).unwrap_or(rest.len());
        let (name, after) = rest.split_at(name_end);
        let Some(written) = after.trim_start().strip_prefix('=').map(str::trim_start) else {
            match after.strip_prefix('>') {
                Some(after) => return (found, after),
                None if after.is_empty() => return (None, ""),
                None => rest = after,
            }
            continue;
        };
        let quote = written.chars().next().filter(|c| matches!(c, '"' | '\''));
        let (value, after) = match quote {
            Some(quote) => written.get(1..).and_then(|inside| inside.split_once(quote)).unwrap_or((written, "")),
            None => written.split_at(written.find(|c: char| c.is_whitespace() || c == '>').unwrap_or(written.len())),
        };
        if found.is_none() && name.eq_ignore_ascii_case(wanted) {
            found = Some(value.trim());
        }
        rest = after;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_targets_of_tags_are_found_however_they_are_written() {
        for (html, expected) in [
            ("<a href=\"x.md\">x</a>", vec!["x.md"]),
            ("<A class='a b' HREF = 'x.md' >", vec!["x.md"]),
            ("<img src=x.png/>", vec!["x.png/"]),
            ("<img alt src='x.png'/><img src=\"y.png\">", vec!["x.png", "y.png"]),
            ("<!-- <a href='no'> --><a data-href='no' href='b'>", vec!["b"]),
            ("<abbr href='no'><a>no</a><a href='no'", vec![]),
            ("<a href='no", vec![]),
            ("<", vec![]),
        ] {
            let found: Vec<_> = links(html).into_iter().map(|(target, _)| target).collect();
            assert_eq!(found, expected, "{html}");
        }
    }

    #[test]
    fn tags_that_are_never_closed_cost_no_more_than_others() {
        for piece in ["<a ", "<a x=\"", "<!--", "<a x='\"", "<img =", "<"] {
            assert_eq!(links(&piece.repeat(1 << 18)), []);
        }
    }
}
